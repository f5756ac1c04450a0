"""One thing that a rule finds, before equal things at many ports are told as one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from netdesign.errors import shown

YANG, TEMPLATES, PFCWD = "sonic-yang-models", "sonic-buildimage", "sonic-utilities"
PAPER, JUDGEMENT, NCCL = "dcqcn-2015", "netdesign-judgement", "nccl-tuning"
HEADROOM, ADAPTERS = "sonic-swss-headroom", "nvidia-ofed-qos"


@dataclass(frozen=True)
class Complaint:
    """A finding at some places; equal code and sentence are joined."""

    code: str
    severity: str
    sentence: str
    fix: str
    source: str
    places: tuple[str, ...] = ()
    grade: str = "verified"


def error(code: str, sentence: str, fix: str, source: str, *places: str) -> Complaint:
    return Complaint(code, "error", sentence, fix, source, places)


def warning(code: str, sentence: str, fix: str, source: str, *places: str) -> Complaint:
    return Complaint(code, "warning", sentence, fix, source, places)


def note(code: str, sentence: str, fix: str, source: str, *places: str) -> Complaint:
    return Complaint(code, "note", sentence, fix, source, places)


def listed(numbers: Iterable[int]) -> str:
    """Numbers in words: 3 and 4."""
    return " and ".join(map(str, sorted(numbers)))


def quoted(text: str) -> str:
    """A stranger's name, short and printable."""
    return shown(text)
