"""The traffic of a design's plan over its built fabric: who waits, where, and for how long?"""

from netdesign.congestion.meeting import Meeting
from netdesign.congestion.phase import Phase, phase
from netdesign.congestion.report import CollectiveCongestion, Congestion, congestion
from netdesign.congestion.scene import Conditions, Scene, scene_of
from netdesign.congestion.seeds import Spread, spread
from netdesign.congestion.slowed_step import SlowedStep
from netdesign.congestion.storage import StorageTraffic, storage_traffic
from netdesign.congestion.two_jobs import SideBySide, side_by_side

__all__ = [
    "CollectiveCongestion",
    "Conditions",
    "Congestion",
    "Meeting",
    "Phase",
    "Scene",
    "SideBySide",
    "SlowedStep",
    "Spread",
    "StorageTraffic",
    "congestion",
    "phase",
    "scene_of",
    "side_by_side",
    "spread",
    "storage_traffic",
]
