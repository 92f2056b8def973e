"""Proofs of an integer answer: it meets the condition, and no smaller one (no larger one, for the largest) does."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Threshold, bounds
from roofproof.derive.inequalities.integers import largest_integer, smallest_integer
from roofproof.derive.roofline.allowed_sizes import divided_by
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, minus, substitute
from roofproof.proofs.known import ByEveryInteger, ByOracle, Known, Unproved, by_kernel, holds, warranted
from roofproof.proofs.oracles import smt
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.search import tactics
from roofproof.proofs.search.integers import divides, integer_lemmas, no_divisor, prove_divides
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.logarithms import met_at, number_bounds, power_bounds
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions

SCANNED = 20_000  # most integers checked one by one if the kernel finds no proof


def prove_integer(
    solved: Known,
    x: sympy.Symbol,
    threshold: Threshold,
    answer: int | None,
    multiple_of: int = 1,
    whole: Sequence[Boolean] = (),
    largest: bool | None = None,
) -> Known:
    """Prove that `answer` is the smallest integer (the largest, for an upper bound) that meets a condition.

    `solved` states that the condition holds if and only if the threshold is met. `whole` are divisibility conditions
    that the integer must also meet.

    >>> from roofproof.derive.inequalities.cases import Above, Case, Cases
    >>> from roofproof.proofs import certify
    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> above = Above(sympy.Rational(7, 2))
    >>> solved, *_ = certify(2*x > 7, Cases(x, (Case(sympy.true, above),)))
    >>> known = prove_integer(solved, x, above, 4)                          # 8 > 7, 6 is not
    >>> known.statement.says, known.trust
    ('smallest integer x = 4', 'kernel')
    >>> prove_integer(solved, x, above, 5)
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: smallest integer x = 5: false at x = 4
    >>> known = prove_integer(solved, x, above, 5, whole=[sympy.Eq(sympy.Mod(25, x), 0)])    # 25/4 is no integer
    >>> known.statement.says, known.trust
    ('smallest integer x = 5, where x divides 25', 'kernel')

    Raises Refuted for another answer.
    """
    m, name = multiple_of, x.name
    itself = Term("v", name)
    scaled: Term = itself if m == 1 else Term("*", Term("q", m, 1), itself)
    sizes = divided_by(x, whole)
    others = [to_formula(c.replace(sympy.Mod, lambda a, b: a - b * sympy.floor(a / b))) for c in whole
              if not divided_by(x, [c])]  # fmt: skip
    parts = [substitute(f, {name: scaled}) for f in (solved.statement.goal[1], *others)]
    parts += [divides(scaled, size) for size in sizes]
    condition: Formula = Formula("and", *parts) if len(parts) > 1 else parts[0]
    down = threshold.kind == "below" if largest is None else largest
    nothing = Formula("not", condition)
    goal, beyond = nothing, None
    about = f"integer {name}" if m == 1 else f"multiple of {m} for {name}"
    if answer is not None:
        if answer % m or answer < 1:
            raise Refuted(f"{'largest' if down else 'smallest'} {about} = {answer}", {name: Fraction(answer)})
        at = Term("q", answer // m, 1)
        beyond = Formula(">", itself, at) if down else Formula(">", at, itself)
        goal = Formula("and", substitute(condition, {name: at}), Formula("=>", beyond, nothing))
    statement = Statement(
        about, (Formula("int", itself),), goal, "integer", label=" and ".join(map(plain, whole)), step=m
    )
    if isinstance(solved.warrant, ByEveryInteger):
        most = solved.warrant.last // m if answer is None or down else answer // m
        ends = (Formula(">=", itself, Term("q", 1, 1)), Formula(">=", Term("q", most, 1), itself))
        scanned = replace(statement, assumptions=(*statement.assumptions, *ends))
        return warranted(scanned, ByEveryInteger(name, 1, most)) or Known(statement, Unproved("no proof was found"))
    theorem, isolated = solved.theorem, any(b.has(sympy.CRootOf) for b in bounds(threshold))
    with suppress(KernelError, RoofproofError):
        if isolated or theorem is None:  # the root is not needed: the condition itself decides
            theorem = None if whole else _directly(statement, name, beyond)
        elif sizes and not others:
            where = (to_formula(threshold.holds(x), with_functions), threshold)
            theorem = _among_divisors(statement, theorem, name, scaled, where, beyond, sizes, m)
        else:
            bound = to_formula(threshold.holds(x), with_functions)
            theorem = _by_kernel(statement, theorem, name, scaled, bound, beyond)
    if (known := by_kernel(statement, theorem)) is not None:
        return known
    near = sympy.divisors(min(sizes)) if sizes else [*range(1, 65)]
    if terms_with(("log2",), goal):
        near = near[:1]  # each is slow to evaluate
    elif answer is not None:
        near = [answer // m + (k if down else -k) for k in range(65)] + near
    for n in near:
        if n > 0 and holds(Formula("not", goal), {name: Fraction(n)}):
            raise Refuted(statement.says, {name: Fraction(n * m)})
    most = min(sizes, default=0) // m if answer is None else 0 if down else answer // m
    if (whole or isolated) and 0 < most <= SCANNED:
        ends = (Formula(">=", itself, Term("q", 1, 1)), Formula(">=", Term("q", most, 1), itself))
        scanned = replace(statement, assumptions=(*statement.assumptions, *ends))
        if known := warranted(scanned, ByEveryInteger(name, 1, most)):
            return known
    if whole:
        return Known(statement, Unproved("no proof was found"))
    said = smt.refute([f for f in statement.negation() if f[0] != "int"], [name])
    if said.said == "unsat":
        with suppress(KernelError):  # to the solver, a logarithm is an arbitrary function
            return Known(statement, ByOracle(statement.smtlib(), "z3", smt.version()))
    return Known(statement, Unproved(said.reason or "no proof was found"))


def _by_kernel(
    statement: Statement, solved: Theorem, name: str, scaled: Term, bound: Formula, beyond: Formula | None
) -> Theorem | None:
    """Prove the answer in the kernel: integers beyond it are beyond it by at least one, where the threshold fails."""
    above = kernel.arith(Formula(">", scaled, ZERO), positive=[name])
    same = cut(kernel.instantiate(solved, {name: scaled}), [above, _at_least_one(name, scaled)])
    at: Term = next((t for t in beyond[1:] if t[0] == "q"), ZERO) if beyond else ZERO
    m = 1 if scaled[0] == "v" else int(scaled[1][1])
    near = met_at(bound, name, [m * (at[1] + k) for k in (-1, 0, 1)])
    lemmas = [*power_bounds([bound], near), *number_bounds([bound])]
    outside = _outside(name, substitute(bound, {name: scaled}), beyond, lemmas)
    if outside is None or beyond is None:
        return outside and kernel.propositional(statement.goal, [same, outside])
    first = tactics.prove(statement.goal[1]) if not lemmas else None
    if first is None:
        met = tactics.prove(substitute(substitute(bound, {name: scaled}), {name: at}), [], lemmas)
        if met is None:
            return None
        here = tactics.without_given(cut(kernel.instantiate(same, {name: at}), [kernel.integral(at)]))
        first = kernel.propositional(statement.goal[1], [here, met])
    second = kernel.propositional(statement.goal[2], [same, outside])
    return kernel.propositional(statement.goal, [first, second])


def _at_least_one(name: str, scaled: Term) -> Theorem:
    """Prove that a multiple of a positive integer is at least 1."""
    itself = Term("v", name)
    m = 1 if scaled == itself else int(scaled[1][1])
    positive = Formula(">", itself, ZERO)
    least = kernel.gap(
        kernel.assume(positive), kernel.integral(minus(itself, ZERO), [kernel.assume(Formula("int", itself))])
    )
    return kernel.arith(
        Formula(">=", scaled, Term("q", 1, 1)), [least], [(Term("q", m, 1), [0]), (Term("q", m - 1, 1), [])]
    )


def _directly(statement: Statement, name: str, beyond: Formula | None) -> Theorem | None:
    """Prove the answer from the condition itself, without the solved threshold."""
    if beyond is None:
        return tactics.prove(statement.goal, [], integer_lemmas([statement.goal], [name]))
    first, outside = tactics.prove(statement.goal[1]), _outside(name, statement.goal[2][2][1], beyond)
    return first and outside and kernel.propositional(statement.goal, [first, outside])


def _outside(name: str, bound: Formula, beyond: Formula | None, lemmas: Sequence[Theorem] = ()) -> Theorem | None:
    """Prove that no integer, or no integer beyond a number, meets a bound."""
    outside = Formula("not", bound)
    if beyond is None:
        return tactics.prove(outside, [], [*integer_lemmas([outside], [name]), *lemmas])
    integer = kernel.assume(Formula("int", Term("v", name)))
    step = kernel.gap(kernel.assume(beyond), kernel.integral(minus(beyond[1], beyond[2]), [integer]))
    inner = tactics.prove(outside, [step.conclusion], lemmas)
    return inner and kernel.propositional(
        Formula("=>", beyond, outside), [kernel.discharge(inner, step.conclusion), kernel.discharge(step, beyond)]
    )


def _among_divisors(
    statement: Statement,
    solved: Theorem,
    name: str,
    scaled: Term,
    where: tuple[Formula, Threshold],
    beyond: Formula | None,
    sizes: Sequence[int],
    m: int,
) -> Theorem | None:
    """Prove the answer by divisibility: no integer beyond it both meets the threshold and divides the sizes."""
    itself = Term("v", name)
    same = cut(kernel.instantiate(solved, {name: scaled}), [kernel.arith(Formula(">", scaled, ZERO), positive=[name])])
    bound = substitute(where[0], {name: scaled})
    first, last = (None if n is None else n // m for n in (smallest_integer(where[1], m), largest_integer(where[1], m)))
    if first is None:
        outside = _outside(name, bound, None)
        return outside and kernel.propositional(statement.goal, [same, outside])
    facts = [same, _outside(name, bound, Formula(">", Term("q", first, 1), itself))]
    if last is not None:
        facts.append(_outside(name, bound, Formula(">", itself, Term("q", last, 1))))
    if beyond is not None and beyond[1] == itself:
        first = int(beyond[2][1]) + 1
    elif beyond is not None:
        last = int(beyond[1][1]) - 1
    facts.append(no_divisor(name, first, last, bound, sizes, m) if last is None or last >= first else same)
    ends: list[tuple[Formula, Formula]] = [
        (Formula(">=", itself, Term("q", first, 1)), Formula(">", itself, Term("q", first - 1, 1)))
    ]
    if last is not None:
        ends.append((Formula(">=", Term("q", last, 1), itself), Formula(">", Term("q", last + 1, 1), itself)))
    for inside, over in ends:
        one = kernel.arith(over, [kernel.assume(inside)], [(Term("q", 1, 1), []), (Term("q", 1, 1), [0])])
        facts.append(kernel.discharge(one, inside))
    if any(fact is None for fact in facts):
        return None
    kept = [fact for fact in facts if fact is not None]
    rest = statement.goal if beyond is None else statement.goal[2]
    second = kernel.propositional(rest, kept)
    if beyond is None:
        return second
    met, *_ = statement.goal[1][1:]
    first_met = tactics.prove(met)
    at = substitute(scaled, {name: next(t for t in beyond[1:] if t != itself)})
    return first_met and kernel.propositional(
        statement.goal, [second, first_met, *(prove_divides(at, size) for size in sizes)]
    )
