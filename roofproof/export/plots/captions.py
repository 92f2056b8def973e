"""Short texts of figures: names, sizes, conditions, and figures of chips with their units."""

import re
from collections.abc import Iterable, Mapping
from unicodedata import category
from unicodedata import name as sign_name

from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain as plain_formula
from roofproof.export.plots.figure import TIGHT, Math, Text
from roofproof.formula.magnitudes import LARGE

LONGEST = 120  # characters of a name from outside; a longer one ends in an ellipsis
EQUALS = f"{TIGHT}={TIGHT}"


def named(name: str, longest: int = LONGEST) -> str:
    r"""Return a name from outside on one line, signs that no font has by their names in brackets.

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
    """Return sizes for a label, equal ones together.

    >>> "".join(sizes_text({"B": 1, "D": 4096, "F": 4096})).replace(TIGHT, " ")
    'B = 1, D = F = 4096'
    """
    groups: dict[int | str, list[str]] = {}
    for name, size in sizes.items():
        groups.setdefault(size, []).append(name)
    out: list[str] = []
    for size, names in groups.items():
        out += [", "] if out else []
        out += [piece for name in names for piece in (Math(name), EQUALS)]
        out.append(str(size) if isinstance(size, int) else Math(size))
    return tuple(out)


def in_brackets(sizes: Mapping[str, int | str]) -> Text:
    """Return the sizes that are numbers for the end of a title, nothing without any.

    >>> in_brackets({"F": 4096, "D": "B"})[1:3], in_brackets({"D": "B"})
    (('F', '\\xa0=\\xa0'), ())
    """
    numbers = {name: size for name, size in sizes.items() if isinstance(size, int)}
    return (" (", *sizes_text(numbers), ")") if numbers else ()


def conditions_text(assumed: Iterable[Boolean]) -> Text:
    """Return the assumptions of an operation for the end of a title, or nothing.

    >>> import sympy
    >>> W, L = sympy.symbols("W L")
    >>> "".join(conditions_text([2*W**2 <= L])), conditions_text([])
    (' (2 W^2 ≤ L)', ())
    """
    said = ", ".join(map(plain_formula, assumed))
    for sign, other in {"<=": "≤", ">=": "≥", "**": "^", "*": " "}.items():
        said = said.replace(sign, other)
    split = re.split(r"\b([A-Za-z]\w*(?:\^\d+)?)", said)
    return (" (", *(Math(piece) if n % 2 else piece for n, piece in enumerate(split)), ")") if said else ()


def prefixed(high: float) -> tuple[float, str]:
    """Return the prefix that suits a figure, with its factor.

    >>> prefixed(1.97e14)
    (1000000000000.0, 'T')
    """
    return next(((10.0**ten, sign) for sign, ten in reversed(LARGE.items()) if high >= 10**ten), (1.0, ""))


def amount(value: float, unit: str) -> str:
    """Return a figure with its unit and the prefix that suits it.

    >>> amount(1.97e14, "FLOP/s"), amount(8.19e11, "B/s")
    ('197 TFLOP/s', '819 GB/s')
    """
    factor, sign = prefixed(value)
    return f"{value / factor:.4g} {sign}{unit}"
