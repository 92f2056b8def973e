"""The long search for a proof over positive numbers, some of them whole: by squares, lemmas, and from both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction

from roofproof.derive.algebra.budget import Budget
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, atoms_of, variables
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import identical
from roofproof.proofs.search.integer_lemmas import integer_lemmas
from roofproof.proofs.search.roundings import rounding_lemmas
from roofproof.proofs.search.squares import prove_squared


def whole(names: Sequence[str]) -> list[Formula]:
    """Return that names are whole numbers, 1 at least.

    >>> print(*whole(["n"]))
    int(n) n >= 1
    """
    said = ((Formula("int", Term("v", n)), Formula(">=", Term("v", n), Term("q", 1, 1))) for n in names)
    return [f for both in said for f in both]


def prove(
    goal: Formula, given: Sequence[Formula], integers: Sequence[str], budget: Budget, look: Callable[[], None]
) -> Theorem | None:
    """Return `given, x > 0..., int(n)... |- goal`, or None when no proof was found.

    >>> n = Term("v", "n")
    >>> print(prove(Formula(">=", Term("*", n, n), n), [], ["n"], Budget(10**6), lambda: None))
    int(n), n > 0, n >= 1 |- n*n >= n

    `look` is called once before what takes long, to look for a counterexample.
    """
    given, sizes = tightest(given), whole(integers)

    def proved(goal: Formula, given: Sequence[Formula] = given) -> Theorem | None:
        lemmas = integer_lemmas([goal, *given], integers)
        search = tactics.Search([goal, *given, *sizes, *(t.conclusion for t in lemmas)], budget, not lemmas)
        return search.prove(goal, [*given, *sizes], lemmas, look)

    if (squared := prove_squared(goal, given, proved)) is not None:
        return squared
    own = {*given, *sizes, *(Formula(">", Term("v", n), ZERO) for n in variables(goal))}
    atoms: list[Formula] = []
    atoms_of(goal, atoms)
    equal = [identical(a, sorted(variables(a)), rounding_lemmas(a)) for a in atoms if a[0] == "="]
    if same := [t for t in equal if t is not None and t.hypotheses <= own]:
        with suppress(KernelError):
            return kernel.propositional(goal, same)
    theorem = proved(goal)
    if theorem is None and goal[0] == "=" and integers:  # an equation of rounded values, from both sides
        sides = [s for a, b in (goal[1:], goal[:0:-1]) if (s := proved(Formula(">=", a, b))) is not None]
        if len(sides) == 2:
            return kernel.propositional(goal, [*sides, kernel.trichotomy(goal[1], goal[2])])
    return theorem


def tightest(given: Sequence[Formula]) -> list[Formula]:
    """Return conditions without those bounds of a name that another one implies: each costs a search.

    >>> n = Term("v", "n")
    >>> tightest([Formula(">", n, ZERO), Formula(">=", n, Term("q", 1, 1)), Formula(">", Term("q", 9, 1), n)])
    [('>=', ('v', 'n'), ('q', 1, 1)), ('>', ('q', 9, 1), ('v', 'n'))]
    """
    side: tuple[object, str]
    kept: dict[tuple[object, str], tuple[tuple[Fraction, bool], Formula]] = {}
    for f in given:
        match f:
            case (">" | ">=" as sign, ("v", str(name)), ("q", int(p), int(q))):
                side, bound = (name, "below"), (Fraction(p, q), sign == ">")
            case (">" | ">=" as sign, ("q", int(p), int(q)), ("v", str(name))):
                side, bound = (name, "above"), (-Fraction(p, q), sign == ">")
            case _:
                side, bound = (f, ""), (Fraction(0), False)
        if side not in kept or bound > kept[side][0]:
            kept[side] = bound, f
    return [f for _, f in kept.values()]
