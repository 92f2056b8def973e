"""Comparisons with a maximum or minimum, split into one case per argument: `a` if `a >= b`, else `b`."""

from __future__ import annotations

from functools import lru_cache

from roofproof.proofs.assumptions import ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Polynomial, Term, term_of, variables
from roofproof.proofs.search.lemmas import discharged
from roofproof.proofs.search.polynomials import exchanged

THIS, THAT = Term("v", "this'"), Term("v", "that'")


def split_extremum(atom: Formula, extremum: Term) -> Theorem:
    """Return the theorem that a comparison holds if and only if it holds for the argument that attains the max or min.

    >>> x, y, m = Term("v", "x"), Term("v", "y"), Term("max", Term("v", "x"), Term("v", "y"))
    >>> print(split_extremum(Formula(">", m, Term("q", 3, 1)), m))
    |- max(x, y) > 3 <=> ((x >= y and x > 3) or (y >= x and y > 3))

    Raises KernelError if the max or min does not occur linearly.
    """
    head, *parts = extremum
    whole, orders = _orders(head, len(parts))
    names = {f"{head}{i}'": part for i, part in enumerate(parts)}
    known = [kernel.instantiate(t, names) for t in (whole, *orders)]
    same = _same(atom, extremum)
    ways = []
    for part, order in zip(parts, known[1:], strict=True):
        known.append(kernel.instantiate(same, {THIS[1]: extremum, THAT[1]: part}))
        ways.append(Formula("and", *_members(order.conclusion[2]), exchanged(atom, {extremum: part})))
    return kernel.propositional(Formula("<=>", atom, Formula("or", *ways)), known)


@lru_cache(maxsize=32)
def _orders(head: str, count: int) -> tuple[Theorem, tuple[Theorem, ...]]:
    """Prove the cases of a max or min of `count` names: it equals a name if and only if no other lies beyond it."""
    parts: list[Term] = [Term("v", f"{head}{i}'") for i in range(count)]
    extremum = Term(head, *parts)
    turn = 1 if head == "max" else -1
    back = Term("q", -turn, 1)
    whole = kernel.definition(extremum)
    made = []
    for t in parts:
        is_t = Formula("=", extremum, t)
        known = [whole, kernel.trichotomy(extremum, t)]
        for o in parts:
            if o == t:
                continue
            above, order = Formula(">=", *(extremum, o)[::turn]), Formula(">=", *(t, o)[::turn])
            more, is_o = Formula(">", *(extremum, t)[::turn]), Formula("=", extremum, o)
            first = kernel.arith(order, [*map(kernel.assume, (above, is_t))], [(ONE, [0]), (back, [1])])
            absurd = [*map(kernel.assume, (more, order, is_o))]
            other = kernel.arith(Formula("false"), absurd, [(ONE, [0]), (ONE, [1]), (back, [2])])
            known += [discharged(first, above, is_t), discharged(other, more, order, is_o)]
        rest = [Formula(">=", *(t, o)[::turn]) for o in parts if o != t]
        made.append(kernel.propositional(Formula("<=>", is_t, Formula("and", *rest)), known))
    return whole, tuple(made)


def _same(atom: Formula, extremum: Term) -> Theorem:
    """Return `this = that => (comparison with this <=> comparison with that)`, for a comparison linear in `this`."""
    one = exchanged(atom, {extremum: THIS})
    other = exchanged(one, {THIS: THAT})
    names = sorted(variables(one) - {THIS[1]})
    slope: Polynomial = {}
    for monomial, c in kernel.polynomial(one, names).items():
        power = dict(monomial).get(THIS, 0)
        if power > 1:
            raise KernelError("a maximum or minimum that does not occur linearly")
        if power:
            slope[tuple((t, e) for t, e in monomial if t != THIS)] = c
    up, down = term_of(slope), term_of({m: -c for m, c in slope.items()})
    equal = Formula("=", THIS, THAT)
    denied: list[Formula] = [other, one] if one.head == "=" else [Formula(">=", *f[:0:-1]) for f in (one, other)]
    known = []
    ways: list[tuple[Formula, Formula, Term]] = [(one, other, down), (denied[0], denied[1], up)]
    for given, goal, weight in ways:
        made = kernel.arith(goal, [kernel.assume(given), kernel.assume(equal)], [(ONE, [0]), (weight, [1])], names)
        known.append(discharged(made, given, equal))
    return kernel.propositional(Formula("=>", equal, Formula("<=>", one, other)), known)


def _members(formula: Formula) -> tuple[Formula, ...]:
    return formula[1:] if formula[0] == "and" else (formula,)
