"""Symbolic execution of a Python function with comparisons and divisions. Float constants become exact decimals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain, product
from typing import Any

import sympy

from roofproof.audit.size_constraints import EVERY, SizeConstraints
from roofproof.derive.algebra.polynomial import Ring, lowest_terms, sign
from roofproof.errors import RoofproofError, Undecided, quoted

MAX_RUNS, MAX_CHOICES, MAX_POWER, MAX_FORMS = 64, 32, 16, 16
Forms = frozenset[sympy.Expr]  # rational expressions, whose maximum is the value


class Distinguishes(Undecided):
    """A function that treats some sizes differently, other than by taking a maximum."""


class Foreign(RoofproofError):
    """A function that returned a symbol that is not one of its parameters."""


def traced(
    function: Callable[..., Any], symbols: Sequence[sympy.Symbol], sizes: SizeConstraints = EVERY
) -> tuple[Forms, tuple[str, ...]]:
    """Return the function as a maximum of rational forms, and the constants read as decimals.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> forms, decimals = traced(lambda x, y: max(x/4e0, y*0.1), [x, y])   # float: what somebody's code holds
    >>> sorted(map(str, forms)), decimals
    (['x/4', 'y/10'], ('0.1',))

    Each comparison is answered both ways, and the two results are joined to a maximum. Raises Distinguishes if they are
    not a maximum, Foreign for a symbol of the function's own, and Undecided for a result that is not exact. Exceptions
    of the function are not caught.
    """
    decimals: dict[str, None] = {}
    runs = 0

    def explored(answers: list[bool]) -> Forms:
        nonlocal runs
        runs += 1
        if runs > MAX_RUNS:
            raise Distinguishes("the function compares too often")
        path = _Path(answers, decimals, sizes)
        value = path.exact(function(*(Traced(s, path) for s in symbols)))
        value = value if value is None else sizes.simpler(value)
        if value is None or value.has(sympy.nan, sympy.zoo, sympy.oo, sympy.Float):
            raise Undecided("the function returned no exact value")
        for foreign in sorted(value.free_symbols - set(symbols), key=str):
            raise Foreign(f"the function returned {quoted(str(foreign))}, which is none of its parameters")
        found = rational_forms(value)
        for i in reversed(range(len(answers), len(path.taken))):
            taken = [answer for _, answer in path.taken[:i]]
            found = _joined(path.taken[i][0], found, explored([*taken, False]))
        return found

    return explored([]), tuple(decimals)


def rational_forms(value: sympy.Expr) -> Forms:
    """Return the forms whose maximum is a value, without those that another form exceeds for all sizes.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> sorted(map(str, rational_forms(2*sympy.Max(x, y, x/2) + 1)))   # x/2 < x, and 2 max(x, y) + 1 is a maximum
    ['2*x + 1', '2*y + 1']

    Raises RoofproofError for a value that is not a rational expression of terms.
    """
    parts = list(_parts(value))
    found = {*map(lowest_terms, [value] if len(parts) > MAX_FORMS else parts)}
    return frozenset(form for form in found if not any(_is_positive(other - form) for other in found - {form}))


def _parts(value: sympy.Expr) -> Iterator[sympy.Expr]:
    """Yield the forms whose maximum is a value. A sum or a positive multiple of maxima is also a maximum."""
    if isinstance(value, sympy.Max):
        yield from chain.from_iterable(map(_parts, value.args))
    elif value.is_Add and value.has(sympy.Max):
        yield from (sympy.Add(*terms) for terms in product(*(tuple(_parts(term)) for term in value.args)))
    elif value.is_Mul and len(maxima := [f for f in value.args if f.has(sympy.Max)]) == 1:
        factor = value / maxima[0]
        yield from (factor * part for part in _parts(maxima[0])) if _is_positive(factor) else [value]
    else:
        yield value


def _is_positive(value: sympy.Expr) -> bool:
    """Return whether the coefficients by themselves show that a rational expression is positive for positive sizes."""
    ring = Ring.of(value)
    signs = {sign(side) for side in ring.fraction(value)}
    return all(atom.is_positive for atom in ring.atoms) and signs in ({1}, {-1})


def _joined(relation: sympy.core.relational.Relational, yes: Forms, no: Forms) -> Forms:
    """Return the maximum that equals `yes` where the relation holds and `no` where it does not."""
    if yes == no:
        return yes
    if isinstance(relation, sympy.Gt | sympy.Ge | sympy.Lt | sympy.Le):
        gap = relation.gts - relation.lts  # positive where a strict relation holds, and both are the same if it is 0

        def follows(a: sympy.Expr, b: sympy.Expr) -> bool:
            """Return whether a - b is the gap times a positive value."""
            return a == b or _is_positive(lowest_terms((a - b) / gap))

        if all(any(follows(y, n) for y in yes) for n in no) and all(any(follows(y, n) for n in no) for y in yes):
            return rational_forms(sympy.Max(*yes, *no, evaluate=False))
    raise Distinguishes("the function distinguishes cases that are no maximum")


class _Path:
    """The answers to comparisons in one run of a function: the given ones first, then always yes."""

    def __init__(self, answers: Sequence[bool], decimals: dict[str, None], sizes: SizeConstraints) -> None:
        self.answers, self.decimals, self.sizes = answers, decimals, sizes
        self.taken: list[tuple[Any, bool]] = []

    def decide(self, relation: Any) -> bool:
        if relation in (sympy.true, sympy.false):
            return bool(relation)
        if (told := self.sizes.decided(relation)) is not None:
            return told
        known: dict[Any, bool] = dict(self.taken)
        if relation in known:
            return known[relation]
        if sympy.Not(relation) in known:
            return not known[sympy.Not(relation)]
        if len(self.taken) >= MAX_CHOICES:
            raise Distinguishes("the function compares too often")
        answer = self.answers[len(self.taken)] if len(self.taken) < len(self.answers) else True
        self.taken.append((relation, answer))
        return answer

    def exact(self, value: Any) -> sympy.Expr | None:
        """Return a value as an exact expression, with a float as the shortest decimal that represents it."""
        if isinstance(value, Traced):
            return value.expr
        if isinstance(value, sympy.Expr):
            return value
        if isinstance(value, bool):
            return None
        if isinstance(value, int | Fraction):
            return sympy.Rational(value.numerator, value.denominator)
        if not isinstance(value, float | Decimal):  # float: what somebody's function computes with
            return None
        try:
            shown = str(value) if isinstance(value, Decimal) else float.__repr__(value)  # float: as printed
            read = Fraction(shown)
        except ValueError:  # infinity or NaN
            return None
        if read != Fraction(value):
            self.decimals[shown] = None
        return sympy.Rational(read.numerator, read.denominator)


def _method(operation: Callable[[Any, Any], Any]) -> Callable[[Traced, Any], Any]:
    """Return a method that applies an operation to expressions, and lets the path decide a relation."""

    def method(self: Traced, other: Any) -> Any:
        value = self.path.exact(other)
        if value is None:
            return NotImplemented
        found = operation(self.expr, value)
        return Traced(found, self.path) if isinstance(found, sympy.Expr) else self.path.decide(found)

    return method


def _unary(operation: Callable[[Any], Any]) -> Callable[[Traced], Traced]:
    return lambda self: Traced(operation(self.expr), self.path)


def _power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    if not exponent.is_Integer or abs(exponent) > MAX_POWER:
        raise RoofproofError(
            "a power of <exponent>; only whole powers up to <most> are followed", exponent=exponent, most=MAX_POWER
        )
    return base**exponent


class Traced:
    """A size during symbolic execution: an exact expression whose comparisons are decided by its path."""

    __slots__ = ("expr", "path")
    __array_ufunc__ = None  # so that NumPy numbers leave operations to this class

    def __init__(self, expr: sympy.Expr, path: _Path) -> None:
        self.expr, self.path = expr, path

    def _sympy_(self) -> sympy.Expr:
        return self.expr

    __add__ = __radd__ = _method(lambda a, b: a + b)
    __sub__ = _method(lambda a, b: a - b)
    __rsub__ = _method(lambda a, b: b - a)
    __mul__ = __rmul__ = _method(lambda a, b: a * b)
    __truediv__ = _method(lambda a, b: a / b)
    __rtruediv__ = _method(lambda a, b: b / a)
    __floordiv__ = _method(lambda a, b: sympy.floor(a / b))
    __rfloordiv__ = _method(lambda a, b: sympy.floor(b / a))
    __pow__ = _method(_power)
    __lt__ = _method(sympy.Lt)
    __le__ = _method(sympy.Le)
    __gt__ = _method(sympy.Gt)
    __ge__ = _method(sympy.Ge)
    __eq__ = _method(sympy.Eq)
    __hash__ = None  # type: ignore[assignment]

    __mod__ = _method(lambda a, b: a - b * sympy.floor(a / b))
    __rmod__ = _method(lambda a, b: b - a * sympy.floor(b / a))
    __neg__ = _unary(lambda a: -a)
    __ceil__ = _unary(sympy.ceiling)
    __floor__ = _unary(sympy.floor)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return self if self.path.decide(sympy.Ge(self.expr, 0)) else -self

    def __round__(self, digits: int | None = None) -> Traced:
        """Return an integer unchanged. Raise Undecided for other sizes, whose rounding is known at numbers only."""
        if not self.expr.is_integer or (digits or 0) < 0:
            raise Undecided("a size is rounded that may not be a whole number")
        return self

    def __bool__(self) -> bool:
        return self.path.decide(sympy.Ne(self.expr, 0))
