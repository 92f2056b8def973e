"""The functions of the claim language that need the solver: each gives a value and says how it is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.functions.asked import ceilings
from roofproof.claims.judging.case import Evidence
from roofproof.claims.judging.value import Value
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import DIRECT
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, introduced_names
from roofproof.proofs.known import Unwarranted
from roofproof.sentences import Sentence, joined

NOWHERE = "<call> has no value under what is given; it has one only where <where>"
NEVER = "<call> has no value"
VALUED = "<function> is about all values of <name>, which has one here; take another name"
NOT_KNOWN = "<function> returned no value that is known by what it means"
PLAIN = {*ARITHMETIC, *DIRECT, "compute_bound"}  # the others are imported when a call asks for one


def table(evidence: Evidence) -> dict[str, Callable[[Environment, Call], Any]]:
    """Return every function of the language; what is worked out is believed as a `Value` only, kept in `evidence`."""
    believed = dict.fromkeys([name for name in FUNCTIONS if name not in PLAIN], partial(_believed, evidence))
    return {**DIRECT, "compute_bound": _compute_bound, **believed}


@cache
def _proving() -> dict[str, Callable[[Environment, Call, Evidence], Value]]:
    from roofproof.claims.functions.analysis import ANALYSIS
    from roofproof.claims.functions.behaviour import BEHAVIOUR
    from roofproof.claims.functions.solved import SOLVED

    return {**{name: file.value for name, file in _filed().items()}, **ANALYSIS, **BEHAVIOUR, **SOLVED}


@cache
def _filed() -> dict[str, Any]:
    files = {f.name: import_module(f"roofproof.claims.functions.{f.file}") for f in FUNCTIONS.values() if f.file}
    for name, file in files.items():
        if not hasattr(file, "means"):
            raise RoofproofError("<function> has to say what it means: `means(value)` in its file", function=name)
    return files


def _believed(evidence: Evidence, env: Environment, call: Call) -> Value:
    """Return the value of a call, if it is one of this call by what its word means; else refuse it."""
    from roofproof.claims.functions.meanings import MEANINGS

    try:
        if valued := sorted(introduced_names([call]) & env.let.keys()):
            raise Undecided(VALUED, function=call.function, name=valued[0])
        found = _proving()[call.function](env, call, evidence)
    except (Undecided, Unwarranted) as reason:  # the caller adds the column, and the kind of error would be lost
        evidence.open = reason.said
        raise Undecided(reason.said) from None
    means = MEANINGS.get(call.function) or _filed()[call.function].means
    if not isinstance(found, Value) or found.call != call or found.env is not env or found.means is not means:
        raise RoofproofError(NOT_KNOWN, function=call.function)
    if nowhere := found.nowhere():
        if sympy.false in found.where:
            raise evidence.no_value(Sentence(NEVER, call=to_text(call)), nowhere)
        where = joined("<first> and <second>", map(plain, found.where))
        raise evidence.no_value(Sentence(NOWHERE, call=to_text(call), where=where), nowhere)
    return evidence.believed(found)


def _compute_bound(env: Environment, call: Call) -> Boolean:
    return ceilings(env, *call.arguments)
