"""Terms and formulas: one immutable value each, their polynomial normal form, and how they print.

    term     q p q: a rational   v name   + t...   * t...   / t t   ^ t n
             max t...   min t...   sqrt t   floor t   ceil t
             log2 t   power t t: the first to the power of the second, whole or not
    formula  > t t   >= t t   = t t   int t   true   false
             not f   and f...   or f...   => f f   <=> f f
             tends t (name...) t: the term tends to the value as the names grow without bound,
                                  each at its own rate, every other variable fixed and positive

A value is a tuple of its head and its parts, and equal to the plain tuple that says the same; `Term(head, *parts)`
and `Formula(head, *parts)` make one, and look at its shape. The kernel trusts neither class: it reads what comes in
into plain tuples of its own (`checked_formula`). A term denotes a real number; division by zero denotes some unknown
number, as in SMT-LIB. The normal form is part of what a proof rests on, so this file, like the kernel, uses the
standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from operator import and_, is_, or_
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypeVar

Plain = tuple[Any, ...]  # a term or formula as the kernel holds it: plain tuples, strings and integers alone
Kind = Literal["term", "formula"]
Monomial = tuple[tuple[Any, int], ...]  # sorted ((atom, exponent), ...): terms as values, or as the kernel holds them
Number = Fraction | int  # whole numbers stay integers, which are several times faster; never a float
Polynomial = dict[Monomial, Number]

OPAQUE = ("max", "min", "sqrt", "floor", "ceil", "log2", "power")
MAX_MONOMIALS = 20_000
MAX_EXPONENT = 64
MAX_DEPTH = 200  # so that no function here runs out of stack
MAX_PARTS = 100_000
MAX_REMEMBERED = 10_000
MAX_INTERNED = 50_000


class KernelError(ValueError):
    """A rule was applied where it does not hold; nothing was proved."""


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


# --- what comes into the kernel --------------------------------------------------------------------

_seen: dict[tuple[str, int], tuple[Any, Plain]] = {}  # what was found well formed: it, and its copy, by identity
_plains: dict[int, tuple[Any, Plain]] = {}  # what was copied, and parts of it: it, and its copy, by identity


def well_formed(f: object, kind: Kind = "formula") -> bool:
    """Tell whether `f` is a formula (or a term) of bounded size, of values, plain tuples, strings and integers alone.

    >>> x = Term("v", "x")
    >>> well_formed(Formula(">", x, ZERO)), well_formed((">", x, ZERO)), well_formed((">", x)), well_formed((">", x, 0))
    (True, True, False, False)
    """
    return _copied(f, kind) is not None


def checked_formula(f: object) -> Plain:
    """Return the kernel's own copy of a formula, after refusing whatever is not well formed."""
    if (copy := _copied(f, "formula")) is None:
        raise KernelError("not a formula of bounded size built of plain tuples, strings and integers")
    return copy


def checked_term(t: object) -> Plain:
    """Return the kernel's own copy of a term, after refusing whatever is not well formed."""
    if (copy := _copied(t, "term")) is None:
        raise KernelError("not a term of bounded size built of plain tuples, strings and integers")
    return copy


def _copied(f: Any, kind: Kind) -> Plain | None:
    """Return a copy in plain tuples, which nothing can change, or None for what is not well formed.

    Types are compared by identity: a subclass could answer differently each time it is asked, and Python lets an
    object change its class. So what comes in is read once, and the copy is looked at; both are kept, so that nothing
    else can come to have their identity.
    """
    key = (kind, id(f))
    if (known := _seen.get(key)) is not None:
        return known[1]
    try:
        copy: Plain = _plain(f, 0)
    except KernelError:
        return None
    if not _well_formed(copy, kind):
        return None
    if len(_seen) >= MAX_REMEMBERED:
        _seen.clear()
    if len(_plains) >= MAX_INTERNED:
        _plains.clear()
    _seen[key] = _seen[kind, id(copy)] = (f, copy)
    return copy


def _plain(f: Any, depth: int) -> Any:
    if type(f) not in VALUES:
        return f
    if (known := _plains.get(id(f))) is not None:
        return known[1]
    if depth > MAX_DEPTH:
        raise KernelError("not of bounded size")
    copy = parts = tuple(f)
    if not VALUES.isdisjoint(map(type, parts)):
        inside = tuple([_plain(p, depth + 1) if type(p) in VALUES else p for p in parts])
        copy = parts if all(map(is_, inside, parts)) else inside
    _plains[id(f)] = (f, copy)
    return copy


# --- values -----------------------------------------------------------------------------------------

_interned: dict[Plain, Value] = {}  # each value once, by what it says
_measures: dict[int, tuple[int, int]] = {}  # depth and size of those


class Value(tuple[Any, ...]):
    """What terms and formulas have in common: a head, parts, and that they never change.

    A value is equal to the plain tuple that it holds, and hashed like it, so that either is found by the other. Two
    made of the same parts are one object as long as they are remembered.
    """

    __slots__ = ()

    def __new__(cls, head: str, *parts: Any) -> Self:
        if type(head) is not str or not ATOMIC.issuperset(map(type, parts)):
            parts = tuple([_part(head, p) for p in parts])
        found = _interned.get((head, *parts))
        return found if type(found) is cls else _made(cls, (head, *parts))  # type: ignore[return-value]

    def __init_subclass__(cls) -> None:
        if cls.__base__ is not Value:
            raise TypeError(f"{cls.__base__} has no subclasses")

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"a value never changes: {name}")

    def __reduce__(self) -> tuple[type[Self], Plain]:
        return type(self), tuple(self)

    def __str__(self) -> str:
        return show(self)

    @property
    def head(self) -> str:
        return self[0]  # type: ignore[no-any-return]

    @property
    def variables(self) -> frozenset[str]:
        """The names of the variables.

        >>> sorted(Term("+", Term("v", "x"), Term("max", Term("v", "y"), ZERO)).variables)
        ['x', 'y']
        """
        return variables(self)

    def mapped(self, change: Callable[[Any], Any]) -> Self:
        """Return the value with each of its parts changed that is a value itself.

        >>> Term("^", Term("v", "x"), 2).mapped(lambda part: Term("sqrt", part))
        ('^', ('sqrt', ('v', 'x')), 2)
        """
        parts = [change(p) if isinstance(p, Value) else p for p in self]
        return self if all(map(is_, parts, self)) else type(self)(*parts)


class Term(Value):
    """A real number that depends on variables.

    >>> x = Term("v", "x")
    >>> half = Term("/", x, Term("q", 2, 1))
    >>> print(half, half.head, *half.parts, half == ("/", ("v", "x"), ("q", 2, 1)), Term("v", "x") is x)
    x/2 / x 2 True True
    >>> Term("/", x)
    Traceback (most recent call last):
    roofproof.proofs.kernel.terms.KernelError: not a term: ('/', ('v', 'x'))
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __new__(cls, head: str, *parts: Term | str | int) -> Self: ...

    @property
    def parts(self) -> tuple[Term, ...]:
        """The terms it is made of: of a power with a whole exponent the base, of a number or a variable none."""
        return tuple([p for p in self if type(p) is Term])

    @property
    def normal_form(self) -> NormalForm:
        """Numerator, denominator and every divisor as polynomials; worked out once, and nobody may change them."""
        return normal_form(self)

    @staticmethod
    def of(expr: object) -> Term:
        """Return the term of a SymPy expression; it is read once as long as it is remembered."""
        return _rim("term")(expr)  # type: ignore[no-any-return]

    @staticmethod
    def rational(value: int | Fraction) -> Term:
        """Return a number as a term.

        >>> Term.rational(Fraction(1, 2)), Term.rational(3)
        (('q', 1, 2), ('q', 3, 1))
        """
        return Term("q", value.numerator, value.denominator)

    def sympy(self) -> Any:  # what SymPy has is not known here
        """Return the term as a SymPy expression, every variable a positive quantity; written once, like `of`."""
        return _rim("expression")(self)


class Formula(Value):
    """A statement about terms, true or false at each point.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> less = Formula("not", Formula(">=", x, y))
    >>> print(less, *less.parts, *less.parts[0].sides)
    not(x >= y) x >= y x y
    >>> Formula("not", x)
    Traceback (most recent call last):
    roofproof.proofs.kernel.terms.KernelError: not a formula: ('not', ('v', 'x'))
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __new__(cls, head: str, *parts: Term | Formula | tuple[str, ...]) -> Self: ...

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The formulas it joins: none of a comparison."""
        return tuple([p for p in self if type(p) is Formula])

    @property
    def sides(self) -> tuple[Term, ...]:
        """The terms it compares: none of a formula joined of others."""
        return tuple([p for p in self if type(p) is Term])

    @staticmethod
    def of(condition: object) -> Formula:
        """Return the formula of a SymPy condition; it is read once as long as it is remembered."""
        return _rim("formula")(condition)  # type: ignore[no-any-return]

    def sympy(self) -> Any:
        """Return the formula as a SymPy condition, its comparisons as they stand."""
        return _rim("condition")(self)


RIM: dict[str, Callable[[Any], Any]] = {}  # how SymPy comes in and goes out: proofs/translate.py says so; not trusted
VALUES = frozenset[type]({tuple, Term, Formula})
ATOMIC = frozenset[type]({Term, Formula, str, int})
TERM_HEADS = frozenset({"v", "q", "^", *PARTS["term"]})
V = TypeVar("V", Term, Formula)
U = TypeVar("U", bound=Plain)  # either, or as the kernel holds it


def _rim(way: str) -> Callable[[Any], Any]:
    if way not in RIM:
        raise KernelError("SymPy comes in and goes out by roofproof.proofs.translate, which was not imported")
    return RIM[way]


def _made(cls: type[Value], whole: Plain) -> Value:
    """Return a new value, after a look at its shape: its parts have been looked at."""
    kind: Kind = "term" if cls is Term else "formula"
    shallow = tuple([("true",) if type(p) is Formula else ("v", "") if type(p) is Term else p for p in whole])
    depth, size = _measured(whole)
    if not _well_formed(shallow, kind) or depth > MAX_DEPTH or size > MAX_PARTS:
        raise KernelError(f"not a {kind}: {whole!r}" if size < MAX_DEPTH else f"not a {kind} of bounded size")
    made = tuple.__new__(cls, whole)
    if len(_interned) >= MAX_INTERNED:
        _interned.clear()
        _measures.clear()
    _interned[made] = made
    _measures[id(made)] = (depth, size)
    return made


def _measured(f: Plain) -> tuple[int, int]:
    depth, size = 0, 1
    for part in f:
        if isinstance(part, Value):
            below, inside = _measures.get(id(part)) or _measured(part)
            depth, size = max(depth, below + 1), size + inside
    return depth, size


def _part(head: object, part: Any) -> Any:
    """Return a part of a value to be: what is written in plain tuples as the value that it says."""
    if type(head) is not str or type(part) not in ATOMIC | VALUES:
        raise KernelError(f"not a part of a term or formula: {part!r}")
    if type(part) is not tuple or (head == "tends" and all([type(n) is str for n in part])):
        return part
    return as_term(part) if part[:1] and part[0] in TERM_HEADS else as_formula(part)


def as_term(t: object) -> Term:
    """Return a term, be it written as one or as plain tuples.

    >>> as_term(("+", ("v", "x"), ("q", 1, 1))).parts
    (('v', 'x'), ('q', 1, 1))
    """
    return t if type(t) is Term else _valued(checked_term(t))  # type: ignore[return-value]


def as_formula(f: object) -> Formula:
    """Return a formula, be it written as one or as plain tuples."""
    return f if type(f) is Formula else _valued(checked_formula(f))  # type: ignore[return-value]


def _valued(f: Plain) -> Value:
    """Return the value of what the kernel holds."""
    found = _interned.get(f)
    if found is not None:
        return found
    if f[0] == "tends":
        return Formula("tends", _valued(f[1]), f[2], _valued(f[3]))
    parts: list[Any] = [_valued(p) if type(p) is tuple else p for p in f[1:]]
    return Term(f[0], *parts) if f[0] in TERM_HEADS else Formula(f[0], *parts)


ZERO = Term("q", 0, 1)


# --- what they say ----------------------------------------------------------------------------------


@lru_cache(maxsize=MAX_REMEMBERED, typed=True)  # what the kernel holds is remembered apart from what it hands out
def variables(f: Plain) -> frozenset[str]:
    """Return the names of the variables in a term or formula.

    >>> sorted(variables(Formula(">", Term("v", "x"), Term("max", Term("v", "y"), ZERO))))
    ['x', 'y']
    """
    found: set[str] = set()
    todo: list[Any] = [f]
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


NormalForm = tuple[Polynomial, Polynomial, tuple[Polynomial, ...]]


def normal(term: Plain, denominators: list[Polynomial]) -> tuple[Polynomial, Polynomial]:
    """Return (numerator, denominator) of a term, and append every divisor met to `denominators`.

    They are remembered, so nothing may change them.
    """
    num, den, divisors = normal_form(term)
    denominators += divisors
    return num, den


@lru_cache(maxsize=MAX_REMEMBERED, typed=True)  # apart likewise
def normal_form(term: Plain) -> NormalForm:
    """Return the normal form of a well-formed term and its divisors, worked out once for it and for each of its parts.

    >>> x = Term("v", "x")
    >>> normal_form(Term("/", Term("*", x, x), Term("+", x, x)))                            # x^2 / (2 x)
    ({((('v', 'x'), 2),): 1}, {((('v', 'x'), 1),): 2}, ({((('v', 'x'), 1),): 2},))
    """
    if type(term) is Term:
        num, den, divisors = normal_form(checked_term(term))
        return _handed_out(num), _handed_out(den), tuple(map(_handed_out, divisors))
    found: list[Polynomial] = []
    num, den = _normal(term, found)
    return num, den, tuple(found)


def _handed_out(p: Polynomial) -> Polynomial:
    """Return a copy of a polynomial of the kernel, of values."""
    return p if p is ONE else {tuple([(_valued(a), e) for a, e in m]): c for m, c in p.items()}


def _normal(term: Plain, denominators: list[Polynomial]) -> tuple[Polynomial, Polynomial]:
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
    rows = [(Term("q", c.numerator, c.denominator), [Term("^", a, e) for a, e in m]) for m, c in p.items()]
    return Term("+", ZERO, *(Term("*", c, *powers) for c, powers in rows))


def less(a: Plain, b: Plain) -> Plain:
    """Return a - b as the kernel holds it."""
    return ("+", a, ("*", ("q", -1, 1), b))


def minus(a: Term, b: Term) -> Term:
    return Term("+", a, Term("*", Term("q", -1, 1), b))


def substitute(f: U, values: Mapping[str, Plain]) -> U:
    """Replace variables by terms throughout; a growing variable of a limit is neither replaced nor captured."""
    if not isinstance(f, tuple) or not f or f[0] == "q":
        return f
    if f[0] == "v" and len(f) == 2:
        return values.get(f[1], f)  # type: ignore[return-value]
    if f[0] == "tends" and len(f) == 4:
        if frozenset(values).union(*map(variables, values.values())).intersection(f[2]):
            raise KernelError("a growing variable cannot be replaced")
        return _like(f, f[0], substitute(f[1], values), f[2], substitute(f[3], values))
    return _like(f, *[substitute(part, values) for part in f])


def _like(f: U, *parts: Any) -> U:
    return type(f)(*parts) if isinstance(f, Value) else parts  # type: ignore[return-value]


def atoms_of(f: U, found: list[U]) -> None:
    """Append the atoms of a formula to `found`; `a >= b` is the negation of the atom `b > a`."""
    head = f[0]
    if head in ("not", "and", "or", "=>", "<=>"):
        for part in f[1:]:
            atoms_of(part, found)
    elif head not in ("true", "false"):
        atom = _like(f, ">", f[2], f[1]) if head == ">=" else f
        if atom not in found:
            found.append(atom)


def truth_table(atoms: Sequence[U]) -> tuple[dict[U, int], int]:
    """Return the column of each atom over all rows of a truth table, and the column of all rows.

    A column is an integer whose bit k tells whether the atom is true in row k.

    >>> positive, whole = Formula(">", Term("v", "x"), ZERO), Formula("int", Term("v", "x"))
    >>> truth_table([positive, whole])[0][whole]                          # true in rows 2 and 3: 0b1100
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


def truth_column(f: Plain, columns: Mapping[Any, int], full: int) -> int:
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


def _bare(t: Plain, op: str) -> bool:
    return t[0] in ("v", "^") or (t[0] == "q" and (op == "*" or t[2] == 1))


def _bracket(t: Plain) -> str:
    return show(t) if t[0] in ("v", *OPAQUE) else f"({show(t)})"
