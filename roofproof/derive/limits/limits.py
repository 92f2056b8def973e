"""Limits of functions in a regime, with the exact relative error of the limit for rational functions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.answer import Answer
from roofproof.derive.algebra.polynomial import Poly, Ring, content, factored_fraction, sign
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.dominant_term import Approach, NoJointLimit, Orders, Stage, approach, in_words, orders
from roofproof.derive.limits.regime import Group, Regime
from roofproof.derive.limits.settled import Settled, settle
from roofproof.errors import RoofproofError

if TYPE_CHECKING:
    from roofproof.proofs.derivation import Derivation
    from roofproof.proofs.known import Known

ORDERED = (sympy.Le, sympy.Lt, sympy.Ge, sympy.Gt)


@dataclass(frozen=True, repr=False)
class Limit(Answer):
    """The limit of a function in a regime, its relative error, and the proofs of both.

    `approach` holds the stages, each with its value and its theorem. `error` is |value - f| / f in closed form, in the
    symbols of `settled`. For a limit that is zero or infinite it is the error of the leading term. It is valid under
    `where`, which is true far out. `orders` are the limits in other orders of growth if they differ, and `warning`
    lists them.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> found = limit(N/(2*N + 1), "N -> oo")                  # |1/2 - I| / I = (2 N + 1)/(2 N) - 1
    >>> found
    N/(2*N + 1) -> 1/2 as N -> oo
    >>> found.value, found.relative_error, limit(N**2/(N + 1), "N -> oo").growth
    (1/2, 1/(2*N), N)
    >>> print(found.derivation)
    N/(2*N + 1) -> 1/2 as N -> oo                  by kernel
    1/2 for N/(2*N + 1) is off by 1/(2*N) of it    by kernel
    """

    expr: sympy.Expr
    regime: Regime
    approach: Approach
    settled: Settled
    error: sympy.Expr | None
    where: Boolean
    orders: Orders
    assume: tuple[Boolean, ...] = ()

    @property
    def value(self) -> sympy.Expr:
        return self.settled.back(self.approach.value)

    @property
    def growth(self) -> sympy.Expr | None:
        """The leading term if the limit is zero or infinite, else None."""
        return None if self.approach.growth is None else self.settled.back(self.approach.growth)

    @property
    def relative_error(self) -> sympy.Expr | None:
        """The error of the value, or None if the limit is zero or infinite."""
        return None if self.error is None or self.approach.growth is not None else self.settled.back(self.error)

    @property
    def growth_error(self) -> sympy.Expr | None:
        """The error of the leading term if the limit is zero or infinite, else None."""
        return None if self.error is None or self.approach.growth is None else self.settled.back(self.error)

    @property
    def warning(self) -> str:
        """A text that lists the limits in other orders of growth, empty if the order does not matter."""
        return f"the order matters: {in_words(self.orders)}" if self.orders else ""

    @property
    def leading_value(self) -> sympy.Expr:
        """The value, or the leading term if the limit is zero or infinite."""
        return self.value if self.growth is None else self.growth

    @property
    def stage_proofs(self) -> tuple[Known, ...]:
        """The proofs of the stages, up to the one that gives 0 or oo: each function tends to its value."""
        return _reached(self.approach, self.assume)

    @property
    def tends(self) -> Known:
        """The proof of the last stage, which gives the value. If it is infinite, the reciprocal tends to zero."""
        return self.stage_proofs[-1]

    @property
    def choice_proofs(self) -> tuple[Known, ...]:
        """The proofs that decide each max or min: the ratio of the smaller to the larger argument tends below 1."""
        return tuple(k for small in self.settled.smaller for k in _reached(small))

    @property
    def growth_proofs(self) -> tuple[Known, ...]:
        """For a zero or infinite limit, the proofs of each stage that the function over its leading term tends to 1."""
        from roofproof.derive.limits.theorems import tends

        stages = (s for s in self.approach.stages if s.groups and self.approach.growth is not None)
        return tuple(tends(s.before / s.after, sympy.Integer(1), s.groups, self.assume) for s in stages)

    @cached_property
    def error_proof(self) -> Known | None:
        """The proof of the error, or None without a closed form."""
        from roofproof.derive.limits.theorems import error_known

        if self.error is None:
            return None
        lead = self.approach.value if self.approach.growth is None else self.approach.growth
        return error_known(self.settled.expr, lead, self.error, self.assume)

    @property
    def order_proofs(self) -> tuple[Known, ...]:
        """The proofs of the limits in the other orders of growth that the warning lists."""
        known = (k for _, other in self.orders for k in _reached(other))
        return tuple(replace(k, statement=replace(k.statement, kind="order")) for k in known)

    @cached_property
    def derivation(self) -> Derivation:
        """All statements about the limit, with their proofs."""
        from roofproof.proofs.derivation import Derivation

        error = (self.error_proof,) if self.error_proof else ()
        known = (*self.stage_proofs, *self.growth_proofs, *self.choice_proofs, *error, *self.order_proofs)
        return Derivation(known)

    @property
    def trust(self) -> str:
        return self.derivation.trust

    def __repr__(self) -> str:
        return f"{self.expr} -> {self.value} as {self.regime.text}"

    def value_proofs(self, growth: bool = False) -> tuple[Known, ...]:
        """Return the proofs of the value, with `growth` also those of the leading term, but not that of the error.

        >>> from roofproof.symbols import quantity
        >>> [known.trust for known in limit(quantity("D")/(quantity("D") + 1), "D -> oo").value_proofs()]
        ['kernel']
        """
        return (*self.stage_proofs, *self.choice_proofs, *(self.growth_proofs if growth else ()))


def _reached(found: Approach, assume: tuple[Boolean, ...] = ()) -> tuple[Known, ...]:
    """Return the proofs that a function tends to its limit, stage by stage, or equals it if nothing in it grows."""
    from roofproof.derive.limits.theorems import tends

    stages = found.settling or (Stage((), found.expr, found.value, found.value),)
    return tuple(tends(s.before, s.value, s.groups, assume) for s in stages)


def limit(expr: sympy.Expr, regime: Regime | str, assume: Iterable[Boolean] = ()) -> Limit:
    """Return the limit of a function in a regime, written as for `Regime`.

    >>> from roofproof.symbols import dimension
    >>> B, D, F, L, N = map(dimension, "BDFLN")
    >>> found = limit(B*D*F/(B*D + D*F + B*F), "D, F >> B")
    >>> found.value, found.relative_error                  # B / (1 + B/D + B/F): off by B/D + B/F of the truth
    (B, B/F + B/D)
    >>> limit((2*N - 1)/(4*N + 2), "N -> oo").relative_error
    2/(2*N - 1)
    >>> found = limit(L*D/(2*D + L + B), "D >> L >> B")    # D first: L/2
    >>> found.value, found.growth, found.warning
    (oo, L/2, '')
    >>> limit(D/(D + F), "D >> F >> B").warning
    "the order matters: 1 when 'D >> F >> B', 0 when 'F >> D >> B', D/(D + F) when 'D ~ F >> B'"

    A maximum or minimum is resolved if one argument is the larger far out. If one group of symbols grows at a time, the
    function may contain roots of sums, logarithms, exponentials of numbers and rounding. `assume` holds assumptions
    about the parameters. Symbols of the regime that do not occur in the function have no effect.

    >>> found = limit(sympy.sqrt(N**2 + 6*N) - N, "N -> oo")
    >>> found.value, limit(2**N/N**5, "N -> oo").value
    (3, oo)

    Raises OrderMatters, a RoofproofError, if the limit depends on the relative growth of the symbols, with the limit of
    each order. Raises RoofproofError if the sign of the leading term is not known, or if `assume` is false far out.
    """
    if isinstance(regime, str):
        regime = Regime(regime)
    whole = {s.name for s in expr.free_symbols if s.is_integer}
    if wrong := [n for n in regime.shrinking if n in whole]:
        raise RoofproofError(
            "regime '<regime>': <wrong> is a size, at least 1; it cannot tend to 0", regime=regime.text, wrong=wrong[0]
        )
    assume, tied = tuple(assume), regime.tied(expr)
    check_assumptions(assume, regime)
    try:
        settled = settle(tied, regime)
    except RoofproofError:
        if any(len(stage) > 1 for stage in regime.stages):
            raise
        settled = Settled(tied, regime.stages, sympy.true, (), ())
    if settled.expr.has(sympy.zoo, sympy.nan):
        raise RoofproofError(
            "<tied> is not defined in the regime '<regime>': it divides by zero", tied=plain(tied), regime=regime.text
        )
    groups = [group for stage in settled.stages for group in stage]
    fixed = [n for n in regime.fixed if n in {s.name for s in tied.free_symbols}] or list(regime.fixed)
    try:
        found = approach(settled.expr, settled.stages, assume)
    except NoJointLimit:
        raise _depends(settled, groups, fixed) from None
    others = _orders(settled, groups, fixed, found)
    error = None
    lead = found.growth if found.growth is not None else found.value
    if lead.is_finite is not False and lead != 0 and all(s.exact and s.rational for s in found.stages):
        error = relative_error(lead, settled.expr, assume)
    return Limit(expr, regime, found, settled, error, settled.where, others, assume)


def check_assumptions(assumed: Iterable[Boolean], regime: Regime) -> None:
    """Raise RoofproofError if an assumption is false far out in a regime.

    >>> from roofproof.symbols import dimension
    >>> check_assumptions([dimension("W") <= dimension("L")], Regime("W -> oo"))
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: regime 'W -> oo': W <= L, which is assumed, does not hold in the limit
    """
    for each in assumed:
        if false_in_limit(each, regime):
            raise RoofproofError(
                "regime '<regime>': <condition>, which is assumed, does not hold in the limit",
                regime=regime.text, condition=plain(each),
            )  # fmt: skip


def false_in_limit(condition: Boolean, regime: Regime) -> bool:
    """Tell whether a condition can be shown to be false far out in a regime.

    >>> from roofproof.symbols import dimension
    >>> W, L = dimension("W"), dimension("L")
    >>> [false_in_limit(W <= L, Regime(text)) for text in ("W >> L", "L >> W", "L, W -> oo")]
    [True, False, False]
    """
    if isinstance(condition, sympy.And | sympy.Or):
        return (any if isinstance(condition, sympy.And) else all)(
            false_in_limit(part, regime) for part in condition.args
        )
    moving = {*regime.growing, *regime.shrinking}
    if not isinstance(condition, (*ORDERED, sympy.Eq)) or not {s.name for s in condition.free_symbols} & moving:
        return False
    try:
        if isinstance(condition, sympy.Eq):
            return bool(limit(condition.lhs - condition.rhs, regime).value.is_extended_nonzero)
        return bool(limit(condition.gts - condition.lts, regime).value.is_extended_negative)
    except RoofproofError:  # for example because the order of growth matters
        return False


class OrderMatters(RoofproofError):
    """Raised if there is no limit: the regime allows several `orders` of growth, and they give different values.

    >>> raise OrderMatters("the limit depends on how fast D, F grow against each other", ())
    Traceback (most recent call last):
    roofproof.derive.limits.limits.OrderMatters: the limit depends on how fast D, F grow against each other
    """

    def __init__(self, message: str, orders: Orders, **parts: str) -> None:
        super().__init__(message, **parts)
        self.orders = orders


def _depends(settled: Settled, groups: list[Group], fixed: list[str]) -> RoofproofError:
    names = ", ".join(dict.fromkeys(name for group in groups for name, _ in group))
    values = () if settled.roots else orders(settled.expr, groups, fixed)
    if len(values) == 1:
        return RoofproofError(
            "cannot tell whether the limit depends on the relative growth of <names>; give an order: <what>",
            names=names,
            what=in_words(values),
        )
    said = in_words(values)
    if not said:
        lone = "the limit depends on how fast <names> grow against each other; let one of them grow at a time"
        return RoofproofError(lone, names=names)
    form = "the limit depends on how fast <names> grow against each other: <said>"
    if len(values) > 1 and len(settled.stages) == 1:
        return OrderMatters(form, values, names=names, said=said)
    return RoofproofError(form, names=names, said=said)


def _orders(settled: Settled, groups: list[Group], fixed: list[str], found: Approach) -> Orders:
    """Return the limits in each order of growth if the regime fixes an order and the order matters, else nothing."""
    if len(settled.stages) < 2 or settled.roots:
        return ()
    try:
        if approach(settled.expr, [groups]).value == found.value:
            return ()
    except (NoJointLimit, RoofproofError):
        pass
    values = orders(settled.expr, groups, fixed)
    return values if len(values) > 1 else ()


def relative_error(value: sympy.Expr, expr: sympy.Expr, assume: Iterable[Boolean] = ()) -> sympy.Expr:
    """Return |value - expr| / expr for a positive expression, as a sum of simple fractions if possible.

    Assumptions about sizes may decide which of the two is larger.

    >>> from roofproof.symbols import dimension, quantity
    >>> B, D = map(quantity, "BD")
    >>> relative_error(B, B*D/(B + D))                         # B (B + D)/(B D) - 1
    B/D
    >>> relative_error(B, B*(D + 2)/(D + B))                   # below where B > 2, above where B < 2
    Abs(B - 2)/(D + 2)
    >>> L, W = dimension("L"), dimension("W")
    >>> relative_error(W/2, W*(2*L + 1 - W)/(4*L), [W <= L])   # 2 L + 1 - W > 0
    (W - 1)/(2*L - W + 1)
    """
    ring = Ring.of(value, expr)
    num, den = ring.fraction(expr)
    p, q = ring.fraction(value)
    top, bottom = p * den - q * num, q * num
    common = top.gcd(bottom)
    if top.is_zero():
        return sympy.Integer(0)
    top, bottom = top / common, bottom / common
    top, bottom = top / (scale := content(top, bottom)), bottom / scale
    assume = tuple(assume)
    s, t = sign_from_one(ring, top, assume), sign_from_one(ring, bottom, assume)
    if s is None or t is None:
        made = factored_fraction(ring, top, bottom)
        return sympy.Abs(-made if made.could_extract_minus_sign() else made)
    top, bottom = top * s, bottom * t
    if len(bottom) == 1:
        below = ring.expr(bottom)
        return sympy.Add(*(ring.expr(ring.context.from_dict({m: c})) / below for m, c in top.to_dict().items()))
    return factored_fraction(ring, top, bottom)


def sign_from_one(ring: Ring, poly: Poly, assume: Iterable[Boolean] = ()) -> int | None:
    """Return the sign of a polynomial for integer symbols of at least 1 and other symbols above 0, or None if open.

    Only assumptions that one symbol is at most another are used.

    >>> from roofproof.symbols import dimension
    >>> L, N, W = map(dimension, "LNW")
    >>> ring = Ring([L, N, W])
    >>> sign_from_one(ring, ring.fraction(2*N - 1)[0])         # 2 (1 + n) - 1 = 1 + 2 n
    1
    >>> sign_from_one(ring, ring.fraction(W - 2*L)[0], [W <= L])             # W - 2 (W + l) = -W - 2 l
    -1
    """
    found = sign(poly)
    if found is None:
        found = sign(_from_one(ring, poly, ()))
    if found is None:
        more: dict[sympy.Expr, sympy.Expr] = {}  # larger: smaller, once each, as y - x need not be above another x
        for pair in (r for a in assume for r in sympy.And.make_args(a) if isinstance(r, ORDERED)):
            if {pair.lts, pair.gts} <= set(ring.atoms):
                more.setdefault(pair.gts, pair.lts)
        for large, small in more.items():
            poly = _put(ring, poly, {large: ring.gen(large) + ring.gen(small)})
        found = sign(_from_one(ring, poly, more))
    return found


def positive_from_one(ring: Ring, poly: Poly) -> bool:
    """Tell whether a polynomial is surely positive for integer symbols of at least 1 and other symbols above 0.

    Roots and functions in it may be zero.

    >>> from roofproof.symbols import dimension, quantity
    >>> N, R = dimension("N"), quantity("R")
    >>> ring = Ring([N, R])
    >>> [positive_from_one(ring, ring.fraction(each)[0]) for each in (N - 1, N + R - 1, 2*N - 1)]
    [False, True, True]
    """
    above = _from_one(ring, poly, ())
    zero = [k for k, a in enumerate(ring.atoms) if a.is_integer or not a.is_Symbol]  # these may be zero
    return sign(above) == 1 and not all(any(m[k] for k in zero) for m in above.monoms())


def _from_one(ring: Ring, poly: Poly, but: Container[sympy.Expr]) -> Poly:
    whole = (a for a in ring.atoms if a.is_Symbol and a.is_integer and a not in but)
    return _put(ring, poly, {a: ring.gen(a) + 1 for a in whole})


def _put(ring: Ring, poly: Poly, values: Mapping[sympy.Expr, Poly]) -> Poly:
    return poly.compose(*(values.get(a, ring.gen(a)) for a in ring.atoms))
