"""Truth in a regime: for each fixed size, beyond some bound, with right and wrong claims in pairs."""

import json
from fractions import Fraction

import pytest

from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text
from roofproof.proofs.known import ByKernel

FAR = "D, F >> B"
LEVEL = "intensity(matmul)"

# says, regime, given, verdict, and the fixed part of the counterexample or the condition
EDGES = [
    ("B == 240 => B D/(B + D) < 240", "D >> B", "", "verified", ""),
    ("B == 240 => B D/(B + D) >= 240", "D >> B", "", "refuted", "B = 240"),
    ("B == 240 => B + 1/D > 240", "D >> B", "", "verified", ""),
    ("B == 240 => B + 1/D <= 240", "D >> B", "", "refuted", "B = 240"),
    ("B D/(B + D) < 240 <=> B <= 240", "D >> B", "", "approximate", ""),
    ("B D/(B + D) < 240 <=> B < 240", "D >> B", "", "refuted", "B = 240"),
    ("B + B/D > 240 <=> B >= 240", "D >> B", "", "approximate", ""),
    ("B + B/D > 240 <=> B > 240", "D >> B", "", "refuted", "B = 240"),
    ("B >= 2 <=> B N + 1 > 2 N", "N >> B", "B integer", "approximate", ""),
    ("B > 2 <=> B N + 1 > 2 N", "N >> B", "B integer", "refuted", "B = 2"),
    ("B >= 3 <=> B N - 1 >= 2 N", "N >> B", "B integer", "approximate", ""),
    ("B >= 2 <=> B N - 1 >= 2 N", "N >> B", "B integer", "refuted", "B = 2"),
    ("B N > 9 N - 8 => B >= 9", "N >> B", "B integer", "approximate", ""),
    ("B N > 9 N - 8 => B > 9", "N >> B", "B integer", "refuted", "B = 9"),
    (f"{LEVEL} > 240 <=> B > 240", FAR, "", "approximate", ""),
    (f"{LEVEL} > 240 <=> B >= 240", FAR, "", "refuted", "B = 240"),
    (f"{LEVEL} <= 240 <=> B <= 240", FAR, "", "approximate", ""),
    (f"{LEVEL} < 240 <=> B <= 240", FAR, "", "approximate", ""),
    (f"{LEVEL} < 240 <=> B < 240", FAR, "", "refuted", "B = 240"),
    (f"B >= 240 => {LEVEL} > 240", FAR, "", "refuted", "B = 240"),
    (f"B > 240 => {LEVEL} > 240", FAR, "", "approximate", ""),
    (f"{LEVEL} > 240 => B > 240", FAR, "", "verified", ""),
    (f"B >= 241 <=> {LEVEL} > 1201/5", FAR, "B integer", "approximate", ""),
    (f"B >= 260 <=> {LEVEL} > 1201/5", FAR, "B integer", "refuted", ""),
]
EQUATIONS = [
    ("N + 10 ~= N", "N -> oo", "", "approximate", ""),
    ("B == 4 or 3 x^2 - 2/x != min(x, 9 B) - min(x, 7 B)", "x -> 0", "B integer", "approximate", ""),
    ("N + 10 == N", "N -> oo", "", "refuted", ""),
    ("(N + 7)^2 ~= N^2 + 14 N", "N -> oo", "", "approximate", ""),
    ("(N + 7)^2 == N^2 + 14 N", "N -> oo", "", "refuted", ""),
    ("(N + 7)^2 == N^2 + 14 N + 49", "N -> oo", "", "verified", ""),
    ("N/(N + B) ~= 1", "N >> B", "", "approximate", ""),
    ("N/(N + B) == 1", "N >> B", "", "refuted", "B = 1"),
    ("max(N, 3 B) == N", "N >> B", "", "approximate", ""),
    ("max(N, 3 B) == 3 B", "N >> B", "", "refuted", "B = 1"),
    ("min(D, F, B) == B", FAR, "", "approximate", ""),
    ("min(D, F, B) == D", FAR, "", "refuted", "B = 1"),
    ("abs(B - N) == N - B", "N >> B", "", "approximate", ""),
    ("abs(B - N) == B - N", "N >> B", "", "refuted", "B = 1"),
    ("floor(B/N) == 0", "N >> B", "", "approximate", ""),
    ("floor(N/B) == 0", "N >> B", "", "refuted", "B = 1"),
    ("ceil(B/N) == 1", "N >> B", "", "approximate", ""),
    ("ceil(B/N) == 0", "N >> B", "", "refuted", "B = 1"),
    ("floor(2 + 1/N) == 2", "N -> oo", "", "approximate", ""),
    ("floor(2 - 1/N) == 2", "N -> oo", "", "refuted", ""),
    ("floor(N/6) ~= N/6", "N -> oo", "", "approximate", ""),
    ("floor(N/6) ~= N/5", "N -> oo", "", "refuted", ""),
    ("bytes(matmul) ~= 2 D F", FAR, "", "approximate", ""),
    ("bytes(matmul) == 2 D F", FAR, "", "refuted", "B = 1"),
]
RATES = [
    ("D > F", FAR, "", "refuted", ""),
    ("D F > 9 or F > D", "D, F -> oo", "", "approximate", ""),
    ("F > D or D > 2 F", "D, F -> oo", "", "refuted", ""),
    ("D F > D + F", "D, F -> oo", "", "approximate", ""),
    ("D F > D^2", "D, F -> oo", "", "refuted", ""),
    ("D^2 + F^2 >= D F", "D, F -> oo", "", "verified", ""),
    ("D^2 + F^2 > 3 D F", "D, F -> oo", "", "refuted", ""),
    ("D^2 > F or F^2 > D", "D, F -> oo", "", "approximate", ""),
    ("D^2 > F", "D, F -> oo", "", "refuted", ""),
    ("D/F -> 11", "D, F -> oo", "", "refuted", ""),
    ("(D + 1)/(D + 2) -> 1", "D, F -> oo", "", "verified", ""),
    ("D/(D + F) ~= 1", "D, F -> oo", "", "refuted", ""),
    ("D/(D + F) ~= 1", "D >> F -> oo", "", "approximate", ""),
    ("L > 100 d^2", "L >> d -> oo", "", "approximate", ""),
    ("L > 100 d^2", "L ~ d^2 -> oo", "", "refuted", ""),
    ("L / d^2 > 7 r", "L >> d >> r", "", "approximate", ""),
    ("L / d^2 < 7 r", "L >> d >> r", "", "refuted", "r = 1"),
    ("F > 3 D", "F = 4 D -> oo", "", "approximate", ""),
    ("4 D > 3 F", "F = 4 D -> oo", "", "refuted", ""),
    ("x^2 < x/1000", "x -> 0", "", "approximate", ""),
    ("x^2 > x/1000", "x -> 0", "", "refuted", ""),
    ("sqrt(N) > 1000 + B", "N >> B", "", "approximate", ""),
    ("sqrt(N) < 1000 + B", "N >> B", "", "refuted", "B = 1"),
    ("N > 1000", "N -> oo", "N integer", "approximate", ""),
    ("N <= 1000", "N -> oo", "N integer", "refuted", ""),
    ("N b > 5", "N -> oo", "b <= N", "approximate", ""),
    ("N < 2 b", "N -> oo", "b <= N", "refuted", "b = 1"),
]
WHAT_STAYS = [
    ("B N > 8 N", "N >> B", "", "conditional", "B > 8"),
    ("B N >= 8 N", "N >> B", "", "conditional", "B >= 8"),
    ("B N != 8 N", "N >> B", "", "conditional", "B != 8"),
    ("not (B N <= 8 N)", "N >> B", "", "conditional", "B > 8"),
    ("B N + N > N C", "N >> B, C", "", "conditional", "B + 1 > C"),
    (f"{LEVEL} > 240", FAR, "", "conditional", "B > 240"),
    (f"{LEVEL} > 240", "B, D, F -> oo", "", "approximate", ""),
    ("B N > 8 N => N > 5", "N >> B", "", "approximate", ""),
    ("B < 5 => B N > 7 N", "N >> B", "", "refuted", "B = 1"),
    ("N (B - 5)/(B - 5) > 7", "N >> B", "", "conditional", "B != 5"),
    ("1/(N - 5) > 0", "N -> oo", "", "approximate", ""),
]


def verdict(says: str, regime: str, given: str) -> Verdict:
    text = f"[[claim]]\nid = 'a'\nsays = {json.dumps(says)}\nregime = '{regime}'\ngiven = '{given}'"
    [claim] = book_from_text(text).claims
    assert isinstance(claim, Claim), claim
    return judge(claim)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "regime", "given", "kind", "detail"), EDGES + EQUATIONS + RATES + WHAT_STAYS)
def test_truth_in_a_regime(says: str, regime: str, given: str, kind: str, detail: str) -> None:
    found = verdict(says, regime, given)
    assert (found.kind, found.trust) == (kind, "kernel"), (found.note, found.condition)
    if kind == "conditional":
        assert found.condition == detail
    elif detail:
        name, _, value = detail.partition(" = ")
        assert found.counterexample is not None and found.counterexample[name] == Fraction(value)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "regime", "given"), [c[:3] for c in EDGES + RATES if c[3] == "refuted"])
def test_a_counterexample_lies_far_out(says: str, regime: str, given: str) -> None:
    from roofproof.derive.limits.regime import Regime

    point = verdict(says, regime, given).counterexample or {}
    far = Regime(regime)
    for name in set(point) & set(far.growing):
        value = point[name]
        assert value >= 1000 or (name in far.shrinking and value <= Fraction(1, 1000))


def test_what_an_approximate_verdict_rests_on() -> None:
    """The verdict rests on one theorem for all sizes beyond named bounds, with no assumption about the fixed sizes."""
    found = verdict(f"{LEVEL} > 240 <=> B > 240", FAR, "")
    beyond = next(k for k in found.known if "=>" in k.statement.says and k.statement.names == {"B", "D", "F"})
    assert isinstance(beyond.warrant, ByKernel)
    bounds = [f for f in beyond.statement.assumptions if f[0] == "=>"]
    assert len(bounds) == 1 and bounds[0][1] == (">", ("v", "B"), ("q", 240, 1))


@pytest.mark.parametrize("says, regime", [
    ("intensity('sliding-window-attention') ~= -W^2/(4 L)", "W >> L"),  # W <= L
    ("intensity('sliding-window-attention') -> -oo", "W -> oo"),
    ("compute_bound(tiled-matmul, tpu-v5e) <=> b > 240", "B, D, F, f, t >> b"),  # blocks of b, f and t have to fit vmem
    ("limit(intensity('sliding-window-attention'), W) == -oo", ""),
    ("bytes('top-k') > 0", "k >> V"),  # k <= V
    ("intensity(windows) -> -oo", "W = 2 L -> oo"),
])  # fmt: skip
def test_of_an_operation_that_does_not_exist_far_out_nothing_is_said(says: str, regime: str) -> None:
    text = f"""[ops]
windows = "sliding-window-attention"
[[claim]]
id = "a"
regime = "{regime}"
says = "{says}"
"""
    [claim] = book_from_text(text.replace("'", '\\"')).claims
    found = judge(claim)
    assert found.kind == "undecided"
    assert "which does not hold in the regime" in found.note


@pytest.mark.parametrize("says, let, given, kind, told", [
    ("flops(sw) < 0", 'W = "8", L = "2"', "", "undecided", "sw requires W <= L, which does not hold for what is given"),
    ("flops(sw) < 0", "", "W > 2 L + 1", "undecided", "sw requires W <= L, which does not hold for what is given"),
    ("exists W, L integer: flops(sw) < 0", "", "", "refuted", ""),
    ("flops(sw) > 0", "", "W <= L", "verified", ""),
    ("flops(sw) == 60", 'W = "2", L = "8", k = "1", h = "1"', "", "verified", ""),  # 4*16 + 4 - 8
    ("intensity(sw) <= W/2", "", "", "verified", ""),  # (2 L + 1 - W)/(2 L) <= 1 for W >= 1
])  # fmt: skip
def test_of_sizes_that_an_operation_does_not_have_nothing_is_said(
    says: str, let: str, given: str, kind: str, told: str
) -> None:
    [claim] = book_from_text(f"""[ops]
sw = "sliding-window-attention"
[[claim]]
id = "a"
let = {{{let}}}
given = "{given}"
says = "{says}"
""").claims
    found = judge(claim)
    assert (found.kind, str(found.note) if kind == "undecided" else "") == (kind, told)
