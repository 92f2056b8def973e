"""Sizes at which an operation that a claim names does not exist: what is said of it there is undecided."""

from collections.abc import Iterator

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.domain import domain_of_given, formula_of
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import Call, Node, Reference, bound_names, walk_with_values
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import ends
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.memory_fit import fitting
from roofproof.errors import Undecided


def hold_size(env: Environment, node: Node, x: sympy.Symbol, found: int) -> None:
    r"""Raise Undecided where an operation has no such size: that its parts are equal, say, is no part of a bound.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text("[[claim]]\nid = 'a'\nsays = 'bytes(\"sharded-matmul:n=4\") > 0'").claims
    >>> hold_size(c.environment, c.proposition, c.environment.symbol("D"), 7)       # doctest: +ELLIPSIS
    Traceback (most recent call last):
    roofproof.errors.Undecided: sharded-matmul:n=4 asks for 4 divides D, which D = 7 breaks; ...
    """
    for op, _, asked in _asked(env, node):
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
    for op, _, asked in _asked(env, node):
        if ends(asked, regime):
            raise Undecided(
                "<op> asks for <condition>, which does not hold in the regime <regime>",
                op=op, condition=plain(asked), regime=regime.text,
            )  # fmt: skip


def hold_given(env: Environment, node: Node) -> None:
    r"""Raise Undecided where the values of names, or what is given, leave an operation no size; bound names may.

    >>> from roofproof.claims.language.book import book_from_text
    >>> text = "[[claim]]\nid = 'a'\nlet = {W = '8', L = '2'}\nsays = 'flops(\"sliding-window-attention\") < 0'"
    >>> [c] = book_from_text(text).claims
    >>> hold_given(c.environment, c.proposition)
    Traceback (most recent call last):
    roofproof.errors.Undecided: sliding-window-attention asks for W <= L, which does not hold for what is given

    Whether sizes divide is not asked: between the multiples the formulas have values.
    """
    ranging = {*bound_names(node)}
    for op, condition, asked in _asked(env, node):
        if asked.has(sympy.Mod) or asked == sympy.true:
            continue
        if names := ranging & {s.name for s in asked.free_symbols}:
            raise Undecided(
                "<op> asks for <condition>, to which a bound <name> is not held; leave it free, and say so in given",
                op=op, condition=plain(condition), name=min(names),
            )  # fmt: skip
        if asked == sympy.false or not domain_of_given(env).can_hold(formula_of(asked)[0]):
            raise Undecided(
                "<op> asks for <condition>, which does not hold for what is given", op=op, condition=plain(condition)
            )


def _asked(env: Environment, node: Node) -> Iterator[tuple[str, Boolean, Boolean]]:
    """Yield what operations in a statement, and in the values of its names, assume: as it is, and of their sizes.

    On a chip its blocks have to fit its memories, too.
    """
    for each in walk_with_values([node], env.let):
        if isinstance(each, Reference) and each.kind == "op":
            for condition in env.operation(each).conditions:
                yield each.text, condition, env.bound(condition)
        named = (
            {part.kind: part for part in each.parts if isinstance(part, Reference)} if isinstance(each, Call) else {}
        )
        if {"op", "chip"} <= named.keys():
            for condition in fitting(env.operation(named["op"]), env.chip(named["chip"])):
                yield named["op"].text, condition, env.bound(condition)
