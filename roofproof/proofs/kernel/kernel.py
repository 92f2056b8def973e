"""The only place where a `Theorem` can be made: a few rules over exact rational arithmetic.

You can read this file in one sitting. A bug anywhere else in the project can only lose a proof. Only a bug in this
file, or in the three files that it imports, could prove something false.

Terms and formulas are immutable and only their constructors make them (terms.py), so a theorem never changes after it
was proved. A rule checks each argument once. Arguments may also be plain tuples, and rules write their conclusions as
such. Each rule raises `KernelError` if it does not apply. A rule that clears a denominator requires that its sign is
known. Variables range over the reals: that one is positive or an integer is a hypothesis like any other.

A theorem `H |- C` means: C holds at every point at which all of H hold.

The kernel protects against bugs and malicious input data, not against malicious code in the same process. Such code can
use the private names of this module: the dictionary of theorems, the function that fills it, the caches of terms.py. It
can also replace functions or the properties of `Theorem`, or write to memory. Every rule rejects look-alike objects and
subclasses made behind Python's back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar
from weakref import WeakKeyDictionary

from roofproof.proofs.kernel.clearing import cleared, dominated, relation_of, sign, without_divisors
from roofproof.proofs.kernel.terms import (
    Formula,
    KernelError,
    Polynomial,
    Term,
    Tuples,
    add,
    as_formula,
    as_term,
    atoms_of,
    fraction_of,
    minus,
    mul,
    product_of,
    show,
    substitute,
    term_of,
    truth_column,
    truth_table,
    variables,
)
from roofproof.proofs.kernel.transcendental import log_of, power_of

MAX_ATOMS = 18
ZERO, ONE = Term("q", 0, 1), Term("q", 1, 1)


# --- theorems -------------------------------------------------------------------------------------

_content: WeakKeyDictionary[Theorem, Content] = WeakKeyDictionary()


class Theorem:
    """A proved statement `hypotheses |- conclusion`, which only the rules of this file can make.

    The object has no data of its own, hence no attribute to overwrite. This module stores its content, keyed by the
    object, so an object that no rule made has no content.

    >>> x = ("v", "x")
    >>> arith((">", ("*", x, x), ZERO), positive=["x"])
    x > 0 |- x*x > 0
    """

    __slots__ = ("__weakref__",)

    def __new__(cls, *_: object, **__: object) -> NoReturn:
        raise TypeError("a Theorem is made by the rules of the kernel only")

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("Theorem has no subclasses")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a Theorem is neither copied nor stored: prove it again")

    @property
    def hypotheses(self) -> frozenset[Formula]:
        return _read(self)[0]

    @property
    def conclusion(self) -> Formula:
        return _read(self)[1]

    @property
    def rule(self) -> str:
        return _read(self)[2]

    @property
    def premises(self) -> tuple[Theorem, ...]:
        return _read(self)[3]

    @property
    def certificate(self) -> Told:
        """The arguments of the rule besides premises and conclusion: enough to check the step without a search."""
        return _read(self)[4]

    def __repr__(self) -> str:
        left = ", ".join(sorted(show(h) for h in self.hypotheses))
        return f"{left} |- {show(self.conclusion)}".strip()


Told = tuple[Any, ...]
Content = tuple[frozenset[Formula], Formula, str, tuple[Theorem, ...], Told]  # the properties of a theorem, in order
R = TypeVar("R", bound=Callable[..., Theorem])
_rules: dict[str, Callable[..., Theorem]] = {}
RULES = MappingProxyType(_rules)  # all rules, each of which the tests attack


def rule(made: R) -> R:
    """Register a function as a rule. Only registered rules make theorems."""
    _rules[made.__name__] = made
    return made


def _read(theorem: Theorem) -> Content:
    content = _content.get(theorem) if type(theorem) is Theorem else None
    if content is None:
        raise KernelError("not a theorem of this kernel")
    return content


def _theorem(
    hypotheses: Iterable[Tuples], conclusion: Tuples, name: str, premises: Sequence[Theorem] = (), told: Told = ()
) -> Theorem:
    if name not in _rules:
        raise KernelError(f"no rule of this kernel: {name}")
    made: Theorem = object.__new__(Theorem)  # type: ignore[arg-type]
    _content[made] = (frozenset(map(as_formula, hypotheses)), as_formula(conclusion), name, tuple(premises), told)
    return made


def _names(names: Iterable[str]) -> frozenset[Term]:
    return frozenset([Term("v", n) for n in names])


def _union(premises: Sequence[Theorem]) -> frozenset[Tuples]:
    return frozenset[Tuples]().union(*(_read(t)[0] for t in premises))


# --- rules ----------------------------------------------------------------------------------------


def polynomial(formula: Formula, positive: Sequence[str], signs: Sequence[Polynomial] = ()) -> Polynomial:
    """Return the polynomial whose sign an inequality or equation is about, with denominators cleared."""
    _, a, b = relation_of(as_formula(formula))
    return dict(cleared(a, b, frozenset(Term("v", n) for n in positive), signs))


@rule
def assume(formula: Formula) -> Theorem:
    """`f |- f`."""
    assumed = as_formula(formula)
    return _theorem(frozenset([assumed]), assumed, "assume")


@rule
def discharge(theorem: Theorem, formula: Formula) -> Theorem:
    """From `H, f |- C` infer `H |- f => C`, even if f is not a hypothesis."""
    (hypotheses, conclusion), assumed = _read(theorem)[:2], as_formula(formula)
    return _theorem(hypotheses - {assumed}, ("=>", assumed, conclusion), "discharge", [theorem])


@rule
def propositional(goal: Formula, premises: Sequence[Theorem] = ()) -> Theorem:
    """From theorems whose conclusions imply the goal by a truth table, infer the goal.

    `a >= b` is read as `not b > a`. All other atoms are independent. Fails if some row makes the premises true and the
    goal false, and for more than 18 atoms.
    """
    premises, atoms, proved = tuple(premises), list[Formula](), as_formula(goal)
    givens = [_read(t)[1] for t in premises]
    for formula in (proved, *givens):
        atoms_of(formula, atoms)
    if len(atoms) > MAX_ATOMS:
        raise KernelError("too many atoms for a truth table")
    columns, wrong = truth_table(atoms)
    full = wrong
    for formula in givens:
        wrong &= truth_column(formula, columns, full)
    if wrong & ~truth_column(proved, columns, full):
        raise KernelError("the premises do not imply the goal by truth table")
    return _theorem(_union(premises), proved, "propositional", premises)


@rule
def cases(split: Theorem, branches: Sequence[Theorem]) -> Theorem:
    """From `H |- a or b` and a branch for each case, `H1 |- c` and `H2 |- c`, infer `H, H1 - a, H2 - b |- c`.

    Fails unless there is one branch per case and all branches have the same conclusion.
    """
    branches = tuple(branches)
    (hypotheses, (head, *parts)), made = _read(split)[:2], [_read(t)[:2] for t in branches]
    if head != "or" or len(parts) != len(made):
        raise KernelError("not a branch for each case")
    if len(proved := {conclusion for _, conclusion in made}) != 1:
        raise KernelError("the branches do not conclude the same")
    left = [inside - {part} for part, (inside, _) in zip(parts, made, strict=True)]
    return _theorem(hypotheses.union(*left), proved.pop(), "cases", [split, *branches])


@rule
def arith(
    goal: Formula,
    premises: Sequence[Theorem] = (),
    certificate: Sequence[tuple[Term, Sequence[int]]] | None = None,
    positive: Sequence[str] = (),
    multiplier: Term = ONE,
) -> Theorem:
    """From `p > 0`, `p >= 0` or `p = 0` infer the goal `g > 0`, `g >= 0`, `g = 0` or `false`.

    The certificate lists pairs (m, [i, ...]). As polynomials, the goal times a positive multiplier must equal the sum
    of m times the product of the premises i, .... Each m has no negative coefficient, unless one of its premises is an
    equation. All its variables are in `positive`, and `x > 0` for each of these becomes a hypothesis. Without a
    certificate, all coefficients of the goal itself must be positive. A strict premise also fixes the sign of the
    denominators after it. Fails if the sum is not the goal, if something that must be positive is not known to be, or
    if a strict goal has no strict summand.

    >>> x, y = ("v", "x"), ("v", "y")
    >>> less = assume((">", y, x))
    >>> arith((">", ("*", y, y), ("*", x, x)), [less], [(("+", x, y), [0])], ["x", "y"])  # (y-x)(y+x) > 0
    x > 0, y > 0, y > x |- y*y > x*x
    """
    premises, names, proved, times = tuple(premises), _names(positive), as_formula(goal), as_term(multiplier)
    signs: list[Polynomial] = []
    known: list[tuple[str, Polynomial]] = []
    for theorem in premises:
        relation, a, b = relation_of(_read(theorem)[1])
        p = cleared(a, b, names, signs)
        known.append((relation, p))
        if relation == ">":
            signs.append(p)
    relation, a, b = (">", ZERO, ZERO) if proved == ("false",) else relation_of(proved)
    g = cleared(a, b, names, signs)
    scale = without_divisors(times)
    if sign(scale, names) != 1:
        raise KernelError("the multiplier of the goal is not positive")
    total: Polynomial = {}
    strict = False
    entries = certificate if certificate is not None else [(term_of(mul(scale, g)), ())]
    kept = tuple([(as_term(m), tuple(chosen)) for m, chosen in entries])
    for m, chosen in kept:
        if not all(type(i) is int and 0 <= i < len(known) for i in chosen):
            raise KernelError("the certificate names a premise that is not there")
        coefficients = without_divisors(m)
        facts = [known[i] for i in chosen]
        kinds = [kind for kind, _ in facts]
        if "=" not in kinds:
            if relation == "=" or (coefficients and sign(coefficients, names) != 1):
                raise KernelError("a multiplier in the certificate is not positive")
            strict = strict or (bool(coefficients) and all(kind == ">" for kind in kinds))
        total = add(total, product_of([coefficients, *(p for _, p in facts)]))
    if relation == ">" and not strict:
        raise KernelError("the certificate does not show a strict inequality")
    if total != mul(scale, g):
        raise KernelError("the certificate does not add up to the goal")
    hypotheses = _union(premises) | {(">", n, ZERO) for n in names}
    return _theorem(hypotheses, proved, "arith", premises, (kept, names, times))


@rule
def identity(a: Term, b: Term, positive: Sequence[str] = (), signs: Sequence[Theorem] = ()) -> Theorem:
    """`a = b`, if the normal forms are equal and the sign of every denominator is known, else fail."""
    return arith(Formula("=", a, b), signs, [], positive)


@rule
def square(term: Term) -> Theorem:
    """`t*t >= 0`."""
    t = as_term(term)
    return _theorem(frozenset(), (">=", ("*", t, t), ZERO), "square")


@rule
def trichotomy(a: Term, b: Term) -> Theorem:
    """`a > b or a = b or b > a`."""
    s, t = as_term(a), as_term(b)
    return _theorem(frozenset(), ("or", (">", s, t), ("=", s, t), (">", t, s)), "trichotomy")


@rule
def definition(term: Term) -> Theorem:
    """The defining property of max, min, sqrt, floor or ceil, or that a power of a positive number is positive.

    Fails for all other terms.

    >>> definition(("max", ("v", "a"), ("v", "b")))
    |- max(a, b) >= a and max(a, b) >= b and (max(a, b) = a or max(a, b) = b)
    """
    one, t = ("q", 1, 1), as_term(term)
    meaning: Tuples
    match t:
        case ("max", *parts) if parts:
            bounds = [(">=", t, p) for p in parts]
            meaning = ("and", *bounds, ("or", *(("=", t, p) for p in parts)))
        case ("min", *parts) if parts:
            bounds = [(">=", p, t) for p in parts]
            meaning = ("and", *bounds, ("or", *(("=", t, p) for p in parts)))
        case ("sqrt", a):
            meaning = ("=>", (">=", a, ZERO), ("and", ("=", ("*", t, t), a), (">=", t, ZERO)))
        case ("floor", a):
            meaning = ("and", ("int", t), (">=", a, t), (">", ("+", t, one), a))
        case ("ceil", a):
            meaning = ("and", ("int", t), (">=", t, a), (">", ("+", a, one), t))
        case ("power", base, _):
            meaning = ("=>", (">", base, ZERO), (">", t, ZERO))
        case _:
            raise KernelError("no definition for this term")
    return _theorem(frozenset(), meaning, "definition", (), (t,))


@rule
def logarithm(equation: Theorem) -> Theorem:
    """From `a = b` infer `log2(a) = log2(b)`, with products in b expanded to sums, if all arguments are positive.

    Fails if the premise is not an equation.

    >>> x, y = ("v", "x"), ("v", "y")
    >>> logarithm(assume(("=", y, ("*", ("q", 2, 1), ("^", x, 3)))))
    x > 0, y = 2*x^3, y > 0 |- log2(y) = 1 + 3*log2(x)
    """
    _, a, b = relation_of(_read(equation)[1], "=")
    inside = [a]
    goal = ("=", ("log2", a), log_of(b, inside))
    return _theorem(_union([equation]) | {(">", t, ZERO) for t in inside}, goal, "logarithm", [equation])


@rule
def exponential(base: Term, equation: Theorem) -> Theorem:
    """From `a = b` infer `base^a = base^b`, with sums in b expanded to products, if the base is positive.

    Fails if the premise is not an equation.
    """
    _, a, b = relation_of(_read(equation)[1], "=")
    raised = as_term(base)
    goal = ("=", ("power", raised, a), power_of(raised, b))
    return _theorem(_union([equation]) | {(">", raised, ZERO)}, goal, "exponential", [equation])


@rule
def rising(strict: Theorem, base: Term | None = None) -> Theorem:
    """From `a > b` infer `log2(a) > log2(b)` if b > 0, or `base^a > base^b` if base > 1.

    Fails if the premise is not a strict inequality.
    """
    _, a, b = relation_of(_read(strict)[1], ">")
    raised = None if base is None else as_term(base)
    needed = (">", b, ZERO) if raised is None else (">", raised, ("q", 1, 1))
    high, low = (("log2", t) if raised is None else ("power", raised, t) for t in (a, b))
    return _theorem(_union([strict]) | {needed}, (">", high, low), "rising", [strict])


@rule
def integral(term: Term, premises: Sequence[Theorem] = ()) -> Theorem:
    """`int(t)` for a polynomial t with integer coefficients in terms known to be integers. Fails for any other t."""
    premises, whole = tuple(premises), as_term(term)
    integers = {_read(t)[1][1] for t in premises if _read(t)[1][0] == "int"}
    for monomial, c in without_divisors(whole).items():
        if c.denominator != 1 or any(a not in integers and a[0] not in ("floor", "ceil") for a, _ in monomial):
            raise KernelError("not a polynomial with integer values")
    return _theorem(_union(premises), ("int", whole), "integral", premises)


@rule
def gap(strict: Theorem, difference: Theorem) -> Theorem:
    """From `a > b` and `int(a - b)` infer `a >= b + 1`. Fails if the integer is not that difference."""
    (relation, a, b), whole = relation_of(_read(strict)[1]), _read(difference)[1]
    if relation != ">" or whole[0] != "int" or without_divisors(whole[1]) != without_divisors(minus(a, b)):
        raise KernelError("gap needs a > b and that a - b is an integer")
    goal = (">=", a, ("+", b, ("q", 1, 1)))
    return _theorem(_union([strict, difference]), goal, "gap", [strict, difference])


@rule
def instantiate(theorem: Theorem, values: Mapping[str, Term]) -> Theorem:
    """Replace variables by terms throughout, including the hypotheses, or fail if a variable that grows is involved."""
    hypotheses, conclusion = _read(theorem)[:2]
    given = dict(values)
    _names(given)
    table = {n: as_term(t) for n, t in given.items()}
    made = [as_formula(substitute(f, table)) for f in (conclusion, *hypotheses)]
    return _theorem(frozenset(made[1:]), made[0], "instantiate", [theorem], tuple(sorted(table.items())))


@rule
def tends(term: Term, growing: Sequence[str], value: Term, positive: Sequence[str]) -> Theorem:
    """`t -> value` as the growing variables tend to infinity independently of each other.

    Write t - value = p/q. The value must be free of the growing variables. Every monomial of p and every negative
    monomial of q must be dominated by a positive monomial of q: one with no smaller power of any growing variable, and
    a larger one of some. Then q eventually exceeds half its positive part, and each monomial of p divided by q tends to
    zero. Fails if one of these conditions is not met.

    >>> B, D, F = (("v", n) for n in "BDF")
    >>> I = ("/", ("*", B, D, F), ("+", ("*", B, D), ("*", D, F), ("*", B, F)))
    >>> tends(I, ["D", "F"], B, ["B", "D", "F"]).conclusion == ("tends", I, ("D", "F"), B)
    True
    """
    names, growing, f, limit = _names(positive), tuple(growing), as_term(term), as_term(value)
    grow = [Term("v", n) for n in growing]
    num, den, divisors = fraction_of(minus(f, limit))
    if not grow or not names.issuperset(grow) or variables(limit).intersection(growing):
        raise KernelError("the limit value must be free of the growing variables")
    if any(a not in names for p in (num, den, *divisors) for m in p for a, _ in m):
        raise KernelError("a limit is taken of rational functions of positive variables only")

    for q in (den, *divisors):
        if not q or any(c < 0 and not dominated(m, q, grow) for m, c in q.items()):
            raise KernelError("a denominator may not be positive far out")
    if not all(dominated(m, den, grow) for m in num):
        raise KernelError("the difference does not tend to zero")
    hypotheses = frozenset[Tuples]((">", n, ZERO) for n in names if n not in grow)
    return _theorem(hypotheses, ("tends", f, growing, limit), "tends", (), (names,))
