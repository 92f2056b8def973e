"""Formulas of slides: LaTeX made only of proved statements (`tex_of`) or given text (`input_tex`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Protocol, TypeVar

from roofproof.proofs.known import Unwarranted

_SIGNS = re.compile(r"(?:\\text\{[^{}]*\}|\\[A-Za-z]+|\W)*")  # mathematical signs and words, but no number and no name


class Warranted(Protocol):
    """A statement with its trust: a `Known`, or a row, derivation or limit that contains some."""

    @property
    def trust(self) -> str: ...


Source = TypeVar("Source", bound=Warranted)


class Tex(str):
    r"""LaTeX of a known or given formula. `+` adds signs and words, but rejects names and numbers.

    >>> input_tex("B") + r" &> " + input_tex("R")
    'B &> R'
    >>> input_tex("B") + " > 240"
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: ' > 240' on a slide is not made of what is known
    """

    __slots__ = ()

    def __add__(self, other: str) -> Tex:
        return Tex(f"{self}{check_tex(other)}")

    def __radd__(self, other: str) -> Tex:
        return Tex(f"{check_tex(other)}{self}")


def tex_of(source: Source, show: Callable[[Source], str]) -> Tex:
    """Print a known statement as LaTeX.

    >>> import sympy
    >>> from roofproof.proofs.provers.roofline import divided
    >>> tex_of(divided("I", sympy.Integer(3), sympy.Integer(4), {}), lambda known: str(known.statement.value))
    '3/4'

    Raises Unwarranted if nothing is known.
    """
    _ = source.trust
    return Tex(show(source))


def tex_lines(source: Source, show: Callable[[Source], Iterable[str]]) -> tuple[Tex, ...]:
    """Return the lines that a printer makes of known statements, as `tex_of` does."""
    _ = source.trust
    return tuple(map(Tex, show(source)))


def input_tex(text: str) -> Tex:
    """Mark text as given, not derived: a name, a size, a shape, a condition, or a formula that an author typed."""
    return Tex(text)


def listed(parts: Iterable[Tex], sign: str) -> Tex:
    """Return formulas joined by a sign."""
    return reduce(lambda before, part: before + sign + part, parts)


def check_tex(text: str) -> str:
    """Return text that is a formula, or signs and words, or raise Unwarranted for a bare number or name."""
    if isinstance(text, Tex) or _SIGNS.fullmatch(text):
        return text
    raise Unwarranted(f"{text!r} on a slide is not made of what is known")
