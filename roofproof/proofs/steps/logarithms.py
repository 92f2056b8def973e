"""Steps from a logarithm of the unknown to the unknown: divide, and raise two to the power of both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from roofproof.derive.algebra.polynomial import surely_positive
from roofproof.derive.inequalities.cases import Above
from roofproof.derive.limits.limits import Limit
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2, power_of_two
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.known import ByKernel, by_kernel
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import Bound, Relation, Tends
from roofproof.proofs.steps.step import KIND, Reason, Step, stepped
from roofproof.symbols import quantity


def powers(line: Relation, x: sympy.Symbol, given: Sequence[Formula] = ()) -> Iterator[Step]:
    """Yield the lines from `a log2(x) + b > c` to `x > 2^((c - b)/a)`, if a is obviously positive.

    >>> N, R = quantity("N"), quantity("R")
    >>> for step in powers(Relation(5*log2(N)/32, ">", R), N):
    ...     print(step.link, step.line, "by", step.reason.value)
    <=> log2(N) > 32*R/5 by divide
    <=> N > 2^(32*R/5) by power

    Raises RoofproofError for any other line.
    """
    t = sympy.Dummy(positive=True)
    apart = sympy.expand((line.left - line.right).xreplace({log2(x): t}))
    slope, rest = apart.coeff(t, 1), apart.coeff(t, 0)
    if line.sign != ">" or x in apart.free_symbols or sympy.expand(apart - slope * t - rest) != 0 or slope == 0:
        raise RoofproofError("the bound contains a power of two")
    if not surely_positive(slope):
        raise RoofproofError("the bound contains a power of two")
    now, alone = line, Relation(slope * log2(x), ">", -rest)
    if alone.left != line.left or alone.right != line.right:
        yield stepped(now, alone, Reason.COLLECT, (log2(x),), given)
        now = alone
    if slope != 1:
        divided = Relation(log2(x), ">", sympy.expand(-rest / slope))
        yield stepped(now, divided, Reason.DIVIDE, (slope,), given)
        now = divided
    yield stepped(now, Bound(x, Above(power_of_two(now.right))), Reason.POWER, (), given)


def unbounded(found: Limit, first: Relation, regime: str) -> Iterator[Step]:
    """Yield lines showing that a logarithm eventually exceeds any number, so that it grows without bound.

    >>> from roofproof.derive.limits.limits import limit
    >>> found = limit(5*log2(quantity("N"))/32, "N -> oo")
    >>> for step in unbounded(found, Relation(quantity("I"), "=", found.expr), "N -> oo"):
    ...     print(step.link, step.line, "by", step.reason.value)
    <=> 5*log2(N)/32 > M by supposed
    <=> log2(N) > 32*M/5 by divide
    <=> N > 2^(32*M/5) by power
     I -> oo by limit

    Raises RoofproofError for any other function.
    """
    f = first.right
    x, *more = sorted((t.args[0] for t in f.atoms(log2)), key=str) or [f]
    if more or not x.is_Symbol or found.value != sympy.oo or found.regime.growing != (x.name,):
        raise RoofproofError("the limit uses a series expansion")
    names = {s.name for s in f.free_symbols} | {str(first.left)}
    most = quantity(next(n for n in ("M", "M'", "M''") if n not in names))
    above = Relation(f, ">", most)
    steps = [stepped(above, above, Reason.SUPPOSED, (most,)), *powers(above, x)]
    last = steps[-1].line
    yield from steps
    # the meaning of tending to infinity: beyond this bound the function exceeds any number
    goal = Formula("=>", last.formula, above.formula)
    statement = Statement(f"{first.left} -> oo as {regime}", (), goal, KIND)
    theorems = [k.theorem for s in steps for k in s.known[:1] if k.theorem is not None]
    known = by_kernel(statement, kernel.propositional(goal, theorems))
    if known is None or known.trust != ByKernel.trust:
        raise RoofproofError("the limit uses a series expansion")
    yield Step(Tends(first.left, sympy.oo, regime, goal), Reason.LIMIT, (known,))
