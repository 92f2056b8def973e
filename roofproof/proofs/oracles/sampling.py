"""Formulas at exact rational points: counterexamples, witnesses, and checks that are not proofs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import ceil, floor, isqrt, prod
from operator import eq, ge, gt, itemgetter
from random import Random
from threading import Lock

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.names import NUMBERS

Point = Mapping[str, Fraction]
Exact = Fraction | int
Plain = Mapping[str, Exact]
EFFORT = 2_000_000  # parts of formulas looked at in one search
PARTS = 5  # of formulas, in a step
HOPELESS = 250  # points without a rational value, one after another, after which no more are tried
MAX_POWER = 1_000  # exponents up to which a power is worked out


class Inexact(ArithmeticError):
    """The value at this point is no rational number, or a division by zero."""


def value(term: Term, point: Point) -> Fraction:
    """Return the exact value of a term at a point.

    >>> value(Term("/", Term("v", "x"), Term("q", 3, 1)), {"x": Fraction(2)})
    Fraction(2, 3)

    Raises Inexact for a division by zero and for irrational roots, logarithms and powers, KernelError for what is no
    term.
    """
    return Fraction(_worked_out(term)(point))


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

    >>> holds(Formula(">", Term("v", "x"), Term("q", 1, 2)), {"x": Fraction(1, 2)})
    False

    Raises Inexact as `value` does, KernelError for a limit, which no single point decides.
    """
    return _truth(formula)(point)


def _worked_out(term: Term) -> Callable[[Plain], Exact]:
    """Compile a term to an exact evaluator; whole numbers stay Python integers, which are several times faster."""
    head = term[0]
    if head == "v":
        return _irrational if term[1] in NUMBERS else itemgetter(term[1])
    if head == "q":
        constant = int(term[1]) if term[2] == 1 else Fraction(term[1], term[2])
        return lambda point: constant
    if head == "^":
        base, exponent = _worked_out(term[1]), int(term[2])
        return lambda point: base(point) ** exponent
    # Of a product the numbers come last: whole sizes are multiplied as integers first.
    parts = [_worked_out(p) for p in (sorted(term[1:], key=lambda p: p[0] == "q") if head == "*" else term[1:])]
    if head in ("+", "*") and len(parts) == 2:
        one, two = parts
        return (lambda point: one(point) + two(point)) if head == "+" else lambda point: one(point) * two(point)
    if head == "+":
        return lambda point: sum([part(point) for part in parts])
    if head == "*":
        return lambda point: prod([part(point) for part in parts])
    if head == "/":
        return partial(_over, parts[0], parts[1])
    if head == "sqrt":
        return partial(_root, parts[0])
    if head in ("floor", "ceil"):
        [inside], rounded = parts, floor if head == "floor" else ceil
        return lambda point: rounded(inside(point))
    if head in ("max", "min"):
        chosen = max if head == "max" else min
        return lambda point: chosen([part(point) for part in parts])
    if head == "log2":
        [of] = parts
        return lambda point: _exponent(Fraction(of(point)))
    if head == "power":
        one, two = parts
        return lambda point: _power(Fraction(one(point)), Fraction(two(point)))
    raise KernelError(f"not a term: {head}")


def _irrational(point: Plain) -> Exact:
    raise Inexact("an irrational number")


def _over(above: Callable[[Plain], Exact], below: Callable[[Plain], Exact], point: Plain) -> Exact:
    top, bottom = above(point), below(point)
    if not bottom:
        raise Inexact("division by zero")
    return Fraction(top, bottom)


def _root(inside: Callable[[Plain], Exact], point: Plain) -> Exact:
    square = inside(point)
    top, bottom = square.numerator, square.denominator
    if top < 0 or isqrt(top) ** 2 != top or isqrt(bottom) ** 2 != bottom:
        raise Inexact("an irrational square root")
    return Fraction(isqrt(top), isqrt(bottom))


@lru_cache(maxsize=512)  # one formula is asked about at thousands of points
def _truth(formula: Formula) -> Callable[[Plain], bool]:
    """Compile a formula to an exact evaluator: all of its parts are worked out, so that none is undefined."""
    head = formula[0]
    if head in (">", ">=", "="):
        left, right = _worked_out(formula[1]), _worked_out(formula[2])
        compared = {">": gt, ">=": ge, "=": eq}[head]
        return lambda point: compared(left(point), right(point))
    if head == "int":
        number = _worked_out(formula[1])
        return lambda point: number(point).denominator == 1
    if head in ("true", "false"):
        return lambda point: bool(head == "true")
    if head not in ("not", "and", "or", "=>", "<=>"):
        raise KernelError(f"no value at a point: {head}")
    parts = [_truth(p) for p in formula[1:]]
    if head == "not":
        [denied] = parts
        return lambda point: not denied(point)
    if head in ("and", "or"):
        joined = all if head == "and" else any
        return lambda point: joined([part(point) for part in parts])
    one, two = parts
    if head == "=>":
        return lambda point: [not one(point), two(point)] != [False, False]
    return lambda point: one(point) == two(point)  # "<=>"


def points(names: Sequence[str], hints: Sequence[Fraction] = (), seed: int = 0) -> Iterator[dict[str, Fraction]]:
    """Yield positive points without end: small integers first, then the hints, then wider at random."""
    for values in _values(len(names), hints, seed):
        yield {name: Fraction(v) for name, v in zip(names, values, strict=True)}


def _values(count: int, hints: Sequence[Fraction], seed: int) -> Iterator[tuple[Exact, ...]]:
    """Yield the coordinates of `points`; whole numbers as integers, which are several times faster."""
    if count <= 6:
        yield from product((1, 2, 3), repeat=count)
    bits = Random(seed).getrandbits

    def below(most: int, width: int) -> int:  # what Random.choice draws, without its three calls
        drawn = bits(width)
        while drawn >= most:
            drawn = bits(width)
        return drawn

    near = [[_plain(h * k) for k in (1, 1, 2, Fraction(1, 2), Fraction(9, 10))] for h in hints if h > 0]
    hinted, width = len(near), len(near).bit_length()
    while True:
        point: list[Exact] = []
        for _ in range(count):
            roll = below(10, 4)
            if near and roll < 3:
                point.append(near[below(hinted, width)][below(5, 3)])
            elif roll < 6:
                point.append(1 + below(12, 4))
            elif roll < 9:
                point.append(1 << below(17, 5))
            else:
                point.append(_plain(Fraction(1 + below(60, 6), 1 + below(12, 4))))
        yield tuple(point)


def _plain(x: Fraction) -> Exact:
    return x.numerator if x.denominator == 1 else x


def find(
    formulas: Sequence[Formula], integers: Sequence[str] = (), tries: int = 4_000, seed: int = 0
) -> dict[str, Fraction] | None:
    """Return a point with positive coordinates at which all formulas hold, or None if none was met.

    Formulas of thousands of parts are tried at fewer points.

    >>> find([Formula(">", Term("v", "x"), Term("q", 1, 1)), Formula(">", Term("q", 3, 1), Term("v", "x"))])
    {'x': Fraction(2, 1)}
    """
    return _search(tuple(formulas), frozenset(integers), seed).upto(tries)


class _Search:
    """A search through points, each looked at once: asked for more of them, it goes on where it ended."""

    def __init__(self, formulas: tuple[Formula, ...], integers: frozenset[str], seed: int) -> None:
        self.names = sorted(frozenset[str]().union(*(variables(f) for f in formulas)) - NUMBERS)
        self.whole = [n for n in self.names if n in integers]
        parts = sum(map(size, formulas))
        self.most, self.effort = EFFORT // parts if self.names else 1, 10 + parts // PARTS
        # most points fail, most at an equation; a conjunction is looked at as far as its first part that is false
        self.quickest = [_truth(f) for f in sorted(conjuncts(formulas), key=lambda f: (f[0] != "=", size(f)))]
        self.met = _sequence(len(self.names), tuple(constants(formulas)), seed)
        self.reached: tuple[int, dict[str, Fraction] | None] = 0, None  # points looked at, the last if it will do
        self.inexact = 0  # of those looked at

    def upto(self, tries: int) -> dict[str, Fraction] | None:
        """Return the first among so many points; those that were looked at before are counted again."""
        most = max(1, min(tries, self.most))
        looked, found = self.reached
        while looked < most and found is None and not HOPELESS <= looked == self.inexact:
            found = self._at(looked)
            looked += 1
        self.reached = looked, found
        spend(self.effort * min(looked, most))
        return None if found is None or looked > most else dict(found)

    def _at(self, k: int) -> dict[str, Fraction] | None:
        point = dict(zip(self.names, self.met[k], strict=True))
        for n in self.whole:
            if not isinstance(point[n], int):
                point[n] = max(1, round(point[n]))
        try:
            for holds_at in self.quickest:
                if not holds_at(point):
                    return None
        except Inexact:
            self.inexact += 1
            return None
        return {n: Fraction(v) for n, v in point.items()}


_search = lru_cache(maxsize=32)(_Search)


class _Sequence:
    """Values of so many names, one point after another, each made once however often they are asked for."""

    def __init__(self, count: int, hints: tuple[Fraction, ...], seed: int) -> None:
        self.made: list[tuple[Exact, ...]] = []
        self.coming = _values(count, hints, seed)
        self.lock = Lock()

    def __getitem__(self, k: int) -> tuple[Exact, ...]:
        while k >= len(self.made):
            with self.lock:
                self.made.append(next(self.coming))
        return self.made[k]


_sequence = lru_cache(maxsize=64)(_Sequence)


def conjuncts(formulas: Sequence[Formula]) -> Iterator[Formula]:
    """Yield the formulas with each conjunction taken apart.

    >>> x, one, two = Term("v", "x"), Term("q", 1, 1), Term("q", 2, 1)
    >>> list(conjuncts([("and", (">", x, one), (">", two, x))])) == [(">", x, one), (">", two, x)]
    True
    """
    for f in formulas:
        if f[0] == "and":
            yield from conjuncts(f[1:])
        else:
            yield f


def size(f: object) -> int:
    """Return the number of parts of a term or formula.

    >>> size(Formula(">", Term("v", "x"), Term("q", 1, 2)))
    9
    """
    return 1 + sum(map(size, f)) if isinstance(f, tuple) else 1


PLAIN = (1, 2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 10**4, 10**5, 10**6)


def simpler(formulas: Sequence[Formula], point: Point, integers: Sequence[str] = ()) -> dict[str, Fraction]:
    """Return a point at which the formulas hold as well, each coordinate as plain a number as will do.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> simpler([Formula(">", x, y)], {"x": Fraction(19700, 91), "y": Fraction(9, 7)})
    {'x': Fraction(2, 1), 'y': Fraction(1, 1)}
    """
    best = dict(point)
    told = [_truth(f) for f in formulas]
    for name in sorted(best, reverse=True):
        for k in (*map(Fraction, PLAIN), Fraction(floor(best[name])), Fraction(ceil(best[name]))):
            if k <= 0 or k == best[name] or (best[name].denominator == 1 and k > best[name]):
                continue
            tried = {**best, name: k}
            try:
                if all(holds_at(tried) for holds_at in told):
                    best = tried
                    break
            except Inexact:
                continue
    return best


def constants(formulas: Sequence[object]) -> list[Fraction]:
    """Return the numbers that stand in formulas, without their signs."""
    found: list[Fraction] = []
    for f in formulas:
        if isinstance(f, tuple) and f and f[0] == "q":
            found.append(abs(Fraction(f[1], f[2])))
        elif isinstance(f, tuple):
            found.extend(constants(f))
    return found
