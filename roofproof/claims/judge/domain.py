"""The domain of a statement, positive reals by default, and the translation of conditions to formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.obligations import needs
from roofproof.claims.language.environment import Environment
from roofproof.errors import RoofproofError
from roofproof.formula.tree import Comparison, Tree, names_in
from roofproof.proofs.from_tree import to_formula as written_formula
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.terms import (
    OPAQUE,
    ZERO,
    Formula,
    Polynomial,
    Term,
    normal,
    substitute,
    term_of,
    variables,
)
from roofproof.proofs.provers.statements import possible
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.translate import to_formula, with_functions
from roofproof.symbols import quantity

if TYPE_CHECKING:
    from roofproof.claims.language import Claim

SIGNS = {"positive": (1,), "nonnegative": (1, 0), "real": (1, 0, -1), "negative": (-1,)}
MAX_SPLITS = 81


@dataclass(frozen=True, slots=True)
class Domain:
    """The signs and integrality of names, with further assumptions. A name that is not listed is positive.

    >>> d = Domain({"a": "nonnegative"}, frozenset(["n"]))
    >>> [point for point, _ in d.parts([Term("v", "a"), Term("v", "n")])]
    [{}, {'a': ('q', 0, 1)}]
    """

    signs: Mapping[str, str] = field(default_factory=dict)
    integers: frozenset[str] = frozenset()
    assumptions: tuple[Formula, ...] = ()

    @property
    def loose(self) -> frozenset[str]:
        """The names that need not be positive."""
        return frozenset(n for n, sign in self.signs.items() if sign != "positive")

    @property
    def symbol(self) -> Callable[[str], sympy.Symbol]:
        """The function that returns the SymPy symbol of a name, with its sign."""
        return (lambda name: sympy.Symbol(name, **{self.signs.get(name, "positive"): True})) if self.loose else quantity

    def where(self, *formulas: Formula) -> Domain:
        """Return the part of the domain in which formulas hold."""
        return replace(self, assumptions=(*self.assumptions, *formulas))

    def can_hold(self, *formulas: Formula) -> bool:
        """Return whether formulas and the assumptions can hold at some point of the domain.

        >>> n = Term("v", "n")
        >>> some = [Formula(">", n, Term("q", 2, 1)), Formula(">", Term("q", 3, 1), n)]                 # 2 < n < 3
        >>> Domain().can_hold(*some), Domain(integers=frozenset("n")).can_hold(*some)
        (True, False)
        """
        return any(held for held, _ in self._possible(formulas))

    def witness(self, *formulas: Formula) -> dict[str, Fraction] | None:
        """Return a point at which formulas and the assumptions hold, or None if none was found.

        >>> Domain(integers=frozenset("n")).witness(Formula(">", Term("v", "n"), Term("q", 5, 2)))
        {'n': Fraction(3, 1)}
        """
        return next((point for _, point in self._possible(formulas) if point is not None), None)

    def _possible(self, formulas: Sequence[Formula]) -> Iterator[tuple[bool, dict[str, Fraction] | None]]:
        whole: list[Formula] = []
        for n in sorted(self.integers):
            whole += [Formula("int", Term("v", n)), Formula(">=", Term("v", n), Term("q", 1, 1))]
        for values, part in self.parts([*whole, *formulas]):
            if ("false",) not in part:
                held, point = possible(tuple(f for f in part if f != ("true",)))
                yield held, None if point is None else unsplit(point, values)

    def parts(self, formulas: list[Formula]) -> Iterator[tuple[dict[str, Term], list[Formula]]]:
        """Yield, for each choice of signs, the terms to substitute for names that are not positive, and the formulas.

        A negative x becomes minus a positive x, and zero becomes 0, so that all variables of a part are positive.
        """
        names = sorted(n for n, kind in self.signs.items() if kind != "positive")
        choices = list(product(*(SIGNS[self.signs[n]] for n in names)))
        if len(choices) > MAX_SPLITS:
            raise RoofproofError("<count> names may be zero or negative; the limit is <most>", count=len(names), most=4)
        for signs in choices:
            values: dict[str, Term] = {}
            for name, chosen in zip(names, signs, strict=True):
                if chosen == 0:
                    values[name] = ZERO
                elif chosen < 0:
                    values[name] = Term("*", Term("q", -1, 1), Term("v", name))
            yield values, [substitute(f, values) for f in (*self.assumptions, *formulas)]


def unsplit(point: Mapping[str, Any], values: Mapping[str, Term]) -> dict[str, Any]:
    """Return a point of a part of a domain in the names of the domain, with zeros and signs restored.

    >>> unsplit({"x": Fraction(3)}, {"x": Term("*", Term("q", -1, 1), Term("v", "x"))})
    {'x': Fraction(-3, 1)}
    """
    moved = {n: Fraction(0) if t == ZERO else -point.get(n, Fraction(1)) for n, t in values.items()}
    return {**point, **moved}


class Contradiction(RoofproofError):
    """The assumptions cannot hold."""


def domain_of(claim: Claim, env: Environment) -> Domain:
    """Return the domain that a claim's `given` describes.

    Raises Contradiction if its conditions contradict each other.
    """
    domain = domain_of_given(env)
    if domain.assumptions and not domain.can_hold():
        raise Contradiction("given: the assumptions contradict each other: <given>", given=claim.given_text)
    return domain


def domain_of_given(env: Environment) -> Domain:
    """Return the domain that the assumptions of an environment describe, even if it is empty."""
    signs = {name: d.sign for name, d in env.given.domains.items() if d.sign != "positive"}
    integers = frozenset(name for name, d in env.given.domains.items() if d.integer)
    formulas = (_assumption_formula(c, env) for c in env.conditions())
    return Domain(signs, integers, tuple(f for f in formulas if f != ("true",)))


def _assumption_formula(condition: Tree, env: Environment) -> Formula:
    """Return the formula of an assumption, as written if possible, or else as SymPy has it.

    An assumption also states that its parts have values: `1/(a - 6) < 2` excludes a = 6.
    """
    needed = needs(env, condition)
    if env.where(condition) or (needed and not isinstance(condition, Comparison)):
        return formula_of(env.condition_of(condition, where=partial(needs, env)))
    formula = _as_it_stands(condition, env)
    return Formula("and", *(formula_of(n) for n in needed), formula) if needed else formula


def _as_it_stands(condition: Tree, env: Environment) -> Formula:
    said = env.to_boolean(condition)
    if not env.signs and not env.let.keys() & set(names_in(condition)) and said not in (sympy.true, sympy.false):
        with suppress(RoofproofError):
            return written_formula(condition)
    return formula_of(said)


def defined_where(formula: Formula, positive: Iterable[str]) -> tuple[Formula, ...]:
    """Return the conditions that divisors are nonzero and radicands nonnegative, except those that signs imply.

    >>> x = Term("v", "x")
    >>> defined_where(Formula(">", Term("sqrt", Term("+", x, Term("q", -1, 1))), Term("/", Term("q", 1, 1), x)), ["x"])
    (('>=', ('+', ('v', 'x'), ('q', -1, 1)), ('q', 0, 1)),)
    """
    free = frozenset(Term("v", n) for n in positive)
    for root in terms_with(("sqrt",), formula):
        above, below = normal(root[1], [])
        if below and sign(above, free) * sign(below, free) == 1:
            free |= {root}
    found: list[Formula] = [
        Formula("not", Formula("=", term_of(d), ZERO)) for d in _divisors(formula) if not sign(d, free)
    ]
    for _, inside in terms_with(("sqrt",), formula):
        above, below = normal(inside, [])
        if inside[0] not in OPAQUE and (not below or sign(above, free) * sign(below, free) != 1) and variables(inside):
            found.append(Formula(">=", inside, ZERO))
    return tuple(dict.fromkeys(found))


def formula_of(condition: Boolean) -> Formula:
    """Return the formula of a condition, with its roots, powers and logarithms unchanged.

    >>> print(formula_of(sympy.Symbol("x") < 2))
    2 > x
    """
    return to_formula(condition, with_functions)


def at_values(condition: Boolean, values: Mapping[sympy.Symbol, sympy.Rational]) -> Boolean | None:
    """Return a condition with numbers substituted for names, or None if a part of it has no value there.

    >>> x, y = sympy.symbols("x y", positive=True)
    >>> [at_values(1/(x - 3) < y, {x: sympy.Integer(n)}) for n in (4, 3)]
    [1 < y, None]
    """
    try:
        return condition.xreplace(values)
    except (TypeError, ValueError):  # raised by SymPy for a comparison and for a maximum
        return None


def formula_where_defined(condition: Boolean) -> tuple[Formula, tuple[Formula, ...]]:
    """Return the formula of a condition, and the conditions for it to be defined.

    >>> x, y = sympy.symbols("x y", positive=True)
    >>> print(*formula_where_defined(sympy.Gt(1/(x - y), 1, evaluate=False))[1])
    not(0 + 1*x^1 + -1*y^1 = 0)
    """
    formula = formula_of(condition)
    unsigned = {s.name for s in condition.free_symbols if not s.is_positive}
    return formula, defined_where(formula, [n for n in variables(formula) if n not in unsigned])


def _divisors(formula: Formula) -> list[Polynomial]:
    if formula[0] in ("and", "or", "not", "=>", "<=>"):
        return [d for part in formula[1:] for d in _divisors(part)]
    divisors: list[Polynomial] = []
    if formula[0] in (">", ">=", "="):
        for side in formula[1:]:
            normal(side, divisors)
    return divisors
