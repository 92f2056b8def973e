"""The value of a claim function is accepted only if it is right: not plus one, not of another call, not undefined."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sympy

from roofproof.claims import value
from roofproof.claims.in_definitions import in_definitions, unstated
from roofproof.claims.judge import words as judge_words
from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.judge.words import table
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import DIRECT, Found
from roofproof.errors import RoofproofError
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS, Function
from roofproof.formula.reader import read_value
from roofproof.formula.tree import Call
from roofproof.proofs import Known
from roofproof.proofs.replay.vocabulary import Vocabulary

HEAD = """
[chips.edge]
bf16 = "25 GFLOP/s"
hbm = "1 GB/s"
energy-bf16 = "1 pJ/FLOP"
energy-hbm = "50 pJ/B"
sms = "4 count"

[ops]
mm = "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"
"""
WORDS = {  # a call of each function, and its value
    "flops": ("flops(mm)", "2 B D F"),
    "bytes": ("bytes(mm)", "2 B D + 2 D F + 2 B F"),
    "intensity": ("intensity(mm)", "B D F/(B D + D F + B F)"),
    "ridge": ("ridge(edge, bf16)", "25"),
    "time": ("time(mm, edge, bf16)", "2 B D F/(25*10^9)"),
    "lower": ("lower(dot, edge)", "(4 N + 2)/10^9"),
    "upper": ("upper(mm, edge)", "2 B D F/(25*10^9) + (2 B D + 2 D F + 2 B F)/10^9"),
    "attainable": ("attainable(edge, bf16, 5)", "5*10^9"),
    "rate": ("rate(edge, hbm)", "10^9"),
    "capacity": ("capacity(h100-sxm, hbm)", "80*10^9"),
    "ceiling": ("ceiling(h100-sxm, no-fma)", "3.35*10^13"),
    "trait": ("trait(edge, sms)", "4"),
    "energy": ("energy(mm, edge)", "2 B D F/10^12 + 50 (2 B D + 2 D F + 2 B F)/10^12"),
    "balance": ("balance(edge, bf16)", "50"),
    "waves": ('waves("tiled-matmul:b=128,f=256,d=64", edge)', "ceil(B F/(128*256)/4)"),
    "wave_efficiency": (
        'wave_efficiency("tiled-matmul:b=128,f=256,d=64", edge)',
        "B F/(128*256)/(4 ceil(B F/(128*256)/4))",
    ),
    "estimate": ("estimate(mm, edge, sum)", "2 B D F/(25*10^9) + (2 B D + 2 D F + 2 B F)/10^9"),
    "share": ("share(mm, edge, sum)", "1/(1 + 25 (1/B + 1/D + 1/F))"),
    "alpha_beta": ('alpha_beta("all-reduce:n=8")', "14 t + 7 V/(4 * W)"),
    "lower_bound": ("lower_bound(mm, 8192 byte)", "B D F/16 - 16384"),
    "best_tile": ("best_tile(mm, 70 byte)", "2 B F + 4 B D F/5"),
    "threshold": ("threshold(mm, edge, B)", "25 D F/(D F - 25 (D + F))"),
    "limit": ("limit((3 x + a)/(x + 1), x)", "3"),
    "solve": ("solve(2 x + a == 9, x)", "(9 - a)/2"),
    "smallest": ("smallest(n, n^2 > 50)", "8"),
    "largest": ("largest(n, n^2 < 50)", "7"),
    "argmin": ("argmin(x + 4/x, x)", "2"),
    "argmax": ("argmax(6 x - x^2, x)", "3"),
    "minimum": ("minimum(a x + 4/x, x)", "4 sqrt(a)"),
    "maximum": ("maximum(6 x - x^2, x)", "9"),
    "sum": ("sum(i, i, 1, n)", "n (n + 1)/2"),
    "degree": ("degree(x^2 + a x, x)", "2"),
}
MORE = {  # other ways to find a value
    "limit": [("limit((x^2 - a^2)/(x - a), x, a)", "2 a"), ("limit(log2(x)/x, x)", "0")],
    "smallest": [("smallest(n, ceil(n/8) >= 13)", "97"), ("smallest(n, n^2 >= 2^n + 0 n and n > 2)", "3")],
    "largest": [("largest(n, ceil(n/8) <= 12)", "96")],
    "argmin": [("argmin(x + 20/x, x, {2, 4, 8})", "4")],
    "minimum": [("minimum(m + 20/m, m)", "9"), ("minimum(x + 20/x, x, {2, 4, 8})", "9")],
    "sum": [("sum(i^2, i, 1, 4)", "30"), ("sum(i, i, 1, 100)", "5050"), ("sum(1/i, i, 1, 3)", "11/6")],
    "solve": [("solve(sqrt(x) == a, x)", "a^2")],
}
CALLS = [(name, *call) for name, call in WORDS.items()] + [(n, *c) for n, calls in MORE.items() for c in calls]
GIVEN = "n, m, i integer; a < 9; D F > 25 (D + F)"
STATES = {name for name, f in FUNCTIONS.items() if f.proposition}


def read(says: str, given: str = "", let: str = "", regime: str = "") -> Claim:
    text = f"{HEAD}[[claim]]\nid = 'a'\nsays = '''{says}'''\n"
    text += f"given = '{given}'\n" if given else ""
    text += f"regime = '{regime}'\n" if regime else ""
    text += f"let = {{{let}}}\n" if let else ""
    [claim] = book_from_text(text).claims
    assert isinstance(claim, Claim), claim
    return claim


def judged(says: str, given: str = "", let: str = "") -> Verdict:
    return judge_quietly(read(says, given, let))


def test_every_word_is_tried() -> None:
    assert {*WORDS, *STATES, *ARITHMETIC} == {*FUNCTIONS}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("call", "right"), [c[1:] for c in CALLS], ids=[c[1] for c in CALLS])
def test_the_value_is_right(call: str, right: str) -> None:
    claim = read(f"{call} == {right}", GIVEN)
    verdict = judge_quietly(claim)
    assert verdict.holds and verdict.trust in ("kernel", "algebra"), verdict
    assert verdict.trust == "algebra" or not unstated(claim, verdict)


@pytest.mark.parametrize(("call", "right"), WORDS.values(), ids=WORDS)
def test_a_value_is_that_of_the_sizes_that_are_given(call: str, right: str) -> None:
    sizes = {"B": "4096", "D": "512", "F": "1024", "N": "100", "V": "1000", "t": "3", "W": "5", "a": "5"}
    about = re.findall(r", ([A-Za-z])[,)]", call)  # the bound name of a function has no value
    let = ", ".join(f'{name} = "{size}"' for name, size in sizes.items() if name not in about)
    claim = read(f"{call} == {right}", "n, m, i integer", let)
    verdict = judge_quietly(claim)
    assert verdict.holds and verdict.condition is None, verdict


@pytest.mark.parametrize(
    ("says", "goal"),
    [
        ("intensity(dot) -> 1/2", "tends"),
        ("intensity(mm) ~= B", "tends"),
        ("ridge(edge, bf16) ~= 25.0", "="),
        ("increasing(intensity(mm), B)", ">"),
        ("decreasing(bytes(mm)/flops(mm), D)", ">"),
        ("independent(flops(mm)/B, B)", "="),
        ("compute_bound(mm, edge, hbm) => B > 25", "=>"),
        ("attainable(mm, edge) == min(rate(edge, bf16), intensity(mm) rate(edge, hbm))", "="),
        ("capacity(h100-sxm, hbm) > 79 GB", ">"),
    ],
)
def test_what_a_claim_says_is_stated_in_definitions(says: str, goal: str) -> None:
    regime = "D, F >> B" if "~= B" in says else "N -> oo" if "->" in says else ""
    claim = read(says, regime=regime)
    verdict, words = judge_quietly(claim), Vocabulary()
    assert verdict.holds and verdict.trust == "kernel"
    assert not unstated(claim, verdict)
    goals = [known.statement.goal for known in in_definitions(claim, verdict, words)]
    assert words.definitions and any(g[0] == goal and g[1] != g[2] for g in goals)


def plus_one(found: Found) -> object:
    return replace(found, value=found.value + 1)


def bare(found: Found) -> object:
    return found.value


def proofs_of_a_part(found: Found) -> object:
    return replace(found, value=2 * found.value + 1, proofs=found.proofs[:1] if isinstance(found.proofs, tuple) else ())


def never_proved(found: Found) -> object:
    return replace(found, value=found.value + 1, proofs=lambda: ())


PLANTED = (plus_one, never_proved, bare, proofs_of_a_part)


def planted(monkeypatch: pytest.MonkeyPatch, name: str, fault: Callable[[Found], object]) -> None:
    """Make the function that finds the value of a claim function return something else."""
    real = judge_words.words()

    def wrong(env: Environment, call: Call) -> Any:
        return fault(real[name].find(env, call))

    monkeypatch.setattr(judge_words, "words", lambda: {**real, name: replace(real[name], find=wrong)})


@pytest.mark.sampled(23)
@pytest.mark.parametrize("fault", PLANTED, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("name", "call", "right"), CALLS, ids=[c[1] for c in CALLS])
def test_another_value_is_not_believed(
    name: str, call: str, right: str, fault: Callable[[Found], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the value of a function is changed, there is no verdict, or the right one."""
    if name in judge_words.words():
        planted(monkeypatch, name, fault)
        assert judged(f"{call} == {right}", GIVEN).kind in ("undecided", "not-checkable")
    else:
        monkeypatch.setitem(DIRECT, name, lambda env, call, real=DIRECT[name]: real(env, call) + 1)
        table.cache_clear()
    assert not judged(f"{call} == {right} + 1", GIVEN).holds


@pytest.fixture(autouse=True)
def _tables() -> Iterator[None]:
    yield
    table.cache_clear()


@pytest.mark.parametrize(("call", "other", "right"), [
    ("solve(x + a == 3, x)", "solve(x + a == 4, x)", "4 - a"), ("limit(1 + 1/x, x)", "limit(2 + 1/x, x)", "2"),
    ("threshold(mm, edge, B)", "threshold(mm, edge, D)", "25 B F/(B F - 25 (B + F))"),
    ("smallest(n, n > 8)", "smallest(n, n > 9)", "10"), ("minimum(x + 1/x, x)", "minimum(x + 4/x, x)", "4"),
    ("sum(i, i, 1, n)", "sum(i, i, 2, n)", "n (n + 1)/2 - 1"),
])  # fmt: skip
def test_a_value_of_another_call_is_not_believed(
    call: str, other: str, right: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, name, turned = judge_words.words(), call.partition("(")[0], read_value(other)
    found = replace(real[name], find=lambda env, asked: real[name].find(env, turned))
    monkeypatch.setattr(judge_words, "words", lambda: {**real, name: found})
    assert judged(f"{other} == {right}", GIVEN).kind in ("verified", "conditional")
    assert judged(f"{call} == {right}", GIVEN).kind in ("undecided", "refuted")


ADDING = (Path(__file__).parents[2] / "docs" / "adding.md").read_text(encoding="utf-8")
ADDED = {"growth": ("growth(x^3, x)", "8")}  # a call of each function of the page, and its value
FILES = dict(re.findall(r"^`roofproof/claims/judge/(\w+)\.py`:\n\n```python file\n(.*?)^```$", ADDING, re.M | re.S))


def test_every_function_of_the_page_about_additions_is_tried() -> None:
    assert {*FILES} == {*ADDED} != set()


@pytest.mark.parametrize("fault", [None, *PLANTED], ids=lambda f: f.__name__ if f else "right")
@pytest.mark.parametrize("name", FILES)
def test_another_value_of_what_a_newcomer_adds_is_not_believed(
    name: str, fault: Callable[[Found], object] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = ModuleType(name)
    exec(compile(FILES[name], f"{name}.py", "exec"), file.__dict__)
    [line] = re.findall(rf"^ +(Function\(\"{name}\", .*\)),$", ADDING, re.M)
    real, (call, right) = {**judge_words.words(), name: file.WORD}, ADDED[name]
    monkeypatch.setitem(FUNCTIONS, name, eval(line, {"Function": Function}))
    table.cache_clear()
    monkeypatch.setattr(judge_words, "words", lambda: real)
    if fault is not None:
        planted(monkeypatch, name, fault)
    assert judged(f"{call} == {right}").kind == ("verified" if fault is None else "undecided")
    assert not judged(f"{call} == {right} + 1").holds


@pytest.mark.parametrize(
    "call", ["increasing(a x, x)", "decreasing(a/x, x)", "independent(a x/x, x)", "increasing(a - x, x)"]
)
def test_a_behaviour_turned_round_is_not_believed(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(call).kind == ("refuted" if "-" in call else "verified")
    planted(monkeypatch, call.partition("(")[0], lambda found: replace(found, value=sympy.Not(found.value)))
    assert judged(call).kind == "undecided"


@pytest.mark.parametrize(("more", "trust"), [("", "kernel"), (" and (not RISES or b > a)", "sampled")])
def test_where_a_function_does_not_rise_is_needed_beside_where_it_does(more: str, trust: str) -> None:
    rises = "increasing((a + x)/(b + x), x)"
    found = judged(rises + more.replace("RISES", rises))
    assert (found.kind, found.condition, found.trust) == ("conditional", "a < b", trust)


SENTENCES = [  # says, given, the kind of verdict, and a part of its note
    ("threshold(mm, edge, B) < 0", "D F < 25 (D + F)", "refuted", "has no value under what is given"),
    ("lower_bound(matmul, 0 B) > 0", "", "refuted", "lower_bound(matmul, 0 B) has no value"),
    ("threshold(mm, edge, B) > 25", "D F > 25 (D + F)", "verified", ""),
    ("threshold(mm, edge, B) > 25", "", "conditional", "1/D + 1/F < 1/25"),
    ("D F > 25 (D + F) => threshold(mm, edge, B) > 25", "", "verified", ""),
    ("solve(x + a == 3, x) < 3 or a >= 3", "", "verified", ""),
    ("a < 3 => solve(x + a == 3, x) < 3", "", "verified", ""),
    ("not (a < 3 => solve(x + a == 3, x) > 3)", "", "conditional", "a < 3"),  # at a = 4 the inner claim is true
    ("(a < 3 => solve(x + a == 3, x) > 3) => a > 3", "", "conditional", "a < 3"),
    ("not (solve(x + a == 3, x) > 5 and solve(x + a == 3, x) > 6)", "", "conditional", "a < 3"),
    ("smallest(a, a > 6 <=> (a < 9 and (a > 5 or solve(x + a == 4, x) > 0))) == 4", "", "refuted", "7"),
    ("smallest(a, sqrt(a - 5) > 9) == 87", "", "verified", ""),  # below 5 there is no root
    ("smallest(n, 2^n^n > 5) == 2", "", "verified", ""),  # at a thousand it has 10^3000 bits
    ("smallest(a, sqrt(a - 5) != 3) == 1", "", "refuted", "5"),
    ("smallest(a, not log2(a - 5) == 3) == 6", "", "verified", ""),
    ("smallest(a, ceil(1/(a - 1)) == 1 <=> a > 50) == 51", "", "verified", ""),
    ("largest(a, sqrt(200 - a) > 9) == 118", "", "verified", ""),
    ("exists a: solve(x + a == 3, x) < 0", "", "refuted", ""),
    ("exists a: solve(x + a == 3, x) > 2", "", "verified", "a = 1/2"),
    ("for all a: solve(x + a == 3, x) > 0", "", "undecided", "not defined for all values: it needs a < 3"),
    ("not exists a: solve(x + a == 5, x) > 5", "", "verified", ""),
    ("decreasing((x - 1)/(x - 1), x)", "", "refuted", "not decreasing from x = 2 to x = 3"),
    ("increasing(a (x - 1)/(x - 1), x)", "", "refuted", "not increasing from x = 2 to x = 3"),
    ("1/(x - 1) > 0 or x <= 1", "", "verified", ""),
    ("1/(x - 1) > 0 or x < 1", "", "conditional", "x != 1"),
    ("log2(x - 1) > 0 or x <= 2", "", "verified", ""),
    ("sqrt(x) >= 0 or x < 0", "x real", "verified", ""),
    ("(solve(x + a == 2, x) < -3 or sqrt(a - 2) <= 4 <=> a <= 6) => a == 5", "", "refuted", ""),  # at 2: no root
    ("solve(x + a == 3, x) == 3 - a", "", "conditional", "a < 3"),
    ("solve(x + a == 3, x) == 3 - a", "a < 3", "verified", ""),
    ("solve(x + a == 3, x) < 3", "solve(x + a == 3, x) > 1", "verified", ""),
    ("a < 3", "solve(x + a == 3, x) > 0 a", "verified", ""),
    ("sum(solve(x + a == 9, x), a, 1, 5) == 30", "", "verified", ""),
    ("sum(1/(i - 2), i, 1, 3) == 0", "", "undecided", "the term of the sum has no value at i = 2"),
    ("sum(solve(x + a == 4, x), a, 1, 5) == 5", "", "undecided", "a < 4, which is open for some a"),
    ("limit((x - b) (x - a)/(x^2 - a^2), x, a) == (a - b)/(2 a)", "", "verified", ""),
    ("limit(abs(x - 1)/(x - 1), x, 1) == 1", "x > 1", "verified", ""),
    ("limit(abs(x - 1)/(x - 1), x, 1) == 1", "", "refuted", "1 from above, -1 from below"),
    ("limit(1/(f + (1 - f)/n), n) == 1/f", "0 < f < 1", "verified", ""),
    ("argmin((a - 1) x + 1/x, x) == sqrt(1/(a - 1))", "", "conditional", "a > 1"),
    ("a != 6", "1/(a - 6) != 1", "verified", ""),  # `given` has a value
    ("a >= 6", "sqrt(a - 6) <= 2", "verified", ""),
    ("a != 6", "a == 6 or 1/(a - 6) > 2", "refuted", ""),
    ("1/(a - 6) != 1", "1/(a - 6) != 1", "verified", ""),
    ("a > 3", "1/(a - 6) == 0", "undecided", "contradict each other"),
    ("argmax(4 x - (a - 8) x^2, x) < 1", "argmin((a - 6) x + 16/x, x) <= 4", "refuted", ""),  # 4/sqrt(a - 6) at 1
    ("minimum(x + 1/x, x) == 3", "", "refuted", "2"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "given", "kind", "beside"), SENTENCES, ids=[f"{s[0]} | {s[1]}" for s in SENTENCES])
def test_a_word_is_used_where_it_has_a_value(says: str, given: str, kind: str, beside: str) -> None:
    verdict = judged(says, given)
    assert verdict.kind == kind, verdict
    assert beside in f"{verdict.note} {verdict.condition} {verdict.exact}"


def test_what_is_defined_elsewhere_is_not_said_to_be_undefined() -> None:
    """At b = 1 the first is false, and at b = 1/2 the second is true."""
    for says in ("(b > 1 and solve(x == b - 1, x) > 0) <=> b >= 1", "b < 1 or solve(x == b - 1, x) > 0"):
        found = judged(says)
        assert (found.kind, found.condition) == ("conditional", "b > 1") and "not defined" not in found.note
    assert "it is not defined elsewhere" in judged("solve(x == b - 1, x) > 0").note


@pytest.mark.parametrize(("k", "kind"), [(1, "refuted"), (69, "refuted"), (70, "verified")])
def test_the_smallest_is_looked_for_where_there_is_a_threshold(k: int, kind: str) -> None:
    """64 >= 25 D F/(D F - 25 (D + F)) at D = 100 if F >= 160000/2300 = 69.6. Below F = 33.3 it is negative."""
    assert judged(f"smallest(F, threshold(mm, edge, B) <= 64) == {k}", let="D = '100'").kind == kind


def test_a_limit_rests_on_a_statement_about_the_function() -> None:
    says = [k.statement.says for k in judged("limit(abs(x - 1)/(x - 1), x, 1) == 1", "x > 1").known]
    assert any("max(" in said and "1/t" in said for said in says), says


def test_a_value_is_asked_for_by_itself() -> None:
    mm, edge = "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]", "bf16=25 GFLOP/s, hbm=1 GB/s"
    known = value("threshold(mm, edge, B)", ops={"mm": mm}, chips={"edge": edge})
    assert isinstance(known, Known) and known.trust == "kernel"
    assert known.statement.says.endswith(" where 1/25 > 1/D + 1/F")
    with pytest.raises(RoofproofError, match="has no value under what is given"):
        value("threshold(mm, edge, B)", "D F < 25 (D + F)", ops={"mm": mm}, chips={"edge": edge})
    with pytest.raises(RoofproofError, match="no unique solution for x: never"):
        value("solve(x + a == 3, x)", "a > 4")
    with pytest.raises(RoofproofError, match="is not a function with a value"):
        value("a + 3")
