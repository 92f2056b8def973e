"""The value of a word: `call = value` where `domain`, by theorems of what the word means.

What works a word out (`claims/functions/`) only finds a value. It is believed as a `Value`, which says in terms of
the call what has to hold of this value, and is refused where that is not known: `solve(2 x == 6, x)` is a number v
with `2 x = 6 <=> x = v` for all x > 0, and v > 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.decide_formula import decide
from roofproof.claims.judging.domain import Domain, defined_where, domain_of_given
from roofproof.claims.language.environment import Environment, Valued
from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, V, substitute, variables
from roofproof.proofs.known import PROVED, ByDefinition, Known, Unwarranted, given_numbers, holds
from roofproof.proofs.powers import over_smallest_base
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import same
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions

MAX_BITS = 100_000  # of a whole power that is worked out

Proofs = tuple[Known, ...] | Callable[[], Iterable[Known]]
"""What is known of a value; a function where that waits until the claim turns out to hold."""


@dataclass(frozen=True, slots=True)
class Due:
    """A statement that has to be known of a value: one of `goals`, where what is `given` holds."""

    goals: tuple[Formula, ...]
    given: tuple[Formula, ...] = ()
    says: Boolean | None = None  # the first goal in the names of algebra, where roots are taken out for a proof
    integers: frozenset[str] = frozenset()
    somewhere: bool = False  # it is known at a point


Meaning = Callable[["Value"], Iterable[Due]]


@dataclass(frozen=True, slots=True)
class Value(Valued):
    """What a call comes to, where it comes to anything, and the theorems of that.

    `means` yields what has to hold of the value, in terms of the call; `hint` is what it may use beside it, such as
    the place at which a minimum is taken.

    >>> from roofproof.claims.functions.functions import table
    >>> from roofproof.claims.judging.case import Evidence
    >>> from roofproof.formula.reader import read_value
    >>> env = Environment(functions=table(Evidence()))
    >>> found = env.valued(read_value("solve(x + a == 3, x)"))
    >>> found.expr, found.where, found.known.statement.says
    (3 - a, (a < 3,), 'solve(x + a == 3, x) = 3 + -1*a where 3 > a')
    >>> replace(found, expr=found.expr + 1)
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: solve(x + a == 3, x) = 4 - a is not known: 4 + -1*a = 3 + -1*a

    Raises Unwarranted where one of them is not among the `proofs`, and is not proved.
    """

    env: Environment = field(repr=False, compare=False)
    call: Call
    means: Meaning = field(repr=False, compare=False)
    proofs: Proofs = field(default=(), repr=False, compare=False)
    hint: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.proofs, tuple):
            object.__setattr__(self, "proofs", (*self.proofs, *self._proved(self.proofs)))

    def settled(self) -> Value:
        """Return the value with what was left to be proved."""
        return replace(self, proofs=tuple(self.proofs())) if callable(self.proofs) else self

    @property
    def rests(self) -> tuple[Known, ...]:
        """What the value rests on."""
        found = self.settled().proofs
        assert isinstance(found, tuple)
        return found

    @property
    def known(self) -> Known:
        """The statement that the call has this value where it has one."""
        value: Term = Term("v", str(self.expr)) if self.expr.is_infinite else with_functions(self.expr)
        goal = Formula("=", Term("v", to_text(self.call)), value)
        return Known(Statement("", self.domain, goal, "value"), ByDefinition(value, self.rests))

    @property
    def domain(self) -> tuple[Formula, ...]:
        """Where the call has a value, as formulas."""
        return tuple(to_formula(w, with_functions) for w in self.where)

    def nowhere(self) -> tuple[Known, ...]:
        """Prove that the call has a value nowhere in what is given; nothing where it may have one."""
        given = domain_of_given(self.env)
        if not self.where or given.where(*self.domain).can_hold():
            return ()
        found = decide(Formula("not", Formula("and", *self.domain)), given)
        return found.known if found.status == "proved" else ()

    def _proved(self, proofs: Sequence[Known]) -> Iterator[Known]:
        """Yield what is proved of the value beside what is known of it."""
        here = domain_of_given(self.env).where(*self.domain)
        if self.where and not here.can_hold():  # of no value nothing is due
            return
        told: dict[bool, list[Spoken]] = {True: [], False: []}
        for known in proofs:
            if known.trust in PROVED:
                told[known.statement.somewhere] += _spelled_out(known)
        for due in self.means(self):
            where = replace(here.where(*due.given), integers=here.integers | due.integers)
            if any(g[0] == "=" and g[1] == g[2] for g in due.goals):
                continue
            if due.somewhere and any(_same(goal, g) for _, goal in told[True] for g in due.goals):
                continue
            given = {*where.assumptions}
            if any(goal in due.goals and given.issuperset(assumed) for assumed, goal in told[False]):
                continue  # as it stands: seen at once
            if not any(_says(due, where.assumptions, s) for s in told[False]):
                yield from self._decided(due, where)

    def _decided(self, due: Due, where: Domain) -> tuple[Known, ...]:
        for goal in due.goals:
            with suppress(RoofproofError, KernelError):
                there = where.where(*defined_where(goal, variables(goal) - {*where.signs}))
                found = decide(goal, there) if due.says is None else decide_condition(Formula.of(due.says), where)
                if found.status == "proved" and not due.somewhere:
                    return found.known
            if due.says is not None:
                break
        says = Statement("", (), due.goals[0]).says
        raise Unwarranted("<call> = <value> is not known: <says>", call=to_text(self.call), value=self.expr, says=says)


def holding(condition: Boolean, given: Sequence[Formula] = ()) -> Due:
    """Require that a condition is due, where what is given holds.

    >>> x = sympy.Symbol("x", positive=True)
    >>> holding(sympy.Gt(x, 2)).goals
    (('>', ('v', 'x'), ('q', 2, 1)),)
    """
    return Due((to_formula(condition, with_functions),), tuple(given), condition)


def either(conditions: Sequence[Boolean]) -> tuple[Boolean, ...]:
    """Return the disjunction of some conditions, as what a value asks for: nothing where one always holds."""
    if sympy.true in conditions:
        return ()
    return (conditions[0] if len(conditions) == 1 else sympy.Or(*conditions),)


Spoken = tuple[tuple[Formula, ...], Formula]  # what is assumed, and what is said


def _spelled_out(known: Known) -> Iterator[Spoken]:
    """Yield what a statement says, part by part, with the roots and the numbers that its names stand for."""
    s = known.statement
    table: dict[str, Term] = dict(s.meaning)
    for f in s.assumptions:
        match f:
            case ("=", ("^", ("v", name), n), base) | ("=", base, ("^", ("v", name), n)) if (
                name.endswith(f"^(1/{n})") and f[1] != f[2]
            ):
                table[name] = Term("sqrt", base) if n == 2 else over_smallest_base(base, Term("q", 1, n))
    numbers: dict[str, Term] = {n: Term.rational(v) for n, v in given_numbers(s.assumptions).items()}
    goal, *given = (substitute(f, table) for f in (s.goal, *s.assumptions))
    for here in ({}, numbers) if numbers else ({},):
        assumed = tuple(substitute(f, here) for f in given)
        for part in _conjuncts(substitute(goal, here)):
            yield ((*assumed, part[1]), part[2]) if part[0] == "=>" else (assumed, part)
            if part[0] == "=>":
                yield assumed, part


def _conjuncts(f: Formula) -> Iterator[Formula]:
    if f[0] == "and":
        for part in f[1:]:
            yield from _conjuncts(part)
    else:
        yield f


def _says(due: Due, given: tuple[Formula, ...], spoken: Spoken) -> bool:
    """Tell whether a statement is one that is due, and assumes no more than is given."""
    assumed, goal = spoken
    names = [variables(f) for f in (goal, *assumed)]

    def is_of_nothing(f: Formula) -> bool:
        """Tell whether it is supposed of a name that stands nowhere else to be whole: some number is."""
        return f[0] == "int" and f[1][0] == "v" and sum(f[1][1] in each for each in names) == 1

    return any(_same(goal, g) for g in due.goals) and all(is_of_nothing(f) or _follows(f, given) for f in assumed)


def _same(f: Formula, g: Formula) -> bool:
    f, g = _worked_out(f), _worked_out(g)
    if f == g:
        return True
    with suppress(KernelError):
        return same(f, g) is True
    return False


def _worked_out(f: V) -> V:
    """Return a formula with whole powers of numbers as numbers, and powers p/q as powers p of roots."""
    match f:
        case ("power", ("q", a, b), ("q", p, 1)) if a > 0 and abs(p) * max(a, b).bit_length() <= MAX_BITS:
            value = Fraction(a, b) ** p
            return Term.rational(value)  # type: ignore[return-value]
        case ("power", base, ("q", p, q)) if q > 1 and p != 1:
            root = Term("power", _worked_out(base), Term("q", 1, q))
            raised = root if p == -1 else Term("^", root, abs(p))
            return raised if p > 0 else Term("/", Term("q", 1, 1), raised)  # type: ignore[return-value]
    return f.mapped(_worked_out)


def _follows(f: Formula, given: tuple[Formula, ...]) -> bool:
    if not variables(f):
        return holds(f, {})
    match f:
        case ("=", base, ("^", ("power", under, ("q", 1, n)), m)) if (under, m) == (base, n):
            f = Formula(">", base, ZERO)  # it says what the root is
    return any(_same(f, g) for g in given) or tactics.prove(f, given) is not None
