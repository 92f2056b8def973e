"""Numbers beside powers of two: n > 2^(p/q), as n^q > 2^p."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import sympy
from flint import arb, ctx, fmpq

from roofproof.derive.algebra.exact_comparison import MAX_BITS, enclosed, numbers_compared
from roofproof.formula.logarithm import exp2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import OPAQUE, ZERO, Formula, Term, atoms_of, minus, variables
from roofproof.proofs.oracles import sampling
from roofproof.proofs.search import tactics
from roofproof.proofs.search.logarithm_lemmas import linked, of_primes, power_product, whole_power
from roofproof.proofs.search.polynomials import exchanged, terms_with
from roofproof.proofs.translate import to_expr

CLOSE = Fraction(1, 2**11)  # how far the bounds of a logarithm may lie from it
MOST = 500_000  # binary digits of n^q
ONE = Term("q", 1, 1)
MINUS = Term("q", -1, 1)
TWO = Term("q", 2, 1)


def power_bounds(formulas: Sequence[Formula], numbers: Iterable[Fraction]) -> list[Theorem]:
    """Compare numbers, and their logarithms, with the powers of two in some formulas.

    >>> N_is_more = Formula(">", Term("v", "N"), Term("power", Term("q", 2, 1), Term("q", 7, 2)))
    >>> for lemma in power_bounds([N_is_more], [Fraction(12)]):                                # 12^2 > 2^7
    ...     print(lemma)
    |- log2(12) > 7/2*1
    |- 12 > power(2, 7/2)
    """
    powers = [p for p in terms_with(("power",), *formulas) if p[1] == TWO and not variables(p[2])]
    return [made for n in dict.fromkeys(numbers) for power in powers if n > 0 for made in _beside(n, power)]


def number_bounds(formulas: Sequence[Formula]) -> list[Theorem]:
    """Return between which short fractions the logarithms of numbers in some formulas lie, or what they are.

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
    atoms: list[Formula] = []
    for formula in formulas:
        atoms_of(formula, atoms)
    pairs = [(atom[k], atom[3 - k]) for atom in atoms if atom[0] in (">", ">=", "=") for k in (1, 2)]
    numbers = [b for a, b in pairs if a[0] == "v" and not variables(b) and not terms_with(OPAQUE, b)]
    return list(dict.fromkeys(sampling.value(b, {}) for b in numbers))


def met_at(bound: Formula, name: str, values: Sequence[int]) -> list[Fraction]:
    """Return the numbers that powers of two are compared with, where a bound on a name is put to whole numbers.

    >>> power = Term("power", Term("q", 2, 1), Term("q", 7, 2))
    >>> met_at(Formula(">", Term("v", "N"), Term("+", power, Term("q", -3, 1))), "N", [9])  # 9 > p - 3 as 12 > p
    [Fraction(12, 1)]
    """
    atoms: list[Formula] = []
    atoms_of(bound, atoms)
    found = []
    for atom in atoms:
        for power in terms_with(("power",), atom):
            at_0, at_1 = (_difference(atom, name, power, ZERO), _difference(atom, name, power, ONE))
            for n in values:
                start, end = (f(Fraction(n)) for f in (at_0, at_1))
                if start != end:
                    found.append(start / (start - end))
    return found


def _difference(atom: Formula, name: str, power: Term, value: Term) -> Callable[[Fraction], Fraction]:
    """Return the difference of two sides with a value for a power, as a function of the name."""
    sides = [exchanged(side, {power: value}) for side in atom[1:]]
    return lambda n: sampling.value(minus(*sides), {name: n})


def _beside(n: Fraction, power: Term) -> Iterator[Theorem]:
    """Yield that n lies above or below a power, and its logarithm above or below the exponent."""
    number = Term.rational(n)
    exponent = to_expr(power[2])
    sign = numbers_compared(sympy.Rational(n.numerator, n.denominator), exp2(exponent))
    links = list(linked(number, power))
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
    """Return log2(n) > p/q from n^q > 2^p, or p/q > log2(n)."""
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
    """Return the exponent itself or, where it is long or irrational, a short fraction between it and log2(n)."""
    if exponent.is_Rational and exponent.p > 0 and int(exponent.q) * _length(n) <= MOST:
        return Fraction(int(exponent.p), int(exponent.q))
    with ctx.workprec(2 * MAX_BITS):
        low, high = sorted((enclosed_log2(n), _fraction(enclosed(exponent))))
    found = simplest_between(low + (high - low) / 1024, high - (high - low) / 1024)
    return found if found > 0 and found.denominator * _length(n) <= MOST else None


def enclosed_log2(n: Fraction) -> Fraction:
    """Return the binary logarithm of a positive number, to the working precision."""
    return _fraction(arb(fmpq(n.numerator, n.denominator)).log() / arb(2).log())


def _length(n: Fraction) -> int:
    return n.numerator.bit_length() + n.denominator.bit_length()


def _fraction(ball: arb) -> Fraction:
    middle: fmpq = ball.mid().fmpq()
    return Fraction(int(middle.p), int(middle.q))


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the least denominator between two.

    >>> simplest_between(Fraction(31, 10), Fraction(32, 10))                                           # 3 + 1/5
    Fraction(16, 5)
    """
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    floor = whole - 1
    return floor + 1 / simplest_between(1 / (high - floor), 1 / (low - floor))
