"""Sizes at which an operation that a claim names does not exist: what is said of it there is undecided."""

from collections.abc import Iterator

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import Node, Reference, walk_with_values
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import ends
from roofproof.derive.limits.regime import Regime
from roofproof.errors import Undecided


def hold_size(env: Environment, node: Node, x: sympy.Symbol, found: int) -> None:
    r"""Raise Undecided where an operation has no such size: that its parts are equal, say, is no part of a bound.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text("[[claim]]\nid = 'a'\nsays = 'bytes(\"sharded-matmul:n=4\") > 0'").claims
    >>> hold_size(c.environment, c.proposition, c.environment.symbol("D"), 7)       # doctest: +ELLIPSIS
    Traceback (most recent call last):
    roofproof.errors.Undecided: sharded-matmul:n=4 asks for 4 divides D, which D = 7 breaks; ...
    """
    for op, asked in _asked(env, node):
        if asked.subs(x, found) == sympy.false:
            raise Undecided(
                "<op> asks for <condition>, which <x> = <found> breaks; write the bound on <x> instead",
                op=op, condition=plain(asked), x=x, found=found,
            )  # fmt: skip


def hold_regime(env: Environment, node: Node, regime: Regime) -> None:
    r"""Raise Undecided where an operation does not exist far out in a regime.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text("[[claim]]\nid = 'a'\nsays = 'intensity(\"sliding-window-attention\") > 0'").claims
    >>> hold_regime(c.environment, c.proposition, Regime("W -> oo"))
    Traceback (most recent call last):
    roofproof.errors.Undecided: sliding-window-attention asks for W <= L, which does not hold in the regime W -> oo
    """
    for op, asked in _asked(env, node):
        if ends(asked, regime):
            raise Undecided(
                "<op> asks for <condition>, which does not hold in the regime <regime>",
                op=op, condition=plain(asked), regime=regime.text,
            )  # fmt: skip


def _asked(env: Environment, node: Node) -> Iterator[tuple[str, Boolean]]:
    """Yield what the operations in a statement, and in the values of its names, assume of their sizes."""
    for each in walk_with_values([node], env.let):
        if isinstance(each, Reference) and each.kind == "op":
            for condition in env.operation(each).conditions:
                yield each.text, env.bound(condition)
