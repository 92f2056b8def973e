"""`compute_bound` and `threshold` in a claim compare times, so that a link without traffic gets a verdict."""

import pytest

from roofproof import RoofproofError, chip
from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text
from roofproof.derive.roofline.ridges import supply
from roofproof.ops import parse_operation
from roofproof.proofs.search.certificates import Facts

SPLIT = '[ops]\nsplit = "flops bf16 = 2 N; bytes memory = 4 N; bytes ici = N (n - 1)"\n'


def verdict(says: str, more: str = "", ops: str = "") -> str:
    [claim] = book_from_text(f'{ops}\n[[claim]]\nid = "a"\nsays = "{says}"\n{more}').claims
    return judge(claim).kind


def test_without_traffic_any_computing_takes_longer() -> None:
    one, alone = 'let = { n = "1" }', 'given = "n >= 1; n <= 1"'
    over_link = "compute_bound(split, tpu-v5e, bf16, ici)"
    assert verdict(over_link, one, SPLIT) == verdict(over_link, alone, SPLIT) == "verified"  # 2 N > 0
    assert verdict(f"not {over_link}", one, SPLIT) == "refuted"
    assert verdict("compute_bound(split, tpu-v5e)", one, SPLIT) == "refuted"  # 1/2 FLOP a byte of memory
    assert verdict(over_link, 'let = { n = "100000" }', SPLIT) == "refuted"


@pytest.mark.parametrize("name", ["dot", "matvec", "layer-norm", "split-matmul", "decode-attention"])
def test_it_is_the_comparison_of_the_times(name: str) -> None:
    compute, channel = parse_operation(name).demands
    times = f"time({name}, tpu-v5e, {compute}) > time({name}, tpu-v5e, {channel})"
    assert verdict(f"compute_bound({name}, tpu-v5e) <=> {times}") == "verified"


def test_the_longest_engine_is_compared() -> None:
    engines = " , ".join(f"time(softmax, h100-sxm, {engine})" for engine in ("fp32-vector", "exp"))
    longest = f"max({engines}) > time(softmax, h100-sxm, memory)"
    assert verdict(f"compute_bound(softmax, h100-sxm) <=> {longest}") == "verified"
    assert verdict("compute_bound(softmax, h100-sxm)") == "refuted"  # 1/4 exp per byte, while the chip has 1.15
    with pytest.raises(RoofproofError, match="chip 'tpu-v5e' has no spec 'exp'"):
        verdict("compute_bound(softmax, tpu-v5e)")


@pytest.mark.slow
def test_what_fails_between_whole_sizes_alone_is_not_refuted() -> None:
    """At D, F >= 10^6 the threshold is between 240.53 and 240.66, so that the claim is true for integer B."""
    given = 'given = "D >= 10^6; F >= 10^6"'
    assert verdict("compute_bound(matmul, tpu-v5e) <=> B > 240.54", given) in ("undecided", "verified")
    assert verdict("compute_bound(matmul, tpu-v5e) <=> B > 239", given) == "refuted"


def test_sizes_that_are_nowhere_whole_verify_nothing() -> None:
    assert verdict("compute_bound(matmul, tpu-v5e)", 'given = "B > 1; B < 3/2; D, F >= 1"') == "refuted"


def test_the_right_answer_is_what_is_derived_not_what_is_said() -> None:
    """The intensity is D, so the derived side bounds D. Solving the claimed side for D would repeat the mistake."""
    op = '[ops]\nwide = "flops bf16 = 4 D N; bytes memory = 4 N"\n'
    says = "compute_bound(wide, tpu-v5e) <=> D N/2 > 10^6 N"
    [claim] = book_from_text(f'{op}\n[[claim]]\nid = "a"\nsays = "{says}"').claims
    found = judge(claim)
    assert (found.kind, found.exact) == ("refuted", None)


def test_a_threshold_is_in_a_size_of_the_operation() -> None:
    [claim] = book_from_text("[[claim]]\nid = 'a'\nsays = 'threshold(matmul, tpu-v5e, Q) > 0'").claims
    with pytest.raises(RoofproofError, match="unknown dimension 'Q'; known: B, D, F"):
        judge(claim)


def test_an_integer_at_which_the_operation_does_not_exist_is_no_answer() -> None:
    """It is compute-bound for D > 26266.7, but four chips can share D = 26268 equally, and not 26267."""
    bound = "compute_bound('sharded-matmul:n=4', tpu-v5e@scaling-book, ici)".replace("'", '\\"')
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "smallest(D, {bound}) == 26267"').claims
    found = judge(claim)
    assert found.kind == "undecided" and found.note == (
        "sharded-matmul:n=4 requires 4 divides D, which D = 26267 breaks; write the bound on D instead"
    )
    assert (
        verdict(
            f"4 smallest(k, 4 k > {bound.replace('compute_bound', 'threshold').replace(', ici', ', D, ici')}) == 26268"
        )
        == "verified"
    )
    assert verdict(f"smallest(D, {bound.replace('n=4', 'n=2')}) == 8756") == "verified"  # 2 divides it


def test_two_times_make_twice_the_longer_where_they_are_equal() -> None:
    """f + m < 2 max(f, m) fails only if f = m, which few sizes meet."""
    ops, says = "[ops]\nmm = 'matmul'\n[chips]\ngpu = 'h100-sxm'\n", "upper(mm, gpu) < 2 lower(mm, gpu)"
    [claim] = book_from_text(f"{ops}[[claim]]\nid = 'a'\nsays = '{says}'").claims
    found = judge(claim)
    assert (found.kind, found.trust) == ("refuted", "kernel")
    assert found.counterexample is not None
    B, D, F = (found.counterexample[name] for name in "BDF")
    made = chip("h100-sxm")
    assert 2 * B * D * F / made.peak("bf16").value == 2 * (B * D + D * F + B * F) / supply(made, "memory").value


def test_a_counterexample_between_two_thresholds_needs_no_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Facts, "linear_program", lambda *_: pytest.fail("a long search"))
    assert verdict("compute_bound(matmul, tpu-v5e) => intensity(matmul) > 241") == "refuted"  # the ridge is 240.2
