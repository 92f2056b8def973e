"""Logarithms and powers: expands them over products and sums, and compares them by comparing their arguments.

Logarithms and powers are increasing, so log2(x) > 3 is equivalent to x > 8, and n > 2^(p/q) to n^q > 2^p.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import lcm

import sympy
from flint import arb, ctx, fmpq
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import Budget
from roofproof.derive.algebra.exact_comparison import MAX_BITS, by_small_primes, enclosed, numbers_compared
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import exp2, log2
from roofproof.proofs.assumptions import MINUS, ONE, TWO, positive
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    MAX_EXPONENT,
    OPAQUE,
    ZERO,
    Formula,
    KernelError,
    Term,
    minus,
    substitute,
    variables,
)
from roofproof.proofs.kernel.transcendental import log_of
from roofproof.proofs.oracles import sampling
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import P, Q, cut, implied, order_kept
from roofproof.proofs.search.polynomials import atoms_in, exchanged, terms_with
from roofproof.proofs.translate import to_expr, to_formula, with_functions
from roofproof.symbols import quantity

MAX_ORDER = 12  # largest index of a root


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
            found += power_log_links(t, power)
    return found


def _powers(formulas: Sequence[Formula]) -> Iterator[Term]:
    """Yield compared powers of two, compared products that contain a power, and all other powers."""
    atoms = atoms_in(*formulas)
    compared = [side for atom in atoms if atom[0] in (">", ">=", "=") for side in atom[1:]]
    whole = [s for s in compared if whole_power(s)]
    alone = terms_with(("power",), *formulas)
    products = [
        s for s in compared if s[0] in ("*", "/") and terms_with(("power",), s) and not terms_with(("log2",), s)
    ]
    inside = {p for s in products for p in terms_with(("power",), s)}
    yield from dict.fromkeys([*whole, *products, *(p for p in alone if p not in inside)])


def whole_power(t: Term) -> bool:
    """Return whether a term is a number and an integer power of two."""
    return t[0] == "q" and min(t[1:]) > 0 and not t[1] & (t[1] - 1) and not t[2] & (t[2] - 1)


def power_log_links(t: Term, power: Term) -> Iterator[Theorem]:
    """Yield `t > 2^c <=> log2(t) > c` and `2^c > t <=> c > log2(t)`.

    >>> print(*power_log_links(Term("v", "N"), Term("power", Term("q", 2, 1), Term("q", 7, 2))), sep="; ")
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
    """Prove `t > p <=> log2(t) > c` and `p > t <=> c > log2(t)` from `log2(p) = c`, for positive t and p."""
    t, p, c = (Term("v", name) for name in ("t!", "p!", "c!"))
    (more, less), written = rising(t, p), kernel.assume(Formula("=", Term("log2", p), c))
    made = []
    for link, weight in ((more, ONE), (less, MINUS)):
        _, one, by_logs = link.conclusion
        shown = exchanged(by_logs, {written.conclusion[1]: c})
        ways = [
            implied([f], g, [(ONE, [0]), (w, [1])], [written])
            for f, g, w in ((by_logs, shown, weight), (shown, by_logs, minus(ZERO, weight)))
        ]
        made.append(kernel.propositional(Formula("<=>", one, shown), [link, *ways]))
    return made[0], made[1]


def rising(u: Term, v: Term, base: Term | None = None) -> tuple[Theorem, Theorem]:
    """Return `u > v <=> f(u) > f(v)` and `v > u <=> f(v) > f(u)`, where f(t) is log2(t) or, with a base, base^t.

    >>> print(*rising(Term("v", "x"), Term("q", 8, 1)), sep="; ")
    8 > 0, x > 0 |- x > 8 <=> log2(x) > log2(8); 8 > 0, x > 0 |- 8 > x <=> log2(8) > log2(x)
    """
    one = _rising(base)
    return kernel.instantiate(one, {"p!": u, "q!": v}), kernel.instantiate(one, {"p!": v, "q!": u})


@cache
def _rising(base: Term | None) -> Theorem:
    """Prove `p > q <=> f(p) > f(q)` in general, because f preserves order and equality."""
    up, down = (kernel.rising(kernel.assume(Formula(">", *pair)), base) for pair in ((P, Q), (Q, P)))
    equal = kernel.assume(Formula("=", P, Q))
    level = kernel.logarithm(equal) if base is None else kernel.exponential(base, equal)
    return kernel.propositional(Formula("<=>", Formula(">", P, Q), up.conclusion), order_kept(P, Q, up, down, level))


def of_primes(t: Term, factored: Term | None = None) -> list[Theorem]:
    """Return the logarithm of a product as a sum, or [] if a factor may not be positive. `factored` is t as a product.

    >>> of_primes(Term("q", 12, 1))                                                       # 2^2 * 3
    [|- log2(12) = 2*1 + 1*log2(3)]
    """
    with suppress(KernelError):
        return [tactics.without_given(kernel.logarithm(_itself(t, factored)))]
    return []


def by_logarithms(equation: Formula) -> Theorem | None:
    """Prove an equation of two products of powers from equal logarithms, or return None.

    >>> x, third = Term("v", "x"), Term("q", 1, 3)
    >>> by_logarithms(Formula("=", Term("power", Term("*", x, x, x), third), x))
    x > 0 |- power(x*x*x, 1/3) = x
    """
    sides = equation[1:]
    if not terms_with(("power",), equation):
        return None
    logs = [theorem for side in sides for theorem in of_primes(side)]
    numbers = [t for _, t in terms_with(("log2",), *(t.conclusion[2] for t in logs)) if t[0] == "q"]
    logs += [theorem for number in numbers for theorem in of_primes(number)]
    found = tactics.prove(equation, [], [*rising(*sides), *logs]) if len(logs) >= len(sides) else None
    with suppress(KernelError):
        return None if found is None else tactics.without_given(found)
    return None


def expansions(*formulas: Formula) -> list[Theorem]:
    """Prove expansions: logarithms of products as sums, powers of sums as products, and roots as powers of one root.

    >>> n = Term("v", "n")
    >>> print(*expansions((">", ("log2", ("*", ("q", 8, 1), n)), ("power", ("q", 2, 1), ("+", n, ("q", 1, 1))))))
    n > 0 |- log2(8*n) = 3*1 + log2(n) n > 0 |- power(2, n + 1) = power(2, n)*(2)^1
    """
    found, roots = list[Theorem](), dict[Term, list[Term]]()
    for t in terms_with(("log2", "power"), *formulas):
        match t:
            case ("power", base, ("q", _, _) as exponent):
                roots.setdefault(base, []).append(exponent)
            case ("log2", inside) if inside[0] not in ("v", "+"):
                found += of_primes(inside)
            case ("power", base, exponent):
                with suppress(KernelError):
                    made = kernel.exponential(base, kernel.identity(exponent, exponent, sorted(variables(exponent))))
                    if made.conclusion[2] != t:
                        found.append(tactics.without_given(made))
                    for part in terms_with(("power",), made.conclusion):  # a difference gives b^n b^(-m)
                        found += _without_exponent(part)
    for base, exponents in roots.items():
        with suppress(KernelError):
            found += _root_powers(base, exponents)
    return found


def rounded_exponents(*formulas: Formula) -> list[Theorem]:
    """Prove comparisons of powers with rounded exponents: with the unrounded exponent, and with that plus or minus one.

    >>> n, two = Term("v", "n"), Term("q", 2, 1)
    >>> print(rounded_exponents(Formula(">", Term("power", two, Term("ceil", n)), n))[1])
    |- n > ceil(n) <=> power(2, n) > power(2, ceil(n))
    """
    found: list[Theorem] = []
    for _, base, exponent in terms_with(("power",), *formulas):
        for rounded in terms_with(("floor", "ceil"), exponent):
            inside, step = rounded[1], ONE if rounded[0] == "ceil" else MINUS
            for near in (inside, Term("+", inside, step)):
                with suppress(KernelError):
                    made = rising(exponent, exchanged(exponent, {rounded: near}), base)
                    found += map(tactics.without_given, made)
    return found


def _without_exponent(power: Term) -> list[Theorem]:
    """Prove `b^(-e) = 1/b^e` or `2^log2(t) = t`. Return [] for other exponents."""
    match power:
        case ("power", ("q", 2, 1), ("log2", inside)):
            inverse = by_logarithms(Formula("=", power, inside))
            return [] if inverse is None else [inverse]
        case ("power", base, ("*", ("q", int(c), d), *rest)) if c < 0:
            above = rest[0] if (c, d, len(rest)) == (-1, 1, 1) else Term("*", Term("q", -c, d), *rest)
            raised = Term("power", base, above)
            one = by_logarithms(Formula("=", Term("*", power, raised), ONE))
            found = None if one is None else tactics.prove(Formula("=", power, Term("/", ONE, raised)), [], [one])
            return [] if found is None else [found]
    return []


def _root_powers(base: Term, exponents: Sequence[Term]) -> list[Theorem]:
    """Return `b^(p/q) = r*...*r` for each exponent and `r^n = b`, where r = b^(1/n)."""
    n = lcm(*(e[2] for e in exponents))
    if not 1 < n <= MAX_ORDER or any(e[1] < 1 for e in exponents):
        return []
    part, made = Term("q", 1, n), list[Theorem]()
    for e in (*dict.fromkeys(exponents), ONE):
        if e != part:
            total = Term("+", *([part] * (e[1] * n // e[2])))
            made.append(kernel.exponential(base, kernel.identity(e, total)))
    whole = kernel.exponential(base, kernel.identity(ONE, ONE))
    goal = Formula("=", Term("^", Term("power", base, part), n), base)
    power = kernel.arith(goal, [made.pop(), whole], [(MINUS, [0]), (ONE, [1])], sorted(variables(base)))
    return [tactics.without_given(t) for t in (*made, power)]


def _itself(t: Term, factored: Term | None = None) -> Theorem:
    """Return `t = t` with the numbers on the right side factored into primes."""
    return kernel.identity(t, _by_primes(factored or t), sorted(variables(t)))


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
    """Return a product of powers whose exponents stay within the limit of terms.

    >>> power_product([(Term("v", "x"), 70)])                                             # (x^64)^1 x^6
    ('*', ('^', ('v', 'x'), 6), ('^', ('^', ('v', 'x'), 64), 1))
    """
    parts: list[Term] = []
    for base, exponent in powers:
        while exponent:
            parts.append(Term("^", base, exponent % MAX_EXPONENT))
            base, exponent = Term("^", base, MAX_EXPONENT), exponent // MAX_EXPONENT
    return Term("*", *parts)


CLOSE = Fraction(1, 2**11)  # largest distance of a logarithm from its bounds
MOST = 500_000  # limit of the bits of n^q
MAX_WRITTEN = 40  # largest integer exponent of a power that is written out


def power_bounds(formulas: Sequence[Formula], numbers: Iterable[Fraction]) -> list[Theorem]:
    """Prove comparisons of numbers and their logarithms with the powers of two in some formulas.

    >>> N_is_more = Formula(">", Term("v", "N"), Term("power", Term("q", 2, 1), Term("q", 7, 2)))
    >>> for lemma in power_bounds([N_is_more], [Fraction(12)]):                                # 12^2 > 2^7
    ...     print(lemma)
    |- log2(12) > 7/2*1
    |- 12 > power(2, 7/2)
    """
    powers = [p for p in terms_with(("power",), *formulas) if p[1] == TWO and not variables(p[2])]
    return [made for n in dict.fromkeys(numbers) for power in powers if n > 0 for made in _beside(n, power)]


def number_bounds(formulas: Sequence[Formula]) -> list[Theorem]:
    """Enclose the logarithms of numbers in some formulas between short fractions, or prove their exact values.

    >>> print(*number_bounds([Formula(">", Term("log2", Term("q", 3, 1)), Term("v", "x"))]), sep="; ")  # 1.58496...
    |- log2(3) > 103/65; |- 65/41 > log2(3)
    """
    found: list[Theorem] = []
    for number in (t[1] for t in terms_with(("log2",), *formulas) if t[1][0] == "q" and t[1][1] > 0):
        exponent = enclosed_log2(Fraction(*number[1:]))
        if exponent.denominator == 1 and whole_power(number):
            found += of_primes(number)
            continue
        low = simplest_between(exponent - CLOSE, exponent - CLOSE / 8)
        high = simplest_between(exponent + CLOSE / 8, exponent + CLOSE)
        found += (_by_whole_powers(number, r, sign) for r, sign in ((low, 1), (high, -1)) if r > 0)
    return found


def compared_numbers(formulas: Sequence[Formula]) -> list[Fraction]:
    """Return the numbers that a name is compared with.

    >>> compared_numbers([("not", (">=", ("v", "N"), ("q", 3, 2))), (">", ("^", TWO, 5), ("v", "N"))])
    [Fraction(3, 2), Fraction(32, 1)]
    """
    atoms = atoms_in(*formulas)
    pairs = [(atom[k], atom[3 - k]) for atom in atoms if atom[0] in (">", ">=", "=") for k in (1, 2)]
    numbers = [b for a, b in pairs if a[0] == "v" and not variables(b) and not terms_with(OPAQUE, b)]
    return list(dict.fromkeys(sampling.value(b, {}) for b in numbers))


def met_at(bound: Formula, name: str, values: Sequence[int]) -> list[Fraction]:
    """Return the numbers that powers of two are compared with if a name in a bound takes integer values.

    >>> power = Term("power", Term("q", 2, 1), Term("q", 7, 2))
    >>> met_at(Formula(">", Term("v", "N"), Term("+", power, Term("q", -3, 1))), "N", [9])  # 9 > p - 3 as 12 > p
    [Fraction(12, 1)]
    """
    found = []
    for atom in atoms_in(bound):
        for power in terms_with(("power",), atom):
            at_0, at_1 = (_difference(atom, name, power, ZERO), _difference(atom, name, power, ONE))
            for n in values:
                start, end = (f(Fraction(n)) for f in (at_0, at_1))
                if start != end:
                    found.append(start / (start - end))
    return found


def _difference(atom: Formula, name: str, power: Term, value: Term) -> Callable[[Fraction], Fraction]:
    """Return the difference of the two sides as a function of the name, with a value substituted for a power."""
    sides = [exchanged(side, {power: value}) for side in atom[1:]]
    return lambda n: sampling.value(minus(*sides), {name: n})


def _beside(n: Fraction, power: Term) -> Iterator[Theorem]:
    """Prove that n lies above or below a power, and its logarithm above or below the exponent."""
    number = Term.rational(n)
    exponent = to_expr(power[2])
    sign = numbers_compared(sympy.Rational(n.numerator, n.denominator), exp2(exponent))
    links = list(power_log_links(number, power))
    if not sign:
        yield from (*links, *of_primes(number))
        return
    between = _between(n, exponent)
    if between is None or len(links) < 2:
        return
    compared = _by_whole_powers(number, between, sign)
    link = links[0] if sign > 0 else links[1]
    goal: Formula = link.conclusion[2]
    middle = Term.rational(between)
    rest: Formula = Formula(">=", middle, power[2]) if sign > 0 else Formula(">=", power[2], middle)
    beyond = tactics.prove(rest)
    if beyond is not None:
        logarithm = tactics.prove(goal, [], [compared, beyond])
        if logarithm is None:
            return
        yield logarithm
        yield kernel.propositional(link.conclusion[1], [link, logarithm])


def _by_whole_powers(number: Term, between: Fraction, sign: int) -> Theorem:
    """Prove log2(n) > p/q from n^q > 2^p, or p/q > log2(n) from 2^p > n^q."""
    p, q = between.numerator, between.denominator
    logarithm = Term("log2", number)
    middle = Term("q", p, q)
    goal: Formula = Formula(">", logarithm, middle) if sign > 0 else Formula(">", middle, logarithm)
    if whole_power(number) and (exactly := tactics.prove(goal, [], of_primes(number))) is not None:
        return exactly
    raised, two = power_product([(number, q)]), power_product([(TWO, p)])
    sides = (raised, two) if sign > 0 else (two, raised)
    rising = kernel.rising(kernel.arith(Formula(">", *sides)))
    logs = [kernel.logarithm(kernel.identity(t, t)) for t in sides]
    made = kernel.arith(goal, [rising, *logs], [(ONE, [0]), (MINUS, [1]), (ONE, [2])], multiplier=Term("q", q, 1))
    return tactics.without_given(made)


def _between(n: Fraction, exponent: sympy.Expr) -> Fraction | None:
    """Return the exponent, or a short fraction between it and log2(n) if the exponent is long or irrational."""
    if exponent.is_Rational and exponent.p > 0 and int(exponent.q) * _length(n) <= MOST:
        return Fraction(int(exponent.p), int(exponent.q))
    with ctx.workprec(2 * MAX_BITS):
        low, high = sorted((enclosed_log2(n), _fraction(enclosed(exponent))))
    found = simplest_between(low + (high - low) / 1024, high - (high - low) / 1024)
    return found if found > 0 and found.denominator * _length(n) <= MOST else None


def enclosed_log2(n: Fraction) -> Fraction:
    """Return the binary logarithm of a positive number, rounded to the working precision."""
    return _fraction(arb(fmpq(n.numerator, n.denominator)).log() / arb(2).log())


def _length(n: Fraction) -> int:
    return n.numerator.bit_length() + n.denominator.bit_length()


def _fraction(ball: arb) -> Fraction:
    middle: fmpq = ball.mid().fmpq()
    return Fraction(int(middle.p), int(middle.q))


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator between two fractions.

    >>> simplest_between(Fraction(31, 10), Fraction(32, 10))                                           # 3 + 1/5
    Fraction(16, 5)
    """
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    floor = whole - 1
    return floor + 1 / simplest_between(1 / (high - floor), 1 / (low - floor))


PAIRS = 6  # limit of terms that are compared pairwise


def rising_lemmas(formulas: Sequence[Formula], beside_one: bool = False) -> list[Theorem]:
    """Prove comparisons among the logarithms and among the powers in some formulas, and enclose those of numbers.

    >>> n = Term("v", "n")
    >>> for lemma in rising_lemmas([(">", ("power", ("q", 3, 1), n), ("q", 9, 1)), (">=", n, ("q", 2, 1))])[:3]:
    ...     print(lemma)
    |- n > 2 <=> power(3, n) > power(3, 2)
    |- 2 > n <=> power(3, 2) > power(3, n)
    |- power(3, 2) = (3)^2

    `beside_one` adds comparisons of powers with 1.
    """
    found: list[Theorem] = []
    logs = [t[1] for t in terms_with(("log2",), *formulas)[:PAIRS]]
    numbers = [n for n in _compared_with(logs, formulas) if n not in logs and n[1] > 0][:PAIRS]
    for one, other in [*combinations(logs, 2), *product(logs, numbers)]:
        found += rising(one, other) if variables(one) | variables(other) else ()
    found += number_bounds([Formula(">", Term("log2", n), ONE) for n in numbers])
    exponents: dict[Term, list[Term]] = {}
    for _, base, exponent in terms_with(("power",), *formulas)[:PAIRS]:
        exponents.setdefault(base, []).append(exponent)
    for base, own in exponents.items():
        if tactics.prove(Formula(">", base, ONE)) is None:
            continue
        beside = [*([ZERO] if beside_one else []), *_compared_with(own, formulas)]
        whole = [n for n in dict.fromkeys(beside) if n[2] == 1 and abs(n[1]) <= MAX_WRITTEN]
        for one, other in combinations([*own, *(n for n in whole if n not in own)][:PAIRS], 2):
            found += rising(one, other, base) if variables(one) | variables(other) else ()
        found += (kernel.exponential(base, kernel.identity(n, n)) for n in whole)
        if base == TWO:
            found += _beside_numbers(own, _compared_with([Term("power", base, e) for e in own], formulas))
    found += expansions(*formulas, *(t.conclusion for t in found))
    return [t for t in _plain(found) if t.conclusion[0] != "=" or t.conclusion[1] != t.conclusion[2]]


def rises(here: Term, further: Term, base: Term | None = None) -> Theorem:
    """Prove that a binary logarithm, or a power with a given base, is larger at a larger argument.

    >>> print(rises(Term("v", "x"), Term("v", "y"), Term("q", 2, 1)))
    y > x |- power(2, y) > power(2, x)
    """
    found = kernel.rising(kernel.assume(Formula(">", further, here)), base)
    return found if base is None else cut(found, [kernel.arith(Formula(">", base, ONE))])


def _compared_with(terms: Sequence[Term], formulas: Sequence[Formula]) -> list[Term]:
    """Return the numbers that any of some terms is compared with."""
    atoms = atoms_in(*formulas)
    sides = [(atom[k], atom[3 - k]) for atom in atoms if atom[0] in (">", ">=", "=") for k in (1, 2)]
    return list(dict.fromkeys(b for a, b in sides if a in terms and b[0] == "q"))


def _beside_numbers(exponents: Iterable[Term], numbers: Iterable[Term]) -> Iterator[Theorem]:
    """Prove that powers of two compare with numbers as their exponents compare with the logarithms of the numbers."""
    for number in numbers:
        if number[1] > 0:
            for exponent in exponents:
                yield from power_log_links(number, Term("power", TWO, exponent))
            yield from (
                of_primes(number) if whole_power(number) else number_bounds([Formula(">", Term("log2", number), ONE)])
            )


def _plain(found: Iterable[Theorem]) -> Iterator[Theorem]:
    """Yield the theorems whose only hypotheses are that names are positive."""
    for theorem in dict.fromkeys(found):
        with suppress(KernelError):
            yield tactics.without_given(theorem)


# --- expressions and conditions ---------------------------------------------------------------------------------------

STEPS = 500_000
TOTAL = sympy.Symbol("total!")


def logarithms_apart(expr: sympy.Basic) -> sympy.Basic:
    """Return an expression or condition with each log2 of a product as a sum. Numbers are split by small primes.

    >>> n = sympy.Symbol("n", positive=True)
    >>> logarithms_apart(log2(1024*n**2)), logarithms_apart(log2(sympy.Rational(12, 5)))     # 12/5 = 2^2 * 3 / 5
    (2*log2(n) + 10, -log2(5) + log2(3) + 2)

    A logarithm is unchanged if a name may be zero or negative, or if the two forms cannot be proved equal.
    """
    return expr.xreplace({f: _expanded(f) for f in expr.atoms(log2)})


def exponents_apart(expr: sympy.Basic) -> sympy.Basic:
    """Return an expression or condition with each power whose exponent is a sum as a product of powers.

    >>> n = sympy.Symbol("n", positive=True)
    >>> exponents_apart(3**(n + 2) + 1)                                          # 3^n * 3^2 + 1
    9*3**n + 1

    A power is unchanged if a name in its base may be zero or negative, or if the two forms cannot be proved equal.
    """
    return expr.xreplace({p: _apart(p) for p in expr.atoms(sympy.Pow) if p.exp.free_symbols})


def _expanded(logarithm: sympy.Expr) -> sympy.Expr:
    if not _all_positive(logarithm):
        return logarithm
    (inside,) = logarithm.args
    try:
        found = of_primes(with_functions(inside), with_functions(sympy.factor(inside)))
        return _right(found[0], logarithm) if found else logarithm
    except (KernelError, RoofproofError):
        return logarithm


def _apart(power: sympy.Pow) -> sympy.Expr:
    if not _all_positive(power.base):
        return power
    try:
        exponent = with_functions(sympy.expand(power.exp))
        made = kernel.exponential(with_functions(power.base), kernel.identity(exponent, exponent, _names(power)))
        return _right(tactics.without_given(made), power)
    except (KernelError, RoofproofError):
        return power


def _right(equation: Theorem, expr: sympy.Expr) -> sympy.Expr:
    """Return the right side of an equation with the symbols of an expression."""
    return to_expr(equation.conclusion[2]).xreplace({quantity(s.name): s for s in expr.free_symbols})


def _all_positive(expr: sympy.Expr) -> bool:
    return all(s.is_positive for s in expr.free_symbols)


def _names(expr: sympy.Expr) -> list[str]:
    return sorted(s.name for s in expr.free_symbols if s.is_positive)


def logarithms_compared(condition: Boolean, given: Sequence[Formula] = ()) -> Boolean:
    """Return a condition with comparisons of sums of logarithms as comparisons of products.

    >>> n, m = sympy.symbols("n m", positive=True)
    >>> logarithms_compared(log2(n) > 3), logarithms_compared(sympy.Eq(log2(n)/2, log2(m) - 1))     # 4 n = m^2
    (n > 8, Eq(4*n, m**2))

    A comparison is unchanged if it has terms other than logarithms and numbers, if a name may be zero or negative, or
    if the two forms cannot be proved equivalent under the given formulas.
    """
    return condition.xreplace(
        {c: _as_products(_of_base_two(c), given) for c in condition.atoms(Relational) if c.has(log2, sympy.log)}
    )


def comparison_lemmas(condition: Boolean, given: Sequence[Formula] = ()) -> list[Theorem]:
    """Prove that the comparisons of logarithms in a condition are equivalent to comparisons of products.

    >>> n = sympy.Symbol("n", positive=True)
    >>> print(*comparison_lemmas(sympy.Gt(log2(n), 3, evaluate=False)))
    n > 0 |- -3 + log2(n) > 0 <=> n > 8
    """
    found: list[Theorem] = []
    for comparison in sorted(condition.atoms(Relational), key=sympy.default_sort_key):
        if comparison.has(log2, sympy.log):
            _as_products(_of_base_two(comparison), given, found)
    return found


def _as_products(
    comparison: Relational, given: Sequence[Formula] = (), lemmas: list[Theorem] | None = None
) -> Relational:
    if not all(s.is_positive for s in comparison.free_symbols):
        return comparison
    difference = sympy.expand(logarithms_apart(comparison.lhs - comparison.rhs))
    shares = {t: c for t, c in difference.as_coefficients_dict().items() if c}
    if not shares or not all((isinstance(t, log2) or t == 1) and c.is_Rational for t, c in shares.items()):
        return comparison  # also excludes infinite coefficients
    scale = lcm(*(int(c.q) for c in shares.values()))
    powers = {sympy.Integer(2) if t == 1 else t.args[0]: int(c * scale) for t, c in shares.items()}
    if any(abs(k) > MAX_EXPONENT for k in powers.values()):
        return comparison
    more, less = ({b: s * k for b, k in powers.items() if s * k > 0} for s in (1, -1))
    found = comparison.func(_product(more), _product(less), evaluate=False)
    try:
        theorem = _same(difference * scale, found, more, less, given)
    except (KernelError, RoofproofError):
        return comparison
    if theorem is None:
        return comparison
    if lemmas is not None:
        lemmas.append(theorem)
    return found


def _of_base_two(comparison: Relational) -> Relational:
    """Return a comparison of sums of natural logarithms in log2, with both sides divided by log(2), or unchanged."""
    sides = [sympy.expand(side, log=False).as_coefficients_dict() for side in comparison.args]
    if not all(isinstance(t, sympy.log) or c == 0 for side in sides for t, c in side.items()):
        return comparison
    left, right = (sympy.Add(*(c * log2(t.args[0]) for t, c in side.items() if c != 0)) for side in sides)
    return comparison.func(left, right, evaluate=False)


def _product(powers: Mapping[sympy.Expr, int]) -> sympy.Expr:
    return sympy.Mul(*(base**k for base, k in powers.items()))


def _same(
    difference: sympy.Expr,
    found: Relational,
    more: Mapping[sympy.Expr, int],
    less: Mapping[sympy.Expr, int],
    assumed: Sequence[Formula],
) -> Theorem | None:
    """Prove that a sum of logarithms compares with zero as two products compare with each other, or return None."""
    names = sorted(s.name for s in found.free_symbols)
    total, *sides = (with_functions(e) for e in (difference, found.lhs, found.rhs))
    logs = []
    for side, powers in zip(sides, (more, less), strict=True):
        product = Term("*", *(Term("^", with_functions(b), k) for b, k in powers.items()))
        logs.append(kernel.logarithm(kernel.identity(side, product, names)))
    values = dict(zip(("p!", "q!"), sides, strict=True))
    above, below, equal = (kernel.assume(f) for f in (Formula(">", P, Q), Formula(">", Q, P), Formula("=", P, Q)))
    rules = kernel.rising(above), kernel.rising(below), kernel.logarithm(equal)
    ways = [kernel.instantiate(rule, values) for rule in rules]
    compared = Formula(">", total, ZERO), Formula(">", ZERO, total), Formula("=", total, ZERO)
    signs = (MINUS, ONE), (ONE, MINUS), (MINUS, ONE)
    known = [
        kernel.arith(f, [way, *logs], [(ONE, [0]), (s, [1]), (t, [2])])
        for f, way, (s, t) in zip(compared, ways, signs, strict=True)
    ]
    goal = Formula("<=>", to_formula(found.func(TOTAL, 0, evaluate=False)), to_formula(found))
    goal = substitute(goal, {TOTAL.name: total})
    made = kernel.propositional(goal, order_kept(sides[0], sides[1], *known))
    given = [*positive(names), *assumed]
    search = tactics.Search([*given, *made.hypotheses], Budget(STEPS))
    facts = [search.prove(hypothesis, given) for hypothesis in made.hypotheses]
    return None if None in facts else cut(made, [f for f in facts if f is not None])
