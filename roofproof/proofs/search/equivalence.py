"""Equivalent forms: transfers a theorem about one form of a formula to another form of the same formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from roofproof.derive.algebra.budget import Budget, remembered, spend
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    OPAQUE,
    ZERO,
    Formula,
    KernelError,
    Polynomial,
    Term,
    V,
    as_formula,
    as_term,
    mul,
    normal,
    variables,
)
from roofproof.proofs.search import tactics
from roofproof.proofs.search.integers import rounding_lemmas
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.logarithms import by_logarithms, expansions, rounded_exponents
from roofproof.proofs.search.polynomials import Ring, atoms_in, by_equations, exchanged, terms_with
from roofproof.proofs.search.roots import root_lemmas, root_sign
from roofproof.proofs.search.short_proofs import carried, identical, on_each_side
from roofproof.proofs.statement import Statement

STEPS = 300_000  # limit of a search for equivalence, if comparing link by link is not enough


def restate(
    theorem: Theorem, goal: Formula, given: Sequence[Formula] = (), lemmas: Sequence[Theorem] = ()
) -> Theorem | None:
    """Return a theorem of the goal from a theorem of an equivalent formula, or None.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> known = kernel.assume(Formula(">", x, y))
    >>> restate(known, Formula(">", Term("/", x, y), Term("q", 1, 1)))                     # x/y - 1 = (x - y)/y
    x > 0, x > y, y > 0 |- x/y > 1

    All names are assumed positive. `given` are further assumptions. `lemmas` are theorems about roots and logarithms.
    """
    if (found := prove_link_by_link(theorem, goal, given, lemmas)) is not None:
        return found
    if (found := by_functions(goal, lemmas)) is not None:
        return found
    search = tactics.Search([goal, theorem.conclusion, *given, *(t.conclusion for t in lemmas)], Budget(STEPS), False)
    return search.prove(goal, given, [theorem, *lemmas])


def prove_link_by_link(
    theorem: Theorem, goal: Formula, given: Sequence[Formula] = (), lemmas: Sequence[Theorem] = ()
) -> Theorem | None:
    """Return a theorem of the goal from a theorem whose comparisons match it one by one in sign, or None.

    >>> x, m = Term("v", "x"), Term("v", "m")
    >>> known, lemma = (kernel.assume(Formula(*f)) for f in ((">", m, x), ("=", ("max", x, m), m)))
    >>> prove_link_by_link(known, Formula(">", Term("max", x, m), x), (), [lemma])
    m > 0, m > x, max(x, m) = m, x > 0 |- max(x, m) > x
    """
    if theorem.conclusion == goal:
        return theorem
    names = sorted(frozenset[str]().union(*(variables(f) for f in (goal, theorem.conclusion, *given))))
    try:
        links = _links(goal, [theorem.conclusion, *(t.conclusion for t in lemmas)], names, lemmas)
        return kernel.propositional(goal, [theorem, *lemmas, *links])
    except KernelError:
        return None


def equal(a: Term, b: Term, given: Sequence[Formula] = (), positive: Sequence[str] | None = None) -> Theorem | None:
    """Prove that two terms are equal, by their normal forms or by a search.

    >>> x = Term("v", "x")
    >>> equal(Term("/", Term("+", x, x), Term("*", Term("q", 2, 1), x)), Term("q", 1, 1))
    x > 0 |- (x + x)/(2*x) = 1

    `positive` names the positive variables (default: all).
    """
    names = sorted(variables(a) | variables(b)) if positive is None else list(positive)
    goal = Formula("=", a, b)
    if (found := identical(goal, names)) is not None:
        return found
    if positive is not None and set(positive) < variables(a) | variables(b):
        return None  # the search assumes that all names are positive
    lemmas = power_lemmas(goal)
    said = [t.conclusion for t in lemmas]
    return tactics.Search([goal, *given, *said], Budget(STEPS), not lemmas).prove(goal, given, lemmas)


def equivalent(f: Formula, g: Formula, given: Sequence[Formula] = ()) -> Theorem | None:
    """Return `f <=> g` for two forms of a statement, link by link or by a search. All names are positive.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> equivalent(Formula(">", Term("/", x, y), Term("q", 1, 1)), Formula(">", x, y))
    x > 0, y > 0 |- x/y > 1 <=> x > y
    """
    goal = Formula("<=>", f, g)
    lemmas = power_lemmas(goal)
    with suppress(KernelError):
        return kernel.propositional(goal, _links(f, [g], sorted(variables(goal)), lemmas))
    said = [t.conclusion for t in lemmas]
    return tactics.Search([goal, *given, *said], Budget(STEPS), not lemmas).prove(goal, given, lemmas)


def match_forms(f: V, form: V) -> V:
    """Return a formula with its roots, maxima and roundings written as in another formula.

    >>> x, y, one = Term("v", "x"), Term("v", "y"), Term("q", 1, 1)
    >>> once = Formula(">", Term("max", y, Term("+", Term("*", one, x), y)), x)
    >>> match_forms(once, Formula(">", Term("max", Term("+", y, x), y), one))
    ('>', ('max', ('+', ('v', 'y'), ('v', 'x')), ('v', 'y')), ('v', 'x'))
    """
    table = {canonical_arguments(t): t for t in terms_with(OPAQUE, form)}
    return _as_in(f, table) if table else f


def _as_in(f: V, table: Mapping[Term, Term]) -> V:
    if isinstance(f, Term) and f[0] in OPAQUE and (known := table.get(canonical_arguments(f))) is not None:
        return known
    return f.mapped(lambda part: _as_in(part, table))


def canonical_arguments(t: Term) -> Term:
    """Return a term whose arguments of maxima, roots and other functions are in lowest terms and canonical order.

    >>> x, two = Term("v", "x"), Term("q", 2, 1)
    >>> canonical_arguments(Term("floor", Term("/", Term("*", two, x, x), Term("*", Term("q", 4, 1), x))))[1]
    ('*', ('q', 1, 2), ('v', 'x'))
    """
    if t[0] in ("q", "v"):
        return t
    if t[0] not in OPAQUE:
        return t.mapped(canonical_arguments)
    inside = [_lowest_terms(canonical_arguments(part)) for part in t[1:]]
    return Term(t[0], *(sorted(inside) if t[0] in ("max", "min") else inside))


def _lowest_terms(t: Term) -> Term:
    above, below = normal(t, [])
    if not below:
        return t
    ring = Ring([above, below], ())
    p, q = ring.poly(above), ring.poly(below)
    common = p.gcd(q)
    p, q = p / common, q / common
    lead = q.leading_coefficient()
    p, q = p / lead, q / lead
    return ring.term(p) if q.is_one() else Term("/", ring.term(p), ring.term(q))


def _links(
    goal: Formula, others: Sequence[Formula], names: Sequence[str], lemmas: Sequence[Theorem] = ()
) -> list[Theorem]:
    """Return `a <=> b` for each comparison a of the goal and b of the others that always have the same sign.

    Equations among the lemmas define the root or rounding on their left side.
    """
    equations = _defining(lemmas)
    wanted, there = atoms_in(goal), atoms_in(*others)
    made: list[Theorem] = []
    for a in wanted:
        for b in there:
            if (
                a != b
                and a[0] == b[0]
                and a[0] in (">", "=")
                and (found := _both_ways(a, b, names, equations)) is not None
            ):
                made += found
    return made


def _defining(lemmas: Sequence[Theorem]) -> list[Theorem]:
    """Return the equations that define the root, power, logarithm or rounding on their left side."""
    left = [(t, t.conclusion[1]) for t in lemmas if t.conclusion[0] == "="]
    return [t for t, a in left if a[0] in OPAQUE or (a[0] == "^" and a[1][0] in OPAQUE)]


def by_functions(equation: Formula, lemmas: Sequence[Theorem]) -> Theorem | None:
    """Prove an equation by lemmas about the functions in it, or by comparing the logarithms of its sides.

    >>> a, eight, third = Term("v", "a"), Term("q", 8, 1), Term("q", 1, 3)
    >>> halved = Term("/", Term("power", a, third), Term("q", 2, 1))
    >>> by_functions(Formula("=", Term("power", Term("/", a, eight), third), halved), [])
    a > 0 |- power(a/8, 1/3) = power(a, 1/3)/2
    """
    if equation[0] != "=":
        return None
    signs = [r for t in terms_with(("sqrt",), equation) if (r := root_sign(t)) is not None]
    powers = (tactics.prove(Formula(">", t, ZERO)) for t in terms_with(("power",), equation))
    signs += [positive for positive in powers if positive is not None]
    for equations in (_defining(lemmas), _reduced_exponents(equation)):
        if (found := by_equations(equation, equations, signs=signs)) is not None:
            return found
    return by_logarithms(equation)


def _reduced_exponents(equation: Formula) -> list[Theorem]:
    """Prove that each power in an equation equals itself with its exponent in lowest terms: `3^(3 (n/3)) = 3^n`."""
    made: list[Theorem] = []
    for _, base, exponent in terms_with(("power",), equation):
        if (fact := tactics.prove(Formula(">", base, ZERO))) is None:
            continue
        with suppress(KernelError):
            same = kernel.identity(exponent, _lowest_terms(exponent), sorted(variables(exponent)))
            made.append(cut(kernel.exponential(base, same), [fact]))
    return made


def _both_ways(
    a: Formula, b: Formula, names: Sequence[str], equations: Sequence[Theorem]
) -> tuple[Theorem, Theorem] | None:
    """Return `a => b` and `b => a` for comparisons of p and q if s p = m q with positive s and m."""
    spend(50)

    def implied(goal: Formula, premise: Formula) -> Theorem:
        def made(signs: Sequence[Theorem]) -> Theorem:
            return kernel.discharge(carried(goal, kernel.assume(premise), names, signs), premise)

        return on_each_side(Formula("=>", premise, goal), made, names)

    try:
        return implied(a, b), implied(b, a)
    except KernelError:
        pass
    for some in [equations, *([e] for e in equations)] if equations else ():
        there, back = (by_equations(f, some, kernel.assume(g)) for f, g in ((b, a), (a, b)))
        if there is not None and back is not None:
            return kernel.discharge(back, b), kernel.discharge(there, a)
    return None


def logarithm_forms(lemmas: Sequence[Theorem], goal: Formula, given: Sequence[Formula]) -> list[Theorem]:
    """Prove that logarithms in some lemmas equal logarithms of the goal that are written in another form.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> lemma = kernel.assume(Formula(">", Term("log2", Term("+", one, x)), one))
    >>> logarithm_forms([lemma], Formula(">", Term("log2", Term("+", x, one)), one), [])
    [x > 0 |- log2(1 + x) = log2(x + 1)]
    """
    own = {canonical_arguments(t): t for t in terms_with(("log2",), goal)}
    made: list[Theorem] = []
    for t in terms_with(("log2",), *(lemma.conclusion for lemma in lemmas)):
        if (same := own.get(canonical_arguments(t), t)) != t:
            with suppress(KernelError):
                equal = kernel.logarithm(kernel.identity(t[1], same[1], sorted(variables(t))))
                made.append(without(equal, given))
    return made


def without(theorem: Theorem, given: Sequence[Formula], lemmas: Sequence[Theorem] = ()) -> Theorem:
    """Return a theorem without the hypotheses that follow from the given formulas."""
    facts = [
        fact
        for h in sorted(theorem.hypotheses)
        if h not in given and not (h[0] == ">" and h[1][0] == "v" and h[2] == ZERO)
        and (fact := tactics.prove(h, given) or (by_equations(h, lemmas) if h[0] == "=" else None)) is not None
    ]  # fmt: skip
    return cut(theorem, facts)


def instantiate_positive(theorem: Theorem, values: Mapping[str, Term]) -> Theorem:
    """Substitute terms for names in a theorem, and drop the hypotheses that these terms are positive if provable.

    >>> x = Term("v", "x")
    >>> square = kernel.arith(Formula(">", Term("*", x, x), ZERO), positive=["x"])
    >>> instantiate_positive(square, {"x": Term("sqrt", Term("v", "a"))})
    a > 0 |- sqrt(a)*sqrt(a) > 0
    """
    made = kernel.instantiate(theorem, values)
    positive = [Formula(">", t, ZERO) for n, t in values.items() if (">", ("v", n), ZERO) in theorem.hypotheses]
    return cut(made, [fact for f in positive if (fact := tactics.prove(f)) is not None])


def power_lemmas(*formulas: Formula) -> list[Theorem]:
    """Return lemmas about powers and logarithms of products and sums, and about related roundings.

    >>> n = Term("v", "n")
    >>> print(*power_lemmas((">", ("log2", ("*", ("q", 8, 1), n)), ("power", ("q", 2, 1), ("+", n, ("q", 1, 1))))))
    n > 0 |- log2(8*n) = 3*1 + log2(n) n > 0 |- power(2, n + 1) = power(2, n)*(2)^1
    """
    rounded = rounded_exponents(*formulas)
    found = expansions(*formulas, *(t.conclusion for t in rounded)) + rounded
    for t in terms_with(("sqrt",), *formulas):
        found += root_lemmas(t)
    return found + rounding_lemmas(*formulas)


def matches_link_by_link(f: Formula, g: Formula) -> bool | None:
    """Return whether two formulas match link by link, with sides that are equal as quotients of polynomials.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> sum_, product = Term("+", x, x), Term("*", Term("q", 2, 1), x)
    >>> matches_link_by_link(Formula(">", sum_, one), Formula(">", product, one))
    True
    >>> matches_link_by_link(Formula(">", x, one), Formula(">", one, x))
    False

    Returns None if this is open: for roots, roundings, maxima and logarithms, and for formulas that are too large.
    """
    f, g = _unequal(as_formula(f)), _unequal(as_formula(g))
    if f == g:
        return True
    if f[0] in (">", ">=", "=") and g[0] == f[0]:
        try:
            told = [_equal(a, b) for a, b in zip(f[1:], g[1:], strict=True)]
        except KernelError:
            return None
        return None if None in told else all(told)
    if f[0] != g[0]:
        return False
    if f[0] in ("not", "=>"):
        return _all([matches_link_by_link(a, b) for a, b in zip(f[1:], g[1:], strict=True)])
    if f[0] not in ("and", "or", "<=>"):
        return None
    ours, theirs = _members(f), _members(g)  # and, or, <=>: in any order
    if len(ours) != len(theirs):
        return None
    table = [[matches_link_by_link(a, b) for b in theirs] for a in ours]
    return _all([_any(row) for row in (*table, *map(list, zip(*table, strict=True)))])


def _unequal(f: Formula) -> Formula:
    """Return `a > b or b > a` as `not a = b`. The disjunction is how `a != b` is proved if it may be undefined."""
    match f:
        case ("or", (">", a, b), (">", c, d)) if (a, b) == (d, c):
            return Formula("not", Formula("=", a, b))
    return f


def _all(told: list[bool | None]) -> bool | None:
    return False if False in told else None if None in told else True


def _any(told: list[bool | None]) -> bool | None:
    return True if True in told else None if None in told else False


def _members(f: Formula) -> list[Formula]:
    return [m for part in f[1:] for m in (_members(part) if part[0] == f[0] != "<=>" else [part])]


def _equal(a: Term, b: Term) -> bool | None:
    (above, below), (over, under) = (
        normal(canonical_arguments(as_term(a)), []),
        normal(canonical_arguments(as_term(b)), []),
    )
    if mul(above, under) == mul(over, below):
        return True
    return None if any(map(_opaque, (above, below, over, under))) else False


def _opaque(p: Polynomial) -> bool:
    return any(atom[0] in OPAQUE for monomial in p for atom, _ in monomial)


# --- definitions, also inside maxima ----------------------------------------------------------------------------------


def rewrite_theorem(theorem: Theorem, goal: Formula, said: Statement) -> Theorem | None:
    """Return the theorem of a goal that is written with definitions, from a theorem that has their values.

    >>> n, flops = ("v", "n"), ("+", ("+", ("*", ("q", 2, 1), ("v", "n"))))                # one-term sum: a definition
    >>> known = tactics.prove(Formula(">", Term("+", n, n), n))
    >>> rewrite_theorem(known, Formula(">", flops, n), Statement("", (), known.conclusion))
    n > 0 |- 2*n > n
    """
    supposed = theorem.hypotheses.union(Formula(">", Term("v", n), ZERO) for n in variables(goal) - NUMBERS)
    for way in (_link_by_link, _put_back):
        found = way(theorem, goal, said)
        if found is not None and found.hypotheses <= supposed:  # but not the positivity of a logarithm
            return found
    alike = tactics.prove(Formula("<=>", goal, said.goal), said.assumptions) or equivalent(
        goal, said.goal, said.assumptions
    )
    return kernel.propositional(goal, [theorem, alike]) if alike else None


def _link_by_link(theorem: Theorem, goal: Formula, said: Statement) -> Theorem | None:
    """Return the theorem of a goal whose comparisons and maxima match those of another theorem.

    An equation between two forms of one value needs no theorem.
    """
    if goal[0] == "=":
        found = identical(goal, sorted(variables(goal)))
        if found is None and canonical_arguments(goal[1]) == canonical_arguments(goal[2]):
            found = _alike(*goal[1:])
        if found is not None:
            return found
    theirs = {canonical_arguments(t): t for t in terms_with(OPAQUE, theorem.conclusion)}
    lemmas = [_alike(t, u) for t in terms_with(OPAQUE, goal) if (u := theirs.get(canonical_arguments(t), t)) != t]
    return prove_link_by_link(theorem, goal, said.assumptions, [lemma for lemma in lemmas if lemma is not None])


def _put_back(theorem: Theorem, goal: Formula, said: Statement) -> Theorem | None:
    """Return the theorem of a goal that has definitions inside maxima, from a theorem that has their values.

    If m = n, then the goal with maxima m is equivalent to the theorem with maxima n. The maxima are proved equal.
    """
    ours, theirs = ({canonical_arguments(t): t for t in terms_with(OPAQUE, f)} for f in (goal, theorem.conclusion))
    if not ours or ours.keys() != theirs.keys():
        return None
    pairs = [(t, theirs[key], Term("v", f"m{k}"), Term("v", f"n{k}")) for k, (key, t) in enumerate(ours.items())]
    new, old = ({p[k]: p[k + 2] for p in pairs} for k in (0, 1))
    equations = [Formula("=", m, n) for _, _, m, n in pairs]
    generic = tactics.prove(
        Formula("=>", Formula("and", *equations), Formula("<=>", exchanged(goal, new), exchanged(said.goal, old)))
    )
    if generic is None:
        return None
    alike = instantiate_positive(generic, {name[1]: t for t, u, m, n in pairs for name, t in ((m, t), (n, u))})
    lemmas = [_alike(t, u) for t, u, _, _ in pairs]
    found = None if None in lemmas else kernel.propositional(goal, [theorem, alike, *filter(None, lemmas)])
    return found and without(found, said.assumptions)


def _alike(t: Term, u: Term) -> Theorem | None:
    """Prove that two terms are equal. Two maxima are equal if their arguments are."""
    if t[0] in ("max", "min") and len(t) == len(u) == 3:
        values, names = dict(zip("abcd", (*t[1:], *u[1:]), strict=True)), sorted(variables(t) | variables(u))
        for generic in _of_two(t[0]):
            made = instantiate_positive(generic, values)
            sides = [identical(equation, names) for equation in made.conclusion[1][1:]]
            if None not in sides:
                return kernel.propositional(made.conclusion[2], [made, *filter(None, sides)])
    return equal(t, u)


@remembered(2)
def _of_two(head: str) -> list[Theorem]:
    """Prove that two maxima, or two minima, of equal pairs of arguments are equal, in either order.

    >>> [theorem.conclusion[2] for theorem in _of_two("max")][0]
    ('=', ('max', ('v', 'a'), ('v', 'b')), ('max', ('v', 'c'), ('v', 'd')))
    """
    a, b, c, d = (Term("v", name) for name in "abcd")
    m, n = Term(head, a, b), Term(head, c, d)
    found = []
    for same in ((Formula("=", a, c), Formula("=", b, d)), (Formula("=", a, d), Formula("=", b, c))):
        where = Formula("and", *same)
        sides = [tactics.prove(Formula("=>", where, Formula(">=", *each))) for each in ((m, n), (n, m))]
        made = [*filter(None, sides), kernel.trichotomy(m, n)]
        found.append(kernel.propositional(Formula("=>", where, Formula("=", m, n)), made))
    return found
