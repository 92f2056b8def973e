"""From where on a limit may be taken for the function: its relative error is at most epsilon once D > 200 B."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.polynomial import Ring, sign
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases, Threshold, substitute
from roofproof.derive.inequalities.inequality import solve
from roofproof.derive.inequalities.integers import smallest_integer
from roofproof.derive.limits.limits import Limit, relative_error, sign_from_one
from roofproof.errors import RoofproofError, quoted, refuse_unknown

NUMBER = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]{1,30})?)(?:\s*/\s*([0-9]{1,30}))?\s*(%?)\s*")


@dataclass(frozen=True, slots=True)
class Closeness:
    """Where |value - f| <= eps f, as cases for one unknown.

    `condition` is what was solved, `statement` the same said of f itself, without the closed form of the error.

    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> found = closeness(limit(B*D*F/(B*D + D*F + B*F), "D = F >> B"), "5%", "D")     # 2 B/D <= 1/20
    >>> found.smallest({"B": 240})
    9600
    """

    limit: Limit
    eps: sympy.Rational
    unknown: sympy.Symbol
    error: sympy.Expr
    condition: Boolean
    statement: Boolean
    cases: Cases

    def at(self, values: Mapping[str, int]) -> Threshold:
        """Return the threshold at given values of the other symbols."""
        return self.cases.at(values)

    def smallest(self, values: Mapping[str, int] | None = None) -> int | None:
        """Return the smallest integer from which on the limit is close enough; None if there is none."""
        return smallest_integer(self.at(values or {}))

    def __str__(self) -> str:
        return str(self.cases)


def closeness(
    limit: Limit,
    eps: int | str | Fraction | sympy.Rational,
    unknown_name: str,
    along: Mapping[str, sympy.Expr | int] | None = None,
) -> Closeness:
    """Return where the limit (or the leading term, where it is 0 or infinite) errs by at most `eps` of the function.

    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> tends = limit(B*D*F/(B*D + D*F + B*F), "D, F >> B")            # the error is B/D + B/F
    >>> print(closeness(tends, "1 %", "D", along={"F": D}))            # 2 B/D <= 1/100
    D >= 200*B
    >>> print(closeness(tends, "1 %", "D"))                            # B/D <= 1/100 - B/F
    D >= 100*B*F/(F - 100*B)    when B < F/100
    never                       otherwise

    `eps` is exact: text such as "1 %" or "0.01", an integer or a fraction. `along` puts values or expressions for
    other symbols. Raises RoofproofError where the limit has no error in closed form, and where the unknown does not
    occur in it.
    """
    bound = _exact(eps)
    error = limit.relative_error if limit.growth is None else limit.growth_error
    if error is None:
        raise RoofproofError("the limit <limit> has no relative error in closed form", limit=plain(limit.value))
    f = limit.settled.back(limit.settled.expr)
    error, f, lead, where = (substitute(e, along or {}) for e in (error, f, limit.stands_for, limit.where))
    names = {s.name: s for e in (error, f, lead) for s in e.free_symbols}
    refuse_unknown("symbol", unknown_name, names)
    x = names[unknown_name]
    if error != 0 and x not in error.free_symbols:
        raise RoofproofError(
            "the relative error <error> is free of <x>: another symbol decides", error=plain(error), x=x
        )
    bare = error.replace(sympy.Abs, lambda inside: inside)
    given = [related(">=", s, sympy.Integer(1)) for s in _sizes(bare)]
    if limit.assume and bare == error and relative_error(lead, f).has(sympy.Abs):  # signed by what was assumed
        given += [a for a in (substitute(a, along or {}) for a in limit.assume) if a != sympy.true]
    sides = [related("<=", bare, bound)] + ([related("<=", -bare, bound)] if bare != error else [])
    condition = sympy.And(*sides, where, *given)
    least = [related("<=", lead, (1 + bound) * f), related("<=", (1 - bound) * f, lead)]
    statement = sympy.And(*least, where, *given)
    cases = solve(condition, x)
    return Closeness(limit, bound, x, error, condition, statement, cases)


def _sizes(error: sympy.Expr) -> list[sympy.Symbol]:
    """Return the integer symbols that must be 1 at least for the error's denominator to be positive."""
    ring = Ring.of(error)
    _, den = ring.fraction(error)
    if sign(den) is not None or sign_from_one(ring, den) is None:
        return []
    return [a for a in ring.atoms if a.is_Symbol and a.is_integer]


def _exact(eps: object) -> sympy.Rational:
    """Read the bound on the error: text, an integer or a fraction; a float says less than its digits."""
    if isinstance(eps, bool) or not isinstance(eps, int | str | Fraction | sympy.Rational):
        raise RoofproofError(
            "epsilon <eps>: write it as text, such as '1 %' or '0.01', or as a fraction", eps=quoted(eps)
        )
    written = NUMBER.fullmatch(str(eps))
    value = Fraction(0)
    if written and (written[2] is None or int(written[2])):
        value = Fraction(written[1]) / int(written[2] or 1) / (100 if written[3] else 1)
    if value <= 0:
        raise RoofproofError("epsilon <eps>: expected a positive number, such as '1 %' or '0.01'", eps=quoted(eps))
    return sympy.Rational(value)
