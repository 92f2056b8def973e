"""Short texts in plots (names, sizes, conditions, rates of chips), and their widths.

Widths are estimated from the number of characters, so that no fonts are needed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from unicodedata import category, east_asian_width
from unicodedata import name as sign_name

from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain as plain_formula
from roofproof.export.plots.model import TIGHT, Math, Text
from roofproof.formula.magnitudes import LARGE

LONGEST = 120  # characters of a name from outside (a longer one ends in an ellipsis)
NO_FONT = ("So", "Sk", "Cs", "Co", "Cn")  # Unicode categories that fonts lack
EQUALS = f"{TIGHT}={TIGHT}"
FONT_SIZE = 9.0
"""Points, in a figure as wide as a 16:9 slide: legible from the back row."""
CM_PER_POINT = 2.54 / 72
LINE = 0.42

_SIGN = 0.62 * FONT_SIZE * CM_PER_POINT
_LONGEST = 21  # characters of a word (a longer one is broken)
_WORDS = re.compile("[\u3000-\u9fff\uff00-\uffef][，。：；）]*| *[^ \u3000-\u9fff\uff00-\uffef]+| +")


def named(name: str, longest: int = LONGEST) -> str:
    r"""Return a name from outside on one line, with the Unicode names of characters that no font has in brackets.

    >>> named("two  words\nand more", longest=12), named("fast 🚀")
    ('two words a…', 'fast [rocket]')
    """
    spelled = (f"[{_called(sign)}]" if category(sign) in NO_FONT else sign for sign in name)
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in spelled).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _called(sign: str) -> str:
    return sign_name(sign, f"U+{ord(sign):04X}").lower()


def sizes_text(sizes: Mapping[str, int | str]) -> Text:
    """Return sizes for a label, with equal sizes in one chain.

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
    """Return the sizes that are numbers in brackets, for the end of a title, or nothing if there are none.

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
    for sign, other in {"<=": "≤", ">=": "≥", "*": " "}.items():
        said = said.replace(sign, other)
    split = re.split(r"\b([A-Za-z]\w*(?:\^\d+)?)", said)
    return (" (", *(Math(piece) if n % 2 else piece for n, piece in enumerate(split)), ")") if said else ()


def prefixed(high: float) -> tuple[float, str]:
    """Return the factor and the symbol of the unit prefix that suits a number.

    >>> prefixed(1.97e14)
    (1000000000000.0, 'T')
    """
    return next(((10.0**ten, sign) for sign, ten in reversed(LARGE.items()) if high >= 10**ten), (1.0, ""))


def amount(value: float, unit: str) -> str:
    """Return a number with its unit and a suitable prefix.

    >>> amount(1.97e14, "FLOP/s"), amount(8.19e11, "B/s")
    ('197 TFLOP/s', '819 GB/s')
    """
    factor, sign = prefixed(value)
    return f"{value / factor:.4g} {sign}{unit}"


def size(lines: Sequence[Text]) -> tuple[float, float]:
    """Return the approximate width and height of lines of text, in centimetres.

    >>> size((("iiii",),))[0] < size((("算术强度",),))[0]
    True
    """
    return max((_width(line) for line in lines), default=0.0), LINE * len(lines)


def _width(text: Text) -> float:
    signs = "".join(re.sub(r"\^\{?(\w+)", r"\1", piece) if isinstance(piece, Math) else piece for piece in text)
    return sum(1.65 if east_asian_width(sign) in "WF" else 1.0 for sign in signs) * _SIGN


def wrapped(text: Text, room: float) -> tuple[Text, ...]:
    """Return a text as lines, broken at spaces, or between Chinese characters if a word is too long for one line.

    >>> wrapped(("two words",), 1.5), wrapped(("3.35 TB/s, 临界强度",), 3.0)
    ((('two',), ('words',)), (('3.35', ' TB/s,'), ('临', '界', '强', '度')))
    """
    lines: list[list[str]] = [[]]
    for chunk in _together(text, room):
        if lines[-1] and _width((*lines[-1], *chunk)) > room:
            lines.append([chunk[0].lstrip(" ") if chunk[0][0] == " " else chunk[0], *chunk[1:]])
        else:
            lines[-1] += chunk
    return tuple(tuple(piece if isinstance(piece, Math) else piece.replace(TIGHT, " ") for piece in line if piece)
                 for line in lines if line)  # fmt: skip


def _together(text: Text, room: float) -> Iterator[list[str]]:
    """Yield the words between spaces, or the chunks of a word that is too long for one line."""
    words: list[list[list[str]]] = []
    for chunk in _chunks(text):
        if words and (isinstance(chunk[0], Math) or chunk[0][0] != " "):
            words[-1].append(chunk)
        else:
            words.append([chunk])
    for word in words:
        whole = [piece for chunk in word for piece in chunk]
        yield from [whole] if _width((*whole,)) <= room else word


def _chunks(text: Text) -> list[list[str]]:
    """Return the parts of a text that stay together."""
    out: list[list[str]] = []
    for piece in text:
        for word in [piece] if isinstance(piece, Math) else _WORDS.findall(piece):
            loose = not isinstance(word, Math) and (word[0] == " " or _is_wide(word[0]))
            if out and not loose:
                out[-1].append(word)
            else:
                short = len(word) <= _LONGEST
                out += [[word]] if short else [[word[k : k + _LONGEST]] for k in range(0, len(word), _LONGEST)]
    return out


def _is_wide(sign: str) -> bool:
    return east_asian_width(sign) in "WF"
