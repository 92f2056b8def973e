"""Proving an integer answer: it will do, and nothing below it (above it, for the largest) does."""

from contextlib import suppress
from fractions import Fraction

import sympy

from roofproof.derive.inequalities.cases import Threshold
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, minus, substitute
from roofproof.proofs.known import ByOracle, Known, Open, by_kernel, holds
from roofproof.proofs.oracles import smt
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.search import tactics
from roofproof.proofs.search.integer_lemmas import integer_lemmas
from roofproof.proofs.search.radicals import cut
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula


def prove_integer(
    solved: Known, x: sympy.Symbol, threshold: Threshold, answer: int | None, multiple_of: int = 1
) -> Known:
    """Return that `answer` is the smallest integer (the largest, for an upper bound) for which a condition holds.

    `solved` says that the condition holds exactly where the threshold is met.

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

    Raises Refuted for another answer.
    """
    m, name = multiple_of, x.name
    itself: Term = ("v", name)
    scaled: Term = itself if m == 1 else ("*", ("q", m, 1), itself)
    condition: Formula = substitute(solved.statement.goal[1], {name: scaled})
    which = "largest" if threshold.kind == "below" else "smallest"
    whole = f"{which} integer {name}" if m == 1 else f"{which} multiple of {m} for {name}"
    says = f"{whole} = {answer}" if answer is not None else f"no {whole}"
    nothing: Formula = ("not", condition)
    goal, beyond = nothing, None
    if answer is not None:
        if answer % m or answer < 1:
            raise Refuted(says, {name: Fraction(answer)})
        at: Term = ("q", answer // m, 1)
        beyond = (">", itself, at) if which == "largest" else (">", at, itself)
        goal = ("and", substitute(condition, {name: at}), ("=>", beyond, nothing))
    shows = (x, sympy.Integer(answer) if answer is not None else sympy.nan)
    statement = Statement(says, (("int", itself),), goal, "integer", shows=shows)
    theorem = solved.theorem
    with suppress(KernelError, RoofproofError):
        theorem = theorem and _by_kernel(statement, theorem, name, scaled, to_formula(threshold.holds(x)), beyond)
    if (known := by_kernel(statement, theorem)) is not None:
        return known
    for n in range(1, 65) if answer is None else (answer // m + (k if which == "largest" else -k) for k in range(65)):
        if n > 0 and holds(("not", goal), {name: Fraction(n)}):
            raise Refuted(says, {name: Fraction(n * m)})
    said = smt.refute([f for f in statement.negation() if f[0] != "int"], [name])
    if said.said == "unsat":
        return Known(statement, ByOracle(statement.smtlib(), "z3", smt.version()))
    return Known(statement, Open(said.reason or "no proof was found"))


def _by_kernel(
    statement: Statement, solved: Theorem, name: str, scaled: Term, bound: Formula, beyond: Formula | None
) -> Theorem | None:
    """Return the theorem: integers beyond the answer lie beyond it by one, where the threshold is not met."""
    integer = kernel.assume(("int", ("v", name)))
    same = cut(kernel.instantiate(solved, {name: scaled}), [kernel.arith((">", scaled, ZERO), positive=[name])])
    outside: Formula = ("not", substitute(bound, {name: scaled}))
    if beyond is None:
        inner = tactics.prove(outside, [], integer_lemmas([outside], [name]))
        return inner and kernel.propositional(statement.goal, [same, inner])
    step = kernel.gap(kernel.assume(beyond), kernel.integral(minus(beyond[1], beyond[2]), [integer]))
    inner = tactics.prove(outside, [step.conclusion])
    first = tactics.prove(statement.goal[1])
    if inner is None or first is None:
        return None
    second = kernel.propositional(
        statement.goal[2], [same, kernel.discharge(inner, step.conclusion), kernel.discharge(step, beyond)]
    )
    return kernel.propositional(statement.goal, [first, second])
