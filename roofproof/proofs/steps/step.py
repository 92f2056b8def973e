"""A line of a proof with the reason for it, and lines in order; both are checked when they are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.proofs.kernel.terms import ZERO, Formula, Term, minus, substitute, variables
from roofproof.proofs.known import Known, Unwarranted
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.sampling import value
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import TURNED, Line, Relation, Tends, bare, leaves
from roofproof.proofs.translate import with_functions

KIND = "step"


class Reason(StrEnum):
    """Why a line follows from the one before: there are no other reasons.

    >>> Reason("collect") is Reason.COLLECT
    True
    """

    COMPUTE_BOUND = "compute-bound"  # computing takes longer than moving the bytes
    KEPT = "kept"  # a share of the peak is kept, by an estimate of the time
    TIMES = "times"  # both sides times something positive
    DIVIDE = "divide"  # both sides divided by something positive
    TURN = "turn"  # both sides divided by something negative, which turns the sign
    COLLECT = "collect"  # the unknown on one side
    ADD = "add"  # the same on both sides
    SQUARE = "complete-square"  # the same on both sides, which makes one a square
    ROOT = "root"  # the square root of both sides, of which one is not negative
    POWER = "power"  # two to the power of both sides
    SIGNS = "signs"  # the signs of the sides in this case
    DECIDED = "decided"  # by these signs
    CASE = "case"  # by the condition of the case
    STANDS = "stands"  # nothing is left to do
    JOIN = "join"  # bounds that hold together as one
    FIGURE = "figure"  # figures for ridge points
    SIZES = "sizes"  # numbers for sizes
    INTEGER = "integer"  # the next whole number
    ISOLATED = "isolated"  # the roots of a polynomial, isolated
    SEARCHED = "searched"  # every whole number up to the last one searched
    ALLOWED = "allowed"  # what else the operation and the memories of the chip ask of the size
    BEST = "best"  # the best of the whole numbers that are left
    FORMULA = "quadratic-formula"  # the zeros of a quadratic
    SUPPOSED = "supposed"  # what is supposed
    MEANS = "means"  # what a text stands for
    COMPARED = "compared"  # both sides computed
    FOLLOWS = "follows"  # as all quantities are positive
    DIFFERENCE = "difference"  # of a function and its least or greatest value, factored
    SQUARE_SIGN = "no-negative"  # no factor is negative
    LEAST = "least"  # so the value is a bound
    TAKEN = "taken"  # where the value is taken
    FUNCTION = "function"  # the function whose limit is taken, which has a name from here on
    RECIPROCAL = "reciprocal"  # the reciprocal, which tends to zero
    FRACTION = "fraction"  # above and below divided by the same
    FAR_OUT = "far-out"  # what a maximum or a minimum is far out
    VANISH = "vanish"  # what tends to zero
    LIMIT = "limit"  # the limit that is left
    ERROR = "error"  # the relative error


NAMING = (Reason.TIMES, Reason.DIVIDE, Reason.TURN, Reason.ADD, Reason.SQUARE)  # what both sides are changed by
STARTING = (Reason.COMPUTE_BOUND, Reason.KEPT, Reason.SUPPOSED)  # which begin a chain of lines
CHANGING = (*NAMING, Reason.COLLECT, Reason.ROOT)  # which claim something of both sides


@dataclass(frozen=True, slots=True)
class Step:
    """A line, the reason for it, and what is known: that it follows, and what the reason itself claims.

    `link` says how it follows from the line `before`: `<=>`, `=>`, or nothing where it holds by itself; `by` is what
    the reason names, such as the factor; `put` are the numbers that it puts into the line before.

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
    by: tuple[sympy.Basic, ...] = ()
    put: tuple[tuple[str, Term], ...] = ()

    def __post_init__(self) -> None:
        said = tuple(k.statement.goal for k in self.known)
        due = (self.follows, *claims(self.reason, self.before, self.line, self.by)) if self.linked else said[:1]
        if isinstance(self.line, Tends) and len(said) == 2 and said[1][:2] == ("=", with_functions(self.line.expr)):
            due = said  # that tends, and what is shown is the same
        if not said or said != due or (not self.linked and said[0] != self.line.formula):
            raise Unwarranted(f"{self.line}: {self.reason.value!r} does not warrant this line")
        named = isinstance(self.line, Relation) and self.line.stated is not None
        if named and not _shows(self.line, self.known[0].statement.spelled_out(self.line.formula), self.by):  # type: ignore[arg-type]
            raise Unwarranted(f"{self.line}: the formula proved says something else")

    @property
    def linked(self) -> bool:
        """Whether it follows from a line before."""
        return self.link != ""

    @property
    def follows(self) -> Formula:
        """That the line follows from the one before."""
        assert self.before is not None
        return Formula(self.link, substitute(self.before.formula, dict(self.put)), self.line.formula)


def _shows(line: Relation, stated: Formula, by: tuple[sympy.Basic, ...]) -> bool:
    """Tell whether a line shows what a formula with roots in it says: the same difference of sides at three points.

    `by` are values that the formula has for names. The points are squares of primes, so that roots come out even.
    """
    put = dict(zip(by[::2], by[1::2], strict=False))
    apart = (line.left - line.right).xreplace(put)
    names = sorted(apart.free_symbols | {sympy.Symbol(n, positive=True) for n in variables(stated)}, key=str)
    for k in range(3):
        numbers = [sympy.prime(k + 1 + i) ** 4 for i in range(len(names))]
        shown = apart.xreplace(dict(zip(names, numbers, strict=True)))
        point = {s.name: Fraction(int(n)) for s, n in zip(names, numbers, strict=True)}
        try:
            left, right = (value(side, point) for side in stated[1:])
        except Inexact:
            continue
        if shown not in (said := sympy.Rational(left - right), -said):
            return False
    return True


def claims(reason: Reason, before: Line | None, after: Line, by: tuple[sympy.Basic, ...]) -> tuple[Formula, ...]:
    """Return the claims of a reason about two lines, beyond that one follows from the other.

    >>> from roofproof.proofs.kernel.terms import show
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> for claim in claims(Reason.DIVIDE, Relation(a*x, ">", y), Relation(x, ">", y/a), (a,)):
    ...     print(show(claim))
    a > 0
    a*x = a*x
    y = a*(y/a)
    """
    if reason not in CHANGING:  # which follows by itself
        return ()
    if not isinstance(before, Relation) or not isinstance(after := bare(after), Relation):
        return ()
    turned = after.sign == TURNED[before.sign] != before.sign
    sides = [(with_functions(a), with_functions(b)) for a, b in zip(before.shows, after.shows, strict=True)]
    (left, new_left), (right, new_right) = sides
    what = with_functions(by[0]) if by and reason in NAMING else ZERO
    match reason:
        case Reason.TIMES:
            return (Formula(">", what, ZERO), *(Formula("=", new, Term("*", what, old)) for old, new in sides))
        case Reason.DIVIDE:
            return (Formula(">", what, ZERO), *(Formula("=", old, Term("*", what, new)) for old, new in sides))
        case Reason.TURN:
            return (Formula(">", ZERO, what), *(Formula("=", old, Term("*", what, new)) for old, new in sides))
        case Reason.COLLECT:
            difference = minus(new_right, new_left) if turned else minus(new_left, new_right)
            return (Formula("=", difference, minus(left, right)),)
        case Reason.ADD | Reason.SQUARE:
            return tuple(Formula("=", new, Term("+", old, what)) for old, new in sides)
        case Reason.ROOT:
            under = new_right[1] if new_right[0] == "sqrt" else Term("^", new_right, 2)
            return Formula("=", Term("^", new_left, 2), left), Formula("=", under, right)
    return ()


def stepped(
    before: Line,
    after: Line,
    reason: Reason,
    by: Sequence[sympy.Basic] = (),
    given: Sequence[Formula] = (),
    put: Sequence[tuple[str, Term]] = (),
    link: str = "<=>",
) -> Step:
    """Return a line that follows from another one by a reason, where `given` holds; everything is proved.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> step = stepped(Relation(2*x, ">", y), Relation(x, ">", y/2), Reason.DIVIDE, (sympy.Integer(2),))
    >>> step.known[0].trust, step.known[0].statement.says                      # 2 x - y = 2 (x - y/2)
    ('kernel', '2*x > y <=> x > 1/2*y')
    >>> stepped(Relation(2*x, ">", y), Relation(x, ">", y), Reason.DIVIDE, (sympy.Integer(2),))
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: y = 2*y: false at y = 1

    Raises Refuted with a point where a line does not follow, or its reason is not true.
    """
    follows = Formula(link, substitute(before.formula, dict(put)), after.formula)
    said = list[Known]()
    for goal in claims(reason, before, after, tuple(by)):  # the sign of what is divided by comes first
        signs = [known.theorem for known in said if known.theorem is not None]
        said.append(prove_statement(Statement("", tuple(given), goal, KIND), signs=signs))
    known = prove_statement(Statement("", tuple(given), follows, KIND))
    return Step(after, reason, (known, *said), link, before, tuple(by), tuple(put))


def holding(line: Line, reason: Reason, by: Sequence[sympy.Expr] = (), given: Sequence[Formula] = ()) -> Step:
    """Return a line that holds by itself, where `given` holds.

    >>> from roofproof.symbols import quantity
    >>> holding(Relation(quantity("x"), ">", sympy.Integer(0)), Reason.SIGNS).known[0].trust
    'kernel'
    """
    return Step(line, reason, (prove_statement(Statement("", tuple(given), line.formula, KIND)),), by=tuple(by))


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
                if above and step.before is not None and step.reason not in STARTING:
                    needed = () if any(_same(step.before, old) for old in above) else leaves(step.before)
                    if missing := [line for line in needed if not any(_same(line, old) for old in above)]:
                        raise Unwarranted(f"{step.line}: no line above it says {missing[0]}")
                above.append(step.line)

    def __iter__(self) -> Iterator[Step]:
        yield from self.common
        for branch in self.branches:
            yield from branch.steps

    def __repr__(self) -> str:
        return f"Steps({self.key}: {len(list(self))} lines)"

    def __str__(self) -> str:
        return "\n".join((f"{self.key}:", *(f"  {step.line}  by {step.reason}" for step in self)))

    @property
    def references(self) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
        """The numbers of lines that others name, and those that a line names; both by `id`, none for a single chain.

        A line names those it follows from where there are several chains, unless it is the one above it alone.
        """
        if sum(step.reason is Reason.COMPUTE_BOUND for step in self.common) < 2:
            return {}, {}
        named: dict[int, tuple[Step, ...]] = {}
        for each in ((), *(b.steps for b in self.branches)):
            above: list[Step] = []
            for step in (*self.common, *each):
                if above and step.before is not None and step.reason not in STARTING:
                    parts = (step.before,) if any(_same(step.before, o.line) for o in above) else leaves(step.before)
                    found = tuple(next(o for o in reversed(above) if _same(part, o.line)) for part in parts)
                    if found != (above[-1],):
                        named[id(step)] = found
                above.append(step)
        used = {id(step) for found in named.values() for step in found}
        numbers = {key: k for k, key in enumerate((id(step) for step in self if id(step) in used), 1)}
        return numbers, {key: tuple(numbers[id(s)] for s in found) for key, found in named.items()}

    @property
    def known(self) -> tuple[Known, ...]:
        """All that is known of the lines."""
        return tuple(k for step in self for k in step.known)


@dataclass(frozen=True, slots=True)
class NoSteps:
    """What is not told line by line, and why: `key` and `about` as those of `Steps`.

    >>> print(NoSteps("limit", "the limit uses a series expansion"))
    limit: the limit uses a series expansion
    """

    key: str
    why: str
    about: str = ""

    def __str__(self) -> str:
        return f"{self.key}: {self.why}"


def _same(line: Line, other: Line) -> bool:
    return line == other or line.formula == other.formula
