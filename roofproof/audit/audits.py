"""The audit of a Python function of sizes: its closed form, compared with the derived one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any, TypeVar

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.audit.closed_forms import NEAR, ClosedForm, called, closed_form, value_at
from roofproof.audit.size_constraints import SizeConstraints
from roofproof.audit.tracing import rational_forms
from roofproof.audit.whole_numbers import first_value, named_in, refuse_unsteady, sizes_near_constants, tells_apart
from roofproof.claims.answers.readings import denied, equality, prove_or_refute
from roofproof.derive import time, upper
from roofproof.derive.algebra.polynomial import lowest_terms
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime as Growing
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.resources import channel
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import PROVED, ByAlgebra, ByCounterexample, Known, warranted
from roofproof.proofs.statement import Statement

POINTS = 200  # at which two maxima are compared
CALLS = 40  # of a function that has no closed form
MOST_TENSORS, MOST_NAMES = 3, 12  # tensors that explain a difference, and tensors that are searched for these
Point = Mapping[str, int]
Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class Regime:
    """The sizes at which one resource takes longest, with the ratio of the function to the derived form there."""

    name: str
    ratio: sympy.Expr
    at: Point


@dataclass(frozen=True, slots=True)
class Audit:
    """The comparison of a function with the derived form.

    `verdict` is "equal", "near" (to nine digits, at the points tried), or "different". `theirs` and `ours` are the
    closed forms. `theirs` is None if only values are known. `ratio` is theirs over ours, and `growth` its limit if all
    sizes grow at the same rate. If one of them is a maximum, `regimes` has the ratio for each of its parts. `points` is
    the number of sizes at which values were compared. `assumed` are the conditions of the operation on its sizes.

    If two closed forms differ, `mend` is ours minus theirs. `tensors` are the fewest tensors whose traffic is `mend` or
    minus `mend`, and `apart` has small sizes with both values. `known` is the proof of the verdict, if symbols gave
    their form: both are equal at all sizes, or differ at a point. For values there is no proof.
    """

    theirs: sympy.Expr | None
    ours: sympy.Expr
    how: str
    verdict: str
    ratio: sympy.Expr | None
    growth: sympy.Expr | None
    regimes: tuple[Regime, ...] = ()
    decimals: tuple[str, ...] = ()
    points: int = 0
    assumed: tuple[Boolean, ...] = ()
    mend: sympy.Expr | None = None
    tensors: tuple[str, ...] = ()
    apart: tuple[Point, Fraction, Fraction] | None = None
    known: Known | None = None

    @property
    def same(self) -> bool:
        """Whether no difference was found."""
        return self.verdict != "different"


def audit(function: Callable[..., Any], op: Operation, quantity: str = "flops", chip: Chip | None = None) -> Audit:
    """Compare a function of sizes with the derived FLOPs, bytes or time of an operation.

    >>> from roofproof import chip, op
    >>> found = audit(lambda B, D, F: 2*B*D*F + B*F, op("matmul"))            # an extra addition per output
    >>> found.same, found.ratio, found.growth
    (False, (2*D + 1)/(2*D), 1)
    >>> sparse = audit(lambda B, D, F: 2*B*D*F/1979*10**-12, op("matmul"), "time:bf16", chip("h100-sxm"))
    >>> sparse.ratio                                           # the peak with sparsity
    989/1979

    `quantity` is flops, bytes, lower (the longest of the times), upper (their sum), or time:RESOURCE, with times in
    seconds on `chip`. The parameters of the function must be names of dimensions of the operation. Raises
    RoofproofError for other parameters and quantities, and for a function that fails or does not return numbers.
    """
    named = derived_forms(op, quantity, chip)
    dims = {s.name: s for s in op.dims}
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise RoofproofError(
            "<function> is not a function with named parameters", function=quoted(str(function))
        ) from None
    for name in names:
        if name not in dims:
            raise RoofproofError(
                "the function takes <name>, which is not a dimension of <other>; it has <dims>",
                name=quoted(name),
                other=op.name,
                dims=", ".join(dims),
            )
    symbols = [dims[n] for n in names]
    ours = sympy.Max(*named.values())
    sizes = SizeConstraints.of(op, chip)
    first = first_value(function, symbols, sizes)
    theirs = closed_form(function, symbols, sizes)
    refuse_unsteady(function, symbols, first)
    if tells_apart(function, symbols, theirs, sizes):
        how = "type" if theirs.how == "symbols" else "values"
        theirs = ClosedForm(frozenset(), how, compares=theirs.compares)
    if theirs.forms:
        found = _by_forms(theirs, named, ours, op.dims, sizes)
    else:
        found = _by_values(function, symbols, named, ours, op.dims, theirs, sizes)
    if found.ratio is not None and not found.same and found.theirs is not None:
        mend = ours - found.theirs
        tensors = _tensors(op, mend) if quantity == "bytes" else ()
        found = replace(found, mend=mend, tensors=tensors, apart=_differing_point(found, op.dims, sizes))
    return replace(found, assumed=sizes.conditions)


def derived_forms(op: Operation, quantity: str, chip: Chip | None) -> dict[str, sympy.Expr]:
    """Return the expressions whose maximum is the derived quantity, by resource.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> op = parse_operation("flops bf16 = 6 N; bytes memory = 4 N")
    >>> derived_forms(op, "lower", chip_from_text("bf16=2 FLOP/s, hbm=1 B/s"))     # max(6 N/2, 4 N/1)
    {'bf16': 3*N, 'memory': 4*N}

    Raises RoofproofError for another quantity, and for a time without a chip or with one that lacks a spec.
    """
    kind, colon, resource = quantity.partition(":")
    if kind not in ("flops", "bytes", "lower", "upper", "time") or (kind == "time") < bool(colon):
        raise _unknown(op, quantity, "flops", "bytes")
    if kind in ("flops", "bytes"):
        amount, name = (op.flops, "FLOPs") if kind == "flops" else (op.bytes(), "bytes")
        if chip is not None:
            raise RoofproofError(
                "<kind> are the same on every chip; --chip requires lower, upper or time:RESOURCE", kind=kind
            )
        if amount == 0:
            raise RoofproofError("<name> has no <other> to compare with", name=op.name, other=name)
        return {kind: amount}
    if chip is None:
        raise RoofproofError("<kind> is a time on a chip; name it, such as --chip tpu-v5e", kind=kind)
    if kind != "time":
        return {kind: upper(op, chip)} if kind == "upper" else time(merge_shared_formats(op, chip)[0], chip)
    times = time(op, chip)
    if colon and resource not in times:
        with suppress(RoofproofError):  # the error below lists the known quantities
            resource = channel(resource)
    elif not colon and len(times) > 1:
        listed = ", ".join(f"time:{r}" for r in times)
        raise RoofproofError(
            "<name> has a time for each resource: <listed>; lower is the longest, upper the sum",
            name=op.name,
            listed=listed,
        )
    wanted = {name: taken for name, taken in times.items() if name == resource or not colon}
    if not wanted:
        raise _unknown(op, quantity)
    return wanted


def _unknown(op: Operation, quantity: str, *counts: str) -> RoofproofError:
    return unknown("quantity", quantity, (*counts, "lower", "upper", *(f"time:{r}" for r in op.demands)))


def _growth(ratio: sympy.Expr) -> sympy.Expr | None:
    """Return the limit of a ratio if all sizes grow at the same rate, or None if it is not found."""
    names = sorted(s.name for s in ratio.free_symbols)
    if not names:
        return lowest_terms(ratio)
    with suppress(RoofproofError):
        return limit(ratio, Growing(f"{' ~ '.join(names)} -> oo")).value
    return None


def _differing_point(found: Audit, dims: Sequence[Any], sizes: SizeConstraints) -> Any:
    """Return small sizes at which two forms differ, or else the counterexample, with both values."""
    tried = (sizes.near(dims, [size * 2**k for k in range(len(dims))]) for size in (4, 16))
    points = [dict(zip(dims, at, strict=True)) for at in tried if at is not None]
    if found.known is not None and isinstance(found.known.warrant, ByCounterexample):
        met = found.known.warrant.point
        points.append({s: int(n) for s in dims if isinstance(n := met.get(s.name), Fraction)})
    for point in points:
        a, b = value_at(found.theirs, point), value_at(found.ours, point)
        if a != b:
            return {s.name: n for s, n in point.items()}, a, b
    return None


def _tensors(op: Operation, mend: sympy.Expr) -> tuple[str, ...]:
    """Return the fewest tensors, in order, whose traffic is missing from a formula or is too much in it."""
    for count in range(1, MOST_TENSORS + 1):
        for some in combinations(op.tensors[:MOST_NAMES], count):
            every = sympy.Add(*(tensor.traffic for tensor in some))
            if sympy.expand(every - mend) == 0 or sympy.expand(every + mend) == 0:
                return tuple(tensor.name for tensor in some)
    return ()


def _by_forms(
    theirs: ClosedForm, named: Mapping[str, sympy.Expr], ours: sympy.Expr, dims: Sequence[Any], sizes: SizeConstraints
) -> Audit:
    """Compare two maxima of rational expressions, by a proof as for claims, and at points."""
    shown = sympy.Max(*theirs.forms, evaluate=False) if len(theirs.forms) > 1 else next(iter(theirs.forms))
    said = _same_at_all(shown, ours, dims, sizes)
    known, derived = prove_or_refute(said), rational_forms(ours)
    if known.reason and theirs.forms == derived:
        known = warranted(said, ByAlgebra()) or known
    read = theirs.how == "symbols"  # a form that was fitted to values is not their formula
    refuted = known if known.statement.somewhere else None
    if refuted is None and known.trust in PROVED:
        one = sympy.Integer(1)
        return Audit(shown, ours, theirs.how, "equal", one, one, (), theirs.decimals, known=known if read else None)
    regimes: dict[tuple[str, sympy.Expr], Regime] = {}
    apart = refuted is not None and not theirs.decimals
    for at in _points(dims, POINTS, 20, sizes):
        mine, name = _longest(named, at)
        value, form = _longest({f: f for f in sorted(theirs.forms, key=str)}, at)
        if abs(value - mine) > (mine * NEAR if theirs.decimals else 0):
            apart = True
            refuted = refuted or warranted(denied(said), ByCounterexample({s.name: Fraction(n) for s, n in at.items()}))
        key = name, form
        if key not in regimes:
            regimes[key] = Regime(name, lowest_terms(form / named[name]), {s.name: n for s, n in at.items()})
    order = list(named)
    found = tuple(sorted(regimes.values(), key=lambda r: order.index(r.name)))
    single = len(theirs.forms) == len(derived) == 1
    ratio = lowest_terms(shown / ours) if single else None
    verdict = "different" if apart else "near"
    grown = _growth(shown / ours)
    told, rests = () if single else found, refuted if apart and read else None
    return Audit(shown, ours, theirs.how, verdict, ratio, grown, told, theirs.decimals, POINTS, known=rests)


def _same_at_all(theirs: sympy.Expr, ours: sympy.Expr, dims: Sequence[Any], sizes: SizeConstraints) -> Statement:
    """Return the statement that two forms are equal at all sizes that the operation allows."""
    names = [Term("v", s.name) for s in dims]
    whole = (f for n in names for f in (Formula("int", n), Formula(">=", n, Term("q", 1, 1))))
    return replace(equality(theirs, ours), assumptions=(*sizes.formulas(), *whole))


def _by_values(
    function: Callable[..., Any], symbols: Sequence[Any], named: Mapping[str, sympy.Expr], ours: sympy.Expr,
    dims: Sequence[Any], theirs: ClosedForm, sizes: SizeConstraints,
) -> Audit:  # fmt: skip
    """Compare the values of a function with the derived form, at points, to nine digits."""
    regimes: dict[str, Regime] = {}
    named_sizes = sizes_near_constants(len(dims), named_in(function), theirs.compares)
    others = (sizes.near(dims, size) for size in named_sizes)
    tried = [*_points(dims, CALLS, 12, sizes), *(dict(zip(dims, at, strict=True)) for at in others if at is not None)]
    for at in tried:
        value = Fraction(called(function, symbols, [at[s] for s in symbols]))
        mine, name = _longest(named, at)
        if abs(value - mine) > mine * NEAR and name not in regimes:
            ratio = value / mine if mine else Fraction(0)
            point = {s.name: n for s, n in at.items()}
            regimes[name] = Regime(name, sympy.Rational(ratio.numerator, ratio.denominator), point)
    verdict = "different" if regimes else "near"
    found = tuple(regimes[name] for name in named if name in regimes)
    return Audit(None, ours, theirs.how, verdict, None, None, found, (), len(tried))


def _longest(named: Mapping[Name, sympy.Expr], at: Mapping[Any, int]) -> tuple[Fraction, Name]:
    """Return the largest of several values at given sizes, and the first name that has it."""
    values = {name: value_at(form, at) for name, form in named.items()}
    name = max(values, key=values.__getitem__)
    return values[name], name


def _points(dims: Sequence[Any], count: int, most: int, sizes: SizeConstraints) -> Iterator[dict[Any, int]]:
    """Yield the same random sizes each time, up to 2^most, alternately of different and of similar magnitudes.

    Raises RoofproofError if the operation allows none of them.
    """
    random, none = Random(1), True
    for k in range(count):
        like = random.randint(1, most)
        bits = {s: like if k % 2 else random.randint(1, most) for s in dims}
        at = sizes.near(dims, [random.randint(max(1, 2**b // 8), 2**b) for b in bits.values()])
        if at is not None:
            none = False
            yield dict(zip(dims, at, strict=True))
    if none:
        said = " and ".join(map(plain, sizes.conditions))
        raise RoofproofError("found no sizes with <said>; the function was not compared", said=said)
