r"""LaTeX that looks like a product of letters and is none: functions, units, transposes, derivatives, mixed numbers."""

import re
from collections.abc import Collection
from typing import Any

from pylatexenc.latexwalker import LatexGroupNode

from roofproof.errors import quoted
from roofproof.ops.notation.arithmetic import error_at

_NO_PRODUCT = re.compile(
    r"(?<![A-Za-z])(?P<function>sin|cos|tan|exp|log|ln|lim|mod)(?![A-Za-z])|(?<![A-Za-z])(?P<of>max|min)(?![A-Za-z]|\s*\()"
    r"|(?<=[0-9])(?P<unit>[kMGTPE]i?B(?:ps)?|[kMGT]b|[kK]|[mun]s)(?![A-Za-z])"
    r"|(?<=[0-9])\s+(?P<apart>[kMGTPE]i?B(?:ps)?|[mun]s|[kMGTPE](?:FLOP|OP)[sS]?)(?![A-Za-z])"
)
_AFTER_NUMBER = re.compile(r"[0-9]\}?(?:\s|~|\\[ ,;:!]|\{\})+\Z|[0-9]\}\Z")
_TRANSPOSED = re.compile(r"[A-Za-z)]\s*\^\s*T(?![A-Za-z_])")
NOT_VALUES = {
    "sim": r"<macro> may be 'about' or 'grows like'; write '\approx' for about",
    "in": "<macro> is about sets; expected a formula of numbers",
    "propto": "<macro> leaves a factor open; expected an equation",
    "cdots": "<macro> leaves terms out; write them all",
    "dots": "<macro> leaves terms out; write them all",
    "ldots": "<macro> leaves terms out; write them all",
}


def refuse_words(source: str, text: str, start: int, declared: Collection[str]) -> None:
    """Refuse letters that are no product: the name of a function, a unit or a thousand after a number."""
    before = _AFTER_NUMBER.search(source[:start])
    shift = 2 if before else 0  # 16\,GB: the number stands in another node
    for found in _NO_PRODUCT.finditer("1 " * bool(before) + text):
        named = found["function"] or found["of"]
        word = named or found["unit"] or found["apart"]
        if not set(word) <= set(declared):
            said = "<what> is no product of letters; a unit or a factor is left out here"
            said = "<what> is no product of letters; a function is written '\\<word>'" if named else said
            at = start - shift + found.end() - len(found[0].lstrip())
            raise error_at(at, said, what=quoted(found[0].lstrip()), word=word)


def refuse_transpose(text: str, start: int, declared: Collection[str]) -> None:
    """Refuse `K^T`, which may be a transpose, unless T is declared."""
    if (found := _TRANSPOSED.search(text)) and "T" not in declared:
        raise error_at(start + found.start(), "'^T' may be a transpose or a power; write '^{1 T}' for the power")


def refuse_mixed(before: str, fraction: str, start: int) -> None:
    r"""Refuse `3\frac{1}{2}`, on paper three and a half, and a product in the notation of the grammar."""
    parts = re.fullmatch(r"\\[a-z]*frac\s*\{?(\d+)\}?\s*\{?(\d+)\}?\s*", fraction)
    if parts and re.fullmatch(r"\d+", before):
        number = quoted(f"{before} {parts[1]}/{parts[2]}")
        raise error_at(start, "<number> has two readings; write a sum or a product", number=number)


def differential(argument: Any, after: str = r"\s*[A-Za-z]") -> bool:
    """Tell whether an argument is `dL`: a d and one name."""
    inside = argument.nodelist if isinstance(argument, LatexGroupNode) else [argument]
    return len(inside) == 1 and re.fullmatch(rf"\s*d{after}\s*", getattr(inside[0], "chars", "")) is not None
