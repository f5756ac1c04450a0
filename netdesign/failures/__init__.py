"""What happens to a job when a part of its network breaks?

``broken`` reads what is broken from a word, ``outcome`` breaks it in the built fabric, and
``redundancy`` says whether a second leaf for each port or a second plane pays.
"""

from netdesign.failures.outcome import Outcome, Stage, outcome, stage_of
from netdesign.failures.redundancy import Choice, redundancy
from netdesign.failures.scenario import Scenario, broken, usual

__all__ = [
    "Choice",
    "Outcome",
    "Scenario",
    "Stage",
    "broken",
    "outcome",
    "redundancy",
    "stage_of",
    "usual",
]
