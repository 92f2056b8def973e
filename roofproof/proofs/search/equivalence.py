"""The same statement in other words: a theorem about one form of a formula, carried over to another form of it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import product

from roofproof.derive.algebra.budget import Budget, spend
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import proportional, sign
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
    atoms_of,
    mul,
    normal,
    normal_form,
    term_of,
    variables,
)
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equations import by_equations
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.logarithm_lemmas import expansions
from roofproof.proofs.search.polynomials import Ring, terms_with
from roofproof.proofs.search.radicals import root_lemmas, root_sign
from roofproof.proofs.search.roundings import rounding_lemmas
from roofproof.proofs.search.short_proofs import carried

ONE = Term("q", 1, 1)
MAX_OPEN = 3  # divisors of open sign: each doubles the cases
STEPS = 300_000  # of a search for why two forms say the same, where that is not seen link by link


def reworded(
    theorem: Theorem, goal: Formula, given: Sequence[Formula] = (), lemmas: Sequence[Theorem] = ()
) -> Theorem | None:
    """Return a theorem of the goal from one that says the same in another form, or None.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> known = kernel.assume(Formula(">", x, y))
    >>> reworded(known, Formula(">", Term("/", x, y), Term("q", 1, 1)))                     # x/y - 1 = (x - y)/y
    x > 0, x > y, y > 0 |- x/y > 1

    `given` is what may be assumed besides that all names are positive, `lemmas` what holds of roots and logarithms.
    """
    if (found := linked(theorem, goal, given, lemmas)) is not None:
        return found
    if goal[0] == "=" and (found := _by_lemmas(goal, lemmas)) is not None:
        return found
    search = tactics.Search([goal, theorem.conclusion, *given, *(t.conclusion for t in lemmas)], Budget(STEPS), False)
    return search.prove(goal, given, [theorem, *lemmas])


def linked(
    theorem: Theorem, goal: Formula, given: Sequence[Formula] = (), lemmas: Sequence[Theorem] = ()
) -> Theorem | None:
    """Return a theorem of the goal from one whose comparisons have, one by one, the same signs; None where they do not.

    >>> x, m = Term("v", "x"), Term("v", "m")
    >>> known, lemma = (kernel.assume(Formula(*f)) for f in ((">", m, x), ("=", ("max", x, m), m)))
    >>> linked(known, Formula(">", Term("max", x, m), x), (), [lemma])
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

    `positive` names variables that are positive: all of them where it is not given.
    """
    names = sorted(variables(a) | variables(b)) if positive is None else list(positive)
    goal = Formula("=", a, b)
    if (found := identical(goal, names)) is not None:
        return found
    if positive is not None and set(positive) < variables(a) | variables(b):
        return None  # the search takes all names to be positive
    lemmas = power_lemmas(goal)
    said = [t.conclusion for t in lemmas]
    return tactics.Search([goal, *given, *said], Budget(STEPS), not lemmas).prove(goal, given, lemmas)


def identical(equation: Formula, names: Sequence[str], lemmas: Sequence[Theorem] = ()) -> Theorem | None:
    """Return an equation by the normal forms of its sides, wherever no divisor is zero; None where they differ.

    Equations among the lemmas say what stands on their left.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> less = Term("+", x, Term("*", Term("q", -1, 1), y))
    >>> identical(Formula("=", Term("/", less, less), Term("q", 1, 1)), ["x", "y"])
    not(0 + 1*x^1 + -1*y^1 = 0), x > 0, y > 0 |- (x + -1*y)/(x + -1*y) = 1
    """
    try:
        return _by_signs(equation, lambda signs: _identity(equation, names, lemmas, signs), names)
    except KernelError:
        return None


def _identity(equation: Formula, names: Sequence[str], lemmas: Sequence[Theorem], signs: Sequence[Theorem]) -> Theorem:
    found = by_equations(equation, lemmas, signs=signs) if lemmas else None
    return kernel.arith(equation, signs, [], names) if found is None else found


def equivalent(f: Formula, g: Formula, given: Sequence[Formula] = ()) -> Theorem | None:
    """Return `f <=> g` for two forms of a statement, link by link or by a search; all names are positive.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> equivalent(Formula(">", Term("/", x, y), Term("q", 1, 1)), Formula(">", x, y))
    x > 0, y > 0 |- x/y > 1 <=> x > y
    """
    goal = Formula("<=>", f, g)
    lemmas = power_lemmas(goal)
    if f[0] == "=" and g == ("true",) and (known := _by_lemmas(f, lemmas)) is not None:
        return kernel.propositional(goal, [known])
    with suppress(KernelError):
        return kernel.propositional(goal, _links(f, [g], sorted(variables(goal)), lemmas))
    said = [t.conclusion for t in lemmas]
    return tactics.Search([goal, *given, *said], Budget(STEPS), not lemmas).prove(goal, given, lemmas)


def aligned(f: V, form: V) -> V:
    """Return a formula with its roots, maxima and roundings written as another formula has them.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> once = Formula(">", Term("max", y, Term("+", Term("*", ONE, x), y)), x)
    >>> aligned(once, Formula(">", Term("max", Term("+", y, x), y), ONE))
    ('>', ('max', ('+', ('v', 'y'), ('v', 'x')), ('v', 'y')), ('v', 'x'))
    """
    table = {in_order(t): t for t in terms_with(OPAQUE, form)}
    return _as_in(f, table) if table else f


def _as_in(f: V, table: Mapping[Term, Term]) -> V:
    if isinstance(f, Term) and f[0] in OPAQUE and (known := table.get(in_order(f))) is not None:
        return known
    return f.mapped(lambda part: _as_in(part, table))


def in_order(t: Term) -> Term:
    """Return a term with what stands in maxima, roots and the like as fractions in lowest terms, in one order.

    >>> x, two = Term("v", "x"), Term("q", 2, 1)
    >>> in_order(Term("floor", Term("/", Term("*", two, x, x), Term("*", Term("q", 4, 1), x))))[1]
    ('*', ('q', 1, 2), ('v', 'x'))
    """
    if t[0] in ("q", "v"):
        return t
    if t[0] not in OPAQUE:
        return t.mapped(in_order)
    inside = [_lowest_terms(in_order(part)) for part in t[1:]]
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
    """Return `a <=> b` for each comparison a of the goal and b of the others that have the same sign throughout.

    Equations among the lemmas say what a root or a rounding on their left is.
    """
    equations = _defining(lemmas)
    wanted: list[Formula] = []
    there: list[Formula] = []
    atoms_of(goal, wanted)
    for other in others:
        atoms_of(other, there)
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
    """Return the equations that say what a root, a power, a logarithm or a rounding on their left is."""
    left = [(t, t.conclusion[1]) for t in lemmas if t.conclusion[0] == "="]
    return [t for t, a in left if a[0] in OPAQUE or (a[0] == "^" and a[1][0] in OPAQUE)]


def _by_lemmas(equation: Formula, lemmas: Sequence[Theorem]) -> Theorem | None:
    signs = [r for t in terms_with(("sqrt",), equation) if (r := root_sign(t)) is not None]
    found = by_equations(equation, _defining(lemmas), signs=signs)
    return by_equations(equation, _reduced_exponents(equation), signs=signs) if found is None else found


def _reduced_exponents(equation: Formula) -> list[Theorem]:
    """Return each power in an equation with its exponent in lowest terms: `3^(3 (n/3)) = 3^n`."""
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
    """Return `a => b` and `b => a` for comparisons of p and q with s p = m q, where s and m are positive."""
    spend(50)

    def implied(goal: Formula, premise: Formula) -> Theorem:
        def made(signs: Sequence[Theorem]) -> Theorem:
            return kernel.discharge(carried(goal, kernel.assume(premise), names, signs), premise)

        return _by_signs(Formula("=>", premise, goal), made, names)

    try:
        return implied(a, b), implied(b, a)
    except KernelError:
        pass
    signs = _positive_divisors([a, b]) if equations else []
    for some in [equations, *([e] for e in equations)] if equations else ():
        there, back = (by_equations(f, some, kernel.assume(g), signs) for f, g in ((b, a), (a, b)))
        if there is not None and back is not None:
            return kernel.discharge(back, b), kernel.discharge(there, a)
    return None


def _positive_divisors(comparisons: Sequence[Formula]) -> list[Theorem]:
    """Return that divisors which hold maxima or minima are positive, where they are."""
    divisors = [d for f in comparisons for side in f[1:] for d in normal_form(side)[2]]
    terms = dict.fromkeys(t for d in divisors if terms_with(("max", "min"), t := term_of(d)))
    return [fact for t in terms if (fact := tactics.prove(Formula(">", t, ZERO))) is not None]


def _by_signs(goal: Formula, made: Callable[[Sequence[Theorem]], Theorem], names: Sequence[str]) -> Theorem:
    """Return the goal as it is made for either sign of each divisor whose sign is open: none of them is zero."""
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


def without(theorem: Theorem, given: Sequence[Formula], lemmas: Sequence[Theorem] = ()) -> Theorem:
    """Return a theorem without those of its hypotheses that follow from what is given."""
    facts = [
        fact
        for h in sorted(theorem.hypotheses)
        if h not in given and not (h[0] == ">" and h[1][0] == "v" and h[2] == ZERO)
        and (fact := tactics.prove(h, given) or (by_equations(h, lemmas) if h[0] == "=" else None)) is not None
    ]  # fmt: skip
    return cut(theorem, facts)


def put(theorem: Theorem, values: Mapping[str, Term]) -> Theorem:
    """Return a theorem with terms for names, without the hypotheses that these are positive where that is so.

    >>> x = Term("v", "x")
    >>> put(kernel.arith(Formula(">", Term("*", x, x), ZERO), positive=["x"]), {"x": Term("sqrt", Term("v", "a"))})
    a > 0 |- sqrt(a)*sqrt(a) > 0
    """
    made = kernel.instantiate(theorem, values)
    positive = [Formula(">", t, ZERO) for n, t in values.items() if (">", ("v", n), ZERO) in theorem.hypotheses]
    return cut(made, [fact for f in positive if (fact := tactics.prove(f)) is not None])


def power_lemmas(*formulas: Formula) -> list[Theorem]:
    """Return lemmas on powers and logarithms of products and sums, and on roundings that go together.

    >>> n = Term("v", "n")
    >>> print(*power_lemmas((">", ("log2", ("*", ("q", 8, 1), n)), ("power", ("q", 2, 1), ("+", n, ("q", 1, 1))))))
    n > 0 |- log2(8*n) = 3*1 + log2(n) n > 0 |- power(2, n + 1) = power(2, n)*(2)^1
    """
    found = expansions(*formulas)
    for t in terms_with(("sqrt",), *formulas):
        found += root_lemmas(t)
    return found + rounding_lemmas(*formulas)


def same(f: Formula, g: Formula) -> bool | None:
    """Tell whether two formulas say the same link by link: sides that are equal as quotients of polynomials.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> sum_, product = Term("+", x, x), Term("*", Term("q", 2, 1), x)
    >>> same(Formula(">", sum_, one), Formula(">", product, one)), same(Formula(">", x, one), Formula(">", one, x))
    (True, False)

    None where that is not told: of roots, roundings, maxima and logarithms, and of what is too large.
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
        return _all([same(a, b) for a, b in zip(f[1:], g[1:], strict=True)])
    if f[0] not in ("and", "or", "<=>"):
        return None
    ours, theirs = _members(f), _members(g)  # and, or, <=>: in any order
    if len(ours) != len(theirs):
        return None
    table = [[same(a, b) for b in theirs] for a in ours]
    return _all([_any(row) for row in (*table, *map(list, zip(*table, strict=True)))])


def _unequal(f: Formula) -> Formula:
    """Return `a > b or b > a`, which is how `a != b` is proved where it may be undefined, as `not a = b`."""
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
    (above, below), (over, under) = normal(in_order(as_term(a)), []), normal(in_order(as_term(b)), [])
    if mul(above, under) == mul(over, below):
        return True
    return None if any(map(_opaque, (above, below, over, under))) else False


def _opaque(p: Polynomial) -> bool:
    return any(atom[0] in OPAQUE for monomial in p for atom, _ in monomial)
