"""Sizes of dimensions as text: `D=4096,F=4096`."""

from __future__ import annotations

from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False  # importing typing slows the start of short commands
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_DIGITS = 30


def sizes_from(given: Sequence[str], ties: bool = False) -> dict[str, Any]:
    """Parse `D=4096,F=8k` from one or several `--at` options. Every size is a positive integer.

    >>> sizes_from(["D=4096,F=D"], ties=True)                  # a size equal to another, after the numbers
    {'D': 4096, 'F': 'D'}
    >>> sizes_from(["B=8k, N=8Ki, P=2^20, T=1.5e6, V=2,000,000"])
    {'B': 8000, 'N': 8192, 'P': 1048576, 'T': 1500000, 'V': 2000000}
    """
    sizes: dict[str, int] = {}
    tied: dict[str, str] = {}
    for part in (p for text in given for p in _parts(text)):
        name, _, size = (p.strip() for p in part.partition("="))
        tie = ties and name and size.isascii() and size.isidentifier()
        if name in sizes or name in tied:
            raise RoofproofError("size of <name> is given twice", name=name)
        if tie:
            tied[name] = size
        else:
            sizes[name] = _positive_integer(name, size, part)
    return {**sizes, **tied}


def _parts(text: str) -> list[str]:
    """Return the parts of a text between commas, keeping `2,000,000` together."""
    parts: list[str] = []
    for part in (p.strip() for p in text.split(",")):
        before = parts[-1].partition("=")[2].strip() if parts else ""
        if len(part) == 3 and part.isdigit() and before[:1] not in ("", "0") and _is_grouped(before):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts


def _is_grouped(number: str) -> bool:
    first, *rest = number.split(",")
    return first.isdigit() and len(first) <= 3 and all(len(group) == 3 for group in rest)


def _positive_integer(name: str, size: str, part: str) -> int:
    """Return a size as a positive integer, from digits, digits in groups of three, or a short form such as `8k`."""
    digits = size.replace(",", "") if _is_grouped(size) else size
    plain = digits.isascii() and digits.isdigit()
    number = int(digits[: MAX_DIGITS + 1]) if plain else _for_short(size, part) if size else None
    count = len(digits) if plain else len(str(number))
    if number is not None and count > MAX_DIGITS:
        said = "size <part> has <count> digits; the limit is <most>"
        raise RoofproofError(said, part=quoted(part), count=count, most=MAX_DIGITS)
    if part.count("=") > 1:
        raise RoofproofError("sizes <part>: put commas between them, such as D=4096,F=4096", part=quoted(part))
    if not name or not number:
        raise RoofproofError("size <part>: expected NAME=POSITIVE INTEGER, such as D=4096", part=quoted(part))
    return number


def _for_short(size: str, part: str) -> int | None:
    """Return the integer for a short form such as `8k`, `8Ki`, `1e6` or `2^20`, or None for anything else."""
    import re

    from roofproof.formula.conditions import constant
    from roofproof.formula.magnitudes import BINARY, LARGE, factor_of
    from roofproof.formula.reader import read_value

    factor = 1
    if found := re.fullmatch(r"([0-9.]+)\s*([A-Za-z]+)", size):
        size, prefix = found.groups()
        if prefix == "K":
            raise RoofproofError(
                "size <part>: write <size>k (thousands) or <size>Ki (1024)", part=quoted(part), size=size
            )
        if prefix not in LARGE and prefix not in BINARY:
            return None
        factor = int(factor_of(prefix))
    try:
        number = constant(read_value(size))
    except RoofproofError:
        return None
    whole = None if number is None else number * factor
    return int(whole) if whole is not None and whole.denominator == 1 and whole > 0 else None
