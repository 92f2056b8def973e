"""A question to a student about an operation, and its key, the right answer."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.polynomial import lowest_terms
from roofproof.derive.inequalities.cases import Case, Cases, Never, Threshold, bounds, substitute, with_bounds
from roofproof.derive.limits.limits import Limit, check_assumptions, limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.allowed_sizes import Allowed, allowed_sizes
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings, compute_bound
from roofproof.derive.roofline.critical_size import CriticalSize, checked_point, default_regime, threshold
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.intensities import intensity, reduced
from roofproof.derive.roofline.memory_fit import no_larger, requirements
from roofproof.derive.roofline.own_format import for_chip
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError, TooManyCases, Undecided, unknown
from roofproof.hardware import Chip, any_chip
from roofproof.ops import Operation, parse_operation
from roofproof.ops.resources import MEMORY
from roofproof.ops.roles import usual_sizes

if TYPE_CHECKING:
    from roofproof.derive.roofline.communication import Faster
    from roofproof.derive.roofline.share import Share

SOLVED = ("threshold", "smallest", "largest", "rule")
WORKED_OUT = ("intensity", "flops", "bytes", "time", "ridge", "memory", "share")
ASKS = (*SOLVED, *WORKED_OUT, "limit", "bound")
LABELS = ("compute-bound", "memory-bound", "communication-bound")


@dataclass(frozen=True, slots=True)
class Key:
    """A right answer: a value, a threshold, an integer or a label.

    `value` may contain sizes. `threshold` is the threshold of one case, and `when` is the condition of that case.
    `bare` is the threshold without bounds that all allowed sizes meet. `limit` is the limit of the answer in the
    regime, if it differs.
    """

    value: sympy.Expr | None = None
    threshold: Threshold | None = None
    when: sympy.Basic = sympy.true
    integer: int | None = None
    label: str = ""
    limit: Key | None = None
    bare: Threshold | None = None

    @property
    def allowed_threshold(self) -> Threshold | None:
        """The threshold for the allowed sizes."""
        return self.threshold if self.bare is None else self.bare


@dataclass(frozen=True, eq=False)
class Question:
    """A question about an operation, with or without a chip.

    >>> from roofproof import chip, op
    >>> Question(op("matmul"), asks="intensity", regime="D, F >> B").key.limit.value
    B
    >>> Question(op("matmul"), chip("tpu-v5e"), "B", "D, F >> B", {"D": 8192, "F": 8192}, "smallest").key.integer
    256

    `asks` is one of ASKS, `unknown` is the size that a threshold is solved for, and `at` has the given sizes.
    `asks="share"` asks for the FLOPs of the operation as a share of those of `whole`. With `kept`, the threshold is for
    that share of the peak, and with `started`, the start time counts. With `against`, the threshold is for a collective
    to be faster than that other one. `far` marks a question for the limit of an intensity (asks="limit"), and
    `recounted` one with FLOPs counted by the other convention.
    `tolerance` is `digits` (five percent is `close`), `exact`, a share such as `2%`, or `order of magnitude`.
    Raises RoofproofError for an argument that is missing or invalid.
    """

    op: Operation
    chip: Chip | None = None
    unknown: str | None = None
    regime: str | None = None
    at: Mapping[str, int] = field(default_factory=dict)
    asks: str = ""
    tolerance: str = "digits"
    whole: Operation | None = None
    kept: Share | None = None
    against: Operation | None = None
    started: bool = False
    recounted: bool = False
    far: bool = False

    def __post_init__(self) -> None:
        if not self.asks:
            object.__setattr__(self, "asks", "threshold" if self.unknown else "intensity")
        if self.asks not in ASKS:
            raise unknown("quantity", self.asks, ASKS)
        if self.asks == "limit":
            if not self.regime:
                raise RoofproofError("--asks limit needs a --regime, such as 'D, F >> B'")
            object.__setattr__(self, "asks", "intensity")
            object.__setattr__(self, "far", True)
        if self.asks in ("flops", "intensity", "share"):
            object.__setattr__(self, "op", counted_together(self.op))
            object.__setattr__(self, "whole", self.whole and counted_together(self.whole))
        names = self.names
        if self.unknown is not None and self.unknown not in names:
            raise unknown("dimension", self.unknown, names)
        if self.asks in SOLVED and self.unknown is None:
            raise RoofproofError(
                "a <asks> is solved for a size; name it with --for, one of <names>",
                asks=self.asks,
                names=", ".join(names),
            )
        if (self.asks == "share") != (self.whole is not None):
            raise RoofproofError("--asks share needs --of, the other operation")
        if self.kept is not None and self.asks not in SOLVED:
            raise RoofproofError("a share of the peak is kept from a threshold on; name the size with --for")
        if self.against is not None and (self.asks not in SOLVED or self.kept is not None):
            raise RoofproofError("--faster-than needs --for, the size to solve for")
        if self.asks in ("time", "ridge", "memory", "bound") and self.chip is None:
            raise RoofproofError("--asks <asks> needs a --chip", asks=self.asks)
        if self.asks == "bound" and set(names) - set(self.at):
            missing = ", ".join(n for n in names if n not in self.at)
            raise RoofproofError("--asks bound needs every size; give <missing> with --at", missing=missing)
        if self.tolerance not in ("digits", "exact", "order of magnitude"):
            from roofproof.claims.printed import share_of

            share_of(self.tolerance)
        checked_point(self.whole or self.op, self.at, self.unknown, self.chip)
        if self.regime:
            check_assumptions(requirements(self.whole or self.op, self.chip), Regime(self.regime))

    @classmethod
    def of(cls, given: Mapping[str, str], at: Mapping[str, int]) -> Question:
        """Return the question for the options of `roofproof grade` at the given sizes. An empty option is not set.

        >>> Question.of({"op": "matmul", "for": "", "asks": "flops"}, {"B": 8}).key.value
        16*D*F
        """
        on = any_chip(given["chip"]) if given.get("chip") else None
        unknown, regime, asks = given.get("for") or None, given.get("regime") or None, given.get("asks", "")
        whole = parse_operation(given["of"]) if given.get("of") else None
        op, tolerance = for_chip(given["op"], on), given.get("tolerance") or "digits"
        kept = None
        if given.get("share"):
            from roofproof.derive.roofline.keeping import share_of
            from roofproof.derive.roofline.share import share_from

            kept = share_of(op, on, share_from(given["share"]), given.get("corner") or None)
        other = parse_operation(given["against"]) if given.get("against") else None
        if given.get("corner") and not given.get("share"):
            raise RoofproofError("--corner requires --share")
        return cls(op, on, unknown, regime, at, asks, tolerance, whole, kept, other)

    @property
    def names(self) -> list[str]:
        """The names of the sizes."""
        return [s.name for s in self.dims]

    @property
    def dims(self) -> tuple[sympy.Symbol, ...]:
        """The sizes of the operation, and those of `whole` and `against`."""
        others = (each.dims for each in (self.whole, self.against) if each is not None)
        return tuple(dict.fromkeys((*self.op.dims, *chain.from_iterable(others))))

    @cached_property
    def symbols(self) -> dict[str, sympy.Expr]:
        """The symbols for the names in an answer: the sizes, and R, the ridge point."""
        found: dict[str, sympy.Expr] = {}
        if self.against is not None:
            return {s.name: s for s in self.dims} | {s.name: s for s in self.faster.condition.free_symbols}
        with suppress(RoofproofError):  # without FLOPs or without bytes, there is no ridge point
            found = {c.symbol.name: c.symbol for c in self.ceilings} | self.ridges
        return found | {s.name: s for s in self.dims}

    @cached_property
    def ceilings(self) -> tuple[Ceiling, ...]:
        """The ceilings that the operation must exceed to be compute-bound, or reach to keep a share of the peak."""
        if self.against is not None:
            return ()
        return _exceeded(self.op, self.kept, self.chip)

    @cached_property
    def ridges(self) -> dict[str, sympy.Rational]:
        """The ridge points of the chip, by their names in the symbolic threshold."""
        return {c.symbol.name: c.ridge for c in self.ceilings if c.ridge is not None}

    @cached_property
    def faster(self) -> Faster:
        """The condition for the operation to be faster than `against`."""
        from roofproof.derive.roofline.communication import faster

        assert self.against is not None and self.unknown is not None
        return faster(self.op, self.against, self.unknown, self.chip, self.at)

    @cached_property
    def alone(self) -> CriticalSize | None:
        """The threshold at the given sizes, if there is no formula for all sizes, else None."""
        assert self.unknown is not None
        if self.against is not None:
            return None
        if self.started:
            return self._counting_start()
        try:
            critical_size(self.op, None, self.unknown, share=self.kept)
        except (Undecided, TooManyCases):
            return threshold(self.op, self.chip, self.unknown, self.at, share=self.kept)
        return None

    def _counting_start(self) -> CriticalSize:
        assert self.unknown is not None
        found = threshold(self.op, self.chip, self.unknown, self.at, share=self.kept)
        if (late := found.started()) is None:
            raise RoofproofError("there is no start time; leave it out")
        condition, there, last = late
        alone = Cases(found.unknown, (Case(sympy.true, there),))
        return replace(found, condition=condition, cases=alone, at_point=there, searched=last)

    @cached_property
    def with_start(self) -> Question | None:
        """The same question with the start time counted, or None if that does not change the answer.

        >>> given = {"op": "matmul", "chip": "h100-sxm", "for": "B", "asks": "smallest", "share": "0.8"}
        >>> asked = Question.of(given, {"D": 4096, "F": 4096})
        >>> asked.key.integer, asked.with_start.key.integer                        # 5.91 us of 43 us in total
        (375, 782)
        """
        if self.kept is None or not self.kept.start or self.started or self.asks == "rule":
            return None
        if {*self.names} - {*self.at, self.unknown}:
            return None
        late = replace(self, regime=None, started=True)
        with suppress(RoofproofError):
            return late if late.key.threshold != self.key.threshold else None
        return None  # it cannot be solved with the start time

    @cached_property
    def otherwise_counted(self) -> Question | None:
        """The same question with the FLOPs of the other convention: 2 N or 2 N - 1 for a dot product.

        None if both conventions agree, or if the question asks for an exact answer.

        >>> Question(parse_operation("dot"), asks="flops").otherwise_counted.key.value
        2*N
        >>> Question(parse_operation("x:bf16[N], y:bf16[N] -> z:bf16[]"), asks="flops").otherwise_counted.key.value
        2*N - 1
        """
        if self.asks not in ("flops", "intensity") or self.tolerance == "exact" or self.recounted:
            return None
        other = self.op.exact
        if other.compute == self.op.compute and self.op.product is not None and len(self.op.reads) < 3:
            other = self.op.product.operation()
        return None if other.compute == self.op.compute else replace(self, op=other, recounted=True)

    @cached_property
    def key(self) -> Key:
        """The right answer."""
        return worked_out(self)

    @cached_property
    def allowed(self) -> Allowed:
        """The conditions on the unknown from the operation and from the memories of the chip."""
        assert self.unknown is not None
        found = allowed_sizes(self.op, self.chip, self.unknown, self.at)
        last = 0 if self.alone is None else self.alone.searched
        return (
            replace(found, bounds=(*found.bounds, related("<=", found.unknown, sympy.Integer(last)))) if last else found
        )

    @cached_property
    def compared(self) -> Allowed:
        """The conditions in `allowed` as comparisons: a divisor of a size, for example, is not larger than the size."""
        whole = (*self.allowed.whole, sympy.Eq(sympy.Mod(self.allowed.unknown, self.allowed.multiple_of), 0))
        order = (c for c in map(no_larger, whole) if c != sympy.true)
        return Allowed(self.allowed.unknown, (*self.allowed.bounds, *order))

    @property
    def channel(self) -> str:
        """The memory level or link of the bytes in question: the first one that the operation uses."""
        channels = [name for name in self.op.demands if name not in self.op.compute]
        return channels[0] if channels else MEMORY


def right_value(key: Key, asked: Question) -> sympy.Expr | None:
    """Return the single value of a key: the integer, the value or the only bound, or None if there is none."""
    if asked.asks in ("smallest", "largest"):
        return None if key.integer is None else sympy.Integer(key.integer)
    if key.value is not None:
        return key.value
    ends = bounds(key.allowed_threshold) if key.allowed_threshold is not None else ()
    return ends[0] if len(ends) == 1 else None


def worked_out(asked: Question) -> Key:
    """Return the key of a question.

    Raises RoofproofError for a key that cannot be derived: an inequality outside the fragment, a missing chip spec.
    """
    if asked.asks == "bound":
        times = label_times(asked)
        return Key(label=max(times, key=lambda label: times[label]))
    if asked.asks in WORKED_OUT:
        return _value(asked)
    return _solved(asked)


def label_times(asked: Question) -> dict[str, sympy.Expr]:
    """Return the time in seconds for each label of `bound`: the longest of its resources, at the given sizes."""
    assert asked.chip is not None
    times: dict[str, sympy.Expr] = {}
    for name, taken in time(asked.op, asked.chip).items():
        label = LABELS[0] if name in asked.op.compute else LABELS[1] if name == MEMORY else LABELS[2]
        here = substitute(taken, asked.at)
        times[label] = max(times.get(label, here), here)
    return times


def counted(asked: Question, at: Mapping[str, sympy.Expr | int] | None = None) -> sympy.Expr:
    """Return the value that is asked for without cancellation. A time is the longest one, with the sizes in `at`.

    >>> counted(Question(parse_operation("matmul"), asks="intensity"))
    2*B*D*F/(2*B*D + 2*B*F + 2*D*F)
    """
    op, chip = asked.op, asked.chip
    match asked.asks:
        case "ridge":
            return asked.ceilings[0].ridge
        case "memory":
            return least_memory(asked)
        case "time":
            assert chip is not None
            taken = [substitute(t, at or {}) for t in time(merge_shared_formats(op, chip)[0], chip).values()]
            return max(taken, default=sympy.Integer(0)) if all(t.is_number for t in taken) else sympy.Max(*taken)
        case "flops":
            return op.flops
        case "bytes":
            return op.bytes(asked.channel)
    return op.flops / (op.bytes(asked.channel) if asked.whole is None else asked.whole.flops)


def counted_together(op: Operation) -> Operation:
    """Return an operation with the FLOPs of all compute units on its first one, as answers on paper count them.

    >>> counted_together(parse_operation("softmax")).flops           # 4 B N on the vector unit, B N exponentials
    5*B*N
    """
    if len(op.units) < 2:
        return op
    unit, exact = op.units[0], op.exact_compute
    work = {unit: sympy.Add(*op.compute.values())}
    whole = None if exact is None else {unit: sympy.Add(*exact.values())}
    return op.as_one_kernel(work=work, exact=whole)


def least_memory(asked: Question) -> sympy.Expr:
    """Return the bytes of on-chip memory up to which no schedule is compute-bound at the ridge point of the chip.

    >>> from roofproof import chip, op
    >>> least_memory(Question(op("matmul"), chip("bf16=200 TFLOP/s, hbm=1 TB/s"), asks="memory"))     # 8 R^2, R = 200
    320000
    """
    from roofproof.bounds import nest_of, regions_of  # an optional package

    regions = regions_of(nest_of(asked.op))
    found = regions.never_below
    if found is None or regions.full:
        raise RoofproofError("what <op> can reach does not depend on the memory", op=asked.op.name)
    here: sympy.Expr = found.subs(regions.ridge, asked.ceilings[0].ridge)
    if not here.is_Rational:
        raise RoofproofError("the memory that <op> needs is not a fraction; ask for another product", op=asked.op.name)
    return here


def _value(asked: Question) -> Key:
    if asked.asks in ("ridge", "time", "memory"):
        return Key(value=substitute(counted(asked, asked.at), asked.at))
    exact = _exact(asked)
    if asked.far:
        return _limit(exact, asked) or Key(value=substitute(exact, asked.at))
    return Key(value=substitute(exact, asked.at), limit=_limit(exact, asked))


def _exact(asked: Question) -> sympy.Expr:
    """Return a count, or a quotient of two counts, as a formula before sizes are substituted."""
    if asked.asks == "intensity":
        return intensity(asked.op, asked.channel).value
    return counted(asked) if asked.whole is None else sympy.cancel(counted(asked))


def _limit(exact: sympy.Expr, asked: Question) -> Key | None:
    """Return the limit of a value in the regime. Without a regime, all open sizes of an intensity grow."""
    every = sorted({s.name for s in exact.free_symbols} - {*asked.at})
    regime = asked.regime or (f"{', '.join(every)} -> oo" if every and asked.asks == "intensity" else "")
    if not regime:
        return None
    try:
        found = limit(exact, regime)
    except RoofproofError:
        if asked.regime:
            raise
        return None  # the limit depends on which size grows faster
    stands = found.leading_value
    if stands == 0 or not stands.is_finite or lowest_terms(stands - exact) == 0:
        return None
    return Key(value=substitute(stands, asked.at))


def regime_limit(asked: Question) -> Limit | None:
    """Return the limit that the key has in the regime of a question, or None."""
    if not asked.regime or asked.key.value is None or (asked.key.limit is None and not asked.far):
        return None
    return limit(_exact(asked), asked.regime)


def _solved(asked: Question) -> Key:
    assert asked.unknown is not None
    rule = _rule(asked)
    if asked.asks == "rule":
        if rule is None:
            raise RoofproofError(
                "no rule of thumb for <unknown> in the regime; ask for the threshold", unknown=asked.unknown
            )
        return rule
    cases = symbolic_cases(asked)
    found = _key_of(cases, asked)
    if asked.asks == "threshold":
        return replace(found, limit=rule)
    missing = {s.name for c in cases for s in c.symbols} - {asked.unknown, *asked.ridges, *asked.at}
    if missing:
        raise RoofproofError(
            "the <asks> integer needs <names>; give it with --at", asks=asked.asks, names=", ".join(sorted(missing))
        )
    assert found.threshold is not None
    near = None
    if rule is not None and rule.threshold is not None:
        with suppress(RoofproofError):  # the rule may have no largest integer
            near = Key(threshold=rule.threshold, integer=_integer(rule.threshold, asked))
    whole = _integer(found.threshold, asked)
    there = found.threshold if whole or _untold(found.threshold) else Never()  # no integer is allowed
    return Key(threshold=there, integer=whole, label="" if whole else there.kind, limit=near)


def _rule(asked: Question) -> Key | None:
    """Return the threshold from the limit of the intensity in the regime, or None."""
    assert asked.unknown is not None
    regime = asked.regime
    if not regime and asked.asks == "rule":
        usual = default_regime(asked.op, asked.unknown, asked.chip)
        regime = None if usual is None else usual.text
    cases = _rules(asked.op, asked.unknown, regime, asked.kept) if regime else None
    if cases is None and regime and not asked.regime and Regime(regime).growing == (asked.unknown,):
        from roofproof.proofs.provers.rule_of_thumb import is_short

        exact = symbolic_cases(asked)  # only the unknown grows, so the exact threshold is the rule
        return _key_of(exact, asked) if is_short(exact) else None
    if cases is None or not (asked.regime or _worth_saying(cases, Regime(regime or ""), asked)):
        return None
    return _key_of(cases, asked)


def _worth_saying(rule: Cases, regime: Regime, asked: Question) -> bool:
    from roofproof.proofs.provers.rule_of_thumb import worth_saying

    assert asked.unknown is not None
    sizes = {**usual_sizes(asked.op, asked.at), **asked.ridges} if asked.at else {}
    return worth_saying(rule, regime, symbolic_cases(asked), sizes)


def symbolic_cases(asked: Question) -> Cases:
    """Return the threshold with the ridge point as a symbol."""
    assert asked.unknown is not None
    if asked.against is not None:
        return asked.faster.cases
    if (alone := asked.alone) is not None:
        return alone.cases
    return critical_size(asked.op, None, asked.unknown, share=asked.kept).symbolic


def _exceeded(op: Operation, kept: Share | None, chip: Chip | None = None) -> tuple[Ceiling, ...]:
    """Return the ceilings that an operation must exceed to be compute-bound, or reach to keep a share of the peak."""
    if kept is None:
        return ceilings(op, chip)
    from roofproof.derive.roofline.keeping import keeping

    return keeping(op, kept, chip)


@lru_cache(maxsize=512)
def _rules(op: Operation, unknown: str, regime: str, kept: Share | None) -> Cases | None:
    from roofproof.proofs.provers.rule_of_thumb import rule_of_thumb

    x = next(s for s in op.dims if s.name == unknown)
    condition = compute_bound(_exceeded(op, kept), symbolic=True)
    cases, _ = rule_of_thumb(condition, x, Regime(regime)) or (None, ())
    return None if cases is None or not any(bounds(c.threshold) for c in cases) else cases


critical_size = lru_cache(maxsize=512)(threshold)


def _key_of(cases: Cases, asked: Question) -> Key:
    """Return the threshold at the given specs and sizes, or the case that is not `never` if sizes remain open."""
    given = {**asked.ridges, **asked.at}
    some = {s.name for c in cases for s in c.symbols} - {asked.unknown}
    when = sympy.true
    if some <= set(given):
        there = cases.at(given)
    else:
        some_size = (c for c in cases if not isinstance(c.threshold, Never))
        others = (c for c in cases if isinstance(c.threshold, Never))
        conditions = ((c, substitute(c.when, given)) for c in (*some_size, *others))
        main, when = next((c, when) for c, when in conditions if when != sympy.false)
        there = (
            main.threshold if asked.against else with_bounds(main.threshold, lambda b: reduced(substitute(b, given)))
        )
    told = all(b.is_number and not too_long(b) for b in bounds(there))
    bare = asked.compared.drop_vacuous_bounds(there) if told else there
    return Key(threshold=there, when=when, label=bare.kind if not bounds(bare) else "", bare=bare)


def _integer(threshold: Threshold, asked: Question) -> int | None:
    """Return the smallest or largest integer in a threshold that the conditions on the unknown allow."""
    assert asked.unknown is not None
    if _untold(threshold):
        return None
    allowed = asked.allowed
    largest = asked.asks == "largest" if asked.asks in ("smallest", "largest") else None
    found = allowed.integer(threshold, largest)
    if found is None and largest and allowed.integer(threshold, False) is not None:
        raise RoofproofError(
            "there is no largest <unknown>: it is compute-bound at every larger one, too; ask for the smallest",
            unknown=asked.unknown,
        )
    return found


def _untold(threshold: Threshold) -> bool:
    """Return whether the bounds of a threshold are too long to write down."""
    return any(map(too_long, bounds(threshold)))
