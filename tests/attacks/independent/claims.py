"""One claim of a claims file: the meaning and domain of its names, and its truth at a point."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

from independent.evaluator import DEMANDS, MEASURES, Evaluator
from independent.numbers import Arithmetic, Imprecise, Undefined, Unknown
from independent.operations import Demands, sizes_in
from independent.reading import Tree, names, read, within

UNDEFINED = "undefined"
BINDS = {"sum": 1, "smallest": 0, "largest": 0, "solve": 1, "argmin": 1, "argmax": 1, "minimum": 1, "maximum": 1,
         "limit": 1, "increasing": 1, "decreasing": 1, "independent": 1, "degree": 1}  # fmt: skip
KIND = re.compile(
    r"\s*([\w\s,]+?)\s+((?:integers?|reals?|positive|nonnegative)(?:\s+(?:integers?|reals?|positive|nonnegative))*)\s*"
)
CHOICE = re.compile(r"\s*(\w+)\s+in\s+(\{.*\})\s*")
POOL = (1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 64, 100, 500, 2000, 4096, 10**5, 10**6)
PARTS = (Fraction(1, 2), Fraction(1, 3), Fraction(7, 5), Fraction(1, 1000), Fraction(99, 100), Fraction(1, 4))


class Stated:
    """A claim read from the TOML text of a claims file with one claim."""

    def __init__(self, text: str) -> None:
        book = tomllib.loads(text, parse_float=str)
        [claim] = book["claim"]
        self.text, self.id = text, claim["id"]
        let = {**book.get("let", {}), **claim.get("let", {})}
        self.demands = Demands(book.get("ops", {}), book.get("chips", {}))
        self.let: dict[str, Tree] = {}
        declared = set(let)
        for name, value in let.items():
            self.let[name] = read(str(value), declared)
        self.signs: dict[str, str] = {}
        self.whole: set[str] = set()
        self.choices: dict[str, list[Fraction]] = {}
        self.conditions: list[Tree] = []
        for part in filter(str.strip, claim.get("given", "").split(";")):
            self._assume(part, declared)
        self.says = read(claim["says"], declared)
        self.regime = Growth(claim["regime"]) if claim.get("regime") else None
        roots = [self.says, *self.let.values(), *self.conditions]
        self.sizes = set().union(*(sizes_in(t, self.demands) for t in roots)) - set(self.let)
        free = self._free(self.says) | {n for c in self.conditions for n in self._free(c)}
        self.names = sorted(free | set(self.signs) | self.whole)
        self.whole |= self.sizes
        numbers = {t[1] for root in roots for t in within(root) if t[0] == "number"}
        self.printed = sorted(v for v in numbers if 0 < v < 10**9)[:14]
        self.edges = [e for t in (self.says, *self.conditions) for e in self._edges(t)]

    def _assume(self, part: str, declared: set[str]) -> None:
        if match := KIND.fullmatch(part):
            listed = [n.strip() for n in match[1].split(",")]
            for word in match[2].split():
                if word.startswith("integer"):
                    self.whole |= set(listed)
                    for n in listed:
                        self.signs.setdefault(n, "positive")
                else:
                    self.signs |= dict.fromkeys(listed, word.rstrip("s"))
        elif match := CHOICE.fullmatch(part):
            items = read(match[2], declared)[1:]
            worth = [Evaluator({}, self.demands, {}, Arithmetic(60)).value(i).low for i in items]
            self.choices[match[1]] = worth
            self.signs[match[1]] = "real" if min(worth) < 0 else "nonnegative" if min(worth) == 0 else "positive"
        else:
            *others, last = part.split(",")
            condition = read(last, declared)
            self._condition(condition)
            for other in others:
                self._condition(("relation", (read(other, declared), *condition[1][1:]), condition[2]))

    def _condition(self, condition: Tree) -> None:
        self.conditions.append(condition)
        if condition[0] != "relation":
            return
        _, operands, signs = condition
        for left, sign, right in zip(operands, signs, operands[1:], strict=False):
            if right[0] == "name" and left[0] != "name":
                left, right, sign = right, left, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(sign, sign)
            if left[0] != "name" or names(right):
                continue
            try:
                value = Evaluator({}, self.demands, {}, Arithmetic(60)).value(right).low
            except (Unknown, Undefined):
                continue
            if sign in (">", ">="):
                least = "real" if value < 0 else "nonnegative" if value == 0 and sign == ">=" else "positive"
                self.signs[left[1]] = least
            elif value <= 0 and sign in ("<", "<="):
                self.signs.setdefault(left[1], "real")

    def _free(self, tree: Any) -> set[str]:
        """Return the names that the value of a tree depends on."""
        if not isinstance(tree, tuple) or not tree:
            return set()
        if tree[0] == "name":
            return self._free(self.let[tree[1]]) if tree[1] in self.let else {tree[1]}
        if tree[0] != "call":
            return set().union(*(self._free(part) for part in tree))
        _, function, *arguments = tree
        if function in DEMANDS:
            sizes = sizes_in(tree, self.demands)
            inside = {n for s in sizes for n in (self._free(self.let[s]) if s in self.let else {s})}
            if function == "threshold":
                inside -= {arguments[-1][1]} if len(arguments) == 2 else {arguments[2][1]}
                inside |= {"R"} if len(arguments) == 2 else set()
            numbers = [a for a in arguments if a[0] not in ("name", "text")]
            return inside | set().union(*(self._free(a) for a in numbers))
        if function in BINDS and len(arguments) > BINDS[function]:
            place = BINDS[function]
            last = len(arguments) if function == "independent" else place + 1
            bound = {a[1] for a in arguments[place:last]}
            inner, rest = (arguments[1], []) if place == 0 else (arguments[0], arguments[last:])
            return (self._free(inner) - bound) | set().union(*(self._free(a) for a in rest), set())
        return set().union(*(self._free(a) for a in arguments), set())

    def _edges(self, tree: Any) -> Iterator[tuple[str, Tree]]:
        """Yield (name, value) pairs at which a comparison may change its truth, or a denominator may be zero."""
        for part in within(tree):
            if part[0] == "+" and len(part) == 3:
                for x, y in ((part[1], part[2]), (part[2], part[1])):
                    opposite = y[1] if y[0] == "-" else ("-", y)
                    if x[0] == "name" and x[1] in self.names and x[1] not in self._free(y):
                        yield x[1], opposite
            if part[0] == "relation":
                for a, b in zip(part[1], part[1][1:], strict=False):
                    for x, y in ((a, b), (b, a)):
                        if x[0] == "name" and x[1] in self.names and x[1] not in self._free(y):
                            yield x[1], y

    # --- truth ------------------------------------------------------------------------------------

    def evaluator(self, point: Mapping[str, Fraction], bits: int, last: bool, reach: int, loose: bool) -> Evaluator:
        signed = frozenset(n for n, s in self.signs.items() if s != "positive")
        n = Arithmetic(bits, last)
        whole = frozenset(self.whole)
        return Evaluator(self.let, self.demands, point, n, reach, loose, whole, signed, tuple(self.conditions))

    def asked(self, tree: Tree, point: Mapping[str, Fraction], reach: int = 0, loose: bool = False) -> Any:
        """Return True, False or UNDEFINED, or None if the evaluator cannot decide."""
        for bits in MEASURES:
            try:
                evaluator = self.evaluator(point, bits, bits == MEASURES[-1], reach, loose)
                truth = evaluator.true(tree)
                return None if evaluator.digits_doubtful else truth
            except Imprecise:
                continue
            except Undefined:
                return UNDEFINED
            except Unknown:
                return None
        return None

    def inside(self, point: Mapping[str, Fraction], reach: int = 0) -> bool:
        """Return whether a point lies in the domain of the claim."""
        for name, value in point.items():
            sign = self.signs.get(name, "positive")
            if (sign == "positive" and value <= 0) or (sign == "nonnegative" and value < 0):
                return False
            if (name in self.whole and value.denominator != 1) or (name in self.sizes and value < 1):
                return False
            if name in self.choices and value not in self.choices[name]:
                return False
        return all(self.asked(c, point, reach) is True for c in self.conditions)

    def truth(self, point: Mapping[str, Fraction], reach: int = 0, loose: bool = False) -> Any:
        return self.asked(self.says, point, reach, loose)

    def far_truth(self, fixed: Mapping[str, Fraction], random: Random, loose: bool = False) -> Any:
        """Return the truth far out at fixed sizes: False if it fails far out in some direction, None if open."""
        assert self.regime is not None
        ways = []
        for way in (
            0,
            0,
            0,
            0,
            1,
            2,
            3,
            4,
            5,
        ):  # at varied ratios, with one name outgrowing the other slightly or by far, and with equal values
            settled, seed = set(), random.random()
            for reach in (60, 150):
                far = self.regime.values(reach, Random(seed), way)
                point = {**fixed, **{n: v for n, v in far.items() if n in self.names}}
                if not self.inside(point, reach):
                    return None
                settled.add(self.truth(point, reach, loose))
            ways.append(settled.pop() if len(settled) == 1 else None)
        return False if False in ways else ways[0] if len(set(ways)) == 1 else None

    # --- points -----------------------------------------------------------------------------------

    def points(self, random: Random, count: int) -> Iterator[dict[str, Fraction]]:
        """Yield points of the domain: simple numbers, numbers near printed ones, and edges of comparisons."""
        if not self.names:
            yield {}
            return
        for edge in self.edges:  # each edge once
            point = {n: self._near(n, random) for n in self.names}
            self._to_an_edge(point, edge, Fraction(0))
            if self.inside(point):
                yield point
        tried = 0
        while count and tried < 60 + 12 * count:
            tried += 1
            point = {n: self._near(n, random) for n in self.names}
            if tried % 6 == 0:
                point |= {n: Fraction(0) for n, s in self.signs.items() if s in ("real", "nonnegative") and n in point}
            if self.edges and random.random() < 0.5:
                for _ in range(random.randint(1, 3)):
                    edge = random.choice(self.edges)
                    shift = Fraction(
                        random.randint(-1, 1), 1 if edge[0] in self.whole else random.choice((1, 100, 10**6))
                    )
                    self._to_an_edge(point, edge, shift)
            if self.inside(point):
                count -= 1
                yield point

    def fixed(self, random: Random, count: int) -> Iterator[dict[str, Fraction]]:
        """Yield values for the names that do not grow."""
        assert self.regime is not None
        stay = [n for n in self.names if n not in self.regime.growing]
        for _ in range(count if stay else 1):
            yield {n: self._near(n, random) for n in stay}

    def _near(self, name: str, random: Random) -> Fraction:
        if name in self.choices:
            return random.choice(self.choices[name])
        sign = self.signs.get(name, "positive")
        if name in self.whole:
            pool = [Fraction(k) for k in POOL] + [Fraction(random.randint(1, 60))]
            pool += [
                Fraction((p * q).__floor__() + d)
                for p in self.printed
                for d in (-1, 0, 1)
                for q in (*PARTS[:1], Fraction(3, 2), 1)
            ]
        else:
            pool = [*map(Fraction, POOL), *PARTS, *PARTS, Fraction(random.randint(1, 99), random.randint(1, 99))]
            pool += [p + d for p in self.printed for d in (-1, 0, 1, Fraction(1, 100), p / 2, -p / 4)]
        if sign != "positive":
            pool += [Fraction(0)] * 6
        if sign == "real":
            pool += [-p for p in pool]
        return random.choice([p for p in pool if p > 0 or sign == "real" or (p == 0 and sign != "positive")])

    def _to_an_edge(self, point: dict[str, Fraction], edge: tuple[str, Tree], shift: Fraction) -> None:
        name, other = edge
        try:
            value = self.evaluator(point, 60, True, 0, False).value(other)
        except (Unknown, Undefined, Imprecise):
            return
        if value.exact and abs(value.low) < 10**30:
            point[name] = (Fraction(value.low.__floor__()) if name in self.whole else value.low) + shift


class Same(Random):
    """A random source that always picks the first choice, so that names of one growth rate are equal."""

    def choice(self, seq: Any) -> Any:
        return seq[0]

    def randint(self, a: int, b: int) -> int:
        return a


class Growth:
    """The growing names of a regime and their values far out, read from its text."""

    def __init__(self, text: str) -> None:
        text = text.strip()
        self.shrinks = bool(re.search(r"->\s*0$", text))
        body = re.sub(r"->\s*(oo|0)$", "", text)
        stages = body.split(">>")
        if body == text:
            stages = stages[:-1]
        self.stages = [[self._group(piece) for piece in stage.split(",")] for stage in stages]
        self.growing = {name for stage in self.stages for group in stage for name, *_ in group}

    @staticmethod
    def _group(text: str) -> list[tuple[str, Fraction, int, str]]:
        """Return (name, factor, power, preceding sign) for each member of a group such as `F = 4 D` or `L ~ d^2`."""
        found, words = [], re.split("([~=])", text)
        for sign, word in zip(["~", *words[1::2]], words[::2], strict=True):
            match = re.fullmatch(r"\s*(\d+)?\s*\*?\s*([A-Za-z]\w*)\s*(?:\^\s*(\d+))?\s*", word)
            if match is None:
                raise ValueError(f"the regime {text!r}")
            found.append((match[2], Fraction(match[1] or 1), int(match[3] or 1), sign))
        return found

    def values(self, reach: int, random: Random, pattern: int) -> dict[str, Fraction]:
        out: dict[str, Fraction] = {}
        for k, stage in enumerate(self.stages):
            deep = 4 ** (len(self.stages) - 1 - k)
            for i, group in enumerate(stage):
                size = reach * deep * (1 + (0, i % 2, (i + 1) % 2, 4 * (i % 2), 4 * ((i + 1) % 2), 0)[pattern])
                self._grown(group, size, Same() if pattern == 5 else random, out)
        return {n: 1 / v for n, v in out.items()} if self.shrinks else out

    @staticmethod
    def _grown(
        group: list[tuple[str, Fraction, int, str]], size: int, random: Random, out: dict[str, Fraction]
    ) -> None:
        """Set the members of a group to values of one order. The order is the product of their powers."""
        order = 1
        for *_, power, _ in group:
            order *= power
        root = Fraction(10**size * random.randint(1, 9))
        if group[1:] and group[1][3] == "=":  # F = 4 D: compute the first from the second
            (first, a, p, _), (second, b, q, _) = group[:2]
            if p != 1:
                raise Unknown("a tie by a root")
            out[second] = root
            out[first] = b * root**q / a
            return
        for name, _, power, _ in group:
            out[name] = random.choice((*range(1, 10), 40, 1000)) * root ** (order // power)
