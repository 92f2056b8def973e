"""What is true of whole numbers only: a strict bound moves by one, and rounding leaves less than a whole part."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import difference
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, atoms_of, minus, normal, term_of, variables
from roofproof.proofs.oracles import sampling
from roofproof.proofs.search.polynomials import Ring, terms_with
from roofproof.proofs.search.roundings import ordered_roundings

MAX_LEMMAS = 10  # each may bring an atom to the truth table


def integer_lemmas(formulas: Sequence[Formula], integers: Sequence[str]) -> list[Theorem]:
    """Return lemmas for integers from comparisons in the formulas, and from floor and ceil in them.

    >>> n, k = Term("v", "n"), Term("v", "k")
    >>> print(integer_lemmas([Formula(">", n, Term("q", 7, 2))], ["n"])[0])
    int(n) |- n > 3 => n >= 3 + 1
    >>> print(integer_lemmas([Formula(">", n, k)], ["k", "n"])[0])
    int(k), int(n) |- n > k => 0 + 1*n^1 >= 0 + 1*k^1 + 1
    """
    atoms: list[Formula] = []
    for formula in formulas:
        atoms_of(formula, atoms)
    names = sorted(frozenset[str]().union(*map(variables, formulas)))
    known = [kernel.assume(Formula("int", Term("v", n))) for n in integers]
    found: dict[Formula, Theorem] = {}
    for made in (
        *_bounds(atoms, integers),
        *_roundings(formulas, names, known),
        *_gaps(atoms, known),
        *ordered_roundings(*formulas),
    ):
        found.setdefault(made.conclusion, made)
    return list(found.values())[:MAX_LEMMAS]


def _bounds(atoms: Sequence[Formula], integers: Sequence[str]) -> Iterator[Theorem]:
    """Yield `int(n) |- n > k => n >= k + 1` for the integers k next to numbers that n is compared with."""
    for atom in atoms:
        names = variables(atom)
        if atom[0] in (">", "=") and len(names) == 1 and (name := next(iter(names))) in integers:
            at = _root(atom, name)
            for k in sorted({floor(at), ceil(at) - 1}) if at is not None else ():
                n = Term("v", name)
                yield from _gap(
                    Formula(">", n, Term("q", k, 1)), Term("+", n, Term("q", -k, 1)), [kernel.assume(Formula("int", n))]
                )


def _root(atom: Formula, name: str) -> Fraction | None:
    """Return the point where the two sides of a linear comparison are equal, or None."""
    try:
        at = [sampling.value(atom[1], {name: Fraction(k)}) - sampling.value(atom[2], {name: Fraction(k)})
              for k in (1, 2, 3)]  # fmt: skip
    except sampling.Inexact:
        return None
    slope = at[1] - at[0]
    return 1 - at[0] / slope if slope and at[2] - at[1] == slope else None


def _gap(bound: Formula, difference: Term, known: Sequence[Theorem]) -> Iterator[Theorem]:
    """Yield `a > b => a >= b + 1` where the difference is an integer."""
    try:
        whole = kernel.integral(difference, known)
        yield kernel.discharge(kernel.gap(kernel.assume(bound), whole), bound)
    except KernelError:
        return


def _gaps(atoms: Sequence[Formula], known: Sequence[Theorem]) -> Iterator[Theorem]:
    """Yield `a > b => m a >= m b + 1` for comparisons of integers, and of fractions with the denominator m."""
    for atom in atoms:
        if atom[0] not in (">", "=") or not variables(atom):
            continue
        try:
            num, den, _ = difference(*atom[1:])
        except KernelError:
            continue
        if den != {(): 1} or not set(num) - {()}:
            continue
        m = Fraction(lcm(*(Fraction(c).denominator for c in num.values())))
        m /= gcd(*(int(c * m) for c in num.values()))
        for sign in (1,) if atom[0] == ">" else (1, -1):
            left = term_of({k: c * sign * m for k, c in num.items() if c * sign > 0})
            right = term_of({k: -c * sign * m for k, c in num.items() if c * sign < 0})
            given: Formula = Formula(">", atom[1], atom[2]) if sign > 0 else Formula(">", atom[2], atom[1])
            try:
                strict = kernel.arith(Formula(">", left, right), [kernel.assume(given)], [(Term.rational(m), [0])])
                whole = kernel.integral(minus(left, right), known)
                yield kernel.discharge(kernel.gap(strict, whole), given)
            except KernelError:
                continue


def _roundings(formulas: Sequence[Formula], names: Sequence[str], known: Sequence[Theorem]) -> Iterator[Theorem]:
    """Yield `q t <= p` and `q t + q >= p + 1` for t = floor(p/q), and the like for ceil, p and q being integers."""
    for t in terms_with(("floor", "ceil"), *formulas):
        try:
            p, q, common = _lowest(t[1], names)
            meaning = kernel.definition(t)
            _, _, near, strict = meaning.conclusion
            qt = Term("*", q, t)
            if t[0] == "floor":
                loose = Formula(">=", p, qt)
                over = Formula(">", Term("+", qt, q), p)
            else:
                loose = Formula(">=", qt, p)
                over = Formula(">", Term("+", p, q), qt)
            yield _scaled(loose, kernel.propositional(near, [meaning]), names, common)
            above = _scaled(over, kernel.propositional(strict, [meaning]), names, common)
            yield kernel.gap(above, kernel.integral(minus(over[1], over[2]), known))
        except KernelError:
            continue


def _lowest(inside: Term, names: Sequence[str]) -> tuple[Term, Term, Term]:
    """Return p, q with whole coefficients and no common factor, p/q being the term, and the factor taken out."""
    num, den = normal(inside, [])
    ring = Ring([num, den], names)
    top, bottom = ring.poly(num), ring.poly(den)
    if bottom.is_zero():
        raise KernelError("division by zero")
    common = top.gcd(bottom)
    top, bottom = top / common, bottom / common
    m = lcm(*(int(c.q) for part in (top, bottom) for c in part.coeffs()))
    return ring.term(top * m), ring.term(bottom * m), ring.term(common)


def _scaled(goal: Formula, premise: Theorem, names: Sequence[str], common: Term) -> Theorem:
    """Return a comparison with its denominators multiplied out; `common` is left out of both sides."""
    used = sorted((variables(goal) | variables(common)).intersection(names))
    given = kernel.polynomial(premise.conclusion, used)
    wanted = kernel.polynomial(Formula(goal[0], Term("*", common, goal[1]), Term("*", common, goal[2])), used)
    if not given:
        raise KernelError("nothing to scale")
    key = next(iter(given))
    factor = Fraction(wanted.get(key, 0)) / given[key]
    weight = Term.rational(factor)
    return kernel.arith(goal, [premise], [(weight, [0])], used, common)
