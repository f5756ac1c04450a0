"""Settings out of whatever people keep them in: scripts, environments, YAML, JSON, job files, logs.

One pass over the text: each name in capitals is looked at with what stands before and after it,
and is an assignment or is not. No file is parsed as what it claims to be, so templates, shell
inside YAML and broken JSON are read as far as they go. Time grows with the length of the text.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, replace

from netdesign.audit.nccl_check import contexts as seen
from netdesign.audit.nccl_check import names
from netdesign.audit.nccl_check.comments import JOINED, without_comments
from netdesign.audit.nccl_check.decoding import LARGEST_FILE_BYTES, text_of
from netdesign.audit.nccl_check.markdown import marked_value, table_values, without_stars
from netdesign.audit.nccl_check.quoting import LIST_GOES_ON, LONGEST_VALUE, bare, quoted
from netdesign.audit.nccl_check.yaml_values import Yaml

__all__ = ["LARGEST_FILE_BYTES", "Setting", "read_settings"]

_LONGEST_BEFORE = 400
_SHORT = 120
_UNLESS_SET = "set only where nobody has set it before"
_CUT_BY_SRUN = "srun ends a value of --export at the comma"
_CUT_BY_SHELL = "a shell ends the value at the unquoted ;: put it in quotes"
_WOULD_CUT = "a shell would end the value at the unquoted ;: put it in quotes if one reads it"
_ADDED = "added to what was set before, which is not in this text"
Found = tuple["Setting | None", int]


@dataclass(frozen=True)
class Setting:
    """A variable that a file sets on a line; no value where it can only be known at run time.

    ``unset`` takes a variable back. ``loose`` is written as a constant of a program may be, too.
    ``added`` goes behind what was set before, after ``text`` of it. ``doubt`` says what is odd
    about how it is written.
    """

    name: str
    value: str | None
    line: int
    text: str = ""
    unset: bool = False
    loose: bool = False
    doubt: str = ""
    added: str | None = None


def read_settings(content: str | bytes, name: str = "file") -> tuple[Setting, ...]:
    """The settings of a text, in the order in which they stand.

    Parameters
    ----------
    content : str or bytes      the text; NULs separate lines, as in /proc/PID/environ
    name : str                  of the file, for complaints

    Raises
    ------
    DesignError                 when there are more than ten million bytes, or they are no text
    """
    text = text_of(content, name)
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return _Scan(without_comments(text), starts, seen.SHELL.search(text) is not None).settings()


class _Scan:
    """One pass over a text without comments."""

    def __init__(self, text: str, starts: list[int], in_shell: bool) -> None:
        self.text = text
        self.starts = starts
        self.in_shell = in_shell
        self.yaml = Yaml(text)
        self.rows = table_values(text)
        self.last: dict[str, Setting] = {}

    def settings(self) -> tuple[Setting, ...]:
        found: list[Setting] = []
        behind = nested = 0
        for match in seen.NAME.finditer(self.text):
            start, name = match.start(), match[0]
            if start < behind:
                continue
            if "_" not in name and not seen.MAY_BE_SET.match(self.text, match.end()):
                continue
            setting, end = self._assignment(name, start, match.end())
            if setting is not None and _only_carries(setting):
                setting, end = None, match.end()
            if setting is not None:
                setting = self._finished(setting)
                found.append(setting)
            if _holds_more(setting) and start >= nested:
                nested = end  # FLAGS="-e NCCL_DEBUG=INFO": what is inside is looked at, once
                continue
            behind = max(behind, end)
        return tuple(found)

    def _finished(self, setting: Setting) -> Setting:
        """With the name inside a container, and behind what was set before if it is added."""
        name = seen.CONTAINER.sub("", setting.name)
        if name != setting.name:
            setting = replace(setting, name=name)
        before = self.last.get(name)
        if setting.added is not None:
            if before is None or before.unset:
                setting = replace(setting, doubt=setting.doubt or _ADDED)
            elif len(before.text) > LONGEST_VALUE:
                setting = replace(setting, value=None, text=before.text)
            else:
                known = None not in (before.value, setting.value)
                text = f"{before.text}{setting.added}{setting.text}"
                setting = replace(setting, value=text if known else None, text=text)
        self.last[name] = setting
        return setting

    def _assignment(self, name: str, start: int, end: int) -> Found:
        """The setting that a name begins, and how far it reaches."""
        if name[:1].islower() and not name.startswith("nccl_"):
            return None, end
        text = self.text
        line = bisect.bisect_right(self.starts, start)
        begin = max(0, start - _LONGEST_BEFORE)
        before = text[max(begin, text.rfind("\n", begin, start) + 1) : start]
        short = before[-_SHORT:]
        equals = text.startswith(("=", "+="), end)
        if name[:1].islower() and not (equals and seen.EXPORTS.search(short[-16:])):
            return None, end
        dotted = short.endswith(".") and not seen.OF_AN_ENVIRONMENT.search(short)
        if dotted and not (equals and seen.of_helm(before)):
            return None, end
        if start in self.rows:
            value, close = self.rows[start]
            return _made(name, value, line), close
        if short.endswith("${"):
            return self._if_unset(name, end, line)
        if equals and not short.endswith(("$", "$env:")):
            printed = any(word in before for word in seen.PRINT_HINTS)
            if printed and seen.PRINTED.search(before) and not seen.WRITES.match(text, end):
                return None, end
            return self._shell(name, end, line, before)
        after = text[end : end + 1]
        if after in seen.AFTER_UNSET and seen.takes_back(short, after):
            return Setting(name, None, line, unset=True), end
        if after in (" ", "\t", JOINED) and seen.WORD.search(short[-40:]):
            value, close = bare(text, _skip(text, end), lists=not self.in_shell)
            return (_made(name, value, line) if value else None), max(close, end)
        logged = seen.LOGGED.match(text, end)
        if logged:
            value, close = bare(text, logged.end())
            return _made(name, value.removesuffix("."), line), close
        return self._written_out(name, start, end, line, short)

    def _shell(self, name: str, end: int, line: int, before: str) -> Found:
        """NAME=value and NAME+=value; a comma ends it in srun's --export and its kin."""
        text = self.text
        added = "" if text[end] == "+" else None
        place = end + (1 if added is None else 2)
        if text.startswith("(", place):
            return None, place  # an array of a shell, whose words follow
        listed = any(word in before for word in seen.LIST_HINTS)
        exported = seen.LISTED.search(before) if listed else None
        commas = exported is None and not before.endswith(".")
        inside = before[-1:] if before[-1:] in ('"', "'", "`") else ""
        value, close = bare(
            text, place, commas=commas, lists=bool(inside) or not self.in_shell, inside=inside
        )
        value = self._of_prose(without_stars(value, before), close, before)
        if text.startswith("(", close) and seen.CALLED.match(text, place):
            return self._program(name, place, line)
        if text[close - 1] in "\"'" and seen.COMPUTED.match(text, close):
            return self._expression(name, place, line)
        return _made(
            name, value, line, doubt=self._doubt(place, close, exported, inside), added=added
        ), close

    def _of_prose(self, value: str, close: int, before: str) -> str:
        """Without what ends a span of code, a link, or a sentence outside a shell."""
        if value.count("`") == 1 and not value.startswith("`"):
            return value.partition("`")[0]
        if before.endswith("[") and "]" in value:
            return value.partition("]")[0]
        if self.in_shell or len(value) < 2 or "/" in value:
            return value
        return value[:-1] if seen.ENDS_A_SENTENCE.match(self.text, close - 1) else value

    def _doubt(self, place: int, close: int, exported: re.Match[str] | None, inside: str) -> str:
        """What is odd about a shell's value that ends at ``close``."""
        text = self.text
        cut = exported is not None and exported[1] and text[close : close + 1] == ","
        following = seen.EXPRESSION.match(text, close + 1) if cut else None
        if following is not None and "=" not in following[0].split(",")[0]:
            return _CUT_BY_SRUN
        if inside:
            return ""
        if LIST_GOES_ON.match(text, close):
            return _CUT_BY_SHELL
        written = text[place:close]
        lists = ";" in written and written[0] not in "\"'$"
        return _WOULD_CUT if lists and LIST_GOES_ON.search(written) else ""

    def _if_unset(self, name: str, end: int, line: int) -> Found:
        """${NAME:=value} sets a variable that nobody has set; ${NAME:-value} only reads."""
        found = seen.IF_UNSET.match(self.text, end)
        if found is None:
            return None, end
        value = found[1].strip("\"'")
        return _made(name, value, line, doubt=_UNLESS_SET), end

    def _written_out(self, name: str, start: int, end: int, line: int, before: str) -> Found:
        """A name in YAML, JSON or a program: in quotes, before a colon, in a list of items."""
        text = self.text
        tail = before[-20:].lower()
        if ("name" in tail or "key" in tail) and seen.ITEM.search(tail):
            return self._item(name, start, end, line)
        if tail.endswith(".name="):
            return self._helm_item(name, end, line, before)
        comma = seen.COMMA.match(text, end)
        if comma and seen.CALL.search(before[-30:]):
            return self._program(name, comma.end(), line)
        pair = seen.PAIR_ENDS.match(text, end)
        if pair and seen.PAIR_OPENS.search(before):
            return _made(name, pair[2], line), pair.end()
        marked = marked_value(text, end, before)
        if marked is not None:
            return _made(name, marked[0], line), marked[1]
        if text[end : end + 2] == "]=" and seen.ARRAY_KEY.search(before):
            value, close = bare(text, end + 2)
            return _made(name, value, line), close
        spaced = seen.SPACED.match(text, end)
        if spaced is None:
            return None, end
        if text[end : end + 2] in ('"]', "']"):
            added = "" if spaced[1] == "+=" else None
            setting, close = self._program(name, spaced.end(), line)
            return (setting and replace(setting, added=added)), close
        return self._plain(name, spaced, line, before)

    def _plain(self, name: str, spaced: re.Match[str], line: int, before: str) -> Found:
        """``name: value`` or ``name = value`` alone on a line, or in braces."""
        if name.lower() in seen.KEYS_OF_ITEMS:
            return None, spaced.start()
        text, end, sign = self.text, spaced.start(), spaced[1]
        in_quotes = before.endswith(('"', "'"))
        closed = text[end : end + 1] in ('"', "'")
        bullet = seen.BULLET.match(before) is not None
        alone = bullet or seen.ALONE.fullmatch(before) is not None
        in_flow = bool(seen.IN_FLOW.search(before)) or in_quotes
        argument = sign == "=" and seen.ARGUMENT.search(before) is not None
        environment = before.endswith("$env:") or seen.OF_AN_ENVIRONMENT.search(before) is not None
        if in_quotes != closed or not (alone or in_flow or environment or argument):
            return None, end
        if in_flow and seen.CALLED.match(text, spaced.end()):
            return self._program(name, spaced.end(), line)
        in_flow = in_flow or argument
        loose = sign == "=" and alone and not in_quotes and "export" not in before
        if sign == ":":
            written = self.yaml.value(spaced.end(), in_flow=in_flow)
            if written is not None and (written.doubt == "" or names.is_ours(name)):
                made = _made(name, written.text, line, doubt=written.doubt)
                return (made if written.value is not None else replace(made, value=None)), (
                    written.end if names.is_ours(name) else spaced.end()
                )
        value, close = quoted(text, spaced.end(), in_flow=in_flow)
        if sign != ":" and not in_flow and text[spaced.end() : spaced.end() + 1] not in "\"'":
            value = seen.INI_COMMENT.split(value, maxsplit=1)[0]
        if text[close - 1] in "\"'" and seen.COMPUTED.match(text, close):
            return self._expression(name, spaced.end(), line)
        if (not value and not (alone and close < len(text))) or (bullet and " " in value):
            return None, end
        doubt = _UNLESS_SET if sign == "?=" else ""
        added = " " if sign == "+=" else None
        return _made(name, value, line, loose=loose, doubt=doubt, added=added), max(close, end)

    def _item(self, name: str, start: int, end: int, line: int) -> Found:
        """``name: X`` with ``value: y`` after or before it."""
        following = seen.NEXT_VALUE.match(self.text, end)
        if following:
            place = following.end()
            in_flow = "\n" not in following[0] or self.text[end : end + 1] == '"'
            if following[1]:
                return Setting(name, None, line, text="valueFrom"), max(place, end)
            written = self.yaml.value(place, in_flow=in_flow)
            if written is not None:
                made = _made(name, written.text, line, doubt=written.doubt)
                return (made if written.value is not None else replace(made, value=None)), max(
                    written.end, end
                )
            value, close = quoted(self.text, place, in_flow=in_flow)
            return _made(name, value, line), max(close, end)
        earlier = seen.VALUE_FIRST.search(self.text[max(0, start - _SHORT) : start])
        if earlier is None:
            return None, end
        return _made(name, next(part for part in earlier.groups() if part is not None), line), end

    def _helm_item(self, name: str, end: int, line: int, before: str) -> Found:
        """``--set env[0].name=X,env[0].value=y``."""
        following = seen.HELM_VALUE.match(self.text, end)
        if following is None or not seen.HELM_ITEM.search(before) or "--set" not in before:
            return None, end
        value, close = bare(self.text, following.end(), commas=False)
        return _made(name, value, line), close

    def _program(self, name: str, place: int, line: int) -> Found:
        """A value in a program: a literal, or an expression that is not known here."""
        text = self.text
        start = _skip(text, place)
        made = seen.MADE_TEXT.match(text, start)
        prefix = seen.PREFIX.match(text, start)
        if made and not seen.COMPUTED.match(text, made.end()):
            return _made(name, made[1].strip("\"'"), line), made.end()
        opening = prefix.end() if prefix else start
        if text[opening : opening + 1] in ('"', "'"):
            value, close = quoted(text, opening, in_flow=True)
            formatted = prefix is not None and "f" in prefix[0].lower() and "{" in value
            after = seen.COMPUTED.match(text, close) or seen.CONDITIONAL.match(text, close)
            if not after and not formatted:
                return _made(name, value, line), max(close, place)
            return self._expression(name, start, line)
        found = seen.EXPRESSION.match(text, start)
        if found is None:
            return None, place
        literal = seen.LITERAL.fullmatch(found[0])
        after = seen.COMPUTED.match(text, found.end()) or seen.CONDITIONAL.match(text, found.end())
        if literal and not after:
            return Setting(name, found[0], line, text=found[0]), found.end()
        return (
            self._expression(name, start, line)
            if after
            else (Setting(name, None, line, text=found[0]), found.end())
        )

    def _expression(self, name: str, place: int, line: int) -> Found:
        """What a program computes: shown as it stands to the end of its line, and not judged."""
        close = self.text.find("\n", place, place + _LONGEST_BEFORE)
        close = min(len(self.text), place + _LONGEST_BEFORE) if close < 0 else close
        return Setting(name, None, line, text=self.text[place:close].strip().rstrip(",")), close


def _only_carries(setting: Setting) -> bool:
    """Whether a name like NCCL_OPTS is no variable, but text with settings in it."""
    return (
        not setting.unset
        and "=" in setting.text
        and setting.name.startswith("NCCL_")
        and not names.is_known(setting.name)
        and seen.CARRIES.search(setting.text) is not None
    )


def _holds_more(setting: Setting | None) -> bool:
    """Whether a variable of another kind may carry settings in its value."""
    return setting is not None and "=" in setting.text and not setting.name.startswith("NCCL_")


def _made(
    name: str,
    value: str,
    line: int,
    *,
    loose: bool = False,
    doubt: str = "",
    added: str | None = None,
) -> Setting:
    known = None if seen.REFERENCE.search(value) else value
    return Setting(name, known, line, text=value, loose=loose, doubt=doubt, added=added)


def _skip(text: str, place: int) -> int:
    while text[place : place + 1] in (" ", "\t", JOINED) and place < len(text):
        place += 1
    return place
