"""Limits of functions in a regime, with the exact relative error of taking the limit for a rational function."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Poly, Ring, content, factored_fraction, sign
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.dominant_term import Approach, NoJointLimit, approach, in_words, orders
from roofproof.derive.limits.regime import Group, Regime
from roofproof.derive.limits.settled import Settled, settle
from roofproof.errors import RoofproofError

ORDERED = (sympy.Le, sympy.Lt, sympy.Ge, sympy.Gt)
Orders = tuple[tuple[str, sympy.Expr], ...]
"""Regimes as text, each with the limit that it gives."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The value a function tends to, and by how much that value misses the function.

    `relative_error` is |value - f| / f in closed form; None where the limit is zero or infinite. `growth` is the
    leading term there, `growth_error` its relative error. Both errors hold where `where` does, which is far out.
    `orders` are the limits for other orders of growth, where these matter, and `warning` says so.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> found = limit(N/(2*N + 1), "N -> oo")                  # |1/2 - I| / I = (2 N + 1)/(2 N) - 1
    >>> found.value, found.relative_error, limit(N**2/(N + 1), "N -> oo").growth
    (1/2, 1/(2*N), N)
    """

    expr: sympy.Expr
    regime: Regime
    value: sympy.Expr
    relative_error: sympy.Expr | None
    growth: sympy.Expr | None
    growth_error: sympy.Expr | None
    where: Boolean
    orders: Orders
    settled: Settled
    approach: Approach
    assume: tuple[Boolean, ...] = ()

    @property
    def warning(self) -> str:
        """That another order of growth gives another limit, or nothing."""
        return f"the order matters: {in_words(self.orders)}" if self.orders else ""

    @property
    def stands_for(self) -> sympy.Expr:
        """The value, or the leading term where the limit is zero or infinite: what is taken for the function."""
        return self.value if self.growth is None else self.growth


def limit(expr: sympy.Expr, regime: Regime | str, assume: Iterable[Boolean] = ()) -> Limit:
    """Return the limit of a function in a regime; see `Regime` for what can be said.

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

    Maxima, minima and roots are taken apart where far out one argument is the larger. Where one thing grows at a time,
    the function may hold roots of sums, logarithms, exponentials of numbers and rounding. `assume` says what may be
    taken for granted of the parameters. Symbols of the regime that do not occur change nothing.

    >>> found = limit(sympy.sqrt(N**2 + 6*N) - N, "N -> oo")
    >>> found.value, limit(2**N/N**5, "N -> oo").value
    (3, oo)

    Raises OrderMatters, a RoofproofError, when the limit depends on how fast the symbols grow against each other,
    saying which order gives which limit, and RoofproofError when the sign of what leads is not known or `assume` does
    not hold far out.
    """
    if isinstance(regime, str):
        regime = Regime(regime)
    whole = {s.name for s in expr.free_symbols if s.is_integer}
    if wrong := [n for n in regime.shrinking if n in whole]:
        raise RoofproofError(
            "regime '<regime>': <wrong> is a size, 1 at least; it cannot tend to 0", regime=regime.text, wrong=wrong[0]
        )
    assume, tied = tuple(assume), regime.tied(expr)
    hold(assume, regime)
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
    value = settled.back(found.value)
    growth = None if found.growth is None else settled.back(found.growth)
    made = None
    lead = found.growth if found.growth is not None else found.value
    if lead.is_finite is not False and lead != 0 and all(s.exact and s.rational for s in found.stages):
        made = settled.back(relative_error(lead, settled.expr, assume))
    error, growth_error = (made, None) if growth is None else (None, made)
    return Limit(expr, regime, value, error, growth, growth_error, settled.where, others, settled, found, assume)


def hold(assumed: Iterable[Boolean], regime: Regime) -> None:
    """Refuse a regime in which something that is assumed is seen to be false far out.

    >>> from roofproof.symbols import dimension
    >>> hold([dimension("W") <= dimension("L")], Regime("W -> oo"))
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: regime 'W -> oo': W <= L, which is assumed, does not hold far out
    """
    for each in assumed:
        if ends(each, regime):
            raise RoofproofError(
                "regime '<regime>': <condition>, which is assumed, does not hold far out",
                regime=regime.text, condition=plain(each),
            )  # fmt: skip


def ends(condition: Boolean, regime: Regime) -> bool:
    """Tell whether a condition is seen to be false far out in a regime.

    >>> from roofproof.symbols import dimension
    >>> W, L = dimension("W"), dimension("L")
    >>> ends(W <= L, Regime("W >> L")), ends(W <= L, Regime("L >> W")), ends(W <= L, Regime("L, W -> oo"))
    (True, False, False)
    """
    if isinstance(condition, sympy.And | sympy.Or):
        return (any if isinstance(condition, sympy.And) else all)(ends(part, regime) for part in condition.args)
    moving = {*regime.growing, *regime.shrinking}
    if not isinstance(condition, (*ORDERED, sympy.Eq)) or not {s.name for s in condition.free_symbols} & moving:
        return False
    try:
        if isinstance(condition, sympy.Eq):
            return bool(limit(condition.lhs - condition.rhs, regime).value.is_extended_nonzero)
        return bool(limit(condition.gts - condition.lts, regime).value.is_extended_negative)
    except RoofproofError:  # its order matters, say
        return False


class OrderMatters(RoofproofError):
    """There is no limit: `orders` are ways to grow that the regime allows, with the different values that they give.

    >>> raise OrderMatters("the limit depends on how fast D and F grow against each other", ())
    Traceback (most recent call last):
    roofproof.derive.limits.limits.OrderMatters: the limit depends on how fast D and F grow against each other
    """

    def __init__(self, message: str, orders: Orders) -> None:
        super().__init__(message)
        self.orders = orders


def _depends(settled: Settled, groups: list[Group], fixed: list[str]) -> RoofproofError:
    names = " and ".join(dict.fromkeys(name for group in groups for name, _ in group))
    values = () if settled.roots else orders(settled.expr, groups, fixed)
    if len(values) == 1:
        return RoofproofError(
            "it is not seen whether the limit depends on how fast <names> grow against each other; "
            "name an order: <what>",
            names=names,
            what=in_words(values),
        )
    said = in_words(values)
    depends = f"the limit depends on how fast {names} grow against each other"
    message = f"{depends}: {said}" if said else f"{depends}; let one of them grow at a time"
    return OrderMatters(message, values) if len(values) > 1 and len(settled.stages) == 1 else RoofproofError(message)


def _orders(settled: Settled, groups: list[Group], fixed: list[str], found: Approach) -> Orders:
    """Return the limits in other orders, where the regime puts growth in an order and the order matters."""
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
    """Return |value - expr| / expr for a positive expression, as a sum of simple fractions where it is one.

    What is assumed of sizes may tell which of the two is larger.

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
    """Return the sign of a polynomial where integer symbols are 1 at least and the others positive, if it is seen.

    Of what is assumed, it is used that one symbol is at most another.

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
        more: dict[sympy.Expr, sympy.Expr] = {}  # than the other; once each, as y - x need not be above another x
        for pair in (r for a in assume for r in sympy.And.make_args(a) if isinstance(r, ORDERED)):
            if {pair.lts, pair.gts} <= set(ring.atoms):
                more.setdefault(pair.gts, pair.lts)
        for large, small in more.items():
            poly = _put(ring, poly, {large: ring.gen(large) + ring.gen(small)})
        found = sign(_from_one(ring, poly, more))
    return found


def _from_one(ring: Ring, poly: Poly, but: Container[sympy.Expr]) -> Poly:
    whole = (a for a in ring.atoms if a.is_Symbol and a.is_integer and a not in but)
    return _put(ring, poly, {a: ring.gen(a) + 1 for a in whole})


def _put(ring: Ring, poly: Poly, values: Mapping[sympy.Expr, Poly]) -> Poly:
    return poly.compose(*(values.get(a, ring.gen(a)) for a in ring.atoms))
