"""Two maxima or minima are equal, because each part of one is bounded by a part of the other."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables

Links = tuple[int, ...]  # of each part of one side, the part of the other side that bounds it


def by_parts(goal: Formula) -> Theorem | None:
    """Prove that two maxima, or two minima, are equal for positive names, or None; one side may be a part itself.

    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> by_parts(Formula("=", Term("max", a, Term("*", Term("q", 2, 1), a), b), Term("max", b, Term("+", a, a))))
    a > 0, b > 0 |- max(a, 2*a, b) = max(b, a + a)

    The parts are compared by their coefficients alone, so that this takes no search.
    """
    kind = next((side[0] for side in goal[1:] if side[0] in ("max", "min")), None)
    if goal[0] != "=" or kind is None:
        return None
    left, right = (_parts(side, kind) for side in goal[1:])
    there = [_bounding(a, right, kind) for a in left]
    back = [_bounding(b, left, kind) for b in right]
    if None in there or None in back:
        return None
    said = [found for found in (*there, *back) if found is not None]
    names = [Term("v", f"{letter}{k}") for letter, parts in (("a", left), ("b", right)) for k in range(len(parts))]
    values = dict(zip((n for _, n in names), (*left, *right), strict=True))
    links = tuple(k for k, _ in said)
    several = left != goal[1:2], right != goal[2:]
    try:
        schema = _schema(kind, links[: len(left)], links[len(left) :], several)
        return kernel.propositional(goal, [kernel.instantiate(schema, values), *(t for _, t in said)])
    except KernelError:  # too many parts for one truth table
        return None


def _parts(side: Term, kind: str) -> tuple[Term, ...]:
    return tuple(side[1:]) if side[0] == kind else (side,)


def _bounding(part: Term, others: Sequence[Term], kind: str) -> tuple[int, Theorem] | None:
    """Return which of the others is no smaller than a part (no larger, of a minimum), with the theorem."""
    for k, other in enumerate(others):
        goal = _bound(part, other, kind)
        with suppress(KernelError):
            return k, kernel.arith(goal, positive=sorted(variables(goal)))
    return None


def _bound(part: Term, other: Term, kind: str) -> Formula:
    return Formula(">=", other, part) if kind == "max" else Formula(">=", part, other)


@cache
def _schema(kind: str, there: Links, back: Links, several: tuple[bool, bool]) -> Theorem:
    """Return `b_k >= a_i and ... => max(a...) = max(b...)`, whatever stands for the names."""
    parts = [
        tuple(Term("v", f"{letter}{k}") for k in range(len(links))) for letter, links in (("a", there), ("b", back))
    ]
    sides: list[Term] = [Term(kind, *p) if many else p[0] for p, many in zip(parts, several, strict=True)]
    halves: list[Theorem] = []
    bounds: list[Formula] = []
    for i, links in enumerate((there, back)):
        one, other, beyond = sides[i], sides[1 - i], parts[1 - i]
        known = [kernel.definition(t) for t, many in zip(sides, several, strict=True) if many]
        given = [_bound(part, beyond[k], kind) for part, k in zip(parts[i], links, strict=True)]
        farther: Formula = Formula(">", one, other) if kind == "max" else Formula(">", other, one)
        for part, bound, k in zip(parts[i], given, links, strict=True):  # one = part, bounded by beyond[k], by other
            chain = [*[Formula("=", one, part)] * several[i], *[_bound(beyond[k], other, kind)] * several[1 - i]]
            known.append(_contradiction([bound, *chain, farther], kind))
        halves.append(kernel.propositional(Formula("=>", Formula("and", *given), Formula("not", farther)), known))
        bounds += given
    return kernel.propositional(
        Formula("=>", Formula("and", *bounds), Formula("=", *sides)), [kernel.trichotomy(*sides), *halves]
    )


def _contradiction(facts: Sequence[Formula], kind: str) -> Theorem:
    """Prove that comparisons of which each begins where another ends do not hold together."""
    equation = Term("q", -1 if kind == "max" else 1, 1)
    weights = [(equation if f[0] == "=" else Term("q", 1, 1), [k]) for k, f in enumerate(facts)]
    found = kernel.arith(Formula("false"), [kernel.assume(f) for f in facts], weights)
    for f in facts:
        found = kernel.discharge(found, f)
    return found
