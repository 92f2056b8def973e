"""Solutions of an inequality in one positive unknown: exhaustive, disjoint cases, each with a threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.answer import Shown
from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError
from roofproof.sentences import Sentence, columns, joined, padded

ENGLISH = {word: word for word in ("always", "never", "when", "otherwise", "and", "or")}


@dataclass(frozen=True, slots=True)
class _Bound:
    at: sympy.Expr
    strict: bool = True


class Above(_Bound):
    """A lower bound of the unknown: `x > at`, or `x >= at` if not strict.

    >>> from roofproof.symbols import quantity
    >>> Above(sympy.Integer(240)).holds(quantity("B"))
    B > 240
    """

    __slots__ = ()
    kind: ClassVar[str] = "above"

    def holds(self, x: sympy.Expr) -> Boolean:
        return related(">" if self.strict else ">=", x, self.at)


class Below(_Bound):
    """An upper bound of the unknown: `x < at`, or `x <= at` if not strict.

    >>> from roofproof.symbols import quantity
    >>> Below(sympy.Integer(240), strict=False).holds(quantity("B"))
    B <= 240
    """

    __slots__ = ()
    kind: ClassVar[str] = "below"

    def holds(self, x: sympy.Expr) -> Boolean:
        return related("<" if self.strict else "<=", x, self.at)


@dataclass(frozen=True, slots=True)
class _Bounds:
    low: sympy.Expr
    high: sympy.Expr
    strict: bool = True


class Between(_Bounds):
    """Two bounds with the unknown between them, both excluded if strict.

    >>> from roofproof.symbols import quantity
    >>> Between(sympy.Integer(1), sympy.Integer(4)).holds(quantity("B"))
    (B > 1) & (B < 4)
    """

    __slots__ = ()
    kind: ClassVar[str] = "between"

    def holds(self, x: sympy.Expr) -> Boolean:
        return sympy.And(Above(self.low, self.strict).holds(x), Below(self.high, self.strict).holds(x))


class Outside(_Bounds):
    """Two bounds with the unknown below the lower or above the upper one.

    >>> from roofproof.symbols import quantity
    >>> Outside(sympy.Integer(1), sympy.Integer(4)).holds(quantity("B"))
    (B > 4) | (B < 1)
    """

    __slots__ = ()
    kind: ClassVar[str] = "outside"

    def holds(self, x: sympy.Expr) -> Boolean:
        return sympy.Or(Below(self.low, self.strict).holds(x), Above(self.high, self.strict).holds(x))


@dataclass(frozen=True, slots=True)
class Always:
    """The threshold that every positive value of the unknown satisfies.

    >>> Always().holds(sympy.Symbol("B"))
    True
    """

    kind: ClassVar[str] = "always"

    def holds(self, x: sympy.Expr) -> Boolean:
        return sympy.true


@dataclass(frozen=True, slots=True)
class Never:
    """The threshold that no positive value of the unknown satisfies.

    >>> Never().holds(sympy.Symbol("B"))
    False
    """

    kind: ClassVar[str] = "never"

    def holds(self, x: sympy.Expr) -> Boolean:
        return sympy.false


@dataclass(frozen=True, slots=True)
class Several:
    """A combination of thresholds, of which all (`and`) or one (`or`) must hold, if no other kind fits.

    >>> both = Several((Above(sympy.Integer(1)), Below(sympy.Integer(3), False)), "and")
    >>> print(plain_threshold(sympy.Symbol("x"), both))
    x > 1 and x <= 3
    """

    parts: tuple[Threshold, ...]
    join: str = "or"
    kind: ClassVar[str] = "several"

    def holds(self, x: sympy.Expr) -> Boolean:
        return (sympy.Or if self.join == "or" else sympy.And)(*(p.holds(x) for p in self.parts))


Threshold = Above | Below | Between | Outside | Several | Always | Never


@dataclass(frozen=True, slots=True)
class Case:
    """One case: a condition on the parameters, and the threshold if it holds.

    >>> from roofproof.symbols import quantity
    >>> a = quantity("a")
    >>> case = Case(a > 1, Above(1/(a - 1)))                    # (a - 1) x > 1, solved for x
    >>> when, threshold = case
    >>> when, threshold.at, case.symbols
    (a > 1, 1/(a - 1), frozenset({a}))
    """

    when: Boolean
    threshold: Threshold

    def __iter__(self) -> Iterator[Boolean | Threshold]:
        return iter((self.when, self.threshold))

    @property
    def symbols(self) -> frozenset[sympy.Symbol]:
        """The symbols of the condition and of the bounds."""
        return frozenset(self.when.free_symbols).union(*(b.free_symbols for b in bounds(self.threshold)))


@dataclass(frozen=True, slots=True)
class Cases(Shown):
    """Exhaustive, disjoint cases of the solution for one unknown.

    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> cases = Cases(x, (Case(a > 1, Above(1/(a - 1))), Case(a <= 1, Never())))   # (a - 1) x > 1
    >>> print(cases)
    x > 1/(a - 1)    when a > 1
    never            otherwise
    >>> cases.at({"a": 3})                                                          # 1/(3 - 1)
    Above(at=1/2, strict=True)
    """

    unknown: sympy.Symbol
    cases: tuple[Case, ...]

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    def at(self, values: Mapping[str, object]) -> Threshold:
        """Return the threshold at given values of the parameters, by name.

        Raises RoofproofError if a parameter is missing.
        """
        return with_bounds(case_at(self.cases, values), lambda b: substitute(b, values))

    @property
    def never(self) -> bool:
        """Whether no size satisfies the condition in any case."""
        return all(isinstance(c.threshold, Never) for c in self.cases)

    def lines(self, words: Mapping[str, str] = ENGLISH, told: Callable[[str], str] = str) -> list[str]:
        """Return a line for each case in the words of a language, into which `told` translates the conditions."""
        shown = [(c.when, plain_threshold(self.unknown, c.threshold, words)) for c in self.cases]
        return case_lines(shown, words, told)

    def __str__(self) -> str:
        return "\n".join(self.lines())


def case_lines(
    cases: Sequence[tuple[Boolean, str]], words: Mapping[str, str] = ENGLISH, told: Callable[[str], str] = str
) -> list[str]:
    """Return a line for each case: its text, and its condition."""
    width = max(columns(text) for _, text in cases)
    lines = []
    for k, (when, text) in enumerate(cases, 1):
        said = words["otherwise"] if 1 < k == len(cases) else f"{words['when']} {told(plain(when))}"
        lines.append(text if when == sympy.true else f"{padded(text, width)}    {said}")
    return lines


def case_at(cases: Iterable[Iterable[Any]], values: Mapping[str, object]) -> Any:
    """Return the result at given values of the parameters from cases, which are pairs (condition, result)."""
    for when, what in cases:
        holds = _at(when, values)
        if holds == sympy.true:
            return what
        if holds != sympy.false:
            missing = ", ".join(sorted(s.name for s in holds.free_symbols))
            raise RoofproofError("the case depends on <missing>; give a value for it", missing=missing)
    raise AssertionError("the cases are not exhaustive")


def _at(when: Boolean, values: Mapping[str, object]) -> Boolean:
    """Return a condition at given values, checking that a root is real before the comparisons with that root."""
    if isinstance(when, sympy.And | sympy.Or):
        settled = sympy.false if isinstance(when, sympy.And) else sympy.true
        parts, unreal = [], None
        for part in sorted(when.args, key=lambda p: (_roots(p), sympy.default_sort_key(p))):
            try:
                found = _at(part, values)
            except TypeError as compared:  # a root that is not real here: another part decides
                unreal = compared
                continue
            if found == settled:
                return settled
            parts.append(found)
        if unreal is not None:
            raise unreal
        return when.func(*parts)
    return substitute(when, values)


def _roots(part: Boolean) -> int:
    return sum(p.exp.is_Rational and not p.exp.is_Integer for p in part.atoms(sympy.Pow))


def plain_threshold(
    unknown: sympy.Symbol,
    threshold: Threshold,
    words: Mapping[str, str] = ENGLISH,
    told: Callable[[sympy.Basic], str] = plain,
) -> str:
    """Return a threshold as plain text, such as `B > R*D*F/(D*F - R*(D + F))`, with bounds printed by `told`."""
    if isinstance(threshold, Always | Never):
        return Sentence(words[threshold.kind])
    if isinstance(threshold, Several):
        parts = (plain_threshold(unknown, part, words, told) for part in threshold.parts)
        return joined(f"<first> {words[threshold.join]} <second>", parts)
    if isinstance(threshold, Above | Below):
        sign = (">" if threshold.kind == "above" else "<") + ("" if threshold.strict else "=")
        return f"{unknown} {sign} {told(threshold.at)}"
    equal = "" if threshold.strict else "="
    low, high = told(threshold.low), told(threshold.high)
    if isinstance(threshold, Between):
        return f"{unknown} = {low}" if low == high else f"{low} <{equal} {unknown} <{equal} {high}"
    return joined(f"<first> {words['or']} <second>", (f"{unknown} <{equal} {low}", f"{unknown} >{equal} {high}"))


def substitute(expr: sympy.Basic, values: Mapping[str, object]) -> sympy.Basic:
    """Return `expr` with the named symbols replaced, whatever their assumptions."""
    from roofproof.ops.notation.at_sizes import at_sizes

    put = {s: sympy.sympify(values[s.name], strict=True) for s in expr.free_symbols if s.name in values}
    return at_sizes(expr, put)


def bounds(threshold: Threshold) -> tuple[sympy.Expr, ...]:
    """Return every bound of a threshold."""
    if isinstance(threshold, Several):
        return tuple(b for part in threshold.parts for b in bounds(part))
    return tuple(getattr(threshold, name) for name in ("at", "low", "high") if hasattr(threshold, name))


def with_bounds(threshold: Threshold, change: Callable[[sympy.Expr], sympy.Expr]) -> Threshold:
    """Return a threshold with every bound changed."""
    if isinstance(threshold, Several):
        return replace(threshold, parts=tuple(with_bounds(part, change) for part in threshold.parts))
    names = [name for name in ("at", "low", "high") if hasattr(threshold, name)]
    return replace(threshold, **{name: change(getattr(threshold, name)) for name in names})
