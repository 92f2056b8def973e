"""A goal whose comparisons have one square root each, squared: what is left is about polynomials.

Where its names are integers, that is known too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain, combinations, islice
from math import ceil, floor
from typing import Final

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, atoms_of, minus, normal_form, variables
from roofproof.proofs.names import NUMBERS
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import candidates, holds
from roofproof.proofs.oracles.ratios import Inexact, ratios, truth_of
from roofproof.proofs.search.lemmas import lemmas_for
from roofproof.proofs.search.polynomials import exchanged, terms_with
from roofproof.proofs.search.squared_roots import squared, squares

PLACES: Final = 9  # of the other names, where one is held against a number
STEPS: Final = tuple(Fraction(1, 2**k) for k in range(0, 11, 2))  # from that number, the first of them to a whole one


def without_roots(goal: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return a goal whose comparisons have no roots, and theorems that each is what it was; None where some stay.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> root = Term("sqrt", Term("+", Term("*", x, x), one))
    >>> changed, theorems = without_roots(Formula(">", Term("q", 2, 1), root))               # 2^2 > x^2 + 1
    >>> print(changed)
    0 + 2 > 0 and 0 + 3 + -1*x^2 > 0
    """
    atoms = list[Formula]()
    atoms_of(goal, atoms)
    table, theorems = dict[Formula, Formula](), list[Theorem]()
    for atom in atoms:
        if terms_with(("sqrt",), atom):
            if (made := _apart(atom)) is None:
                return None
            changed, known = made
            table |= {atom: changed, Formula(">=", *atom.sides[::-1]): Formula("not", changed)}  # a >= b: b > a fails
            theorems += known
    return (exchanged(goal, table), theorems) if table else None


def prove_squared(
    goal: Formula, given: Sequence[Formula], proved: Callable[[Formula, Sequence[Formula]], Theorem | None]
) -> Theorem | None:
    """Prove a goal with its roots squared away, as `proved` proves what is left; None where it does not.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> root = Term("sqrt", Term("+", Term("*", x, x), one))
    >>> from roofproof.proofs.search.tactics import prove
    >>> print(prove_squared(Formula(">", root, x), [], prove))
    x > 0 |- sqrt(x*x + 1) > x
    """
    try:
        made = without_roots(goal)
    except KernelError:  # what stands under a root may be negative
        return None
    if made is None:
        return None
    changed, theorems = made
    found = proved(changed, [f for f in given if not terms_with(("sqrt",), f)])
    return None if found is None else kernel.propositional(goal, [found, *theorems])


def squares_of(formulas: Sequence[Formula]) -> list[Formula] | None:
    """Return formulas with the root of each comparison squared away, not proved; None where no root is.

    What stands under a root is taken for positive; a formula of other roots is left out.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> print(*squares_of([Formula("not", Formula(">", Term("q", 2, 1), Term("sqrt", Term("+", x, one))))]))
    not(0 + 2 > 0 and 0 + 3 + -1*x^1 > 0)
    """
    rooted = [bool(terms_with(("sqrt",), f)) for f in formulas]
    changed = [_squared(f) if has else f for f, has in zip(formulas, rooted, strict=True)]
    some = any(has and f is not None for f, has in zip(changed, rooted, strict=True))
    return [f for f in changed if f is not None] if some else None


def _squared(formula: Formula) -> Formula | None:
    atoms, table = list[Formula](), dict[Formula, Formula]()
    atoms_of(formula, atoms)
    for atom in atoms:
        if terms_with(("sqrt",), atom):
            try:
                made = squares(atom) if atom[0] == ">" else None
            except KernelError:  # polynomials too large to be worked out
                made = None
            if made is None:
                return None
            table |= {atom: made.changed, Formula(">=", *atom.sides[::-1]): Formula("not", made.changed)}
    return exchanged(formula, table)


def squared_point(
    formulas: Sequence[Formula], plain: Sequence[Formula], integers: Collection[str], tries: int
) -> dict[str, Fraction] | None:
    """Return a point where formulas hold, looked for where their squares do: these have rational values, soon told.

    Where a name is held against a number, its values there and beside it come first but for the least.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x = Term("v", "x")
    >>> short = Formula(">", Term("q", 782, 1), Term("sqrt", Term("+", Term("*", x, x), Term("q", 1, 1))))
    >>> both = [short, Formula(">=", x, Term("q", 781, 1))]
    >>> squared_point(both, squares_of(both), ["x"], 0)                                         # 781^2 + 1 < 782^2
    {'x': Fraction(781, 1)}
    """
    names = sorted(frozenset[str]().union(*map(variables, formulas)) - NUMBERS)
    some = candidates(names, [*_ratios(plain), *sampling.constants(formulas)], integers)
    met = chain(islice(some, 3 ** len(names)), _beside(formulas, names, integers), islice(some, tries))
    try:
        tests = [truth_of(f) for f in plain]
    except KernelError:  # a limit has no value at a point
        return None
    for point in met:
        at = ratios(point)
        with suppress(Inexact):
            if all(test(at) for test in tests) and all(holds(f, point) for f in formulas):
                return point
    return None


def _ratios(formulas: Sequence[Formula]) -> list[Fraction]:
    """Return the ratios of the numbers in each comparison, with its fractions cleared.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> print(*_ratios([Formula(">", Term("/", x, Term("q", 80, 1)), Term("/", y, Term("q", 20, 1)))]))    # x > 4 y
    4
    """
    atoms = list[Formula]()
    for f in formulas:
        atoms_of(f, atoms)
    found = dict[Fraction, None]()
    for atom in atoms:
        if atom[0] not in (">", "="):
            continue
        with suppress(KernelError):  # polynomials too large to be worked out
            sizes = sorted({abs(Fraction(c)) for c in normal_form(minus(*atom.sides))[0].values()})
            found |= dict.fromkeys(b / a for a, b in combinations(sizes[:6], 2))
    return list(found)


def _beside(
    formulas: Sequence[Formula], names: Sequence[str], integers: Collection[str]
) -> Iterator[dict[str, Fraction]]:
    """Yield points where a name is a number that it is held against, or close to it."""
    atoms = list[Formula]()
    for f in formulas:
        atoms_of(f, atoms)
    for atom in atoms:
        match atom.sides:
            case (("v", str(name)), ("q", int(p), int(q))) | (("q", int(p), int(q)), ("v", str(name))):
                at = Fraction(p, q)
                near = [at, *(at + turn * step for step in STEPS for turn in (1, -1))]
                near = [Fraction(n) for x in near[:3] for n in (floor(x), ceil(x))] if name in integers else near
                others = list(islice(sampling.points(names), min(PLACES, 3 ** (len(names) - 1))))
                yield from ({**rest, name: x} for x in dict.fromkeys(near) if x > 0 for rest in others)


def _apart(atom: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return a strict comparison without its root, and the theorems that make it so; of a maximum part by part."""
    if atom[0] != ">":
        return None
    if not any(side[0] in ("max", "min") for side in atom.sides):
        return squared(atom)
    lemma = next((t for t in lemmas_for([atom]) if t.conclusion[:2] == ("<=>", atom)), None)
    if lemma is None:
        return None
    made = without_roots(lemma.conclusion[2])
    return None if made is None else (made[0], [lemma, *made[1]])
