"""Roundings beside each other: of what differs by a whole number, of a rounding divided, of what is never less.

Each is a theorem in letters, put to what is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import combinations

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, minus, normal_form, term_of, variables
from roofproof.proofs.search.lemmas import MINUS, ONE, P, Q, cut, discharged
from roofproof.proofs.search.polynomials import Ring, terms_with

B = Term("v", "b!")


def rounding_lemmas(*formulas: Formula) -> list[Theorem]:
    """Prove that two roundings are equal, or differ by a whole number, where what is rounded shows it.

    >>> x, n, four = Term("v", "x"), Term("v", "n"), Term("q", 4, 1)
    >>> print(*rounding_lemmas(Formula("=", Term("floor", Term("+", x, ONE)), Term("+", Term("floor", x), ONE))))
    x > 0 |- floor(x + 1) = floor(x) + 1
    >>> twice = Term("ceil", Term("/", Term("ceil", Term("/", n, four)), four))
    >>> print(*rounding_lemmas(Formula("=", twice, Term("ceil", Term("/", n, Term("q", 16, 1))))))
    n > 0 |- ceil(ceil(n/4)/4) = ceil(n/16)
    """
    made = list[Theorem]()
    for a, b in _of_one_kind(formulas):
        for way, one, other in ((_shifted, a, b), (_nested, a, b), (_nested, b, a)):
            with suppress(KernelError):
                if found := way(one, other):
                    made += found
                    break
    return made


def ordered_roundings(*formulas: Formula) -> Iterator[Theorem]:
    """Yield that one rounding is at least another of its kind, where the coefficients of what is rounded show it.

    >>> x = Term("v", "x")
    >>> print(*ordered_roundings(Formula(">", Term("floor", x), Term("floor", Term("/", x, Term("q", 2, 1))))))
    x > 0 |- floor(x) >= floor(x/2)
    """
    for pair in _of_one_kind(formulas):
        for a, b in (pair, pair[::-1]):
            with suppress(KernelError):
                more = Formula(">=", a[1], b[1])
                shown = kernel.arith(more, positive=sorted(variables(more)))
                rising = kernel.instantiate(_moved(a[0], ">=", 0), {"p!": a[1], "q!": b[1]})
                yield kernel.propositional(Formula(">=", a, b), [shown, rising])


def _of_one_kind(formulas: Sequence[Formula]) -> Iterator[tuple[Term, Term]]:
    return ((a, b) for a, b in combinations(terms_with(("floor", "ceil"), *formulas), 2) if a[0] == b[0])


def _shifted(a: Term, b: Term) -> list[Theorem]:
    """Return that a rounding is another and a whole number, where what is rounded is; or nothing."""
    apart, below, _ = normal_form(minus(a[1], b[1]))
    if not below:
        raise KernelError("division by zero")
    ring = Ring([apart, below], sorted(variables(a) | variables(b)))
    shift, rest = divmod(ring.poly(apart), ring.poly(below))
    if not rest.is_zero() or not (shift.is_zero() or shift.is_constant()) or any(c.q != 1 for c in shift.coeffs()):
        return []
    return [_equal(a, b, int(sum(c.p for c in shift.coeffs())))]


def _equal(a: Term, b: Term, k: int = 0) -> Theorem:
    moved = kernel.instantiate(_moved(a[0], "=", k), {"p!": a[1], "q!": b[1]})
    given, said = moved.conclusion[1:]
    same = kernel.identity(given[1], given[2], sorted(variables(given)))
    return kernel.propositional(said, [moved, same])


def _nested(a: Term, b: Term) -> list[Theorem]:
    """Return that a rounding of a rounding divided by a whole number is one of what is rounded first; or nothing."""
    above, below, _ = normal_form(a[1])
    atoms = [atom for monomial in above for atom in monomial]
    if len(above) != 1 or len(atoms) != 1 or atoms[0][1] != 1 or atoms[0][0][0] != a[0]:
        return []
    if any(atom[0] != "v" for m in below for atom, _ in m):
        return []
    [(inner, _)], [c] = atoms, above.values()
    by = term_of({m: Fraction(d) / c for m, d in below.items()})
    names = sorted(variables(by))
    whole = kernel.integral(by, [kernel.assume(Formula("int", Term("v", n))) for n in names])
    positive = kernel.arith(Formula(">", by, Term("q", 0, 1)), positive=names)
    schema = kernel.instantiate(_twice(a[0]), {"p!": inner[1], "b!": by})
    twice, once = schema.conclusion[1:]
    last = _shifted(once, b) or _nested(once, b)  # what is rounded first may be one of a rounding, too
    links = [_equal(a, twice), cut(schema, [whole, positive]), *last]
    goal = Formula("=", a, links[-1].conclusion[2])
    return [kernel.arith(goal, links, [(ONE, [k]) for k in range(3)])] if last else []


def _parts(t: Term) -> tuple[Theorem, Theorem]:
    """Return that what is rounded lies on one side of its rounding, and less than 1 from it."""
    meaning = kernel.definition(t)
    _, _, near, strict = meaning.conclusion
    return kernel.propositional(near, [meaning]), kernel.propositional(strict, [meaning])


def _a_whole_part(more: Term, less: Term, integers: Sequence[Theorem] = ()) -> Theorem:
    """Return `more >= less + 1` from `more > less`, for terms that differ by a whole number."""
    return kernel.gap(kernel.assume(Formula(">", more, less)), kernel.integral(minus(more, less), integers))


def _never(more: Term, less: Term, facts: Sequence[Theorem], weights: Sequence[Term], gap: Theorem) -> Theorem:
    """Return `less >= more`, since facts and a gap between the two add up to a contradiction."""
    certificate = [(w, [k]) for k, w in enumerate(weights)]
    false = kernel.arith(Formula("false"), [*facts, gap], certificate, ["b!"] if B in weights else [])
    denied = Formula(">", more, less)
    return kernel.propositional(Formula(">=", less, more), [discharged(false, denied)])


@cache
def _moved(head: str, relation: str, k: int) -> Theorem:
    """`p = q + k => floor(p) = floor(q) + k` for a number k, or the same with >=, or of ceil."""
    a, b, shift = Term(head, P), Term(head, Q), Term("q", k, 1)
    moved, beyond = (Term("+", t, shift) if k else t for t in (b, Q))
    given = Formula(relation, P, beyond)
    near, strict = zip(_parts(a), _parts(b), strict=True)
    up, down = (near, strict) if head == "floor" else (strict, near)  # beside a and b, where a is more or less
    supposed = kernel.assume(given)
    # floor: (q - v) + (u + 1 - p) + (p - q - k) + (v + k - u - 1) = 0
    least = _never(moved, a, [up[1], down[0], supposed], [ONE] * 4, _a_whole_part(moved, a))
    known = [least]
    if relation == "=":
        most = _never(a, moved, [up[0], down[1], supposed], [ONE, ONE, MINUS, ONE], _a_whole_part(a, moved))
        known += [most, kernel.trichotomy(a, moved)]
    goal = Formula(relation, a, moved)
    return discharged(kernel.propositional(goal, known), given)


@cache
def _twice(head: str) -> Theorem:
    """`floor(floor(p)/b) = floor(p/b)` for a whole number b > 0, or the same of ceil."""
    u = Term(head, P)
    v, w, wide = Term(head, Term("/", u, B)), Term(head, Term("/", P, B)), Term("*", Term(head, Term("/", P, B)), B)
    (near_u, strict_u), (near_v, strict_v), (near_w, strict_w) = map(_parts, (u, v, w))
    high, low = (Term("+", u, ONE), wide) if head == "floor" else (Term("+", wide, ONE), u)
    less, more = (v, w) if head == "floor" else (w, v)
    # floor: (u - b v) + (b w + b - p) + (p - u) + b (v - w - 1) = 0
    first = _never(less, more, [near_v, strict_w, near_u], [ONE, ONE, ONE, B], _a_whole_part(less, more))
    strict = kernel.arith(Formula(">", high, low), [near_w, strict_u], [(ONE, [0]), (ONE, [1])], ["b!"])
    apart = kernel.gap(strict, kernel.integral(minus(high, low), [kernel.assume(Formula("int", B))]))
    # floor: (u + 1 - b w - 1) + (b v + b - u) + b (w - v - 1) = 0
    second = _never(more, less, [apart, strict_v], [ONE, ONE, B], _a_whole_part(more, less))
    return kernel.propositional(Formula("=", v, w), [first, second, kernel.trichotomy(v, w)])
