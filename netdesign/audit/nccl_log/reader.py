"""Reading a log of NCCL, of any size, in one pass."""

from __future__ import annotations

import re

from netdesign.audit.document import Document
from netdesign.audit.nccl_log.collect import Collector
from netdesign.audit.nccl_log.content import NcclLog
from netdesign.audit.nccl_log.messages import Splitter
from netdesign.audit.report import Understood

_VERSION = re.compile(r"\b([NR]CCL) version\s*:?\s*(\d[\w.+-]{0,40})")
_BANDWIDTH = re.compile(r"\bbusbw\s*:\s*(\d{1,9}(?:\.\d{1,12})?)\s*(Gbps|GBps|GB/s)")
_OWN = re.compile(r"\s*(?:duration|algo throughput)\s*:\s*[\d.]+ |\s*\d{1,6}:\s*\Z|ignore me \d+\Z")
_MATRIX = re.compile(  # the matrix of algorithms, written without NCCL's prefix
    r"\s*(?:Function|Broadcast|Reduce|AllGather|ReduceScatter|AllReduce) \|"
)
_OF_RCCL = ("HIP version ", "ROCm version ", "Hostname  ", "Librccl path ")  # its banner
_FRAMEWORK = re.compile(
    r"Watchdog caught collective operation timeout.{0,280}"
    r"|ncclSystemError.{0,120}|ncclRemoteError.{0,120}|ncclInternalError.{0,120}"
    r"|ncclUnhandledCudaError.{0,120}|ncclInvalidUsage.{0,120}|unhandled system error.{0,80}"
    r"|unhandled cuda error.{0,80}|NCCL communicator was aborted.{0,80}"
    r"|Test NCCL failure.{0,120}"
)


def read(document: Document) -> tuple[NcclLog, Understood]:
    """What NCCL says in a file; lines of other programs are left."""
    used = Understood()
    splitter = Splitter()
    found = Collector()
    for number, text, _ in document.lines():
        if "NCCL" in text:
            message, several = splitter.first(text)
            if message is None:
                if _outside(found, text, number):
                    used.add(number)
            elif several:
                found.spliced += 1
                for part in splitter.all(text):
                    found.take(part, number)
            else:
                found.take(message, number)
                used.add(number)
        elif "busbw" in text:
            if _bandwidth(found, text):
                used.add(number)
        elif "nccl" in text or "unhandled" in text or "CCL version" in text:
            if _outside(found, text, number):
                used.add(number)
        elif text.startswith(_OF_RCCL):
            if found.lines:
                used.add(number)
        elif " |" in text:
            if found.lines and _MATRIX.match(text) is not None:
                used.add(number)
        elif found.bandwidths and _OWN.match(text) is not None:
            used.add(number)
    return found.log(), used


def _outside(found: Collector, text: str, number: int) -> bool:
    """A line without NCCL's own prefix."""
    version = _VERSION.search(text)
    if version is not None:
        found.version(version[1], version[2])
    failure = _FRAMEWORK.search(text)
    if failure is not None:
        found.complain(failure[0], number, "", is_nccl=False)
    return version is not None or failure is not None


def _bandwidth(found: Collector, text: str) -> bool:
    match = _BANDWIDTH.search(text)
    if match is None:
        return False
    found.bandwidth(float(match[1]), bits=match[2] == "Gbps")
    return True
