"""Points where formulas with a root in a comparison hold, looked for among the squares: these have rational values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain, combinations, islice

from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.clearing import difference
from roofproof.proofs.kernel.terms import Formula, KernelError, atoms_of, variables
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import candidates, holds
from roofproof.proofs.oracles.ratios import Inexact, ratios, truth_of
from roofproof.proofs.search.polynomials import exchanged, terms_with
from roofproof.proofs.search.squares import squares
from roofproof.proofs.search.turning_points import beside, between


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
    met = chain(
        islice(some, 3 ** len(names)),
        beside(formulas, names, integers),
        between(plain, names, integers),
        islice(some, tries),
    )
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
            sizes = sorted({abs(Fraction(c)) for c in difference(*atom.sides)[0].values()})
            found |= dict.fromkeys(b / a for a, b in combinations(sizes[:6], 2))
    return list(found)
