"""Checker of certificates: `python checker.py FILE...` prints each proved theorem, or exits with an error (status 1).

It shares no code with the proof checker of roofproof. docs/certificates.md describes the format. Each theorem must be
exactly the theorem that its rule derives.
"""

import json
import re
import sys
from collections import Counter
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from math import prod
from operator import and_, or_
from pathlib import Path
from typing import Any

Tree = tuple[Any, ...]  # a term or a formula
Proved = tuple[frozenset[Tree], Tree]  # hypotheses and conclusion
FORMAT = "roofproof certificate 2"
LARGE = "-?([1-9][0-9]{0,3999}|0x[0-9a-f]{1,99999})"  # text: JSON readers may round it
ZERO, UNIT, MINUS, HALF = ("q", 0, 1), ("q", 1, 1), ("q", -1, 1), ("q", 1, 2)
NONE, ONE, TWO, MANY, SOME = range(1), range(1, 2), range(2, 3), range(10**5 + 1), range(1, 10**5 + 1)  # arity
TERMS = {"+": MANY, "*": MANY, "/": TWO, "max": SOME, "min": SOME, "power": TWO}
TERMS |= dict.fromkeys(("sqrt", "floor", "ceil", "log2"), ONE)
LOGIC = {"true": NONE, "false": NONE, "not": ONE, "=>": TWO, "<=>": TWO, "and": MANY, "or": MANY}
FORMULAS = LOGIC | {">": TWO, ">=": TWO, "=": TWO, "int": ONE}
EVERY = (1 << (1 << 18)) - 1  # one bit for each row of a truth table of 18 atoms
COLUMNS = [EVERY // ((1 << (1 << k)) + 1) for k in range(18)]


def need(holds: object, why: str) -> None:
    if not holds:
        raise ValueError(why)


def listed(j: Any, kind: type = list) -> list[Any]:
    need(type(j) is list and all(type(x) is kind for x in j if kind is not list), "not a list of what is expected here")
    return list(j)


def fields(j: Any, *keys: str) -> list[Any]:
    found = sorted(k for k, _ in j) if type(j) is tuple else None  # objects are parsed as pairs: no key is lost
    need(found == sorted(keys), f"not an object of {', '.join(keys) or 'nothing'}")
    return [dict(j)[k] for k in keys]


def read(j: Any, known: dict[str, range]) -> Tree:
    need(type(j) is list and j and type(j[0]) is str, "not a term or a formula")
    head, *parts = j
    if known is TERMS and head == "v" and len(parts) == 1:
        return ("v", *listed(parts, str))
    numbers = [int(str(p), 0) for p in parts if type(p) is int or (type(p) is str and re.fullmatch(LARGE, p))]
    if known is TERMS and head == "q" and len(parts) == len(numbers) == 2 and numbers[1] > 0:
        return ("q", *numbers)
    if known is TERMS and head == "^" and len(parts) == 2 and len(numbers) == 1 and 0 <= numbers[0] <= 64:
        return ("^", read(parts[0], TERMS), numbers[0])
    if known is FORMULAS and head == "tends" and len(parts) == 3 and parts[1]:
        return (head, read(parts[0], TERMS), tuple(listed(parts[1], str)), read(parts[2], TERMS))
    need(head in known and len(parts) in known[head], f"unknown, or with other parts: {head[:40]}")
    return (head, *(read(p, FORMULAS if head in LOGIC else TERMS) for p in parts))


class Polynomial(dict[frozenset[tuple[Tree, int]], Any]):  # {{(atom, exponent), ...}: nonzero coefficient}
    def __add__(self, other: "Polynomial") -> "Polynomial":
        return Polynomial({m: c for m in {**self, **other} if (c := self.get(m, 0) + other.get(m, 0))})

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        total = Counter[Any]()
        for (m, a), (n, b) in product(self.items(), other.items()):
            total[frozenset((Counter(dict(m)) + Counter(dict(n))).items())] += a * b
        return Polynomial(total) + Polynomial()

    def free(self, names: frozenset[str]) -> bool:
        return all(atom[0] == "v" and atom[1] in names for m in self for atom, _ in m)

    def sign(self, names: frozenset[str], known: "list[Polynomial]") -> int:
        """Return 1 or -1 if the coefficients or a proportional positive polynomial give the sign, else 0."""
        told: list[Any] = [self.values()] if self and self.free(names) else []
        told += [r for q in known if self.keys() == q.keys() and len(r := {self[m] / q[m] for m in self}) == 1]
        return next((1 if min(r) > 0 else -1 for r in told if min(r) > 0 or max(r) < 0), 0)


def number(value: Fraction | int) -> Polynomial:
    return Polynomial({frozenset(): Fraction(value)} if value else {})


@lru_cache(maxsize=10_000)
def fraction(t: Tree) -> tuple[Polynomial, Polynomial, tuple[Polynomial, ...]]:
    """Return the numerator, the denominator, and the numerators of all divisors."""
    if t[0] not in ("+", "*", "/", "^"):
        atom = number(Fraction(t[1], t[2])) if t[0] == "q" else Polynomial({frozenset([(t, 1)]): Fraction(1)})
        return atom, number(1), ()
    parts = [fraction(t[1])] * t[2] if t[0] == "^" else [fraction(p) for p in t[1:]]
    divisors = fraction(t[1])[2] if t[0] == "^" else tuple(d for p in parts for d in p[2])
    if t[0] == "/":
        (n, d, _), (over, under, _) = parts
        return n * under, d * over, (*divisors, over)
    num, den = number(t[0] != "+"), number(1)
    for n, d, _ in parts:
        if t[0] == "+":
            num, den = (num + n, den) if d == den else (num * d + n * den, den * d)
        else:
            num, den = num * n, den * d
    return num, den, divisors


def as_polynomial(t: Tree) -> Polynomial:
    num, den, divisors = fraction(t)
    need(all(set(d) == {frozenset()} for d in divisors), "expected a polynomial, got a fraction")
    return num * number(1 / den[frozenset()])


def minus(a: Tree, b: Tree) -> Tree:
    return ("+", a, ("*", MINUS, b))


def arith(said: Tree, premises: list[Tree], told: Any) -> frozenset[Tree]:
    entries, taken, scaled = fields(told, "sum", "positive", "multiplier")
    names, scale = frozenset(listed(taken, str)), as_polynomial(read(scaled, TERMS))
    facts, known = list[tuple[str, Polynomial]](), list[Polynomial]()  # known to be positive
    for f in (*premises, (">", ZERO, ZERO) if said == ("false",) else said):
        need(f[0] in (">", ">=", "="), "no comparison")
        num, den, divisors = fraction(minus(*f[1:]))
        turn, *signs = (p.sign(names, known) for p in (den, *divisors))
        need(all(signs), "the sign of a denominator is not known")
        facts.append((f[0], num * (number(turn) if turn else den)))
        known += [facts[-1][1]] if f[0] == ">" else []
    relation, goal = facts.pop()
    total, strict = Polynomial(), relation != ">"
    for entry in listed(entries):
        factor, chosen = fields(entry, "times", "premises")
        m, used = as_polynomial(read(factor, TERMS)), at(facts, chosen)
        if "=" not in (kinds := {kind for kind, _ in used}):
            need(relation != "=" and (not m or m.sign(names, []) > 0), "a factor in the sum is not positive")
            strict = strict or (bool(m) and kinds <= {">"})
        total += prod((p for _, p in used), start=m)
    need(scale.sign(names, []) > 0 and strict and total == scale * goal, "the sum is not the conclusion")
    return frozenset((">", ("v", n), ZERO) for n in names)


def rows(f: Tree, atoms: dict[Tree, int]) -> int:
    """Return the rows of a truth table in which a formula is true. a >= b is the negation of b > a."""
    if f[0] not in LOGIC:
        place = atoms.setdefault((">", f[2], f[1]) if f[0] == ">=" else f, len(atoms))
        need(place < len(COLUMNS), "too many atoms for a truth table")
        return COLUMNS[place] ^ (EVERY if f[0] == ">=" else 0)
    parts = [rows(p, atoms) for p in f[1:]]
    if f[0] in ("or", "false"):
        return reduce(or_, parts, 0)
    if f[0] in ("and", "true"):
        return reduce(and_, parts, EVERY)
    return EVERY ^ parts[0] ^ (parts[1] if f[0] == "<=>" else parts[0] & parts[1] if f[0] == "=>" else 0)


def definition(t: Tree) -> Tree | None:
    a, parts = (*t, ZERO)[1], t[1:]
    which = ("or", *(("=", t, p) for p in parts))
    return {
        "max": ("and", *((">=", t, p) for p in parts), which),
        "min": ("and", *((">=", p, t) for p in parts), which),
        "sqrt": ("=>", (">=", a, ZERO), ("and", ("=", ("*", t, t), a), (">=", t, ZERO))),
        "floor": ("and", ("int", t), (">=", a, t), (">", ("+", t, UNIT), a)),
        "ceil": ("and", ("int", t), (">=", t, a), (">", ("+", a, UNIT), t)),
        "power": ("=>", (">", a, ZERO), (">", t, ZERO)),
    }.get(t[0])


def log_of(t: Tree, inside: set[Tree]) -> Tree:
    match t:
        case ("q", 2, 1):
            return UNIT
        case ("*", *factors):
            return ("+", *(log_of(f, inside) for f in factors))
        case ("/", a, b):
            return minus(log_of(a, inside), log_of(b, inside))
        case ("^" | "power" | "sqrt" as head, a, *rest):
            factor = HALF if head == "sqrt" else rest[0] if head == "power" else ("q", rest[0], 1)
            return ("*", factor, log_of(a, inside))
    inside.add(t)
    return ("log2", t)


def power_of(base: Tree, t: Tree) -> Tree:
    if t[0] == "+":
        return ("*", *(power_of(base, p) for p in t[1:]))
    if t[0] != "q" or t[2] > 2:
        return ("power", base, t)
    raised = ("^", base if t[2] == 1 else ("sqrt", base), abs(t[1]))
    return raised if t[1] >= 0 else ("/", UNIT, raised)


def limit(t: Tree, growing: tuple[str, ...], value: Tree, told: Any) -> frozenset[Tree]:
    positive = frozenset(listed(fields(told, "positive")[0], str))
    num, den, divisors = fraction(minus(t, value))
    below, still = (den, *divisors), substituted(value, dict.fromkeys(growing, ZERO)) == value
    need(still and positive.issuperset(growing), "the value grows, or a sign is open")
    need(all(below) and all(p.free(positive) for p in (num, *below)), "not a fraction in positive variables")
    for q, small in ((den, num), *((q, [m for m, c in q.items() if c < 0]) for q in below)):
        for m in map(dict, small):
            steps = [[dict(n).get(("v", g), 0) - m.get(("v", g), 0) for g in growing] for n, c in q.items() if c > 0]
            need(any(min(s) >= 0 and max(s) > 0 for s in steps), "the difference may not tend to zero")
    return frozenset((">", ("v", n), ZERO) for n in positive.difference(growing))


def substituted(f: Tree, values: dict[str, Tree]) -> Tree:
    if f[0] == "v":
        return values.get(f[1], f)
    if f[0] == "tends":
        free = all(n not in f[2] and substituted(t, dict.fromkeys(f[2], ZERO)) == t for n, t in values.items())
        need(free, "a growing variable is replaced or captured")
        return (f[0], substituted(f[1], values), f[2], substituted(f[3], values))
    return (f[0], *(substituted(p, values) if type(p) is tuple else p for p in f[1:]))


def step(rule: str, said: Tree, premises: list[Proved], told: Any) -> frozenset[Tree]:
    """Return the hypotheses under which a rule derives `said`. Raises ValueError if it does not derive it."""
    given, known, inside = frozenset[Tree]().union(*(h for h, _ in premises)), [c for _, c in premises], set[Tree]()
    need(told == () or rule in ("arith", "tends", "instantiate", "definition"), "more is told than this rule needs")
    match rule, said, known:
        case "arith", _, _:
            return given | arith(said, known, told)
        case "tends", ("tends", t, growing, value), []:
            return limit(t, growing, value, told)
        case "instantiate", _, [conclusion]:
            values = {n: read(t, TERMS) for n, t in fields(told, "values")[0]}
            need(said == substituted(conclusion, values), "not what the values make of the premise")
            return frozenset(substituted(h, values) for h in given)
        case "definition", _, [] if said == definition(read(fields(told, "term")[0], TERMS)):
            return given
        case "assume", _, []:
            return frozenset([said])
        case "discharge", ("=>", f, c), [d] if c == d:
            return given - {f}
        case "cases", c, [("or", *parts), *ends] if parts and len(parts) == len(ends) and {*ends} == {c}:
            return premises[0][0].union(*(hs - {f} for f, (hs, _) in zip(parts, premises[1:], strict=True)))
        case "propositional", _, _:
            need(not rows(("and", *known, ("not", said)), {}), "it does not follow by truth table")
            return given
        case "square", (">=", ("*", a, b), ("q", 0, 1)), [] if a == b:
            return given
        case "trichotomy", ("or", (">", a, b), ("=", c, d), (">", e, f)), [] if a == c == f and b == d == e:
            return given
        case "logarithm", ("=", ("log2", a), right), [("=", c, b)] if a == c and right == log_of(b, inside):
            return given | {(">", t, ZERO) for t in (a, *inside)}
        case "exponential", ("=", ("power", base, a), right), [("=", c, b)] if (a, right) == (c, power_of(base, b)):
            return given | {(">", base, ZERO)}
        case "rising", (">", (head, *x, a), (same, *y, b)), [(">", c, d)] if (head, x, a, b) == (same, y, c, d):
            need(head in ("log2", "power"), "neither a logarithm nor a power")
            return given | {(">", x[0], UNIT) if x else (">", b, ZERO)}
        case "integral", ("int", t), _:
            whole, p = {c[1] for c in known if c[0] == "int"}, as_polynomial(t)
            atoms = {a for m in p for a, _ in m if a[0] not in ("floor", "ceil")}
            need(atoms <= whole and all(c.denominator == 1 for c in p.values()), "not a polynomial with integer values")
            return given
        case "gap", (">=", a, ("+", b, ("q", 1, 1))), [(">", c, d), ("int", t)] if (a, b) == (c, d):
            need(as_polynomial(t) == as_polynomial(minus(a, b)), "the integer is not the difference")
            return given
    raise ValueError("not what the rule gives")


def at(items: list[Any], indices: Any) -> list[Any]:
    need(all(0 <= i < len(items) for i in listed(indices, int)), "a number of what is not there, or not yet")
    return [items[i] for i in indices]


def check(text: str) -> Proved:
    """Return the hypotheses and conclusion of the last theorem of a file, after checking every theorem in order."""
    proved, where = list[Proved](), ""
    try:
        j = json.loads(text, object_pairs_hook=tuple)
        version, _, listing, steps = fields(j, "format", "says", "formulas", "theorems")
        need(version == FORMAT, f"not of the format {FORMAT!r}")
        formulas = [read(f, FORMULAS) for f in listed(listing)]
        for k, j in enumerate(listed(steps)):
            where = f"theorem {k}: "
            rule, n, hs, ps, told = fields(j, "rule", "conclusion", "hypotheses", "premises", "certificate")
            [said], stated = at(formulas, [n]), frozenset(at(formulas, hs))
            need(step(rule, said, at(proved, ps), told) == stated, "the hypotheses are not those that the rule gives")
            proved.append((stated, said))
        need(proved, "no theorem")
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{where}{error}") from None
    return proved[-1]


def show(f: Any) -> str:
    if f[0] == "q" or f[0] == "v":
        return str(f[1]) if f[0] == "v" else str(Fraction(f[1], f[2]))
    parts = [", ".join(p) if f[0] == "tends" and p is f[2] else show(p) if type(p) is tuple else str(p) for p in f[1:]]
    return f"({f' {f[0]} '.join(parts)})" if len(parts) > 1 else f"{f[0]}({parts[0]})" if parts else f[0]


if __name__ == "__main__":
    for path in sys.argv[1:] or sys.exit("no file: python checker.py FILE..."):
        try:
            hypotheses, conclusion = check(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: refused: {error}")
        print(f"{path}: {', '.join(sorted(map(show, hypotheses)))} |- {show(conclusion)}")
