"""Formulas on slides come only from `Known` results, and any other formula is rejected when it is made."""

import pytest
import sympy

from roofproof.export.slides.model import Display, Math
from roofproof.export.slides.tex import input_tex, tex_of
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import Unwarranted

REFUSED = "is not made of what is known"


@pytest.mark.parametrize(
    "own", ["7B", "273", "B", r"\frac{1}{2}", r"\approx 242.94", r"x_\text{max}", r"\text{B = } 7"]
)
def test_a_formula_of_its_own_is_refused(own: str) -> None:
    for make in (Math, lambda tex: Display((tex,)), input_tex("R").__add__, input_tex("R").__radd__):
        with pytest.raises(Unwarranted, match=REFUSED):
            make(own)


def test_what_nobody_knows_is_no_source() -> None:
    with pytest.raises(Unwarranted, match="nothing was stated, so nothing is known"):
        tex_of(Derivation(()), str)
    with pytest.raises(AttributeError, match="trust"):
        tex_of(sympy.Integer(7), str)
