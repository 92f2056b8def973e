r"""Lines of a derivation: a formula each, with the reason beside it, as `align*`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from roofproof.export.latex.layout import LINE
from roofproof.export.latex.measure import width

_GAP = 2.5  # em between a formula and its reason
_LEFT = 5.5  # em that left-hand sides take together; one of them is a relative error
LEAST = 11.0  # em that a column of reasons takes at least


@dataclass(frozen=True, slots=True)
class Line:
    r"""`left sign right` and why: `right` may go over several rows; `because` is text, with `$...$` for formulas.

    >>> Line("I", "=", ("2B", "+ 2D"), "counted").formula
    'I = 2B + 2D'
    """

    left: str
    sign: str
    right: tuple[str, ...]
    because: str = ""

    @property
    def formula(self) -> str:
        """The whole formula on one line."""
        return f"{self.left} {self.sign} {' '.join(self.right)}".strip()


def room(left: str, line: float = LINE) -> float:
    """Return the width that the right-hand sides may take beside this left one and a column of reasons.

    >>> 15 < room("I") < 25
    True
    """
    return line - max(width(left), _LEFT) - _GAP - LEAST


def aligned(lines: Sequence[Line], line: float = LINE) -> str:
    r"""Return lines as `align*`, the reason of each beside it.

    >>> print(aligned([Line("I", "=", ("B",), "counted"), Line("", "", ("+ D",))]))
    \begin{align*}
      I &= B && \text{counted} \\
        &\quad + D
    \end{align*}
    """
    left = max(width(each.left) for each in lines)
    parts = [f"{each.sign} {part}" if i == 0 and each.sign else rf"\quad {part}" for each in lines
             for i, part in enumerate(each.right)]  # fmt: skip
    right = max(map(width, parts))
    free = max(line - left - right - _GAP, LEAST)
    rows = []
    for each in lines:
        reasons = wrapped(each.because, free)
        for i in range(max(len(each.right), len(reasons))):
            part = each.right[i] if i < len(each.right) else ""
            first = i == 0 and each.sign
            shown = f"&{each.sign} {part}" if first else rf"&\quad {part}" if part else "&"
            why = rf" && \text{{{reasons[i]}}}" if i < len(reasons) else ""
            rows.append(f"  {each.left} {shown}{why}" if i == 0 and each.left else f"    {shown}{why}")
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def wrapped(text: str, limit: float) -> list[str]:
    """Return text on lines no wider than a limit in em; formulas in it are not broken.

    >>> wrapped("2 FLOPs per multiply-add", 9)
    ['2 FLOPs per', 'multiply-add']
    """
    lines: list[str] = []
    for word, space in _words(text):
        joined = f"{lines[-1]}{space}{word}" if lines else word
        if lines and width(rf"\text{{{joined}}}") <= limit:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def _words(text: str) -> list[tuple[str, str]]:
    """Return the pieces between which a text may be broken, each with the blank before it: Chinese breaks anywhere."""
    found: list[tuple[str, str]] = []
    space = ""
    for piece in re.findall(r"\s+|(?:\$[^$]*\$|[^\s$\u2e80-\uffff])+|[\u2e80-\uffff]", text):
        if piece.isspace():
            space = " "
        elif found and not space and (piece in "，。；：、）" or found[-1][0][-1] in "（"):
            found[-1] = (found[-1][0] + piece, found[-1][1])
        else:
            found.append((piece, space))
            space = ""
    return found
