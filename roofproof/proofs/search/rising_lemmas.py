"""Logarithms and powers of a number rise: lemmas that compare two of them as what stands inside is compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations, product

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, atoms_of, variables
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import power_lemmas
from roofproof.proofs.search.logarithm_lemmas import TWO, linked, of_primes, whole_power
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.search.power_bounds import number_bounds

ONE = Term("q", 1, 1)
MOST = 40  # whole exponents of a number that are written out
PAIRS = 6  # terms that are compared with each other


def rising_lemmas(formulas: Sequence[Formula], beside_one: bool = False) -> list[Theorem]:
    """Compare the logarithms and the powers of numbers in some formulas, and enclose those of numbers.

    >>> n = Term("v", "n")
    >>> for lemma in rising_lemmas([(">", ("power", ("q", 3, 1), n), ("q", 9, 1)), (">=", n, ("q", 2, 1))])[:3]:
    ...     print(lemma)
    n > 0 |- n > 2 <=> power(3, n) > power(3, 2)
    n > 0 |- 2 > n <=> power(3, 2) > power(3, n)
    |- power(3, 2) = (3)^2

    `beside_one` adds when a power is more or less than 1.
    """
    found: list[Theorem] = []
    logs = [t[1] for t in terms_with(("log2",), *formulas)[:PAIRS]]
    numbers = [n for n in _beside(logs, formulas) if n not in logs and n[1] > 0][:PAIRS]
    for one, other in [*combinations(logs, 2), *product(logs, numbers)]:
        found += _compared(one, other)
    found += number_bounds([Formula(">", Term("log2", n), ONE) for n in numbers])
    exponents: dict[Term, list[Term]] = {}
    for _, base, exponent in terms_with(("power",), *formulas)[:PAIRS]:
        exponents.setdefault(base, []).append(exponent)
    for base, own in exponents.items():
        if tactics.prove(Formula(">", base, ONE)) is None:
            continue
        beside = [*([ZERO] if beside_one else []), *_beside(own, formulas)]
        whole = [n for n in dict.fromkeys(beside) if n[2] == 1 and abs(n[1]) <= MOST]
        for one, other in combinations([*own, *(n for n in whole if n not in own)][:PAIRS], 2):
            found += _compared(one, other, base)
        found += (kernel.exponential(base, kernel.identity(n, n)) for n in whole)
        if base == TWO:
            found += _beside_numbers(own, _beside([Term("power", base, e) for e in own], formulas))
    found += power_lemmas(*formulas, *(t.conclusion for t in found))
    return [t for t in _plain(found) if t.conclusion[0] != "=" or t.conclusion[1] != t.conclusion[2]]


def _beside(terms: Sequence[Term], formulas: Sequence[Formula]) -> list[Term]:
    """Return the numbers with which any of some terms are compared."""
    atoms: list[Formula] = []
    for formula in formulas:
        atoms_of(formula, atoms)
    sides = [(atom[k], atom[3 - k]) for atom in atoms if atom[0] in (">", ">=", "=") for k in (1, 2)]
    return list(dict.fromkeys(b for a, b in sides if a in terms and b[0] == "q"))


def _compared(one: Term, other: Term, base: Term | None = None) -> Iterator[Theorem]:
    """Yield `a > b <=> f(a) > f(b)`, and the same of b and a."""
    if not variables(one) | variables(other):
        return
    known = [kernel.trichotomy(one, other)]
    for a, b in ((one, other), (other, one)):
        known.append(kernel.discharge(kernel.rising(kernel.assume(Formula(">", a, b)), base), Formula(">", a, b)))
    same = Formula("=", one, other)
    a, b = (Term("log2", t) if base is None else Term("power", base, t) for t in (one, other))
    level = kernel.exponential(base, kernel.assume(same)) if base else kernel.logarithm(kernel.assume(same))
    known.append(kernel.discharge(level, same))
    known += (kernel.exponential(base, kernel.identity(t, t)) for t in (one, other) if base and t[0] == "q")
    for goal in (
        Formula("<=>", Formula(">", one, other), Formula(">", a, b)),
        Formula("<=>", Formula(">", other, one), Formula(">", b, a)),
    ):
        if (found := tactics.prove(goal, [], known)) is not None:
            yield found


def _beside_numbers(exponents: Iterable[Term], numbers: Iterable[Term]) -> Iterator[Theorem]:
    """Yield when a power of two is more or less than a number, as its exponent and the logarithm of that compare."""
    for number in numbers:
        if number[1] > 0:
            for exponent in exponents:
                yield from linked(number, Term("power", TWO, exponent))
            yield from (
                of_primes(number) if whole_power(number) else number_bounds([Formula(">", Term("log2", number), ONE)])
            )


def _plain(found: Iterable[Theorem]) -> Iterator[Theorem]:
    """Yield those that suppose no more than that names are positive."""
    for theorem in dict.fromkeys(found):
        with suppress(KernelError):
            yield tactics.without_given(theorem)
