"""Conversion of verdicts to stored data and back: loading checks every warrant and proves every theorem again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from roofproof.claims.judge.verdict import Verdict
from roofproof.hardware import Figure as Figured
from roofproof.proofs import Theorem
from roofproof.proofs.kernel.terms import as_formula, as_term
from roofproof.proofs.known import (
    ByAlgebra,
    ByCounterexample,
    ByEveryInteger,
    ByExactValue,
    ByKernel,
    ByLeadingTerms,
    Figure,
    Known,
    Model,
    Warrant,
)
from roofproof.proofs.oracles.points import Point, Surd
from roofproof.proofs.replay.certificate import as_lists, before, steps_of
from roofproof.proofs.replay.recheck import rechecked, tree
from roofproof.proofs.statement import Statement
from roofproof.sentences import Sentence

WORDS = ("kind", "exact", "condition", "error_bound", "slip", "note")
CHECKED = (ByKernel, ByExactValue, ByEveryInteger, ByLeadingTerms, ByAlgebra, ByCounterexample, Model, Figure)


def to_data(verdict: Verdict) -> dict[str, Any] | None:
    """Return a verdict as data, or None if a warrant cannot be checked again, such as a solver's answer.

    >>> from roofproof.claims.judge.judge import judge
    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "a + b <= 2 max(a, b)"').claims
    >>> data = to_data(judge(c))
    >>> [step["rule"] for step in data["proofs"]["theorems"]][-1], from_data(data).kind
    ('propositional', 'verified')
    """
    known = {id(k): k for k in verdict.known}
    if not known or verdict.unstated or any(type(k.warrant) not in CHECKED for k in known.values()):
        return None
    ordered = before(*(k.theorem for k in known.values() if k.theorem is not None))
    places, numbers = {t: n for n, t in enumerate(ordered)}, {i: n for n, i in enumerate(known)}
    return {
        "says": {name: _words(getattr(verdict, name)) for name in WORDS},
        "in_limit": verdict.in_limit,
        "counterexample": _point(verdict.counterexample),
        "proofs": steps_of(ordered),
        "known": [_known(k, places) for k in known.values()],
        "rests_on": [numbers[id(k)] for k in verdict.known],
    }


def from_data(data: Any) -> Verdict:
    """Return the verdict after checking everything it rests on again.

    Raises KernelError or Unwarranted for a failed check, and LookupError, TypeError or ValueError for malformed data.
    """
    return verdict_from(data, known_from(data))


def known_from(data: Any) -> list[Known]:
    """Return the known statements after checking theorems and warrants again. Raises the errors of `from_data`."""
    theorems = rechecked(data["proofs"])
    return [_known_from(each, theorems) for each in data["known"]]


def verdict_from(data: Any, known: Sequence[Known]) -> Verdict:
    """Return the verdict in the data, resting on the statements of `known` that the data lists."""
    said = {name: _words_from(data["says"][name]) for name in WORDS}
    point = _point_from(data["counterexample"])
    rests_on = tuple(known[n] for n in data["rests_on"])
    return Verdict(**said, known=rests_on, counterexample=point, in_limit=data["in_limit"])


def same(one: Verdict, other: Verdict) -> bool:
    """Return whether two verdicts are equal and rest on the same statements and theorems."""
    return one == other and _as_text(one) == _as_text(other)


def _as_text(verdict: Verdict) -> str:
    return json.dumps(to_data(verdict))


def _known(known: Known, places: Mapping[Theorem, int]) -> dict[str, Any]:
    s = known.statement
    return {
        "about": _words(s.about if isinstance(s.about, str) else s.says),
        "assumptions": [as_lists(f) for f in s.assumptions],
        "goal": as_lists(s.goal),
        "kind": s.kind,
        "somewhere": s.somewhere,
        "reals": sorted(s.reals),
        "meaning": [[name, as_lists(t)] for name, t in s.meaning],
        "label": _words(s.label),
        "step": s.step,
        "sizes": sorted(s.sizes),
        "warrant": _warrant(known.warrant, places),
        "witness": _point(known.witness),
    }


def _known_from(j: Any, theorems: list[Theorem]) -> Known:
    statement = Statement(
        _words_from(j["about"]),
        tuple(as_formula(tree(f)) for f in j["assumptions"]),
        as_formula(tree(j["goal"])),
        j["kind"],
        j["somewhere"],
        frozenset(j["reals"]),
        tuple((name, as_term(tree(t))) for name, t in j["meaning"]),
        _words_from(j["label"]),
        j["step"],
        frozenset(j["sizes"]),
    )
    return Known(statement, _warrant_from(j["warrant"], theorems), _point_from(j["witness"]))


def _warrant(warrant: Warrant, places: Mapping[Theorem, int]) -> list[Any]:
    match warrant:
        case ByKernel(theorem):
            return [ByKernel.trust, places[theorem]]
        case ByExactValue(point):
            return ["value", _point(point)]
        case ByCounterexample(point):
            return ["counterexample", _point(point)]
        case ByEveryInteger(name, first, last):
            return ["integers", name, first, last]
        case ByAlgebra():
            return [ByAlgebra.trust]
        case Model(convention):
            return ["model", convention]
        case Figure(rate):
            parts = [getattr(rate, f.name) for f in fields(rate)]
            return ["figure", *(None if part is None else str(part) for part in parts)]
    return ["leading terms"]


def _warrant_from(j: Any, theorems: list[Theorem]) -> Warrant:
    match j:
        case [ByKernel.trust, int(place)]:
            return ByKernel(theorems[place])
        case ["value", point]:
            return ByExactValue(_point_from(point) or {})
        case ["counterexample", point]:
            return ByCounterexample(_point_from(point) or {})
        case ["integers", name, int(first), int(last)]:
            return ByEveryInteger(name, first, last)
        case ["leading terms"]:
            return ByLeadingTerms()
        case [ByAlgebra.trust]:
            return ByAlgebra()
        case ["model", str(convention)]:
            return Model(convention)
        case ["figure", name, value, unit, *rest, low, high]:
            ends = (None if end is None else Fraction(end) for end in (low, high))
            return Figure(Figured(name, Fraction(value), unit, *rest, *ends))
    raise ValueError("no warrant that is checked")


def _point(point: Point | None) -> list[Any] | None:
    """Return a point as pairs of name and number, with an irrational coordinate as its term."""
    if point is None:
        return None
    return [[n, as_lists(v.term) if isinstance(v, Surd) else str(Fraction(v))] for n, v in point.items()]


def _point_from(j: Any) -> dict[str, Fraction | Surd] | None:
    return None if j is None else {n: Fraction(v) if isinstance(v, str) else Surd(tree(v)) for n, v in j}


def _words(text: str | None) -> Any:
    """Return a text as data, keeping the form and the parts of a Sentence so that it can be translated."""
    if not isinstance(text, Sentence):
        return text
    return {"form": text.form, "parts": {name: _words(part) for name, part in text.parts.items()}}


def _words_from(j: Any) -> Any:
    if not isinstance(j, dict):
        return j
    return Sentence(j["form"], **{name: _words_from(part) for name, part in j["parts"].items()})
