"""Comments blanked out, each character in its place: #, //, /* */, and ; at the start of a line."""

from __future__ import annotations

import re

JOINED = "\x00"  # stands where a line went on with a backslash; two of them keep places
_WENT_ON = re.compile(r"\\[ \t]*\n")
_COMMENT = re.compile(
    r"\\.|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|(?<![^\s\x00])#[^\x00\n]*|(?<=[\s;])//[ \t][^\x00\n]*"
)
_WHOLE_LINE = re.compile(r"\s*(?:;(?!;)|//)")
_DIRECTIVE = re.compile(r"#(?:SBATCH|PBS|FLUX|BSUB|PJM|COBALT)\b|#\$ |#flux:")
# JSON with comments: an object, a list of objects, or a comment in front of either.
_JSON = re.compile(r"\s*(?:\{\s*(?:[\"}/]|$)|\[\s*(?:[{\[/]|$)|/[/*])")
_IN_JSON = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*")
_BLOCK = re.compile(r"^[ \t]*/\*", re.MULTILINE)
_LETTER = re.compile(r"[^\n]")


def without_comments(text: str) -> str:
    """The text with comments blanked out.

    A scheduler's directives (#SBATCH ...) are no comments. Lines that go on with a backslash are
    joined.
    """
    text = _WENT_ON.sub(lambda found: JOINED * len(found[0]), text)
    if "/*" in text or "//" in text:
        text = _without_blocks(text)
    if not any(mark in text for mark in ("#", "//", ";")):
        return text
    return "\n".join(_blanked(line) for line in text.split("\n"))


def _without_blocks(text: str) -> str:
    """/* */ and // of JSON anywhere; elsewhere /* where a line begins, for * is a pattern, too."""
    in_json = _JSON.match(text) is not None
    parts: list[str] = []
    place = 0
    for found in (_IN_JSON if in_json else _BLOCK).finditer(text):
        if found.start() < place or found[0].startswith('"'):
            continue
        end = found.end()
        if found[0].endswith("/*"):
            close = text.find("*/", end)
            if close < 0 and not in_json:
                break
            end = close + 2 if close >= 0 else len(text)
        parts += [text[place : found.start()], _LETTER.sub(" ", text[found.start() : end])]
        place = end
    return "".join([*parts, text[place:]])


def _blanked(line: str) -> str:
    if "#" not in line and "//" not in line and ";" not in line:
        return line
    start = _DIRECTIVE.match(line)
    if start:
        return " " * start.end() + line[start.end() :]
    if _WHOLE_LINE.match(line):
        return " " * len(line)
    if "#" not in line and "//" not in line:
        return line
    parts: list[str] = []
    place = 0
    for found in _COMMENT.finditer(line):
        if found[0].startswith(("#", "//")):
            parts += [line[place : found.start()], " " * len(found[0])]
            place = found.end()
    return "".join([*parts, line[place:]])
