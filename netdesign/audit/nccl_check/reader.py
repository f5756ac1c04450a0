"""Settings out of whatever people keep them in: scripts, environments, YAML, JSON, job files, logs.

One pass over the text: each name in capitals is looked at with what stands before and after it,
and is an assignment or is not. No file is parsed as what it claims to be, so templates, shell
inside YAML and broken JSON are read as far as they go. Time grows with the length of the text.
"""

from __future__ import annotations

import bisect
import codecs
import re
from dataclasses import dataclass

from netdesign.audit.nccl_check.quoting import JOINED, bare, quoted, without_comments
from netdesign.errors import DesignError

LARGEST_FILE_BYTES = 10_000_000
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAME = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z_][A-Za-z0-9_]{2,120}(?![A-Za-z0-9_])")
_LONGEST_BEFORE = 400
_SHORT = 120
# What stands before a name, up to it.
_CALL = re.compile(r"(?:setdefault|putenv|setenv|pushenv|addenv)\(\s*[\"']$", re.IGNORECASE)
_ITEM = re.compile(r"(?:^|[\s{,\-\"'])name[\"']?\s*:\s*[\"']?$")
_VALUE_FIRST = re.compile(
    r"[\"']?value[\"']?\s*:\s*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s,{}\"']+))\s*,?\s*[\"']?name[\"']?"
    r"\s*:\s*[\"']?$"
)
_WORD = re.compile(
    r"(?:^|[\s;&(\x00])(?:setenv|pushenv|ENV|-genv|-env|set(?:\s+-[-\w]+)+)[ \t\x00]+$"
)
_UNSET = re.compile(r"(?:^|[\s;&|(])(?:unset|unsetenv)(?:\s+-v)?(?:\s+[A-Za-z_]\w*)*\s+$")
_EXPORTS = re.compile(r"(?:^|[\s;&\x00])(?:export|setenv|env|-x|-e|--env[= ])?[ \t\x00]*[\"']?$")
# A comma ends a value and the next name follows: srun, #PBS -v, #BSUB -env, containers.
_LISTED = re.compile(
    r"(?:(--export=[\"']?)|^\s*-v\s+|^\s*-env\s+[\"']?|"
    r"\b(?:apptainer|singularity|torchx)\b[^\n]{0,300}--env[= ][\"']?)[^\s\"']{0,400}$"
)
_PRINTED = re.compile(r"(?:^|[;&|{(]|\bdo\b|\bthen\b)\s*(?:echo|printf|print|logger)\b[^;&|\n]*$")
_WRITES = re.compile(r"[^\n]{0,400}?(?:>|\|\s*tee\b)")  # echo "export X=1" >> file
_IN_FLOW = re.compile(r"[{,]\s*[\"']?$")
# What stands after it, from its end.
_EQUALS = re.compile("=")
_SPACED = re.compile(r"[\"']?\]?[ \t]*(:=|\?=|:|=(?!=))[ \t]*")
_NEXT_VALUE = re.compile(r"[\"']?\s{0,400},?\s{0,400}[\"']?value(From)?[\"']?\s*:[ \t]*")
_LOGGED = re.compile(r" set (?:by environment )?to ")
_COMMA = re.compile(r"[\"']\s*,\s*")
_IF_UNSET = re.compile(r":?=([^}\n]{0,400})\}")
_AFTER_UNSET = frozenset(("", "\n", " ", "\t", ";", "&"))
_EXPRESSION = re.compile(r"[^\s,;)}\]]{1,200}")
_REFERENCE = re.compile(r"\$[\w{(]|`|\{\{|%[A-Za-z_]\w*%|<[A-Za-z][\w -]*>")


@dataclass(frozen=True)
class Setting:
    """A variable that a file sets on a line; no value where it can only be known at run time.

    ``unset`` takes a variable back. ``loose`` is written as a constant of a program may be, too.
    ``doubt`` says what is odd about how it is written.
    """

    name: str
    value: str | None
    line: int
    text: str = ""
    unset: bool = False
    loose: bool = False
    doubt: str = ""


def read_settings(content: str | bytes, name: str = "file") -> tuple[Setting, ...]:
    """The settings of a text, in the order in which they stand.

    Parameters
    ----------
    content : str or bytes      the text; NULs separate lines, as in /proc/PID/environ
    name : str                  of the file, for complaints

    Raises
    ------
    DesignError                 when there are more than ten million bytes
    """
    if len(content) > LARGEST_FILE_BYTES:
        raise DesignError(
            name,
            len(content),
            "is too long to read",
            f"give at most {LARGEST_FILE_BYTES:,} bytes",
        )
    text = _as_text(content)
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return _Scan(without_comments(text), starts).settings()


def _as_text(content: str | bytes) -> str:
    if isinstance(content, bytes):
        for mark, encoding in _BOMS:
            if content.startswith(mark):
                content = content[len(mark) :].decode(encoding, errors="replace")
                break
        else:
            content = content.decode("utf-8", errors="replace")
    text = content.removeprefix("\ufeff")
    for end in ("\r\n", "\r", "\x00", "\x85", "\u2028", "\u2029"):
        text = text.replace(end, "\n")
    return text


class _Scan:
    """One pass over a text without comments."""

    def __init__(self, text: str, starts: list[int]) -> None:
        self.text = text
        self.starts = starts

    def settings(self) -> tuple[Setting, ...]:
        found: list[Setting] = []
        behind = nested = 0
        for match in _NAME.finditer(self.text):
            start, name = match.start(), match[0]
            if start < behind:
                continue
            if start and self.text[start - 1] == "\\" and name[0] in "nrt":
                start, name = start + 1, name[1:]  # a shell line inside a JSON string
            setting, end = self._assignment(name, start, match.end())
            if setting is not None:
                found.append(setting)
            if _holds_more(name, setting) and start >= nested:
                nested = end  # FLAGS="-e NCCL_DEBUG=INFO": what is inside is looked at, once
                continue
            behind = max(behind, end)
        return tuple(found)

    def _assignment(self, name: str, start: int, end: int) -> tuple[Setting | None, int]:
        """The setting that a name begins, and how far it reaches."""
        if name[:1].islower() and not name.startswith("nccl_"):
            return None, end
        text = self.text
        line = bisect.bisect_right(self.starts, start)
        begin = max(0, start - _LONGEST_BEFORE)
        before = text[max(begin, text.rfind("\n", begin, start) + 1) : start]
        short = before[-_SHORT:]
        if name[:1].islower() and not (_EQUALS.match(text, end) and _EXPORTS.search(short[-16:])):
            return None, end
        if short.endswith("${"):
            return self._if_unset(name, end, line)
        if _EQUALS.match(text, end) and not short.endswith(("$", "$env:")):
            if _PRINTED.search(before) and not _WRITES.match(text, end):
                return None, end
            return self._shell(name, end + 1, line, before)
        after = text[end : end + 1]
        if after in _AFTER_UNSET and "unset" in short and _UNSET.search(short):
            return Setting(name, None, line, unset=True), end
        if after in (" ", "\t", JOINED) and _WORD.search(short[-40:]):
            value, close = bare(text, _skip(text, end))
            return (_made(name, value, line) if value else None), max(close, end)
        logged = _LOGGED.match(text, end)
        if logged:
            value, close = bare(text, logged.end())
            return _made(name, value.removesuffix("."), line), close
        return self._written_out(name, start, end, line, short)

    def _shell(self, name: str, place: int, line: int, before: str) -> tuple[Setting, int]:
        """NAME=value; srun's --export=A=b,C=d, and kin, end a value at a comma."""
        exported = _LISTED.search(before)
        inside = before[-1:] if before[-1:] in ('"', "'") else ""
        value, close = bare(self.text, place, commas=exported is None, inside=inside)
        cut = exported is not None and exported[1] and self.text[close : close + 1] == ","
        following = _EXPRESSION.match(self.text, close + 1) if cut else None
        lost = following is not None and "=" not in following[0].split(",")[0]
        doubt = "srun ends a value of --export at the comma" if lost else ""
        return _made(name, value, line, doubt=doubt), close

    def _if_unset(self, name: str, end: int, line: int) -> tuple[Setting | None, int]:
        """${NAME:=value} sets a variable that nobody has set; ${NAME:-value} only reads."""
        found = _IF_UNSET.match(self.text, end)
        if found is None:
            return None, end
        value = found[1].strip("\"'")
        return _made(name, value, line, doubt="set only where nobody has set it before"), end

    def _written_out(
        self, name: str, start: int, end: int, line: int, before: str
    ) -> tuple[Setting | None, int]:
        """A name in YAML, JSON or a program: in quotes, before a colon, in a list of items."""
        text = self.text
        if "name" in before[-20:] and _ITEM.search(before[-20:]):
            return self._item(name, start, end, line)
        comma = _COMMA.match(text, end)
        if comma and _CALL.search(before[-30:]):
            return self._program(name, comma.end(), line)
        spaced = _SPACED.match(text, end)
        if spaced is None:
            return None, end
        in_quotes = before.endswith(('"', "'"))
        closed = text[end : end + 1] in ('"', "'")
        if text[end : end + 2] in ('"]', "']"):
            return self._program(name, spaced.end(), line)
        alone = not before.strip("- \t\"'")
        in_flow = bool(_IN_FLOW.search(before)) or in_quotes
        if in_quotes != closed or not (alone or in_flow or before.endswith("$env:")):
            return None, end
        loose = spaced[1] == "=" and alone and not in_quotes
        value, close = quoted(text, spaced.end(), in_flow=in_flow)
        if not value and not (alone and close < len(text)):
            return None, end
        return _made(name, value, line, loose=loose), max(close, end)

    def _item(self, name: str, start: int, end: int, line: int) -> tuple[Setting | None, int]:
        """``name: X`` with ``value: y`` after or before it."""
        following = _NEXT_VALUE.match(self.text, end)
        if following:
            in_flow = "\n" not in following[0] or self.text[end : end + 1] == '"'
            value, close = quoted(self.text, following.end(), in_flow=in_flow)
            if following[1]:
                return Setting(name, None, line, text="valueFrom"), max(close, end)
            return _made(name, value, line), max(close, end)
        earlier = _VALUE_FIRST.search(self.text[max(0, start - _SHORT) : start])
        if earlier is None:
            return None, end
        return _made(name, next(part for part in earlier.groups() if part is not None), line), end

    def _program(self, name: str, place: int, line: int) -> tuple[Setting | None, int]:
        """A value in a program: a literal, or an expression that is not known here."""
        start = _skip(self.text, place)
        if self.text[start : start + 1] in ('"', "'"):
            value, close = quoted(self.text, start, in_flow=True)
            return _made(name, value, line), max(close, place)
        found = _EXPRESSION.match(self.text, start)
        if found is None:
            return None, place
        literal = re.fullmatch(r"-?[0-9]{1,20}|0x[0-9a-fA-F]{1,16}", found[0])
        return Setting(name, found[0] if literal else None, line, text=found[0]), found.end()


def _holds_more(name: str, setting: Setting | None) -> bool:
    """Whether a variable of another kind may carry settings in its value."""
    return setting is not None and "=" in setting.text and not name.startswith("NCCL_")


def _made(name: str, value: str, line: int, *, loose: bool = False, doubt: str = "") -> Setting:
    known = None if _REFERENCE.search(value) else value
    return Setting(name, known, line, text=value, loose=loose, doubt=doubt)


def _skip(text: str, place: int) -> int:
    while text[place : place + 1] in (" ", "\t", JOINED) and place < len(text):
        place += 1
    return place
