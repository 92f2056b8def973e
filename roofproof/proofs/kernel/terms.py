"""Terms and formulas as nested tuples, their polynomial normal form, and how they print.

    term     ("q", p, q) rational   ("v", name)   ("+", t...)   ("*", t...)   ("/", t, t)   ("^", t, n)
             ("max", t...)   ("min", t...)   ("sqrt", t)   ("floor", t)   ("ceil", t)
             ("log2", t)   ("power", t, t): the first to the power of the second, whole or not
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
from functools import lru_cache, reduce
from operator import and_, or_
from types import MappingProxyType
from typing import Any

Term = tuple[Any, ...]
Formula = tuple[Any, ...]
Monomial = tuple[tuple[Term, int], ...]  # sorted ((atom, exponent), ...)
Number = Fraction | int  # whole numbers stay integers, which are several times faster; never a float
Polynomial = dict[Monomial, Number]

ZERO: Term = ("q", 0, 1)
OPAQUE = ("max", "min", "sqrt", "floor", "ceil", "log2", "power")
MAX_MONOMIALS = 20_000
MAX_EXPONENT = 64
MAX_DEPTH = 200  # so that no function here runs out of stack
MAX_PARTS = 100_000
MAX_REMEMBERED = 10_000


class KernelError(ValueError):
    """A rule was applied where it does not hold; nothing was proved."""


_seen: dict[tuple[str, int], Any] = {}  # what was found well formed, by identity


def well_formed(f: Any, kind: str = "formula") -> bool:
    """Tell whether `f` is a formula (or a term) of bounded size, built of plain tuples, strings and integers alone.

    Types are compared by identity: a subclass could answer differently each time it is asked. What is built so
    cannot change, so it is looked at once; it is kept, so that nothing else can come to have its identity.

    >>> well_formed((">", ("v", "x"), ZERO)), well_formed((">", ("v", "x"))), well_formed((">", ("v", "x"), 0))
    (True, False, False)
    """
    key = (kind, id(f))
    if key in _seen:
        return True
    good = _well_formed(f, kind)
    if good:
        if len(_seen) >= MAX_REMEMBERED:
            _seen.clear()
        _seen[key] = f
    return good


def checked_formula(f: Formula) -> Formula:
    """Return a formula, after refusing whatever is not well formed."""
    if not well_formed(f):
        raise KernelError("not a formula of bounded size built of plain tuples, strings and integers")
    return f


def checked_term(t: Term) -> Term:
    """Return a term, after refusing whatever is not well formed."""
    if not well_formed(t, "term"):
        raise KernelError("not a term of bounded size built of plain tuples, strings and integers")
    return t


# head: (what its parts are, how many there are at least, at most)
PARTS: dict[str, dict[str, tuple[str, int, int]]] = {
    "term": {
        "+": ("term", 0, MAX_PARTS), "*": ("term", 0, MAX_PARTS), "/": ("term", 2, 2),
        "max": ("term", 1, MAX_PARTS), "min": ("term", 1, MAX_PARTS),
        "sqrt": ("term", 1, 1), "floor": ("term", 1, 1), "ceil": ("term", 1, 1),
        "log2": ("term", 1, 1), "power": ("term", 2, 2),
    },
    "formula": {
        ">": ("term", 2, 2), ">=": ("term", 2, 2), "=": ("term", 2, 2), "int": ("term", 1, 1),
        "true": ("formula", 0, 0), "false": ("formula", 0, 0), "not": ("formula", 1, 1),
        "and": ("formula", 0, MAX_PARTS), "or": ("formula", 0, MAX_PARTS),
        "=>": ("formula", 2, 2), "<=>": ("formula", 2, 2),
    },
}  # fmt: skip


def _well_formed(f: Any, kind: str) -> bool:
    formulas, terms = ([f], []) if kind == "formula" else ([], [f])
    count = depth = 0
    while formulas or terms:
        count += len(formulas) + len(terms)
        if depth > MAX_DEPTH or count > MAX_PARTS:
            return False
        depth, layers, formulas, terms = depth + 1, (formulas, terms), [], []
        for part in layers[0]:
            if type(part) is not tuple or not part or type(part[0]) is not str:
                return False
            head, size = part[0], len(part) - 1
            if (shape := PARTS["formula"].get(head)) is not None:
                inner, least, most = shape
                if not least <= size <= most:
                    return False
                (formulas if inner == "formula" else terms).extend(part[1:])
            elif head == "tends" and size == 3:
                names = part[2]
                if not (type(names) is tuple and names and all(type(n) is str for n in names)):
                    return False
                terms += (part[1], part[3])
            else:
                return False
        for part in layers[1]:
            if type(part) is not tuple or not part or type(part[0]) is not str:
                return False
            head, size = part[0], len(part) - 1
            if head == "v":
                if size != 1 or type(part[1]) is not str:
                    return False
            elif head == "q":
                if size != 2 or not (type(part[1]) is int and type(part[2]) is int and part[2] > 0):
                    return False
            elif head == "^":
                if size != 2 or not (type(part[2]) is int and 0 <= part[2] <= MAX_EXPONENT):
                    return False
                terms.append(part[1])
            elif (shape := PARTS["term"].get(head)) is not None and shape[1] <= size <= shape[2]:
                terms += part[1:]
            else:
                return False
    return True


def variables(f: Any) -> frozenset[str]:
    """Return the names of the variables in a term or formula.

    >>> sorted(variables(("+", ("v", "x"), ("max", ("v", "y"), ("q", 1, 1)))))
    ['x', 'y']
    """
    found: set[str] = set()
    todo = [f]
    for part in todo:  # what it is made of is put at the end
        if isinstance(part, tuple) and part:
            head = part[0]
            if head == "v" and len(part) == 2 and isinstance(part[1], str):
                found.add(part[1])
            elif head == "tends" and len(part) == 4:
                todo += (part[1], part[3])
            elif head != "q":
                todo += part
    return frozenset(found)


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
    if m[-1][0] < n[0][0]:
        return m + n  # in order as they are
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


ONE: Polynomial = MappingProxyType({(): 1})  # type: ignore[assignment]  # handed out as it is: nobody may change it


def normal(term: Term, denominators: list[Polynomial]) -> tuple[Polynomial, Polynomial]:
    """Return (numerator, denominator) of a term, and append every divisor met to `denominators`."""
    head = term[0]
    if head == "v":
        return {((term, 1),): 1}, ONE
    if head == "q" and term[2] > 0:
        p, q = term[1:]
        if p == q:
            return ONE, ONE
        return ({(): p if q == 1 else Fraction(p, q)} if p else {}), ONE
    if head == "+":
        num: Polynomial = {}
        den = ONE
        for part in term[1:]:
            n, d = normal(part, denominators)
            if d == den:
                num = add(num, n)
            else:
                num, den = add(mul(num, d), mul(n, den)), mul(den, d)
        return num, den
    if head == "*":
        num, den = ONE, ONE
        for part in term[1:]:
            n, d = normal(part, denominators)
            num, den = mul(num, n), mul(den, d)
        return num, den
    if head == "/":
        n, d = normal(term[1], denominators)
        over, under = normal(term[2], denominators)
        denominators.append(over)
        return mul(n, under), mul(d, over)
    if head == "^" and 0 <= term[2] <= MAX_EXPONENT:
        n, d = normal(term[1], denominators)
        num, den = ONE, ONE
        for _ in range(term[2]):
            num, den = mul(num, n), mul(den, d)
        return num, den
    if head in OPAQUE:
        return {((term, 1),): 1}, ONE
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
    if not isinstance(f, tuple) or not f or f[0] == "q":
        return f
    if f[0] == "v" and len(f) == 2:
        return values.get(f[1], f)
    if f[0] == "tends" and len(f) == 4:
        if frozenset(values).union(*map(variables, values.values())).intersection(f[2]):
            raise KernelError("a growing variable cannot be replaced")
        return (f[0], substitute(f[1], values), f[2], substitute(f[3], values))
    return tuple([substitute(part, values) for part in f])


def atoms_of(f: Formula, found: list[Formula]) -> None:
    """Append the atoms of a formula to `found`; `a >= b` is the negation of the atom `b > a`."""
    head = f[0]
    if head in ("not", "and", "or", "=>", "<=>"):
        for part in f[1:]:
            atoms_of(part, found)
    elif head not in ("true", "false"):
        atom = (">", f[2], f[1]) if head == ">=" else f
        if atom not in found:
            found.append(atom)


def truth_table(atoms: Sequence[Formula]) -> tuple[dict[Formula, int], int]:
    """Return the column of each atom over all rows of a truth table, and the column of all rows.

    A column is an integer whose bit k tells whether the atom is true in row k.

    >>> x = ("v", "x")
    >>> truth_table([(">", x, ZERO), ("int", x)])[0][("int", x)]          # true in rows 2 and 3: 0b1100
    12
    """
    columns, full = _columns(len(atoms))
    return dict(zip(atoms, columns, strict=True)), full


@lru_cache(maxsize=32)
def _columns(count: int) -> tuple[tuple[int, ...], int]:
    columns = list[int]()
    rows, full = 1, 1
    for _ in range(count):  # as many rows again, in which one more atom is true
        columns = [c << rows | c for c in columns]
        columns.append(full << rows)
        rows, full = 2 * rows, full << rows | full
    return tuple(columns), full


def truth_column(f: Formula, columns: Mapping[Formula, int], full: int) -> int:
    """Return the rows in which a formula is true, given the columns of its atoms."""
    head = f[0]
    if head == ">=":
        return full ^ columns[(">", f[2], f[1])]
    if head in ("true", "false"):
        return full if head == "true" else 0
    if head not in ("not", "and", "or", "=>", "<=>"):
        return columns[f]
    parts = [truth_column(part, columns, full) for part in f[1:]]
    if head == "not":
        return full ^ parts[0]
    if head == "and":
        return reduce(and_, parts, full)
    if head == "or":
        return reduce(or_, parts, 0)
    a, b = parts
    return (full ^ a | b) if head == "=>" else full ^ a ^ b


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
