"""A statement: what is claimed, as a formula of the kernel, and what it takes for granted."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from roofproof.proofs.assumptions import NUMBERS, positive
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, V, show, substitute, variables

if TYPE_CHECKING:
    import sympy

    from roofproof.derive.inequalities.cases import Case, Threshold

UNSAID = ("tends", "log2", "power")  # what SMT-LIB has no words for


@dataclass(frozen=True, slots=True)
class Statement:
    """The assumptions imply the goal wherever the names are positive; or, `somewhere`, both hold at some point.

    With no words of its own a statement says its formulas. `reals` are names that may be zero or negative. `meaning`
    says what stands under a name given to a root.
    `kind` tells what part of an answer it is: `flops`, `ridge`, `case`, ... `shows` are expressions of the goal for the
    eye, and `about` names what they are the value of, or is the case that the goal states: what the statement says in
    words is made of these, and `Known` holds them to the goal (`proofs/shown.py`).

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
    shows: tuple[sympy.Basic, ...] = field(default=(), repr=False, compare=False)

    @property
    def says(self) -> str:
        """The statement in words."""
        if not self.about:
            given = " and ".join(show(self.spelled_out(f)) for f in self.assumptions)
            said = show(self.spelled_out(self.goal)) + " somewhere" * self.somewhere
            return f"{said} where {given}" if given else said
        if isinstance(self.about, tuple):
            unknown, case = self.about
            where = " and ".join(map(_plain, self.shows)) if self.kind == "within" else ""
            return _told(unknown, case.threshold) + (f", where {where}" if where else "")
        return _sentence(self.about, self.kind, self.goal, self.shows) if self.shows else self.about

    def misshown(self, unknown: bool = False) -> str:
        """Return the part of its words that its goal does not say; nothing where there is none (`proofs/shown.py`)."""
        if not self.shows and not isinstance(self.about, tuple):
            return ""
        from roofproof.proofs.shown import misshown  # with SymPy, which a store of verdicts does without

        return misshown(self, unknown)

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

        That it holds somewhere is proved by `sat`. Raises KernelError for what such a script cannot say: a limit, a
        logarithm, a power with any exponent.
        """
        if unsaid := next((h for h in UNSAID if any(_occurs(h, f) for f in (self.goal, *self.assumptions))), None):
            raise KernelError(f"no SMT-LIB for {unsaid}")
        asked, integers = self.question()
        return _script(tuple(asked), integers, "sat" if self.somewhere else "unsat")

    def spelled_out(self, formula: V) -> V:
        """Return a formula, or a term, with every name given to a root replaced by what it stands for."""
        return substitute(formula, dict(self.meaning)) if self.meaning else formula


def _sentence(about: str, kind: str, goal: Formula, shows: tuple[sympy.Basic, ...]) -> str:
    """Return the sentence of a goal, made of the expressions that are shown."""
    match kind, shows:
        case ("limit" | "order" | "error" | "figure", _):
            return about
        case "ridge" | "shared", (value,):
            return f"{about} = {_of_figures(goal[1])} = {_plain(value)}"
        case "bound", (most, _):
            return f"{about} {'<' if goal[0] == '>' else '='} {most}"
        case "left-out", (least, other):
            return f"{about} takes longer than {other} <=> rate of {about} < {_plain(least)}"
        case "lowest-terms", (condition,):
            return f"{about} <=> {_plain(condition)}"
        case "integer", (unknown, answer, step, *whole):
            named = f"{about} {unknown}" if step == 1 else f"{about} of {step} for {unknown}"
            told = f"{named} = {answer}" if answer.is_Integer else f"no {named}"
            return told + (f", where {' and '.join(map(_plain, whole))}" if whole else "")
    return f"{about} = {_plain(shows[0])}"


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


def _plain(expr: sympy.Basic) -> str:
    from roofproof.derive.algebra.text import plain

    return plain(expr)


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
