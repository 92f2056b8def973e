"""Eventual truth of comparisons, as some names grow without bound and all others are fixed.

At fixed values of the other names, a polynomial keeps one sign beyond some bound. With one growing name, this is the
sign of the first nonzero coefficient. With several that grow independently, it is the common sign of the terms that no
other term outgrows, if they have one. Each case has explicit bounds in the fixed names, and the kernel's theorem that
the comparison holds (or fails) beyond them. No step relies on a limit.

Source: R. Loos, V. Weispfenning, Applying linear quantifier elimination, The Computer Journal 36, 1993 (virtual
substitution of infinity).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from roofproof.derive.algebra.budget import spend
from roofproof.derive.limits.dominant_term import exceeds
from roofproof.errors import Undecided
from roofproof.proofs.assumptions import ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Polynomial, Term, mul, normal, variables
from roofproof.proofs.powers import content, multiplied

MAX_CASES = 60
Exponents = tuple[int, ...]
Entry = tuple[Term, list[int]]


@dataclass(frozen=True, slots=True)
class EventualCase:
    """The truth of a comparison if the fixed names meet `when` and the growing names meet `bounds`.

    `true` is None if the outcome is open. `theorem` states `when, bounds |- comparison`, or its negation.
    """

    when: tuple[Formula, ...]
    bounds: tuple[Formula, ...] = ()
    true: bool | None = None
    theorem: Theorem | None = None


def eventual_cases(atom: Formula, growing: Sequence[str]) -> tuple[EventualCase, ...]:
    """Return the eventual truth of `a > b` or `a = b`, one case per combination of signs of the leading coefficients.

    >>> N, B = Term("v", "N"), Term("v", "B")
    >>> for case in eventual_cases((">", ("*", B, N), ("+", ("*", ("q", 8, 1), N), ("q", 5, 1))), ["N"]):
    ...     print(case.true, case.theorem)
    True B > 0, N > 0, N*(B + -8) > 5 |- B*N > 8*N + 5
    False B = 8, B > 0, N > 0 |- 8*N + 5 >= B*N
    False 8 > B, B > 0, N > 0 |- 8*N + 5 >= B*N

    Raises Undecided for anything but rational functions of the growing names.
    """
    relation, a, b = atom
    names = sorted(variables(atom))
    positive = frozenset[Term](Term("v", n) for n in names)
    divisors: list[Polynomial] = []
    for side in (a, b):
        normal(side, divisors)
    unsigned: list[Polynomial] = []
    for d in divisors:
        if not sign(d, positive) and d not in unsigned:
            unsigned.append(d)
    found: list[EventualCase] = []
    for chosen in product(*(list(_signed(d, growing, names)) for d in unsigned)):
        when = tuple(f for part in chosen for f in part.when)
        bounds = tuple(f for part in chosen for f in part.bounds)
        signs = [part.theorem for part in chosen if part.theorem is not None]
        if len(signs) < len(chosen):  # a divisor is eventually zero, or its sign is unknown
            found.append(EventualCase(when))
            continue
        known = [kernel.polynomial(t.conclusion, names) for t in signs]
        numerator = kernel.polynomial(atom, names, known)
        for case in _signed(numerator, growing, names, Formula(relation, a, b), signs, when):
            found.append(EventualCase((*when, *case.when), (*bounds, *case.bounds), case.true, case.theorem))
        if len(found) > MAX_CASES:
            raise Undecided("too many cases in the limit")
    return tuple(found)


def _signed(
    p: Polynomial,
    growing: Sequence[str],
    names: Sequence[str],
    atom: Formula | None = None,
    signs: Sequence[Theorem] = (),
    known: Sequence[Formula] = (),
) -> Iterator[EventualCase]:
    """Yield the eventual signs of a polynomial, or, for an atom whose sides differ by it, the truth of the atom.

    Without an atom the theorem states `p > 0` or `0 > p`, and a case in which p is zero has no theorem.
    """
    parts = _parts(p, growing, names)
    for when, s, leading, zero in _signs(parts, frozenset[Term](Term("v", n) for n in names), known):
        spend(200)
        if s is None:
            yield EventualCase(tuple(when))
            continue
        turned = s < 0 or (s == 0 and atom is not None and atom[0] == ">")  # in the second case the goal is b >= a
        proof = _Proof({e: _scaled(c, -1) for e, c in parts.items()} if turned else parts, growing, names, signs)
        proof.add_up(leading, zero)
        if atom is None:
            goal: Formula = Formula(">", _term(p), ZERO) if s > 0 else Formula(">", ZERO, _term(p))
            yield EventualCase(tuple(when), proof.bounds, s > 0 if s else None, proof.theorem(goal) if s else None)
            continue
        relation, a, b = atom
        if relation == ">":
            goal = Formula(">", a, b) if s > 0 else Formula(">=", b, a)
            yield EventualCase(tuple(when), proof.bounds, s > 0, proof.theorem(goal))
        elif s == 0:
            yield EventualCase(tuple(when), proof.bounds, True, proof.theorem(atom))
        else:
            strict = proof.theorem(Formula(">", a, b) if s > 0 else Formula(">", b, a))
            yield EventualCase(tuple(when), proof.bounds, False, _not_equal(strict, atom, names, signs))


def _not_equal(strict: Theorem, equation: Formula, names: Sequence[str], signs: Sequence[Theorem]) -> Theorem:
    """Infer that a is not b from a > b or b > a."""
    both = [*signs, strict, kernel.assume(equation)]
    one = kernel.polynomial(strict.conclusion, names, [kernel.polynomial(t.conclusion, names) for t in signs])
    other = kernel.polynomial(equation, names, [kernel.polynomial(t.conclusion, names) for t in signs])
    turn = -1 if one == other else 1
    steps: list[Entry] = [(ONE, [len(signs)]), (Term("q", turn, 1), [len(signs) + 1])]
    absurd = kernel.arith(Formula("false"), both, steps, names)
    return kernel.propositional(Formula("not", equation), [kernel.discharge(absurd, equation)])


Signs = tuple[list[Formula], int | None, list[Exponents], list[Exponents]]


def _signs(
    parts: Mapping[Exponents, Polynomial], positive: frozenset[Term], given: Sequence[Formula]
) -> Iterator[Signs]:
    """Yield each combination of signs of the leading coefficients: conditions, sign, leading terms and zero terms."""

    def walk(when: list[Formula], known: dict[Exponents, int]) -> Iterator[Signs]:
        rest = [e for e in parts if known.get(e) != 0]
        top = [e for e in rest if not any(exceeds(o, e) for o in rest)]
        for e in top:
            if e in known:
                continue
            if found := sign(parts[e], positive):
                known = {**known, e: found}
                continue
            ways = {s: _compared(_scaled(parts[e], s)) if s else _equation(parts[e]) for s in (1, 0, -1)}
            settled = {s: f for s, f in ways.items() if f in given}
            for s, formula in (settled or ways).items():
                yield from walk([*when, formula], {**known, e: s})
            return
        kinds = {known[e] for e in top}
        zero = [e for e, s in known.items() if s == 0]
        yield when, (kinds.pop() if len(kinds) == 1 else None) if top else 0, top, zero

    yield from walk([], {})


def _parts(p: Polynomial, growing: Sequence[str], names: Sequence[str]) -> dict[Exponents, Polynomial]:
    """Return the coefficients of a polynomial by the exponents of the growing names."""
    own, grow = {Term("v", n) for n in names}, [Term("v", n) for n in growing]
    parts: dict[Exponents, Polynomial] = {}
    for m, c in p.items():
        powers = dict(m)
        for part in powers:
            if part not in own:
                raise Undecided("it contains more than rational functions of growing sizes")
        rest = tuple((a, e) for a, e in m if a not in grow)
        parts.setdefault(tuple(powers.get(g, 0) for g in grow), {})[rest] = c
    return parts


def is_lower_bound(bound: Formula, growing: Sequence[str], when: Sequence[Formula]) -> bool:
    """Return whether a formula only says that one growing name is large: `x > r`, or `x c > r` with c > 0.

    Neither c nor r may contain growing names, and c must be positive by itself or by one of the conditions `when`.

    >>> N, B, one = Term("v", "N"), Term("v", "B"), Term("q", 1, 1)
    >>> [is_lower_bound((">", t, one), ["N"], ()) for t in (N, ("*", N, B), B, ("*", N, ("+", B, ("q", -8, 1))))]
    [True, True, False, False]
    """
    relation, left, right = bound if len(bound) == 3 else ("", ZERO, ZERO)
    x, c = (left[1], left[2]) if left[0] == "*" and len(left) == 3 else (left, ONE)
    if relation not in (">", ">=") or x[0] != "v" or x[1] not in growing:
        return False
    if (variables(c) | variables(right)).intersection(growing):
        return False
    names = sorted(variables(c))
    p = kernel.polynomial(Formula(">", c, ZERO), names)
    return sign(p, frozenset[Term](Term("v", n) for n in names)) == 1 or _compared(p) in when


class _Proof:
    """A polynomial as a sum of terms that are positive beyond some bounds, which `arith` checks."""

    def __init__(
        self,
        parts: Mapping[Exponents, Polynomial],
        growing: Sequence[str],
        names: Sequence[str],
        signs: Sequence[Theorem],
    ) -> None:
        self.parts, self.names, self.growing = parts, names, growing
        self.premises = list(signs)
        self.steps: list[Entry] = []
        self.bounds: tuple[Formula, ...] = ()

    def given(self, formula: Formula) -> int:
        """Return the index of a premise, adding it if needed."""
        for i, theorem in enumerate(self.premises):
            if theorem.conclusion == formula:
                return i
        self.premises.append(kernel.assume(formula))
        return len(self.premises) - 1

    def bound(self, formula: Formula) -> int:
        if formula not in self.bounds:
            self.bounds += (formula,)
        return self.given(formula)

    def add_up(self, leading: Sequence[Exponents], zero: Sequence[Exponents]) -> None:
        """Cover each negative part by a leading term that outgrows it."""
        positive = frozenset[Term](Term("v", n) for n in self.names)
        covered: dict[tuple[Exponents, int], list[tuple[Exponents, Polynomial]]] = {}
        for e, c in self.parts.items():
            if e in zero:
                turn = content(c.values()) if _forward(c) else -content(c.values())
                self.steps.append((_term({self.power(e): turn}), [self.given(_equation(c))]))
            elif e not in leading:
                more = {m: k for m, k in c.items() if k > 0}
                less = {m: -k for m, k in c.items() if k < 0}
                if more:
                    self.steps.append((_term(mul(more, {self.power(e): 1})), []))
                if less:
                    top = next(o for o in leading if exceeds(o, e))
                    at = next(i for i, (x, y) in enumerate(zip(top, e, strict=True)) if x > y)
                    covered.setdefault((top, at), []).append((e, less))
        for top in leading:
            c = self.parts[top]
            ways = [at for o, at in covered if o == top]
            if not ways and sign(c, positive):
                self.steps.append((_term(mul(c, {self.power(top): 1})), []))
            elif not ways:
                self.steps.append((_term({self.power(top): content(c.values())}), [self.given(_compared(c))]))
            for at in ways:
                self.cover(top, at, covered[(top, at)], len(ways))

    def cover(self, top: Exponents, at: int, less: Sequence[tuple[Exponents, Polynomial]], ways: int) -> None:
        """Add the bound x c > k S (S is the sum of all s), so that x^top c outgrows the sum of x^e s over `less`."""
        x = Term("v", self.growing[at])
        total: Polynomial = {}
        for _, s in less:
            for m, k in s.items():
                total[m] = total.get(m, 0) + k
        below = tuple(e - (i == at) for i, e in enumerate(top))
        c, total = self.parts[top], _scaled(total, ways)
        scale = content([content(c.values()), content(total.values())])
        beyond = Formula(">", _product(x, _scaled(c, 1 / scale)), _term(_scaled(total, 1 / scale)))
        self.steps.append((_term({self.power(below): scale / ways}), [self.bound(beyond)]))
        for e, s in less:  # x^below - x^e, one factor at a time, is nonnegative if the growing names are at least 1
            now = list(e)
            for i, (more, one) in enumerate(zip(below, e, strict=True)):
                for _ in range(more - one):
                    least = Formula(">=", Term("v", self.growing[i]), ONE)
                    self.steps.append((_term(mul(s, {self.power(tuple(now)): 1})), [self.bound(least)]))
                    now[i] += 1

    def power(self, e: Exponents) -> tuple[tuple[Term, int], ...]:
        return tuple(sorted((Term("v", n), k) for n, k in zip(self.growing, e, strict=True) if k))

    def theorem(self, goal: Formula) -> Theorem:
        return kernel.arith(goal, self.premises, self.steps, self.names)


def _compared(p: Polynomial) -> Formula:
    """Return `p > 0` with integer coefficients, and the negative terms moved to the other side."""
    scale = content(p.values())
    more: Polynomial = {m: c / scale for m, c in p.items() if c > 0}
    less: Polynomial = {m: -c / scale for m, c in p.items() if c < 0}
    return Formula(">", _term(more), _term(less))


def _equation(p: Polynomial) -> Formula:
    """Return `p = 0`, the same formula for p and -p."""
    return Formula("=", *_compared(p if _forward(p) else _scaled(p, -1))[1:])


def _forward(p: Polynomial) -> bool:
    return p[min(p)] < 0 if len(p) > 1 else True


def _scaled(p: Polynomial, factor: int | Fraction) -> Polynomial:
    return {m: factor * c for m, c in p.items()}


def _product(x: Term, c: Polynomial) -> Term:
    return x if c == {(): 1} else Term("*", x, _term(c))


def _term(p: Polynomial) -> Term:
    """Return a polynomial as a readable term, without factors 1 and exponents 1."""
    parts: list[Term] = []
    for m, c in p.items():
        factors = [a if e == 1 else Term("^", a, e) for a, e in m]
        number = Term.rational(c)
        if c != 1 or not factors:
            factors.insert(0, number)
        parts.append(multiplied(factors))
    return parts[0] if len(parts) == 1 else Term("+", *parts) if parts else ZERO
