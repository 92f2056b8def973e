"""The assumptions of an operation about its sizes are hypotheses of every claim that names it."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import op
from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.read_back import read_back
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language import Claim, Unusable
from roofproof.claims.language.book import book_from_text
from roofproof.derive.inequalities.cases import substitute
from roofproof.errors import RoofproofError
from roofproof.ops.library import entries

OPS = """[ops]
sw = "sliding-window-attention"
cp = "chunked-prefill-attention"
dp = "data-parallel"
sh = "sharded-matmul:n=4"
top = "top-k"
tile = "tiled-matmul:b=t,f=t,d=64"
"""
WINDOW, CHIPS, BLOCKS = 'L = "4096"', 'B = "24", D = "8", F = "8"', 'B = "8192", D = "8192", F = "8192"'


def read(says: str, let: str = "", given: str = "", regime: str = "") -> Claim | Unusable:
    in_regime = f'regime = "{regime}"\n' if regime else ""
    text = f"[[claim]]\nid = 'a'\nlet = {{{let}}}\ngiven = '{given}'\n{in_regime}says = '{says}'\n"
    [claim] = book_from_text(OPS + text).claims
    return claim


def judged(says: str, let: str = "", given: str = "", regime: str = "") -> Verdict:
    claim = read(says, let, given, regime)
    assert isinstance(claim, Claim), claim
    return judge(claim)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("says, let, kind", [
    ("argmax(intensity(sw), W) == L", "", "verified"),  # W (2 L + 1 - W) rises to L + 1/2, beyond the last window
    ("argmax(intensity(sw), W) == L + 1/2", "", "refuted"),
    ("maximum(intensity(sw), W) == (L + 1)/4", "", "verified"),  # L (L + 1)/(4 L)
    ("increasing(intensity(sw), W)", "", "verified"),
    ("decreasing(intensity(sw), W)", "", "refuted"),
    ("intensity(sw) > W/4", "", "verified"),  # (2 L + 1 - W)/(4 L) > 1/4
    ("W > L => flops(sw) < 0", "", "verified"),  # vacuously true
    ("for all W, L: flops(sw) > 0", "", "verified"),
    ("exists W: intensity(sw) > L", "", "refuted"),
    ("exists W, L integer: flops(sw) < 0", "", "refuted"),
    ("exists W: W > L and flops(sw) > 0 or flops(sw) < 0", "", "refuted"),
    ("largest(W, compute_bound(sw, h100-sxm)) == 4096", WINDOW, "verified"),
    ("smallest(W, compute_bound(sw, h100-sxm)) == 641", WINDOW, "verified"),
    ("threshold(sw, h100-sxm, W) == 8193/2 - sqrt(214473003401)/134", WINDOW, "verified"),  # the larger root exceeds L
    ("solve(intensity(sw) == 8, W) == 129/2 - sqrt(8449)/2", 'L = "64"', "verified"),  # W^2 - 129 W + 2048 = 0
    ("solve(intensity(sw) == 80, W) == 100", 'L = "64"', "refuted"),
    ("limit(intensity(sw), W, 4) == 5/4", 'L = "4"', "verified"),  # from below
    ("sum(flops(sw), W, 1, 5) > 0", 'L = "5", h = "1", k = "1"', "verified"),
    ("bytes(top) <= 8 B V", "", "verified"),  # 2 B V + 6 B k, for k <= V
    ("flops(dp) >= 12 D F", "", "verified"),  # 12 B D F/X, for X <= B
    ("flops(sh) >= 2 B F", "", "verified"),  # D is at least 4
    ("compute_bound(tile, h100-sxm) => t < 1", "", "verified"),  # no block that fits is large enough
    ("smallest(t, compute_bound(tile, tpu-v5e)) == 512", BLOCKS, "verified"),  # t > 495.6, and t divides 8192
    ("smallest(X, X > 4 and flops(dp) > 0) == 6", CHIPS, "verified"),
    ("exists X integer: flops(dp) == 4 B D F", CHIPS, "verified"),  # 3 divides 24
    ("exists X integer: flops(dp) == 12 B D F/5", CHIPS, "refuted"),
])  # fmt: skip
def test_a_claim_is_about_the_sizes_that_there_are(says: str, let: str, kind: str) -> None:
    found = judged(says, let)
    assert found.kind == kind
    assert ("assumes that" in str(found.note)) == (kind == "verified")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("says, let, given, kind", [
    ("flops(sh) > 0 and D != 5", "", "", "verified"),  # also for a part that names no operation
    ("not not (flops(sh) > 0 and D != 5)", "", "", "verified"),
    ("flops(sh) > 0 and D != 8", "", "", "refuted"),
    ("flops(sh) > 0 and (D == 4 or D >= 8)", "", "", "verified"),
    ("flops(sh) > 0 and D == 8", "", "D in {5, 8}", "verified"),
    ("flops(dp) > 0 and X == 6", 'B = "24"', "X in {5, 6, 7}", "verified"),
    ("flops(dp) > 0 and floor(B/X) == B/X", "", "", "verified"),
    ("flops(dp) > 0 and (X == B or 2 X <= B)", "", "", "verified"),
    ("lower(tile, tpu-v5e) > 0 and t <= 8128", "", "", "verified"),  # 2 t^2 + 256 t <= 2^27
    ("lower(tile, tpu-v5e) > 0 and t <= 8127", "", "", "refuted"),
    ("exists X: flops(dp) == 60 D F", 'B = "24"', "", "refuted"),  # X = 24/5 is not a number of chips
    ("for all B: exists X: flops(dp) == 24 D F", "", "", "refuted"),  # X = B/2
    ("for all B: exists X: flops(dp) == 12 D F", "", "", "verified"),  # X = B
    ("exists B: for all X: flops(dp) <= 12 D F", "", "", "verified"),  # B = 1
    ("exists W: flops(sw) == 2 L h k and W < 1", "", "", "refuted"),
])  # fmt: skip
def test_a_size_is_one_thing_in_all_parts_of_a_claim(says: str, let: str, given: str, kind: str) -> None:
    found = judged(says, let, given)
    assert found.kind == kind
    assert "sh" not in says or not found.counterexample or found.counterexample.get("D", 4) % 4 == 0


@pytest.mark.parametrize("says", ["exists x: x < 1 and a/x + b/x < c", "exists n: n < 1 and B/n + 2 F/n < B + F"])
def test_a_witness_that_is_divided_by_is_not_zero(says: str) -> None:
    assert judged(says).kind == "refuted"


@pytest.mark.parametrize("says, let, told", [
    ("flops(dp) > 0", 'B = "24", X = "5"', "dp requires X divides B, which does not hold for what is given"),
    ("flops(sh) > 0", 'D = "6"', "sh requires 4 divides D, which does not hold for what is given"),
    ("flops(sh) > 0", 'D = "0"', "sh requires 4 divides D, which does not hold for what is given"),
    ("limit(intensity(sw), W, 8) == 7", 'L = "4"', "W does not approach 8 under what is given"),
    ("sum(flops(sw), W, 1, 10) > 0", 'L = "5"', "sw requires W <= L, which is open for some W of the sum"),
    ("sum(flops(dp), X, 1, 4) > 0", 'B = "4"', "dp requires X divides B, which is open for some X of the sum"),
    ("argmin(flops(sw), W, {1, 2, 8}) == 1", 'L = "4", h = "1", k = "1"', "sw requires W <= 4, which W = 8 breaks"),
    ("degree(flops(sw), W) == 2", "", "sw requires W <= L, which does not hold in the regime W -> oo"),
    ("intensity(cp) -> L", "", "cp requires L <= S, which does not hold in the regime L -> oo"),
])  # fmt: skip
def test_what_leaves_an_operation_no_size_is_named(says: str, let: str, told: str) -> None:
    found = judged(says, let, regime="L -> oo" if "->" in says else "")
    assert (found.kind, str(found.note)) == ("undecided", told)


def test_the_hypotheses_of_a_theorem_are_told_and_read_back() -> None:
    claim = read("intensity(sw) > W/4")
    assert isinstance(claim, Claim)
    found = judge(claim)
    assert found.note == "sw assumes that W <= L"
    lines = read_back(claim, found)
    assert "given: W <= L" in lines
    assert any(line.startswith("theorem: L >= W => ") for line in lines)
    assert judged("flops(top) == 0 and flops(dp) > 0").note == (
        "top assumes that k <= V; dp assumes that X divides B"
    )  # fmt: skip


@pytest.mark.parametrize("says, let, kind", [
    ("increasing(bytes(tiles), b)", "", "refuted"),  # fewer blocks of x are read again
    ("decreasing(flops(tiles), B)", "", "refuted"),
    ("decreasing(flops(sw), L)", "", "refuted"),
    ("increasing(flops(dp), X)", 'B = "8"', "refuted"),
    ("increasing(flops(dp), X)", 'B = "7"', "undecided"),  # X is 1 or 7, but 2 and 4 were tried
])  # fmt: skip
def test_a_function_is_seen_to_fail_between_two_sizes_that_there_are(says: str, let: str, kind: str) -> None:
    tiled = op("tiled-matmul")
    found = judged(says.replace("tiles", '"tiled-matmul"'), let)
    assert found.kind == kind
    if kind == "refuted":
        assert found.counterexample is not None
        assert "!" not in str(found.note)
        at = {n: sympy.Rational(v) for n, v in found.counterexample.items()}
        asked = tiled if "tiles" in says else op("sliding-window-attention" if "sw" in says else "data-parallel")
        assert all(substitute(c, {"B": 8, **at}) == sympy.true for c in asked.conditions)


def test_a_name_that_is_bound_is_no_size_of_an_operation_outside() -> None:
    refused = read("flops(sw) > 0 and (exists W: W > 3)")
    assert isinstance(refused, Unusable)
    assert refused.message.endswith("'W' is bound by 'exists' and used outside it, too; use another name")
    assert isinstance(read("L > 0 and (exists W: intensity(sw) > W/4)"), Claim)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("says, let, given, kind", [
    ("flops(dp) > 0", 'B = "smallest(n, n > 3)"', "", "verified"),
    ("flops(dp) > 0", 'B = "smallest(n, n > 3)", X = "5"', "", "undecided"),  # 5 does not divide 4
    ("flops(sw) > 0", 'L = "limit((4 x + 1)/x, x)", W = "5"', "", "undecided"),  # L is 4
    ("flops(sw) > 0", "", "W <= smallest(n, n > 3)", "verified"),
    ("W < 5", "", "W <= smallest(n, n > 3)", "verified"),
])  # fmt: skip
def test_a_size_may_be_found_by_the_engine(says: str, let: str, given: str, kind: str) -> None:
    assert judged(says, let, given).kind == kind


def test_what_is_assumed_of_a_logarithm_is_met_by_no_other_number() -> None:
    """At x = 8, W = log2(x) is 3. W <= L = 1 would hold there only if log2(8) could be any number."""
    assert judged("flops(sw) > 0", 'W = "log2(x)"', "x > 1").kind == "verified"
    assert judged("2 L >= 2 log2(x)", given="x > 1; log2(x) <= L").kind == "verified"
    found = judged("L >= 2 log2(x)", given="x > 1; log2(x) <= L")
    assert (found.kind, found.counterexample) == ("refuted", {"L": 1, "x": 2})


def test_assumptions_of_the_text_that_contradict_each_other_are_still_refused() -> None:
    with pytest.raises(RoofproofError, match=r"^given: the assumptions contradict each other: W > 2; W < 2$"):
        judged("flops(sw) > 0", given="W > 2; W < 2")


CONDITIONED = [name for name in sorted(entries()) if op(name).conditions and name != "pipeline-parallel"]
FEW = [1, 2, 3, 4, 6, 8, 12]


@pytest.mark.slow
@settings(max_examples=40)
@given(st.data())
def test_what_is_verified_holds_at_all_sizes_and_what_is_refuted_fails_at_one(data: st.DataObject) -> None:
    """FLOPs or bytes are compared with a product of sizes. Between the divisors of a size, a claim may be open."""
    name = data.draw(st.sampled_from(CONDITIONED))
    operation = op(name)
    amount, quantity = data.draw(st.sampled_from([(operation.flops, "flops"), (operation.bytes(), "bytes")]))
    powers = [data.draw(st.integers(0, 2)) for _ in operation.dims]
    factor = data.draw(st.sampled_from([1, 2, 4, 12, 24]))
    other = factor * sympy.Mul(*(s**p for s, p in zip(operation.dims, powers, strict=True)))
    relation = data.draw(st.sampled_from([">=", "<=", "<", ">"]))
    text = str(other).replace("**", "^")
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{quantity}({name}) {relation} {text}'\n").claims
    assert isinstance(claim, Claim), claim
    found = judge(claim)
    stated = sympy.Rel(amount, other, relation, evaluate=False)

    def there(point: dict[str, int | Fraction]) -> bool:
        conditions = (substitute(c, {n: sympy.Rational(v) for n, v in point.items()}) for c in operation.conditions)
        return all(c != sympy.false for c in conditions)

    def holds(point: dict[str, int | Fraction]) -> bool:
        return bool(substitute(stated, {n: sympy.Rational(v) for n, v in point.items()}) == sympy.true)

    names = [s.name for s in operation.dims]
    if found.kind == "refuted":
        assert found.counterexample is not None
        point = {n: Fraction(1) for n in names} | {n: Fraction(v) for n, v in found.counterexample.items()}
        assert there(point) and not holds(point)
    elif found.kind == "verified":
        random = data.draw(st.randoms(use_true_random=False))
        tried = [dict(zip(names, (random.choice(FEW) for _ in names), strict=True)) for _ in range(60)]
        tried += [dict.fromkeys(names, n) for n in (1, 2, 4)]
        assert all(holds(point) for point in tried if there(point))
