"""A formula on a slide is made of what is known: one of its own is refused where it is made."""

import pytest
import sympy

from roofproof import chip, op
from roofproof.errors import RoofproofError
from roofproof.export.slides.decks import deck
from roofproof.export.slides.model import Display, Math
from roofproof.export.slides.operation_slides import OperationSlides
from roofproof.export.slides.tex import given, tex_of
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import Unwarranted

REFUSED = "is not made of what is known"


@pytest.mark.parametrize(
    "own", ["7B", "273", "B", r"\frac{1}{2}", r"\approx 242.94", r"x_\text{max}", r"\text{B = } 7"]
)
def test_a_formula_of_its_own_is_refused(own: str) -> None:
    for make in (Math, lambda tex: Display((tex,)), given("R").__add__, given("R").__radd__):
        with pytest.raises(Unwarranted, match=REFUSED):
            make(own)


def test_what_nobody_knows_is_no_source() -> None:
    with pytest.raises(Unwarranted, match="nothing was stated, so nothing is known"):
        tex_of(Derivation(()), str)
    with pytest.raises(AttributeError, match="trust"):
        tex_of(sympy.Integer(7), str)


PLANTED = {
    "equals": ("matmul", lambda slides, row: Math(f"B = {row.integer + 1}")),
    "ridges": ("matmul", property(lambda slides: Display((r"R &\approx 242.94",)))),
    "math": ("matmul", lambda slides, source, value: Math(slides.style.latex(3 * value(source)))),
    "number": ("matmul", lambda slides, known: Math("0.25")),
    "bound": ("dot", property(lambda slides: Display((given("I") + " &< 1",)))),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PLANTED)
def test_a_slide_that_works_something_out_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    what, planted = PLANTED[name]
    monkeypatch.setattr(OperationSlides, name, planted)
    with pytest.raises(RoofproofError, match=REFUSED):
        deck([(what, op(what))], [chip("tpu-v5e")])
