"""What should the planner know? Rules that read an Evaluation and speak, worst first.

A rule is a function from an Evaluation to a Finding or None; ``RULES`` lists them.
"""

from netdesign.findings.finding import SEVERITIES, Finding
from netdesign.findings.rules import RULES, find

__all__ = ["RULES", "SEVERITIES", "Finding", "find"]
