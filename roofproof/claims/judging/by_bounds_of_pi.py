"""A claim in which pi stands among names: judged of every number between two bounds that hold it.

What is proved of them all is so of pi. That one of them refutes a claim says nothing of pi: the claim is refuted where
its denial is proved of them all, at one point of the other names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.kinds import CONDITIONAL, REFUTED
from roofproof.claims.language import Claim, read_proposition
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import Comparison, Name, Negation, Node, Number, Pi, walk_with_values
from roofproof.errors import RoofproofError
from roofproof.proofs.oracles.enclosure import Point
from roofproof.sentences import Sentence, joined

BOUNDS = ("3.14159265358979", "3.14159265358980")
SAID = "of pi nothing is used but <low> < pi < <high>"
_LOW, _HIGH = (Number(Fraction(text), text) for text in BOUNDS)
_BETWEEN = (Comparison((Name("pi"), _LOW), (">",)), Comparison((Name("pi"), _HIGH), ("<",)))
Judge = Callable[[Claim], Verdict]


def judged_by_bounds(claim: Claim, judge: Judge) -> Verdict | None:
    """Return the verdict on a claim by the bounds of pi; None where pi is no number in it, or they do not tell.

    >>> from roofproof.claims.judging.judge import judge
    >>> from roofproof.claims.language.book import book_from_text
    >>> for says in ("2 pi r > 6.28 r", "pi r > 3.15 r", "pi r > 3.14159265358979323 r"):
    ...     [claim] = book_from_text(f'[[claim]]\\nid = "a"\\nsays = "{says}"').claims
    ...     print(says, "|", judge(claim).kind, judge(claim).trust)
    2 pi r > 6.28 r | verified kernel
    pi r > 3.15 r | refuted kernel
    pi r > 3.14159265358979323 r | undecided undecided
    """
    if claim.proposition is None or claim.environment.let.get("pi") != Pi():
        return None
    given = replace(claim.given, conditions=(*claim.given.conditions, *_BETWEEN))
    let = {name: value for name, value in claim.environment.let.items() if name != "pi"}
    environment = replace(claim.environment, given=given, let=let, _values={})
    try:
        verdict = _of_pi(replace(claim, given=given, environment=environment), judge)
    except RoofproofError:
        return None
    if verdict is None:
        return None
    said = Sentence(SAID, low=BOUNDS[0], high=BOUNDS[1])
    return replace(verdict, note=joined("<first>; <second>", (verdict.note, said)))


def names_pi(node: Node, environment: Environment) -> bool:
    """Tell whether a claim calls something pi that is not the number."""
    let, given = environment.let, environment.given.conditions
    number = let.get("pi") == Pi() or given[-len(_BETWEEN) :] == _BETWEEN
    return not number and Name("pi") in walk_with_values([node, *given], let)


def _of_pi(claim: Claim, judge: Judge) -> Verdict | None:
    """Return the verdict on a claim of which it is given between which bounds pi lies; None where it is not told."""
    verdict = judge(claim)
    if verdict.holds:
        return verdict
    if verdict.kind == REFUTED:
        return _refuted(claim, verdict, judge)
    if verdict.kind != CONDITIONAL or verdict.condition is None:
        return None
    if "pi" in re.findall(r"\w+", verdict.condition):  # is there such a point?
        try:
            denied = Negation(read_proposition(verdict.condition))
        except RoofproofError:
            return None
        if (there := _of_pi(replace(claim, proposition=denied), judge)) is None or there.kind != REFUTED:
            return None
    return replace(verdict, counterexample=_without_pi(verdict.counterexample) or None)


def _refuted(claim: Claim, verdict: Verdict, judge: Judge) -> Verdict | None:
    assert claim.proposition is not None
    growing = claim.regime.growing if claim.regime else ()
    point = {n: v for n, v in _without_pi(verdict.counterexample).items() if n not in growing}
    fixed: dict[str, Node] = {n: Number(v, str(v)) for n, v in point.items() if isinstance(v, Fraction) and v > 0}
    if fixed.keys() != point.keys():
        return None
    let = {**claim.environment.let, **fixed}
    environment = replace(claim.environment, let=let, _values={})
    denied = judge(replace(claim, proposition=Negation(claim.proposition), environment=environment))
    if not denied.holds:
        return None
    return replace(verdict, known=denied.known, counterexample=_without_pi(verdict.counterexample), claimed=None)


def _without_pi(point: Point | None) -> Point:
    return {name: value for name, value in (point or {}).items() if name != "pi"}
