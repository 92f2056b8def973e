"""A statement: what is claimed, as a formula of the kernel, and what it takes for granted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

from roofproof.errors import Undecided
from roofproof.proofs.assumptions import NUMBERS, ROOT, positive
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, V, show, substitute, variables

if TYPE_CHECKING:
    import sympy

    from roofproof.derive.inequalities.cases import Case, Threshold

PRINTED = {
    "flops", "bytes", "total", "footprint", "memory", "intensity", "quotient", "ridge", "shared", "bound", "left-out",
    "lowest-terms", "integer", "time", "part-time", "other-time",
}  # fmt: skip  # kinds of statements that say a value, which is printed from the goal
SOLVED = ("case", "at-point", "within", "rule", "region-case")  # kinds of statements about a threshold
BOUND_BY = {"lower": "max", "upper": "+", "sequence": "+"}  # the bounds of a time, and what they are of its parts
UNSAID = ("tends",)  # what SMT-LIB has no words for
UNKNOWN = ("log2", "power")  # for which it has none, either, and which are any numbers there


@dataclass(frozen=True, slots=True)
class Statement:
    """The assumptions imply the goal wherever the names are positive; or, `somewhere`, both hold at some point.

    With no words of its own a statement says its formulas. `reals` are names that may be zero or negative. `meaning`
    says what stands under a name given to a root.
    `kind` tells what part of an answer it is: `flops`, `ridge`, `case`, ... `about` names what the goal gives the value
    of, or is the case that the goal states. `label` is the short name of a time, the other side of a comparison, or
    what else is asked of an integer, which is `step` times that of the goal. The value itself is read from the goal,
    in which `sizes` are names of dimensions.

    >>> more_than_one = Statement("x + 1 > 1", (), (">", ("+", ("v", "x"), ("q", 1, 1)), ("q", 1, 1)))
    >>> print(more_than_one.smtlib().splitlines()[0])
    ; unsat proves the statement
    """

    about: str | tuple[sympy.Symbol, Case]  # in words, or the unknown and its threshold, with the condition of it
    assumptions: tuple[Formula, ...]
    goal: Formula
    kind: str = ""
    somewhere: bool = False
    reals: frozenset[str] = frozenset()
    meaning: tuple[tuple[str, Term], ...] = field(default=(), repr=False)
    label: str = field(default="", repr=False, compare=False)
    step: int = field(default=1, repr=False, compare=False)
    sizes: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    @property
    def says(self) -> str:
        """The statement in words."""
        if not self.about:
            given = " and ".join(show(self.spelled_out(f)) for f in self.assumptions)
            said = show(self.spelled_out(self.goal)) + " somewhere" * self.somewhere
            return f"{said} where {given}" if given else said
        if isinstance(self.about, tuple):
            unknown, case = self.about
            return _told(unknown, case.threshold) + (f", where {self.label}" if self.kind == "within" else "")
        return _sentence(self) if self.kind in PRINTED and self.goal != ("true",) else self.about

    @property
    def value(self) -> sympy.Expr:
        """The value that the goal gives: the limit, the bound, or the right side of an equation.

        >>> Statement("n", (), Formula("=", Term("v", "n"), Term("q", 3, 1)), "flops").value
        3

        Raises Undecided for a goal that gives none, as no formula says what was found.
        """
        from roofproof.proofs.translate import OUTSIDE, to_expr

        if len(self.goal) == 1:
            raise Undecided(OUTSIDE, expr=str(self.about))
        symbol = _symbols(self.sizes)
        match self.kind, self.goal:
            case "bound", (_, most, _):
                return to_expr(most, symbol)
            case "left-out", (_, _, (_, least, _)):
                return to_expr(least, symbol)
        return to_expr(self.goal[-1], symbol)

    @property
    def integer(self) -> int | None:
        """The first or the last integer that meets a condition; None where the goal says that there is none.

        >>> n, two = Term("v", "n"), Term("q", 2, 1)
        >>> first = Formula("and", Formula("true"), Formula("=>", Formula(">", two, n), Formula("false")))
        >>> Statement("integer n", (), first, "integer").says
        'smallest integer n = 2'
        """
        return None if self.goal[0] == "not" else self.step * int(_end(self.goal)[1])

    @property
    def misnamed(self) -> str:
        """What the statement names that its goal is not about; nothing where all of it is.

        >>> longest = Formula("=", Term("max", Term("v", "a"), Term("v", "b")), Term("v", "a"))
        >>> Statement("time", (), longest, "time", label="lower").misnamed
        ''
        >>> Statement("time", (), longest, "time", label="upper").misnamed
        'it is no upper bound'
        """
        if isinstance(self.about, tuple):
            return "" if _is_threshold(self, *self.about) else "it shows another threshold"
        if self.kind in ("time", "other-time") and self.goal[0] == "=":
            head = self.goal[1][0]
            return "" if BOUND_BY.get(self.label, head) == head else f"it is no {self.label} bound"
        return ""

    @property
    def names(self) -> frozenset[str]:
        """The names that occur; `log(2)` and `π` are numbers."""
        return frozenset[str]().union(*(variables(f) for f in (self.goal, *self.assumptions))) - NUMBERS

    @property
    def integers(self) -> tuple[str, ...]:
        """The names that the assumptions say are whole numbers."""
        return tuple(f[1][1] for f in self.assumptions if f[0] == "int" and f[1][0] == "v")

    def positive(self) -> list[Formula]:
        """Return the condition that each name is positive, but for those that may be any number."""
        return positive(sorted(self.names - self.reals))

    def negation(self) -> list[Formula]:
        """Return formulas that contradict each other exactly when the statement holds."""
        return [*self.positive(), *self.assumptions, Formula("not", self.goal)]

    def question(self) -> tuple[list[Formula], tuple[str, ...]]:
        """Return the question to an oracle: formulas that contradict each other if the statement holds, and integers.

        >>> Statement("n >= 1", (("int", ("v", "n")),), (">=", ("v", "n"), ("q", 1, 1))).question()[1]
        ('n',)

        Of a statement that holds `somewhere` they hold together.
        """
        said = [*self.positive(), *self.assumptions, self.goal] if self.somewhere else self.negation()
        return [f for f in said if f[0] != "int" or f[1][0] != "v"], self.integers

    def smtlib(self) -> str:
        """Return the statement as an SMT-LIB 2 script; a solver that answers `unsat` has proved it.

        That it holds somewhere is proved by `sat`. A logarithm, and a power with any exponent, is any number in such a
        script: what holds then holds for the function. Raises KernelError for what it cannot say: a limit; that
        something is so somewhere, for some value of such a function.
        """
        heads = (*UNSAID, *UNKNOWN) if self.somewhere else UNSAID
        if unsaid := next((h for h in heads if any(_occurs(h, f) for f in (self.goal, *self.assumptions))), None):
            raise KernelError(f"no SMT-LIB for {unsaid}")
        asked, integers = self.question()
        return _script(tuple(asked), integers, "sat" if self.somewhere else "unsat")

    def spelled_out(self, formula: V) -> V:
        """Return a formula, or a term, with every name given to a root replaced by what it stands for."""
        return substitute(formula, dict(self.meaning)) if self.meaning else formula


def _sentence(s: Statement) -> str:
    """Return the sentence of a goal that gives a value."""
    from roofproof.derive.algebra.text import plain
    from roofproof.proofs.translate import to_condition, to_expr

    match s.kind:
        case "ridge" | "shared":
            return f"{s.about} = {_of_figures(s.goal[1])} = {plain(s.value)}"
        case "bound":
            return f"{s.about} {'<' if s.goal[0] == '>' else '='} {plain(s.value)}"
        case "left-out":
            return f"{s.about} takes longer than {s.label} <=> {s.goal[2][2][1]} < {plain(s.value)}"
        case "lowest-terms":
            sign, *sides = s.goal[2]
            if sign not in (">", ">=", "="):
                return f"{s.about} <=> {plain(to_condition(s.goal[2]))}"
            return f"{s.about} <=> {f' {sign} '.join(plain(to_expr(t)) for t in sides)}"
        case "integer":
            where = f", where {s.label}" if s.label else ""
            end = "largest" if _is_last(s.goal) else "smallest"
            return f"no {s.about}{where}" if s.integer is None else f"{end} {s.about} = {s.integer}{where}"
    name = s.goal[1][1] if s.goal[1][0] == "v" else s.about
    return f"{name} = {plain(s.value)}"


def _is_threshold(s: Statement, unknown: sympy.Symbol, case: Case) -> bool:
    """Tell whether a threshold, and the condition under which it stands, are those of the goal.

    A root of a polynomial has a name in the goal, and what defines it stands among the assumptions.
    """
    import sympy

    from roofproof.derive.algebra.logic import parts_of
    from roofproof.derive.inequalities.cases import bounds, with_bounds
    from roofproof.proofs.translate import isolating, to_formula, with_functions

    if s.kind not in SOLVED or s.goal[0] != "<=>":
        return False
    if case.when != sympy.true and to_formula(case.when, with_functions) not in s.assumptions:
        return False
    roots = sorted({r for b in bounds(case.threshold) for r in parts_of(b, sympy.CRootOf)}, key=str)
    for named in permutations(sorted(n for n in s.names if n.startswith(ROOT)) if roots else [], len(roots)):
        put = {root: sympy.Symbol(name, positive=True) for root, name in zip(roots, named, strict=True)}
        said = with_bounds(case.threshold, lambda b, put=put: b.xreplace(put)).holds(unknown)  # type: ignore[misc]
        defined = all(f in s.assumptions for root, name in put.items() for f in isolating(root, name))
        if defined and to_formula(said, with_functions) == s.goal[2]:
            return True
    return False


@cache
def _symbols(sizes: frozenset[str]) -> Callable[[str], sympy.Symbol]:
    from roofproof.symbols import dimension, quantity

    return lambda name: dimension(name) if name in sizes else quantity(name)


def _is_last(goal: Formula) -> bool:
    """Tell whether the integers beyond the one that a goal names are larger."""
    return bool(goal[0] == "and" and goal[2][1][1][0] == "v")


def _end(goal: Formula) -> Term:
    """Return the number beyond which no integer meets a condition."""
    beyond: Formula = goal[2][1]
    return beyond.sides[1 if _is_last(goal) else 0]


def _of_figures(term: Term) -> str:
    """Return a quotient of figures, or a factor times that of calibrated ones, as figures are written."""
    from roofproof.formula.magnitudes import decimal

    match term:
        case ("q", above, below):
            return decimal(Fraction(above, below))
        case ("*", factor, ("/", *_) as quotient):
            return f"{show(factor)} * {_of_figures(quotient)}"
        case ("/", above, below):
            sides = (f"({_of_figures(t)})" if t[0] == "*" else _of_figures(t) for t in (above, below))
            return " / ".join(sides)
    return " * ".join(map(_of_figures, term[1:]))


@lru_cache(maxsize=1_000)  # one symbolic threshold is told again for every chip
def _told(unknown: sympy.Symbol, threshold: Threshold) -> str:
    from roofproof.derive.inequalities.cases import plain_threshold

    return plain_threshold(unknown, threshold)


@lru_cache(maxsize=1_000)  # z3 need not write a formula down the same way twice
def _script(asked: tuple[Formula, ...], integers: tuple[str, ...], status: str) -> str:
    from roofproof.proofs.oracles import smt

    return smt.script(asked, integers, status)


def _occurs(head: str, f: object) -> bool:
    return isinstance(f, tuple) and (f[:1] == (head,) or any(_occurs(head, part) for part in f))
