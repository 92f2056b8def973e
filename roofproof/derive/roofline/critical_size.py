"""Thresholds: the sizes at which an operation is compute-bound, solved for one of its dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.answer import Shown
from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Case, Cases, Threshold, bounds, substitute
from roofproof.derive.limits.limits import false_in_limit, positive_from_one, sign_from_one
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.allowed_sizes import Allowed, allowed_sizes
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings, compute_bound
from roofproof.derive.roofline.engines import ConvertedFormat, merge_shared_formats
from roofproof.derive.roofline.memory_fit import assumptions, check_requirements, fitting
from roofproof.derive.roofline.missing_rates import IgnoredUnit, without_missing_rates
from roofproof.derive.solve import limit_of, solve
from roofproof.errors import RoofproofError, TooManyCases, Undecided, quoted, refuse_unknown
from roofproof.formula.logarithm import exp2, log2
from roofproof.ops import Operation
from roofproof.ops.roles import role_of, shared_over, usual_sizes
from roofproof.ops.tensor import is_positive

if TYPE_CHECKING:
    from roofproof.derive.roofline.share import Share
    from roofproof.hardware import Chip

LONGEST = 2**20  # the largest exponent that may depend on sizes


@dataclass(frozen=True, slots=True)
class CriticalSize(Shown):
    """The sizes at which an operation is compute-bound, as cases for one dimension.

    `cases` solve `condition`. `symbolic` are the cases with the ridge point as a symbol, equal to `cases` without a
    chip. `assume` holds their assumptions: nothing is shared by less than one chip, the conditions of the operation
    are true, and sizes are at least 1. `facts` follow from these and were used. `at_point` is the threshold at the
    sizes `point`, and `integer` the smallest integer there that the operation allows (for an upper bound, the largest).
    `left_out` are demands for which the chip has no spec. `at_sizes_only` says that there is no closed form, so that
    everything holds only at the given sizes. If there is none even there, `searched` is the last integer for which the
    condition was checked, else 0. `shared` are formats whose FLOPs were converted to another on the same compute unit.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> half = chip_from_text("bf16=2 FLOP/s, hbm=4 B/s")         # ridge 2/4 FLOP/B
    >>> found = threshold(parse_operation("bf16[B,D], bf16[D] -> bf16[B]"), half, "B", {"D": 3})
    >>> found.condition, found.integer                         # 2BD > 1/2 (2BD + 2D + 2B); at D = 3 for B > 1.5
    (B*D > B*D/2 + B/2 + D/2, 2)
    """

    op: Operation
    unknown: sympy.Symbol
    ceilings: tuple[Ceiling, ...]
    condition: Boolean
    cases: Cases
    symbolic_condition: Boolean
    symbolic: Cases
    assume: tuple[Boolean, ...]
    facts: tuple[Boolean, ...]
    point: Mapping[str, int]
    at_point: Threshold | None
    allowed: Allowed
    left_out: tuple[IgnoredUnit, ...] = ()
    at_sizes_only: bool = False
    searched: int = 0
    shared: tuple[ConvertedFormat, ...] = ()

    def __str__(self) -> str:
        return str(self.cases)

    def threshold_at(self, values: Mapping[str, object]) -> Threshold:
        """Return the threshold at given sizes and ridge points, by name.

        Raises RoofproofError if one is missing.
        """
        if self.searched:
            raise Undecided(
                "<what> has no closed form; roofproof searched it at the specs of the chip", what=plain(self.condition)
            )
        if not self.at_sizes_only:
            return self.symbolic.at(values)
        return solve(substitute(self.symbolic_condition, values), self.unknown).at({})

    @property
    def supposed(self) -> tuple[Boolean, ...]:
        """The assumptions about the sizes: those of the operation's formulas, and those of the cases.

        >>> from roofproof.ops import parse_operation
        >>> threshold(parse_operation("sliding-window-attention"), None, "L").supposed
        (W <= L, W >= 1)
        """
        return tuple(dict.fromkeys((*assumptions(self.op), *self.assume)))

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """The symbols of the cases: sizes, and ridge points without a chip."""
        sizes = (self.unknown,) if self.at_sizes_only else self.op.dims
        return (*sizes, *(c.symbol for c in self.ceilings if c.ridge is None))

    @property
    def is_partly_given(self) -> bool:
        """Whether the cases contain some of the given sizes, and also symbols without a value."""
        needed = {s.name for c in self.cases for s in c.symbols} - {self.unknown.name}
        return not needed.isdisjoint(self.point) and not needed <= set(self.point)

    @property
    def share(self) -> Share | None:
        """The requested share of the peak, or None."""
        return self.ceilings[0].share

    def started(self) -> tuple[Boolean, Threshold, int] | None:
        """Return (condition, threshold, last) at the point, with the startup time of the estimate included.

        `last` is the last integer searched, or 0 without a search. Returns None if there is no startup time, or if a
        size is left open.
        """
        [ceiling, *_] = self.ceilings
        if self.at_point is None or ceiling.share is None or not ceiling.share.start or ceiling.ridge is None:
            return None
        from roofproof.derive.roofline.estimates import with_start

        condition = substitute(with_start(ceiling), self.point)
        if condition.free_symbols - {self.unknown}:
            return None
        cases, last = solved_at_sizes(condition, self.unknown, () if self.searched else self.assume)
        return condition, cases.at({}), last

    @property
    def integer(self) -> int | None:
        """The integer answer at the point: smallest for a lower bound, largest for an upper one."""
        return None if self.at_point is None else self.allowed.integer(self.at_point)


def threshold(
    op: Operation,
    chip: Chip | None,
    unknown_name: str,
    at: Mapping[str, int] | None = None,
    multiple_of: int = 1,
    share: Share | None = None,
) -> CriticalSize:
    """Return the sizes at which `op` is compute-bound on `chip`, or keeps a share of its peak, for one dimension.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> found = threshold(parse_operation("matmul"), chip("tpu-v5e@scaling-book"), "B", {"D": 4096, "F": 4096})
    >>> print(found.symbolic)                                  # BDF/(BD + DF + BF) > R, R = 1.97e14/8.2e11
    B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
    never                          otherwise
    >>> found.at_point, found.integer                          # 240.24 / (1 - 240.24 * 2/4096) = 272.17
    (Above(at=10086400/37059, strict=True), 273)

    Without a chip the ridge point stays the symbol R. Raises RoofproofError for an unknown dimension, for sizes that
    are not positive integers, and for inequalities outside the fragment of the solver.
    """
    op.refuse_lower_bound()
    whole, asked = op, {s.name for s in op.dims}
    op, gone = without_missing_rates(op, chip)
    op, shared = merge_shared_formats(op, chip)
    left = asked - {s.name for s in op.dims}  # sizes that occur only in demands that are left out
    dims = {s.name: s for s in op.dims}
    if unknown_name in left and chip is not None:
        raise _unknown_left_out(unknown_name, chip, gone)
    refuse_unknown("dimension", unknown_name, dims)
    x = dims[unknown_name]
    given = checked_point(whole, at or {}, unknown_name, chip)
    point = {n: size for n, size in given.items() if n not in left}
    if multiple_of < 1:
        raise RoofproofError(f"multiple of {multiple_of}: expected a positive integer")
    limits = ceilings(op, chip) if share is None else _keeping(op, share, chip)
    condition, symbolic_condition = compute_bound(limits), compute_bound(limits, symbolic=True)
    assume = (*(at_least_one(s) for s in shared_over(op) if s != x), *stated(op, x))
    at_sizes_only, searched, facts = False, 0, ()
    try:
        _refuse_vanishing(condition, point)
        signs = with_logarithms(condition, x)
        conditions = condition, symbolic_condition
        cases, symbolic, assume, facts = _solved(conditions, x, (*assume, *signs), limits_of(op, x))
    except RoofproofError as problem:
        if open_ := condition.free_symbols - {x} - {dims[name] for name in point}:
            raise _with_sizes(problem, op, {s.name for s in open_ & set(dims.values())}, chip) from None
        at_sizes_only = True  # with a number for every other symbol, the roots of the unknown can be isolated
        condition, symbolic_condition = substitute(condition, point), substitute(symbolic_condition, point)
        assume = tuple(a for a in (substitute(a, point) for a in assume) if a != sympy.true)
        with suppress(Undecided):  # the search can do without these
            assume += with_logarithms(condition, x)
        cases, searched = solved_at_sizes(condition, x, assume)
        symbolic, assume = cases, among(x, searched) if searched else assume
    needed = {s.name for c in cases for s in c.symbols} - {x.name}
    at_point = cases.at(point) if needed <= set(point) else None
    if at_point is not None and any(b.has(exp2) for b in bounds(at_point)):
        from roofproof.derive.algebra.exact_comparison import too_long

        if any(map(too_long, bounds(at_point))):
            at_point = None  # the integer would be too long to write down
    allowed = allowed_sizes(op, chip, unknown_name, given, multiple_of)  # conditions may contain the sizes left out
    return CriticalSize(
        op, x, limits, condition, cases, symbolic_condition, symbolic, assume, facts, point, at_point, allowed, gone,
        at_sizes_only, searched, shared,
    )  # fmt: skip


def solved_at_sizes(condition: Boolean, x: sympy.Symbol, assume: Iterable[Boolean] = ()) -> tuple[Cases, int]:
    """Return the cases of a condition on a single size, and the last integer searched, or 0 without a search.

    >>> B = sympy.Symbol("B", positive=True, integer=True)
    >>> solved_at_sizes(B > 240, B)[1], solved_at_sizes(128 * sympy.ceiling(B / 128) + sympy.sqrt(B) > 300, B)
    (0, (Cases(unknown=B, cases=(Case(when=True, threshold=Above(at=257, strict=False)),)), 1073741824))
    """
    try:
        return solve(condition, x, assume), 0
    except Undecided as problem:
        return _found_among(condition, x, problem)


def _found_among(condition: Boolean, x: sympy.Symbol, problem: RoofproofError) -> tuple[Cases, int]:
    """Return the answer among the integers searched, and the last of these.

    Raises Undecided if none of them satisfies the condition: larger ones are not checked, so it is not a "never".
    """
    from roofproof.derive.inequalities.integers import among_whole_numbers

    there, last = among_whole_numbers(condition, x)
    if there.kind == "never":
        raise Undecided(
            "<problem>; no integer <x> from 1 to <last> satisfies it, and larger values were not checked",
            problem=problem.said, x=x.name, last=last,
        )  # fmt: skip
    return Cases(x, (Case(sympy.true, there),)), last


def _refuse_vanishing(condition: Boolean, point: Mapping[str, int]) -> None:
    """Raise Undecided for a floor that is 0 at the sizes, because the cases of a closed form may divide by it.

    >>> B, D = (sympy.Symbol(n, positive=True, integer=True) for n in "BD")
    >>> _refuse_vanishing(B * sympy.floor(D / 3) > 2, {"D": 1})
    Traceback (most recent call last):
    roofproof.errors.Undecided: floor(D/3) is 0 at these sizes
    """
    for part in sorted(condition.atoms(sympy.floor), key=sympy.default_sort_key):
        if substitute(part, point) == 0:
            raise Undecided("<what> is 0 at these sizes", what=plain(part))


def solve_at_sizes(found: CriticalSize) -> CriticalSize:
    """Return the threshold solved only at the given sizes, for a closed form that could not be proved.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> found = threshold(parse_operation("matmul"), chip("tpu-v5e"), "B", {"D": 4096, "F": 4096})
    >>> print(solve_at_sizes(found).cases)                        # 240.54 / (1 - 240.54 * 2/4096)
    B > 50432000/185039
    """
    condition = substitute(found.condition, found.point)
    assume = tuple(put for a in found.assume if (put := substitute(a, found.point)) != sympy.true)
    return _restrict_to_sizes(found, solve(condition, found.unknown, assume), assume)


def searched_for(found: CriticalSize) -> CriticalSize:
    """Return the threshold found by search at the given sizes, for one that could not be proved.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> found = threshold(parse_operation("matmul"), chip("tpu-v5e"), "B", {"D": 4096, "F": 4096})
    >>> found.at_point.at, searched_for(found).at_point.at
    (50432000/185039, 273)
    """
    x = found.unknown
    condition = substitute(found.condition, found.point)
    cases, last = _found_among(condition, x, Undecided("no proof of the closed form was found"))
    return replace(_restrict_to_sizes(found, cases, among(x, last)), searched=last)


def _restrict_to_sizes(found: CriticalSize, cases: Cases, assume: tuple[Boolean, ...]) -> CriticalSize:
    """Return a threshold restricted to the given sizes."""
    condition, symbolic = (substitute(c, found.point) for c in (found.condition, found.symbolic_condition))
    return replace(found, condition=condition, cases=cases, symbolic_condition=symbolic, symbolic=cases, facts=(),
                   assume=assume, at_point=cases.at({}), at_sizes_only=True)  # fmt: skip


def among(x: sympy.Symbol, last: int) -> tuple[Boolean, ...]:
    """Return the conditions that a size is among those searched, from 1 to `last`.

    >>> among(sympy.Symbol("B", positive=True), 1024)
    (B >= 1, B <= 1024)
    """
    return at_least_one(x), related("<=", x, sympy.Integer(last))


def _with_sizes(problem: RoofproofError, op: Operation, names: set[str], chip: Chip | None) -> RoofproofError:
    """Return an error about a missing closed form with the cure: a chip, and numbers for the open sizes."""
    if not isinstance(problem, Undecided | TooManyCases):
        return problem
    usual = {name: size for name, size in usual_sizes(op, {}).items() if name in names}
    options = ["--chip h100-sxm"] * (chip is None) + [f"--at {listed_sizes(usual)}"] * bool(usual)
    if isinstance(problem, TooManyCases) and len(channels := [c for c in op.demands if c not in op.compute]) > 1:
        told = "<problem>, as in <options>; or ask over one level, --level <level>, in Python over_level(op, '<level>')"
        return TooManyCases(told, problem=problem.said, options=" ".join(options), level=channels[-1])
    if not options or isinstance(problem, TooManyCases):
        return problem
    return Undecided("<problem>; to search, give every other name a number, as in <options>",
                     problem=problem.said, options=" ".join(options))  # fmt: skip


def listed_sizes(sizes: Mapping[str, int]) -> str:
    """Return sizes as the command line takes them.

    >>> listed_sizes({"D": 4096, "F": 16384})
    'D=4096,F=16384'
    """
    return ",".join(f"{name}={size}" for name, size in sizes.items())


def _keeping(op: Operation, share: Share, chip: Chip | None) -> tuple[Ceiling, ...]:
    from roofproof.derive.roofline.keeping import keeping

    return keeping(op, share, chip)


def _unknown_left_out(name: str, chip: Chip, gone: tuple[IgnoredUnit, ...]) -> RoofproofError:
    """Return the error for a dimension that matters only for compute units without a spec on the chip."""
    lacking = [g.resource for g in gone if name in {s.name for s in g.amount.free_symbols}]
    listed = " and ".join(map(quoted, lacking))
    cure = chip.with_figure(lacking[0], "FLOP/s")
    return RoofproofError(f"{name} matters only for {listed}, and chip {quoted(chip.name)} has no spec for it; {cure}")


def _solved(
    conditions: tuple[Boolean, Boolean], x: sympy.Symbol, assume: tuple[Boolean, ...], within: tuple[Boolean, ...]
) -> tuple[Cases, Cases, tuple[Boolean, ...], tuple[Boolean, ...]]:
    """Return the cases of two conditions, their assumptions, and the facts that follow from these and were used.

    The limits `within` of the unknown size are assumed only if they change the cases.
    """
    condition, symbolic_condition = conditions

    def both(given: tuple[Boolean, ...]) -> tuple[Cases, Cases]:
        cases = solve(condition, x, given)
        return cases, cases if condition == symbolic_condition else solve(symbolic_condition, x, given)

    cases, symbolic = both(assume)
    if within and (bare := both((*assume, *within))) != (cases, symbolic):
        (cases, symbolic), assume = bare, (*assume, *within)
    if facts := tuple(fact for fact in decided_by_sizes((*cases, *symbolic)) if fact not in assume):
        cases, symbolic = both((*assume, *facts))
        sizes = sorted({s for fact in facts for s in fact.free_symbols if s.is_integer}, key=str)
        assume = tuple(dict.fromkeys((*assume, *map(at_least_one, sizes))))
    return cases, symbolic, assume, tuple(fact for fact in facts if fact not in assume)


def at_least_one(size: sympy.Symbol) -> Boolean:
    """Return the condition that a size is at least 1."""
    return related(">=", size, sympy.Integer(1))


def with_logarithms(condition: Boolean, x: sympy.Symbol) -> tuple[Boolean, ...]:
    """Return the assumed signs of logarithms: positive for other sizes, not negative for the unknown.

    >>> from roofproof.symbols import dimension
    >>> B, D = dimension("B"), dimension("D")
    >>> with_logarithms(B*log2(D) > 3, B), with_logarithms(log2(B)**2 > 3, B)
    ((D > 1,), (B >= 1,))

    Raises Undecided for the logarithm of a product or a sum of other sizes.
    """
    if not condition.has(log2):
        return ()
    others = sorted((f for f in condition.atoms(log2) if x not in f.free_symbols), key=str)
    for each in others:
        if not each.args[0].is_Symbol and each.free_symbols:
            raise Undecided("<what> may not be positive; set the sizes in it", what=plain(each))
    from roofproof.derive.logarithms import curved

    positive = tuple(related(">", f.args[0], sympy.Integer(1)) for f in others if f.free_symbols)
    return (*positive, *((at_least_one(x),) if curved(condition, x) else ()))


def stated(op: Operation, unknown: sympy.Symbol) -> tuple[Boolean, ...]:
    """Return the comparisons of sizes that an operation states, except those with the unknown."""
    return tuple(
        c for c in op.conditions
        if isinstance(c, Relational) and c.rel_op in ("<", "<=", ">", ">=") and unknown not in c.free_symbols
    )  # fmt: skip


def limits_of(op: Operation, unknown: sympy.Symbol) -> tuple[Boolean, ...]:
    """Return the limits that an operation states for the unknown size.

    >>> from roofproof.ops import parse_operation
    >>> window = parse_operation("sliding-window-attention")
    >>> limits_of(window, next(s for s in window.dims if s.name == "W"))
    (W <= L,)
    """
    return tuple(c for c in op.conditions if limit_of(c, unknown) is not None)


def decided_by_sizes(cases: Iterable[Case]) -> tuple[Boolean, ...]:
    """Return the facts about sizes of at least 1 that decide a comparison in a case.

    >>> from roofproof.derive.inequalities.cases import Never
    >>> from roofproof.symbols import dimension
    >>> P, R = dimension("P"), dimension("R")
    >>> decided_by_sizes([Case(related("<", P + R, sympy.Integer(1)), Never())])         # at least 1 + 1
    (P + R > 1,)
    >>> decided_by_sizes([Case(related("<", P, sympy.Integer(1)), Never())])
    (P >= 1,)
    """
    compared = {(r.lhs, r.rhs) for case in cases for r in case.when.atoms(Relational)}
    ways = sorted((pair for a, b in compared for pair in ((a, b), (b, a))), key=str)
    found = (related(sign, a, b) for a, b in ways if (sign := _above(a - b)))
    return tuple(dict.fromkeys(fact for fact in found if any(s.is_integer for s in fact.free_symbols)))


def _above(difference: sympy.Expr) -> str:
    """Compare a difference with zero, for all sizes of at least 1: `>`, `>=`, or an empty text if neither holds.

    >>> from roofproof.symbols import dimension
    >>> P, R = dimension("P"), dimension("R")
    >>> _above(7 - 2/P - 3/(P*R)), _above(P*R - 1), _above(P - R)                 # at least 7 - 5, at least 0, any sign
    ('>', '>=', '')
    """
    ring = Ring.of(difference)
    num, den = ring.fraction(difference)
    whole = sign_from_one(ring, num) == 1 == sign_from_one(ring, den)
    if whole and positive_from_one(ring, num):
        return ">"
    if all(atom.is_Symbol or atom.is_Pow for atom in ring.atoms):
        return ">=" if whole else ""  # SymPy would find nothing more, and is slow
    return ">" if is_positive(difference) else ">=" if whole else ""


def checked_point(
    op: Operation, at: Mapping[str, int], besides: str | None = None, chip: Chip | None = None
) -> dict[str, int]:
    """Return the sizes after checking that each names a dimension, is a positive integer, and meets all assumptions."""
    names = [s.name for s in op.dims]
    for name, size in at.items():
        refuse_unknown("dimension", name, names)
        if name == besides:
            raise RoofproofError(f"{name} is what is solved for; leave it out of the sizes")
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise RoofproofError(f"size {quoted(f'{name}={size}')}: expected a positive integer")
    refuse_long_powers(op, at)
    check_requirements(op, chip, at)
    return dict(at)


def refuse_long_powers(op: Operation, at: Mapping[str, int]) -> None:
    """Raise RoofproofError for sizes at which a power in a demand, such as (1 - k/E)^B, has too many digits."""
    if not at:
        return
    for power in sorted({p for amount in op.demands.values() for p in amount.atoms(sympy.Pow)}, key=str):
        if power.exp.free_symbols and power.exp.free_symbols <= {s for s in op.dims if s.name in at}:
            exponent = substitute(power.exp, at)
            if exponent > LONGEST:
                raise RoofproofError(f"{op.name}: the exponent of {power} is {exponent}; expected at most {LONGEST}")


def default_regime(op: Operation, unknown_name: str | None, chip: Chip | None = None) -> Regime | None:
    """Return the regime of the usual rule of thumb: all other sizes that may grow, or the unknown if there are none.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> default_regime(parse_operation("matmul"), "B")                      # two widths and a batch
    Regime('D, F >> B')
    >>> default_regime(parse_operation("attention-core"), "L")              # heads and their width are fixed
    Regime('L -> oo')

    The role of a size says whether it may grow (ops/roles.toml). Sizes on which the condition does not depend are left
    out. So are sizes that the operation limits by the unknown, and sizes with which blocks would outgrow a memory of
    the chip.
    """
    names = [s.name for s in op.dims if role_of(op, s.name).grows]
    if unknown_name is None:
        alone = len(names) == 1 and {s for s in op.dims if s.name not in names} <= set(shared_over(op))
        return Regime.of((names[0],)) if alone else None
    try:
        needed = {s.name for s in compute_bound(ceilings(without_missing_rates(op, chip)[0], chip)).free_symbols}
    except RoofproofError:  # there is no threshold, so there is no rule
        needed = set(names)
    least = {str(c.lhs) for c in op.conditions if isinstance(c, sympy.Le) and str(c.rhs) == unknown_name}
    held = {n for n in names if any(false_in_limit(fits, Regime.of((n,))) for fits in fitting(op, chip))}
    may = [n for n in names if n not in held]
    counted = role_of(op, unknown_name).name == "nonzeros"  # a matrix has no fewer of these than rows or columns
    if others := tuple(n for n in may if n != unknown_name and n in needed - least and not counted):
        return Regime.of(others, (unknown_name,))
    return Regime.of((unknown_name,)) if unknown_name in may else None
