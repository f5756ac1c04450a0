"""Which parallel plan is the fastest that fits, and what do the others lose on?"""

from netdesign.ranking.enumeration import ValidPlans, valid_plans
from netdesign.ranking.ranked import Job, Ranking, Standing, job_of, rank_plans
from netdesign.ranking.reasons import Difference, differences, loses_on, reason, verdict

__all__ = [
    "Difference",
    "Job",
    "Ranking",
    "Standing",
    "ValidPlans",
    "differences",
    "job_of",
    "loses_on",
    "rank_plans",
    "reason",
    "valid_plans",
    "verdict",
]
