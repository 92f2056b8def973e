"""The only place where a `Theorem` can be made: a few rules over exact rational arithmetic.

Read this file in one sitting; everything else in the project may fail to find a proof, but only what
stands here, and in the three files that it imports, could make a wrong one.

Terms and formulas are values that only their constructors make and nothing can change (terms.py), so nothing in a
theorem changes after it was proved. Whatever comes into a rule is read once, and looked at unless that was done: it
may be written in plain tuples, as rules write what they conclude. Each rule raises `KernelError` where it fails.
A rule that clears a denominator demands that its sign is known. Variables range over the reals; that one is
positive or an integer is a hypothesis like any other.

A theorem `H |- C` says: at every point where all of H hold, C holds.

What Python cannot prevent: code in the same process that reaches for the private names of this module (the
dictionary of theorems, the function that fills it, what terms.py remembers), replaces its functions or the properties
of `Theorem`, or writes to memory. This guards against mistakes and against data, not against such code. A look-alike
object or a subclass made behind Python's back is refused by every rule.
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
    """A proved statement `hypotheses |- conclusion`; only the rules of this file make one.

    The object holds nothing itself: what it says lies in this module, keyed by the object, so there is no
    attribute to overwrite, and an object that no rule made says nothing.

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
        """What the rule was told beyond premises and conclusion: enough to check the step without a search."""
        return _read(self)[4]

    def __repr__(self) -> str:
        left = ", ".join(sorted(show(h) for h in self.hypotheses))
        return f"{left} |- {show(self.conclusion)}".strip()


Told = tuple[Any, ...]
Content = tuple[frozenset[Formula], Formula, str, tuple[Theorem, ...], Told]  # the properties of a theorem, in order
R = TypeVar("R", bound=Callable[..., Theorem])
_rules: dict[str, Callable[..., Theorem]] = {}
RULES = MappingProxyType(_rules)  # every rule there is; the tests attack each of them


def rule(made: R) -> R:
    """List a function as a rule: nothing else makes theorems."""
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
    """Return the polynomial whose sign an inequality or equation is about, its denominators cleared."""
    _, a, b = relation_of(as_formula(formula))
    return dict(cleared(a, b, frozenset(Term("v", n) for n in positive), signs))


@rule
def assume(formula: Formula) -> Theorem:
    """`f |- f`."""
    assumed = as_formula(formula)
    return _theorem(frozenset([assumed]), assumed, "assume")


@rule
def discharge(theorem: Theorem, formula: Formula) -> Theorem:
    """From `H, f |- C` infer `H |- f => C`; it does not fail where f is no hypothesis."""
    (hypotheses, conclusion), assumed = _read(theorem)[:2], as_formula(formula)
    return _theorem(hypotheses - {assumed}, ("=>", assumed, conclusion), "discharge", [theorem])


@rule
def propositional(goal: Formula, premises: Sequence[Theorem] = ()) -> Theorem:
    """From theorems whose conclusions imply the goal by truth table alone, infer the goal.

    `a >= b` is read as `not b > a`; other atoms are independent of each other. Fails where a row makes the premises
    true and the goal false, and beyond 18 atoms.
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
    """From `H |- a or b` and `H1 |- c`, `H2 |- c`, one for each case, infer `H, H1 - a, H2 - b |- c`.

    Fails unless there is a branch for each case, and all conclude the same.
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

    The certificate lists (m, [i, ...]): the goal times a positive multiplier must equal, as polynomials,
    the sum of m times the product of the premises named. Each m has no negative coefficient, unless one of
    its premises is an equation; all its variables are in `positive`, and `x > 0` for each of these becomes
    a hypothesis. Without a certificate the goal itself must have positive coefficients only.
    A strict premise also settles the sign of the denominators after it. Fails where the sum is not the goal, where
    something must be positive and is not known to be, and where a strict goal has no strict summand.

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
    """`a = b`. Fails unless the normal forms are equal and the sign of every denominator is known."""
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
    """The defining property of max, min, sqrt, floor or ceil; that a power of a positive number is positive.

    Fails for every other term.

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
    """From `a = b` infer `log2(a) = log2(b)`, that of a product in b as a sum; what it is taken of is positive.

    Fails where the premise is no equation.

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
    """From `a = b` infer `base^a = base^b`, that of a sum in b as a product; the base is positive.

    Fails where the premise is no equation.
    """
    _, a, b = relation_of(_read(equation)[1], "=")
    raised = as_term(base)
    goal = ("=", ("power", raised, a), power_of(raised, b))
    return _theorem(_union([equation]) | {(">", raised, ZERO)}, goal, "exponential", [equation])


@rule
def rising(strict: Theorem, base: Term | None = None) -> Theorem:
    """From `a > b` infer `log2(a) > log2(b)` where b > 0, or `base^a > base^b` where base > 1.

    Fails where the premise is not strict.
    """
    _, a, b = relation_of(_read(strict)[1], ">")
    raised = None if base is None else as_term(base)
    needed = (">", b, ZERO) if raised is None else (">", raised, ("q", 1, 1))
    high, low = (("log2", t) if raised is None else ("power", raised, t) for t in (a, b))
    return _theorem(_union([strict]) | {needed}, (">", high, low), "rising", [strict])


@rule
def integral(term: Term, premises: Sequence[Theorem] = ()) -> Theorem:
    """`int(t)` for a polynomial t with integer coefficients in terms known to be integers; fails for any other t."""
    premises, whole = tuple(premises), as_term(term)
    integers = {_read(t)[1][1] for t in premises if _read(t)[1][0] == "int"}
    for monomial, c in without_divisors(whole).items():
        if c.denominator != 1 or any(a not in integers and a[0] not in ("floor", "ceil") for a, _ in monomial):
            raise KernelError("not a polynomial with integer values")
    return _theorem(_union(premises), ("int", whole), "integral", premises)


@rule
def gap(strict: Theorem, difference: Theorem) -> Theorem:
    """From `a > b` and `int(a - b)` infer `a >= b + 1`; fails where the integer is not that difference."""
    (relation, a, b), whole = relation_of(_read(strict)[1]), _read(difference)[1]
    if relation != ">" or whole[0] != "int" or without_divisors(whole[1]) != without_divisors(minus(a, b)):
        raise KernelError("gap needs a > b and that a - b is an integer")
    goal = (">=", a, ("+", b, ("q", 1, 1)))
    return _theorem(_union([strict, difference]), goal, "gap", [strict, difference])


@rule
def instantiate(theorem: Theorem, values: Mapping[str, Term]) -> Theorem:
    """Replace variables by terms throughout, hypotheses included; fails where a growing variable is met."""
    hypotheses, conclusion = _read(theorem)[:2]
    given = dict(values)
    _names(given)
    table = {n: as_term(t) for n, t in given.items()}
    made = [as_formula(substitute(f, table)) for f in (conclusion, *hypotheses)]
    return _theorem(frozenset(made[1:]), made[0], "instantiate", [theorem], tuple(sorted(table.items())))


@rule
def tends(term: Term, growing: Sequence[str], value: Term, positive: Sequence[str]) -> Theorem:
    """`t -> value` as the growing variables tend to infinity independently of each other.

    Write t - value = p/q. The rule demands that the value is free of the growing variables, that every
    monomial of p and every negative monomial of q is dominated by a positive monomial of q: no smaller a
    power of any growing variable, a larger one of some. Then q exceeds half its positive part far out, and
    each monomial of p divided by q tends to zero. Fails where the rule demands what is not so.

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
