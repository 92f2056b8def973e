"""Atlas: the thresholds of many operations on many chips, each solved and proved once with a symbolic ridge point.

For one more chip the kernel puts its ridge point into the theorems; nothing is solved or searched again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Case, Cases, Threshold, bounds, substitute, with_bounds
from roofproof.derive.roofline.allowed_sizes import allowed_sizes
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings, compute_bound
from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.estimates import with_start
from roofproof.derive.roofline.intensities import reduced
from roofproof.derive.roofline.keeping import Uncalibrated, keeping, share_of
from roofproof.derive.roofline.memory_fit import check_requirements, fits
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.roofline.share import Share
from roofproof.derive.roofline.unpriced_demands import with_figures
from roofproof.derive.solve import solve
from roofproof.errors import MissingFigure, RoofproofError, Undecided, refuse_unknown
from roofproof.hardware import Chip
from roofproof.ops import Operation, entries, parse_operation
from roofproof.ops.library import from_library
from roofproof.ops.notation.operation_file import file_named
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.specialize import derivation_at
from roofproof.proofs.provers.thresholds import certify, without_impossible
from roofproof.proofs.translate import to_formula, to_term

Ridge: TypeAlias = "Fraction | sympy.Expr"
"""A ridge point: peak over bandwidth, or such times what a share of the peak comes to."""


@dataclass(frozen=True, slots=True)
class AtlasRow:
    """Where an operation is compute-bound on one chip, for one dimension: the symbolic cases, proved at its ridges.

    `left_out` are the engines of which the chip has no figure, and which the answer is without.

    >>> from roofproof import chip, op
    >>> [row] = atlas([op("matmul")], [chip("tpu-v5e@scaling-book")], ["B"])
    >>> print(row.cases)
    B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
    never                          otherwise
    >>> row.ridges, row.derivation.trust                      # 1.97e14 FLOP/s / 8.2e11 B/s
    ({'R': Fraction(9850, 41)}, 'kernel')
    >>> row.integer({"D": 4096, "F": 4096})                    # B > 240.24/(1 - 2*240.24/4096) = 272.17
    273
    """

    op: Operation
    chip: str
    compute: str
    unknown: sympy.Symbol
    ridges: Mapping[str, Ridge]
    cases: Cases
    derivation: Derivation
    on: Chip
    left_out: tuple[str, ...] = ()
    kept: Ceiling | None = None  # where a share of the peak is asked: the comparison that says so, on this chip

    @property
    def threshold(self) -> Cases:
        """The cases with the ridge points put in; a case that they rule out is left out."""
        symbols = {s.name: s for c in self.cases for s in c.symbols}
        values = {symbols[n]: exact(r) for n, r in self.ridges.items() if n in symbols}
        made = [
            Case(c.when.xreplace(values), with_bounds(c.threshold, lambda b: reduced(b.xreplace(values))))
            for c in self.cases
        ]
        kept = tuple(c for c in made if c.when != sympy.false)
        return Cases(self.unknown, kept if len(kept) > 1 else (Case(sympy.true, kept[0].threshold),))

    def at(self, sizes: Mapping[str, int]) -> Threshold:
        """Return the threshold at given sizes, exactly; RoofproofError names a size that is missing."""
        point: dict[str, Ridge] = {**{name: Fraction(size) for name, size in sizes.items()}, **self.ridges}
        missing = sorted({s.name for c in self.cases for s in c.symbols} - set(point))
        if missing:
            raise RoofproofError(f"no size for {', '.join(missing)}; give one for each")
        rational = {n: v for n, v in point.items() if isinstance(v, Fraction)}
        try:
            for when, threshold, terms in _terms(self.cases) if len(rational) == len(point) else ():
                if sampling.holds(when, rational):
                    numbers = {b: sympy.Rational(sampling.value(t, rational)) for b, t in terms.items()}
                    return with_bounds(threshold, numbers.__getitem__)
        except (sampling.Inexact, Undecided):
            pass  # a root, or a bound without a value in a case that does not apply: SymPy takes it
        return self.cases.at({n: exact(v) for n, v in point.items()})

    def integer(self, sizes: Mapping[str, int], multiple_of: int = 1) -> int | None:
        """Return the smallest integer at given sizes, the largest for an upper bound, None where there is none.

        Sizes and blocks are held to what the operation assumes, and to the memories of the chip.

        >>> from roofproof import chip, op
        >>> tiled, at = op("tiled-matmul:b=t,f=t,d=64"), {"B": 8192, "D": 8192, "F": 8192}
        >>> for row in atlas([tiled], [chip("tpu-v5e"), chip("h100-sxm")], ["t"]):    # 2 t^2 + 256 t bytes a block
        ...     print(row.chip, round(row.at(at).at, 2), row.integer(at))
        tpu-v5e 495.63 512
        h100-sxm 612.52 None

        Raises RoofproofError for sizes that break what the operation assumes.
        """
        check_requirements(self.op, None, sizes)
        if not self.fits(sizes):
            return None
        return allowed_sizes(self.op, self.on, self.unknown.name, sizes, multiple_of).integer(self.at(sizes))

    def started(self, sizes: Mapping[str, int]) -> int | None:
        """Return the integer at given sizes with the start of an estimate in its time; None where there is no start."""
        if self.kept is None or self.kept.share is None or not self.kept.share.start or not self.fits(sizes):
            return None
        there = solve(substitute(with_start(self.kept), sizes), self.unknown).at({})
        return allowed_sizes(self.op, self.on, self.unknown.name, sizes).integer(there)

    def fits(self, sizes: Mapping[str, int]) -> bool:
        """Tell whether the blocks fit in the memories of the chip, as far as the sizes say how large they are."""
        return fits(self.op, self.on, sizes)


def exact(value: Ridge) -> sympy.Expr:
    """Return a number as SymPy has it."""
    return value if isinstance(value, sympy.Expr) else sympy.Rational(value)


def atlas(
    ops: Iterable[Operation],
    chips: Sequence[Chip],
    unknowns: Sequence[str] | None = None,
    share: Fraction | None = None,
    corner: str | None = None,
) -> Iterator[AtlasRow]:
    """Yield the proved threshold of each operation, for each dimension, on each chip that has its figures.

    With a share it is the size that keeps it of the calibrated peak, by the estimate of each chip; those without
    calibrated ceilings are left out, unless a corner is named.

    >>> from roofproof import chip, op
    >>> both = [chip("tpu-v5e@scaling-book"), chip("h100-sxm")]
    >>> for row in atlas([op("matmul"), op("dot")], both, ["B"]):         # dot has no B
    ...     print(row.op.name, row.chip, float(round(row.ridges["R"], 2)), row.integer({"D": 8192, "F": 8192}))
    matmul tpu-v5e@scaling-book 240.24 256
    matmul h100-sxm 295.22 319

    `unknowns` names the dimensions to solve for, all of them by default. Raises RoofproofError for an operation
    that has no threshold, or whose threshold is outside the solved fragment.
    """
    for whole in ops:
        groups: dict[tuple[tuple[str, sympy.Expr], ...], tuple[Operation, Operation, list[Chip]]] = {}
        for one in chips:  # an engine that a chip has no figure of is left out, times on one engine add up
            known, _ = with_figures(whole, one)
            try:
                op, _ = on_one_engine(known, one)
            except MissingFigure:
                continue
            groups.setdefault(tuple(op.compute.items()), (op, known, []))[2].append(one)
        engines = {name for name, amount in whole.compute.items() if not amount.is_zero}
        for op, known, group in groups.values():
            told = [name for name in known.demands if name in known.compute]
            gone = tuple(name for name in whole.compute if name in engines - set(told))
            yield from (
                replace(row, compute="+".join(told), left_out=gone) for row in _rows(op, group, unknowns, share, corner)
            )


def _rows(
    op: Operation, chips: Sequence[Chip], unknowns: Sequence[str] | None, share: Fraction | None, corner: str | None
) -> Iterator[AtlasRow]:
    able: list[tuple[Chip, Ceiling | None, dict[str, Ridge]]]
    if share is None:
        limits = ceilings(op)
        able = [(one, None, ridges) for one in chips if (ridges := _ridges(limits, one)) is not None]
    else:
        limits = keeping(op, Share(share, corner or "max"))
        kept = ((one, _kept(op, one, share, corner)) for one in chips)
        able = [(one, c, {c.symbol.name: c.ridge}) for one, c in kept if c is not None and c.ridge is not None]
    for x in op.dims:
        if able and (unknowns is None or x.name in unknowns):
            condition = compute_bound(limits, symbolic=True)
            cases, _ = _solved(condition, x)
            for one, c, ridges in able:
                proved = _proved_at(condition, x, tuple(ridges.items()))
                yield AtlasRow(op, one.name, "", x, ridges, cases, proved, one, kept=c)


def _kept(op: Operation, chip: Chip, share: Fraction, corner: str | None) -> Ceiling | None:
    """Return the ceiling on a share that is kept on a chip; None where it lacks a figure, or calibrated ceilings."""
    try:
        return keeping(op, share_of(op, chip, share, corner), chip)[0]
    except (MissingFigure, Uncalibrated):
        return None


def library(chips: Sequence[Chip], names: Iterable[str] | None = None) -> Iterator[Operation]:
    """Yield each operation of the library in every number format and engine that some chip has a dense peak for.

    >>> from roofproof import chip
    >>> [op.compute for op in library([chip("a10")], ["matmul"])][:2]         # its peaks in bf16 and fp16
    [mappingproxy({'bf16': 2*B*D*F}), mappingproxy({'fp16': 2*B*D*F})]

    An operation whose format is not free is yielded once. Raises RoofproofError for an unknown name.
    """
    for name in entries() if names is None else names:
        yield from forms(chips, name).values()


def forms(chips: Sequence[Chip], name: str) -> dict[str, Operation]:
    """Return an operation of the library in every number format that some chip has a dense peak for, as it is written.

    One of a file is as the file says.

    >>> from roofproof import chip
    >>> list(forms([chip("a10")], "matmul"))[:3]
    ['matmul', 'matmul:fp16@fp16', 'matmul:tf32@tf32']
    """
    if file_named(name):
        return {name: parse_operation(name)}
    refuse_unknown("operation", name, entries())
    peaks = dict.fromkeys(r.resource for one in chips for r in one.compute)
    written = {name: from_library(name)}
    for resource in (peak for peak in peaks if not peak.endswith(("-sparse", "-per-core"))):
        form = f"{name}:{resource.partition('-')[0]}"
        if "compute" in entries()[name].arguments:
            form += f"@{resource}"
        try:
            op = from_library(form)
        except RoofproofError:
            continue  # its formats are fixed, or several
        if list(op.compute) == [resource] and op.demands not in [w.demands for w in written.values()]:
            written[form] = op
    return written


def _ridges(limits: Sequence[Ceiling], chip: Chip) -> dict[str, Ridge] | None:
    """Return the ridge points of a chip by symbol; None where it lacks a figure."""
    found = {}
    try:
        for c in limits:
            if (peak := chip.peak_if_known(c.compute)) is None:
                return None
            found[c.symbol.name] = peak.value / supply(chip, c.channel).value
    except RoofproofError:
        return None
    return found


@lru_cache(maxsize=100)
def _terms(cases: Cases) -> tuple[tuple[Formula, Threshold, dict[sympy.Expr, Term]], ...]:
    """Return the cases as the kernel's terms, whose values are exact and quickly had."""
    return tuple((to_formula(c.when), c.threshold, {b: to_term(b) for b in bounds(c.threshold)}) for c in cases)


def symbolic_derivation(limits: Sequence[Ceiling], x: sympy.Symbol) -> Derivation:
    """Return the proof of a threshold with its ridge points as symbols, which that on every chip is an instance of.

    >>> from roofproof import op
    >>> matmul = op("matmul")
    >>> symbolic_derivation(ceilings(matmul), matmul.dims[0]).of("case")[0].statement.says
    'B > R*D*F/(D*F - R*(D + F))'
    """
    return _solved(compute_bound(limits, symbolic=True), x)[1]


@lru_cache(maxsize=1_000)
def _solved(condition: Boolean, x: sympy.Symbol) -> tuple[Cases, Derivation]:
    """Return the cases for symbolic ridge points, proved; operations of equal intensity share them."""
    cases = without_impossible(solve(condition, x))
    return cases, certify(condition, cases)


@lru_cache(maxsize=10_000)
def _proved_at(condition: Boolean, x: sympy.Symbol, ridges: tuple[tuple[str, Ridge], ...]) -> Derivation:
    """Return the proof at ridge points; chips that have the same figures share it, formats of the same bytes too."""
    return derivation_at(_solved(condition, x)[1], dict(ridges))
