"""A line of a proof and its reason, and sequences of lines. Both are checked when they are made."""

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
from roofproof.proofs.steps.lines import TURNED, Line, Relation, Tends, as_relation, leaves
from roofproof.proofs.translate import with_functions

KIND = "step"


class Reason(StrEnum):
    """A reason why a line follows from the one before. The list is complete.

    >>> Reason("collect") is Reason.COLLECT
    True
    """

    COMPUTE_BOUND = "compute-bound"  # compute time is longer than memory time
    KEPT = "kept"  # a share of the peak is reached, by an estimate of the time
    TIMES = "times"  # multiply both sides by a positive factor
    DIVIDE = "divide"  # divide both sides by a positive factor
    TURN = "turn"  # divide both sides by a negative factor, which reverses the sign
    COLLECT = "collect"  # collect the unknown on one side
    ADD = "add"  # add the same term to both sides
    SQUARE = "complete-square"  # add the same term to both sides, which completes a square
    ROOT = "root"  # take the square root of both sides, one of which is not negative
    POWER = "power"  # raise two to the power of both sides
    SIGNS = "signs"  # the signs of the sides in this case
    DECIDED = "decided"  # decided by these signs
    CASE = "case"  # by the condition of the case
    STANDS = "stands"  # nothing left to do
    JOIN = "join"  # combine several bounds into one
    FIGURE = "figure"  # substitute specs for ridge points
    SIZES = "sizes"  # substitute numbers for sizes
    INTEGER = "integer"  # round to the next integer
    ISOLATED = "isolated"  # isolate the roots of a polynomial
    SEARCHED = "searched"  # every integer up to a limit was searched
    ALLOWED = "allowed"  # further constraints of the operation and of the chip's memories on the size
    BEST = "best"  # the best of the remaining integers
    FORMULA = "quadratic-formula"  # the zeros of a quadratic
    SUPPOSED = "supposed"  # an assumption
    MEANS = "means"  # the meaning of a text
    COMPARED = "compared"  # both sides were computed
    FOLLOWS = "follows"  # because all quantities are positive
    DIFFERENCE = "difference"  # of a function and its least or greatest value, factored
    SQUARE_SIGN = "no-negative"  # no factor is negative
    LEAST = "least"  # so the value is a bound
    TAKEN = "taken"  # the point at which the value is attained
    FUNCTION = "function"  # names the function whose limit is taken
    RECIPROCAL = "reciprocal"  # the reciprocal, which tends to zero
    FRACTION = "fraction"  # divide numerator and denominator by the same term
    FAR_OUT = "far-out"  # the value of a maximum or minimum at large sizes
    VANISH = "vanish"  # terms that tend to zero
    LIMIT = "limit"  # the limit of the remaining term
    ERROR = "error"  # the relative error


NAMING = (Reason.TIMES, Reason.DIVIDE, Reason.TURN, Reason.ADD, Reason.SQUARE)  # name the factor or term
STARTING = (Reason.COMPUTE_BOUND, Reason.KEPT, Reason.SUPPOSED)  # start a chain of lines
CHANGING = (*NAMING, Reason.COLLECT, Reason.ROOT)  # claim something about both sides


@dataclass(frozen=True, slots=True)
class Step:
    """A line, its reason, and the proved statements: that the line follows, and the claims of the reason.

    `link` relates the line to the line `before`: `<=>`, `=>`, or "" if the line holds by itself. `by` has the objects
    that the reason names, such as the factor. `put` has the numbers that are substituted into the line before.

    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> step = stepped(Relation(x/a, ">", y), Relation(x, ">", a*y), Reason.TIMES, (a,))        # a > 0
    >>> [known.statement.says for known in step.known]
    ['x/a > y <=> x > a*y', 'a > 0', 'x = a*(x/a)', 'a*y = a*y']
    >>> Step(Relation(x, ">", y), Reason.TIMES, step.known, "<=>", step.before, (a,))
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: x > y: 'times' does not warrant this line

    Raises Unwarranted if the proved statements are not those that the line and its reason need.
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
            due = said  # a limit, and an equation for its displayed form
        if not said or said != due or (not self.linked and said[0] != self.line.formula):
            raise Unwarranted(f"{self.line}: {self.reason.value!r} does not warrant this line")
        named = isinstance(self.line, Relation) and self.line.stated is not None
        if named and not _shows(self.line, self.known[0].statement.spelled_out(self.line.formula), self.by):  # type: ignore[arg-type]
            raise Unwarranted(f"{self.line}: the formula proved says something else")

    @property
    def linked(self) -> bool:
        """Whether the line follows from a line before."""
        return self.link != ""

    @property
    def follows(self) -> Formula:
        """The formula that the line follows from the one before."""
        assert self.before is not None
        return Formula(self.link, substitute(self.before.formula, dict(self.put)), self.line.formula)


def _shows(line: Relation, stated: Formula, by: tuple[sympy.Basic, ...]) -> bool:
    """Return whether a line matches a formula with roots: both have the same difference of sides at three points.

    `by` has the names of the line and their values in the formula. The points are fourth powers of primes, so that
    roots are rational.
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
    """Return the claims of a reason about two lines, in addition to one following from the other.

    >>> from roofproof.proofs.kernel.terms import show
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> for claim in claims(Reason.DIVIDE, Relation(a*x, ">", y), Relation(x, ">", y/a), (a,)):
    ...     print(show(claim))
    a > 0
    a*x = a*x
    y = a*(y/a)
    """
    if reason not in CHANGING:
        return ()
    if not isinstance(before, Relation) or not isinstance(after := as_relation(after), Relation):
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
    """Return a line that follows from another by a reason under the assumptions `given`. Everything is proved.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> step = stepped(Relation(2*x, ">", y), Relation(x, ">", y/2), Reason.DIVIDE, (sympy.Integer(2),))
    >>> step.known[0].trust, step.known[0].statement.says                      # 2 x - y = 2 (x - y/2)
    ('kernel', '2*x > y <=> x > 1/2*y')
    >>> stepped(Relation(2*x, ">", y), Relation(x, ">", y), Reason.DIVIDE, (sympy.Integer(2),))
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: y = 2*y: false at y = 1

    Raises Refuted with a counterexample if the line does not follow or its reason is false.
    """
    follows = Formula(link, substitute(before.formula, dict(put)), after.formula)
    said = list[Known]()
    for goal in claims(reason, before, after, tuple(by)):  # the sign of the divisor comes first
        signs = [known.theorem for known in said if known.theorem is not None]
        said.append(prove_statement(Statement("", tuple(given), goal, KIND), signs=signs))
    known = prove_statement(Statement("", tuple(given), follows, KIND))
    return Step(after, reason, (known, *said), link, before, tuple(by), tuple(put))


def holding(line: Line, reason: Reason, by: Sequence[sympy.Expr] = (), given: Sequence[Formula] = ()) -> Step:
    """Return a line that holds by itself under the assumptions `given`.

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
        """The last line of the case."""
        return self.steps[-1].line


@dataclass(frozen=True, slots=True)
class Steps:
    """The lines that all cases share, and those of each case. Every line follows from lines above it.

    `key` is the catalogue key of the subject of the lines. `about` is the memory level, the link or the sizes.

    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> step = stepped(Relation(x/a, ">", y), Relation(x, ">", a*y), Reason.TIMES, (a,))
    >>> Steps("threshold", (step, step))
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: x > a*y: no line above it says x/a > y

    Raises Unwarranted for a line that does not follow from any line above it.
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
        """The numbers of lines that others refer to, and the numbers that each line refers to, both by `id`.

        With several chains, a line refers to the lines it follows from, unless that is only the line directly above.
        Both are empty for a single chain.
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
        """The proved statements of all lines."""
        return tuple(k for step in self for k in step.known)


@dataclass(frozen=True, slots=True)
class NoSteps:
    """The reason why an answer has no steps. `key` and `about` are as in `Steps`.

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
