"""nccl-tests text, line by line, whatever stands between its lines."""

from __future__ import annotations

import re

from netdesign.audit.document import Document
from netdesign.audit.nccl_tests import header
from netdesign.audit.nccl_tests.cells import Cells, fill, rest_of_row, short_row, start_of_row
from netdesign.audit.nccl_tests.conclude import table_of
from netdesign.audit.nccl_tests.draft import COLUMNS, DEVICES, ROWS, SETTINGS, SUMMARY, Draft
from netdesign.audit.nccl_tests.json_report import Record, json_drafts, record_of
from netdesign.audit.nccl_tests.seen import LogSeen
from netdesign.audit.nccl_tests.surroundings import MARKS, Surroundings
from netdesign.audit.nccl_tests.tables import NcclTests
from netdesign.audit.report import Understood

MOST_ROWS = 200_000  # of all tables of a file
MOST_TABLES = 20_000  # of a file
_MOST_BROKEN = 200  # lines between the parts of a broken row
_LABEL = re.compile(r"\[\d{1,7}\](?! NCCL)")  # of the rank, by launchers of MPICH


def read(document: Document) -> tuple[NcclTests, Understood]:
    """Every table of a file, and the lines that were used."""
    reader = _Reader()
    for line in document.lines():
        if line.text:
            reader.see(line.number, line.text)
    reader.close()
    drafts = reader.drafts
    if document.has(b'"alg_bw"') >= 0 or document.has(b'"average_bus_bandwidth"') >= 0:
        drafts = sorted(
            [*drafts, *json_drafts(document, reader.used)], key=lambda draft: draft.first_line
        )
    by_run: dict[int, list[Draft]] = {}
    for draft in drafts:
        by_run.setdefault(draft.run, []).append(draft)
    tables = tuple(table_of(draft, by_run[draft.run], document.name) for draft in drafts)
    return NcclTests(tables, document.name, reader.rows_left_out), reader.used


class _Reader:
    """Where the reading stands."""

    def __init__(self) -> None:
        self.used = Understood()
        self.drafts: list[Draft] = []
        self.rows_left_out = 0
        self._rows = 0
        self._draft: Draft | None = None
        self._open: Cells | None = None  # a row that lacks values
        self._open_since = 0
        self._around = Surroundings()
        self._log = LogSeen()
        self._runs = 0

    def see(self, number: int, text: str) -> None:
        """Take one line."""
        if text[0] == "[" and (label := _LABEL.match(text)) is not None:
            text = text.replace(label[0], " ")  # also within a line that was written in parts
        if '"busBw"' in text and (record := record_of(text)) is not None:
            self._record(number, record)
            return
        if _may_hold_a_type(text):
            cells = start_of_row(text, number)
            if cells is not None:
                self._row(cells)
                return
        if self._open is not None and self._continue(number, text):
            return
        if self._draft is not None and self._draft.few and self._short(number, text):
            return
        if "NCCL INFO" in text or "NCCL WARN" in text:
            self._log.see(text)
            if "NCCL WARN" in text and self._draft is not None and header.is_failure(text):
                self._draft.failed(text)
            return
        if self._is_header(number, text):
            self.used.add(number)
            return
        if "Permanently added" in text:  # ssh, of every host it ever met
            self.used.add(number)
        elif any(mark in text for mark in MARKS) or self._around.continued:
            if self._around.see(text):
                self.used.add(number)
        elif text.strip(" #`>") == "..." and self._draft is not None:
            self._draft.dots = True
            self.used.add(number)

    def close(self) -> None:
        """No line follows, or another table begins."""
        draft, self._draft, self._open = self._draft, None, None
        if draft is None:
            return
        if draft.log is None:
            draft.log, self._log = self._log, LogSeen()
        if draft.is_table and len(self.drafts) < MOST_TABLES:
            self.drafts.append(draft)
        elif draft.is_table:
            self.rows_left_out += len(draft.cells)

    def _begin(self, number: int, phase: int) -> Draft:
        """The draft to which a line of this phase belongs."""
        draft = self._draft
        if draft is not None and self._starts_anew(draft, phase):
            inherits = draft.phase == ROWS and phase >= COLUMNS
            self.close()
            if inherits and self._around.operation is None:  # no other command in between
                self._draft = draft.successor(number)
        if self._draft is None:
            self._runs += 1
            around = self._around
            self._draft = Draft(
                number,
                self._runs,
                command=around.operation,
                claimed_tasks=around.claimed_tasks,
                gpus_per_task=around.gpus_per_task,
                claimed_nodes=around.claimed_nodes,
                pods=around.pods_reach,
                job_names=around.job_names,
            )
            around.operation = None
        draft = self._draft
        draft.phase = max(draft.phase, phase)
        draft.last_line = number
        return draft

    @staticmethod
    def _starts_anew(draft: Draft, phase: int) -> bool:
        if draft.jobs > 1 or phase > draft.phase:
            return False  # mixed output of several runs has no order
        if phase == SETTINGS:
            return draft.phase >= COLUMNS or (
                draft.phase == DEVICES and bool(draft.options) and draft.ranks.highest > 0
            )
        if phase == DEVICES:
            return draft.phase >= ROWS
        return draft.phase > phase and draft.phase >= ROWS

    def _row(self, cells: Cells) -> None:
        self.used.add(cells.line)
        draft = self._begin(cells.line, ROWS)
        last = draft.cells[-1] if draft.cells else None
        if last is not None and cells.size < last.size and draft.jobs == 1:
            self.close()
            self._draft = draft = draft.successor(cells.line)
            draft.phase, draft.last_line, last = ROWS, cells.line, None
        whole = fill(cells, draft.columns)
        self._open = cells if not whole or len(cells.values) < 8 else None
        self._open_since = cells.line
        if not whole or _is_repeated(cells, last):
            return
        if self._rows >= MOST_ROWS:
            self.rows_left_out += 1
            return
        self._rows += 1
        draft.cells.append(cells)

    def _short(self, number: int, text: str) -> bool:
        """A row of a table that somebody shortened."""
        draft = self._draft
        cells = None if draft is None else short_row(text, draft.few, number)
        if draft is None or cells is None or self._rows >= MOST_ROWS:
            return False
        self.used.add(number)
        self._rows += 1
        draft.phase, draft.last_line = ROWS, number
        draft.cells.append(cells)
        return True

    def _record(self, number: int, record: Record) -> None:
        """Half a row in JSON; it says itself of which run it is."""
        self.used.add(number)
        draft = self._draft
        key = (record.operation, record.type, record.redop, record.ranks)
        last = draft.cells[-1] if draft is not None and draft.cells else None
        if draft is None or draft.records != key or (last and record.size < last.size):
            self.close()
            self._runs += 1
            self._draft = draft = Draft(number, self._runs, phase=ROWS, records=key)
            draft.command = record.operation
            draft.claimed_tasks, draft.claimed_nodes = record.ranks, record.nodes
            draft.time_unit, draft.columns, last = 1e-6, ("wrong",), None
        draft.last_line = number
        if last is None or last.size != record.size:
            if self._rows >= MOST_ROWS:
                self.rows_left_out += 1
                return
            self._rows += 1
            last = Cells(record.size, 0, record.type, record.redop, [], number)
            last.halves = [None, None]
            draft.cells.append(last)
        last.halves[record.in_place] = record.half

    def _continue(self, number: int, text: str) -> bool:
        """Whether a line ends the open row."""
        cells, draft = self._open, self._draft
        if cells is None or draft is None:
            return False
        if number - self._open_since > _MOST_BROKEN or "#" in text:
            self._open = None
            return False
        more = rest_of_row(text)
        if len(more) not in (4, 8, 5, 9):
            return False
        had = len(cells.halves)
        values = cells.values
        cells.values = values + more
        if not fill(cells, draft.columns):
            cells.values = values
            return False
        if had == 0 and self._rows < MOST_ROWS:
            self._rows += 1
            draft.cells.append(cells)
        if len(cells.values) >= 8:
            self._open = None
        draft.last_line = number
        self.used.add(number)
        return True

    def _is_header(self, number: int, text: str) -> bool:
        if "Rank" in text or "->" in text:
            rank = header.rank_line_of(text)
            if rank is not None:
                self._begin(number, DEVICES).ranks.add(rank)
                return True
        if "busbw" in text and (columns := header.columns_of(text)) is not None:
            self._begin(number, COLUMNS).columns = columns
            return True
        if "busbw" in text and (few := header.few_columns_of(text)) is not None:
            draft = self._begin(number, COLUMNS)
            draft.few, draft.columns = few, few[1:]
            return True
        if "n-place" in text or "of-place" in text:
            return True
        if "B/s)" in text and (unit := header.time_unit_of(text)) is not None:
            draft = self._begin(number, COLUMNS)
            draft.time_unit, draft.rate_unit = unit, header.rate_unit_of(text)
            return True
        return self._is_setting(number, text) or self._is_summary(number, text)

    def _is_setting(self, number: int, text: str) -> bool:
        named = "nThread" in text or "nGpus" in text
        if named and (options := header.settings_of(text)) is not None:
            self._begin(number, SETTINGS).options = options
            return True
        if "ersion" in text or "compiled with" in text:
            return self._is_version(number, text)
        if "Collective test" in text and (found := header.collective_of(text)) is not None:
            if found[0] == "starting":
                self._begin(number, SETTINGS).started = found[1]
            elif self._draft is not None:
                self._draft.concluded, self._draft.last_line = found[1], number
                self._draft.phase = SUMMARY
            return True
        return False

    def _is_version(self, number: int, text: str) -> bool:
        versions = header.versions_of(text)
        if not versions:
            return False
        tests = versions.get("tests")
        draft = self._begin(number, SETTINGS) if tests is not None else self._draft
        if draft is not None:
            draft.version = tests or draft.version
            draft.nccl_version = versions.get("nccl") or draft.nccl_version
            draft.headers_version = versions.get("headers") or draft.headers_version
        return True

    def _is_summary(self, number: int, text: str) -> bool:
        if "Out of bounds" in text and (bounds := header.bounds_of(text)) is not None:
            draft = self._begin(number, SUMMARY)
            draft.bounds, draft.bounds_ok = bounds
            self._end_log(draft)
            return True
        if "Avg bus" in text and (average := header.average_of(text)) is not None:
            draft = self._begin(number, SUMMARY)
            draft.average, draft.average_ok = average
            self._end_log(draft)
            return True
        if "Reducing" in text and (most := header.reduced_size_of(text)) is not None:
            if self._draft is not None:
                self._draft.options["maxBytes"] = str(most)
            return True
        if self._draft is not None and header.is_failure(text):
            self._draft.failed(text)
            return True
        return ("#" in text or " :" in text or "Using dev" in text) and header.is_known_comment(
            text
        )

    def _end_log(self, draft: Draft) -> None:
        if draft.log is None:
            draft.log, self._log = self._log, LogSeen()


def _may_hold_a_type(text: str) -> bool:
    """A cheap test before any regular expression; spelled out, since every line passes it."""
    return (
        "float" in text
        or "int" in text
        or "half" in text
        or "double" in text
        or "8e" in text
        or "8_e" in text
        or "char" in text
    )


def _is_repeated(cells: Cells, last: Cells | None) -> bool:
    """Whether a line stands there twice: no two runs take the same time in both halves."""
    return (
        last is not None
        and cells.size > 0
        and cells.values == last.values
        and (cells.size == last.size and cells.key == last.key)
    )
