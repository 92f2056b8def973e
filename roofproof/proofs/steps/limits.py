"""Steps to a limit and its relative error: divide numerator and denominator by the leading term, and drop the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import product

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import remembered
from roofproof.derive.algebra.polynomial import Ring, factored_fraction
from roofproof.derive.limits.limits import Limit
from roofproof.derive.limits.regime import Group, towards
from roofproof.derive.limits.theorems import tends
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import sign as plain_sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, normal, term_of, variables
from roofproof.proofs.known import ByKernel, Known, Model, by_kernel
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.search import tactics
from roofproof.proofs.search.polynomials import by_equations
from roofproof.proofs.search.short_proofs import divisors
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import Relation, Tends
from roofproof.proofs.steps.logarithms import unbounded
from roofproof.proofs.steps.step import KIND, Reason, Step, Steps, stepped
from roofproof.proofs.translate import to_formula, with_functions
from roofproof.symbols import quantity

TRIES = 100  # points at which a divisor is evaluated before its sign is searched for
FAR = Fraction(1, 64), Fraction(64)  # a small and a large value that each name also takes
CORNERS = 10  # limit of names for that


def limit_steps(found: Limit, name: str = "I", about: str = "") -> Steps:
    """Return the steps to a limit, stage by stage. The first line names the function.

    >>> from roofproof import op, threshold
    >>> [rule] = threshold(op("matmul"), None, "B").rules
    >>> for step in limit_steps(rule.limit).common:
    ...     print(step.line, "by", step.reason.value)
    I = B*D*F/(B*D + B*F + D*F) by function
    I = B/(B/D + B/F + 1) by fraction
    B/D + B/F -> 0 by vanish
    I -> B by limit
    (B - I)/I = B/D + B/F by error

    If the function grows without bound, the steps show that its reciprocal tends to zero. Raises RoofproofError with
    the reason for a limit that has no such steps.
    """
    f = found.settled.expr
    if name in {s.name for s in f.free_symbols}:
        raise RoofproofError("<name> is a size here", name=name)
    try:
        made = tuple(_steps(found, f, quantity(name)))
    except KernelError:
        raise RoofproofError("a line is too large for the proof checker") from None
    return Steps("limit", made, about=about)


def _steps(found: Limit, f: sympy.Expr, name: sympy.Symbol) -> Iterator[Step]:
    first = Relation(name, "=", found.expr)
    yield Step(first, Reason.FUNCTION, (Known(stated((), first), Model("a name for it")),))
    if ties := [s for s in found.expr.free_symbols if s.name in {tie.name for tie in found.regime.ties}]:
        by = tuple(e for s in sorted(ties, key=str) for e in (s, found.regime.tied(s)))
        put = tuple((s.name, with_functions(e)) for s, e in zip(by[::2], by[1::2], strict=True))
        tied = Relation(name, "=", found.regime.tied(found.expr))
        yield stepped(first, tied, Reason.SIZES, by, (), put)
        first = tied
    if f != found.regime.tied(found.expr):
        far = tuple(settled_lines(found, first))
        yield from far
        first = far[-1].line  # type: ignore[assignment]
    if not all(s.rational for s in found.approach.stages if s.groups):
        yield from unbounded(found, first, found.regime.text)
        return
    known, growth, now = iter(found.stage_proofs), iter(found.growth_proofs), name
    ratio, settled = name, False
    for k, stage in enumerate(s for s in found.approach.stages if s.groups):
        here = found.regime.text if len(found.regime.stages) == 1 else towards(stage.groups)
        ring = Ring.of(stage.before, stage.after)
        rest = _rest(ring, stage.before, stage.after)
        ends = not settled and (stage.value.is_infinite or stage.value != stage.after)
        said = next(known, None) if not settled else None
        if stage.value.is_infinite and not settled:
            upside = sympy.expand(1 / stage.before)
            if any(sympy.denom(term).has(sympy.Add) for term in upside.as_ordered_terms()):
                upside = sympy.factor(1 / stage.before)
            if upside != 1 / stage.before:
                yield _equal(
                    Relation(1 / now, "=", upside), Reason.RECIPROCAL, (), first if k == 0 else None, found.assume
                )
            assert said is not None
            yield Step(Tends(now, sympy.oo, here, said.statement.goal), Reason.LIMIT, (said,))
        if rest != 0:
            by = sympy.cancel(ring.expr(ring.fraction(stage.before)[0]) / stage.after)
            divided = Relation(now, "=", stage.after / (1 + rest))
            named = first if k == 0 else None
            if divided.right != stage.before:
                try:
                    yield _equal(divided, Reason.FRACTION, (by,), named, found.assume)
                except RoofproofError:  # the rest is not defined everywhere: 2/(2 N - 1)
                    yield _divided(stage.before, now, stage.groups, named, found.assume)
                    if said is None or stage.value.is_infinite:
                        raise
                    yield Step(Tends(now, stage.value, here, said.statement.goal), Reason.LIMIT, (said,))
                    break
            small = tends(rest, sympy.Integer(0), stage.groups)
            yield Step(Tends(rest, sympy.Integer(0), here, small.statement.goal), Reason.VANISH, (small,))
        if said is not None and not stage.value.is_infinite:
            yield Step(Tends(now, stage.value, here, said.statement.goal), Reason.LIMIT, (said,))
        settled = settled or ends
        by_growth = next(growth, None)
        if settled and by_growth is not None and rest != 0:
            last = Tends(ratio / stage.after, sympy.Integer(1), here, by_growth.statement.goal)
            same = Relation(last.expr, "=", stage.before / stage.after)
            stands = _equal(same, Reason.FRACTION, (), first, found.assume).known if k == 0 else ()
            yield Step(last, Reason.LIMIT, (by_growth, *stands))
        now = ratio = stage.after
    if found.error is not None:
        lead = found.approach.value if found.approach.growth is None else found.approach.growth
        error, rest = found.error, _rest(Ring.of(f, lead), f, lead)
        if rest == 0:
            return
        signed = rest if error.has(sympy.Abs) else error  # signed, if its sign depends on the sizes
        off = lead - name if sympy.cancel(signed - rest) == 0 else name - lead
        yield _equal(Relation(off / name, "=", signed), Reason.ERROR, (lead,), first, found.assume)


def settled_lines(found: Limit, first: Relation) -> Iterator[Step]:
    """Yield lines showing that the arguments dropped from a maximum or minimum are negligible, then the rest.

    >>> from roofproof.derive.limits.limits import limit
    >>> B, E = map(quantity, "BE")
    >>> found = limit(B/sympy.Min(B, E), "B >> E")
    >>> for step in settled_lines(found, Relation(quantity("I"), "=", found.expr)):
    ...     print(step.line, "by", step.reason.value)
    E/B -> 0 by vanish
    I = B/E by far-out
    """
    far = found.settled
    if far.roots or far.where == sympy.true:
        raise RoofproofError("this limit simplifies a max, min or root")
    for stage, said in zip((s for small in far.smaller for s in small.settling), found.choice_proofs, strict=True):
        if said.trust == ByKernel.trust:
            line = Tends(stage.before, stage.value, towards(stage.groups), said.statement.goal)
            yield Step(line, Reason.VANISH, (said,))
    given = (to_formula(far.where),)
    yield stepped(first, Relation(first.left, "=", far.expr), Reason.FAR_OUT, (far.where,), given)


def _divided(
    f: sympy.Expr, name: sympy.Symbol, groups: Sequence[Group], first: Relation | None, assume: Sequence[Boolean]
) -> Step:
    """Return a fraction with numerator and denominator divided by a power of the only growing name."""
    [(grown,)] = groups
    x = next(s for s in f.free_symbols if s.name == grown[0])
    num, den = sympy.fraction(sympy.cancel(f))
    by = x ** sympy.degree(den, x)
    line = Relation(name, "=", sympy.expand(num / by) / sympy.expand(den / by))
    return _equal(line, Reason.FRACTION, (by,), first, assume)


def _rest(ring: Ring, f: sympy.Expr, lead: sympy.Expr) -> sympy.Expr:
    """Return `lead/f - 1`, as a sum of simple fractions if possible."""
    over, below = ring.fraction(lead / f - 1)
    if over.is_zero():
        return sympy.Integer(0)
    return sympy.expand(ring.expr(over) / ring.expr(below)) if len(below) == 1 else factored_fraction(ring, over, below)


def _equal(
    line: Relation, reason: Reason, by: tuple[sympy.Expr, ...], first: Relation | None, assume: Sequence[Boolean] = ()
) -> Step:
    """Return an equation that follows from the definition `first` of the name in it, if there is one."""
    stands = () if first is None else (first.formula,)
    sizes = sorted({s for e in (*line.shows, *(first.shows if first else ())) for s in e.free_symbols}, key=str)
    whole = tuple(Formula(">=", Term("v", s.name), Term("q", 1, 1)) for s in sizes if s.is_integer)
    names = frozenset(Term("v", n) for f in (line.formula, *stands) for n in variables(f))
    polys = [normal(d, [])[0] for f in (line.formula, *stands) for d in divisors(f)]
    below = dict.fromkeys(term_of(p) for p in polys if not plain_sign(p, names))
    asked = (*map(to_formula, assume), *whole)
    defined = tuple(Formula("not", Formula("=", d, ZERO)) for d in below)
    ways = tuple(dict.fromkeys(((), whole, asked, (*asked, *defined))))
    if first is None:
        for given in ways:
            said = prove_statement(Statement("", given, line.formula, KIND))
            if said.trust == ByKernel.trust:
                return Step(line, reason, (said,), by=by)
        raise RoofproofError("the proof checker does not prove <line>", line=line)
    positive = Formula(">", first.formula[2], ZERO)  # the value of the name
    # The assumptions give most signs. The positivity of the name gives the others, but takes the longest search.
    for named, given in product((False, True), ways):
        asked_of = (_sign(d, given) or (_sign(d, (*given, first.formula), positive) if named else None) for d in below)
        theorem = by_equations(line.formula, [kernel.assume(first.formula)], signs=[t for t in asked_of if t])
        if (known := by_kernel(stated((first.formula, *given), line), theorem)) is not None:
            return Step(line, reason, (known,), by=by)
    raise RoofproofError("the proof checker does not prove <line>", line=line)


@remembered(200)  # the lines of a limit have the same divisors
def _sign(divisor: Term, given: tuple[Formula, ...], *holds: Formula) -> Theorem | None:
    """Return a theorem about the sign of a divisor, or None. A sign is not searched for if some point contradicts it.

    The points satisfy the assumptions, or `holds` in place of given equations.
    """
    for goal in (Formula(">", divisor, ZERO), Formula(">", ZERO, divisor)):
        looked_at = [*(g for g in given if not holds or g[0] != "="), *holds, Formula("not", goal)]
        other = sampling.find(looked_at, tries=TRIES) is not None or _at_a_corner(looked_at)
        if not other and (found := tactics.prove(goal, given)):
            return found
    return None


def _at_a_corner(formulas: Sequence[Formula]) -> bool:
    """Return whether formulas hold at a point of small and large values.

    Random points miss some of these: P + R - 1 is rarely negative.
    """
    names = sorted(frozenset[str]().union(*map(variables, formulas)))
    for values in product(FAR, repeat=len(names)) if len(names) <= CORNERS else ():
        point = dict(zip(names, values, strict=True))
        with suppress(sampling.Inexact):
            if all(sampling.holds(f, point) for f in formulas):
                return True
    return False


def stated(given: tuple[Formula, ...], line: Relation) -> Statement:
    """Return the statement of a line under some assumptions."""
    return Statement("", given, line.formula, KIND)
