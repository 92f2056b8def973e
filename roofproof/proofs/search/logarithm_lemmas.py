"""A comparison of logarithms is one of what they are taken of: lemmas that say so where both occur."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache

import sympy

from roofproof.derive.algebra.exact_comparison import by_small_primes
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    MAX_EXPONENT,
    ZERO,
    Formula,
    KernelError,
    Term,
    V,
    atoms_of,
    substitute,
    variables,
)
from roofproof.proofs.kernel.transcendental import log_of
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.polynomials import terms_with

ONE = Term("q", 1, 1)
MINUS = Term("q", -1, 1)
TWO = Term("q", 2, 1)


def logarithm_lemmas(formulas: Sequence[Formula]) -> list[Theorem]:
    """Return lemmas that link logarithms to comparisons with powers of two, and expand them into sums.

    >>> N, c = Term("v", "N"), Term("v", "c")
    >>> for lemma in logarithm_lemmas([("<=>", (">", ("log2", N), c), (">", N, ("power", ("q", 2, 1), c)))]):
    ...     print(lemma)
    N > 0, c > 0 |- N > power(2, c) <=> log2(N) > c*1
    N > 0, c > 0 |- power(2, c) > N <=> c*1 > log2(N)
    """
    logs = [t[1] for t in terms_with(("log2",), *formulas)]
    if not logs:
        return []
    found: list[Theorem] = []
    inside: dict[Term, None] = {}
    for t in logs:
        parts: list[Term] = []
        with suppress(KernelError):
            if log_of(t, parts) != ("log2", t):
                found += of_primes(t)
        inside.update(dict.fromkeys(p for p in parts if p[0] != "q"))
    for power in _powers(formulas):
        for t in inside:
            found += linked(t, power)
    return found


def _powers(formulas: Sequence[Formula]) -> Iterator[Term]:
    """Yield the powers of two that something is compared with, products with one, and powers by themselves."""
    atoms: list[Formula] = []
    for formula in formulas:
        atoms_of(formula, atoms)
    compared = [side for atom in atoms if atom[0] in (">", ">=", "=") for side in atom[1:]]
    whole = [s for s in compared if whole_power(s)]
    alone = terms_with(("power",), *formulas)
    products = [
        s for s in compared if s[0] in ("*", "/") and terms_with(("power",), s) and not terms_with(("log2",), s)
    ]
    inside = {p for s in products for p in terms_with(("power",), s)}
    yield from dict.fromkeys([*whole, *products, *(p for p in alone if p not in inside)])


def whole_power(t: Term) -> bool:
    """Tell whether a term is a number and a power of two."""
    return t[0] == "q" and min(t[1:]) > 0 and not t[1] & (t[1] - 1) and not t[2] & (t[2] - 1)


def linked(t: Term, power: Term) -> Iterator[Theorem]:
    """Yield `t > 2^c <=> log2(t) > c` and `2^c > t <=> c > log2(t)`.

    >>> print(*linked(Term("v", "N"), Term("power", Term("q", 2, 1), Term("q", 7, 2))), sep="; ")
    N > 0 |- N > power(2, 7/2) <=> log2(N) > 7/2*1; N > 0 |- power(2, 7/2) > N <=> 7/2*1 > log2(N)
    """
    with suppress(KernelError):
        written = kernel.logarithm(_itself(power))
        exponent = written.conclusion[2]
        if t not in terms_with(("log2",), exponent):
            for made in _compared():
                here = kernel.instantiate(made, {"t!": t, "p!": power, "c!": exponent})
                yield tactics.without_given(cut(here, [written]))


@cache
def _compared() -> tuple[Theorem, Theorem]:
    """`log2(p) = c` gives `t > p <=> log2(t) > c` and `p > t <=> c > log2(t)`, for t and p above zero."""
    t, p, c = (Term("v", name) for name in ("t!", "p!", "c!"))
    log_t, log_p = Term("log2", t), Term("log2", p)
    written = kernel.assume(Formula("=", log_p, c))
    up, down = (kernel.rising(kernel.assume(Formula(">", *sides))) for sides in ((t, p), (p, t)))
    level = kernel.logarithm(kernel.assume(Formula("=", t, p)))
    more = Formula(">", log_t, c)
    less = Formula(">", c, log_t)
    above = kernel.arith(more, [up, written], [(ONE, [0]), (ONE, [1])])
    below = kernel.arith(less, [down, written], [(ONE, [0]), (MINUS, [1])])
    facts = [
        kernel.discharge(above, Formula(">", t, p)),
        kernel.discharge(below, Formula(">", p, t)),
        kernel.trichotomy(t, p),
    ]
    for relation, sign in ((more, MINUS), (less, ONE)):
        weights: list[tuple[Term, list[int]]] = [(ONE, [0]), (sign, [1]), (sign, [2])]
        false = kernel.arith(Formula("false"), [kernel.assume(relation), level, written], weights)
        facts.append(kernel.discharge(kernel.discharge(false, relation), Formula("=", t, p)))
    both = kernel.arith(Formula("false"), [kernel.assume(more), kernel.assume(less)], [(ONE, [0]), (ONE, [1])])
    facts.append(kernel.discharge(kernel.discharge(both, less), more))
    first, second = (kernel.propositional(Formula("<=>", *sides), facts)
                     for sides in ((Formula(">", t, p), more), (Formula(">", p, t), less)))  # fmt: skip
    return first, second


def of_primes(t: Term) -> list[Theorem]:
    """Return the logarithm of a product as a sum, where each factor is positive.

    >>> of_primes(Term("q", 12, 1))                                                       # 2^2 * 3
    [|- log2(12) = 2*1 + 1*log2(3)]
    """
    with suppress(KernelError):
        return [tactics.without_given(kernel.logarithm(_itself(t)))]
    return []


def _itself(t: Term) -> Theorem:
    """Return `t = t`, its whole numbers on the right as products of primes."""
    return kernel.identity(t, _by_primes(t), sorted(variables(t)))


def _by_primes(t: Term) -> Term:
    match t:
        case ("q", 1, 1):
            return Term("/", TWO, TWO)
        case ("q", int(n), int(d)) if n > 0:
            powers = by_small_primes(sympy.Rational(n, d)).items()
            above, below = (
                power_product((Term("q", int(p), 1), s * e) for p, e in powers if s * e > 0) for s in (1, -1)
            )
            return Term("/", above, below) if d > 1 else above
        case ("*" | "/", *parts):
            return Term(t[0], *map(_by_primes, parts))
    return t


def power_product(powers: Iterable[tuple[Term, int]]) -> Term:
    """Return a product of powers, none with an exponent beyond what a term may have.

    >>> power_product([(Term("v", "x"), 70)])                                             # (x^64)^1 x^6
    ('*', ('^', ('v', 'x'), 6), ('^', ('^', ('v', 'x'), 64), 1))
    """
    parts: list[Term] = []
    for base, exponent in powers:
        while exponent:
            parts.append(Term("^", base, exponent % MAX_EXPONENT))
            base, exponent = Term("^", base, MAX_EXPONENT), exponent // MAX_EXPONENT
    return Term("*", *parts)


W = Term("v", "w!")


def by_logarithm(goal: Formula, assumptions: Sequence[Formula], lemmas: Sequence[Theorem]) -> Theorem | None:
    """Return a theorem about a number of 1 or more, proved of its logarithm as a variable; None where none is found.

    >>> N, R = Term("v", "N"), Term("v", "R")
    >>> large = Formula(">", N, Term("power", TWO, Term("sqrt", R)))
    >>> goal = Formula("<=>", Formula(">", Term("^", Term("log2", N), 2), R), large)
    >>> by_logarithm(goal, [Formula(">=", N, ONE)], logarithm_lemmas([goal, Formula(">=", N, ONE)]))
    N > 0, N >= 1, R > 0 |- log2(N)^2 > R <=> N > power(2, sqrt(R))
    """
    logs = dict.fromkeys(terms_with(("log2",), goal))
    number = next(iter(logs))[1] if len(logs) == 1 else None
    if number is None or (">=", number, ONE) not in assumptions:
        return None
    logarithm = Term("log2", number)
    others = [a for a in assumptions if a != (">=", number, ONE)]
    below = Term("+", W, MINUS)  # log2(n) as w - 1, for w of 1 or more: variables are positive
    inner = tactics.prove(_put(goal, number, below), [*(_put(a, number, below) for a in others), Formula(">=", W, ONE)])
    if inner is None:
        return None
    with suppress(KernelError):
        above = Term("+", logarithm, ONE)
        here = kernel.instantiate(inner, {"w!": above})
        plain = [t for t in lemmas if not terms_with(("power",), t.conclusion)]
        facts = [
            tactics.prove(f, [Formula(">=", number, ONE)], plain)
            for f in (Formula(">=", above, ONE), Formula(">", above, ZERO))
        ]
        here = cut(here, [f for f in facts if f is not None])
        for each in sorted(h for h in here.hypotheses if not (h[0] == ">" and h[2] == ZERO)):
            here = kernel.discharge(here, each)
        atoms: list[Formula] = []
        atoms_of(goal, atoms)
        same = []
        for atom in atoms:
            powers = terms_with(("power",), atom)
            links = [t for t in lemmas if powers and set(powers) <= set(terms_with(("power",), t.conclusion))]
            written = Formula("<=>", atom, substitute(_put(atom, number, below), {"w!": above}))
            same.append(tactics.prove(written, [], links))
        given = [kernel.assume(a) for a in assumptions]
        return kernel.propositional(goal, [here, *given, *(t for t in same if t is not None)])
    return None


def _put(f: V, number: Term, value: Term) -> V:
    """Return a formula with a value for the logarithm of a number, also where that is compared with powers of two."""
    if f == ("log2", number):
        return value  # type: ignore[return-value]
    if isinstance(f, Formula) and f[0] in (">", ">=", "=") and number in f[1:]:
        powers = [side for side in f[1:] if side[0] == "power" and side[1] == TWO]
        if powers:
            return Formula(f[0], *(value if side == number else side[2] if side in powers else side for side in f[1:]))
    return f.mapped(lambda part: _put(part, number, value))
