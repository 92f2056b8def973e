"""Proofs that two comparisons are equivalent: by a positive factor, by a sign, or by small lemmas in letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from math import comb
from typing import NamedTuple

import sympy

from roofproof.derive.algebra.polynomial import Poly, sign
from roofproof.derive.signs import FALSE, Facts, Weights, comparisons, denied, divided_by
from roofproof.proofs.assumptions import MINUS, ONE
from roofproof.proofs.assumptions import ROOT as NAMED
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, minus
from roofproof.proofs.search.lemmas import P, Q, S, X, _extremum, _large_root, _quadratic, cut, implied, root_facts
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.translate import isolating, with_functions

TRUE = Formula("true")
U, V, W = (Term("v", n) for n in ("u!", "v!", "w!"))
SQRT = ("sqrt",)


def scaled(
    facts: Facts, a: Formula, b: Formula, outer: Theorem | None = None, first: Sequence[Theorem] = ()
) -> Theorem:
    """Prove `a <=> b` if the differences of their sides agree up to a positive factor.

    The factor is positive by its coefficients, by the signs of the path or by the theorem `outer`. `first` are the
    signs of divisors. Each direction is proved by refuting one comparison together with the negation of the other.
    """
    space = facts.space
    of_a, of_b = space.read(a, first), space.read(b, first)
    of_outer = space.ring.constant(1) if outer is None else space.read(outer.conclusion, first)
    if not (common := of_a.gcd(of_b * of_outer)):
        raise KernelError("both sides of both are the same")
    c, d = of_a / common, of_b * of_outer / common  # d a = c outer b
    if sign(c) == -1 or sign(d) == -1:
        c, d = -c, -d
    known = [kernel.assume(a), kernel.assume(b), *([outer] if outer else [])]
    weights = []
    for factor in (d, c):
        if sign(factor) == 1:
            weights.append((space.term(factor), list[int]()))
        else:
            weights.append((ONE, [len(known)]))
            known.append(facts.positive(factor))
    (of_d, by_d), (of_c, by_c) = weights
    certificate = [(of_d, [0, *by_d]), (of_c, [1, *([2] if outer else []), *by_c])]
    ways = []
    for k, (premise, other) in enumerate(((a, b), (b, a))):
        said = [*known]
        said[1 - k] = kernel.assume(denied(other))
        made = space.arith(FALSE, said, certificate, ONE, first)
        ways.append(kernel.discharge(kernel.discharge(made, denied(other)), premise))
    return kernel.propositional(Formula("<=>", a, b), ways)


def decide_comparison(facts: Facts, a: Formula) -> Theorem:
    """Prove `a <=> true` or `a <=> false` if the signs of the path decide whether a comparison is defined and true."""
    match a[0]:
        case "not":
            [inner] = a[1:]
            theorem = decide_comparison(facts, inner)
            return kernel.propositional(Formula("<=>", a, FALSE if theorem.conclusion[2] == TRUE else TRUE), [theorem])
        case "and":
            known = list[Theorem]()
            for part in reversed(a[1:]):  # the parts that say that divisors are not zero come last
                known.append(decide_comparison(facts, part))
                if known[-1].conclusion[2] == FALSE:
                    return kernel.propositional(Formula("<=>", a, FALSE), known[-1:])
            return kernel.propositional(Formula("<=>", a, TRUE), known)
    first = facts.divisors(a)
    s, proof = facts.sign_of(facts.space.read(a, first))
    return decide_from_sign(facts, a, s, proof(), first)


def decide_from_sign(facts: Facts, a: Formula, s: int, theorem: Theorem, first: Sequence[Theorem] = ()) -> Theorem:
    """Prove `a <=> true` or `a <=> false` from a theorem that the difference of its sides has the sign s."""
    space = facts.space
    if a[0] == "=" and s != 0:
        weights = [(ONE, [0]), (Term("q", -s, 1), [1])]
        made = space.arith(FALSE, [theorem, kernel.assume(a)], weights, ONE, first)
        return kernel.propositional(Formula("<=>", a, FALSE), [kernel.discharge(made, a)])
    holds = s > 0 or (s == 0 and a[0] in (">=", "="))
    goal = a if holds else denied(a)
    whole, known = space.read(goal, first), space.read(theorem.conclusion)
    if s == 0:
        scale = known.term_content() if not known.is_zero() else space.ring.constant(1)
        weight = whole if known.is_zero() else divmod(whole * scale, known)[0]
        made = space.arith(goal, [theorem], [(space.term(weight), [0])], space.term(scale), first)
    else:
        u, v, _ = space.ratio(whole, known)
        made = space.arith(goal, [theorem], [(space.term(v), [0])], space.term(u), first)
    return kernel.propositional(Formula("<=>", a, TRUE if holds else FALSE), [made])


def decide_sign_goal(asked: SignGoal, facts: Facts, p: Poly, s: int, theorem: Theorem) -> Theorem:
    """Prove whether a comparison of p with zero holds, from a theorem that p has the sign s."""
    if asked.outer is not None:
        whole = Term("*", asked.outer.conclusion[1], facts.space.term(p))
        goal = Formula("=", whole, ZERO) if s == 0 else Formula(">", *((whole, ZERO) if s > 0 else (ZERO, whole)))
        theorem = facts.space.arith(goal, [asked.outer, theorem], [(ONE, [0, 1])])
    return decide_from_sign(facts, asked.comparison, s * asked.turn, theorem)


def same_bound(facts: Facts, a: Formula, b: Formula) -> Theorem:
    """Prove `a <=> b` for comparisons of the unknown with bounds that have the same normal form."""
    k = 1 if a[1] != b[1] else 2
    if a == b:
        return kernel.propositional(Formula("<=>", a, b))
    equal = facts.with_letters(partial(identical, facts), a[k], b[k])
    return cut(kernel.instantiate(order_lemma("same", a[0], k), {"x!": a[3 - k], "p!": a[k], "q!": b[k]}), [equal])


def identical(facts: Facts, a: Term, b: Term) -> Theorem:
    """Prove an equation of terms with equal normal forms, using the signs of their divisors on this path."""
    return kernel.identity(a, b, divided_by(a, b), facts.divisors(a, b))


class SignGoal(NamedTuple):
    """A comparison that says that `turn` times a polynomial is positive, or not negative.

    `outer` is the theorem that another factor in the comparison is positive, or None if there is none. `region` is the
    formula for where the unknown lies.
    """

    comparison: Formula
    turn: int
    region: Formula
    outer: Theorem | None


@cache
def order_lemma(which: str, relation: str = ">", side: int = 2) -> Theorem:
    """Return a small lemma in letters, by its name.

    >>> order_lemma("up", ">=")                                                   # u >= v > w
    |- u! >= v! => (v! > w! => u! > w!)
    """
    both = [(ONE, [0]), (ONE, [1])]
    match which:
        case "up":
            return implied([Formula(relation, U, V), Formula(">", V, W)], Formula(">", U, W), both)
        case "down":
            return implied([Formula(">", U, V), Formula(relation, V, W)], Formula(">", U, W), both)
        case "inside":  # a radicand that exceeds a square
            larger = kernel.assume(Formula(">", Q, Term("*", P, P)))
            return kernel.arith(Formula(">", Q, ZERO), [larger, kernel.square(P)], both)
        case "loose":
            return kernel.arith(Formula(">=", S, ZERO), [kernel.assume(Formula(">", S, ZERO))], [(ONE, [0])])
        case "apart":
            return implied([Formula(">", X, P), Formula(">", P, X)], FALSE, both)
        case "same":
            f, g = (Formula(relation, *((X, t) if side == 2 else (t, X))) for t in (P, Q))
            equal, turn = kernel.assume(Formula("=", P, Q)), 1 if side == 2 else -1
            ways = [
                implied([one], other, [(ONE, [0]), (Term("q", turn * s, 1), [1])], [equal])
                for one, other, s in ((g, f, -1), (f, g, 1))
            ]
            return kernel.propositional(Formula("<=>", f, g), ways)
        case "below" | "below, root first":
            less = Term("*", MINUS, S)
            low = Term("+", P, less) if which == "below" else Term("+", less, P)
            return implied([Formula(relation, low, X), Formula(">", X, ZERO)], Formula(">=", P, S), both)
    raise KeyError(which)


def ordered(facts: Facts, a: Term, b: Term, x: Term) -> Iterator[Theorem]:
    """Yield lemmas about x that follow from the order of two bounds, if the signs of the path decide it."""
    try:
        order = facts.order(a, b)
    except KernelError:
        return
    for relation in (">", ">="):
        if order.conclusion[0] == "=":
            for side in (1, 2):
                yield cut(kernel.instantiate(order_lemma("same", relation, side), {"x!": x, "p!": a, "q!": b}), [order])
        else:
            _, more, less = order.conclusion
            yield cut_order(order_lemma("up", relation), {"u!": x, "v!": more, "w!": less}, order)
            yield cut_order(order_lemma("down", relation), {"u!": more, "v!": less, "w!": x}, order)


def cut_order(lemma: Theorem, values: dict[str, Term], order: Theorem) -> Theorem:
    """Return an instance of an order lemma in which the known order of two bounds is discharged."""
    made = kernel.instantiate(lemma, values)
    _, one, (_, other, goal) = made.conclusion
    left = other if one == order.conclusion else one
    return kernel.propositional(Formula("=>", left, goal), [made, order])


def bounds_joined(
    facts: Facts, parts: Sequence[Theorem], whole: Formula, region: Formula, x: Term, known: Sequence[Theorem] = ()
) -> Theorem:
    """Prove `whole <=> region` from `part <=> region of the part` for each part and the orders of all bounds."""
    atoms = dict.fromkeys(f for t in (*(t.conclusion[2] for t in parts), region) for f in comparisons(t))
    ends, lemmas = dict[Term, None](), list[Theorem]()
    for f in atoms:
        for side, other in ((1, 2), (2, 1)):
            if f[other] == x:
                ends |= dict.fromkeys(f[side][1:] if f[side][0] in ("max", "min") else (f[side],))
            if f[side][0] in ("max", "min"):
                values = {"x!": f[other]} | {f"t{k}!": t for k, t in enumerate(f[side][1:])}
                lemmas.append(kernel.instantiate(_extremum(f[side][0], len(f[side]) - 1, side), values))
    lemmas += [kernel.instantiate(order_lemma("apart"), {"x!": x, "p!": end}) for end in ends]
    lemmas += [t for a, b in combinations(ends, 2) for t in ordered(facts, a, b, x)]
    return kernel.propositional(Formula("<=>", whole, region), [*parts, *known, *lemmas])


def rooted(facts: Facts, a: Formula, ends: Sequence[Term], region: Formula, outer: Theorem | None, x: Term) -> Theorem:
    """Prove `a <=> x > m + sqrt(q)` in letters, with `or m - sqrt(q) > x` if both roots are positive."""
    parts = ends[-1][1:] if ends[-1][0] == "+" else (ends[-1],)
    roots = [p for p in parts if terms_with(SQRT, p)]
    if len(roots) != 1:
        raise KernelError("a root of another form")
    [root] = roots
    rest = [p for p in parts if p != root]
    middle = ZERO if not rest else rest[0] if len(rest) == 1 else Term("+", ZERO, *rest)
    root_first, relation = len(parts) == 2 and parts[0] == root, a[0]
    product = None if root[0] == "sqrt" else facts.product_of_roots(root)  # sqrt(a) sqrt(b - c)/(2 sqrt(d))
    inside = product.square if product else root[1]
    first = facts.divisors(inside, middle)
    values = {"x!": x, "p!": middle, "s!": root, "q!": inside}
    schema = kernel.instantiate(_quadratic(root_first)[0 if relation == ">" else 1], values)
    (above, below), quadratic = schema.conclusion[2][1][1:], schema.conclusion[2][2]
    if len(ends) == 1:  # the root is so large that m - sqrt(q) is negative
        larger = facts.positive_sides(Formula(">", inside, Term("*", middle, middle)), first)
        under = cut(kernel.instantiate(order_lemma("inside"), values), [larger])
    else:
        larger, under = None, facts.positive_sides(Formula(">", inside, ZERO), first)
    positive, squared = product.facts if product else root_facts(root, under)
    known = [schema, squared, cut(kernel.instantiate(order_lemma("loose"), values), [positive])]
    known.append(scaled(facts, a, quadratic, outer, first))
    if larger is not None:
        below_zero = order_lemma("below, root first" if root_first else "below", relation)
        known += [kernel.instantiate(_large_root(), values), larger, kernel.instantiate(below_zero, values)]
        known.append(kernel.arith(Formula(">", x, ZERO), positive=[x[1]]))
    shown = [Formula(relation, x, ends[-1]), *([Formula(relation, ends[0], x)] if len(ends) > 1 else [])]
    known += [same_bound(facts, one, other) for one, other in zip(shown, (above, below), strict=False) if one != other]
    return kernel.propositional(Formula("<=>", a, region), known)


class Isolated(NamedTuple):
    """A root without a closed form, or a multiple of one, and its polynomial's coefficients, lowest degree first."""

    root: sympy.Expr
    polynomial: Sequence[Fraction]


def isolated(facts: Facts, a: Formula, at: Isolated, region: Formula, outer: Theorem | None, x: Term) -> Theorem:
    """Prove `a <=> x > r` for a root r of a polynomial p, from p(x) = (x - r) q(x, r) with a positive q.

    q is positive because it has no negative coefficient in x and r - low, where low is a lower bound of r. Raises
    KernelError if a coefficient is negative.
    """
    p, numbers = at.polynomial, Term.rational
    multiple, root = at.root.as_coeff_Mul()
    factor, symbol = Fraction(int(multiple.p), int(multiple.q)), sympy.Symbol(f"{NAMED}1", positive=True)
    equation, *ends = isolating(root, symbol)
    name, r = Term("v", symbol.name), with_functions(multiple * symbol)
    least = next((f for f in ends if f[1] == name), Formula(">=", name, ZERO))
    low = Fraction(*least[2][1:])
    pairs = [(i, k - 1 - i, c) for k, c in enumerate(p) for i in range(k)]  # c x^i r^(k - 1 - i)
    shifted: dict[tuple[int, int], Fraction] = {}
    for i, j, c in pairs:
        for m in range(j + 1):
            shifted[i, m] = shifted.get((i, m), Fraction(0)) + c * factor**j * comb(j, m) * low ** (j - m)
    if min(shifted.values()) < 0:
        raise KernelError("a root beyond which the sign is not plain")
    quotient = Term("+", ZERO, *(Term("*", numbers(c), *[x] * i, *[r] * j) for i, j, c in pairs if c))
    weights = [(Term("*", numbers(c), *[x] * i), [0] * m) for (i, m), c in shifted.items() if c]
    names, relation = sorted((x[1], symbol.name)), a[0]
    positive = kernel.arith(Formula(">", quotient, ZERO), [kernel.assume(least)], weights, names)
    one = Formula(relation, Term("+", ZERO, *(Term("*", numbers(c), *[x] * k) for k, c in enumerate(p) if c)), ZERO)
    beyond, zero = Formula(relation, x, r), kernel.assume(equation)
    scale = p[-1] * factor ** (len(p) - 1) / Fraction(int(root.poly.LC()))
    said = [kernel.assume(one), kernel.assume(denied(beyond)), positive, zero]
    no = kernel.arith(FALSE, said, [(ONE, [0]), (ONE, [1, 2]), (numbers(-scale), [3])], names)
    yes = kernel.arith(one, [kernel.assume(beyond), positive, zero], [(ONE, [0, 1]), (numbers(scale), [2])], names)
    ways = [kernel.discharge(kernel.discharge(no, denied(beyond)), one), kernel.discharge(yes, beyond)]
    return kernel.propositional(Formula("<=>", a, region), [scaled(facts, a, one, outer), *ways])


def touching(facts: Facts, a: Formula, poly: tuple[Poly, Poly], at: Term, region: Formula, outer: Theorem | None,
             theorems: tuple[Theorem, Theorem], x: Term) -> Theorem:  # fmt: skip
    """Prove where a quadratic with a double root is positive, or not negative: 4 top f = (2 top x + b)^2."""
    space, (f, doubled), (top, zero), relation = facts.space, poly, theorems, a[0]
    one, square = (Formula(relation, space.term(p), ZERO) for p in (f, doubled * doubled))
    ways = []
    for premise, goal, turn in ((one, square, 1), (square, one, -1)):
        said = [top, kernel.assume(premise), kernel.assume(denied(goal)), zero]
        certificate = [(Term("q", 4, 1), [0, 1 if turn > 0 else 2]), (ONE, [2 if turn > 0 else 1])]
        made = space.arith(FALSE, said, [*certificate, (Term("q", turn, 1), [3])])
        ways.append(kernel.discharge(kernel.discharge(made, denied(goal)), premise))
    values = {"x!": x, "p!": at, "s!": ZERO, "q!": ZERO}
    schema = kernel.instantiate(_quadratic()[0 if relation == ">" else 1], values)
    (above, below), quadratic = schema.conclusion[2][1][1:], schema.conclusion[2][2]
    known = [
        kernel.propositional(Formula("<=>", one, square), ways), scaled(facts, a, one, outer), schema,
        space.arith(Formula(">=", ZERO, ZERO), [], []),
        space.arith(Formula("=", Term("*", ZERO, ZERO), ZERO), [], []),
        scaled(facts, square, quadratic, None, facts.divisors(at)),
        same_bound(facts, Formula(relation, x, at), above), same_bound(facts, Formula(relation, at, x), below),
        kernel.instantiate(order_lemma("apart"), {"x!": x, "p!": at}),
    ]  # fmt: skip
    return kernel.propositional(Formula("<=>", a, region), known)


def beyond(facts: Facts, bound: Formula, known: Formula) -> Theorem:
    """Prove a bound of the unknown from a tighter one: `a > x` from `c > x`, or `x > b` from `x > d`.

    Roots in the bounds are positive because their radicands are positive on this path.
    """

    def made(goal: Formula, fact: Formula, more: Term) -> Theorem:
        weights: Weights = [(ONE, [0]), (more, [])]
        return facts.space.arith(goal, [kernel.assume(fact)], weights, ONE, facts.divisors(goal, fact))

    (_, a, b), (_, c, d) = bound, known
    return facts.with_letters(made, bound, known, minus(a, c) if b == d else minus(d, b))


def rewritten(facts: Facts, a: Formula, b: Formula) -> Theorem:
    """Prove `a <=> b` for comparisons that differ only in the form of their terms or by a positive factor."""
    first = facts.divisors(a, b)
    with suppress(KernelError):
        return scaled(facts, a, b, None, first)
    ways = [facts.space.arith(g, [kernel.assume(f)], [(ONE, [0])], ONE, first) for f, g in ((a, b), (b, a))]
    return kernel.propositional(
        Formula("<=>", a, b), [kernel.discharge(w, f) for w, f in zip(ways, (a, b), strict=True)]
    )
