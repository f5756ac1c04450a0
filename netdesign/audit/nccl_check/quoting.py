"""Words and quotes, as shells and settings files write them."""

from __future__ import annotations

import re

from netdesign.audit.nccl_check.comments import JOINED

LONGEST_VALUE = 4096
_PIECE = re.compile(
    r"\$'(?:[^'\\\n]|\\.){0,4096}'|\$?\"(?:[^\"\\\n]|\\.){0,4096}\"|'[^'\n]{0,4096}'|\\."
    r"|[^\s\"'\\;&|()<>,$\x00]+|\$|\x00+|,"
)
# A list by function goes on after a semicolon; a shell ends its command there.
LIST_GOES_ON = re.compile(
    r";(?:broadcast|reduce|allgather|reducescatter|allreduce|sendrecv):", re.IGNORECASE
)
# A="b",C="d" and, in the call of a function, A="b", C="d"
_NEXT_ENTRY = re.compile(r",(?=[A-Za-z_]\w*=|\s|\Z)")
_LINE_ENDS = ("\\n", "\\r", "\\t")  # of a shell line inside a JSON string
_BEFORE_QUOTES = "=,:;^}\x00"
_BACKSLASH = re.compile(r"\\(.)")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))")
_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_IN_QUOTES = re.compile(r"\"((?:[^\"\\\n]|\\.){0,4096})\"|'((?:[^'\n]|''){0,4096})'")
_IN_TICKS = re.compile(r"`([^`\n]{1,400})`")
_PLAIN = re.compile(r"[^\n,}\]#\"']{0,4096}")
_PLAIN_LINE = re.compile(r"[^\n]{0,4096}")
_EXPANSION = re.compile(
    r"\$\{[^}\n]{0,160}\}|\$\([^)\n]{0,160}\)|`[^`\n]{0,160}`|\{\{[^}\n]{0,160}\}\}"
)


def bare(
    text: str, place: int, *, commas: bool = True, lists: bool = True, inside: str = ""
) -> tuple[str, int]:
    """A shell word from a place on, without its quotes, and where it ends.

    A quote opens only where the word begins or after a sign such as a comma: in
    ``-e "A=b" -e "C=d"`` the quote after b closes what was opened before the name.

    Parameters
    ----------
    commas : bool       whether a comma belongs to the word
    lists : bool        whether a list by function goes on after a semicolon
    inside : str        the quote or backtick that was opened right before the name, if any
    """
    parts: list[str] = []
    length, may_open = 0, True
    while length < LONGEST_VALUE:
        if parts and text[place - 1] in "\"'" and _NEXT_ENTRY.match(text, place):
            break
        found = None if inside == "`" else _EXPANSION.match(text, place)
        found = found or _PIECE.match(text, place)
        if found is None and lists and LIST_GOES_ON.match(text, place):
            parts.append(";")
            place += 1
            continue
        if found is None:
            break
        piece = found[0]
        if piece in _LINE_ENDS or (piece == "," and not commas):
            break
        quote = piece[0] if piece[0] in "\"'" or piece[:2] in ("$'", '$"') else ""
        if quote and (not may_open or quote == inside):
            break
        if inside == "`" and "`" in piece:
            return "".join([*parts, piece.partition("`")[0]]), place + piece.index("`")
        parts.append(_plain(piece))
        length += len(piece)
        place = found.end()
        may_open = bool(quote) or piece[-1] in _BEFORE_QUOTES
    return _unwrapped("".join(parts).replace(JOINED, "")), place


def _plain(piece: str) -> str:
    if piece.startswith("$'"):
        return _ESCAPE.sub(_unescaped, piece[2:-1])
    piece = piece.removeprefix("$") if piece.startswith('$"') else piece
    if piece[0] in '"\\':
        return _BACKSLASH.sub(r"\1", piece[1:-1] if piece[0] == '"' else piece)
    return piece[1:-1] if piece[0] == "'" else piece


def _unescaped(found: re.Match[str]) -> str:
    wide, wider, octal, letter = found.groups()
    if letter is not None:
        return _NAMED.get(letter, letter)
    return chr(int(octal, 8) if octal else int(wide or wider, 16))


def _unwrapped(value: str) -> str:
    """Without the quotes that were written with backslashes, as in a shell line inside JSON."""
    wrapped = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if wrapped else value


def quoted(text: str, place: int, *, in_flow: bool = False) -> tuple[str, int]:
    """A value as YAML, JSON and programs write it: in quotes, or plain to the end of its place.

    Parameters
    ----------
    in_flow : bool      inside braces a comma or a brace ends a plain value, else the line does
    """
    found = _IN_QUOTES.match(text, place)
    if found:
        double, single = found.groups()
        value = single.replace("''", "'") if double is None else _BACKSLASH.sub(r"\1", double)
        return value, found.end()
    ticks = _IN_TICKS.match(text, place)
    if ticks:
        return ticks[1], ticks.end()
    plain = (_PLAIN if in_flow else _PLAIN_LINE).match(text, place)
    if plain is None:
        return "", place
    return plain[0].replace(JOINED, "").strip().rstrip(",;").strip(), plain.end()
