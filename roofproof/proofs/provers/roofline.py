"""Proofs of the lines of a roofline answer: counts, intensities, ridge points and comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import lowest_terms
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.engines import ConvertedFormat
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.logarithm import log2
from roofproof.proofs.derivation import Row
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term
from roofproof.proofs.kernel.terms import substitute as put
from roofproof.proofs.known import Figure, Known, Model, Unproved, Unwarranted, by_kernel
from roofproof.proofs.provers.statements import Refuted, by_rule, prove_statement
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions
from roofproof.symbols import sizes_in

if TYPE_CHECKING:
    from roofproof.derive.roofline.compute_bound import Ceiling
    from roofproof.derive.roofline.missing_rates import IgnoredUnit
    from roofproof.derive.roofline.share import Share
    from roofproof.hardware import Figure as Figured
    from roofproof.ops import Operation
number = Term.rational


def counted(op: Operation) -> Iterator[Known]:
    """Yield the FLOPs and the bytes of an operation, as its convention counts them, and their totals.

    >>> from roofproof import op
    >>> for known in counted(op("matmul")):
    ...     print(known.statement.says, "by", known.trust)
    FLOPs in bf16 = 2*B*D*F by model
    bytes of x = 2*B*D by model
    bytes of w = 2*D*F by model
    bytes of z = 2*B*F by model
    bytes over memory = 2*B*D + 2*B*F + 2*D*F by kernel
    """
    return (known for row in counts(op) for known in row.known)


def counts(op: Operation) -> Iterator[Row]:
    """Yield the same as lines, each with its role and its subject: a compute unit, a tensor, a memory level or a link.

    >>> from roofproof import op
    >>> [(row.key, str(row.about)) for row in counts(op("dot"))][1:]
    [('read', 'x:bf16[N]'), ('read', 'y:bf16[N]'), ('write', 'z:bf16[]'), ('total', 'memory')]
    """

    def defined(role: str, about: object, name: str, amount: sympy.Expr, convention: str, kind: str) -> Row:
        goal = Formula("=", Term("v", name), with_functions(amount))
        return Row(role, (Known(Statement(name, (), goal, kind, sizes=sizes_in(amount)), Model(convention)),), about)

    for name, amount in op.compute.items():
        yield defined("flops", name, f"FLOPs in {name}", amount, op.convention or "as given", "flops")
    parts: dict[str, list[sympy.Expr]] = {}
    for role, tensors in (("read", op.reads), ("write", op.writes)):
        for each in tensors:
            yield defined(role, each, f"bytes of {each.name}", each.traffic, f"{role} {each}", "bytes")
            parts.setdefault("memory", []).append(each.traffic)
    for channel, amount in op.traffic.items():
        yield defined("over", channel, f"bytes over {channel}", amount, f"over {channel}", "bytes")
        parts.setdefault(channel, []).append(amount)
    for channel, amounts in parts.items():
        if len(amounts) > 1:
            total = Term("+", *map(with_functions, amounts))
            yield Row("total", (equated(f"bytes over {channel}", total, op.bytes(channel), "total"),), channel)
    for place, amount in op.footprint.items():
        yield defined("footprint", place, f"bytes held in {place}", amount, f"bytes of {place}", "footprint")


def figure(rate: Figured) -> Known:
    """Return a spec from a datasheet as a statement known by its source.

    >>> from roofproof import chip
    >>> figure(chip("tpu-v5e").rate("hbm")).statement.says
    'hbm = 8.19e11 B/s'
    """
    goal = Formula("=", Term("v", rate.resource), number(rate.value))
    return Known(Statement(str(rate), (), goal, "figure"), Figure(rate))


def intensities(op: Operation) -> Iterator[Known]:
    """Yield the intensity of an operation over each memory level or link, in lowest terms, per compute unit if several.

    >>> from roofproof import op
    >>> [known] = intensities(op("dot"))
    >>> known.statement.says, known.trust                       # (N + N - 1) FLOPs over 4 N + 2 bytes
    ('I = (2*N - 1)/(4*N + 2)', 'kernel')
    """
    return (known for row in intensity_rows(op) for known in row.known)


def intensity_rows(op: Operation) -> Iterator[Row]:
    """Yield the same as lines, each with its memory level or link, and its compute unit if there are several."""
    from roofproof.derive.roofline.intensities import intensity

    engines = [name for name in op.demands if name in op.compute]
    for channel in (n for n in op.demands if n not in op.compute):
        if len(engines) < 2:
            known = cancelled(op.flops, op.bytes(channel), intensity(op, channel).value, channel)
            yield Row("intensity", (known,), channel)
        for name in engines if len(engines) > 1 else ():
            value = lowest_terms(op.compute[name] / op.bytes(channel))
            label = name if channel == "memory" else f"{name}-{channel}"
            yield Row("intensity", (cancelled(op.compute[name], op.bytes(channel), value, label),), label)


def cancelled(flops: sympy.Expr, moved: sympy.Expr, value: sympy.Expr, channel: str = "memory") -> Known:
    """Prove that FLOPs over bytes is the intensity in lowest terms, if any bytes are moved."""
    bottom = with_functions(moved)
    goal = Formula("=", Term("/", with_functions(flops), bottom), with_functions(value))
    name = "I" if channel == "memory" else f"I_{channel}"
    moving: tuple[Formula, ...] = tuple(Formula(">", t, ZERO) for t in (bottom, with_functions(sympy.denom(value))))
    for where in ((), moving):  # that bytes are moved is added as a condition if it is not obvious
        statement = Statement(name, where, goal, "intensity", sizes=sizes_in(value))
        if not (known := by_rule(statement, list(map(kernel.assume, where)))).reason:
            return known
    return prove_statement(statement)


def compared(ceiling: Ceiling) -> Iterator[Known]:
    """Yield the ridge point as a quotient of specs, and that a condition is equivalent to being compute-bound.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> for known in compared(ceilings(op("matmul"), chip("tpu-v5e"))[0]):
    ...     print(known.statement.says, "by", known.trust)
    FLOPs > R*bytes <=> B*D*F > R*(B*D + B*F + D*F) by kernel
    R = 1.97e14 / 8.19e11 = 197000/819 by kernel
    FLOPs/peak > bytes/bandwidth <=> B*D*F > 197000*B*D/819 + 197000*B*F/819 + 197000*D*F/819 by kernel
    """
    flops, moved = with_functions(ceiling.flops), with_functions(ceiling.moved)
    sign = ">=" if ceiling.share else ">"
    above: Formula = Formula(sign, flops, Term("*", Term("v", ceiling.symbol.name), moved))
    yield _same(f"FLOPs {sign} {ceiling.symbol}*bytes", above, ceiling.symbolic)
    if ceiling.share is not None:
        yield shared_peak(ceiling.share)
    if ceiling.ridge is not None:
        yield ridge(ceiling)
        peak, bandwidth = ceiling.rests_on
        times: tuple[Term, Term] = (Term("/", flops, number(peak.value)), Term("/", moved, number(bandwidth.value)))
        if (share := ceiling.share) is None:
            yield _same("FLOPs/peak > bytes/bandwidth", Formula(">", *times), ceiling.exceeded)
        else:
            needed = Term("*", with_functions(share.factor), Term("/", times[1], number(share.memory)))
            longer = Formula(">=", Term("/", times[0], number(share.compute)), needed)
            yield _same(f"FLOPs/(e*peak) >= {share.factor}*bytes/(d*bandwidth)", longer, ceiling.exceeded)


def shared_peak(share: Share) -> Known:
    """Prove that a compute unit is busy for a share of the time iff its time is at least a multiple of memory time.

    >>> from fractions import Fraction
    >>> from roofproof.derive.roofline.share import Share
    >>> known = shared_peak(Share(Fraction(4, 5), "root"))         # (4/3)^2/((4/3)^2 + 1) = 0.8^2
    >>> known.statement.says, known.trust
    ('a >= 4/5*sqrt(a^2 + q^2) <=> a >= 4/3*q', 'kernel')

    The root is a name r, with the assumption r^2 = a^2 + q^2.
    """
    a, q, r = Term("v", "a"), Term("v", "q"), Term("v", "r")
    corners: dict[str, Term] = {"max": Term("max", a, q), "sum": Term("+", a, q), "root": r}
    root = Formula("=", Term("^", r, 2), Term("+", Term("^", a, 2), Term("^", q, 2)))
    kept = Formula(">=", a, Term("*", number(share.value), corners[share.corner]))
    goal = Formula("<=>", kept, Formula(">=", a, Term("*", with_functions(share.factor), q)))
    written = {"max": "max(a, q)", "sum": "(a + q)", "root": "sqrt(a^2 + q^2)"}[share.corner]
    says = f"a >= {share.value}*{written} <=> a >= {plain(share.factor)}*q"
    return prove_statement(Statement(says, (root,) if share.corner == "root" else (), goal, "share"))


def ridge(ceiling: Ceiling) -> Known:
    """Prove that the ridge point is the peak over the bandwidth of the chip, or over calibrated rates for a share.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> ridge(ceilings(op("dot"), chip("tpu-v5e@scaling-book"))[0]).statement.says
    'R = 1.97e14 / 8.2e11 = 9850/41'
    """
    peak, bandwidth = ceiling.rests_on
    value = sympy.sympify(ceiling.ridge, strict=True)
    quotient = Term("/", number(peak.value), number(bandwidth.value))
    if share := ceiling.share:
        if share.ceilings is not None:
            over, under = Term("*", number(share.compute), quotient[1]), Term("*", number(share.memory), quotient[2])
            quotient = Term("/", over, under)
        quotient = Term("*", with_functions(share.factor), quotient)
    return equated(ceiling.symbol.name, quotient, value, "ridge")


def counted_within(shared: ConvertedFormat) -> Iterator[Known]:
    """Yield the peaks of two formats on one compute unit, and the time of a FLOP in one, in FLOPs of the other.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.roofline.engines import merge_shared_formats
    >>> _, [int8] = merge_shared_formats(op("flops bf16 = N; flops int8 = N; bytes hbm = N"), chip("h100-sxm"))
    >>> [known.statement.says for known in counted_within(int8)][-1]
    'a FLOP in int8 / a FLOP in bf16 = 9.89e14 / 1.978e15 = 1/2'
    """
    yield from map(figure, shared.peaks)
    above, below = (peak.value for peak in shared.peaks)
    quotient = Term("/", number(above), number(below))
    yield equated(f"a FLOP in {shared.resource} / a FLOP in {shared.within}", quotient, shared.factor, "shared")


def bounded(ceiling: Ceiling) -> Known | None:
    """Prove that an intensity is below its limit at all sizes, or None unless that limit is at most the ridge point.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> known = bounded(ceilings(op("dot"), chip("tpu-v5e"))[0])
    >>> known.statement.says, known.trust                    # 1/2 - (2 N - 1)/(4 N + 2) = 2/(4 N + 2) > 0
    ('I < 1/2', 'kernel')
    """
    value = ceiling.intensity
    try:
        names = tuple(sorted(s.name for s in value.free_symbols))
        most = limit(value, Regime.of(names)).value if names else value
        if not most.is_Rational or ceiling.ridge is None or most > ceiling.ridge:
            return None
        name = "I" if ceiling.label == "memory" else f"I_{ceiling.label}"
        goal = Formula(">" if names else "=", with_functions(most), with_functions(value))
        sizes = tuple(
            Formula(">=", Term("v", s.name), Term("q", 1, 1))
            for s in sorted(value.free_symbols, key=str)
            if s.is_integer
        )
        known = prove_statement(Statement(name, sizes, goal, "bound", label=ceiling.label))
    except Unwarranted:
        raise
    except RoofproofError:  # the limit depends on how fast the sizes grow, or the intensity exceeds it somewhere
        return None
    return None if known.reason else known


def would_bind(left: IgnoredUnit) -> Iterator[Known]:
    """Yield, for each other resource, the rate below which a compute unit without a spec takes longer.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.roofline.missing_rates import without_missing_rates
    >>> _, [exp] = without_missing_rates(op("flops bf16 = 4 N k; flops exp = N; bytes memory = N"), chip("a10"))
    >>> for known in would_bind(exp):                                  # N/rate > 4 N k/1.25e14 s; > N/6e11 s
    ...     print(known.statement.says, "by", known.trust)
    exp takes longer than bf16 <=> rate of exp < 31250000000000/k by kernel
    exp takes longer than memory <=> rate of exp < 600000000000 by kernel
    """
    rate = Term("v", f"rate of {left.resource}")
    for (other, least), demand, figure in zip(left.below, left.demands, left.rates, strict=True):
        longer = Formula(
            ">", Term("/", with_functions(left.amount), rate), Term("/", with_functions(demand), number(figure.value))
        )
        goal = Formula("<=>", longer, Formula(">", with_functions(least), rate))
        given = (Formula(">", with_functions(demand), ZERO),) if demand.has(log2) else ()  # a logarithm may be negative
        yield prove_statement(Statement(left.resource, given, goal, "left-out", label=other, sizes=sizes_in(least)))


def moves_only(op: Operation) -> Iterator[Known]:
    """Yield that an operation without FLOPs is never compute-bound, for each memory level or link.

    >>> from roofproof import op
    >>> for known in moves_only(op("stream-copy")):                    # 16 N bytes, of 8 each
    ...     print(known.statement.says, "by", known.trust)
    0 FLOPs <= R*bytes over memory at every size by kernel
    """
    for channel in (n for n in op.demands if n not in op.compute):
        demand = op.bytes(channel)
        goal = Formula("not", Formula(">", ZERO, with_functions(demand)))
        sizes = sorted(s.name for s in demand.free_symbols & {*op.dims})
        given: tuple[Formula, ...] = tuple(Formula(">=", Term("v", name), Term("q", 1, 1)) for name in sizes)
        yield prove_statement(Statement(f"0 FLOPs <= R*bytes over {channel} at every size", given, goal, "moves-only"))


def divided(
    name: str,
    above: sympy.Expr,
    below: sympy.Expr,
    point: Mapping[str, int | sympy.Rational],
    value: sympy.Expr | None = None,
) -> Known:
    """Prove the value of a quotient at some sizes. Pass `value` if it is not a number.

    >>> from roofproof.symbols import quantity
    >>> B, D = quantity("B"), quantity("D")
    >>> known = divided("I", B * D, B + D, {"B": 1, "D": 3})
    >>> known.statement.says, known.trust                    # 3 over 4
    ('I = 3/4', 'kernel')
    """
    sizes = {name: with_functions(sympy.sympify(size, strict=True)) for name, size in point.items()}
    value = substitute(above / below, point) if value is None else value
    term = put(Term("/", with_functions(above), with_functions(below)), sizes)
    try:
        return equated(name, term, value, "quotient")
    except KernelError as problem:  # a logarithm, which cannot be evaluated by sampling
        goal = Formula("=", term, with_functions(value))
        return Known(Statement(name, (), goal, "quotient", sizes=sizes_in(value)), Unproved(str(problem)))


def equated(what: str, term: Term, value: sympy.Expr, kind: str, label: str = "") -> Known:
    """Prove that a term is equal to the value that SymPy computed for it."""
    statement = Statement(what, (), Formula("true"), kind, label=label, sizes=sizes_in(value))
    try:
        statement = replace(statement, goal=Formula("=", term, with_functions(value)))
    except Undecided as problem:
        return Known(statement, Unproved(str(problem)))
    with suppress(Refuted):  # SymPy drops arguments of a maximum that are never the largest at sizes of 1 or more
        if not (known := by_rule(statement)).reason:
            return known
        from roofproof.proofs.search.lemmas import by_parts

        known = by_kernel(statement, by_parts(statement.goal)) or prove_statement(statement)
        if not known.reason:
            return known
    sizes = tuple(Formula(">=", Term("v", name), Term("q", 1, 1)) for name in sorted(statement.names))
    return prove_statement(replace(statement, assumptions=sizes))


def _same(says: str, above: Formula, condition: Boolean) -> Known:
    try:
        goal = Formula("<=>", above, to_formula(condition, with_functions))
    except Undecided as problem:
        return Known(Statement(says, (), Formula("true"), "lowest-terms"), Unproved(str(problem)))
    return prove_statement(Statement(says, (), goal, "lowest-terms"))
