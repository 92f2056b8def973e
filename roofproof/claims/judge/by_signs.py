"""Claims about names that may be zero or negative, verified once for each choice of signs.

The functions that compute limits, optima and the like assume that every name is positive. So a negative name is
replaced by minus a positive one. A claim holds if it holds for every choice of signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

from roofproof.claims.judge.domain import SIGNS, Contradiction
from roofproof.claims.judge.obligations import BEHAVIOUR
from roofproof.claims.judge.verdict import Verdict, together
from roofproof.claims.kinds import CONDITIONAL, REFUTED
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.conditions import Domain
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.tree import Call, Name, walk_with_values

if TYPE_CHECKING:
    from roofproof.claims.language import Claim

MAX_NAMES = 3
POSITIVE_ONLY = ("argmin", "argmax", "minimum", "maximum", "solve", "smallest", "largest")


def split_by_sign(claim: Claim, judge: Callable[[Claim], Verdict]) -> Verdict | None:
    """Return the verdict over all signs, or None for a claim that needs no split.

    >>> from roofproof.claims.language.book import book_from_text
    >>> from roofproof.claims.judge.judge import judge
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "limit(a x, x) == oo"\\ngiven = "a real"').claims
    >>> judge(c).kind, judge(c).condition                    # 0 for a = 0
    ('conditional', 'a > 0')
    """
    names = names_to_split(claim)
    if not names:
        return None
    found: list[tuple[tuple[int, ...], Verdict]] = []
    for signs, part in _parts(claim, names):
        try:
            found.append((signs, judge(part)))
        except RoofproofError as problem:
            if isinstance(problem, Contradiction):
                continue
            zero = next((n for n, sign in zip(names, signs, strict=True) if sign == 0), None)
            if zero is None or isinstance(problem, Undecided):
                raise
            said = "where <name> is 0: <problem>; if it never is, say so, as in given = '<name> != 0'"
            raise RoofproofError(said, name=zero, problem=problem) from None
    if not found:
        raise Contradiction("given: the assumptions contradict each other: <given>", given=claim.given_text)
    whole = together([_in_its_names(v, dict(zip(names, signs, strict=True))) for signs, v in found])
    held = [signs for signs, v in found if v.holds]
    if whole.kind == REFUTED and len(names) == 1 and (condition := _condition(names[0], held, found)):
        [kept, *_] = [v for signs, v in found if v.holds]
        return replace(
            kept, kind=CONDITIONAL, condition=condition, about=frozenset(names), counterexample=whole.counterexample
        )
    return whole


def names_to_split(claim: Claim) -> list[str]:
    """Return the names that may be zero or negative, if the claim needs limits or functions that assume positive ones.

    Raises Undecided if such a name is the variable of an optimum or a solution.
    """
    given, let = claim.given, claim.environment.let
    nodes = walk_with_values([claim.proposition, *given.conditions] if claim.proposition else [], let)
    calls = [n for n in nodes if isinstance(n, Call) and n.function not in ARITHMETIC]
    if claim.regime is None and not any(c.function not in BEHAVIOUR for c in calls):
        return []
    bound = {a.name: c.function for c in calls for k, a in enumerate(c.arguments)
             if isinstance(a, Name) and _kind(c, k) == "name"}  # fmt: skip
    loose = {n for n, d in given.domains.items() if d.sign != "positive"}
    for name, function in bound.items():
        if function in POSITIVE_ONLY and name in loose and given.domain(name).sign == "real":
            raise Undecided(
                "<function> covers positive values only; <name> may be negative", function=function, name=name
            )
    mentioned = {n.name for n in nodes if isinstance(n, Name)}
    growing = set(claim.regime.growing) if claim.regime else set()
    names = sorted((loose & mentioned) - set(bound) - growing - set(let))
    if len(names) > MAX_NAMES:
        raise Undecided("<count> names may be zero or negative; the limit is <most>", count=len(names), most=MAX_NAMES)
    return names


def _kind(call: Call, place: int) -> str:
    kinds = FUNCTIONS[call.function].kinds(len(call.arguments)) or ()
    return kinds[place] if place < len(kinds) else ""


def _parts(claim: Claim, names: list[str]) -> Iterator[tuple[tuple[int, ...], Claim]]:
    domains = claim.given.domains
    for signs in product(*(SIGNS[domains[n].sign] for n in names)):
        positive = {n: replace(d, sign="positive") if n in names else d for n, d in domains.items()}
        kept: dict[str, Domain] = {n: d for n, d in positive.items() if d != Domain()}
        given = replace(claim.given, domains=MappingProxyType(kept))
        chosen = dict(zip(names, signs, strict=True))
        env = replace(claim.environment, given=given, signs=chosen, _values={})
        yield signs, replace(claim, given=given, environment=env)


def _in_its_names(verdict: Verdict, signs: dict[str, int]) -> Verdict:
    """Return the verdict with its counterexample in the names of the claim, without formulas in other names."""
    point = verdict.counterexample
    if point is not None:
        moved = {n: v * signs.get(n, 1) for n, v in point.items()}
        moved |= {n: Fraction(s) for n, s in signs.items() if n not in moved}
        verdict = replace(verdict, counterexample=dict(sorted(moved.items())))
    if any(s != 1 for s in signs.values()):
        verdict = replace(verdict, exact=None, error_bound=None)
    return verdict


def _condition(name: str, held: list[tuple[int, ...]], found: list[tuple[tuple[int, ...], Verdict]]) -> str | None:
    """Return the signs for which a claim holds as a condition, if the claim is refuted for all other signs."""
    if any(v.kind != REFUTED for signs, v in found if signs not in held):
        return None
    said = {(1,): ">", (1, 0): ">=", (-1,): "<", (0, -1): "<=", (1, -1): "!="}
    relation = said.get(tuple(s for (s,) in held))
    return f"{name} {relation} 0" if relation else None
