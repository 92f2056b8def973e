"""A line of a proof with the reason for it, and lines in order; both are checked when they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.proofs.kernel.terms import ZERO, Formula, Term, minus, substitute
from roofproof.proofs.known import Known, Unwarranted
from roofproof.proofs.steps.lines import TURNED, Both, Line, Relation, bare
from roofproof.proofs.translate import with_functions


class Reason(StrEnum):
    """Why a line follows from the one before: there are no other reasons.

    >>> Reason("collect") is Reason.COLLECT
    True
    """

    COMPUTE_BOUND = "compute-bound"  # computing takes longer than moving the bytes
    TIMES = "times"  # both sides times something positive
    DIVIDE = "divide"  # both sides divided by something positive
    TURN = "turn"  # both sides divided by something negative, which turns the sign
    COLLECT = "collect"  # the unknown on one side
    ADD = "add"  # the same on both sides
    SQUARE = "complete-square"  # the same on both sides, which makes one a square
    ROOT = "root"  # the square root of both sides, of which one is not negative
    SIGNS = "signs"  # the signs of the sides in this case
    DECIDED = "decided"  # by these signs
    CASE = "case"  # by the condition of the case
    STANDS = "stands"  # nothing is left to do
    JOIN = "join"  # bounds that hold together as one
    FIGURE = "figure"  # figures for ridge points
    SIZES = "sizes"  # numbers for sizes
    INTEGER = "integer"  # the next whole number
    FORMULA = "quadratic-formula"  # the zeros of a quadratic
    FUNCTION = "function"  # the function whose limit is taken, which has a name from here on
    FRACTION = "fraction"  # above and below divided by the same
    VANISH = "vanish"  # what tends to zero
    LIMIT = "limit"  # the limit that is left
    ERROR = "error"  # the relative error


@dataclass(frozen=True, slots=True)
class Step:
    """A line, the reason for it, and what is known: that it follows, and what the reason itself claims.

    `link` says how it follows from the line `before`: `<=>`, `=>`, or nothing where it holds by itself; `by` is what
    the reason names, such as the factor; `put` are the numbers that it puts into the line before.

    >>> from roofproof.proofs.steps.reasons import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> step = stepped(Relation(x/a, ">", y), Relation(x, ">", a*y), Reason.TIMES, (a,))        # a > 0
    >>> [known.statement.says for known in step.known]
    ['x/a > y <=> x > a*y', 'a > 0', 'x = a*(x/a)', 'a*y = a*y']
    >>> Step(Relation(x, ">", y), Reason.TIMES, step.known, "<=>", step.before, (a,))
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: x > y: 'times' does not warrant this line

    Raises Unwarranted where what is known is something else.
    """

    line: Line
    reason: Reason
    known: tuple[Known, ...]
    link: str = ""
    before: Line | None = None
    by: tuple[sympy.Expr, ...] = ()
    put: tuple[tuple[str, Term], ...] = ()

    def __post_init__(self) -> None:
        said = tuple(k.statement.goal for k in self.known)
        due = (self.follows, *claims(self.reason, self.before, self.line, self.by)) if self.linked else said[:1]
        if not said or said != due or (not self.linked and said[0] != self.line.formula):
            raise Unwarranted(f"{self.line}: {self.reason.value!r} does not warrant this line")

    @property
    def linked(self) -> bool:
        """Whether it follows from a line before."""
        return self.link != ""

    @property
    def follows(self) -> Formula:
        """That the line follows from the one before."""
        assert self.before is not None
        return (self.link, substitute(self.before.formula, dict(self.put)), self.line.formula)


def claims(reason: Reason, before: Line | None, after: Line, by: tuple[sympy.Expr, ...]) -> tuple[Formula, ...]:
    """Return what a reason claims of two lines, beyond that one follows from the other.

    >>> from roofproof.proofs.kernel.terms import show
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> for claim in claims(Reason.DIVIDE, Relation(a*x, ">", y), Relation(x, ">", y/a), (a,)):
    ...     print(show(claim))
    a > 0
    a*x = a*x
    y = a*(y/a)
    """
    if not isinstance(before, Relation) or not isinstance(after := bare(after), Relation):
        return ()
    turned = after.sign == TURNED[before.sign] != before.sign
    sides = [(with_functions(a), with_functions(b)) for a, b in zip(before.shows, after.shows, strict=True)]
    (left, new_left), (right, new_right) = sides
    what = with_functions(by[0]) if by else ZERO
    match reason:
        case Reason.TIMES:
            return ((">", what, ZERO), *(("=", new, ("*", what, old)) for old, new in sides))
        case Reason.DIVIDE:
            return ((">", what, ZERO), *(("=", old, ("*", what, new)) for old, new in sides))
        case Reason.TURN:
            return ((">", ZERO, what), *(("=", old, ("*", what, new)) for old, new in sides))
        case Reason.COLLECT:
            difference = minus(new_right, new_left) if turned else minus(new_left, new_right)
            return (("=", difference, minus(left, right)),)
        case Reason.ADD | Reason.SQUARE:
            return tuple(("=", new, ("+", old, what)) for old, new in sides)
        case Reason.ROOT:
            squares = tuple(("=", ("^", new, 2), old) for old, new in sides)
            return (*squares, (">=", new_right, ZERO), (">", ("+", new_left, new_right), ZERO))
    return ()


@dataclass(frozen=True, slots=True)
class Branch:
    """The lines of one case."""

    when: Boolean
    steps: tuple[Step, ...]

    @property
    def last(self) -> Line:
        """The line that the case ends with."""
        return self.steps[-1].line


@dataclass(frozen=True, slots=True)
class Steps:
    """Lines that all cases share, and those of each case; every line follows from one that stands above it.

    `key` says what the lines are about, in the words of the catalogue; `about` is the channel or the sizes.

    >>> from roofproof.proofs.steps.reasons import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> step = stepped(Relation(x/a, ">", y), Relation(x, ">", a*y), Reason.TIMES, (a,))
    >>> Steps("threshold", (step, step))
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: x > a*y: no line above it says x/a > y

    Raises Unwarranted for a line that follows from none above it.
    """

    key: str
    common: tuple[Step, ...]
    branches: tuple[Branch, ...] = ()
    about: str = ""

    def __post_init__(self) -> None:
        for each in ((), *(b.steps for b in self.branches)):
            above: list[Line] = []
            for step in (*self.common, *each):
                if above and step.before is not None and step.reason is not Reason.COMPUTE_BOUND:
                    needed = step.before.parts if isinstance(step.before, Both) else (step.before,)
                    if missing := [line for line in needed if not any(_same(line, old) for old in above)]:
                        raise Unwarranted(f"{step.line}: no line above it says {missing[0]}")
                above.append(step.line)

    def __iter__(self) -> Iterator[Step]:
        yield from self.common
        for branch in self.branches:
            yield from branch.steps

    @property
    def known(self) -> tuple[Known, ...]:
        """All that is known of the lines."""
        return tuple(k for step in self for k in step.known)


def _same(line: Line, other: Line) -> bool:
    return line == other or line.formula == other.formula
