"""Steps to a minimum or maximum: the factored difference from it, its sign, and the point where it is attained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.optima.constraints import domain_of
from roofproof.derive.optima.extremum import Attained
from roofproof.derive.optima.optima import as_quantities, negated, outcome_as_quantities
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.provers.optimum_proofs import ProvedExtremum, stages_of
from roofproof.proofs.provers.optimum_stages import Stage, StageProof, in_names
from roofproof.proofs.search import tactics
from roofproof.proofs.search.roots import NamedRoots
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import Both, Relation
from roofproof.proofs.steps.step import KIND, Reason, Step, Steps
from roofproof.proofs.translate import to_formula, to_term


def optimum_steps(proved: ProvedExtremum) -> Steps:
    """Return the steps to the minimum or maximum of a function, one unknown after the other.

    >>> from roofproof.derive.optima.optima import minimum
    >>> from roofproof.proofs.provers.optimum_proofs import prove_extremum
    >>> from roofproof.symbols import quantity
    >>> a, b, x = map(quantity, "abx")
    >>> for step in optimum_steps(prove_extremum(minimum(a*x + b/x, x))).common:
    ...     print(step.line, "by", step.reason.value)
    a*x + b/x - 2*sqrt(a)*sqrt(b) = (x*sqrt(a) - sqrt(b))^2/x by difference
    (x*sqrt(a) - sqrt(b))^2/x >= 0 by no-negative
    a*x + b/x >= 2*sqrt(a)*sqrt(b) by least
    a*x + b/x = 2*sqrt(a)*sqrt(b) by taken

    Raises RoofproofError with the reason for an optimum that has no such steps.
    """
    found = proved.found
    if len(found.cases) > 1 or not isinstance(found.cases[0][1], Attained):
        raise RoofproofError("the optimum has several cases or is not attained")
    _, (f, *rest) = as_quantities(found.expr, *found.subject_to, *found.assume)
    constraints, assume = rest[: len(found.subject_to)], rest[len(found.subject_to) :]
    if any(isinstance(c, sympy.Equality) for c in constraints):
        raise RoofproofError("the optimum has an equality constraint")
    outcome = outcome_as_quantities(found.cases[0][1], found.over)
    down = found.sense == "maximum"
    turned = negated(outcome) if down else outcome
    assert isinstance(turned, Attained)
    f, outcome = (-f if down else f), turned
    stages = stages_of(f, domain_of(tuple(s for s, _ in outcome.at), constraints), assume, outcome)
    if stages is None:
        raise RoofproofError("the optimum has no closed form in one unknown")
    try:
        made = [s for stage in stages for s in _stage(stage, (*assume, *constraints), down)]
    except KernelError:
        raise RoofproofError("a line is too large for the proof checker") from None
    taken = next(k for k in proved.derivation if " at " in k.statement.says)
    at = tuple(e for pair in outcome.at for e in pair)
    value = Relation(*((-f, "=", -outcome.value) if down else (f, "=", outcome.value)), taken.statement.goal)
    return Steps("optimum", (*made, Step(value, Reason.TAKEN, (taken,), by=at)))


def _stage(stage: Stage, conditions: Sequence[Boolean], down: bool) -> Iterator[Step]:
    """Yield lines showing that a function of one unknown is at least a value: the factored `f - v` is not negative."""
    roots, [point] = in_names([stage.f, stage.value, *conditions], [(stage.x, stage.s)])
    given = [to_formula(roots.named(c)) for c in conditions]
    apart = stage.f - stage.value
    back = {sympy.Symbol(r.name, positive=True): _root(roots, r.name) for r in roots.roots}
    inner = _as_square(sympy.factor(sympy.together(roots.to_names(stage.f) - roots.to_names(stage.value))), back)
    factored = inner.xreplace(back)
    same = Formula("=", to_term(roots.named(apart)), to_term(inner))
    positive = Formula(">=", to_term(inner), ZERO)
    inside = [*map(roots.formula, given), *roots.relations]
    known = [
        _known(roots, same, roots.equal(roots.formula(same)), given),
        _known(roots, positive, tactics.prove(positive, inside), given),
    ]
    bound = Formula(">=", to_term(roots.named(stage.f)), to_term(roots.named(stage.value)))
    whole = _known(roots, bound, StageProof(roots, stage, point, given, False).prove(), given, lifted=True)
    first = Relation(apart, "=", factored, same)
    second = Relation(factored, ">=", sympy.Integer(0), positive)
    f, v = (-stage.f, -stage.value) if down else (stage.f, stage.value)
    last = Relation(f, "<=" if down else ">=", v, bound)
    yield Step(first, Reason.DIFFERENCE, (known[0],))
    yield Step(second, Reason.SQUARE_SIGN, (known[1],))
    before = Both((first, second))
    goal = Formula("=>", before.formula, bound)
    assert whole.theorem is not None
    follows = by_kernel(
        Statement("", whole.statement.assumptions, goal, KIND, meaning=whole.statement.meaning),
        kernel.propositional(whole.theorem.conclusion, [whole.theorem]),
    )
    yield (
        Step(last, Reason.LEAST, (follows or whole,))
        if follows is None
        else Step(last, Reason.LEAST, (follows,), "=>", before)
    )


def _as_square(fraction: sympy.Expr, back: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """Return a fraction with a quadratic numerator as a square if possible, where 3 counts as sqrt(3)^2."""
    above, below = sympy.fraction(fraction)
    for x in sorted(above.free_symbols - set(back), key=str):
        if not above.is_Pow and sympy.degree(above, x) == 2:
            first, second, _ = sympy.Poly(above, x).all_coeffs()
            side = sympy.sqrt(first)
            if side.atoms(sympy.Pow):  # a root without a name: 5 (x - sqrt(35)/5)^2
                square = first * (x + sympy.cancel(second / (2 * first))) ** 2
            else:
                square = (side * x + sympy.cancel(second / (2 * side))) ** 2
            if sympy.expand((above - square).xreplace(back)) == 0:
                return square / below
    return fraction


def _known(
    roots: NamedRoots, goal: Formula, theorem: kernel.Theorem | None, given: Sequence[Formula], lifted: bool = False
) -> Known:
    if theorem is not None:
        made = theorem if lifted else roots.to_parameters(theorem, goal, given)
        if (known := by_kernel(*roots.statement_with_roots("", made, goal, given))) is not None:
            return known
    raise RoofproofError("a line is too large for the proof checker")


def _root(roots: NamedRoots, name: str) -> sympy.Expr:
    root = next(r for r in roots.roots if r.name == name)
    base = sympy.Symbol(root.base.name, positive=True) if root.symbol else root.base
    return sympy.root(base, root.index)
