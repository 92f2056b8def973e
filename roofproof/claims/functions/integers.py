"""Functions of the claim language that ask for an integer: smallest, largest."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.functions.asked import integers_asked, outside, refuse_zero
from roofproof.claims.functions.integer_search import NoInteger, first_integer, last_integer
from roofproof.claims.functions.meanings import MEANINGS
from roofproof.claims.judging.case import Evidence
from roofproof.claims.judging.preconditions import hold_size
from roofproof.claims.judging.value import Value
from roofproof.claims.language.environment import Environment
from roofproof.derive.inequalities.cases import Above, Always, bounds
from roofproof.derive.roofline.allowed_sizes import Allowed
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.logarithm import log2
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call
from roofproof.proofs.known import Open
from roofproof.proofs.provers.integers import prove_integer
from roofproof.proofs.provers.thresholds import certify, without_impossible
from roofproof.sentences import Sentence


def _in_closed_form(condition: Boolean, x: sympy.Symbol) -> bool:
    """Tell whether a condition on one name is solved, with nothing in it that is rounded."""
    functions = {type(f) for f in condition.atoms(sympy.Function)} - {sympy.Max, sympy.Min}
    if functions == {log2}:
        with suppress(RoofproofError):
            return bool(solve(condition, x))
    powers = condition.atoms(sympy.Pow)
    return not functions and not any(p.exp.has(x) or (p.base.has(x) and not p.exp.is_Integer) for p in powers)


def smallest_or_largest(env: Environment, call: Call, evidence: Evidence) -> Value:
    """Return the smallest (largest) integer that fits."""
    which = call.function
    least, x, condition, whole = integers_asked(env, call)
    _, given = env.given_about(x)
    if least:
        refuse_zero(env, call, x, sympy.Not(condition, evaluate=False))
    others = condition.free_symbols - {x}
    where = outside(env.where(call.arguments[1]), x)
    believed = partial(Value, where=where, env=env, call=call, means=MEANINGS[which], hint=())
    if not others and not _in_closed_form(condition, x):
        try:
            scanned, known = (first_integer if least else last_integer)(condition, x)
        except NoInteger as problem:
            refuse_zero(env, call, x, sympy.Not(condition, evaluate=False))
            raise evidence.no_value(problem.said, problem.known) from None
        hold_size(env, call.arguments[1], x, scanned)
        upper = (f[1] for each in known for f in each.statement.assumptions if f[0] == ">=" and f[2] == ("v", x.name))
        return believed(sympy.Integer(scanned), proofs=known, hint=[end[1] for end in upper if end[0] == "q"])
    assume = [*given, *where] if others else []
    cases = without_impossible(solve(condition, x, assume), assume)
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
        raise evidence.no_value(said, [*solved, *none])
    hold_size(env, call.arguments[1], x, found)
    proofs = list(solved)
    if not others:
        whole_of_it = prove_integer(proofs[0], x, threshold, found, whole=whole, largest=not least)
        proofs += [whole_of_it] * (whole_of_it.trust != Open.trust)  # else its parts are proved, as the word means them
    return believed(sympy.Integer(found), proofs=tuple(proofs))
