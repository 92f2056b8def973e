"""Functions over many points: sums, limits, solutions, optima and monotonicity."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from independent import rational as r
from independent.numbers import Imprecise, Real, Undefined, Unknown, real
from independent.reading import Tree, names

if TYPE_CHECKING:
    from independent.evaluator import Evaluator

SCANNED = 1500  # integers tried for smallest and largest
LINE = [Fraction(p, q) for p, q in ((1, 10**6), (1, 1000), (1, 7), (1, 2), (1, 1), (3, 2), (2, 1), (3, 1), (10, 1),
                                    (99, 1), (1000, 1), (10**6, 1), (10**9, 1))]  # fmt: skip


def value(e: "Evaluator", function: str, arguments: list[Tree]) -> Any:
    if function == "sum":
        return _sum(e, *arguments)
    if function in ("smallest", "largest"):
        return _whole(e, function, *arguments)
    if function == "limit":
        return limit(e, *arguments)
    if function == "solve":
        return _solve(e, *arguments)
    if function == "degree":
        return _degree(e, *arguments)
    if function in ("argmin", "argmax", "minimum", "maximum"):
        return _optimum(e, function, *arguments)
    raise Unknown(f"the function {function}")


def _sum(e: "Evaluator", term: Tree, name: Tree, first: Tree, last: Tree) -> Real:
    low, high = e.value(first), e.value(last)
    if not (low.exact and high.exact) or (low.low % 1, high.low % 1) != (0, 0) or high.low - low.low > 3000:
        raise Unknown("a sum between other than whole numbers near each other")
    if high.low < low.low - 1:
        raise Unknown("a sum that ends before it begins")
    out = real(0)
    for k in range(int(low.low), int(high.low) + 1):
        with e.bound(name[1], real(k)):
            out = e.n.add(out, e.value(term))
    return out


def _whole(e: "Evaluator", which: str, name: Tree, condition: Tree) -> Real:
    def holds(k: int) -> bool:
        with e.bound(name[1], real(k)):
            return e.true(condition)

    if which == "smallest":
        for k in range(1, SCANNED):
            if holds(k):
                return real(k)
        raise Unknown("no small number")
    fits = [k for k in range(1, SCANNED) if holds(k)]
    if not fits or fits[-1] == SCANNED - 1 or any(holds(10**k) for k in range(4, 30)):
        raise Undefined("no largest number")
    return real(fits[-1])


def limit(e: "Evaluator", term: Tree, name: Tree | None = None, target: Tree = ("oo",)) -> Any:
    if name is None:
        if not e.reach:
            raise Unknown("a limit where nothing grows")
        return _settled(e, e.value(term), e.reach)
    if target != ("oo",):
        place = e.value(target)
        try:
            with e.bound(name[1], place):
                return e.value(term)
        except Undefined:  # from both sides
            sides = []
            for step in (Fraction(1, 10**60), Fraction(-1, 10**60)):
                with e.bound(name[1], e.n.add(place, real(step))):
                    sides.append(_settled(e, e.value(term), 60))
            if sides[0] != sides[1]:
                raise
            return sides[0]
    with e.bound(name[1], real(10**160)):
        return _settled(e, e.value(term), 160)


def _settled(e: "Evaluator", found: Real, reach: int) -> Any:
    """Return the limit that a value far out is close to: a fraction, infinity, or an interval around the value."""
    if abs(found.low) >= 10 ** (reach // 4):
        if found.low < 0:
            raise Unknown("minus infinity")
        return "oo"
    width = max(abs(found.low), Fraction(1, 10 ** (reach // 8))) / 10 ** (reach // 10)
    if found.high - found.low > width and not e.n.last:
        raise Imprecise
    for digits in (1, 10**3, 10**6):  # take a simple fraction nearby as the limit
        near = found.low.limit_denominator(digits)
        if abs(near - found.low) <= width:
            return real(near)
    return Real(found.low - width, found.high + width)


def quotient(e: "Evaluator", tree: Tree, x: str) -> tuple[r.Poly, r.Poly]:
    """Return a value as a quotient of polynomials in x with rational coefficients, or raise Unknown."""
    if x not in names(tree) and not any(t in e.let or t == "call" for t in _words(tree)):
        return _constant(e, tree)
    match tree:
        case ("name", name) if name == x:
            return [Fraction(0), Fraction(1)], [Fraction(1)]
        case ("name", name) if name in e.let and name not in e.point:
            return quotient(e, e.let[name], x)
        case ("+", *terms):
            above, below = [], [Fraction(1)]
            for p, q in (quotient(e, t, x) for t in terms):
                above, below = r.plus(r.times(above, q), r.times(p, below)), r.times(below, q)
            return above, below
        case ("*", *factors):
            above, below = [Fraction(1)], [Fraction(1)]
            for p, q in (quotient(e, t, x) for t in factors):
                above, below = r.times(above, p), r.times(below, q)
            return above, below
        case ("/", over, under):
            (a, b), (c, d) = quotient(e, over, x), quotient(e, under, x)
            if not c:
                raise Undefined("a division by zero")
            return r.times(a, d), r.times(b, c)
        case ("-", operand):
            p, q = quotient(e, operand, x)
            return r.scaled(p, -1), q
        case ("^", base, exponent):
            n = e.value(exponent)
            if not n.exact or n.low.denominator != 1 or abs(n.low) > 12:
                raise Unknown("a power of the unknown")
            (p, q), out = quotient(e, base, x), ([Fraction(1)], [Fraction(1)])
            for _ in range(abs(int(n.low))):
                out = r.times(out[0], p), r.times(out[1], q)
            return out if n.low >= 0 else (out[1], out[0])
        case ("call", "flops" | "bytes" | "intensity" | "time" | "upper" as function, *arguments):
            return quotient(e, e.demands.written_out(function, tuple(arguments)), x)
    if x in names(tree) or tree[0] == "call":
        raise Unknown(f"{tree[0]} as a quotient of polynomials")
    return _constant(e, tree)


def _constant(e: "Evaluator", tree: Tree) -> tuple[r.Poly, r.Poly]:
    found = e.value(tree)
    if not found.exact:
        raise Unknown("a coefficient that is no fraction")
    return r.trimmed([found.low]), [Fraction(1)]


def _words(tree: Any) -> set[str]:
    if isinstance(tree, str):
        return {tree}
    return {w for part in tree for w in _words(part)} if isinstance(tree, tuple) else set()


def _solve(e: "Evaluator", equation: Tree, name: Tree) -> Real:
    _, (left, right), _ = equation
    gap: Tree = ("+", left, ("-", right))
    try:
        above, below = quotient(e, gap, name[1])
    except Unknown:
        found = _by_halving(e, gap, name[1])
    else:
        if not above:
            raise Undefined("every number is a solution")
        shared = r.common(above, below)
        found = [z for z in r.positive_zeros(above, e.n.bits) if len(shared) < 2 or not _zero_of(shared, z)]
    if not found:
        raise Undefined("no solution")
    if len(found) > 1:
        raise Unknown("several solutions")
    return found[0]


def _zero_of(p: r.Poly, z: Real) -> bool:
    return any(w.low <= z.high and z.low <= w.high for w in r.positive_zeros(p, 200))


def _by_halving(e: "Evaluator", gap: Tree, x: str) -> list[Real]:
    """Return intervals around the points where a value changes sign, from a scan over magnitudes."""

    def sign(v: Fraction) -> int:
        with e.bound(x, real(v)):
            return e.n.sign(e.value(gap))

    marks = [Fraction(2) ** k for k in range(-80, 160, 4)]
    signs = [sign(m) for m in marks]
    found = [real(m) for m, s in zip(marks, signs, strict=True) if s == 0]
    for (a, s), (b, t) in zip(zip(marks, signs, strict=True), zip(marks[1:], signs[1:], strict=True), strict=False):
        if s * t < 0:
            low, high = a, b
            while (high - low) * 2 ** (e.n.bits // 2) > low:
                middle = (low + high) / 2
                at_middle = sign(middle)
                if at_middle == 0:
                    low = high = middle
                    break
                low, high = (middle, high) if at_middle == s else (low, middle)
            near = ((low + high) / 2).limit_denominator(10**6)
            found.append(real(near) if sign(near) == 0 else Real(low, high))
    return found


def _degree(e: "Evaluator", term: Tree, name: Tree) -> Real:
    """Return p if the value grows like x^p, from two values far out."""
    sizes = []
    for k in (400, 800):
        with e.bound(name[1], real(2**k)):
            sizes.append(e.value(term))
    if e.n.sign(sizes[0]) <= 0 or e.n.sign(sizes[1]) <= 0:
        raise Unknown("the degree of what is not positive")
    found = e.n.log2(e.n.over(sizes[1], sizes[0]))
    near = (found.low / 400).limit_denominator(24)
    if abs(near - found.low / 400) > Fraction(1, 2000):
        raise Unknown("a degree that is no simple fraction")
    return real(near)


def _optimum(e: "Evaluator", which: str, term: Tree, name: Tree, choices: Tree | None = None) -> Real:
    x, least = name[1], which in ("argmin", "minimum")

    def height(v: Real) -> Real:
        with e.bound(x, v):
            return e.value(term)

    places = [e.value(item) for item in choices[1:]] if choices is not None else _flat(e, term, x, least)
    heights = [height(p) for p in places]
    best = 0
    for i in range(1, len(places)):
        order = e.n.compare(heights[i], heights[best])
        if order == 0 and which.startswith("arg") and e.n.compare(places[i], places[best]):
            raise Unknown("two places of the optimum")
        if (order < 0) if least else (order > 0):
            best = i
    return places[best] if which.startswith("arg") else heights[best]


def _flat(e: "Evaluator", term: Tree, x: str, least: bool) -> list[Real]:
    """Return the points where a quotient has slope zero, or raise Undefined if none is its optimum over x > 0."""
    p, q = quotient(e, term, x)
    if r.positive_zeros(q, 20):
        raise Unknown("an optimum of what is not everywhere defined")
    rise = r.plus(r.times(r.slope(p), q), r.scaled(r.times(p, r.slope(q)), -1))
    places = r.positive_zeros(rise, e.n.bits)
    if not places:
        raise Undefined("no optimum")
    inner = [at_zero(p, q, z) for z in (Fraction(1, 2**300), Fraction(2) ** 300)]
    best = (min if least else max)(at_zero(p, q, z.low) for z in places)
    if any((end < best) if least else (end > best) for end in inner):
        raise Undefined("no optimum")
    return places


def at_zero(p: r.Poly, q: r.Poly, x: Fraction) -> Fraction:
    return r.at(p, x) / r.at(q, x)


def stated(e: "Evaluator", tree: Tree) -> bool:
    _, which, term, *unknowns = tree
    if which == "independent":
        return all(_same_along(e, term, n[1]) for n in unknowns)
    x = unknowns[0][1]
    if x not in e.whole and x not in e.signed and not any(x in names(c) for c in e.conditions):
        try:
            p, q = quotient(e, term, x)
            if r.positive_zeros(q, 20):
                raise Unknown("the slope of what is not everywhere defined")
            rise = r.plus(r.times(r.slope(p), q), r.scaled(r.times(p, r.slope(q)), -1))
            return bool(rise) and _of_one_sign(rise, which == "increasing")
        except Unknown:
            pass
    return _along(e, term, x, lambda a, b: (a < b) if which == "increasing" else (a > b))


def _of_one_sign(p: r.Poly, positive: bool) -> bool:
    zeros = [z.low for z in r.positive_zeros(p, 60)]
    between = [Fraction(0), *zeros]
    tries = [(a + b) / 2 for a, b in itertools.pairwise(between)] + [between[-1] * 2 + 1]
    return all((r.at(p, t) > 0) == positive for t in tries)


def _allowed(e: "Evaluator") -> bool:
    return all(e.true(condition) for condition in e.conditions)


def _same_along(e: "Evaluator", term: Tree, x: str) -> bool:
    values = []
    for v in LINE:
        if x in e.whole and v.denominator != 1:
            continue
        with e.bound(x, real(v)):
            if _allowed(e):
                values.append(e.value(term))
    if len(values) < 2:
        raise Unknown("too few points that are given")
    return all(e.n.compare(values[0], v) == 0 for v in values[1:])


def _along(e: "Evaluator", term: Tree, x: str, ordered: Callable[[int, int], bool]) -> bool:
    """Return whether values along a line of points keep an order."""
    line = [Fraction(k) for k in (*range(1, 20), 100, 101, 10**6)] if x in e.whole else LINE
    if x in e.signed:
        line = [-v for v in reversed(line)] + [Fraction(0)] + line
    values, gap = [], False
    for v in line:
        try:
            with e.bound(x, real(v)):
                if _allowed(e):
                    values.append(e.value(term))
        except Undefined:
            gap = True
    if len(values) < 2:
        raise Unknown("too few points that are given")
    kept = all(ordered(e.n.compare(a, b), 0) for a, b in itertools.pairwise(values))
    if gap and kept:
        raise Undefined("a value on the way")
    return kept
