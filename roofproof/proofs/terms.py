"""Terms and formulas as nested tuples, their polynomial normal form, and how they print.

    term     ("q", p, q) rational   ("v", name)   ("+", t...)   ("*", t...)   ("/", t, t)   ("^", t, n)
             ("max", t...)   ("min", t...)   ("sqrt", t)   ("floor", t)   ("ceil", t)
    formula  (">", t, t)   (">=", t, t)   ("=", t, t)   ("int", t)   ("true",)   ("false",)
             ("not", f)   ("and", f...)   ("or", f...)   ("=>", f, f)   ("<=>", f, f)
             ("tends", t, (name...), t)   the term tends to the value as the names grow without bound,
                                          each at its own rate, every other variable fixed and positive

A term denotes a real number; division by zero denotes some unknown number, as in SMT-LIB. The normal form is
part of what a proof rests on, so this file, like the kernel, uses the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Term = tuple[Any, ...]
Formula = tuple[Any, ...]
Monomial = tuple[tuple[Term, int], ...]  # sorted ((atom, exponent), ...)
Polynomial = dict[Monomial, Fraction]

ZERO: Term = ("q", 0, 1)
OPAQUE = ("max", "min", "sqrt", "floor", "ceil")
MAX_MONOMIALS = 20_000
MAX_EXPONENT = 64
MAX_DEPTH = 200  # so that no function here runs out of stack
MAX_PARTS = 100_000


class KernelError(ValueError):
    """A rule was applied where it does not hold; nothing was proved."""


def well_formed(f: Any, kind: str = "formula") -> bool:
    """Tell whether `f` is a formula (or a term) of bounded size, built of plain tuples, strings and integers alone.

    Types are compared by identity: a subclass could answer differently each time it is asked.

    >>> well_formed((">", ("v", "x"), ZERO)), well_formed((">", ("v", "x"))), well_formed((">", ("v", "x"), 0))
    (True, False, False)
    """
    todo: list[tuple[str, Any, int]] = [(kind, f, 0)]
    for kind, part, depth in todo:  # grows while it is walked
        if type(part) is not tuple or not part or type(part[0]) is not str or depth > MAX_DEPTH:
            return False
        head, inner, parts = part[0], "term", part[1:]
        match (kind, head, len(parts)):
            case ("term", "q", 2):
                if not (type(parts[0]) is int and type(parts[1]) is int and parts[1] > 0):
                    return False
                continue
            case ("term", "v", 1):
                if type(parts[0]) is not str:
                    return False
                continue
            case ("term", "^", 2):
                if not (type(parts[1]) is int and 0 <= parts[1] <= MAX_EXPONENT):
                    return False
                parts = parts[:1]
            case ("formula", "tends", 3):
                names = parts[1]
                if not (type(names) is tuple and names and all(type(n) is str for n in names)):
                    return False
                parts = (parts[0], parts[2])
            case ("term", "+" | "*", _) | ("term", "/", 2) | ("term", "sqrt" | "floor" | "ceil", 1):
                pass
            case ("term", "max" | "min", n) if n > 0:
                pass
            case ("formula", ">" | ">=" | "=", 2) | ("formula", "int", 1):
                pass
            case ("formula", "true" | "false", 0) | ("formula", "not", 1):
                inner = "formula"
            case ("formula", "and" | "or", _) | ("formula", "=>" | "<=>", 2):
                inner = "formula"
            case _:
                return False
        if len(todo) + len(parts) > MAX_PARTS:
            return False
        todo.extend((inner, p, depth + 1) for p in parts)
    return True


def variables(f: Any) -> frozenset[str]:
    """Return the names of the variables in a term or formula.

    >>> sorted(variables(("+", ("v", "x"), ("max", ("v", "y"), ("q", 1, 1)))))
    ['x', 'y']
    """
    match f:
        case ("v", str(name)):
            return frozenset([name])
        case ("tends", t, _, value):
            return variables(t) | variables(value)
        case tuple():
            return frozenset[str]().union(*(variables(part) for part in f))
    return frozenset()


def add(p: Polynomial, q: Polynomial, factor: int = 1) -> Polynomial:
    out = dict(p)
    for m, c in q.items():
        total = out[m] + factor * c if m in out else factor * c
        if total:
            out[m] = total
        else:
            out.pop(m, None)
    return out


def times(m: Monomial, n: Monomial) -> Monomial:
    if not m or not n:
        return m or n
    powers = dict(m)
    for atom, e in n:
        powers[atom] = powers.get(atom, 0) + e
    return tuple(sorted(powers.items()))


def mul(p: Polynomial, q: Polynomial) -> Polynomial:
    if p is ONE or q is ONE:
        return q if p is ONE else p
    if len(p) * len(q) > MAX_MONOMIALS:
        raise KernelError("polynomial too large")
    out: Polynomial = {}
    for m, a in p.items():
        for n, b in q.items():
            mn = times(m, n)
            total = out[mn] + a * b if mn in out else a * b
            if total:
                out[mn] = total
            else:
                out.pop(mn, None)
    return out


ONE: Polynomial = {(): Fraction(1)}


def normal(term: Term, denominators: list[Polynomial]) -> tuple[Polynomial, Polynomial]:
    """Return (numerator, denominator) of a term, and append every divisor met to `denominators`."""
    match term:
        case ("q", int(p), int(q)) if q > 0:
            return ({(): Fraction(p, q)} if p else {}), ONE
        case ("v", str()):
            return {((term, 1),): Fraction(1)}, ONE
        case ("+", *parts):
            num: Polynomial = {}
            den = ONE
            for part in parts:
                n, d = normal(part, denominators)
                if d == den:
                    num = add(num, n)
                else:
                    num, den = add(mul(num, d), mul(n, den)), mul(den, d)
            return num, den
        case ("*", *parts):
            num, den = ONE, ONE
            for part in parts:
                n, d = normal(part, denominators)
                num, den = mul(num, n), mul(den, d)
            return num, den
        case ("/", a, b):
            n, d = normal(a, denominators)
            over, under = normal(b, denominators)
            denominators.append(over)
            return mul(n, under), mul(d, over)
        case ("^", a, int(e)) if 0 <= e <= MAX_EXPONENT:
            n, d = normal(a, denominators)
            num, den = ONE, ONE
            for _ in range(e):
                num, den = mul(num, n), mul(den, d)
            return num, den
        case (str(head), _, *_) if head in OPAQUE:
            return {((term, 1),): Fraction(1)}, ONE
    raise KernelError(f"not a term: {term!r}")


def product_of(ps: Sequence[Polynomial]) -> Polynomial:
    out = ONE
    for p in ps:
        out = mul(out, p)
    return out


def term_of(p: Polynomial) -> Term:
    """Return a polynomial as a term."""
    parts = [("*", ("q", c.numerator, c.denominator), *(("^", a, e) for a, e in m)) for m, c in p.items()]
    return ("+", ZERO, *parts)


def minus(a: Term, b: Term) -> Term:
    return ("+", a, ("*", ("q", -1, 1), b))


def substitute(f: Any, values: Mapping[str, Term]) -> Any:
    """Replace variables by terms throughout; a growing variable of a limit is neither replaced nor captured."""
    match f:
        case ("v", str(name)):
            return values.get(name, f)
        case ("tends", _, names, _):
            if frozenset(values).union(*map(variables, values.values())).intersection(names):
                raise KernelError("a growing variable cannot be replaced")
            return (f[0], substitute(f[1], values), names, substitute(f[3], values))
        case tuple():
            return tuple(substitute(part, values) for part in f)
    return f


def atoms_of(f: Formula, found: list[Formula]) -> None:
    """Append the atoms of a formula to `found`; `a >= b` is the negation of the atom `b > a`."""
    match f:
        case ("true",) | ("false",):
            return
        case ("not" | "and" | "or" | "=>" | "<=>", *parts):
            for part in parts:
                atoms_of(part, found)
        case _:
            atom = (">", f[2], f[1]) if f[0] == ">=" else f
            if atom not in found:
                found.append(atom)


def truth_table(atoms: Sequence[Formula]) -> tuple[dict[Formula, int], int]:
    """Return the column of each atom over all rows of a truth table, and the column of all rows.

    A column is an integer whose bit k tells whether the atom is true in row k.

    >>> x = ("v", "x")
    >>> truth_table([(">", x, ZERO), ("int", x)])[0][("int", x)]          # true in rows 2 and 3: 0b1100
    12
    """
    full = (1 << (1 << len(atoms))) - 1
    halves = ((1 << (1 << i)) for i in range(len(atoms)))
    return {a: full // (h * h - 1) * (h - 1) * h for a, h in zip(atoms, halves, strict=True)}, full


def truth_column(f: Formula, columns: Mapping[Formula, int], full: int) -> int:
    """Return the rows in which a formula is true, given the columns of its atoms."""
    match f:
        case ("true",):
            return full
        case ("false",):
            return 0
        case ("not", a):
            return full ^ truth_column(a, columns, full)
        case ("and", *parts):
            out = full
            for part in parts:
                out &= truth_column(part, columns, full)
            return out
        case ("or", *parts):
            out = 0
            for part in parts:
                out |= truth_column(part, columns, full)
            return out
        case ("=>", a, b):
            return full ^ truth_column(a, columns, full) | truth_column(b, columns, full)
        case ("<=>", a, b):
            return full ^ truth_column(a, columns, full) ^ truth_column(b, columns, full)
        case (">=", a, b):
            return full ^ columns[(">", b, a)]
    return columns[f]


def show(f: Any) -> str:
    """Return a term or formula as plain text."""
    match f:
        case ("q", p, q):
            return f"{p}/{q}" if q != 1 else str(p)
        case ("v", name):
            return str(name)
        case ("+" | "*" | "and" | "or" as op,):
            return {"+": "0", "*": "1", "and": "true", "or": "false"}[op]
        case ("+" | "*" | "/" as op, *parts):
            texts = [show(p) if op == "+" or _bare(p, op) else _bracket(p) for p in parts]
            return {"+": " + ", "*": "*", "/": "/"}[op].join(texts)
        case ("^", t, n):
            return f"{_bracket(t)}^{n}"
        case (">" | ">=" | "=" as op, a, b):
            return f"{show(a)} {op} {show(b)}"
        case ("and" | "or" | "=>" | "<=>" as op, *parts):
            return f" {op} ".join(
                f"({show(p)})" if p[0] in ("and", "or", "=>", "<=>", "tends") else show(p) for p in parts
            )
        case ("tends", t, names, value):
            return f"{show(t)} -> {show(value)} as {', '.join(names)} -> oo"
        case (name, *parts):
            return f"{name}({', '.join(show(p) for p in parts)})" if parts else str(name)
    return str(f)


def _bare(t: Term, op: str) -> bool:
    return t[0] in ("v", "^") or (t[0] == "q" and (op == "*" or t[2] == 1))


def _bracket(t: Term) -> str:
    return show(t) if t[0] in ("v", *OPAQUE) else f"({show(t)})"
