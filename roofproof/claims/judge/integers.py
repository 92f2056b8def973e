"""The functions smallest and largest of the claim language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.integer_search import first_integer, last_integer
from roofproof.claims.judge.obligations import needs
from roofproof.claims.judge.preconditions import check_size, divisions
from roofproof.claims.judge.words import outside, refuse_zero
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import Found, NoValue, Requirement, Word
from roofproof.derive.inequalities.cases import Above, Always, bounds
from roofproof.derive.roofline.allowed_sizes import Allowed, divided_by
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.logarithm import log2
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, name_of
from roofproof.proofs.kernel.terms import Formula, Term, substitute
from roofproof.proofs.known import Unproved
from roofproof.proofs.provers.integers import prove_integer
from roofproof.proofs.provers.thresholds import certify, drop_infeasible
from roofproof.proofs.search.integers import divides
from roofproof.proofs.search.logarithms import logarithms_compared
from roofproof.proofs.translate import false_if_undefined, formula_if_defined, to_formula, with_functions
from roofproof.sentences import Sentence


def find(env: Environment, call: Call) -> Found:
    """Return the smallest (largest) integer that satisfies the condition of a call."""
    which = call.function
    least, x, condition, whole = _arguments_of(env, call)
    _, given = env.given_about(x)
    if least:
        refuse_zero(env, call, x, sympy.Not(condition, evaluate=False))
    others = condition.free_symbols - {x}
    where = outside(env.where(call.arguments[1]), x)
    found_at = partial(Found, where=where, hint=())
    if not others and not _in_closed_form(condition, x):
        try:
            scanned, known = (first_integer if least else last_integer)(condition, x)
        except NoValue:
            refuse_zero(env, call, x, sympy.Not(condition, evaluate=False))
            raise
        check_size(env, call.arguments[1], x, scanned)
        upper = (f[1] for each in known for f in each.statement.assumptions if f[0] == ">=" and f[2] == ("v", x.name))
        return found_at(sympy.Integer(scanned), proofs=known, hint=[end[1] for end in upper if end[0] == "q"])
    assume = [*given, *where] if others else []
    cases = drop_infeasible(solve(condition, x, assume), assume)
    if len(cases) > 1 or any(b.free_symbols for b in bounds(cases.cases[0].threshold)):
        names = ", ".join(sorted(s.name for s in others))
        raise Undecided("the <which> <x> depends on <names>; give them values", which=which, x=x, names=names)
    solved, threshold = certify(condition, cases, assume), cases.cases[0].threshold
    found = Allowed(x, whole=whole).integer(threshold, largest=not least)
    if found is None:
        if not isinstance(threshold, Above | Always):
            refuse_zero(env, call, x, sympy.Not(condition, evaluate=False))
        none = [prove_integer(next(iter(solved)), x, threshold, None, whole=whole, largest=False)] if least else []
        said = Sentence("there is no <which> <x> with <what>", which=which, x=x, what=to_text(call.arguments[1]))
        raise NoValue(said, [*solved, *none])
    check_size(env, call.arguments[1], x, found)
    proofs = list(solved)
    if not others:
        whole_of_it = prove_integer(proofs[0], x, threshold, found, whole=whole, largest=not least)
        proofs += [whole_of_it] * (whole_of_it.trust != Unproved.trust)  # else `due` states the parts to prove
    return found_at(sympy.Integer(found), proofs=tuple(proofs))


def _in_closed_form(condition: Boolean, x: sympy.Symbol) -> bool:
    """Return whether a condition on one name can be solved and has no rounding in it."""
    functions = {type(f) for f in condition.atoms(sympy.Function)} - {sympy.Max, sympy.Min}
    if functions == {log2}:
        with suppress(RoofproofError):
            return bool(solve(condition, x))
    powers = condition.atoms(sympy.Pow)
    return not functions and not any(p.exp.has(x) or (p.base.has(x) and not p.exp.is_Integer) for p in powers)


def _arguments_of(env: Environment, call: Call) -> tuple[bool, sympy.Symbol, Boolean, tuple[Boolean, ...]]:
    """Return whether a call is `smallest`, its name, its condition, and the conditions that the name is a divisor.

    >>> from roofproof.formula.reader import read_value
    >>> _arguments_of(Environment(), read_value("largest(n, n^2 < 50)"))
    (False, n, n**2 < 50, ())
    >>> _arguments_of(Environment(), read_value("smallest(a, sqrt(a - 5) > 9)"))[2]         # 87, and not 1
    (a - 5 >= 0) & (sqrt(a - 5) > 9)
    """
    x = env.symbol(name_of(call.arguments[0]))
    own, _ = env.given_about(x)
    asked = env.condition_of(call.arguments[1], where=partial(needs, env))
    condition = logarithms_compared(sympy.And(asked, *own) if own else asked)
    return call.function == "smallest", x, condition, divisions(env, call.arguments[1], x)


def due(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    least, x, condition, whole = _arguments_of(env, call)
    n, k = Term("v", x.name), int(found.value)
    sizes = divided_by(x, whole)
    others = [to_formula(c.replace(sympy.Mod, lambda a, b: a - b * sympy.floor(a / b))) for c in whole
              if not divided_by(x, [c])]  # fmt: skip
    more = (*others, *(divides(n, size) for size in sizes))
    forms = [formula_if_defined(condition), false_if_undefined(to_formula(condition, with_functions))]
    each = [Formula("and", f, *more) if more else f for f in forms]
    here: Formula = substitute(each[0], {x.name: Term("q", k, 1)})
    for part in here[1:] if here[0] == "and" else (here,):
        yield Requirement((part,))
    first, last = (1, k - 1) if least else (k + 1, None)
    none: tuple[Formula, ...] = tuple(Formula("not", f) for f in each)
    for low, high in _ranges(first, last, found.hint):
        beyond: tuple[Formula, ...] = (
            Formula("int", n),
            Formula(">=", n, Term("q", low, 1)),
            Formula(">", n, Term("q", low - 1, 1)),
        )
        if high is not None:
            beyond = (*beyond, Formula(">=", Term("q", high, 1), n), Formula(">", Term("q", high + 1, 1), n))
        yield Requirement(none, beyond, integers=frozenset([x.name]))


def _ranges(low: int, high: int | None, ends: Iterable[int]) -> Iterator[tuple[int, int | None]]:
    """Yield the parts of a range of integers, split after each of the given ends.

    >>> list(_ranges(1, 9, [3, 12])), list(_ranges(1, 0, []))
    ([(1, 3), (4, 9)], [])
    """
    for end in sorted({*ends}):
        if low <= end and (high is None or end < high):
            yield low, end
            low = end + 1
    if high is None or low <= high:
        yield low, high


WORDS = dict.fromkeys(("smallest", "largest"), Word(find, due))
