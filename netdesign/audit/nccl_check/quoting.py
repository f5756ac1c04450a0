"""Words, quotes and comments, as shells and settings files write them."""

from __future__ import annotations

import re

JOINED = "\x00"  # stands where a line went on with a backslash; two of them keep places
LONGEST_VALUE = 4096
_WENT_ON = re.compile(r"\\[ \t]*\n")
_COMMENT = re.compile(r"\\.|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|(?<!\S)#.*|(?<=[\s;])//[ \t].*")
_DIRECTIVE = re.compile(r"#(?:SBATCH|PBS|FLUX|BSUB|PJM|COBALT)\b|#\$ |#flux:")
_PIECE = re.compile(
    r"\"(?:[^\"\\\n]|\\.){0,4096}\"|'[^'\n]{0,4096}'|\\.|[^\s\"'\\;&|()<>,\x00]+|\x00+|,"
    r"|;(?=(?i:broadcast|reduce|allgather|reducescatter|allreduce|sendrecv):)"
)
_LINE_ENDS = ("\\n", "\\r", "\\t")  # of a shell line inside a JSON string
_BEFORE_QUOTES = "=,:;^}\x00"
_BACKSLASH = re.compile(r"\\(.)")
_IN_QUOTES = re.compile(r"\"((?:[^\"\\\n]|\\.){0,4096})\"|'((?:[^'\n]|''){0,4096})'")
_PLAIN = re.compile(r"[^\n,}\]#\"']{0,4096}")
_PLAIN_LINE = re.compile(r"[^\n]{0,4096}")
_EXPANSION = re.compile(
    r"\$\{[^}\n]{0,160}\}|\$\([^)\n]{0,160}\)|`[^`\n]{0,160}`|\{\{[^}\n]{0,160}\}\}"
)


def without_comments(text: str) -> str:
    """The text with comments blanked out, each character in its place.

    A scheduler's directives (#SBATCH ...) are no comments. Lines that go on with a backslash are
    joined.
    """
    text = _WENT_ON.sub(lambda found: JOINED * len(found[0]), text)
    if "#" not in text and "//" not in text:
        return text
    return "\n".join(_blanked(line) for line in text.split("\n"))


def _blanked(line: str) -> str:
    if "#" not in line and "//" not in line:
        return line
    start = _DIRECTIVE.match(line)
    if start:
        return " " * start.end() + line[start.end() :]
    for found in _COMMENT.finditer(line):
        if found[0].startswith(("#", "//")):
            return line[: found.start()] + " " * (len(line) - found.start())
    return line


def bare(text: str, place: int, *, commas: bool = True, inside: str = "") -> tuple[str, int]:
    """A shell word from a place on, without its quotes, and where it ends.

    A quote opens only where the word begins or after a sign such as a comma: in
    ``-e "A=b" -e "C=d"`` the quote after b closes what was opened before the name.

    Parameters
    ----------
    commas : bool       whether a comma belongs to the word
    inside : str        the quote that was opened right before the name, if any
    """
    parts: list[str] = []
    length, may_open = 0, True
    while length < LONGEST_VALUE:
        found = _EXPANSION.match(text, place) or _PIECE.match(text, place)
        if found is None:
            break
        piece = found[0]
        if piece in _LINE_ENDS or (piece == "," and not commas):
            break
        quote = piece[0] if piece[0] in "\"'" else ""
        if quote and (not may_open or quote == inside):
            break
        parts.append(_plain(piece))
        length += len(piece)
        place = found.end()
        may_open = bool(quote) or piece[-1] in _BEFORE_QUOTES
    return _unwrapped("".join(parts).replace(JOINED, "")), place


def _plain(piece: str) -> str:
    if piece[0] in '"\\':
        return _BACKSLASH.sub(r"\1", piece[1:-1] if piece[0] == '"' else piece)
    return piece[1:-1] if piece[0] == "'" else piece


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
    plain = (_PLAIN if in_flow else _PLAIN_LINE).match(text, place)
    if plain is None:
        return "", place
    return plain[0].replace(JOINED, "").strip().rstrip(",;").strip(), plain.end()
