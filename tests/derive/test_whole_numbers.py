"""Conditions without a closed form: a search agrees with each integer, and only the searched range is proved."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import chip, judge, op, threshold
from roofproof.cli import main
from roofproof.derive.inequalities.cases import Above
from roofproof.derive.inequalities.integers import among_whole_numbers
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.logarithm import log2
from roofproof.proofs.known import ByEveryInteger
from roofproof.proofs.oracles.points import holds
from roofproof.proofs.oracles.whole_numbers import failure_reason
from roofproof.proofs.translate import to_formula, with_functions
from roofproof.symbols import dimension

N = dimension("N")
SMALL = st.integers(1, 40)


@st.composite
def sides(draw):
    """Return a random sum of terms that no solver can handle together."""
    t, b = draw(st.integers(2, 9)), draw(st.integers(2, 9))
    kinds = [N, sympy.ceiling(N / t), sympy.floor(N / t) + 1, t * sympy.ceiling(N / t), sympy.sqrt(N), log2(N) + 1,
             1 - sympy.Rational(b - 1, b) ** N, sympy.Max(N, t * b), sympy.Min(N, t * b), sympy.Integer(t),
             N * sympy.ceiling(N / b)]  # fmt: skip
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    return sympy.Add(*(draw(SMALL) * kind for kind in chosen))


@given(sides(), sides(), st.booleans())
@settings(max_examples=10, deadline=None)
def test_what_is_searched_is_what_every_number_says(left, right, strict):
    condition = sympy.Gt(left, right) if strict else sympy.Ge(left, right)
    if condition in (sympy.true, sympy.false):
        return
    try:
        found, last = among_whole_numbers(condition, N, 400)
    except RoofproofError:
        return
    goal = ("<=>", to_formula(condition, with_functions), to_formula(found.holds(N), with_functions))
    for n in range(1, last + 1):
        assert holds(goal, {"N": Fraction(n)}), n
    assert failure_reason(goal, "N", 1, last) == ""


@given(st.integers(2, 500), st.integers(1, 4_000))
@settings(max_examples=20, deadline=None)
def test_a_bound_that_is_one_off_is_found(tile, at):
    """tile ceil(N / tile) > at holds for every N above floor(at / tile) tiles."""
    condition = to_formula(tile * sympy.ceiling(N / tile) > at)
    first = at // tile * tile + 1
    for bound in (first - 1, first, first + 1):
        goal = ("<=>", condition, (">=", ("v", "N"), ("q", bound, 1)))
        assert (failure_reason(goal, "N", 1, 2**40) == "") == (bound == first or bound <= 1 == first), bound


TILED = "flops bf16 = 2*128*ceil(B/128) D F; bytes hbm = 2 D F + 2 B D + 2 B F"
TABLE = ["derive", "--as", "table", TILED]
EXPERTS = "flops bf16 = 2 B k D F; bytes hbm = 2 E D F (1 - (1 - k/E)^B) + 2 B D"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (TILED, {"D": 4096, "F": 4096}),
        (EXPERTS, {"D": 4096, "F": 4096, "E": 64, "k": 2}),
        ("flops bf16 = 2 B D F; bytes hbm = 2 D F sqrt(B) + 2 B D + 2 B F", {"D": 4096, "F": 4096}),
        ("flops bf16 = 2 B D; bytes hbm = D log2(B) + 3 D + 16750000", {"D": 4096}),        # 5 us at 3.35 TB/s
        ("mixture-of-experts:touched=expected", {"D": 1024, "F": 1024, "E": 8, "k": 2}),
        ("flops bf16 = 2*64*256*ceil(ceil(B/64)*16/132) *132*D; bytes hbm = 8192 D + 2 B D", {"D": 4096}),
    ],
)  # fmt: skip
def test_the_integer_answer_is_the_first_that_is_compute_bound(text, sizes):
    found = threshold(op(text), chip("h100-sxm"), "B", sizes)
    assert (found.trust, found.found.searched) == ("kernel", 2**30)
    [case] = found.solved.of("case")
    assert isinstance(case.warrant, ByEveryInteger)
    condition = to_formula(found.found.condition, with_functions)
    if (integer := found.found.integer) is not None:
        near = range(max(1, integer - 3), integer + 1)
        assert [holds(condition, {"B": Fraction(n)}) for n in near] == [n == integer for n in near]
    whole = found.derivation.of("integer")
    assert all(known.trust == "kernel" for known in whole)


def test_a_power_that_grows_is_searched_as_far_as_it_is_worked_out():
    found = threshold(op("flops bf16 = 2^B; bytes hbm = B D"), chip("h100-sxm"), "B", {"D": 4096})
    assert (found.trust, found.found.searched, found.found.integer) == ("kernel", 1024, 25)  # 2^25 > 295.2 * 4096 * 25


@pytest.mark.parametrize("text", ["2^(2^(2^B))", "B^(1/3) + 2^(2^B)", "(3/2)^(2^B)", "ceil(log2(B + 1)) + 3^B"])
def test_towers_of_powers_are_searched_as_far_as_they_are_worked_out(text):
    found = threshold(op(f"flops bf16 = {text}; bytes hbm = B"), chip("h100-sxm"), "B")
    assert found.trust == "kernel"
    assert found.integer in range(2, 9)


@pytest.mark.parametrize(
    ("left", "right", "first"),
    [
        (N * sympy.ceiling(N / 3), 3 * 1622**2, 3 * 1622 + 1),  # equal at 3 * 1622, which is divisible by 3
        (sympy.ceiling(log2(N)), 13, 2**13 + 1),
        (N + sympy.sqrt(N), 128**2 + 128, 128**2 + 1),
    ],
)
def test_what_is_rounded_at_its_very_edge_is_told_apart(left, right, first):
    assert among_whole_numbers(left > right, N) == (Above(sympy.Integer(first), strict=False), 2**30)


def test_none_among_the_numbers_searched_is_no_never(capsys):
    """5 log2(N) N > 4.757 (32 N + 64) holds from 2^30.4, which is beyond the searched range."""
    says = "no integer {} from 1 to 1073741824 satisfies it, and larger values were not checked"
    with pytest.raises(Undecided, match=says.format("B")):
        threshold(op(TILED), chip("h100-sxm"), "B", {"D": 512, "F": 512})
    own = chip("fp64-vector=9.7e12 FLOP/s, hbm=2.039e12 B/s")
    with pytest.raises(Undecided, match=says.format("N")):
        threshold(op("flops fp64-vector = 5 N log2(N); bytes memory = 32 N + 64"), own, "N")
    chips = ["--chip", "h100-sxm", "--chip", "a100-80gb-sxm", "--for", "B", "--at", "D=512,F=512"]
    main(["derive", "--as", "table", TILED, *chips])
    main(["derive", "--as", "list", TILED, *chips])
    told = capsys.readouterr().out
    assert "h100-sxm       none found, open beyond" in told and "129 <= B <= 172 or B >= 257" in told
    assert "none found among the sizes searched, open beyond" in told and "never" not in told


SHARED = ["--at", "D=4096,F=4096"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["derive", TILED, "--chip", "h100-sxm", "--for", "B", *SHARED, "--share", "0.8"], "with the start of"),
        (["derive", "--as", "table", TILED, "--chip", "h100-sxm", "--chip", "apple-m2", "--for", "B", *SHARED],
         "assuming B >= 1 and B <= 1073741824\nproved\n\nchip      bf16            R         compute-bound  "
         "integer B\nh100-sxm  9.89e14 FLOP/s  ≈ 295.22  B >= 257       257\napple-m2  no spec bf16"),
        ([*TABLE, "--chip", "h100-sxm", "--for", "B", *SHARED, "--lang", "zh"], "各芯片在这些尺寸下各自的 B"),
        ([*TABLE, "--chip", "h100-sxm", "--for", "B", *SHARED, "--latex"], "for each chip by itself"),
        (["derive", "--as", "list", TILED, "--chip", "h100-sxm", "--for", "B", *SHARED],
         "  B >= 257\n  for every whole B from 1 to 1073741824\n"),
        (["grade", "--op", TILED, "--chip", "h100-sxm", "--for", "B", *SHARED, "--answer", "B > 256"], "Right."),
        (["grade", "--op", TILED, "--chip", "h100-sxm", "--for", "B", *SHARED, "--answer", "B > 384"], "Wrong."),
        (["grade", "--op", EXPERTS, "--answer", "I = 3"], "Wrong."),
        (["grade", "--op", EXPERTS, "--chip", "h100-sxm", "--for", "B", "--at", "D=4096,F=4096,E=64,k=2",
          "--asks", "smallest", "--answer", "9801"], "Right."),
    ],
)  # fmt: skip
def test_every_command_answers_what_is_searched(command, told, capsys):
    main(command)
    assert told in capsys.readouterr().out


def test_the_first_integer_of_a_power_is_searched_in_blocks():
    compute, memory = "4 * 4096^2 B/989e12", "(128 * 4096^2 (1 - (31/32)^B) + 8192 B)/3350e9"
    found = judge(f"smallest(B, {compute} > {memory}) == 9801")
    assert (found.kind, found.trust) == ("verified", "kernel")


def test_what_is_searched_needs_numbers_and_says_so():
    with pytest.raises(RoofproofError) as problem:
        threshold(op(TILED), chip("h100-sxm"), "B", {"D": 4096})
    assert str(problem.value).endswith("to search, give every other name a number, as in --at F=4096")
    record = threshold(op(TILED), chip("h100-sxm"), "B", {"D": 4096, "F": 4096}).to_dict()["threshold"]
    assert (record["whole_numbers_to"], record["integer_at_point"]) == (2**30, 257)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flops bf16 = 2 B; bytes hbm = 2 (2 - 3^B)", "is not known to be positive"),
        ("flops bf16 = 2 B; bytes hbm = 2 (1 - (1 - k/E)^B)^2 (1 - (1 - E/k)^B)", "is not known to be positive"),
    ],
)
def test_powers_of_which_no_sign_is_known_are_refused(text, said):
    with pytest.raises(RoofproofError) as problem:
        op(text)
    assert said in str(problem.value)


def test_powers_that_nobody_would_write_out_are_refused():
    assert op(EXPERTS).conditions == (sympy.Le(dimension("k"), dimension("E")),)
    with pytest.raises(RoofproofError, match="is 1000000000000; expected at most 1048576"):
        threshold(op(EXPERTS), chip("h100-sxm"), "D", {"B": 10**12, "E": 64, "k": 2, "F": 8})
