"""Known statements: a statement with its warrant, checked on construction.

The trust in a statement follows from the type of its warrant and is stored nowhere else. `Known` rejects a theorem
about another statement, and one that assumes more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, get_args

from roofproof.errors import RoofproofError, WrongType, quoted
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, substitute, variables
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import given_numbers as given_numbers
from roofproof.proofs.oracles.points import holds as holds
from roofproof.proofs.statement import Statement

if TYPE_CHECKING:
    from roofproof import hardware
    from roofproof.proofs.oracles.points import Point

FORMS = 30  # points at which two forms of a formula are compared


class Unwarranted(RoofproofError):
    """A warrant that does not warrant the statement it was given for.

    >>> raise Unwarranted("'2 + 2 = 5' is not warranted: no points")
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: '2 + 2 = 5' is not warranted: no points
    """


@dataclass(frozen=True, slots=True)
class ByKernel:
    """A theorem of the kernel that states exactly this and assumes nothing more.

    >>> from roofproof.proofs.search.tactics import prove
    >>> positive = Formula(">", Term("v", "x"), Term("q", 0, 1))
    >>> Known(Statement("x > 0", (), positive), ByKernel(prove(positive))).trust        # all names are positive
    'kernel'
    """

    theorem: Theorem
    trust: ClassVar[str] = "kernel"

    def check(self, statement: Statement) -> str:
        if statement.somewhere:
            return "a theorem holds everywhere; what holds somewhere needs a point"
        if statement.spelled_out(self.theorem.conclusion) != statement.spelled_out(statement.goal):
            return f"the theorem says {self.theorem}"
        own = {statement.spelled_out(f) for f in (*statement.assumptions, *statement.positive())}
        for said in {statement.spelled_out(h) for h in self.theorem.hypotheses} - own:
            # A name that does not occur in the statement may be assumed positive: positive numbers exist.
            free = said[0] == ">" and said[1][0] == "v" and said[2] == ZERO and not variables(said) & statement.names
            # A true comparison of numbers, such as pi > 3, is not an assumption: exact arithmetic decides it.
            if not free and (variables(said) - NUMBERS or not holds(said, {})):
                return f"the theorem assumes more: {self.theorem}"
        return ""


@dataclass(frozen=True, slots=True)
class ByOracle:
    """A solver's answer that the negation of the statement, written as this script, is unsatisfiable.

    If the solver decided a more general statement, `general` is that statement, and `values` are those of its variables
    in this one.

    >>> more = Statement("x + 1 > x", (), Formula(">", Term("+", Term("v", "x"), Term("q", 1, 1)), Term("v", "x")))
    >>> Known(more, ByOracle(more.smtlib(), "z3", "4.13")).trust
    'smt'
    """

    script: str
    solver: str
    version: str
    general: Statement | None = None
    values: tuple[tuple[str, Term], ...] = ()
    trust: ClassVar[str] = "smt"

    def check(self, statement: Statement) -> str:
        if statement.somewhere:
            return "that a script cannot hold says nothing of a point"
        asked = self.general or statement
        if self.script != asked.smtlib():
            return "the script is that of another statement"
        taken = (asked.goal, *asked.assumptions, *asked.positive())
        goal, *assumed = (substitute(f, dict(self.values)) for f in taken)
        own = (*statement.assumptions, *statement.positive())
        more = any(f not in own and (variables(f) - NUMBERS or not holds(f, {})) for f in assumed)
        return "the solver was asked about another statement" if more or goal != statement.goal else ""


@dataclass(frozen=True, slots=True)
class ByExactValue:
    """Exact rational arithmetic, for a statement whose assumptions fix the value of every name.

    >>> sum_ = Statement("2 + 2 = 5", (), Formula("=", Term("+", Term("q", 2, 1), Term("q", 2, 1)), Term("q", 5, 1)))
    >>> Known(sum_, ByExactValue({}))
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: '2 + 2 = 5' is not warranted: it does not hold at the point
    """

    point: Point
    trust: ClassVar[str] = "kernel"

    def check(self, statement: Statement) -> str:
        given = given_numbers(statement.assumptions)
        if given != dict(self.point) or statement.names - set(given):
            return "the statement is not about this point alone"
        return "" if holds(statement.goal, self.point) else "it does not hold at the point"


@dataclass(frozen=True, slots=True)
class ByEveryInteger:
    """Exact arithmetic at every integer from `first` to `last`, for a statement that assumes this range for its name.

    If interval bounds decide a whole block of integers, the block is checked at once.

    >>> n = Term("v", "n")
    >>> small = (Formula("int", n), Formula(">=", n, Term("q", 1, 1)), Formula(">=", Term("q", 3, 1), n))  # 1, 2, 3
    >>> below_ten = Statement("n^2 < 10", small, Formula(">", Term("q", 10, 1), Term("^", n, 2)))
    >>> Known(below_ten, ByEveryInteger("n", 1, 3)).trust                                           # 1, 4, 9
    'kernel'
    """

    name: str
    first: int
    last: int
    trust: ClassVar[str] = "kernel"

    def check(self, statement: Statement) -> str:
        x = Term("v", self.name)
        between = {
            Formula("int", x),
            Formula(">=", x, Term("q", self.first, 1)),
            Formula(">=", Term("q", self.last, 1), x),
        }
        if statement.somewhere or not between <= set(statement.assumptions) or statement.names != {self.name}:
            return "the statement is not about these integers alone"
        from roofproof.proofs.oracles.whole_numbers import failure_reason

        return failure_reason(statement.goal, self.name, self.first, self.last)


@dataclass(frozen=True, slots=True)
class ByLeadingTerms:
    """The expansion that finds limits: it shows that the function minus its limit tends to zero.

    >>> t = Term("v", "t")
    >>> log_over = Term("/", Term("log2", t), t)
    >>> Known(Statement("log2(t)/t -> 0", (), Formula("tends", log_over, ("t",), ZERO)), ByLeadingTerms()).trust
    'algebra'
    >>> Known(Statement("log2(t)/t -> 1", (), Formula("tends", log_over, ("t",), Term("q", 1, 1))), ByLeadingTerms())
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'log2(t)/t -> 1' is not warranted: the difference does not tend to zero
    """

    trust: ClassVar[str] = "algebra"

    def check(self, statement: Statement) -> str:
        if statement.somewhere or statement.reals:
            return "a limit is taken for all positive values of the other names"
        from roofproof.proofs.oracles.leading_terms import refusal

        return refusal(statement.goal, statement.assumptions)


@dataclass(frozen=True, slots=True)
class BySlope:
    """Theorems of the kernel: a differentiable difference falls before a point and rises after it.

    The statement says that a term is larger at every other value of the variable than at this point. Or it compares
    two terms everywhere, and the comparison is true at this point.

    >>> from roofproof.proofs.kernel.terms import minus
    >>> from roofproof.proofs.assumptions import LN2
    >>> from roofproof.proofs.provers.slope_proofs import least_at
    >>> x = Term("v", "x")
    >>> known = least_at(minus(x, Term("*", LN2, Term("log2", x))), "x", Term("q", 1, 1))      # 1 - 1/x
    >>> known.statement.says, known.trust
    ('x = 1 or x + -1*(log(2)*log2(x)) > 1 + -1*(log(2)*log2(1))', 'algebra')
    """

    variable: str
    at: Term
    below: Theorem
    above: Theorem
    smooth: tuple[Theorem, ...]
    gives: Theorem | None = None  # derives the statement from another comparison, to which the slope belongs
    trust: ClassVar[str] = "algebra"

    def check(self, statement: Statement) -> str:
        from roofproof.proofs.oracles.slopes import refusal

        return refusal(statement, self.variable, self.at, self.below, self.above, self.smooth, self.gives)


@dataclass(frozen=True, slots=True)
class ByCounterexample:
    """A point, checked in exact arithmetic, at which the assumptions and the goal of a `somewhere` statement hold.

    >>> small = Statement("x < 1 somewhere", (), Formula(">", Term("q", 1, 1), Term("v", "x")), somewhere=True)
    >>> from fractions import Fraction
    >>> Known(small, ByCounterexample({"x": Fraction(1, 2)})).trust                      # 1 > 1/2
    'kernel'
    """

    point: Point
    trust: ClassVar[str] = "kernel"

    def check(self, statement: Statement) -> str:
        if not statement.somewhere:
            return "a point proves nothing of all points"
        if NUMBERS & self.point.keys():
            return "a number has one value only"
        formulas = (*statement.positive(), *statement.assumptions, statement.goal)
        return "" if all(holds(f, self.point) for f in formulas) else "it does not hold at the point"


@dataclass(frozen=True, slots=True)
class ByAlgebra:
    """A computer algebra system's answer that two forms are equal, confirmed at sampled points.

    >>> x = Term("v", "x")
    >>> log, log_of_square = Term("log2", x), Term("log2", Term("*", x, x))
    >>> Known(Statement("", (), Formula("=", log_of_square, Term("+", log, log))), ByAlgebra()).trust
    'algebra'
    >>> Known(Statement("", (), Formula("=", log_of_square, log)), ByAlgebra())
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'log2(x*x) = log2(x)' is not warranted: it does not hold at x = 2
    """

    trust: ClassVar[str] = "algebra"

    def check(self, statement: Statement) -> str:
        if statement.somewhere or statement.goal[0] not in ("=", "<=>"):
            return "it is no equation between two forms"
        denied = (*statement.assumptions, Formula("not", statement.goal))
        given = given_numbers(statement.assumptions)
        names = sorted(statement.names - set(given))
        tried = [{**p, **given} for p in islice(sampling.points(names), FORMS if names else 1)]
        if not any(all(holds(f, p) for f in statement.assumptions) for p in tried):  # e.g. valid points are far out
            tried = [p for f in (denied, statement.assumptions) if (p := sampling.find(f, statement.integers))][:1]
        for point in tried:
            if all(holds(f, point) for f in denied):
                return f"it does not hold at {', '.join(f'{n} = {v}' for n, v in point.items())}"
        return "" if tried else "no point was found at which the two can be compared"


@dataclass(frozen=True, slots=True)
class BySamples:
    """Points at which the statement holds, checked exactly, which is not a proof.

    >>> large = Statement("x > 1", (), Formula(">", Term("v", "x"), Term("q", 1, 1)))
    >>> from fractions import Fraction
    >>> Known(large, BySamples(({"x": Fraction(2)}, {"x": Fraction(3)}))).trust          # false at 1, untried
    'sampled'
    """

    points: tuple[Point, ...]
    trust: ClassVar[str] = "sampled"

    def check(self, statement: Statement) -> str:
        if not self.points:
            return "no points"
        formulas = (*statement.assumptions, statement.goal)
        return "" if all(holds(f, p) for p in self.points for f in formulas) else "it does not hold at every point"


@dataclass(frozen=True, slots=True)
class Model:
    """A convention: the statement defines a name, such as the FLOPs of an operation.

    >>> flops = Statement("FLOPs of N multiply-adds", (), ("=", ("v", "FLOPs"), ("*", ("q", 2, 1), ("v", "N"))))
    >>> Known(flops, Model("2 FLOPs per multiply-add")).trust
    'model'
    """

    convention: str
    trust: ClassVar[str] = "model"

    def check(self, statement: Statement) -> str:
        head, *sides = statement.goal
        if statement.assumptions or head != "=" or sides[0][0] != "v" or sides[0][1] in variables(sides[1]):
            return "a convention may define one name only"
        return "" if self.convention else "the convention is not named"


@dataclass(frozen=True, slots=True)
class Figure:
    """A spec from a datasheet, with its source.

    >>> from roofproof.hardware import chip
    >>> rate = chip("tpu-v5e").rate("hbm")                                                # 819 GB/s
    >>> Known(Statement("hbm", (), Formula("=", Term("v", "hbm"), Term("q", 819 * 10**9, 1))), Figure(rate)).trust
    'figure'
    """

    rate: hardware.Figure
    trust: ClassVar[str] = "figure"

    def check(self, statement: Statement) -> str:
        value = self.rate.value
        says = Formula("=", Term("v", self.rate.resource), Term.rational(value))
        own = statement.kind != "figure" or statement.about in ("", str(self.rate))
        return "" if own and statement.goal == says and not statement.assumptions else f"the spec is {self.rate}"


@dataclass(frozen=True, slots=True)
class ByDefinition:
    """The definition of a function, with every part known: it gives the call its stated value.

    >>> two = Known(Statement("", (), Formula(">", Term("q", 2, 1), Term("q", 1, 1))), ByExactValue({}))
    >>> Known(Statement("", (), ("=", ("v", "max(1, 2)"), ("q", 2, 1))), ByDefinition(("q", 2, 1), (two,))).trust
    'kernel'
    """

    value: Term
    parts: tuple[Known, ...]

    @property
    def trust(self) -> str:
        return weakest(self.parts)

    def check(self, statement: Statement) -> str:
        if statement.somewhere or statement.goal[:1] != ("=",) or statement.goal[2] != self.value:
            return "it is defined to be another value"
        return "" if self.parts else "nothing is known of it"


@dataclass(frozen=True, slots=True)
class Unproved:
    """No warrant: nothing is known, for this reason.

    >>> Known(Statement("x > 1", (), Formula(">", Term("v", "x"), Term("q", 1, 1))), Unproved("nobody looked")).reason
    'nobody looked'
    """

    reason: str
    trust: ClassVar[str] = "undecided"

    def check(self, statement: Statement) -> str:
        return ""


Exactly = ByExactValue | ByEveryInteger | ByCounterexample
Given = Model | Figure
Warrant = (
    ByKernel | ByOracle | Exactly | ByLeadingTerms | BySlope | ByAlgebra | BySamples | Given | ByDefinition | Unproved
)
TRUST = (ByKernel.trust, ByOracle.trust, ByAlgebra.trust, BySamples.trust, Unproved.trust)  # strongest first
PROVED = (ByKernel.trust, ByOracle.trust, ByAlgebra.trust)
GIVEN = (Model.trust, Figure.trust)  # taken for granted and labeled as such, so they do not weaken a proof
PRINTED = {
    "kernel": "proved",
    "smt": "proved by z3",
    "algebra": "by algebra",
    "sampled": "by sampling",
    "undecided": "open",
    "model": "by convention",
    "figure": "as published",
}
"""Printed text for each trust; JSON keeps the trust names themselves."""


@dataclass(frozen=True, slots=True)
class Known:
    """A statement with its warrant, and a `witness`: a point that satisfies the assumptions, so it is not vacuous.

    >>> from roofproof.proofs.search.tactics import prove
    >>> x = Term("v", "x")
    >>> more = Statement("x + 1 > x", (), Formula(">", Term("+", x, Term("q", 1, 1)), x))
    >>> Known(more, ByKernel(prove(more.goal))).trust                     # x + 1 - x = 1 > 0
    'kernel'
    >>> Known(more, ByKernel(prove(Formula(">=", Term("*", x, x), Term("q", 0, 1)))))
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'x + 1 > x' is not warranted: the theorem says x > 0 |- x*x >= 0

    Raises Unwarranted if the warrant belongs to another statement or assumes more, or if the displayed text does not
    match the goal.
    """

    statement: Statement
    warrant: Warrant
    witness: Point | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.statement, Statement):
            raise WrongType("known", "a statement", self.statement, "threshold('matmul', None, 'B').known[0].statement")
        if type(self.warrant) not in get_args(Warrant):
            raise Unwarranted(f"{self.statement.says!r} is not warranted by a {type(self.warrant).__name__}")
        nothing = isinstance(self.warrant, Unproved)
        wrong = self.warrant.check(self.statement)
        if not wrong and not (nothing and self.statement.goal in (("true",), ("false",))):
            wrong = self.statement.label_mismatch
        if wrong:
            raise Unwarranted(f"{self.statement.says!r} is not warranted: {wrong}")

    def __repr__(self) -> str:
        return f"Known({quoted(self.statement.says)}, by {self.trust})"

    def __str__(self) -> str:
        return f"{self.statement.says}  by {self.trust}"

    @property
    def trust(self) -> str:
        """The trust that the type of the warrant gives."""
        return self.warrant.trust

    @property
    def theorem(self) -> Theorem | None:
        """The kernel's theorem, or None."""
        return self.warrant.theorem if isinstance(self.warrant, ByKernel) else None

    @property
    def reason(self) -> str:
        """The reason why nothing is known, or '' if something is."""
        return self.warrant.reason if isinstance(self.warrant, Unproved) else ""


def by_kernel(statement: Statement, theorem: Theorem | None, witness: Point | None = None) -> Known | None:
    """Return the statement as known by a theorem, or None if the theorem is None or states something else.

    >>> from roofproof.proofs.search.tactics import prove
    >>> x = Term("v", "x")
    >>> twice = Statement("x + x = 2 x", (), Formula("=", Term("+", x, x), Term("*", Term("q", 2, 1), x)))
    >>> by_kernel(twice, prove(twice.goal)).trust, by_kernel(twice, prove(Formula(">", x, Term("q", 0, 1))))
    ('kernel', None)
    """
    return None if theorem is None else warranted(statement, ByKernel(theorem), witness)


def stated(theorem: Theorem, about: str = "") -> Known:
    """Return what a theorem states, as a known statement.

    >>> from roofproof.proofs.search.tactics import prove
    >>> stated(prove(Formula(">=", Term("*", Term("v", "x"), Term("v", "x")), Term("q", 0, 1)))).statement.says
    'x*x >= 0'
    """
    given = (h for h in sorted(theorem.hypotheses) if not (h[0] == ">" and h[1][0] == "v" and h[2] == ZERO))
    return Known(Statement(about, tuple(given), theorem.conclusion), ByKernel(theorem))


def warranted(statement: Statement, warrant: Warrant, witness: Point | None = None) -> Known | None:
    """Return the statement as known by a warrant, or None if the warrant does not fit.

    >>> one = Statement("1 > 0", (), Formula(">", Term("q", 1, 1), Term("q", 0, 1)))
    >>> warranted(one, ByExactValue({})).trust, warranted(one, ByCounterexample({}))
    ('kernel', None)
    """
    try:
        return Known(statement, warrant, witness)
    except Unwarranted:
        return None


def weakest(known: Iterable[Known]) -> str:
    """Return the weakest trust of all, where conventions and specs count only if there is nothing else.

    Raises Unwarranted if there are no statements.
    """
    found = [k.trust for k in known]
    if not found:
        raise Unwarranted("nothing was stated, so nothing is known")
    return max((t for t in found if t in TRUST), key=TRUST.index, default=found[0])
