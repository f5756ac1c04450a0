"""Design -> LosslessPlan: headroom, buffer, marking and classes of a lossless Ethernet fabric."""

from netdesign.lossless.choice import LosslessChoice
from netdesign.lossless.methods import headroom, headrooms, headrooms_by_length
from netdesign.lossless.plan import LosslessPlan, SwitchPlan, Tier, lossless_plan

__all__ = [
    "LosslessChoice",
    "LosslessPlan",
    "SwitchPlan",
    "Tier",
    "headroom",
    "headrooms",
    "headrooms_by_length",
    "lossless_plan",
]
