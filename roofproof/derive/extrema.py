"""Elimination of maxima and minima: from a condition, with the theorem, and from an expression, as its pieces."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import parts_of
from roofproof.derive.algebra.polynomial import surely_positive
from roofproof.derive.algebra.text import plain
from roofproof.derive.conversions import U, V, W, rewritten
from roofproof.derive.signs import FALSE, Facts
from roofproof.errors import RoofproofError, quoted
from roofproof.proofs.assumptions import MINUS, ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import sign as sign_by_coefficients
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Polynomial, Term, term_of, variables
from roofproof.proofs.search.lemmas import implied
from roofproof.proofs.search.polynomials import exchanged

MAX_PARTS = 400
MAX_PIECES = 12
OTHER = {"max": "min", "min": "max", "": ""}
Pieces = tuple[str, tuple[sympy.Expr, ...]]  # "max", "min" or "" for a single piece


def eliminate_extrema(condition: Boolean, unknown: sympy.Symbol) -> Boolean:
    """Return an equivalent condition in which no Max, Min or Abs is left.

    >>> from roofproof.symbols import quantity
    >>> x, a, b = map(quantity, "xab")
    >>> eliminate_extrema(x > sympy.Max(a, b), x)
    (x > a) & (x > b)

    On the smaller side of an inequality all arguments of a maximum must be exceeded, on the larger side one suffices.
    In any other place, such as a denominator that may change its sign, the condition is split into cases by the largest
    argument. Raises RoofproofError if that makes too many inequalities.
    """
    if isinstance(condition, Relational):
        return _relation(condition, unknown)
    if isinstance(condition, sympy.And | sympy.Or):
        parts = [eliminate_extrema(a, unknown) for a in condition.args]
        if sum(len(p.atoms(Relational)) for p in parts) > MAX_PARTS:
            raise RoofproofError("more than <most> inequalities once max and min are expanded", most=MAX_PARTS)
        return type(condition)(*parts)
    return condition


def _relation(relation: Relational, unknown: sympy.Symbol) -> Boolean:
    if (step := one_apart(relation)) is None:
        return relation
    _, join, parts = step
    return join(*(
        eliminate_extrema(r, unknown) if chosen is None
        else sympy.And(eliminate_extrema(chosen, unknown), eliminate_extrema(r, unknown))
        for chosen, r in parts
    ))  # fmt: skip


Apart = tuple[sympy.Expr, type[Boolean], list[tuple[Boolean | None, Relational]]]


def one_apart(relation: Relational) -> Apart | None:
    """Return an innermost extremum of a comparison, how its parts are joined, and the parts as (chosen, comparison).

    Each comparison has one argument in place of the extremum. `chosen` is the condition that this argument is the
    extremum, or None if it is not needed. Returns None if there is no extremum.

    >>> from roofproof.symbols import quantity
    >>> x, a, b = map(quantity, "xab")
    >>> one_apart(x > sympy.Max(a, b))
    (Max(a, b), And, [(None, x > a), (None, x > b)])
    """
    found = sorted(parts_of(relation, sympy.Max, sympy.Min, sympy.Abs), key=sympy.default_sort_key)
    innermost = [
        m
        for m in found
        if not any(isinstance(n, sympy.Max | sympy.Min) for a in m.args for n in sympy.preorder_traversal(a))
    ]
    if not innermost:
        return None
    m = innermost[0]
    args = m.args if not isinstance(m, sympy.Abs) else (m.args[0], -m.args[0])
    larger = isinstance(m, sympy.Max | sympy.Abs)
    difference = relation.lhs - relation.rhs
    # An argument may be zero or negative while the maximum is positive: 1/max(x - 3, 1) does not decrease in x - 3.
    weight = sympy.Dummy(positive=True) if all(a.is_positive for a in args) else sympy.Dummy(real=True)
    weighed = difference.xreplace({m: weight})
    bottom = sympy.denom(sympy.together(weighed))
    slope = sympy.diff(weighed, weight) if not bottom.has(weight) or bottom.is_positive else sympy.nan
    replaced = [
        relation.func(relation.lhs.xreplace({m: a}), relation.rhs.xreplace({m: a}), evaluate=False) for a in args
    ]
    if any(r.has(sympy.zoo, sympy.nan) for r in replaced):
        raise RoofproofError("division by zero: one argument of <value> leaves no denominator", value=m)
    rising = slope.is_positive if relation.rel_op in (">", ">=") else slope.is_negative
    falling = slope.is_negative if relation.rel_op in (">", ">=") else slope.is_positive
    if relation.rel_op in (">", ">=", "<", "<=") and (rising or falling):
        return m, sympy.Or if bool(rising) == larger else sympy.And, [(None, r) for r in replaced]
    order = sympy.Ge if larger else sympy.Le
    chosen = [sympy.And(*(order(a, b) for b in args if b != a)) for a in args]
    return m, sympy.Or, list(zip(chosen, replaced, strict=True))


def without_extrema(relation: Relational, unknown: sympy.Symbol, facts: Facts) -> Theorem:
    """Prove that a comparison is equivalent to its form without max and min, which are eliminated one by one."""
    space = facts.space
    a = space.formula_if_defined(relation)
    if (step := one_apart(relation)) is None:
        return kernel.propositional(Formula("<=>", a, a))
    extremum, join, parts = step
    forms = [
        (space.formula_if_defined(r), None if chosen is None else space.formula_if_defined(chosen))
        for chosen, r in parts
    ]
    joined = [f if chosen is None else Formula("and", chosen, f) for f, chosen in forms]
    apart = Formula("and" if join is sympy.And else "or", *joined)
    whole = space.value(extremum)  # its arguments may be in another order
    terms = whole[1:] if isinstance(extremum, sympy.Abs) else map(space.value, extremum.args)
    once = part_by_part(facts, a, whole, {t: f for t, (f, _) in zip(terms, forms, strict=True)}, apart)
    then = [without_extrema(r, unknown, facts) for _, r in parts]
    goal = Formula("<=>", a, space.formula_if_defined(eliminate_extrema(relation, unknown)))
    return kernel.propositional(goal, [once, *then])


def part_by_part(facts: Facts, a: Formula, extremum: Term, parts: Mapping[Term, Formula], goal: Formula) -> Theorem:
    """Prove `a <=> goal`, where `goal` has the arguments of a max or min in its place, one in each part.

    If the comparison is monotone in the extremum, the bounds of the extremum carry over. Otherwise the proof splits by
    the argument that equals the extremum.
    """
    named, put = (exchanged(a, {extremum: letter}) for letter in (U, V))
    names = sorted(variables(named))
    rows = _rows(kernel.polynomial(named, names), U)
    linear = max(rows) == 1 and sign_by_coefficients(rows[1], frozenset(Term("v", n) for n in names))
    equal, weight = Formula("=", U, V), _quotient(rows, U, V)
    ways = [(named, put, equal, Term("*", MINUS, weight)), (put, named, equal, weight)]
    if linear:
        bound = Formula(">=", *((U, V) if extremum[0] == "max" else (V, U)))
        way = (named, put) if (linear > 0) != (extremum[0] == "max") else (put, named)
        ways.append((*way, bound, term_of({m: c * linear for m, c in rows[1].items()})))
    positive = facts.space.positive(n for n in names if n != U[1])
    lemmas = []
    for premise, then, link, times_ in ways:  # in letters, so that fractions in the arguments are not cleared
        said = [kernel.assume(premise), kernel.assume(link)]
        made = kernel.arith(then, said, [(ONE, [0]), (times_, [1])], positive)
        lemmas.append(kernel.discharge(kernel.discharge(made, premise), link))
    known = [kernel.definition(extremum), *([] if linear else _largest(extremum))]
    for t, part in parts.items():
        known += [kernel.instantiate(lemma, {U[1]: extremum, V[1]: t}) for lemma in lemmas]
        if (there := exchanged(a, {extremum: t})) != part:
            known.append(rewritten(facts, there, part))
    return kernel.propositional(Formula("<=>", a, goal), known)


def _largest(extremum: Term) -> Iterator[Theorem]:
    """Yield theorems that a maximum is an argument that no other exceeds, or for a minimum with the order reversed."""
    up = extremum[0] == "max"

    def turned(relation: str, *pair: Term) -> Formula:
        return Formula(relation, *(pair if up else pair[::-1]))

    equal, weights = Formula("=", U, V), [(MINUS if up else ONE, [0]), (ONE, [1]), (ONE, [2])]
    no_larger = implied([equal, turned(">=", W, V), turned(">", U, W)], FALSE, weights)
    itself = implied([equal, turned(">=", U, W), turned(">", W, V)], FALSE, weights)
    for t in extremum[1:]:
        yield kernel.trichotomy(extremum, t)
        for other in extremum[1:]:
            if other != t:
                values = {"u!": extremum, "v!": other, "w!": t}
                yield from (kernel.instantiate(lemma, values) for lemma in (no_larger, itself))


def _rows(p: Polynomial, letter: Term) -> dict[int, Polynomial]:
    """Return {exponent: coefficient} of a proof-kernel polynomial in one letter."""
    rows: dict[int, Polynomial] = {}
    for m, c in p.items():
        rest = tuple((a, k) for a, k in m if a != letter)
        rows.setdefault(dict(m).get(letter, 0), {})[rest] = c
    return rows


def _quotient(rows: dict[int, Polynomial], extremum: Term, t: Term) -> Term:
    """Return q with p(m) - p(t) = (m - t) q for the extremum m: m^k - t^k is m - t times a sum of products."""
    terms = [
        Term("*", term_of(row), *([extremum] * i), *([t] * (k - 1 - i))) for k, row in rows.items() for i in range(k)
    ]
    return Term("+", ZERO, *terms)


def pieces(expr: sympy.Expr, unknowns: frozenset[str]) -> Pieces:
    """Return ("max", [g, ...]) with expr = max(g, ...), or ("min", ...), or ("", [expr]).

    >>> from roofproof.symbols import quantity
    >>> x, a, b, c = map(quantity, "xabc")
    >>> pieces(c + 2*sympy.Max(a/x, b*x), frozenset("x"))
    ('max', (2*b*x + c, 2*a/x + c))

    Raises RoofproofError for a maximum inside a minimum and for products of pieces that are not positive.
    """
    if not any(s.name in unknowns for m in expr.atoms(sympy.Max, sympy.Min) for s in m.free_symbols):
        return "", (expr,)
    if isinstance(expr, sympy.Max | sympy.Min):
        head = "max" if isinstance(expr, sympy.Max) else "min"
        inner = [pieces(a, unknowns) for a in expr.args]
        return _joined(head, inner, expr, lambda parts: parts, flat=True)
    if expr.is_Add:
        inner = [pieces(a, unknowns) for a in expr.args]
        return _joined("", inner, expr, lambda parts: (sympy.Add(*parts),))
    if expr.is_Mul:
        if expr.could_extract_minus_sign():
            head, parts = pieces(-expr, unknowns)
            return OTHER[head], tuple(-p for p in parts)
        inner = [pieces(a, unknowns) for a in expr.args]
        for _, parts in inner:
            _demand_positive(parts, expr)
        return _joined("", inner, expr, lambda parts: (sympy.Mul(*parts),))
    if expr.is_Pow and expr.exp.is_Rational:
        head, parts = pieces(expr.base, unknowns)
        _demand_positive(parts, expr)
        return (head if expr.exp > 0 else OTHER[head]), tuple(p**expr.exp for p in parts)
    raise RoofproofError("not a rational expression with max and min: <expr>", expr=quoted(plain(expr)))


def _joined(
    head: str, inner: list[Pieces], expr: sympy.Expr, join: Callable[..., tuple[sympy.Expr, ...]], flat: bool = False
) -> Pieces:
    heads = {h for h, _ in inner if h} | ({head} if head else set())
    if len(heads) > 1:
        raise RoofproofError(
            "a maximum and a minimum mixed in <expr>; the optimum is found for one kind at a time",
            expr=quoted(plain(expr)),
        )
    lists = [parts for _, parts in inner]
    made = [p for parts in lists for p in parts] if flat else [join(parts)[0] for parts in product(*lists)]
    if len(made) > MAX_PIECES:
        raise RoofproofError(
            "more than <most> pieces once maxima are expanded in <expr>", most=MAX_PIECES, expr=quoted(plain(expr))
        )
    return (next(iter(heads)) if heads else ""), tuple(dict.fromkeys(made))


def _demand_positive(parts: tuple[sympy.Expr, ...], expr: sympy.Expr) -> None:
    for part in parts:
        if not part.is_positive and not surely_positive(part):
            raise RoofproofError(
                "<part> may be negative, so a maximum cannot be taken out of <expr>",
                part=quoted(plain(part)),
                expr=quoted(plain(expr)),
            )
