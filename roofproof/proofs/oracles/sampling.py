"""Formulas at exact rational points: counterexamples, witnesses, and checks that are not proofs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import ceil, floor
from random import Random
from threading import Lock
from typing import Any

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, Term, variables
from roofproof.proofs.oracles.ratios import At, Ratio, pair_of, ratios, truth_of
from roofproof.proofs.oracles.ratios import Inexact as Inexact

Point = Mapping[str, Fraction]
Exact = Fraction | int
EFFORT = 2_000_000  # parts of formulas evaluated in one search
PARTS = 5  # parts of formulas per step
HOPELESS = 250  # if none of the first points has a rational value, the search gives up after this many


def value(term: Term, point: Point) -> Fraction:
    """Return the exact value of a term at a point.

    >>> value(Term("/", Term("v", "x"), Term("q", 3, 1)), {"x": Fraction(2)})
    Fraction(2, 3)

    Raises Inexact for a division by zero and for irrational roots, logarithms and powers, and KernelError for anything
    but a term.
    """
    return Fraction(*pair_of(term)(ratios(point)))


def holds(formula: Formula, point: Point) -> bool:
    """Return whether a formula holds at a point, exactly.

    >>> holds(Formula(">", Term("v", "x"), Term("q", 1, 2)), {"x": Fraction(1, 2)})
    False

    Raises Inexact as `value` does, and KernelError for a limit, which no single point decides.
    """
    return truth_of(formula)(ratios(point))


def points(names: Sequence[str], hints: Sequence[Fraction] = (), seed: int = 0) -> Iterator[dict[str, Fraction]]:
    """Yield positive points indefinitely: small integers first, then a random mix of the hints and other numbers."""
    for values in _values(len(names), hints, seed):
        yield {name: Fraction(v) for name, v in zip(names, values, strict=True)}


def _values(count: int, hints: Sequence[Fraction], seed: int) -> Iterator[tuple[Exact, ...]]:
    """Yield the coordinates of `points`, with whole numbers as int, which is several times faster."""
    if count <= 6:
        yield from product((1, 2, 3), repeat=count)
    bits = Random(seed).getrandbits

    def below(most: int, width: int) -> int:  # draws the same as Random.choice, without its three calls
        drawn = bits(width)
        while drawn >= most:
            drawn = bits(width)
        return drawn

    around = {h: [_plain(h * k) for k in (1, 1, 2, Fraction(1, 2), Fraction(9, 10))] for h in {*hints} if h > 0}
    near = [around[h] for h in hints if h > 0]
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
    """Return a point with positive coordinates at which all formulas hold, or None if none was found.

    Formulas with thousands of parts are tried at fewer points.

    >>> find([Formula(">", Term("v", "x"), Term("q", 1, 1)), Formula(">", Term("q", 3, 1), Term("v", "x"))])
    {'x': Fraction(2, 1)}
    """
    return _search(tuple(formulas), frozenset(integers), seed).upto(tries)


class _Search:
    """A search through points that resumes where it stopped, so each point is evaluated once."""

    def __init__(self, formulas: tuple[Formula, ...], integers: frozenset[str], seed: int) -> None:
        self.names = sorted(frozenset[str]().union(*(variables(f) for f in formulas)) - NUMBERS)
        self.integers, self.whole = integers, [n for n in self.names if n in integers]
        parts = sum(map(size, formulas))
        self.most, self.effort = EFFORT // parts if self.names else 1, 10 + parts // PARTS
        # most points fail, usually at an equation, and a conjunction is evaluated up to its first false part
        self.quickest = sorted(conjuncts(formulas), key=lambda f: (f[0] != "=", size(f)))
        self.met = _sequence(len(self.names), tuple(constants(formulas)), seed)
        self.reached: tuple[int, dict[str, Fraction] | None] = 0, None  # points tried, and the last one if it holds
        self.inexact = 0  # points tried without a rational value

    @cached_property
    def at_whole(self) -> list[Callable[[At], bool]]:
        return [truth_of(f, frozenset(self.names)) for f in self.quickest]

    @cached_property
    def elsewhere(self) -> list[Callable[[At], bool]]:  # lazy: most searches end at the first whole points
        return [truth_of(f, frozenset(self.whole)) for f in self.quickest]

    def upto(self, tries: int) -> dict[str, Fraction] | None:
        """Return the first point among `tries` at which all formulas hold, counting steps of earlier calls again."""
        most = max(1, min(tries, self.most))
        looked, found = self.reached
        while looked < most and found is None and not HOPELESS <= looked == self.inexact:
            found = self._at(looked)
            looked += 1
        self.reached = looked, found
        spend(self.effort * min(looked, most))
        return None if found is None or looked > most else dict(found)

    def _at(self, k: int) -> dict[str, Fraction] | None:
        values, pairs = self.met[k]
        point: dict[str, Any] = dict(zip(self.names, pairs or values))  # noqa: B905  each has as many
        tests = self.elsewhere if pairs else self.at_whole
        if pairs and self.whole:
            point |= {n: max(1, round(Fraction(*point[n]))) for n in self.whole}
        try:
            for holds_at in tests:
                if not holds_at(point):
                    return None
        except Inexact:
            self.inexact += 1
            return None
        return {n: Fraction(*v) if isinstance(v, tuple) else Fraction(v) for n, v in point.items()}


_search = lru_cache(maxsize=32)(_Search)


class _Sequence:
    """Points with `count` coordinates, generated once and cached."""

    def __init__(self, count: int, hints: tuple[Fraction, ...], seed: int) -> None:
        self.made: list[tuple[tuple[Exact, ...], tuple[Ratio, ...]]] = []  # with pairs if a coordinate is not whole
        self.coming = _values(count, hints, seed)
        self.lock = Lock()

    def __getitem__(self, k: int) -> tuple[tuple[Exact, ...], tuple[Ratio, ...]]:
        while k >= len(self.made):
            with self.lock:
                values = next(self.coming)
                whole = all([type(v) is int for v in values])
                self.made.append((values, () if whole else tuple([v.as_integer_ratio() for v in values])))
        return self.made[k]


_sequence = lru_cache(maxsize=64)(_Sequence)


def conjuncts(formulas: Sequence[Formula]) -> Iterator[Formula]:
    """Yield the formulas with each conjunction split into its parts.

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
    """Return a point at which the formulas also hold, with each coordinate as simple as possible.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> simpler([Formula(">", x, y)], {"x": Fraction(19700, 91), "y": Fraction(9, 7)})
    {'x': Fraction(2, 1), 'y': Fraction(1, 1)}
    """
    best = dict(point)
    told = [truth_of(f) for f in formulas]
    for name in sorted(best, reverse=True):
        for k in (*map(Fraction, PLAIN), Fraction(floor(best[name])), Fraction(ceil(best[name]))):
            if k <= 0 or k == best[name] or (best[name].denominator == 1 and k > best[name]):
                continue
            tried = {**best, name: k}
            at = ratios(tried)
            try:
                if all(holds_at(at) for holds_at in told):
                    best = tried
                    break
            except Inexact:
                continue
    return best


def constants(formulas: Sequence[object]) -> list[Fraction]:
    """Return the absolute values of the numbers in formulas."""
    found: list[Fraction] = []
    for f in formulas:
        if isinstance(f, tuple) and f and f[0] == "q":
            found.append(abs(Fraction(f[1], f[2])))
        elif isinstance(f, tuple):
            found.extend(constants(f))
    return found
