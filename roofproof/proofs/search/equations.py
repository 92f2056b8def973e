"""Equations that say what a name, a root or a maximum is, put into other comparisons."""

from collections.abc import Sequence
from functools import reduce

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, normal, variables
from roofproof.proofs.search.polynomials import Poly, Ring, core

MAX_DEGREE = 8


def by_equations(
    goal: Formula, equations: Sequence[Theorem], premise: Theorem | None = None, signs: Sequence[Theorem] = ()
) -> Theorem | None:
    """Return a comparison from another of its kind, or an equation from none, by equations that define names.

    >>> r = Term("v", "r")
    >>> by_equations(("=", ("/", ("q", 2, 1), r), r), [kernel.assume(("=", ("^", r, 2), ("q", 2, 1)))])
    r > 0, r^2 = 2 |- 2/r = r

    What an equation defines stands alone on its left, and in none after it. `signs` settle those of divisors.
    Returns None where the equations do not give the goal, or a sign is open.
    """
    facts = [*signs, *equations, *([premise] if premise is not None else [])]
    names = sorted(variables(goal).union(*(variables(t.conclusion) for t in facts)))
    try:
        settled = [kernel.polynomial(t.conclusion, names) for t in signs]
        wanted, *read = (kernel.polynomial(f, names, settled) for f in (goal, *(t.conclusion for t in facts)))
        ring = Ring([wanted, *read], names)
        ring.known = dict(zip(facts, map(ring.poly, read), strict=True))
        rest = ring.poly(wanted) - (ring.read(premise) if premise is not None else 0)
        scale, rest, cofactors = reduced(ring, rest, equations)
        if not rest.is_zero():
            return None
        common = reduce(lambda a, b: a.gcd(b), cofactors, scale)  # whose sign need not be plain
        scale, cofactors = scale / common, [h / common for h in cofactors]
        if ring.sign(scale) == -1:
            scale, cofactors = -scale, [-h for h in cofactors]
        if ring.sign(scale) != 1:
            return None
        certificate = [(ring.term(h), [len(signs) + k]) for k, h in enumerate(cofactors) if not h.is_zero()]
        if premise is not None:
            certificate.append((ring.term(scale), [len(facts) - 1]))
        return kernel.arith(goal, facts, certificate, names, ring.term(scale))
    except KernelError:
        return None


def defining(relations: Sequence[Formula]) -> list[Theorem]:
    """Return the equations among what is said of names, each before those that define names in it."""
    return [kernel.assume(f) for f in reversed(relations) if f[0] == "="]


def reduced(ring: Ring, p: Poly, equations: Sequence[Theorem]) -> tuple[Poly, Poly, list[Poly]]:
    """Return (c, r, h...) with c p = r + the sum of h times an equation: each divides what those before it left."""
    scale, cofactors = ring.context.constant(1), list[Poly]()
    for equation in equations:
        [defined] = {a for m in normal(equation.conclusion[1], [])[0] for a, _ in m}
        if defined not in ring.index:  # the equation is 0 = 0, and nothing else is said of what it defines
            cofactors.append(ring.context.constant(0))
            continue
        by, p, cofactor = ring.divided(p, ring.read(equation), ring.index[defined])
        scale, cofactors = scale * by, [*(h * by for h in cofactors), cofactor]
    return scale, p, cofactors


Replaced = dict[tuple[Theorem, Theorem, Term], Theorem]  # what a fact becomes by an equation about a term


def eliminate_extrema(facts: Sequence[Theorem], names: Sequence[str], made: Replaced | None = None) -> list[Theorem]:
    """Return the facts with each maximum or minimum replaced by what an equation among them says that it is.

    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> m = Term("max", a, b)
    >>> facts = [kernel.assume(Formula("=", m, a)), kernel.assume(Formula(">", Term("*", b, m), Term("*", a, b)))]
    >>> eliminate_extrema(facts, ["a", "b"])[-1].conclusion              # b a > a b
    ('false',)

    The facts are comparisons of a polynomial with zero, or are made so. `made` is what was made of such facts before,
    of the same names.
    """
    made = {} if made is None else made
    known, used = list(facts), set[Term]()
    while True:
        ring = Ring([kernel.polynomial(t.conclusion, names) for t in known], names)
        spend(300 * len(known))
        extrema = [a for a in ring.atoms if a[0] in ("max", "min") and a not in used]
        solved = ((t, a) for t in known if t.conclusion[0] == "=" for a in extrema if _slope(ring, t, a))
        equation, atom = next(solved, (None, ZERO))
        if equation is None:
            return known
        used.add(atom)
        for t in known:
            if t is not equation and (t, equation, atom) not in made:
                made[t, equation, atom] = _replaced(ring, t, equation, atom)
        known = [t if t is equation else made[t, equation, atom] for t in known]
        if false := [t for t in known if t.conclusion == ("false",)]:
            return false


def _slope(ring: Ring, equation: Theorem, atom: Term) -> int:
    """Return the sign of c in an equation c m = r, where neither c nor r holds m; 0 where it is open."""
    rows = ring.rows(ring.read(equation), ring.index[atom])
    return ring.sign(rows[1]) if max(rows, default=0) == 1 else 0


def _replaced(ring: Ring, fact: Theorem, equation: Theorem, atom: Term) -> Theorem:
    """Return the fact times a power of c, less a multiple of the equation, so that the atom is gone."""
    p, k, turn = ring.read(fact), ring.index[atom], _slope(ring, equation, atom)
    if not 0 < p.degrees()[k] <= MAX_DEGREE:
        return fact
    scale, rest, multiple = ring.divided(p, ring.read(equation) * turn, k)
    goal: Formula = Formula(fact.conclusion[0], ring.term(rest), ZERO)
    weights = [(ring.term(scale), [0]), (ring.term(multiple * -turn), [1])]
    try:
        return core(kernel.arith(goal, [fact, equation], weights, sorted(ring.names)), [], sorted(ring.names))
    except KernelError:
        return fact
