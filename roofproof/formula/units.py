"""Units that may follow a number or a product: one table of words, which `/` joins, for all readers.

In a formula, a bare `B`, `s`, `b`, `J` or `W` is a symbol or refused. `GB`, `B/s`, `FLOP/B`, `byte`, `bit`, `ms`, `pJ`
and `hours` are units. Prefixes are exact: k M G T P E are powers of 1000, and Ki Mi Gi Ti Pi Ei are powers of 1024.
Case matters: B is byte and b is bit, and FLOPs is a count and FLOPS a rate.
"""

from __future__ import annotations

from collections import namedtuple
from fractions import Fraction
from functools import cache
from itertools import product

from roofproof.formula.magnitudes import BINARY, LARGE, WORDS, factor_of
from roofproof.sentences import Sentence, joined

Dimension = tuple[Fraction, ...]
"""Exponents of FLOP, byte, second and joule."""

NAMES = ("FLOP", "byte", "s", "J")

PLAIN, FLOP, BYTE, SECOND, JOULE = (
    tuple(map(Fraction, exponents))
    for exponents in ((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
)
LETTERS = frozenset({"B", "b", "s", "J", "W"})  # by themselves they are symbols
MEASURES = frozenset({"s", "J", "W"})  # those that are units after a number if nothing is named so
SPELLED = {"B": "bytes", "b": "bits", "s": "seconds", "h": "hours", "d": "days", "J": "joules", "W": "watts"}
LEAST_WORD = 3  # least letters of a word after a number that may count things
COUNTS = ("element", "parameter", "param", "token", "cycle", "request", "GPU")  # words that may also be names


def per(above: Dimension, below: Dimension) -> Dimension:
    """Return the dimension of a quotient.

    >>> dimension_text(per(FLOP, BYTE))
    'FLOP/byte'
    """
    return tuple(a - b for a, b in zip(above, below, strict=True))


def dimension_text(dimension: Dimension) -> str:
    """Return a dimension in words.

    >>> dimension_text(per(BYTE, SECOND)), dimension_text(PLAIN), dimension_text(per(PLAIN, SECOND))
    ('byte/s', 'a plain number', '1/s')
    """
    above: list[str] = []
    below: list[str] = []
    for unit, exponent in zip(NAMES, dimension, strict=True):
        if exponent:
            size = abs(exponent)
            power = "" if size == 1 else f"^{size}" if size.denominator == 1 else f"^({size})"
            (above if exponent > 0 else below).append(unit + power)
    if not above and not below:
        return Sentence("a plain number")
    bottom = " ".join(below) if len(below) < 2 else f"({' '.join(below)})"
    return (" ".join(above) or "1") + (f"/{bottom}" if below else "")


class Unit(namedtuple("Unit", ("text", "factor", "dimension"))):
    """A unit as written, with its factor and dimension in FLOP, byte, second and joule.

    >>> unit = unit_of("GB/s")
    >>> unit.text, unit.factor, dimension_text(unit.dimension)
    ('GB/s', Fraction(1000000000, 1), 'byte/s')
    """

    __slots__ = ()
    text: str
    factor: Fraction
    dimension: Dimension


_ALONE = ("",)
_LARGE = ("", *LARGE)
_SIZED = (*_LARGE, *BINARY)
_SMALL = ("", "m", "u", "n", "p")
_TABLE: tuple[tuple[str, Fraction | int, Dimension, tuple[str, ...]], ...] = (  # words, factor, dimension, prefixes
    ("%", Fraction(1, 100), PLAIN, _ALONE),
    ("element elements parameter parameters param params token tokens cycle cycles", 1, PLAIN, _LARGE),
    ("request requests GPU GPUs", 1, PLAIN, _ALONE),
    ("B byte bytes Byte Bytes", 1, BYTE, _SIZED),
    ("b bit bits", Fraction(1, 8), BYTE, _SIZED),
    ("bps", Fraction(1, 8), per(BYTE, SECOND), tuple(LARGE)),  # without a prefix it may be a name
    ("Bps", 1, per(BYTE, SECOND), tuple(LARGE)),
    ("FLOP FLOPs OP OPs", 1, FLOP, _LARGE),
    ("multiply-add", 2, FLOP, _ALONE),
    ("FLOPS OPS", 1, per(FLOP, SECOND), _LARGE),
    ("Hz", 1, per(PLAIN, SECOND), _LARGE),
    ("J joule joules", 1, JOULE, (*_LARGE, *_SMALL[1:], "f")),
    ("W watt watts", 1, per(JOULE, SECOND), (*_LARGE, *_SMALL[1:])),
    ("hertz", 1, per(PLAIN, SECOND), ("", *WORDS)),
    ("Wh", 3_600, JOULE, (*_LARGE, "m")),
    ("s", 1, SECOND, (*_SMALL, "µ", "μ")),
    ("minute minutes min", 60, SECOND, _ALONE),
    ("hour hours", 3_600, SECOND, _ALONE),
    ("day days", 86_400, SECOND, _ALONE),
    ("second seconds", 1, SECOND, ("", *WORDS)),
    ("byte bytes", 1, BYTE, tuple(WORDS)),
    ("bit bits", Fraction(1, 8), BYTE, tuple(WORDS)),
    ("秒 秒钟", 1, SECOND, ("", "毫", "微", "纳")),
    ("字节", 1, BYTE, ("", "千", "兆", "吉")),
    ("比特", Fraction(1, 8), BYTE, ("", "千", "兆", "吉")),
)
_WORDS = {  # every word of a unit, including letters that are one only in `B/s`
    prefix + word: (factor_of(prefix) * size, dimension)
    for spellings, size, dimension, prefixes in _TABLE
    for word in spellings.split()
    for prefix in prefixes
}


@cache
def unit_of(text: str, *, letters: bool = False, counts: frozenset[str] = frozenset()) -> Unit | None:
    """Return the unit of a spelling such as `GB`, `FLOP/B` or `TFLOP/s/W`, or None for anything else.

    >>> unit_of("TFLOP/TB").factor, unit_of("B"), unit_of("B/s").factor, unit_of("FLOP/bit").factor
    (Fraction(1, 1), None, Fraction(1, 1), Fraction(8, 1))
    >>> unit_of("B", letters=True).factor, unit_of("J/B", letters=True).factor    # if nothing is named so
    (Fraction(1, 1), Fraction(1, 1))
    >>> unit_of("rows/s"), dimension_text(unit_of("rows/s", counts=frozenset({"rows"})).dimension)
    (None, '1/s')
    """
    first, *rest = text.split("/")
    table = {**_WORDS, **{word: (_transfers(word), PLAIN) for word in counts}} if counts else _WORDS
    if any(word not in table for word in (first, *rest)) or (rest and "%" in text):
        return None
    if first in LETTERS and not letters and text != "B/s" and not any(map(is_word, rest)):
        return None
    factor, dimension = table[first]
    for word in rest:
        below, kind = table[word]
        factor, dimension = factor / below, per(dimension, kind)
    return Unit(text, factor, dimension)


def is_counted(word: str) -> bool:
    """Return whether a word may count things: `rows`, `images`, and `GT` for 10^9 transfers.

    >>> is_counted("rows"), is_counted("GT"), is_counted("BW"), is_counted("x_1")
    (True, True, False, False)
    """
    return (len(word) >= LEAST_WORD and word.isalpha() and not word.isupper()) or _transfers(word) > 1


def _transfers(word: str) -> Fraction:
    return factor_of(word[0]) if word[1:] == "T" and word[0] in LARGE else Fraction(1)


def letter_unit(letter: str) -> Unit | None:
    """Return the unit of a letter after a number if nothing is named so: seconds, joules or watts.

    >>> letter_unit("s").factor, letter_unit("B")              # 2 B is twice a batch
    (Fraction(1, 1), None)
    """
    return Unit(letter, *_WORDS[letter]) if letter in MEASURES else None


def counted_by(word: str) -> str:
    """Return the thing that a unit counts, or an empty string if it counts none.

    >>> counted_by("tokens"), counted_by("Mparams"), counted_by("GB")
    ('token', 'parameter', '')
    """
    one = word.removesuffix("s")
    found = next((name for name in COUNTS if one.endswith(name)), "") if word in _WORDS else ""
    return "parameter" if found == "param" else found


def is_word(word: str) -> bool:
    """Return whether a word can only be a unit, never a name: a prefix and a unit, `byte`, `FLOP`, and the like.

    >>> is_word("GB"), is_word("byte"), is_word("B"), is_word("tokens")
    (True, True, False, False)
    """
    return word in _WORDS and word not in LETTERS and word.removesuffix("s") not in COUNTS


def is_prefixed(word: str) -> bool:
    """Return whether a word is a unit with a prefix, which is never a name.

    >>> is_prefixed("GB"), is_prefixed("byte"), is_prefixed("tokens"), is_prefixed("Mtokens")
    (True, False, False, True)
    """
    plain = {each for words, *_ in _TABLE for each in words.split()}
    return word in _WORDS and word not in plain


def is_unit(word: str) -> bool:
    """Return whether a word is a unit or counts things, such as seconds and tokens, unless it is used as a name.

    >>> is_unit("GB"), is_unit("tokens"), is_unit("s")
    (True, True, False)
    """
    return is_word(word) or word.removesuffix("s") in COUNTS


@cache
def units() -> dict[str, Unit]:
    """Return the units by spelling: those of one word, FLOPs and bytes per second, and FLOPs per byte.

    >>> units()["Gbit/s"].factor                      # 10^9 bits of 1/8 byte
    Fraction(125000000, 1)
    >>> units()["%"].factor, "B" in units(), "s" in units()
    (Fraction(1, 100), False, False)
    """
    words = [word for word in _WORDS if "-" not in word and max(word) < "\u3400"]
    found = {word: unit for word in words if (unit := unit_of(word)) is not None}
    for word, (_, dimension) in ((word, _WORDS[word]) for word in words):
        below = ["s", "ms", "us"] if dimension in (FLOP, BYTE) else []
        below += ["B", "byte", "bytes"] if dimension == FLOP else []
        for text in (f"{word}/{b}" for b in below):
            if (unit := unit_of(text)) is not None:
                found[text] = unit
    return found


_SHORT = {
    "sec": ("seconds",), "secs": ("seconds",), "mins": ("minutes",), "hr": ("hours",), "hrs": ("hours",),
    "msec": ("ms",), "usec": ("us",), "nsec": ("ns",), "KB": ("kB", "KiB"),
    "word": (Sentence("bytes, as in a word"),), "words": (Sentence("bytes, as in a word"),),
}  # fmt: skip
_LEAST_MISSPELT = 4  # letters


@cache
def _by_small_letters() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in sorted(units()):
        if (len(text) > 2 or text[-1] == "B") and not text.endswith("b"):
            found.setdefault(text.lower(), []).append(text)
    return found


@cache
def _misspelt() -> dict[str, str]:
    """Return a mapping from misspellings, with letters exchanged, left out or doubled, to the units of the table."""
    found: dict[str, str] = {}
    for word in (word for words, *_ in _TABLE for word in words.split() if is_word(word) and word.isascii()):
        for k in range(1, len(word)):
            exchanged = word[:k] + word[k : k + 2][::-1] + word[k + 2 :]
            for written in (exchanged, word[:k] + word[k + 1 :], word[:k] + word[k] + word[k:]):
                if min(len(written), len(word)) >= _LEAST_MISSPELT and written not in _WORDS:
                    found.setdefault(written, word)
    return found


def _near(word: str) -> tuple[str, ...]:
    """Return the units that one word may mean. A word that is a unit means itself."""
    one = word.removesuffix("s")
    if word in _WORDS:
        return (word,)
    if found := _SHORT.get(word) or ((one,) if is_word(one) else ()):
        return found
    return tuple(_by_small_letters().get(word.lower(), ())) or tuple(filter(None, [_misspelt().get(word)]))


def near_unit(text: str) -> str | None:
    """Return the units that a word after a number may mean, or None.

    >>> near_unit("KB"), near_unit("gflops"), near_unit("BD")
    ('kB or KiB', 'GFLOPS or GFLOPs', None)
    >>> near_unit("GBs"), near_unit("words"), near_unit("btye"), near_unit("KB/sec")
    ('GB', 'bytes, as in a word', 'byte', 'kB/seconds or KiB/seconds')
    """
    if unit_of(text) or text in LETTERS:
        return None
    return joined("<first> or <second>", map("/".join, product(*map(_near, text.split("/"))))) or None
