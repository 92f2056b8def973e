"""The proof checker proves thresholds for a share of the peak, and does not prove a wrong factor."""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import pytest

from roofproof import chip, op
from roofproof.derive.roofline.keeping import share_of
from roofproof.derive.roofline.share import Share
from roofproof.proofs import threshold
from roofproof.proofs.provers import roofline
from roofproof.proofs.provers.statements import Refuted

SHARES = (Fraction(4, 5), Fraction(9, 10))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["matmul", "batched-matmul", "ffn", "lora", "attention-core", "convolution"])
@pytest.mark.parametrize("corner", ["sum", "root"])
def test_of_products_by_the_kernel(name, corner):
    one = op(name)
    proved = threshold(one, chip("h100-sxm"), one.dims[0].name, share=Share(SHARES[1], corner))
    assert proved.trust == "kernel"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("on", ["h100-sxm", "a40"])
@pytest.mark.parametrize("value", SHARES)
@pytest.mark.parametrize("sizes", [(4096, 4096), (8192, 1024)])  # for the second, both roots are positive
def test_with_the_start_by_the_kernel(on, value, sizes):
    one, there = op("matmul:fp16"), chip(on)
    proved = threshold(one, there, "B", dict(zip("DF", sizes, strict=True)), share=share_of(one, there, value))
    assert [known.trust for row in proved.derivation.rows("started") for known in row.known] == ["kernel", "kernel"]
    assert proved.derivation.trust in ("kernel", "model", "figure")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("corner", ["max", "sum", "root"])
@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(1, 2), *SHARES, Fraction(19, 20), Fraction(99, 100)])
def test_what_a_corner_makes_of_a_share_by_the_kernel(corner, value):
    assert roofline.shared_peak(Share(value, corner)).trust == "kernel"


@pytest.mark.parametrize("corner", ["max", "sum", "root"])
def test_a_wrong_factor_is_not_proved(corner, monkeypatch):
    factor = Share(SHARES[0], corner).factor
    monkeypatch.setattr(Share, "factor", property(lambda self: factor + 1))
    with suppress(Refuted):
        assert roofline.shared_peak(Share(SHARES[0], corner)).trust == "undecided"


def test_one_of_another_share_is_not_believed():
    one, there = op("matmul:fp16"), chip("h100-sxm")
    proved = threshold(one, there, "B", {"D": 4096, "F": 4096}, share=share_of(one, there, SHARES[0]))
    more = threshold(one, there, "B", {"D": 4096, "F": 4096}, share=share_of(one, there, SHARES[1]))
    with pytest.raises(Exception, match="is not what is proved"):
        replace(proved, solved=more.solved)
