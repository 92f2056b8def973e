"""One threshold on one chip or many: solved and proved with symbolic ridge points, then evaluated for each chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import sympy

from roofproof.derive.inequalities.cases import Cases, Never, Threshold
from roofproof.derive.inequalities.integers import LAST
from roofproof.derive.roofline.allowed_sizes import Allowed, allowed_sizes
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.derive.roofline.engines import ConvertedFormat, merge_shared_formats
from roofproof.derive.roofline.keeping import Uncalibrated, of_share, share_of
from roofproof.derive.roofline.memory_fit import fits
from roofproof.derive.roofline.missing_rates import without_missing_rates
from roofproof.derive.roofline.own_format import own_note
from roofproof.derive.roofline.ridges import ridge, supplier, supply
from roofproof.derive.roofline.share import Share
from roofproof.errors import MissingFigure, RoofproofError, TooManyCases, Undecided
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.roles import usual_sizes
from roofproof.proofs import ProvedThreshold, threshold
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import PROVED, Known, weakest
from roofproof.proofs.provers.critical_size import Rule, at_sizes, started_at
from roofproof.proofs.provers.roofline import ridge as known_ridge
from roofproof.proofs.provers.rule_of_thumb import misleads
from roofproof.proofs.provers.specialize import derivation_at
from roofproof.proofs.provers.thresholds import drop_infeasible
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import formula_if_defined

CEILINGS: Final = "calibrated ceilings"  # missing if a share cannot be estimated on the chip
OPEN: Final = "a size found"  # missing if none of the sizes searched works and larger ones were not checked


@dataclass(frozen=True, slots=True)
class OnChip:
    """A threshold on one chip: its ridge points and the answer at the sizes, or the specs that are missing.

    `unfit` says that the blocks of the operation do not fit in the chip's memories. For a share of the peak, `share` is
    the estimate used, and `started` is the answer with the startup time included.
    """

    chip: Chip
    known: tuple[Known, ...] = ()
    missing: str = ""
    unfit: bool = False
    share: Share | None = None
    started: tuple[Known, ...] = ()
    alone: ProvedThreshold | None = None  # set if there is no formula for all chips
    exact: bool = False  # the specs of the chip decide the answer, whatever the missing sizes

    @property
    def able(self) -> bool:
        """Whether the chip has the specs, and enough memory for the blocks."""
        return not self.missing and not self.unfit

    @property
    def lack(self) -> tuple[str, str]:
        """The keyword for the reason there is no answer, and the missing spec."""
        if self.unfit:
            return "unfit", ""
        words = {CEILINGS: "no-ceilings", OPEN: "none-found"}
        return (words[self.missing], "") if self.missing in words else ("no-figure", self.missing)

    @property
    def ridges(self) -> dict[str, sympy.Rational]:
        """The ridge points, by symbol."""
        return {str(s.about): s.value for s in self._of("ridge")}

    @property
    def at_sizes(self) -> Threshold | None:
        """The threshold, if the sizes decide it."""
        found = [s.about for s in self._of("at-point") if isinstance(s.about, tuple)]
        return found[0][1].threshold if found else None

    @property
    def integer(self) -> int | None:
        """The smallest compute-bound size, or the largest if the threshold is an upper bound."""
        return _integer(self.known)

    @property
    def started_integer(self) -> int | None:
        """The integer answer with the startup time of the estimate included."""
        return _integer(self.started)

    @property
    def unmet(self) -> bool:
        """Whether there is a threshold, but the operation allows no integer beyond it."""
        return self.at_sizes is not None and self.at_sizes.kind != "never" and self.integer is None

    def _of(self, kind: str) -> list[Statement]:
        return [k.statement for k in self.known if k.statement.kind == kind]


def _integer(known: Sequence[Known]) -> int | None:
    return next((k.statement.integer for k in known if k.statement.kind == "integer"), None)


def on_chip(
    proved: ProvedThreshold | None,
    chip: Chip,
    sizes: Mapping[str, int],
    allowed: Allowed | None = None,
    rule: Rule | None = None,
    share: Share | None = None,
    unfit: bool = False,
) -> OnChip:
    """Evaluate a threshold with symbolic ridge points on a chip.

    The answer stays open if the sizes do not decide it, and there is none if the blocks do not fit. The integer answer
    is an allowed size. With a rule of thumb, the answer is that of the rule, without an integer. A share of the peak
    uses the estimate of this chip.

    >>> from roofproof import chip, op
    >>> proved = threshold(op("matmul"), None, "B")
    >>> sizes = {"D": 4096, "F": 4096}
    >>> there = on_chip(proved, chip("tpu-v5e@scaling-book"), sizes, allowed_sizes(proved.found.op, None, "B", sizes))
    >>> [known.statement.says for known in there.known]        # 240.24/(1 - 240.24 * 2/4096) = 272.2
    ['R = 1.97e14 / 8.2e11 = 9850/41', 'B > 10086400/37059', 'smallest integer B = 273']
    """
    if proved is None:
        return OnChip(chip)
    found = proved.found
    try:
        there = [_on(chip, c, share) for c in found.ceilings]
    except RoofproofError as problem:
        try:
            asked = dict.fromkeys(r for c in found.ceilings for r in (c.compute, supplier(chip, c.channel)))
        except RoofproofError:  # a chip without a link of its own
            return OnChip(chip, missing="link")
        have = {r.resource for r in (*chip.compute, *chip.channels)}
        sized = {r.resource for r in chip.capacities}
        lacking = [f"bandwidth of {r}" if r in sized else r for r in asked if r not in have]
        return OnChip(chip, missing=", ".join(lacking) or str(problem))
    known = tuple(map(known_ridge, there))
    if unfit:
        return OnChip(chip, known, unfit=True, share=share)
    ridges = {c.symbol.name: c.ridge for c in there}
    if (decided := _decided(found.symbolic, {**sizes, **ridges})) is not None:
        there_at = tuple(
            at_sizes(formula_if_defined(found.symbolic_condition), found, {**sizes, **ridges}, decided, None)
        )
        if there_at[0].trust in PROVED:
            return OnChip(chip, (*known, *there_at), share=share, exact=True)
    if rule is not None:
        assert rule.threshold is not None
        answer = rule.threshold.at(ridges)
        return OnChip(chip, (*known, next(at_sizes(rule.condition, found, ridges, answer, None))), share=share)
    values, cases = {**sizes, **ridges}, found.symbolic
    if {s.name for case in cases for s in case.symbols} - {cases.unknown.name, *values}:
        return OnChip(chip, known, share=share)
    found, answer = replace(found, allowed=allowed or found.allowed), cases.at(values)
    integer = found.allowed.integer(answer)
    known += tuple(at_sizes(formula_if_defined(found.symbolic_condition), found, values, answer, integer))
    started = started_at(replace(found, ceilings=tuple(there), point=dict(sizes), at_point=answer))
    return OnChip(chip, known, share=share, started=started)


def _decided(cases: Cases, values: Mapping[str, sympy.Expr | int | None]) -> Threshold | None:
    """Return Never if the given values leave no other case, else None."""
    numbers = {
        s: sympy.sympify(values[s.name], strict=True) for case in cases for s in case.symbols if s.name in values
    }
    if len(numbers) == len({s for case in cases for s in case.symbols} - {cases.unknown}):
        return None
    put = [replace(c, when=c.when.xreplace(numbers)) for c in cases]
    left = drop_infeasible(Cases(cases.unknown, tuple(c for c in put if c.when != sympy.false)))
    return Never() if {c.threshold for c in left} == {Never()} else None


def alone(proved: ProvedThreshold) -> OnChip:
    """Return the row of a threshold that was solved or searched on one chip, without a formula for all chips.

    >>> from roofproof import chip, op
    >>> tiles = op("flops bf16 = 256 ceil(B/128) D F; bytes hbm = 2 D F + 2 B D + 2 B F")
    >>> alone(threshold(tiles, chip("h100-sxm"), "B", {"D": 4096, "F": 4096})).integer         # the third tile
    257
    """
    found, one = proved.found, proved.chip
    assert one is not None
    if found.at_point is None:
        return OnChip(one, tuple(map(known_ridge, found.ceilings)), share=found.share, alone=proved)
    there = at_sizes(formula_if_defined(found.condition), found, {}, found.at_point, found.integer)
    known = (*map(known_ridge, found.ceilings), *there)
    return OnChip(one, known, share=found.share, started=started_at(found), alone=proved)


def _on(chip: Chip, c: Ceiling, share: Share | None) -> Ceiling:
    """Return a comparison with the specs of a chip."""
    figures = (chip.peak(c.compute), supply(chip, c.channel))
    there = replace(c, ridge=ridge(chip, c.compute, c.channel), rests_on=figures)
    return there if share is None else of_share(there, share, c.symbol)


@dataclass(frozen=True, slots=True)
class Comparison:
    """An operation on chips that count it alike, with one proof for all of them: the ridge point is a symbol in it.

    If there is no common formula, `proved` is the threshold on one of the chips, and each row has its own. The chips
    have no spec for the compute units `left_out`. `shared` are formats converted to another one on the same unit.

    >>> from roofproof import chip, op
    >>> [found] = thresholds(op("matmul"), "B", [chip("tpu-v5e"), chip("h100-sxm")], {"D": 4096, "F": 4096})
    >>> [row.integer for row in found.rows]                    # 240.54/(1 - 240.54/2048), 295.22/(1 - 295.22/2048)
    [273, 345]
    """

    op: Operation
    proved: ProvedThreshold
    point: Mapping[str, int]
    rows: tuple[OnChip, ...]
    left_out: tuple[str, ...] = ()
    shared: tuple[ConvertedFormat, ...] = ()

    @property
    def trust(self) -> str:
        """The trust in the whole comparison: the formula, and every number of the rows."""
        return weakest(k for row in self.rows for k in (*self.proved.solved, *self.proved.symbolic, *_all(row)))

    def trust_on(self, row: OnChip) -> str:
        """Return the trust in the answer on one chip."""
        return weakest((*(() if row.alone else self.proved.symbolic), *_all(row)))

    def on(self, row: OnChip) -> Derivation:
        """Return the proof of the formula with the ridge points of a chip substituted, or the chip's own proof."""
        return row.alone.solved if row.alone else derivation_at(self.proved.symbolic, row.ridges)

    @property
    def units(self) -> tuple[str, ...]:
        """The compute units of the operation that are not left out."""
        return tuple(unit for unit in self.op.units if unit not in self.left_out)

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """The ridge points as symbols, one for each ceiling."""
        return tuple(c.symbol for c in self.proved.found.ceilings)

    @property
    def unknown(self) -> sympy.Symbol:
        """The dimension that was solved for."""
        return self.proved.found.unknown

    @property
    def share(self) -> Share | None:
        """The requested share of the peak, or None."""
        return self.proved.found.share

    def able(self) -> Comparison:
        """Return the comparison without the chips that lack a spec or are too small for the blocks.

        Raises RoofproofError if no chip is left.
        """
        rows = tuple(row for row in self.rows if row.able)
        if not rows:
            lack = next(row.missing for row in self.rows if row.missing)
            raise RoofproofError(f"no chip has the specs for {self.op.name}: {lack}")
        return replace(self, rows=rows)

    @property
    def own_format(self) -> str:
        """A Sentence that names the number format of the chips if it is not the usual one, else an empty text."""
        return own_note(self.op) or ""

    @property
    def one_formula(self) -> bool:
        """Whether one formula holds for all chips."""
        return not self.proved.found.at_sizes_only

    @property
    def by_rule(self) -> bool:
        """Whether the given sizes leave the answer open, so that the rule of thumb gives it."""
        needed = {s.name for case in self.proved.found.symbolic for s in case.symbols}
        open_ = not needed <= {self.unknown.name, *(s.name for s in self.symbols), *self.point}
        return open_ and not (self.rows and all(row.exact for row in self.rows if row.able))

    @property
    def pointed(self) -> bool:
        """Whether there are integer answers. A rule of thumb has none, because they would claim too much."""
        return not self.by_rule and any(row.integer is not None for row in self.rows)

    @property
    def rule(self) -> Rule | None:
        """The rule of thumb, if there is exactly one and it contains no sizes."""
        rules = [(r, r.threshold) for r in self.proved.rules if r.threshold is not None]
        if len(rules) != 1 or len(self.symbols) != 1:
            return None
        [(rule, cases)] = rules
        needed = {s.name for case in cases for s in case.symbols} - {self.unknown.name, self.symbols[0].name}
        return None if needed else rule


def _all(row: OnChip) -> tuple[Known, ...]:
    return (*row.known, *row.started, *(row.alone.solved if row.alone else ()))


def thresholds(
    op: Operation,
    unknown: str,
    chips: Sequence[Chip],
    at: Mapping[str, int] | None = None,
    regime: str | None = None,
    share: Fraction | None = None,
    corner: str | None = None,
) -> tuple[Comparison, ...]:
    """Return the thresholds on several chips: where an operation is compute-bound, or keeps a share of the peak.

    Chips that count the operation alike share one comparison: they have specs for the same compute units, and the same
    formats share a unit. If the sizes do not decide, the rule of thumb gives the answer. It must contain no sizes and
    must agree with the exact answer at the usual values of the missing ones.

    >>> from roofproof import chip, op
    >>> tiled, sizes = op("tiled-matmul:b=512,f=512,d=64"), {"D": 8192, "F": 8192}
    >>> [found] = thresholds(tiled, "B", [chip("tpu-v5e"), chip("h100-sxm")], sizes)    # 655360 bytes, of 228 KiB an SM
    >>> [(row.chip.name, str(row.at_sizes), row.unfit) for row in found.rows]
    [('tpu-v5e', 'Always()', False), ('h100-sxm', 'None', True)]
    >>> softmax, both = op("flops bf16 = 9 N; flops exp = N; bytes hbm = 4 N"), [chip("a10"), chip("h100-sxm")]
    >>> [(found.units, found.left_out) for found in thresholds(softmax, "N", both)]
    [(('bf16',), ('exp',)), (('bf16', 'exp'), ())]

    Raises RoofproofError for an empty list of chips, and if there is no threshold on any of them.
    """
    if not chips:
        raise RoofproofError("no chips to compare; name some, as in --chip tpu-v5e --chip h100-sxm, or --chip all")
    groups: dict[object, tuple[Operation, tuple[ConvertedFormat, ...], list[Chip]]] = {}
    lacking: dict[Chip, OnChip] = {}
    for one in chips:
        try:
            counted, shared = merge_shared_formats(without_missing_rates(op, one)[0], one)
        except MissingFigure as lack:
            lacking[one] = OnChip(one, missing=lack.figure)
        else:
            groups.setdefault((*counted.compute.items(), *shared), (counted, shared, []))[2].append(one)
    if not groups:
        raise RoofproofError("no chip has the specs for <op>", op=op.name)
    point = dict(at or {})
    first, *others = (_compared(op, *some, unknown, point, regime, share, corner) for some in groups.values())
    rows = {row.chip: row for row in first.rows} | lacking
    return replace(first, rows=tuple(rows[one] for one in chips if one in rows)), *others


def _compared(
    op: Operation, counted: Operation, shared: tuple[ConvertedFormat, ...], chips: Sequence[Chip],
    unknown: str, point: Mapping[str, int], regime: str | None, share: Fraction | None, corner: str | None,
) -> Comparison:  # fmt: skip
    """Return the thresholds on chips that count an operation alike."""
    used = {*counted.units, *(s.resource for s in shared)}
    left_out = tuple(unit for unit in op.units if unit not in used)
    proved, found = None, None
    with suppress(Undecided, TooManyCases):  # without a common formula, each chip has its own answer
        kept = None if share is None else Share(share, corner or "max")  # the estimate of each chip comes with it
        proved = threshold(counted, None, unknown, point, regime, share=kept)
        found = Comparison(op, proved, point, (), left_out, shared)
    rule = found.rule if found is not None and found.by_rule else None
    open_: list[Undecided] = []

    def there(one: Chip) -> OnChip:
        unfit = not fits(op, one, point)
        if unfit and proved is None:
            return OnChip(one, unfit=True)
        try:
            kept = None if share is None else share_of(counted, one, share, corner)
            if proved is None:
                return alone(threshold(op, one, unknown, point, regime, share=kept))
        except Uncalibrated:
            return OnChip(one, missing=CEILINGS)
        except MissingFigure as lack:
            return OnChip(one, missing=lack.figure)
        except Undecided as problem:
            open_.append(problem)
            return OnChip(one, missing=OPEN)
        row = on_chip(proved, one, point, allowed_sizes(op, one, unknown, point), rule, kept, unfit)
        if rule is not None and rule.threshold is not None and point and row.able and not (regime or row.exact):
            usual = {**usual_sizes(op, point), **row.ridges}
            if misleads(rule.threshold, proved.found.symbolic, usual):
                return replace(row, known=tuple(k for k in row.known if k.statement.kind == "ridge"))
        return row

    rows = tuple(map(there, chips))
    if found is not None:
        return replace(found, rows=rows)
    answered = [row.alone for row in rows if row.alone is not None]
    if not answered:
        raise open_[0] if open_ else RoofproofError("no chip has the specs for <op>", op=op.name)
    return Comparison(op, min(answered, key=lambda each: each.found.searched or LAST), point, rows, left_out, shared)
