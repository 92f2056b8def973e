"""Every case of an answer applies for some sizes, which are integers of at least 1."""

import pytest

from roofproof import op, threshold
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.provers.statements import possible
from roofproof.proofs.translate import to_formula, with_functions

ASKED = [
    ("sliding-window-attention", "L"), ("chunked-prefill-attention", "S"), ("matmul", "B"), ("data-parallel", "B"),
    ("attention", "d"), ("grouped-matmul", "B"), ("spmv", "N"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "unknown"), ASKED)
def test_sizes_meet_every_case(name: str, unknown: str) -> None:
    found = threshold(op(name), None, unknown).found
    sizes = tuple(Formula(">=", Term("v", s.name), Term("q", 1, 1)) for s in found.op.dims)
    for case in found.symbolic:
        assert possible((*sizes, to_formula(case.when, with_functions)))[0], case.when


@pytest.mark.parametrize(
    ("name", "unknown", "least", "said"),
    [
        (
            "sliding-window-attention",
            "L",
            "W",
            "L > W*(W - 1)/(2*W - 4*R)    when R < W/2 and W > 1\n"
            "always                       when R < W/2 and W = 1\n"
            "never                        otherwise",
        ),
        (
            "chunked-prefill-attention",
            "S",
            "L",
            "S > L*(L + 2*R - 1)/(2*L - 2*R)    when L > R\nnever                              otherwise",
        ),
    ],
)
def test_no_case_is_told_of_a_size_below_one(name: str, unknown: str, least: str, said: str) -> None:
    proved = threshold(op(name), None, unknown)
    assert str(proved.found.symbolic) == said and proved.trust == "kernel"
    assert [str(a) for a in proved.found.assume] == [f"{least} >= 1"]  # printed after "for all ..."
