"""Sizes of dimensions as text: `D=4096,F=4096`."""

from __future__ import annotations

from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_DIGITS = 30


def sizes_from(given: Sequence[str], ties: bool = False) -> dict[str, Any]:
    """Read `D=4096,F=4096`, from one `--at` or several; every size a positive integer.

    >>> sizes_from(["D=4096,F=D"], ties=True)                  # a size equal to another, after the numbers
    {'D': 4096, 'F': 'D'}
    """
    sizes: dict[str, int] = {}
    tied: dict[str, str] = {}
    for part in (p.strip() for text in given for p in text.split(",")):
        name, _, size = (p.strip() for p in part.partition("="))
        tie = ties and name and size.isascii() and size.isidentifier()
        digits = size.isascii() and size.isdigit()
        if digits and len(size) > MAX_DIGITS:
            raise RoofproofError(
                "size <part> has <count> digits; at most <most> are read",
                part=quoted(part),
                count=len(size),
                most=MAX_DIGITS,
            )
        if not tie and (not name or not digits or int(size) == 0):
            raise RoofproofError("size <part>: expected NAME=POSITIVE INTEGER, such as D=4096", part=quoted(part))
        if name in sizes or name in tied:
            raise RoofproofError("size of <name> is given twice", name=name)
        if tie:
            tied[name] = size
        else:
            sizes[name] = int(size)
    return {**sizes, **tied}
