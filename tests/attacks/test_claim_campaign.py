"""A claim never gets a stronger verdict than it deserves, as mutants and equivalent rewritings of claims show.

An independent evaluator checks each accepted mutant at exact points: in the domain of the claim, near its printed
numbers, and far out in its regime. One false point shows a wrong verdict.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sympy
from claim_evaluator import Path_, false_point, places

import roofproof.claims
from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language import Claim, read_book
from roofproof.claims.language.environment import Environment
from roofproof.errors import RoofproofError
from roofproof.formula import tree as n
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.printing import to_text
from roofproof.hardware import chip_names

HOME = Path(roofproof.claims.__file__).parent / "textbooks"
EXAMPLE = Path(__file__).parents[1] / "data" / "example.claims.toml"
SECOND = Path(__file__).parents[1] / "data" / "second-course.claims.toml"
ORDERS = ("<", "<=", ">", ">=", "==", "!=")
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=", "~=": "~="}
DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@cache
def claims() -> tuple[Claim, ...]:
    books = [read_book(p) for p in (*sorted(HOME.glob("*.toml")), EXAMPLE)]
    return tuple(c for b in books for c in b.claims if isinstance(c, Claim) and c.proposition is not None)


# --- trees -------------------------------------------------------------------------------------------------


def put(node: n.Tree, path: Path_, new: n.Tree) -> n.Tree:
    if not path:
        return new
    (name, k), *rest = path
    value = getattr(node, name)
    if k is None:
        return replace(node, **{name: put(value, tuple(rest), new)})
    return replace(node, **{name: (*value[:k], put(value[k], tuple(rest), new), *value[k + 1 :])})


def number(value: Fraction | int) -> n.Tree:
    value = Fraction(value)
    whole = n.Number(Fraction(value.numerator), str(value.numerator))
    return whole if value.denominator == 1 else n.Op("/", (whole, number(value.denominator)))


# --- mutants -----------------------------------------------------------------------------------------------


def mutants(claim: Claim, random: Random) -> Iterator[tuple[str, Claim]]:
    """Yield (kind of change, claim) without end. Each changes one place in the proposition."""
    assert claim.proposition is not None
    changing = n.Number | n.Name | n.Comparison | n.Reference
    every = [(p, s) for p, s in places(claim.proposition) if isinstance(s, changing) or n.is_op(s, "^")]
    spots = [(p, s) for p, s in every if not _bound(claim.proposition, p)]
    names = sorted({s.name for _, s in spots if isinstance(s, n.Name)})
    while spots:
        path, spot = random.choice(spots)
        for kind, new in _changed(claim, spot, names, random):
            yield kind, replace(claim, proposition=put(claim.proposition, path, new))


def _bound(root: n.Tree, path: Path_) -> bool:
    """Return whether a place holds a name bound by a function, such as `n` in smallest(n, ...)."""
    for k in range(len(path)):
        above = root
        for name, at in path[:k]:
            value = getattr(above, name)
            above = value if at is None else value[at]
        if isinstance(above, n.Call) and above.function not in ARITHMETIC and k == len(path) - 1:
            here = above.arguments[path[k][1] or 0]
            if isinstance(here, n.Name):
                return True
    return False


def _changed(claim: Claim, spot: n.Tree, names: list[str], random: Random) -> Iterator[tuple[str, n.Tree]]:
    if isinstance(spot, n.Number):
        value = random.choice([spot.value * 2, spot.value / 2, spot.value + 1, spot.value * 10, spot.value - 1])
        text = f"{value.numerator}" if value.denominator == 1 else ""
        if value > 0 and text:
            yield "coefficient", n.Number(value, text)
    elif n.is_op(spot, "^") and isinstance(power := spot.args[1], n.Number) and power.value.denominator == 1:
        yield "exponent", replace(spot, args=(spot.args[0], number(power.value + 1)))
    elif isinstance(spot, n.Name):
        if random.random() < 0.5:
            yield "exponent", n.Op("^", (spot, number(2)))
        elif others := [m for m in names if m != spot.name]:
            yield "symbol", n.Name(random.choice(others))
    elif isinstance(spot, n.Comparison) and len(spot.relations) == 1 and spot.relations[0] in ORDERS:
        relation = random.choice([r for r in ORDERS if r != spot.relations[0]])
        yield "relation", replace(spot, relations=(relation,))
    elif isinstance(spot, n.Reference) and spot.kind in ("op", "chip"):
        own = claim.environment.ops if spot.kind == "op" else {**dict.fromkeys(chip_names()), **claim.environment.chips}
        if others := [o for o in sorted(own) if o != spot.text]:
            yield spot.kind, n.Reference(spot.kind, random.choice(others))


def said(claim: Claim) -> str:
    assert claim.proposition is not None
    let = ", ".join(f"{k} = {to_text(v)}" for k, v in claim.let.items())
    parts = {"given": claim.given_text, "regime": claim.regime and claim.regime.text, "let": let}
    return "; ".join([to_text(claim.proposition), *(f"{k} {v}" for k, v in parts.items() if v)])


def different(random: Random) -> Iterator[tuple[Claim, str, Claim]]:
    """Yield (claim, kind of change, mutant), one for each claim in turn without repetition, until none are left."""
    streams = [(c, mutants(c, random), {said(c)}) for c in random.sample(claims(), len(claims()))]
    while streams:
        going = []
        for original, stream, seen in streams:
            fresh = (m for m in islice(stream, 50) if said(m[1]) not in seen)
            if (made := next(fresh, None)) is not None:
                seen.add(said(made[1]))
                yield original, *made
                going.append((original, stream, seen))
        streams = going


def run_mutants(count: int, seed: int, tries: int) -> tuple[Counter[str], list[str]]:
    random = Random(seed)
    counts: Counter[str] = Counter()
    wrong = []
    for original, kind, mutant in islice(different(random), count):
        try:
            verdict = judge_quietly(mutant, quick=True)
        except Exception as fault:
            counts["broken down"] += 1
            wrong.append(f"{original.id} ({kind}): {said(mutant)}: {type(fault).__name__}: {fault}")
            continue
        counts[verdict.kind] += 1
        if not verdict.holds:
            continue
        digits = "rounded to" in f"{verdict.error_bound} {verdict.note}"  # printed digits together with a limit
        point = false_point(mutant, "rounded" if digits else verdict.kind, random, tries)
        if point is not None:
            at = ", ".join(f"{k} = {v}" for k, v in point.items())
            wrong.append(f"{original.id} ({kind}): {said(mutant)}: {verdict.kind}; false at {at}")
    return counts, wrong


# --- rewritings --------------------------------------------------------------------------------------------


def rewritings(claim: Claim, random: Random) -> Iterator[tuple[str, Claim]]:
    """Yield (kind of rewriting, equivalent claim) without end."""
    root = claim.proposition
    assert root is not None
    said = n.Comparison | n.Quantity | n.Number
    spots = [(p, s) for p, s in places(root) if isinstance(s, said) or n.is_op(s, "<=>", "=>", "+")]
    while True:
        path, spot = random.choice(spots or [((), root)])
        made = [(kind, put(root, path, new)) for kind, new in _rewritten(claim, spot, random, path)]
        made.append(("said twice", n.Op("and", (root, root))))
        relations = {r for _, s in places(root) if isinstance(s, n.Comparison) for r in s.relations}
        if not relations & {"->", "~="}:  # digits and limits apply only to a plain comparison
            made.append(("denied twice", n.Op("not", (n.Op("not", (root,)),))))
        kind, new = random.choice(made)
        yield kind, replace(claim, proposition=new)


def _rewritten(claim: Claim, spot: n.Tree, random: Random, path: Path_) -> Iterator[tuple[str, n.Tree]]:
    match spot:
        case n.Comparison(operands=(a, b), relations=(relation,)) if relation in TURNED:
            yield "sides swapped", n.Comparison((b, a), (TURNED[relation],))
            factor = number(random.choice([Fraction(3), Fraction(2, 7), Fraction(1000)]))
            if relation != "~=" and not any(x == n.Constant("oo") for x in (a, b)):
                yield "times a number", n.Comparison((n.Op("*", (factor, a)), n.Op("*", (b, factor))), (relation,))
                yield "divided through", n.Comparison((n.Op("/", (a, factor)), n.Op("/", (b, factor))), (relation,))
                yield "brought over", n.Comparison((n.Op("+", (a, n.Op("-", (b,)))), number(0)), (relation,))
            if relation in DENIED:
                yield "denied", n.Op("not", (n.Comparison((a, b), (DENIED[relation],)),))
            for k, side in enumerate((a, b)):
                other = _in_other_form(claim.environment, side, random)
                if other is not None:
                    yield "expanded or factored", replace(spot, operands=(other, b) if k == 0 else (a, other))
        case n.Op("<=>", (p, q)):
            yield "members swapped", n.Op("<=>", (q, p))
            yield "two implications", n.Op("and", (n.Op("=>", (p, q)), n.Op("=>", (q, p))))
        case n.Op("=>", (p, q)):
            yield "contraposed", n.Op("=>", (n.Op("not", (q,)), n.Op("not", (p,))))
        case n.Quantity(amount=n.Number(value=value), unit=unit) if len(unit.text) > 2:
            if unit.text == "GB/s":
                yield "units changed", n.Quantity(n.Number(value * 10**9, str(value * 10**9)), _unit("B/s"))
        case n.Number(value=value) if value != 0 and (not path or path[-1][0] in ("terms", "factors", "operands")):
            yield "number as a fraction", n.Op("/", (number(value * 6), number(6)))
        case n.Op("+", terms) if len(terms) > 1:
            yield "terms turned round", n.Op("+", tuple(reversed(terms)))


def _unit(text: str) -> Any:
    from roofproof.formula.units import units

    return units()[text]


def _in_other_form(env: Environment, side: n.Tree, random: Random) -> n.Tree | None:
    from roofproof.formula.reader import read_value

    inside = [s for _, s in places(side)]
    if any(isinstance(s, n.Call | n.Reference | n.Quantity) for s in inside) or not any(
        isinstance(s, n.Name) for s in inside):  # fmt: skip
        return None
    try:
        expr = random.choice([sympy.expand, sympy.factor, sympy.together])(env.to_sympy(side))
        return read_value(str(expr), {s.name for s in expr.free_symbols} | set(env.let))
    except RoofproofError:
        return None


@cache
def verified() -> tuple[Claim, ...]:
    """Return the claims whose verdict is exactly `verified`, not rounded, approximate or conditional."""
    return tuple(
        c for c in claims() if c.expect in ("", "verified") and judge_quietly(c, quick=True).kind == "verified"
    )


def run_rewritings(count: int, seed: int, among: tuple[Claim, ...]) -> tuple[Counter[str], list[str]]:
    random = Random(seed)
    streams = [(c, rewritings(c, random)) for c in random.sample(among, len(among))]
    counts: Counter[str] = Counter()
    refused, done = [], 0
    assert streams
    while done < count:
        for original, stream in streams:
            if done >= count:
                break
            kind, changed = next(stream)
            done += 1
            verdict = judge_quietly(changed, quick=True)
            if verdict.kind != "verified":
                verdict = judge_quietly(changed)
            counts[f"{kind}: {verdict.kind}"] += 1
            if verdict.kind != "verified":
                refused.append(f"{original.id} ({kind}): {said(changed)}: {verdict.kind}, {verdict.note}")
    return counts, refused


def told(what: str, counts: Counter[str]) -> str:
    return f"\n{sum(counts.values())} {what}: " + ", ".join(f"{v} {k}" for k, v in sorted(counts.items()))


@pytest.mark.parametrize("count", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_mutants_are_rejected(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    counts, wrong = run_mutants(count, seed=1, tries=40)
    with capsys.disabled():
        print(told("mutants", counts))
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_rewritings_are_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    counts, refused = run_rewritings(40, seed=1, among=verified())
    with capsys.disabled():
        print(told("rewritings", counts))
    assert not refused, "\n".join(refused)


def seen_false(tries: int) -> tuple[list[str], Counter[str]]:
    """Return the accepted claims that are false at a point, and counts of refuted claims and those seen to be false."""
    random = Random(3)
    wrong, counts = [], Counter[str]()
    for claim in (*claims(), *(c for c in read_book(SECOND).claims if isinstance(c, Claim) and c.proposition)):
        if claim.expect in ("verified", "approximate", "rounded"):
            counts["accepted"] += 1
            if (point := false_point(claim, claim.expect, random, tries)) is not None:
                wrong.append(f"{claim.id}: {said(claim)}: {claim.expect}; false at {point}")
        elif claim.expect == "refuted":
            counts["refuted"] += 1
            counts["seen to be false"] += false_point(claim, "verified", random, 10 * tries) is not None
    return wrong, counts


@pytest.mark.slow
def test_a_second_opinion_on_every_claim(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, counts = seen_false(tries=3)
    with capsys.disabled():
        print("\n" + ", ".join(f"{v} {k}" for k, v in counts.items()))
    assert not wrong, "\n".join(wrong)
    assert counts["seen to be false"] > counts["refuted"] * 3 // 4


def test_the_evaluator_sees_a_wrong_claim() -> None:
    by_id = {c.id: c for c in claims()}
    random = Random(0)
    assert false_point(by_id["forgot-the-bytes"], "verified", random, 40)
    assert false_point(by_id["rule-is-not-enough"], "verified", random, 200)
    assert false_point(by_id["rule"], "verified", random, 40)
    assert false_point(by_id["rule"], "approximate", random, 40) is None
    assert false_point(by_id["threshold"], "verified", random, 40) is None


@pytest.mark.long
def test_a_second_opinion_at_many_points() -> None:
    wrong, counts = seen_false(tries=60)
    assert not wrong, "\n".join(wrong)
    assert counts["seen to be false"] > counts["refuted"] * 9 // 10


@pytest.mark.long
def test_five_thousand_mutants_and_two_thousand_rewritings(capsys: pytest.CaptureFixture[str]) -> None:
    counts, wrong = run_mutants(5_000, seed=2, tries=200)
    kept, refused = run_rewritings(2_000, seed=2, among=verified())
    with capsys.disabled():
        print(told("mutants", counts), told("rewritings", kept))
    assert counts.total() == 5_000 and kept.total() == 2_000
    assert not wrong, "\n".join(wrong)
    assert not refused, "\n".join(refused)
