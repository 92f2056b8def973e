"""Formulas of slides: LaTeX made of what is known (`tex_of`) or was given (`given`), and of nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Protocol, TypeVar

from roofproof.proofs.known import Unwarranted

_SIGNS = re.compile(r"(?:\\text\{[^{}]*\}|\\[A-Za-z]+|\W)*")  # of mathematics, and words: no number and no name


class Warranted(Protocol):
    """What is known, and how: a `Known`, or rows, derivations and limits that hold some."""

    @property
    def trust(self) -> str: ...


Source = TypeVar("Source", bound=Warranted)


class Tex(str):
    r"""LaTeX of what is known or given; `+` sets signs and words beside it, and refuses a formula or a number.

    >>> given("B") + r" &> " + given("R")
    'B &> R'
    >>> given("B") + " > 240"
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: ' > 240' on a slide is not made of what is known
    """

    __slots__ = ()

    def __add__(self, other: str) -> Tex:
        return Tex(f"{self}{held(other)}")

    def __radd__(self, other: str) -> Tex:
        return Tex(f"{held(other)}{self}")


def tex_of(source: Source, show: Callable[[Source], str]) -> Tex:
    """Print what is known; nothing else is handed to a printer.

    >>> import sympy
    >>> from roofproof.proofs.provers.roofline import divided
    >>> tex_of(divided("I", sympy.Integer(3), sympy.Integer(4), {}), lambda known: str(known.statement.value))
    '3/4'

    Raises Unwarranted where nothing is known.
    """
    _ = source.trust
    return Tex(show(source))


def tex_lines(source: Source, show: Callable[[Source], Iterable[str]]) -> tuple[Tex, ...]:
    """Return the lines that a printer makes of what is known, as `tex_of` does."""
    _ = source.trust
    return tuple(map(Tex, show(source)))


def given(text: str) -> Tex:
    """Mark text that is given, not derived: a name, a size, a shape, a condition, or a formula that an author typed."""
    return Tex(text)


def listed(parts: Iterable[Tex], sign: str) -> Tex:
    """Return formulas with a sign between each two."""
    return reduce(lambda before, part: before + sign + part, parts)


def held(text: str) -> str:
    """Return a formula, or signs and words; raise Unwarranted for a number or a name that stands for itself."""
    if isinstance(text, Tex) or _SIGNS.fullmatch(text):
        return text
    raise Unwarranted(f"{text!r} on a slide is not made of what is known")
