"""Is an NCCL environment right: names, values and combinations, by release and network?"""

from netdesign.audit.nccl_check.judge import FAULTS, Finding
from netdesign.audit.nccl_check.reader import Setting, read_settings
from netdesign.audit.nccl_check.report import (
    Report,
    check_settings,
    cloud_note,
    report_record,
    report_text,
)

__all__ = [
    "FAULTS",
    "Finding",
    "Report",
    "Setting",
    "check_settings",
    "cloud_note",
    "read_settings",
    "report_record",
    "report_text",
]
