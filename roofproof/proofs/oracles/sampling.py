"""Formulas at exact rational points: counterexamples, witnesses, and checks that are not proofs."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from math import ceil, floor, isqrt
from random import Random

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables

Point = Mapping[str, Fraction]
EFFORT = 2_000_000  # parts of formulas looked at in one search
PARTS = 5  # of formulas, in a step
MAX_POWER = 1_000  # exponents up to which a power is worked out


class Inexact(ArithmeticError):
    """The value at this point is no rational number, or a division by zero."""


def value(term: Term, point: Point) -> Fraction:
    """Return the exact value of a term at a point.

    >>> value(("/", ("v", "x"), ("q", 3, 1)), {"x": Fraction(2)})
    Fraction(2, 3)

    Raises Inexact for a division by zero and for irrational roots, logarithms and powers, KernelError for what is no
    term.
    """
    return Fraction(_value(term, point))


def _value(term: Term, point: Mapping[str, Fraction | int]) -> Fraction | int:
    """Return the exact value; whole numbers stay Python integers, which are several times faster."""
    head = term[0]
    if head == "v":
        return point[term[1]]
    if head == "q":
        return int(term[1]) if term[2] == 1 else Fraction(term[1], term[2])
    if head == "^":
        return _value(term[1], point) ** int(term[2])
    args = [_value(p, point) for p in term[1:]]
    if head == "+":
        return sum(args)
    if head == "*":
        out: Fraction | int = 1
        for a in args:
            out = out * a
        return out
    if head == "/":
        if not args[1]:
            raise Inexact("division by zero")
        return Fraction(args[0]) / args[1]
    if head == "sqrt":
        top, bottom = args[0].numerator, args[0].denominator
        if top < 0 or isqrt(top) ** 2 != top or isqrt(bottom) ** 2 != bottom:
            raise Inexact("an irrational square root")
        return Fraction(isqrt(top), isqrt(bottom))
    if head in ("floor", "ceil"):
        return floor(args[0]) if head == "floor" else ceil(args[0])
    if head in ("max", "min"):
        return max(args) if head == "max" else min(args)
    if head == "log2":
        return _exponent(Fraction(args[0]))
    if head == "power":
        return _power(Fraction(args[0]), Fraction(args[1]))
    raise KernelError(f"not a term: {head}")


def _exponent(x: Fraction) -> int:
    """Return the logarithm of a power of two."""
    top, bottom = x.numerator, x.denominator
    if x <= 0 or top & (top - 1) or bottom & (bottom - 1):
        raise Inexact("an irrational logarithm")
    return top.bit_length() - bottom.bit_length()


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if base <= 0 or exponent.denominator > 1 or abs(exponent) > MAX_POWER:
        raise Inexact("an irrational power")
    return base ** int(exponent)


def holds(formula: Formula, point: Point) -> bool:
    """Tell whether a formula holds at a point, exactly.

    >>> holds((">", ("v", "x"), ("q", 1, 2)), {"x": Fraction(1, 2)})
    False

    Raises Inexact as `value` does, KernelError for a limit, which no single point decides.
    """
    return _holds(formula, point)


def _holds(formula: Formula, point: Mapping[str, Fraction | int]) -> bool:
    head = formula[0]
    if head in (">", ">=", "="):
        left, right = _value(formula[1], point), _value(formula[2], point)
        return left > right if head == ">" else left >= right if head == ">=" else left == right
    if head == "int":
        return _value(formula[1], point).denominator == 1
    if head in ("true", "false"):
        return bool(head == "true")
    if head not in ("not", "and", "or", "=>", "<=>"):
        raise KernelError(f"no value at a point: {head}")
    truth = [_holds(p, point) for p in formula[1:]]
    if head == "not":
        return not truth[0]
    if head == "and":
        return all(truth)
    if head == "or":
        return any(truth)
    return (not truth[0] or truth[1]) if head == "=>" else truth[0] == truth[1]  # "<=>"


def points(names: Sequence[str], hints: Sequence[Fraction] = (), seed: int = 0) -> Iterator[dict[str, Fraction]]:
    """Yield positive points without end: small integers first, then the hints, then wider at random."""
    small = [Fraction(n) for n in (1, 2, 3)]
    if len(names) <= 6:
        for values in product(small, repeat=len(names)):
            yield dict(zip(names, values, strict=True))
    random = Random(seed)
    pool = [h for h in hints if h > 0]
    while True:
        point = {}
        for name in names:
            roll = random.randrange(10)
            if pool and roll < 3:
                point[name] = random.choice(pool) * random.choice((1, 1, 2, Fraction(1, 2), Fraction(9, 10)))
            elif roll < 6:
                point[name] = Fraction(random.randint(1, 12))
            elif roll < 9:
                point[name] = Fraction(2 ** random.randint(0, 16))
            else:
                point[name] = Fraction(random.randint(1, 60), random.randint(1, 12))
        yield point


def find(
    formulas: Sequence[Formula], integers: Sequence[str] = (), tries: int = 4_000, seed: int = 0
) -> dict[str, Fraction] | None:
    """Return a point with positive coordinates at which all formulas hold, or None if none was met.

    Formulas of thousands of parts are tried at fewer points.

    >>> find([(">", ("v", "x"), ("q", 1, 1)), (">", ("q", 3, 1), ("v", "x"))])
    {'x': Fraction(2, 1)}
    """
    names = sorted(frozenset[str]().union(*(variables(f) for f in formulas)))
    whole = set(integers)
    parts = sum(map(size, formulas))
    tries = max(1, min(tries, EFFORT // parts)) if names else 1
    # most points fail, most of them at an equation; a conjunction is looked at as far as its first part that is false
    quickest = sorted(conjuncts(formulas), key=lambda f: (f[0] != "=", size(f)))
    effort = 10 + parts // PARTS
    for point in islice(points(names, _constants(formulas), seed), tries):
        if any(point[n].denominator != 1 for n in names if n in whole):
            point = {n: Fraction(max(1, round(v))) if n in whole else v for n, v in point.items()}
        plain = {n: v.numerator if v.denominator == 1 else v for n, v in point.items()}
        spend(effort)
        try:
            if all(_holds(f, plain) for f in quickest):
                return point
        except Inexact:
            continue
    return None


def conjuncts(formulas: Sequence[Formula]) -> Iterator[Formula]:
    """Yield the formulas with each conjunction taken apart.

    >>> x, one, two = ("v", "x"), ("q", 1, 1), ("q", 2, 1)
    >>> list(conjuncts([("and", (">", x, one), (">", two, x))])) == [(">", x, one), (">", two, x)]
    True
    """
    for f in formulas:
        if f[0] == "and":
            yield from conjuncts(f[1:])
        else:
            yield f


def size(f: object) -> int:
    """Return how many parts a term or formula has.

    >>> size((">", ("v", "x"), ("q", 1, 2)))
    9
    """
    return 1 + sum(map(size, f)) if isinstance(f, tuple) else 1


PLAIN = (1, 2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 10**4, 10**5, 10**6)


def simpler(formulas: Sequence[Formula], point: Point, integers: Sequence[str] = ()) -> dict[str, Fraction]:
    """Return a point at which the formulas hold as well, each coordinate as plain a number as will do.

    >>> x, y = ("v", "x"), ("v", "y")
    >>> simpler([(">", x, y)], {"x": Fraction(19700, 91), "y": Fraction(9, 7)})
    {'x': Fraction(2, 1), 'y': Fraction(1, 1)}
    """
    best = dict(point)
    for name in sorted(best, reverse=True):
        for k in (*map(Fraction, PLAIN), Fraction(floor(best[name])), Fraction(ceil(best[name]))):
            if k <= 0 or k == best[name] or (best[name].denominator == 1 and k > best[name]):
                continue
            tried = {**best, name: k}
            try:
                if all(holds(f, tried) for f in formulas):
                    best = tried
                    break
            except Inexact:
                continue
    return best


def _constants(formulas: Sequence[object]) -> list[Fraction]:
    found: list[Fraction] = []
    for f in formulas:
        if isinstance(f, tuple) and f and f[0] == "q":
            found.append(abs(Fraction(f[1], f[2])))
        elif isinstance(f, tuple):
            found.extend(_constants(f))
    return found
