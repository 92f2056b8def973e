"""Short texts in a figure: plain pieces and mathematics, set alike by TeX and by matplotlib, and how wide they get."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from unicodedata import category, east_asian_width
from unicodedata import name as sign_name

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain as plain_formula

FONT_SIZE = 9.0
"""Points, in a figure as wide as a 16:9 slide: an eighteenth of its height for two lines, legible from the back row."""
LINE_HEIGHT = 0.42
CM_PER_POINT = 2.54 / 72
LONGEST = 34  # characters of a name from outside; what is longer ends in an ellipsis


@dataclass(frozen=True, slots=True)
class Math:
    """A piece of mathematics: TeX that matplotlib reads too, the same in plain signs, and its width in ems.

    >>> power(10, 12)
    Math(tex='10^{12}', plain='10^12', ems=2.2)
    """

    tex: str
    plain: str
    ems: float


Text = tuple[str | Math, ...]


def symbol(name: sympy.Symbol | str) -> Math:
    """Return a dimension as a formula has it.

    >>> symbol("D").tex, symbol("d_k").tex
    ('D', 'd_k')
    """
    from roofproof.export.latex.expressions import symbol as as_tex

    return Math(as_tex(str(name)), str(name), 0.75 * len(str(name)))


def _powered(name: str, exponent: str = "") -> Math:
    base = symbol(name)
    return (
        Math(f"{base.tex}^{{{exponent}}}", f"{name}^{exponent}", base.ems + 0.45 * len(exponent)) if exponent else base
    )


def power(base: int, exponent: int) -> Math:
    """Return a power for an axis of numbers too large to write out."""
    return Math(f"{base}^{{{exponent}}}", f"{base}^{exponent}", 0.65 * len(str(base)) + 0.45 * len(str(exponent)))


def named(name: str, longest: int = LONGEST) -> str:
    r"""Return a name from outside on one line: cut where it is too long for a figure, pictures named in brackets.

    >>> named("two  words\nand more", longest=12), named("fast 🚀")
    ('two words a…', 'fast [rocket]')
    """
    text = " ".join("".join(map(_shown, name)).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _shown(sign: str) -> str:
    if category(sign) in ("So", "Sk", "Cs", "Co", "Cn"):
        return f"[{sign_name(sign, f'U+{ord(sign):04X}').lower()}]"
    return sign if sign.isprintable() else " "


def sizes_text(sizes: Mapping[str, int | str]) -> Text:
    """Return sizes for a label: D = F = 4096 where they are equal."""
    groups: dict[int | str, list[str]] = {}
    for name, size in sizes.items():
        groups.setdefault(size, []).append(name)
    out: list[str | Math] = []
    for size, names in groups.items():
        out.append(", " if out else "")
        for name in names:
            out += [symbol(name), " = "]
        out.append(f"{size}" if isinstance(size, int) else symbol(size))
    return tuple(p for p in out if p)


def in_brackets(sizes: Mapping[str, int | str]) -> Text:
    """Return the sizes that are numbers for the end of a title, nothing where there are none.

    >>> plain_signs(in_brackets({"F": 4096, "D": "B"})), in_brackets({"D": "B"})
    (' (F = 4096)', ())
    """
    numbers = {name: size for name, size in sizes.items() if isinstance(size, int)}
    return (" (", *sizes_text(numbers), ")") if numbers else ()


def conditions_text(assumed: Iterable[Boolean]) -> Text:
    """Return the assumptions of an operation for the end of a title, or nothing.

    >>> W, L = sympy.symbols("W L")
    >>> plain_signs(conditions_text([W <= 4*L])), conditions_text([])
    (' (W ≤ 4 L)', ())
    >>> [piece.tex for piece in conditions_text([2*W**2 <= L]) if isinstance(piece, Math)]
    ['W^{2}', 'L']
    """
    signs = {"<=": "≤", ">=": "≥", "**": "^", "*": " "}
    said = ", ".join(map(plain_formula, assumed))
    for sign, other in signs.items():
        said = said.replace(sign, other)
    split = re.split(r"\b([A-Za-z]\w*(?:\^\d+)?)", said)
    pieces = (_powered(*piece.split("^")) if n % 2 else piece for n, piece in enumerate(split))
    return (" (", *pieces, ")") if said else ()


def fitted(text: Text, room: float, points: float = FONT_SIZE * 1.12) -> Text:
    """Return a title that fits a room: cut, with an ellipsis, where it does not (bold letters are wider).

    >>> fitted(("matmul, dot, ", symbol("B")), 2.5)
    ('matmul, d', '…')
    >>> fitted(("int4[D,F…", " dot"), 2.4)                     # one ellipsis, where a name was cut before
    ('int4[D,F', '…')
    """
    if width(text, points) <= room:
        return text
    out = list(text)
    while out and width((*out, "…"), points) > room:
        last = out.pop()
        if isinstance(last, str) and (rest := last[:-1].rstrip(" (=,")):
            out.append(rest)
    if out and isinstance(out[-1], str):
        out[-1] = out[-1].rstrip("…")
    return (*out, "…")


def plain_signs(text: Text) -> str:
    """Return a text in plain signs.

    >>> plain_signs((symbol("B"), " > 240"))
    'B > 240'
    """
    return "".join(piece if isinstance(piece, str) else piece.plain for piece in text)


def width(text: Text, points: float = FONT_SIZE) -> float:
    """Return the width of a text in centimetres: no renderer's sans-serif face sets it wider.

    >>> width(("iiii",)) < width(("mmmm",)) < width(("算术强度",))
    True
    """
    ems = sum(sum(map(_em, piece)) if isinstance(piece, str) else piece.ems for piece in text)
    return ems * points * CM_PER_POINT


_EMS = {
    sign: ems
    for ems, signs in {
        0.34: " ", 0.36: "ijl.,:;'!", 0.42: "frt()[]-/", 0.86: "=<>+~^#|&OQG→∞≈≤≥×", 1.02: "mwMW@%—…",
    }.items()
    for sign in signs
}  # fmt: skip


def _em(sign: str) -> float:
    if east_asian_width(sign) in "WF":
        return 1.05
    return _EMS.get(sign, 0.76 if sign.isupper() or not sign.isascii() else 0.65)


def box(lines: tuple[Text, ...], points: float = FONT_SIZE) -> tuple[float, float]:
    """Return the width and the height of lines of text in centimetres."""
    return max(width(line, points) for line in lines), LINE_HEIGHT * len(lines) * points / FONT_SIZE
