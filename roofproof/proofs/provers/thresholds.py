"""Proofs of the thresholds that `derive` finds: every case, and that the cases are exhaustive and disjoint."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import MILLION, PROOF_STEPS, Budget
from roofproof.derive.algebra.logic import parts_of
from roofproof.derive.inequalities.cases import Case, Cases, bounds, with_bounds
from roofproof.derive.solve import solve, solved
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError
from roofproof.proofs.known import Known, Unwarranted, by_kernel
from roofproof.proofs.provers.statements import possible, prove_statements, refuse_contradictory, witness_of
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import formula_if_defined, to_formula, with_functions


def certify(
    condition: Boolean,
    cases: Cases,
    assume: Sequence[Boolean] = (),
    oracle: str = "z3",
    steps: int = PROOF_STEPS,
    whole: Budget | None = None,
) -> Derivation:
    """Prove that `condition` holds exactly for the sizes that the cases give, or raise Refuted with a counterexample.

    >>> import sympy
    >>> from roofproof.derive.solve import solve_inequality
    >>> from roofproof.symbols import quantity
    >>> B, D, F, R = map(quantity, "BDFR")
    >>> compute_bound = B*D*F/(B*D + D*F + B*F) > R
    >>> certify(compute_bound, solve_inequality(compute_bound, B)).trust
    'kernel'
    >>> from roofproof.derive.inequalities.cases import Above, Case, Cases
    >>> certify(compute_bound, Cases(B, (Case(sympy.true, Above(R)),)))    # the rule of thumb, taken as exact
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: B > R: false at B = 2, D = 1, F = 1, R = 1

    A truth table and the solver's sign tree prove what they can. The rest is searched for within `steps`, and is left
    undecided if no proof is found. `whole` limits all steps, including those of the tree.
    """
    refuse_contradictory(assume)
    due = statements(condition, cases, assume)
    tree = partial(_by_tree, condition, cases, tuple(assume))
    known: dict[Statement, Known] = {}
    for s in due:
        theorem = _by_truth_table(s.goal) if s.kind != "case" else None
        if theorem is None and (whole is None or whole.left):
            theorem = tree(s)
        if theorem is not None and (made := by_kernel(s, theorem, witness_of(s))) is not None:
            known[s] = made
    if left := [s for s in due if s not in known]:
        hints = powers_met(condition, cases.unknown, assume)
        search = Budget(steps if whole is None else min(steps, whole.left))
        known |= zip(left, prove_statements(left, oracle, search, hints), strict=True)
    return Derivation(tuple(known[s] for s in due))


def _by_tree(condition: Boolean, cases: Cases, assume: tuple[Boolean, ...], due: Statement) -> Theorem | None:
    """Prove a statement about the cases of a condition by the solver's sign tree, or None if there is none."""
    try:
        found = solved(condition, cases.unknown, assume)
    except RoofproofError:
        return None
    return found.theorem(due.goal, due.about[1] if isinstance(due.about, tuple) else None, refuted)


def refuted(facts: Sequence[Formula]) -> Theorem | None:
    """Prove that facts contradict each other, or return None.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> a, b = (Term("v", n) for n in "ab")
    >>> refuted([Formula(">", a, b), Formula(">", b, a)])
    a > 0, a > b, b > 0, b > a |- false
    """
    from roofproof.proofs.search import tactics

    return tactics.prove(Formula("false"), facts)


def _by_truth_table(goal: Formula) -> Theorem | None:
    try:
        return kernel.propositional(goal)
    except KernelError:
        return None


def powers_met(condition: Boolean, x: sympy.Symbol, assume: Sequence[Boolean] = ()) -> list[Formula]:
    """Solve each comparison that contains a logarithm of the unknown separately.

    >>> N = sympy.Symbol("N", positive=True)
    >>> powers_met((7*N*log2(N) > 200*N) | (N > 9), N)
    [('>', ('v', 'N'), ('power', ('q', 2, 1), ('q', 200, 7)))]
    """
    if not parts_of(condition, log2):
        return []
    found = sorted((r for r in parts_of(condition, Relational) if r.has(log2)), key=sympy.default_sort_key)
    alone = (c.threshold.holds(x) for r in found if x in r.free_symbols for c in solve(r, x, assume))
    return [to_formula(each, with_functions) for each in alone if each not in (sympy.true, sympy.false)]


def statements(condition: Boolean, cases: Cases, assume: Sequence[Boolean] = ()) -> list[Statement]:
    """Return the proof obligations of the cases: each threshold, and that exactly one case applies."""
    return statements_of(formula_if_defined(condition), cases, [to_formula(a, with_functions) for a in assume])


def statements_of(wanted: Formula, cases: Cases, assumed: Sequence[Formula] = ()) -> list[Statement]:
    """Return the proof obligations of the cases of a condition given as a formula."""
    if not cases.cases:
        raise RoofproofError("no cases: expected at least one, if only 'never'")
    told = tuple(cases)  # displayed cases keep the roots, which only the proof names
    cases, roots = without_roots(cases)
    given = (*assumed, *roots)
    whens = [to_formula(c.when, with_functions) for c in cases]
    made = []
    for case, when, shown in zip(cases, whens, told, strict=True):
        conditions = given if when == ("true",) else (*given, when)
        goal = Formula("<=>", wanted, to_formula(case.threshold.holds(cases.unknown), with_functions))
        made.append(Statement((cases.unknown, shown), conditions, goal, "case"))
    return [*made, *(cover(whens, given) if len(whens) > 1 or whens[0] != ("true",) else ())]


def cases_of(known: Iterable[Known]) -> Cases:
    """Return the cases stated by known statements, if one of them states that there are no others.

    >>> from roofproof.derive.solve import solve_inequality
    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> known = certify(x > a*x + 1, solve_inequality(x > a*x + 1, x))         # x > 1/(1 - a) when a < 1
    >>> print(cases_of(known))
    x > 1/(1 - a)    when a < 1
    never            otherwise
    >>> cases_of(known.known[:1])
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'x > 1/(1 - a)' is not warranted: nothing says that there is no other case

    Raises Unwarranted if there may be other cases, or if the statements are not about one condition.
    """
    known = tuple(known)
    said = [k.statement for k in known if isinstance(k.statement.about, tuple)]
    if not said or len({s.goal[1] for s in said}) > 1:
        raise Unwarranted("there are no cases of one condition")
    [unknown, *_], shown = zip(*dict.fromkeys(s.about for s in said), strict=True)  # the same case may occur twice
    whens = tuple(to_formula(case.when, with_functions) for case in shown)
    if whens != (("true",),) and ("or", *whens) not in [k.statement.goal for k in known]:
        raise Unwarranted(f"{said[0].says!r} is not warranted: nothing says that there is no other case")
    return Cases(unknown, shown)


def cover(whens: Sequence[Formula], given: Sequence[Formula]) -> Iterator[Statement]:
    """Yield the statements that one of some conditions always holds, and never two of them."""
    yield Statement("the cases are exhaustive", tuple(given), Formula("or", *whens), "exhaustive")
    for a, b in combinations(whens, 2):
        yield Statement(
            "the cases are mutually exclusive", tuple(given), Formula("not", Formula("and", a, b)), "exclusive"
        )


def without_roots(cases: Cases) -> tuple[Cases, tuple[Formula, ...]]:
    """Return the cases with each root of a polynomial named, and the definitions of the names: p = 0 in an interval."""
    found = sorted({r for c in cases for b in bounds(c.threshold) for r in parts_of(b, sympy.CRootOf)}, key=str)
    if not found:
        return cases, ()
    from roofproof.proofs.search.roots import NamedRoots

    roots = NamedRoots(found)
    named = {root: name for root, (name, _) in roots.isolated.items()}
    renamed = tuple(Case(c.when, with_bounds(c.threshold, lambda b: b.xreplace(named))) for c in cases)
    return Cases(cases.unknown, renamed), tuple(roots.relations)


def drop_infeasible(cases: Cases, assume: Sequence[Boolean] = ()) -> Cases:
    """Return the cases whose condition is feasible, which must still be proved exhaustive.

    After four million steps the remaining cases are kept unchecked. Raises RoofproofError if the assumptions contradict
    each other.
    """
    given, budget = [to_formula(a, with_functions) for a in assume], Budget(4 * MILLION)
    refuse_contradictory(assume)
    kept = tuple(
        c for c in cases
        if c.when == sympy.true or not budget.left or possible((*given, to_formula(c.when, with_functions)))[0]
    )  # fmt: skip
    return Cases(cases.unknown, kept) if len(kept) > 1 else Cases(cases.unknown, (Case(sympy.true, kept[0].threshold),))
