"""LaTeX as MathML: the small part of LaTeX in which our formulas are written.

Browsers draw MathML themselves, so a page needs no mathematics library. An unknown command raises
:class:`ValueError`; ``mathml`` then shows the LaTeX as it is written.
"""

from __future__ import annotations

import re
from html import escape

from netdesign.app.html import Markup, tag

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|[a-zA-Z]|\s+|.", re.DOTALL)

SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε",
    "eta": "η", "theta": "θ", "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω", "Phi": "Φ", "Gamma": "Γ", "ell": "ℓ",
    "infty": "∞", "kappa": "κ", "zeta": "ζ", "xi": "ξ", "iota": "ι", "Lambda": "Λ", "Pi": "Π",
    "Theta": "Θ", "Psi": "Ψ", "partial": "∂",
}  # fmt: skip
OPERATORS = {
    "cdot": "·", "times": "×", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠",
    "neq": "≠", "approx": "≈", "pm": "±", "to": "→", "rightarrow": "→", "in": "∈", "sum": "∑",
    "prod": "∏", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "mid": "|",
    "ldots": "…", "dots": "…", "cdots": "⋯", "div": "÷", "sim": "∼", "propto": "∝", "langle": "⟨",
    "rangle": "⟩", "lvert": "|", "rvert": "|", "lbrace": "{", "rbrace": "}", "cap": "∩",
    "cup": "∪", "ll": "≪", "gg": "≫", "Rightarrow": "⇒", "equiv": "≡", "oplus": "⊕",
}  # fmt: skip
FUNCTIONS = ("max", "min", "log", "ln", "exp", "sin", "cos", "gcd", "lcm", "mod", "bmod", "Pr")
TEXTS = ("text", "mathrm", "operatorname", "textrm", "mathit", "mathbf", "texttt", "mathsf")
SPACES = {"quad": "1em", "qquad": "2em", ",": "0.17em", ";": "0.28em", ":": "0.22em", " ": "0.25em"}
NOTHING = {"!", "displaystyle", "textstyle", "limits", "nolimits", "big", "Big", "bigl", "bigr",
           "Bigl", "Bigr", "bigg", "Bigg", "left", "right"}  # fmt: skip


def mathml(latex: str) -> Markup:
    """An equation as HTML: MathML, or the LaTeX itself where it goes beyond ours."""
    try:
        body = _Reader(latex).whole()
    except (ValueError, IndexError):
        return tag("code", latex)
    return Markup(f'<math display="block" aria-label="{escape(latex)}">{body}</math>')


class _Reader:
    """A reader of tokens that writes MathML."""

    def __init__(self, latex: str) -> None:
        self._tokens = _TOKEN.findall(latex)
        self._at = 0

    def whole(self) -> str:
        rows = self._rows(("",))
        return rows

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _row(self, ends: tuple[str, ...]) -> str:
        parts: list[str] = []
        while self._peek() not in ends:
            if not self._peek():
                raise ValueError("the equation ends too early")
            atom = self._atom()
            if atom:
                parts.append(self._scripts(atom))
        return f"<mrow>{''.join(parts)}</mrow>"

    def _rows(self, ends: tuple[str, ...]) -> str:
        """Lines and columns of ``\\\\`` and ``&``, or a single row without them."""
        stops = (*ends, "\\\\", "&")
        lines = [[self._row(stops)]]
        while self._peek() not in ends:
            stop = self._next()
            cell = self._row(stops)
            if stop == "&":
                lines[-1].append(cell)
            else:
                lines.append([cell])
        if len(lines) == 1 and len(lines[0]) == 1:
            return lines[0][0]
        body = "".join(
            "<mtr>" + "".join(f"<mtd>{cell}</mtd>" for cell in line) + "</mtr>" for line in lines
        )
        return f'<mtable columnalign="left" displaystyle="true">{body}</mtable>'

    def _scripts(self, base: str) -> str:
        below = above = None
        while self._peek().strip() == "" and self._peek():
            self._next()
        while self._peek() in ("_", "^", "'"):
            mark = self._next()
            if mark == "'":
                above = "<mo>′</mo>"
            elif mark == "_":
                below = self._argument()
            else:
                above = self._argument()
        if below is None and above is None:
            return base
        wide = base in _WIDE
        if below is not None and above is not None:
            name = "munderover" if wide else "msubsup"
            return f"<{name}>{base}{below}{above}</{name}>"
        if below is not None:
            name = "munder" if wide else "msub"
            return f"<{name}>{base}{below}</{name}>"
        name = "mover" if wide else "msup"
        return f"<{name}>{base}{above}</{name}>"

    def _argument(self) -> str:
        while self._peek().isspace():
            self._next()
        if self._peek() == "{":
            self._next()
            row = self._row(("}",))
            self._next()
            return row
        return self._atom()

    def _atom(self) -> str:
        token = self._next()
        if token.isspace():
            return ""
        if token == "{":
            row = self._row(("}",))
            self._next()
            return row
        if token.startswith("\\"):
            return self._command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in "}&":
            raise ValueError(f"{token} stands alone")
        return f"<mo>{escape('−' if token == '-' else token)}</mo>"

    def _command(self, name: str) -> str:
        if name in SYMBOLS:
            return f"<mi>{SYMBOLS[name]}</mi>"
        if name in OPERATORS:
            return f"<mo>{escape(OPERATORS[name])}</mo>"
        if name in FUNCTIONS:
            return f"<mi>{name.removeprefix('b')}</mi>" if name != "bmod" else "<mo>mod</mo>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in TEXTS:
            return f"<mtext>{escape(self._raw())}</mtext>"
        if name in ("frac", "tfrac", "dfrac"):
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self._argument()}</msqrt>"
        if name in ("hat", "bar", "tilde", "overline"):
            mark = {"hat": "^", "tilde": "~"}.get(name, "¯")
            return f"<mover>{self._argument()}<mo>{mark}</mo></mover>"
        if name == "begin":
            return self._environment()
        if name in NOTHING:
            return self._delimiter(name)
        if name in ("%", "$", "#", "&", "_", "{", "}", "|"):
            return f"<mo>{escape(name)}</mo>"
        raise ValueError(f"\\{name} is not known")

    def _delimiter(self, name: str) -> str:
        """What ``\\left`` and ``\\right`` leave: their bracket, which grows; ``.`` is none."""
        if name in ("left", "right") and self._peek() == ".":
            self._next()
        return ""

    def _environment(self) -> str:
        name = self._raw()
        if name not in ("cases", "aligned", "array", "matrix"):
            raise ValueError(f"{name} is not known")
        if name == "array":
            self._raw()
        rows = self._rows(("\\end",))
        self._next()
        self._raw()
        return f"<mo>{{</mo>{rows}" if name == "cases" else rows

    def _raw(self) -> str:
        """The text between two braces, as it is written."""
        while self._peek().isspace():
            self._next()
        if self._next() != "{":
            raise ValueError("a brace is missing")
        parts: list[str] = []
        while self._peek() != "}":
            if not self._peek():
                raise ValueError("a brace is missing")
            parts.append(self._next())
        self._next()
        return "".join(parts).replace("\\_", "_").replace("\\ ", " ")


_WIDE = {"<mi>max</mi>", "<mi>min</mi>", "<mo>∑</mo>", "<mo>∏</mo>"}
