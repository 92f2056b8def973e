"""What is known of the formulas that a sweep evaluates: each follows from what was counted and from the rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.roofline.ridges import supply
from roofproof.derive.sweeps.compiled import maximum
from roofproof.derive.sweeps.evaluation import by_engine, formula
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel.terms import Term
from roofproof.proofs.provers.roofline import cancelled, counted, equated, figure
from roofproof.proofs.translate import with_functions

if TYPE_CHECKING:
    from roofproof.hardware import Chip
    from roofproof.ops import Operation
    from roofproof.proofs.kernel.terms import Term
    from roofproof.proofs.known import Known


def sweep_formulas(op: Operation, quantities: Sequence[str], chips: Sequence[Chip] = ()) -> Derivation:
    """Return the formulas of some quantities, as `evaluate` and `sweep` take them, with what warrants each.

    >>> from roofproof import op
    >>> for known in sweep_formulas(op("flops bf16 = 6 N; bytes hbm = 4 N"), ["intensity", "upper"]):
    ...     print(known.statement.says, "by", known.trust)
    FLOPs in bf16 = 6*N by model
    bytes over memory = 4*N by model
    intensity = 3/2 by kernel
    upper = 4*N/rate of memory + 6*N/rate of bf16 by kernel

    The rate of each resource is a symbol; those of `chips` are given as figures. `quantities` are those of
    `evaluate`. Raises RoofproofError for one that the operation does not have.
    """
    return Derivation(tuple(_known(op, quantities, chips)))


def _known(op: Operation, quantities: Sequence[str], chips: Sequence[Chip]) -> Iterator[Known]:
    yield from counted(op)
    for chip in chips:
        yield from (figure(supply(chip, resource)) for resource in op.demands)
    flops = Term("+", *map(with_functions, op.compute.values()))
    amounts = [*(t.traffic for t in op.tensors), op.traffic.get("memory", sympy.S.Zero)]
    moved = Term("+", *map(with_functions, amounts))
    over = ["lower"] if "attainable" in quantities else []  # the time that the FLOPs are divided by
    for quantity in dict.fromkeys((*over, *quantities)):
        expr, rates = formula(op, quantity, chips)
        value = _as_maximum(expr)
        if quantity in ("intensity", "attainable"):  # FLOPs over bytes, or over time, where there are any
            least = op.bytes() if quantity == "intensity" else _as_maximum(formula(op, "lower", chips)[0])
            quotient = cancelled(op.flops, least, value)
            yield replace(quotient, statement=replace(quotient.statement, about=quantity, kind=quantity))
            continue
        resources = [rate.removeprefix("rate of ") for rate in rates]
        times = {r: Term("/", with_functions(op.demands[r]), Term("v", f"rate of {r}")) for r in resources}
        made: dict[str, Term] = {"flops": flops, "bytes": moved, "upper": Term("+", *times.values())}
        units = by_engine(op, times, chips)
        engines = [Term("+", *(times[r] for r in one)) if len(one) > 1 else times[one[0]] for one in units]
        yield equated(quantity, made[quantity] if quantity in made else Term("max", *engines), value, quantity)


def _as_maximum(expr: sympy.Expr) -> sympy.Expr:
    """Return a formula with SymPy's maximum in place of the one that is quick to compile."""
    return expr.replace(maximum, lambda *times: sympy.Max(*times, evaluate=False))
