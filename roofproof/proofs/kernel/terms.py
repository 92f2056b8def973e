"""Terms and formulas as immutable values, their polynomial normal form, and how they print.

    term     q p q: a rational   v name   + t...   * t...   / t t   ^ t n
             max t...   min t...   sqrt t   floor t   ceil t
             log2 t   power t t: the first to the power of the second, which need not be an integer
    formula  > t t   >= t t   = t t   int t   true   false
             not f   and f...   or f...   => f f   <=> f f
             tends t (name...) t: the term tends to the value as the names grow without bound,
                                  each at its own rate, every other variable fixed and positive

A value is an immutable tuple of its head and its parts, so `head, *parts = f` unpacks it. Only `Term(head, *parts)`
and `Formula(head, *parts)` make one, after checking its shape. Plain tuples of the same content are accepted as parts,
and as arguments of rules, and the same constructor converts them. A term denotes a real number. Division by zero
denotes some unknown number, as in SMT-LIB. Proofs rely on the normal form, so this file, like kernel.py, uses only the
standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from operator import and_, is_, or_
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypeVar

Kind = Literal["term", "formula"]
Tuples = tuple[Any, ...]  # a term or a formula, or plain tuples of the same content
Monomial = tuple[tuple["Term", int], ...]  # sorted ((atom, exponent), ...)
Number = Fraction | int  # integers are kept as int, which is several times faster, and no number is a float
Polynomial = dict[Monomial, Number]

OPAQUE = ("max", "min", "sqrt", "floor", "ceil", "log2", "power")
MAX_MONOMIALS = 20_000
MAX_EXPONENT = 64
MAX_DEPTH = 200  # so that no function here runs out of stack
MAX_PARTS = 100_000
MAX_REMEMBERED = 10_000
MAX_INTERNED = 50_000


class KernelError(ValueError):
    """A rule did not apply, so nothing was proved."""


# --- values -----------------------------------------------------------------------------------------


class Value(tuple[Any, ...]):
    """The base class of terms and formulas: immutable, with a head and parts.

    A value equals, and hashes like, the plain tuple of its content, so either finds the other in a dictionary. Values
    are interned: two with the same parts are one object while they are cached.
    """

    __slots__ = ()
    __class__ = property(type)  # prevents a value from changing its class

    def __new__(cls, head: str, *parts: Any) -> Self:
        content = (head, *parts)
        for part in content:
            if id(part) not in _checked and type(part) is not str and type(part) is not int:
                content = _read_parts(content, 0)
                break
        value = _values.get(content) or _new(content)
        if type(value) is not cls:
            raise KernelError(f"not a {cls.__name__.lower()}: {value!r}")
        return value

    def __init_subclass__(cls) -> None:
        if cls.__base__ is not Value:
            raise TypeError(f"{cls.__base__} has no subclasses")

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"a value never changes: {name}")

    def __reduce__(self) -> tuple[type[Self], Tuples]:
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
        """Return the value with `change` applied to each part that is a term or formula.

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
        """The terms it is made of: only the base for a power `^`, none for a number or a variable."""
        return tuple([p for p in self if type(p) is Term])

    @property
    def normal_form(self) -> NormalForm:
        """Numerator, denominator and every divisor as polynomials: copies, which the caller may change."""
        return normal_form(self)

    @staticmethod
    def of(expr: object) -> Term:
        """Return the term of a SymPy expression, from a cache if possible."""
        return _conversion("term")(expr)  # type: ignore[no-any-return]

    @staticmethod
    def rational(value: int | Fraction) -> Term:
        """Return a number as a term.

        >>> Term.rational(Fraction(1, 2)), Term.rational(3)
        (('q', 1, 2), ('q', 3, 1))
        """
        return Term("q", value.numerator, value.denominator)

    def sympy(self) -> Any:  # this file does not import SymPy, so it cannot name its types
        """Return the term as a SymPy expression, with every variable a positive quantity, cached like `of`."""
        return _conversion("expression")(self)


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
        """The formulas that it joins (none for a comparison)."""
        return tuple([p for p in self if type(p) is Formula])

    @property
    def sides(self) -> tuple[Term, ...]:
        """The terms that it compares (none for a formula that joins others)."""
        return tuple([p for p in self if type(p) is Term])

    @staticmethod
    def of(condition: object) -> Formula:
        """Return the formula of a SymPy condition, from a cache if possible."""
        return _conversion("formula")(condition)  # type: ignore[no-any-return]

    def sympy(self) -> Any:
        """Return the formula as a SymPy condition, without evaluating its comparisons."""
        return _conversion("condition")(self)


SYMPY_CONVERSIONS: dict[str, Callable[[Any], Any]] = {}  # set by proofs/translate.py and not trusted
V = TypeVar("V", Term, Formula)


def _conversion(way: str) -> Callable[[Any], Any]:
    if way not in SYMPY_CONVERSIONS:
        raise KernelError("SymPy comes in and goes out by roofproof.proofs.translate, which was not imported")
    return SYMPY_CONVERSIONS[way]


# --- how values are made ------------------------------------------------------------------------------

# head: (class, class of its parts, fewest parts, most parts), except v, q, ^ and tends, whose parts differ in kind
SHAPES: dict[str, tuple[type[Value], type[Value], int, int]] = {
    "+": (Term, Term, 0, MAX_PARTS), "*": (Term, Term, 0, MAX_PARTS), "/": (Term, Term, 2, 2),
    "max": (Term, Term, 1, MAX_PARTS), "min": (Term, Term, 1, MAX_PARTS),
    "sqrt": (Term, Term, 1, 1), "floor": (Term, Term, 1, 1), "ceil": (Term, Term, 1, 1),
    "log2": (Term, Term, 1, 1), "power": (Term, Term, 2, 2),
    ">": (Formula, Term, 2, 2), ">=": (Formula, Term, 2, 2), "=": (Formula, Term, 2, 2), "int": (Formula, Term, 1, 1),
    "true": (Formula, Formula, 0, 0), "false": (Formula, Formula, 0, 0), "not": (Formula, Formula, 1, 1),
    "and": (Formula, Formula, 0, MAX_PARTS), "or": (Formula, Formula, 0, MAX_PARTS),
    "=>": (Formula, Formula, 2, 2), "<=>": (Formula, Formula, 2, 2),
}  # fmt: skip


_values: dict[Tuples, Value] = {}  # interned values by content
_checked: dict[int, tuple[Value, int, int]] = {}  # by id: a value that was checked, its depth and its size


def _read(f: Any, depth: int = 0) -> Value:
    """Return `f` if it is a value, or the value of its plain tuples. Fails for anything else.

    Types are compared by identity, because a subclass could behave differently on each access.
    """
    if type(f) is tuple and depth <= MAX_DEPTH:
        content = _read_parts(f, depth)
        return _values.get(content) or _new(content)
    _check(f, depth)
    return f  # type: ignore[no-any-return]


def _read_parts(content: Tuples, depth: int) -> Tuples:
    if not content or type(content[0]) is not str:
        raise KernelError(f"neither a term nor a formula, for want of a head: {content!r}")
    if content[0] == "tends" and len(content) == 4 and _are_names(content[2]):
        return ("tends", _read(content[1], depth + 1), content[2], _read(content[3], depth + 1))
    return tuple([p if type(p) is str or type(p) is int else _read(p, depth + 1) for p in content])


def _new(content: Tuples) -> Value:
    """Return a new value made of parts that `_read` returned."""
    head = content[0]
    made = tuple.__new__(SHAPES[head][0] if head in SHAPES else Formula if head == "tends" else Term, content)
    _check(made)
    if len(_values) >= MAX_INTERNED:
        _values.clear()
    _values[content] = made
    return made


def _check(value: Any, depth: int = 0) -> tuple[Value, int, int]:
    """Check a value and all its parts, unless that was done before, and return it with its depth and size.

    Its class proves nothing: `tuple.__new__` makes a value of anything. A checked value stays valid, because values are
    immutable. It is kept alive, so that no other object can get its id.
    """
    if (known := _checked.get(id(value))) is not None:
        return known
    if type(value) is not Term and type(value) is not Formula:
        raise KernelError(f"neither a term nor a formula nor plain tuples: {type(value).__name__}")
    if depth > MAX_DEPTH:
        raise KernelError("not a term or formula of bounded size")
    inside = [_check(p, depth + 1) for p in value if type(p) is Term or type(p) is Formula]
    below, size = max([d + 1 for _, d, _ in inside], default=0), 1 + sum([n for _, _, n in inside])
    kind = type(value).__name__.lower()
    if below > MAX_DEPTH or size > MAX_PARTS:
        raise KernelError(f"not a {kind} of bounded size")
    if not _fits(value):
        raise KernelError(f"not a {kind}: {value!r}" if size < MAX_DEPTH else f"not a {kind}")
    if len(_checked) >= MAX_INTERNED:
        _checked.clear()
    return _checked.setdefault(id(value), (value, below, size))


def _fits(value: Value) -> bool:
    """Return whether the class and the parts of a value fit its head, without checking inside the parts."""
    cls, (head, *parts) = type(value), value or (None,)
    if type(head) is not str:
        return False
    if head == "v":
        return cls is Term and _are(parts, str)
    if head == "q":
        return cls is Term and _are(parts, int, int) and parts[1] > 0
    if head == "^":
        return cls is Term and _are(parts, Term, int) and 0 <= parts[1] <= MAX_EXPONENT
    if head == "tends":
        return cls is Formula and _are(parts, Term, tuple, Term) and _are_names(parts[1])
    made, kind, least, most = SHAPES.get(head, (None, Term, 0, 0))
    return cls is made and least <= len(parts) <= most and _are(parts, *[kind] * len(parts))


def _are(parts: Sequence[object], *kinds: type) -> bool:
    return len(parts) == len(kinds) and all(map(is_, map(type, parts), kinds))


def _are_names(names: object) -> bool:
    return type(names) is tuple and bool(names) and all([type(n) is str for n in names])


def as_term(t: object) -> Term:
    """Return a term, given as a term or as plain tuples.

    >>> as_term(("+", ("v", "x"), ("q", 1, 1))).parts
    (('v', 'x'), ('q', 1, 1))
    """
    value = _read(t)
    if type(value) is not Term:
        raise KernelError(f"not a term: {show(value)}")
    return value


def as_formula(f: object) -> Formula:
    """Return a formula, given as a formula or as plain tuples."""
    value = _read(f)
    if type(value) is not Formula:
        raise KernelError(f"not a formula: {show(value)}")
    return value


def well_formed(f: object, kind: Kind = "formula") -> bool:
    """Return whether `f` is a formula (or a term) of bounded size, as a value or as plain tuples.

    >>> x = Term("v", "x")
    >>> well_formed(Formula(">", x, ZERO)), well_formed((">", x, ZERO)), well_formed((">", x)), well_formed((">", x, 0))
    (True, True, False, False)
    """
    try:
        return bool(as_term(f) if kind == "term" else as_formula(f))
    except KernelError:
        return False


ZERO = Term("q", 0, 1)


# --- contents ---------------------------------------------------------------------------------------


def variables(f: Value) -> frozenset[str]:
    """Return the names of the variables in a term or formula.

    >>> sorted(variables(Formula(">", Term("v", "x"), Term("max", Term("v", "y"), ZERO))))
    ['x', 'y']
    """
    return _variables(_read(f))


@lru_cache(maxsize=MAX_REMEMBERED)  # for checked values only: unchecked objects might compare equal to them
def _variables(f: Value) -> frozenset[str]:
    found: set[str] = set()
    todo: list[Any] = [f]
    for part in todo:  # its parts are appended to the list
        if part[0] == "v":
            found.add(part[1])
        else:
            todo += [p for p in part if isinstance(p, Value)]
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
        return m + n  # already sorted
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


ONE: Polynomial = MappingProxyType({(): 1})  # type: ignore[assignment]  # shared by all callers, hence read-only


NormalForm = tuple[Polynomial, Polynomial, tuple[Polynomial, ...]]


def normal_form(term: Term) -> NormalForm:
    """Return the numerator, denominator and every divisor of a term as polynomials: copies, which may be changed.

    >>> x = Term("v", "x")
    >>> normal_form(Term("/", Term("*", x, x), Term("+", x, x)))                            # x^2 / (2 x)
    ({((('v', 'x'), 2),): 1}, {((('v', 'x'), 1),): 2}, ({((('v', 'x'), 1),): 2},))
    """
    num, den, divisors = fraction_of(term)
    return dict(num), dict(den), tuple(map(dict, divisors))


def normal(term: Term, denominators: list[Polynomial]) -> tuple[Polynomial, Polynomial]:
    """Return (numerator, denominator) of a term, and append every divisor to `denominators`."""
    num, den, divisors = normal_form(term)
    denominators += divisors
    return num, den


def fraction_of(term: Term) -> NormalForm:
    """Return the cached normal form of a term, which the rules share: callers must not change it."""
    return _fraction_of(as_term(term))


@lru_cache(maxsize=MAX_REMEMBERED)  # for checked terms only, likewise
def _fraction_of(term: Term) -> NormalForm:
    divisors: list[Polynomial] = []
    num, den = _fraction(term, divisors)
    return num, den, tuple(divisors)


def _kept(term: Term, denominators: list[Polynomial]) -> tuple[Polynomial, Polynomial]:
    num, den, divisors = _fraction_of(term)
    denominators += divisors
    return num, den


def _fraction(term: Term, denominators: list[Polynomial]) -> tuple[Polynomial, Polynomial]:
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
            n, d = _kept(part, denominators)
            if d == den:
                num = add(num, n)
            else:
                num, den = add(mul(num, d), mul(n, den)), mul(den, d)
        return num, den
    if head == "*":
        num, den = ONE, ONE
        for part in term[1:]:
            n, d = _kept(part, denominators)
            num, den = mul(num, n), mul(den, d)
        return num, den
    if head == "/":
        n, d = _kept(term[1], denominators)
        over, under = _kept(term[2], denominators)
        denominators.append(over)
        return mul(n, under), mul(d, over)
    if head == "^" and 0 <= term[2] <= MAX_EXPONENT:
        n, d = _kept(term[1], denominators)
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


def minus(a: Term, b: Term) -> Term:
    return Term("+", a, Term("*", Term("q", -1, 1), b))


def substitute(f: V, values: Mapping[str, Term]) -> V:
    """Replace variables by terms throughout, or fail if that would replace or capture a growing variable of a limit."""
    if f[0] == "v":
        return values.get(f[1], f)  # type: ignore[return-value]
    if f[0] == "tends" and frozenset(values).union(*map(variables, values.values())).intersection(f[2]):
        raise KernelError("a growing variable cannot be replaced")
    return _read(f).mapped(lambda part: substitute(part, values))  # type: ignore[return-value]


def atoms_of(f: Formula, found: list[Formula]) -> None:
    """Append the atoms of a formula to `found`, where `a >= b` is the negation of the atom `b > a`."""
    head = f[0]
    if head in ("not", "and", "or", "=>", "<=>"):
        for part in f[1:]:
            atoms_of(part, found)
    elif head not in ("true", "false"):
        atom = Formula(">", f[2], f[1]) if head == ">=" else f
        if atom not in found:
            found.append(atom)


def truth_table(atoms: Sequence[Formula]) -> tuple[dict[Formula, int], int]:
    """Return the column of each atom of a truth table, and the column of all rows.

    A column is an integer whose bit k is 1 if the atom is true in row k.

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
    for _ in range(count):  # doubles the rows, with one more atom true in the new ones
        columns = [c << rows | c for c in columns]
        columns.append(full << rows)
        rows, full = 2 * rows, full << rows | full
    return tuple(columns), full


def truth_column(f: Formula, columns: Mapping[Any, int], full: int) -> int:
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


def _bare(t: Tuples, op: str) -> bool:
    return t[0] in ("v", "^") or (t[0] == "q" and (op == "*" or t[2] == 1))


def _bracket(t: Tuples) -> str:
    return show(t) if t[0] in ("v", *OPAQUE) else f"({show(t)})"
