"""Proofs without a search: by equal normal forms, by the sign of a difference, or by a truth table.

A difference has the sign of a given one if the two polynomials are equal up to factors of known sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import product

from roofproof.proofs.assumptions import ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import proportional, sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Polynomial, Term, normal, term_of, variables
from roofproof.proofs.search.polynomials import Ring, atoms_in, by_equations, core

MAX_OPEN = 3  # limit of divisors of unknown sign: each doubles the cases


def without_search(
    goal: Formula, given: Sequence[Formula], lemmas: Sequence[Theorem] = (), signs: Sequence[Theorem] = ()
) -> Theorem | None:
    """Prove a goal by a lemma, equal normal forms, signs or a truth table. Return None if none of them suffices.

    >>> without_search(Formula("=", Term("v", "x"), Term("*", Term("q", 1, 1), Term("v", "x"))), ())
    x > 0 |- x = 1*x
    """
    if (known := next((t for t in lemmas if t.conclusion == goal), None)) is not None:
        return known
    if goal[0] == "=" and (known := by_normal_forms(goal, given, signs)) is not None:
        return known
    if goal[0] == "and":
        found = [without_search(part, given) for part in goal[1:]]
        return None if None in found else kernel.propositional(goal, found)  # type: ignore[arg-type]
    if (known := by_sign(goal, given)) is not None:
        return known
    with suppress(KernelError):
        return kernel.propositional(goal)
    if (known := by_both_ways(goal, given)) is not None:
        return known
    atoms = atoms_in(goal)
    sides = (side for a in atoms if a[0] == ">" for side in (a, Formula(">=", a[2], a[1])))  # the atom or its negation
    with suppress(KernelError):
        return kernel.propositional(goal, [t for side in sides if (t := by_sign(side, given)) is not None])
    return None


def prove(goal: Formula, given: Sequence[Formula] = ()) -> Theorem | None:
    """Return `given, x > 0... |- goal`, with a search only if needed, or None if no proof was found.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> prove(Formula("<=>", Formula(">", Term("*", x, y), y), Formula(">", x, Term("q", 1, 1))))  # x y - y = y (x - 1)
    x > 0, y > 0 |- x*y > y <=> x > 1
    """
    if (theorem := without_search(goal, given)) is not None:
        return theorem
    from roofproof.proofs.search import tactics

    return tactics.prove(goal, given)


def by_normal_forms(goal: Formula, given: Sequence[Formula], signs: Sequence[Theorem]) -> Theorem | None:
    """Prove an equation by equal normal forms. The given formulas may be needed for the signs of divisors."""
    names = sorted(variables(goal).union(*map(variables, given)))
    for said in (tuple, lambda: _with_cores(signs, names), lambda: _signs(goal, given)):
        with suppress(KernelError):
            return kernel.identity(goal[1], goal[2], names, said())
    return None


def identical(equation: Formula, names: Sequence[str], lemmas: Sequence[Theorem] = ()) -> Theorem | None:
    """Prove an equation by equal normal forms, if no divisor is zero. Return None if the normal forms differ.

    Equations among the lemmas define the term on their left side.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> less = Term("+", x, Term("*", Term("q", -1, 1), y))
    >>> identical(Formula("=", Term("/", less, less), Term("q", 1, 1)), ["x", "y"])
    not(0 + 1*x^1 + -1*y^1 = 0), x > 0, y > 0 |- (x + -1*y)/(x + -1*y) = 1
    """
    try:
        return on_each_side(equation, lambda signs: _identity(equation, names, lemmas, signs), names)
    except KernelError:
        return None


def _identity(equation: Formula, names: Sequence[str], lemmas: Sequence[Theorem], signs: Sequence[Theorem]) -> Theorem:
    found = by_equations(equation, lemmas, signs=signs) if lemmas else None
    return kernel.arith(equation, signs, [], names) if found is None else found


def on_each_side(goal: Formula, made: Callable[[Sequence[Theorem]], Theorem], names: Sequence[str]) -> Theorem:
    """Prove a goal by calling `made` for both signs of each divisor of unknown sign, assuming that none is zero."""
    divisors: list[Polynomial] = []
    for atom in (goal,) if goal[0] == "=" else goal[1:]:
        for side in atom[1:]:
            normal(side, divisors)
    free = frozenset(Term("v", n) for n in names)
    open_: list[Polynomial] = []
    for d in divisors:
        if not sign(d, free) and not any(proportional(d, other) is not None for other in open_):
            open_.append(d)
    if not open_:
        return made(())
    if len(open_) > MAX_OPEN:
        raise KernelError("too many divisors of open sign")
    cases: list[Theorem] = []
    sides = [(Formula(">", term_of(d), ZERO), Formula(">", ZERO, term_of(d))) for d in open_]
    for chosen in product(*sides):
        found = made([kernel.assume(f) for f in chosen])
        for f in chosen:
            found = kernel.discharge(found, f)
        cases.append(found)
    for t in map(term_of, open_):
        cases += [kernel.trichotomy(t, ZERO), kernel.assume(Formula("not", Formula("=", t, ZERO)))]
    return kernel.propositional(goal, cases)


def _with_cores(signs: Sequence[Theorem], names: Sequence[str]) -> list[Theorem]:
    """Return signs, and the same signs without positive factors."""
    return [t for sign in signs for t in (sign, core(sign, [], names))]


def _signs(goal: Formula, given: Sequence[Formula]) -> list[Theorem]:
    """Return the signs of divisors that follow from the given formulas."""
    divided = (d for d in dict.fromkeys(divisors(goal)) if variables(d))
    sides = (side for d in divided for side in (Formula(">", d, ZERO), Formula(">", ZERO, d)))
    return [t for side in sides if (t := by_sign(side, given)) is not None]


def divisors(t: Term | Formula) -> list[Term]:
    """Return the divisors anywhere in a term or formula.

    >>> divisors(Formula("=", Term("v", "x"), Term("/", Term("q", 1, 1), Term("v", "y"))))
    [('v', 'y')]
    """
    parts = [p for p in t if isinstance(p, Term | Formula)]
    return [d for p in parts for d in divisors(p)] + ([t[2]] if t[0] == "/" else [])


FOLLOWS = {">": (">", ">="), ">=": (">=",), "=": ("=", ">=")}  # the relations to zero that each relation implies


def by_both_ways(goal: Formula, given: Sequence[Formula] = ()) -> Theorem | None:
    """Prove that two comparisons are equivalent, each from the other by the sign of its difference, or return None.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> by_both_ways(Formula("<=>", Formula(">", Term("*", x, y), y), Formula(">", x, Term("q", 1, 1))))
    x > 0, y > 0 |- x*y > y <=> x > 1
    """
    if goal[0] != "<=>":
        return None
    ways = list[Theorem]()
    for f, g in (goal[1:], goal[:0:-1]):
        if (theorem := by_sign(g, [f, *given], variables(goal))) is None:
            return None
        ways.append(kernel.discharge(theorem, f))
    return kernel.propositional(goal, ways)


def by_sign(goal: Formula, given: Sequence[Formula] = (), positive: Iterable[str] = ()) -> Theorem | None:
    """Prove a comparison if its difference is a given one times positive factors. Return None if it is not.

    >>> x, y, R = Term("v", "x"), Term("v", "y"), Term("v", "R")
    >>> above = Formula(">", Term("/", Term("q", 1, 1), x), R)
    >>> by_sign(Formula(">", y, Term("*", R, x, y)), [above])                    # y - R x y = x y (1/x - R)
    1/x > R, R > 0, x > 0, y > 0 |- y > R*x*y
    """
    if goal[0] not in FOLLOWS:
        return None
    names = sorted(variables(goal).union(positive))
    with suppress(KernelError):
        if goal[0] == "=":
            return kernel.identity(goal[1], goal[2], names)
        whole = kernel.polynomial(goal, names)
        if sign(whole, frozenset(Term("v", n) for n in names)) == 1 or (not whole and goal[0] == ">="):
            return kernel.arith(goal, positive=names)
    for fact in (fact for each in given for fact in _literals(kernel.assume(each))):
        if goal[0] in FOLLOWS[fact.conclusion[0]]:
            with suppress(KernelError):
                return carried(goal, fact, names)
    return None


def carried(goal: Formula, fact: Theorem, names: Sequence[str], signs: Sequence[Theorem] = ()) -> Theorem:
    """Return a comparison of p with zero from one of q, if s p = m q for positive s and m.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> carried(Formula(">", Term("*", x, y), y), kernel.assume(Formula(">", x, Term("q", 1, 1))), ["x", "y"])
    x > 0, x > 1, y > 0 |- x*y > y

    For an equation, m may have either sign. `signs` give the signs of divisors. Raises KernelError if the two differ by
    anything else.
    """
    known = [kernel.polynomial(t.conclusion, names) for t in signs]
    p, q = (kernel.polynomial(f, names, known) for f in (goal, fact.conclusion))
    if p == q:
        return kernel.arith(goal, [*signs, fact], [(ONE, [len(signs)])], names)
    if not p or not q:
        raise KernelError("one of them is zero")
    ring = Ring([p, q], names)
    f, g = ring.poly(p), ring.poly(q)
    common = f.gcd(g)
    s, m = g / common, f / common
    turned, turn = ring.sign(s), ring.sign(m)
    if not turned or (turn != turned and not (turn and fact.conclusion[0] == "=")):
        raise KernelError("the two sides differ by a factor of unknown sign")
    weight, multiplier = ring.term(m * turned), ring.term(s * turned)
    return kernel.arith(goal, [*signs, fact], [(weight, [len(signs)])], names, multiplier)


def by_truth_table(goal: Formula, premises: Sequence[Theorem]) -> Theorem | None:
    """Prove a goal that follows from theorems by propositional logic only, or return None.

    >>> x = Formula(">", Term("v", "x"), ZERO)
    >>> print(by_truth_table(Formula("or", x, Formula("not", x)), []))
    |- x > 0 or not(x > 0)
    """
    with suppress(KernelError):
        return kernel.propositional(goal, premises)
    return None


def is_plain(goal: Formula, positive: Iterable[str]) -> bool:
    """Return whether a comparison follows only from some names being positive.

    >>> above = Formula(">", Term("+", Term("v", "x"), Term("v", "y")), ZERO)
    >>> is_plain(above, ["x", "y"]), is_plain(above, ["x"])
    (True, False)
    """
    try:
        kernel.arith(goal, positive=list(positive))
    except KernelError:
        return False
    return True


def _literals(fact: Theorem) -> Iterator[Theorem]:
    """Yield the comparisons in the conjunction that a theorem states."""
    head, *parts = fact.conclusion
    if head in FOLLOWS:
        yield fact
    for part in parts if head == "and" else ():
        yield from _literals(kernel.propositional(part, [fact]))
