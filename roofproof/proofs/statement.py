"""A statement: a claim as a formula of the kernel, with its assumptions."""

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
}  # fmt: skip  # kinds of statements that give a value, which is printed from the goal
SOLVED = ("case", "at-point", "within", "rule", "region-case")  # kinds of statements about a threshold
BOUND_BY = {"lower": "max", "upper": "+", "sequence": "+"}  # how each bound of a time combines the times of the parts
UNSAID = ("tends",)  # SMT-LIB cannot express these
UNKNOWN = ("log2", "power")  # SMT-LIB lacks these too, so a script treats them as arbitrary numbers


@dataclass(frozen=True, slots=True)
class Statement:
    """The claim that assumptions imply a goal for all positive names, or, if `somewhere`, that both hold at a point.

    `about` is the name whose value the goal gives, or the case that the goal states. If it is empty, the formulas are
    printed. `kind` is the part of an answer: `flops`, `ridge`, `case`, ... `reals` are names that may be zero or
    negative. `meaning` defines the names given to roots. `label` is the short name of a time, the other side of a
    comparison, or a further condition on an integer. That integer is `step` times the one in the goal. The value is
    read from the goal, in which `sizes` are names of dimensions.

    >>> more_than_one = Statement("x + 1 > 1", (), (">", ("+", ("v", "x"), ("q", 1, 1)), ("q", 1, 1)))
    >>> print(more_than_one.smtlib().splitlines()[0])
    ; unsat proves the statement
    """

    about: str | tuple[sympy.Symbol, Case]  # text, or the unknown with its threshold and the condition for it
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
            return _threshold_text(unknown, case.threshold) + (f", where {self.label}" if self.kind == "within" else "")
        return _sentence(self) if self.kind in PRINTED and self.goal != ("true",) else self.about

    @property
    def value(self) -> sympy.Expr:
        """The value in the goal: the limit, the bound, or the right side of an equation.

        >>> Statement("n", (), Formula("=", Term("v", "n"), Term("q", 3, 1)), "flops").value
        3

        Raises Undecided for a goal without a value: the kernel has no formula for that result.
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
        """The first or last integer that meets a condition, or None if the goal says that there is none.

        >>> n, two = Term("v", "n"), Term("q", 2, 1)
        >>> first = Formula("and", Formula("true"), Formula("=>", Formula(">", two, n), Formula("false")))
        >>> Statement("integer n", (), first, "integer").says
        'smallest integer n = 2'
        """
        return None if self.goal[0] == "not" else self.step * int(_end(self.goal)[1])

    @property
    def label_mismatch(self) -> str:
        """The mismatch between the displayed text and the goal, or '' if they agree.

        >>> longest = Formula("=", Term("max", Term("v", "a"), Term("v", "b")), Term("v", "a"))
        >>> Statement("time", (), longest, "time", label="lower").label_mismatch
        ''
        >>> Statement("time", (), longest, "time", label="upper").label_mismatch
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
        """The names that occur, without the numbers `log(2)` and `π`."""
        return frozenset[str]().union(*(variables(f) for f in (self.goal, *self.assumptions))) - NUMBERS

    @property
    def integers(self) -> tuple[str, ...]:
        """The names that the assumptions declare to be integers."""
        return tuple(f[1][1] for f in self.assumptions if f[0] == "int" and f[1][0] == "v")

    def positive(self) -> list[Formula]:
        """Return the conditions that the names are positive, except for `reals`."""
        return positive(sorted(self.names - self.reals))

    def negation(self) -> list[Formula]:
        """Return formulas that contradict each other if and only if the statement holds."""
        return [*self.positive(), *self.assumptions, Formula("not", self.goal)]

    def oracle_query(self) -> tuple[list[Formula], tuple[str, ...]]:
        """Return the query for an oracle: formulas that contradict each other if the statement holds, and integers.

        >>> Statement("n >= 1", (("int", ("v", "n")),), (">=", ("v", "n"), ("q", 1, 1))).oracle_query()[1]
        ('n',)

        For a statement that holds `somewhere`, the formulas are satisfiable instead.
        """
        said = [*self.positive(), *self.assumptions, self.goal] if self.somewhere else self.negation()
        return [f for f in said if f[0] != "int" or f[1][0] != "v"], self.integers

    def smtlib(self) -> str:
        """Return an SMT-LIB 2 script for which the answer `unsat` proves the statement.

        A `somewhere` statement is proved by `sat`. The script treats logarithms and powers as arbitrary numbers: what
        it proves also holds for the real functions. Raises KernelError for a limit, and for logarithms or powers in a
        `somewhere` statement.
        """
        heads = (*UNSAID, *UNKNOWN) if self.somewhere else UNSAID
        if unsaid := next((h for h in heads if any(_occurs(h, f) for f in (self.goal, *self.assumptions))), None):
            raise KernelError(f"no SMT-LIB for {unsaid}")
        asked, integers = self.oracle_query()
        return _script(tuple(asked), integers, "sat" if self.somewhere else "unsat")

    def spelled_out(self, formula: V) -> V:
        """Return a formula or term with each name of a root replaced by the root."""
        return substitute(formula, dict(self.meaning)) if self.meaning else formula


def _sentence(s: Statement) -> str:
    """Return the sentence for a goal that gives a value."""
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
    """Return whether a threshold and its condition are those of the goal.

    A root of a polynomial has a name in the goal, which the assumptions must define.
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
    """Return whether the goal excludes larger integers, so that it names the last one."""
    return bool(goal[0] == "and" and goal[2][1][1][0] == "v")


def _end(goal: Formula) -> Term:
    """Return the number beyond which no integer meets the condition."""
    beyond: Formula = goal[2][1]
    return beyond.sides[1 if _is_last(goal) else 0]


def _of_figures(term: Term) -> str:
    """Return the text of a quotient of specs, or of a factor times a quotient of calibrated rates."""
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


@lru_cache(maxsize=1_000)  # one symbolic threshold is printed again for every chip
def _threshold_text(unknown: sympy.Symbol, threshold: Threshold) -> str:
    from roofproof.derive.inequalities.cases import plain_threshold

    return plain_threshold(unknown, threshold)


@lru_cache(maxsize=1_000)  # z3 may print the same formula differently the second time
def _script(asked: tuple[Formula, ...], integers: tuple[str, ...], status: str) -> str:
    from roofproof.proofs.oracles import smt

    return smt.script(asked, integers, status)


def _occurs(head: str, f: object) -> bool:
    return isinstance(f, tuple) and (f[:1] == (head,) or any(_occurs(head, part) for part in f))
