"""Of how many experts the weights are read: what a floor, a threshold and an average say of it."""

from __future__ import annotations

from sympy import Expr, Integer, Le, Min
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.library._entry import whole_argument
from roofproof.symbols import dimension

READ = {
    "most": "as many experts read as tokens can choose",
    "expected": "as many experts read as are expected where each token chooses at random",
    "least": "the experts of one token read",
    "all": "every expert read",
}


def experts_read(touched: str | int) -> Expr:
    """Return the number of experts, of E, whose weights are read where each of B tokens chooses k different ones.

    `most` is min(E, k B), where no two tokens agree while they can: at one token k, at many all E. `expected` is
    E (1 - (1 - k/E)^B), k at random for each token. `least` is k, where all agree: a lower bound, for floors. `all` is
    E; and a number is itself.

    >>> experts_read("most"), experts_read("least"), experts_read("8")
    (Min(E, B*k), k, 8)
    >>> experts_read("banana")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: touched='banana': expected most, expected, least, all, or a whole number from 1

    Most bytes make a threshold safe: where all that could be read leaves a product compute-bound, so does less.
    """
    B, E, k = map(dimension, "BEk")
    reach = {"most": Min(E, k * B), "expected": E * (1 - (1 - k / E) ** B), "least": k, "all": E}
    if touched in reach:
        return reach[str(touched)]
    if not str(touched)[:1].isdigit():
        raise RoofproofError(f"touched={quoted(touched)}: expected {', '.join(reach)}, or a whole number from 1")
    return Integer(whole_argument(touched, "touched", least=1))


def routed(touched: str | int) -> tuple[Boolean, ...]:
    """Return the conditions of a route: a token goes to k of E experts, and a number of them that are read has room.

    >>> routed("most"), routed(8)
    ((k <= E,), (k <= 8, 8 <= E))
    """
    E, k, read = dimension("E"), dimension("k"), experts_read(touched)
    return (Le(k, read), Le(read, E, evaluate=False)) if read.is_Integer else (Le(k, E),)


def touched_text(touched: str | int) -> str:
    """Return the words for the experts read, as answers print them.

    >>> touched_text("most"), touched_text(8)
    ('as many experts read as tokens can choose (touched=most)', '8 experts read (touched=8)')
    """
    return f"{READ.get(str(touched), f'{touched} experts read')} (touched={touched})"


def lower_bound(touched: str | int) -> str:
    """Return the choice where it makes the bytes a lower bound alone, else nothing.

    >>> lower_bound("least"), lower_bound("most")
    ('touched=least', '')
    """
    return "touched=least" if touched == "least" else ""
