"""The functions of the claim language whose values are searched for, and the check of a value against its meaning.

The search is not trusted: each requirement on the value, in terms of the call, must be among its proofs or is proved.

solve(e, x) = v         e <=> x = v for every x, and v > 0
threshold(op, C, x) = v op is compute-bound on C <=> x > v, or x < v, x >= v, x <= v, and v > 0
smallest(n, P) = k      P at n = k, and at no whole n from 1 to k - 1; `largest` likewise
minimum(f, x) = m       f >= m for every x, and f = m at some allowed x; `maximum` likewise
argmin(f, x) = p        f(p) <= f, and f(p) < f at every other x; `argmax` likewise
limit(f, x) = v         f -> v as x -> oo, stage by stage; at a point from each side in the domain of x
sum(f, i, a, b) = s     s = S(b) for some S with S(n) - S(n - 1) = f(n) and S(a - 1) = 0
degree(f, x) = d        f/x^d -> c as x -> oo, for some c > 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.decide_formula import decide
from roofproof.claims.judge.domain import Domain, defined_where, domain_of_given
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import DIRECT, Found, NoValue, Requirement, Value, Word, named_ceilings
from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.compute_bound import Ceiling, together
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, Tree, introduced_names, name_of
from roofproof.proofs.kernel.terms import MAX_EXPONENT, ZERO, Formula, KernelError, Term, V, substitute, variables
from roofproof.proofs.known import PROVED, Known, Unwarranted, given_numbers, holds
from roofproof.proofs.powers import over_smallest_base
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import matches_link_by_link
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions
from roofproof.sentences import Sentence, joined

MAX_BITS = 100_000  # of an integer power that is computed
NOWHERE = "<call> has no value under what is given; it has one only where <where>"
NEVER = "<call> has no value"
VALUED = "<function> covers all values of <name>, which has one value here; use another name"
NOT_KNOWN = "<function> returned no value that is known by what it means"
NO_WORD = "<function> has to say what it means: `WORD = Word(find, due)` in its file"
FILES = ("solved", "integers", "limits", "optima", "behaviour")
FALSE = Requirement((Formula("false"),))  # required if the hint is about something else


@cache
def table() -> Mapping[str, Callable[[Environment, Call], Any]]:
    """Return the implementation of every function. Files with searches are imported at the first call of one."""
    plainly = {*ARITHMETIC, *DIRECT, "compute_bound"}
    found = dict.fromkeys([name for name in FUNCTIONS if name not in plainly], checked_value)
    return MappingProxyType({**DIRECT, "compute_bound": lambda env, call: ceilings(env, *call.arguments), **found})


@cache
def words() -> dict[str, Word]:
    """Return the functions whose values are searched for, from `FILES` and from files that a function names."""
    found: dict[str, Word] = {}
    for function in FUNCTIONS.values():
        if function.file:
            word = getattr(import_module(f"roofproof.claims.judge.{function.file}"), "WORD", None)
            if not isinstance(word, Word):
                raise RoofproofError(NO_WORD, function=function.name)
            found[function.name] = word
    for file in FILES:
        found |= import_module(f"roofproof.claims.judge.{file}").WORDS
    return found


def checked_value(env: Environment, call: Call) -> Value:
    """Return the value of a call after checking the requirements on it.

    >>> from roofproof.formula.reader import read_value
    >>> env = Environment(functions=table())
    >>> found = env.proved_value(read_value("solve(x + a == 3, x)"))
    >>> found.expr, found.where, found.known.statement.says
    (3 - a, (a < 3,), 'solve(x + a == 3, x) = 3 + -1*a where 3 > a')

    Raises Undecided if a requirement is not proved, and NoValue if there is no value.
    """
    if valued := sorted(introduced_names([call]) & env.let.keys()):
        raise Undecided(VALUED, function=call.function, name=valued[0])
    word = words()[call.function]
    found = word.find(env, call)
    if not isinstance(found, Found):
        raise RoofproofError(NOT_KNOWN, function=call.function)
    value = Value(call, found, lambda: _rests(env, call, word, found))
    if found.where and not domain_of_given(env).where(*value.domain).can_hold():
        denied = decide(Formula("not", Formula("and", *value.domain)), domain_of_given(env))
        if denied.status == "proved":
            where = joined("<first> and <second>", map(plain, found.where))
            never = Sentence(NEVER, call=to_text(call))
            raise NoValue(never if sympy.false in found.where else Sentence(NOWHERE, call=to_text(call), where=where),
                          denied.known)  # fmt: skip
    if not callable(found.proofs):
        value.rests  # noqa: B018
    return value


def _rests(env: Environment, call: Call, word: Word, found: Found) -> tuple[Known, ...]:
    """Return the facts that a value depends on, or raise Undecided if a requirement on it is not proved."""
    proofs = tuple(found.proofs() if callable(found.proofs) else found.proofs)
    domain = domain_of_given(env).where(*(to_formula(w, with_functions) for w in found.where))
    try:
        return (*proofs, *_proved(call, found.value, domain, proofs, word.due(env, call, found)))
    except Unwarranted as reason:
        raise Undecided(reason.said) from None


def _proved(
    call: Call, value: Any, domain: Domain, proofs: Sequence[Known], dues: Iterable[Requirement]
) -> Iterator[Known]:
    """Yield proofs of the requirements on a value that are not among its own proofs."""
    if not domain.can_hold():  # there is no value to check
        return
    told: dict[bool, list[Implication]] = {True: [], False: []}
    for known in proofs:
        if known.trust in PROVED:
            told[known.statement.somewhere] += _spelled_out(known)
    for due in dues:
        where = replace(domain.where(*due.given), integers=domain.integers | due.integers)
        if any(g[0] == "=" and g[1] == g[2] for g in due.goals):
            continue
        if due.somewhere and any(_same(goal, g) for _, goal in told[True] for g in due.goals):
            continue
        given = {*where.assumptions}
        if any(goal in due.goals and given.issuperset(assumed) for assumed, goal in told[False]):
            continue  # word for word: a fast check
        if not any(_covers(due, where.assumptions, s) for s in told[False]):
            yield from _decided(call, value, due, where)


def _decided(call: Call, value: Any, due: Requirement, where: Domain) -> tuple[Known, ...]:
    for goal in due.goals:
        with suppress(RoofproofError, KernelError):
            there = where.where(*defined_where(goal, variables(goal) - {*where.signs}))
            found = decide(goal, there) if due.says is None else decide_condition(Formula.of(due.says), where)
            if found.status == "proved" and not due.somewhere:
                return found.known
        if due.says is not None:
            break
    says = Statement("", (), due.goals[0]).says
    raise Unwarranted("<call> = <value> is not proved: <says>", call=to_text(call), value=value, says=says)


Implication = tuple[tuple[Formula, ...], Formula]  # the assumptions, and the statement


def _spelled_out(known: Known) -> Iterator[Implication]:
    """Yield the parts of a statement, with the roots and numbers that its names stand for."""
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


def _covers(due: Requirement, given: tuple[Formula, ...], spoken: Implication) -> bool:
    """Return whether a statement is one of the required ones and assumes no more than is given."""
    assumed, goal = spoken
    names = [variables(f) for f in (goal, *assumed)]

    def is_of_nothing(f: Formula) -> bool:
        """Return whether an assumption only says that a name used nowhere else is an integer, which some number is."""
        return f[0] == "int" and f[1][0] == "v" and sum(f[1][1] in each for each in names) == 1

    return any(_same(goal, g) for g in due.goals) and all(is_of_nothing(f) or _follows(f, given) for f in assumed)


def _same(f: Formula, g: Formula) -> bool:
    f, g = _worked_out(f), _worked_out(g)
    if f == g:
        return True
    with suppress(KernelError):
        return matches_link_by_link(f, g) is True
    return False


def _worked_out(f: V) -> V:
    """Return a formula with integer powers of numbers as numbers, and powers p/q as powers p of roots."""
    match f:
        case ("power", ("q", a, b), ("q", p, 1)) if a > 0 and abs(p) * max(a, b).bit_length() <= MAX_BITS:
            value = Fraction(a, b) ** p
            return Term.rational(value)  # type: ignore[return-value]
        case ("power", base, ("q", p, q)) if q > 1 and p != 1 and abs(p) <= MAX_EXPONENT:
            root = Term("power", _worked_out(base), Term("q", 1, q))
            raised = root if p == -1 else Term("^", root, abs(p))
            return raised if p > 0 else Term("/", Term("q", 1, 1), raised)  # type: ignore[return-value]
    return f.mapped(_worked_out)


def _follows(f: Formula, given: tuple[Formula, ...]) -> bool:
    if not variables(f):
        return holds(f, {})
    match f:
        case ("=", base, ("^", ("power", under, ("q", 1, n)), m)) if (under, m) == (base, n):
            f = Formula(">", base, ZERO)  # it defines the root
    return any(_same(f, g) for g in given) or tactics.prove(f, given) is not None


# --- shared by several functions -----------------------------------------------------------------------------


def holding(condition: Boolean, given: Sequence[Formula] = ()) -> Requirement:
    """Return the requirement that a condition holds under the given assumptions.

    >>> x = sympy.Symbol("x", positive=True)
    >>> holding(sympy.Gt(x, 2)).goals
    (('>', ('v', 'x'), ('q', 2, 1)),)
    """
    return Requirement((to_formula(condition, with_functions),), tuple(given), condition)


def either(conditions: Sequence[Boolean]) -> tuple[Boolean, ...]:
    """Return the disjunction of conditions for a value to exist, or nothing if one of them always holds."""
    if sympy.true in conditions:
        return ()
    return (conditions[0] if len(conditions) == 1 else sympy.Or(*conditions),)


def positive(value: sympy.Expr, given: Sequence[Formula] = ()) -> Iterator[Requirement]:
    """Yield the requirement that a value is positive, unless its form shows it."""
    if not value.is_positive:
        yield holding(sympy.Gt(value, 0, evaluate=False), given)


def ceilings(env: Environment, operation: Tree, chip: Tree | None, *resources: Tree) -> Boolean:
    """Return the condition for an operation to be compute-bound, restricted to the named compute units and links."""
    found = named_ceilings(env, operation, chip, *resources)
    return together(found, lambda c: _exceeded(env, c), evaluate=False)


def _exceeded(env: Environment, ceiling: Ceiling) -> Boolean:
    """Return the condition that the intensity exceeds the ridge point, as one on times if no bytes may be moved."""
    if ceiling.moved.is_positive:
        ridge = ceiling.symbol if ceiling.ridge is None else ceiling.ridge
        return sympy.Gt(env.bound(ceiling.intensity), ridge, evaluate=False)
    times = ceiling.exceeded
    return sympy.Gt(*map(env.bound, times.args), evaluate=False) if times.args else times


def function_and_name(env: Environment, call: Call) -> tuple[sympy.Expr, sympy.Symbol, list[Boolean], bool]:
    """Return the function in a call, its variable, the conditions on that, and whether the call asks for a place.

    >>> from roofproof.formula.reader import read_value
    >>> function_and_name(Environment(), read_value("argmin(x + 1/x, x)"))
    (x + 1/x, x, [], True)
    """
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(name_of(call.arguments[1]))
    expr = expr.replace(sympy.Abs, lambda inside: sympy.Max(inside, -inside))
    own, _ = env.given_about(x)
    own += [w for w in env.where(call.arguments[0]) if x in w.free_symbols]
    return expr, x, own, call.function.startswith("arg")


def refuse_zero(env: Environment, call: Call, x: sympy.Symbol, harmless: Boolean) -> None:
    """Raise Undecided if a name of an optimum or a solution may be zero, because only positive values are searched.

    Zero is allowed if nothing is defined there, or if `harmless` is proved with zero substituted for the name.
    """
    if env.given.domain(x.name).sign != "nonnegative":
        return
    try:
        there = harmless.subs(x, 0)
    except TypeError:  # a division by zero cannot be compared
        return
    if there == sympy.true or there.has(sympy.zoo, sympy.nan, sympy.oo):
        return
    if there != sympy.false and decide_condition(Formula.of(there), domain_of_given(env)).status == "proved":
        return
    raise Undecided("<function> covers positive values only; <name> may be zero", function=call.function, name=x)


def over_everything(env: Environment, node: Tree, x: sympy.Symbol) -> tuple[Boolean, ...]:
    """Return the conditions for the functions in a node to have values, which must not depend on a bound name.

    Raises Undecided if one does.
    """
    where = env.where(node)
    if (turns := next((w for w in where if x in w.free_symbols), None)) is not None:
        raise Undecided("it has a value only where <condition>, which depends on <x>", condition=plain(turns), x=x)
    return where


def outside(where: tuple[Boolean, ...], x: sympy.Symbol) -> tuple[Boolean, ...]:
    """Return the conditions that do not depend on a name."""
    return tuple(w for w in where if x not in w.free_symbols)
