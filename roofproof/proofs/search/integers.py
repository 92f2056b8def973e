"""Proofs that need integers: strict bounds sharpened by one, roundings, divisors of sizes, and a search with these.

A rounding changes a value by less than one. General theorems compare two roundings if their arguments differ by an
integer, if one is a rounding of a quotient, or if one argument is never less. Divisors in a range are excluded one by
one, each because its quotient is not an integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import ceil, floor, gcd, lcm

from roofproof.derive.algebra.budget import Budget
from roofproof.proofs.assumptions import MINUS, ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import difference
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    ZERO,
    Formula,
    KernelError,
    Term,
    minus,
    normal,
    normal_form,
    term_of,
    variables,
)
from roofproof.proofs.oracles import sampling
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import P, Q, cut, discharged, lemmas_for
from roofproof.proofs.search.polynomials import Ring, atoms_in, terms_with
from roofproof.proofs.search.short_proofs import carried, identical
from roofproof.proofs.search.squares import prove_squared

# --- bounds and roundings ------------------------------------------------------------------------------------------

MAX_LEMMAS = 10  # each may add an atom to the truth table


def integer_lemmas(formulas: Sequence[Formula], integers: Sequence[str]) -> list[Theorem]:
    """Return lemmas about integers for the comparisons, floors and ceilings in the formulas.

    >>> n, k = Term("v", "n"), Term("v", "k")
    >>> print(integer_lemmas([Formula(">", n, Term("q", 7, 2))], ["n"])[0])
    int(n) |- n > 3 => n >= 3 + 1
    >>> print(integer_lemmas([Formula(">", n, k)], ["k", "n"])[0])
    int(k), int(n) |- n > k => 0 + 1*n^1 >= 0 + 1*k^1 + 1
    """
    atoms = atoms_in(*formulas)
    atoms = atoms_in(*formulas, *(t.conclusion for t in lemmas_for(atoms)))  # also with parts of a maximum
    names = sorted(frozenset[str]().union(*map(variables, formulas)))
    known = [kernel.assume(Formula("int", Term("v", n))) for n in integers]
    found: dict[Formula, Theorem] = {}
    for made in (
        *_bounds(atoms, integers),
        *_roundings(formulas, names, known),
        *_gaps(atoms, known),
        *ordered_roundings(*formulas),
    ):
        found.setdefault(made.conclusion, made)
    return list(found.values())[:MAX_LEMMAS]


def _bounds(atoms: Sequence[Formula], integers: Sequence[str]) -> Iterator[Theorem]:
    """Yield `int(n) |- n > k => n >= k + 1` for the integers k next to the numbers that n is compared with."""
    for atom in atoms:
        names = variables(atom)
        if atom[0] in (">", "=") and len(names) == 1 and (name := next(iter(names))) in integers:
            at = _root(atom, name)
            for k in sorted({floor(at), ceil(at) - 1}) if at is not None else ():
                n, last = Term("v", name), Term("q", k, 1)
                more = _a_whole_part(n, last, [kernel.assume(Formula("int", n))])
                yield kernel.discharge(more, Formula(">", n, last))


def _root(atom: Formula, name: str) -> Fraction | None:
    """Return the point where the two sides of a linear comparison are equal, or None."""
    try:
        at = [sampling.value(atom[1], {name: Fraction(k)}) - sampling.value(atom[2], {name: Fraction(k)})
              for k in (1, 2, 3)]  # fmt: skip
    except sampling.Inexact:
        return None
    slope = at[1] - at[0]
    return 1 - at[0] / slope if slope and at[2] - at[1] == slope else None


def _gaps(atoms: Sequence[Formula], known: Sequence[Theorem]) -> Iterator[Theorem]:
    """Yield `a > b => m a >= m b + 1` for comparisons of integers, or of fractions with the common denominator m."""
    for atom in atoms:
        if atom[0] not in (">", "=") or not variables(atom):
            continue
        try:
            num, den, _ = difference(*atom[1:])
        except KernelError:
            continue
        if den != {(): 1} or not set(num) - {()}:
            continue
        m = Fraction(lcm(*(Fraction(c).denominator for c in num.values())))
        m /= gcd(*(int(c * m) for c in num.values()))
        for sign in (1,) if atom[0] == ">" else (1, -1):
            left = term_of({k: c * sign * m for k, c in num.items() if c * sign > 0})
            right = term_of({k: -c * sign * m for k, c in num.items() if c * sign < 0})
            given: Formula = Formula(">", atom[1], atom[2]) if sign > 0 else Formula(">", atom[2], atom[1])
            try:
                strict = kernel.arith(Formula(">", left, right), [kernel.assume(given)], [(Term.rational(m), [0])])
                whole = kernel.integral(minus(left, right), known)
                yield kernel.discharge(kernel.gap(strict, whole), given)
            except KernelError:
                continue


def _roundings(formulas: Sequence[Formula], names: Sequence[str], known: Sequence[Theorem]) -> Iterator[Theorem]:
    """Yield `q t <= p` and `q t + q >= p + 1` for t = floor(p/q) with integers p and q, and the same for ceil."""
    for t in terms_with(("floor", "ceil"), *formulas):
        try:
            p, q = _lowest(t[1], names)
            near, strict = _parts(t)
            qt = Term("*", q, t)
            if t[0] == "floor":
                loose, over = Formula(">=", p, qt), Formula(">", Term("+", qt, q), p)
            else:
                loose, over = Formula(">=", qt, p), Formula(">", Term("+", p, q), qt)
            used = sorted(variables(t).intersection(names))
            yield carried(loose, near, used)
            yield kernel.gap(carried(over, strict, used), kernel.integral(minus(*over.sides), known))
        except KernelError:
            continue


def _lowest(inside: Term, names: Sequence[str]) -> tuple[Term, Term]:
    """Return polynomials p and q with integer coefficients and no common factor such that p/q is the term."""
    num, den = normal(inside, [])
    ring = Ring([num, den], names)
    top, bottom = ring.poly(num), ring.poly(den)
    if bottom.is_zero():
        raise KernelError("division by zero")
    common = top.gcd(bottom)
    top, bottom = top / common, bottom / common
    m = lcm(*(int(c.q) for part in (top, bottom) for c in part.coeffs()))
    return ring.term(top * m), ring.term(bottom * m)


# --- comparing roundings --------------------------------------------------------------------------------------------

B = Term("v", "b!")


def rounding_lemmas(*formulas: Formula) -> list[Theorem]:
    """Prove that two roundings are equal or differ by an integer, if this follows from their arguments.

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
    """Prove that one floor (or ceil) is at least another, if this follows from the coefficients of their arguments.

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
    """Prove that two roundings differ by an integer if their arguments do. Return [] if they do not."""
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
    """Prove that a rounding of a rounding over an integer equals a single rounding. Return [] if it does not."""
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
    last = _shifted(once, b) or _nested(once, b)  # may again be a rounding of a rounding
    links = [_equal(a, twice), cut(schema, [whole, positive]), *last]
    goal = Formula("=", a, links[-1].conclusion[2])
    return [kernel.arith(goal, links, [(ONE, [k]) for k in range(3)])] if last else []


def _parts(t: Term) -> tuple[Theorem, Theorem]:
    """Prove the two bounds of a rounding: its argument lies on one side of it, at a distance less than 1."""
    meaning = kernel.definition(t)
    _, _, near, strict = meaning.conclusion
    return kernel.propositional(near, [meaning]), kernel.propositional(strict, [meaning])


def _a_whole_part(more: Term, less: Term, integers: Sequence[Theorem] = ()) -> Theorem:
    """Return `more >= less + 1` from `more > less`, for terms that differ by an integer."""
    return kernel.gap(kernel.assume(Formula(">", more, less)), kernel.integral(minus(more, less), integers))


def _prove_at_least(more: Term, less: Term, facts: Sequence[Theorem], weights: Sequence[Term], gap: Theorem) -> Theorem:
    """Prove `less >= more` by contradiction, from facts and a gap between the two."""
    certificate = [(w, [k]) for k, w in enumerate(weights)]
    false = kernel.arith(Formula("false"), [*facts, gap], certificate, ["b!"] if B in weights else [])
    denied = Formula(">", more, less)
    return kernel.propositional(Formula(">=", less, more), [discharged(false, denied)])


@cache
def _moved(head: str, relation: str, k: int) -> Theorem:
    """Prove `p = q + k => floor(p) = floor(q) + k` for a number k, or the same with >= or ceil."""
    a, b, shift = Term(head, P), Term(head, Q), Term("q", k, 1)
    moved, beyond = (Term("+", t, shift) if k else t for t in (b, Q))
    given = Formula(relation, P, beyond)
    near, strict = zip(_parts(a), _parts(b), strict=True)
    up, down = (near, strict) if head == "floor" else (strict, near)  # bounds used if a is more or less than b
    supposed = kernel.assume(given)
    # floor: (q - v) + (u + 1 - p) + (p - q - k) + (v + k - u - 1) = 0
    least = _prove_at_least(moved, a, [up[1], down[0], supposed], [ONE] * 4, _a_whole_part(moved, a))
    known = [least]
    if relation == "=":
        most = _prove_at_least(a, moved, [up[0], down[1], supposed], [ONE, ONE, MINUS, ONE], _a_whole_part(a, moved))
        known += [most, kernel.trichotomy(a, moved)]
    goal = Formula(relation, a, moved)
    return discharged(kernel.propositional(goal, known), given)


@cache
def _twice(head: str) -> Theorem:
    """Prove `floor(floor(p)/b) = floor(p/b)` for an integer b > 0, or the same for ceil."""
    u = Term(head, P)
    v, w, wide = Term(head, Term("/", u, B)), Term(head, Term("/", P, B)), Term("*", Term(head, Term("/", P, B)), B)
    (near_u, strict_u), (near_v, strict_v), (near_w, strict_w) = map(_parts, (u, v, w))
    high, low = (Term("+", u, ONE), wide) if head == "floor" else (Term("+", wide, ONE), u)
    less, more = (v, w) if head == "floor" else (w, v)
    # floor: (u - b v) + (b w + b - p) + (p - u) + b (v - w - 1) = 0
    first = _prove_at_least(less, more, [near_v, strict_w, near_u], [ONE, ONE, ONE, B], _a_whole_part(less, more))
    strict = kernel.arith(Formula(">", high, low), [near_w, strict_u], [(ONE, [0]), (ONE, [1])], ["b!"])
    apart = kernel.gap(strict, kernel.integral(minus(high, low), [kernel.assume(Formula("int", B))]))
    # floor: (u + 1 - b w - 1) + (b v + b - u) + b (w - v - 1) = 0
    second = _prove_at_least(more, less, [apart, strict_v], [ONE, ONE, B], _a_whole_part(more, less))
    return kernel.propositional(Formula("=", v, w), [first, second, kernel.trichotomy(v, w)])


# --- divisors of sizes ----------------------------------------------------------------------------------------------

MAX_STEPS = 400  # limit of integers in a range: each takes about ten steps of the proof checker
_number = Term.rational


def divides(part: Term, size: int) -> Formula:
    """Return the condition that a positive term divides a size.

    >>> from roofproof.proofs.kernel.terms import show
    >>> show(divides(Term("v", "x"), 24))
    'x*floor(24/x) = 24'
    """
    return Formula("=", Term("*", part, _times(part, size)), _number(size))


def prove_divides(part: Term, size: int) -> Theorem:
    """Prove that a number, given as a term, divides a size: floor(size/part) equals the quotient.

    >>> prove_divides(Term("q", 8, 1), 24)
    |- 8*floor(24/8) = 24
    """
    u, value = _times(part, size), _number(Fraction(size) / sampling.value(part, {}))
    meaning = kernel.definition(u)
    integer, *ends = (kernel.propositional(f, [meaning]) for f in meaning.conclusion[1:])
    below = sampling.value(part, {})  # clearing denominators multiplies both bounds by this
    most = kernel.arith(Formula(">=", value, u), ends, [(_number(1 / below), [0])])
    near = kernel.arith(Formula(">", u, _number(Fraction(*value[1:]) - 1)), ends, [(_number(1 / below), [1])])
    equal = kernel.propositional(Formula("=", u, value), [most, _next(near, integer), kernel.trichotomy(u, value)])
    return kernel.arith(divides(part, size), [equal], [(part, [0])])


def no_divisor(
    name: str, first: int, last: int | None, bound: Formula, sizes: Sequence[int], step: int = 1
) -> Theorem | None:
    """Prove that step*x divides every size for no integer x from first to last (no upper end if that is None).

    >>> x = Term("v", "x")
    >>> print(no_divisor("x", 9, 11, Formula(">", x, Term("q", 8, 1)), [24]))  # 24/9, 24/10, 24/11: not integers
    int(x) |- x > 8 => (12 > x => not(x > 8 and x*floor(24/x) = 24))

    If step*x does divide every size, `bound` must be false at x. Returns None for more than 400 integers, or if no
    proof is found.
    """
    x = Term("v", name)
    part: Term = x if step == 1 else Term("*", _number(step), x)
    wanted = [divides(part, size) for size in sizes]
    denied = Formula("not", Formula("and", bound, *wanted))
    end = max(min(sizes) // step, first - 1) if last is None else last
    if last is not None and last > min(sizes) // step:  # larger numbers do not divide the smallest size
        whole = no_divisor(name, first, None, bound, sizes, step)
        short = Formula(
            "=>", Formula(">", x, _number(first - 1)), Formula("=>", Formula(">", _number(last + 1), x), denied)
        )
        return whole and kernel.propositional(short, [whole])
    if end - first >= MAX_STEPS:
        return None
    integer = kernel.assume(Formula("int", x))
    top = Formula(">", _number(end + 1), x)
    made: Theorem | None = None
    for k in range(end, first - 2, -1):
        over = Formula(">", x, _number(k))
        reached = kernel.discharge(_next(kernel.assume(over), integer), over)
        steps = [reached]
        if made is not None:
            out = _not_at(x, k + 1, step, bound, sizes, denied)
            if out is None:
                return None
            steps += [kernel.trichotomy(x, _number(k + 1)), out, made]
        made = kernel.propositional(Formula("=>", over, Formula("=>", top, denied)), steps)
    if last is not None or made is None:
        return made
    beyond = _too_large(part, min(sizes), x, end, denied)
    return kernel.propositional(Formula("=>", Formula(">", x, _number(first - 1)), denied), [made, beyond])


def _next(strict: Theorem, integer: Theorem) -> Theorem:
    """Return `t >= k + 1` from `t > k` for integers."""
    _, t, k = strict.conclusion
    least = kernel.gap(strict, kernel.integral(minus(t, k), [integer]))
    return kernel.arith(Formula(">=", t, _number(Fraction(*k[1:]) + 1)), [least], [(ONE, [0])])


def _not_at(x: Term, k: int, step: int, bound: Formula, sizes: Sequence[int], denied: Formula) -> Theorem | None:
    """Prove `x = k => denied`, because a quotient is not an integer or the bound is false at k."""
    here = Formula("=", x, _number(k))
    size = next((s for s in sizes if s % (step * k)), None)
    if size is None:
        never = tactics.prove(Formula("not", bound), [here])
        return never and kernel.discharge(kernel.propositional(denied, [never]), here)
    part = denied[1][2][1][1]
    u, whole = _times(part, size), divides(part, size)
    value = Fraction(size, step * k)
    facts = [kernel.assume(here), kernel.assume(whole)]
    # step k u - size = (step x u - size) - step u (x - k)
    weights = [(ONE, [1]), (Term("*", _number(-step), u), [0])]
    equal = kernel.arith(Formula("=", u, _number(value)), facts, weights, multiplier=_number(step * k))
    low = floor(value)
    above = kernel.arith(Formula(">", u, _number(low)), [equal], [(_number(value - low), []), (ONE, [0])])
    below = kernel.arith(
        Formula(">", _number(low + 1), u), [equal], [(_number(low + 1 - value), []), (_number(-1), [0])]
    )
    nothing = kernel.propositional(Formula("false"), [_next(above, kernel.integral(u)), below])
    return kernel.propositional(Formula("=>", here, denied), [kernel.discharge(kernel.discharge(nothing, whole), here)])


def _too_large(part: Term, size: int, x: Term, end: int, denied: Formula) -> Theorem:
    """Prove `x >= end + 1 => denied`, because step*x then exceeds the size and cannot divide it."""
    u, whole = _times(part, size), kernel.assume(divides(part, size))
    over = kernel.assume(Formula(">=", x, _number(end + 1)))
    names = [x[1]]
    # part u = size > 0, so u > 0, so u >= 1
    some = kernel.arith(Formula(">", u, ZERO), [whole], [(_number(size), []), (ONE, [0])], names, part)
    least = _next(some, kernel.integral(u))
    step = Fraction(1) if part == x else Fraction(*part[1][1:])
    # 0 = size - part u = (step (end + 1) - size) u + size (u - 1) + step u (x - end - 1) - (part u - size)
    parts = [(_number(step * (end + 1) - size), [2]), (_number(size), [3]), (_number(step), [2, 1]), (_number(-1), [0])]
    nothing = kernel.arith(Formula("false"), [whole, over, some, least], parts, names)
    closed = kernel.discharge(kernel.discharge(nothing, whole.conclusion), over.conclusion)
    return kernel.propositional(Formula("=>", over.conclusion, denied), [closed])


def _times(part: Term, size: int) -> Term:
    return Term("floor", Term("/", _number(size), part))


# --- the long search ------------------------------------------------------------------------------------------------


def integer_conditions(names: Sequence[str]) -> list[Formula]:
    """Return the conditions that names are integers and at least 1.

    >>> print(*integer_conditions(["n"]))
    int(n) n >= 1
    """
    said = ((Formula("int", Term("v", n)), Formula(">=", Term("v", n), Term("q", 1, 1))) for n in names)
    return [f for both in said for f in both]


def prove_whole(
    goal: Formula,
    given: Sequence[Formula],
    integers: Sequence[str],
    budget: Budget,
    look: Callable[[], None],
    further: Sequence[Theorem] = (),
) -> Theorem | None:
    """Return `given, x > 0..., int(n)... |- goal`, or None if no proof was found.

    >>> n = Term("v", "n")
    >>> print(prove_whole(Formula(">=", Term("*", n, n), n), [], ["n"], Budget(10**6), lambda: None))
    int(n), n > 0 |- n*n >= n

    `look` is called once before a long search, to look for a counterexample. `further` are additional lemmas.
    """
    given, sizes = tightest(given), integer_conditions(integers)

    def proved(goal: Formula, given: Sequence[Formula] = given) -> Theorem | None:
        lemmas = [*integer_lemmas([goal, *given], integers), *further]
        search = tactics.Search([goal, *given, *sizes, *(t.conclusion for t in lemmas)], budget, not lemmas)
        return search.prove(goal, [*given, *sizes], lemmas, look)

    if (squared := prove_squared(goal, given, proved)) is not None:
        return squared
    own = {*given, *sizes, *(Formula(">", Term("v", n), ZERO) for n in variables(goal))}
    equal = [identical(a, sorted(variables(a)), rounding_lemmas(a)) for a in atoms_in(goal) if a[0] == "="]
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
    """Return conditions without bounds of a name that are implied by another one, since each slows the search.

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
