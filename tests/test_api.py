"""What a person types: text, our objects and SymPy symbols give one answer, and a wrong type one line."""

import json
import re
from importlib import import_module
from typing import Any

import pytest
import sympy

import roofproof
from roofproof import RoofproofError, chip, intensity, limit, op, threshold
from roofproof._lazy import MOVED
from roofproof.cli import main
from roofproof.ops import parse_operation

SIZES = {"D": 4096, "F": 4096}
B, D, F = sympy.symbols("B D F")


@pytest.mark.parametrize(
    "given",
    [
        ("matmul", "tpu-v5e", "B", SIZES),
        (parse_operation("matmul"), chip("tpu-v5e"), B, {D: sympy.Integer(4096), F: 4096}),
        ("x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]", "tpu-v5e", sympy.Symbol("B", positive=True), "D=4096,F=4096"),
    ],
)
def test_text_objects_and_symbols_give_one_threshold(given: Any) -> None:
    found = threshold(*given)
    assert found.integer == 273
    assert (str(found.cases), found.trust) == (str(threshold("matmul", "tpu-v5e", "B").cases), "kernel")


def test_a_threshold_has_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    found = threshold("matmul", "tpu-v5e", "B", at=SIZES)
    assert main(["derive", "matmul", "--chip", "tpu-v5e", "--for", "B", "--at", "D=4096,F=4096", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    del printed["seconds"]
    assert found.to_dict() == printed
    assert found.known == tuple(found.derivation) and {k.trust for k in found.known} <= {"kernel", "figure", "model"}
    assert str(found.steps[-1].common[-1].line) == "B >= 273"
    assert found._repr_latex_() == rf"$\displaystyle {found.latex()}$" and r"\text{never}" in found.latex()


@pytest.mark.parametrize(
    "of", ["B*D*F/(B*D + B*F + D*F)", "intensity(matmul)", "matmul", B * D * F / (B * D + B * F + D * F)]
)
def test_a_limit_is_of_text_an_expression_or_an_intensity(of: Any) -> None:
    found = limit(intensity(of) if of == "matmul" else of, "D, F >> B")
    assert (found.value.name, found.derivation.trust, found.cases, found.integer) == ("B", "kernel", None, None)
    assert repr(found) == "B*D*F/(B*D + B*F + D*F) -> B as D, F >> B"
    assert found.to_dict()["relative_error"] == "B/F + B/D" and r"\to B" in found.latex()
    assert found.steps[0].key == "limit"


def test_an_intensity_is_proved() -> None:
    found = intensity("matmul")
    assert found.latex().startswith(r"I = \frac{BDF}") and found.to_dict()["proved"][0]["trust"] == "kernel"
    assert repr(found) == "I = B*D*F/(B*D + B*F + D*F)" and not found.steps


def judged(name: str) -> Any:
    match name:
        case "judge":
            return roofproof.judge("bytes(matmul) == B D + D F + B F")
        case "verify":
            return roofproof.verify("examples/chapter.claims.toml", only=["erratum"])[0]
    return roofproof.check("matmul", answer="BD + DF + BF", asks="bytes")


@pytest.mark.parametrize("name", ["judge", "verify", "check"])
def test_what_is_judged_is_shown_in_every_form(name: str) -> None:
    found = judged(name)
    said = found.to_dict()
    assert said["slip"] == "bytes-per-element" and "seconds" not in said
    assert said["proved"] == [{"says": k.statement.says, "trust": k.trust} for k in found.known] != []
    assert repr(found).endswith(("F: refuted", "F: wrong")) and len(repr(found)) < 60 and found.steps == ()
    assert found._repr_latex_() == rf"$\displaystyle {found.latex()}$"
    assert re.fullmatch(r".*B.*D.*F.*\\quad \\text\{(refuted|wrong)\}", found.latex())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: op(3), "op: expected an operation or its text, got int 3; such as 'matmul'"),
        (lambda: threshold("matmul", 5, "B"), "chip: expected a chip or its text, got int 5; such as 'tpu-v5e'"),
        (lambda: threshold("matmul", "tpu-v5e", 2.0), "size: expected a name or a symbol, got float 2.0; such as 'B'"),
        (lambda: threshold("matmul", None, "B", at={"D": 1.5}), "size D: expected a positive integer, got float 1.5"),
        (lambda: threshold("matmul", None, "B", at=7), "at: expected sizes by name, got int 7; such as at={'D': 4096"),
        (
            lambda: limit(None, "D -> oo"),
            "formula: expected text, an operation or a SymPy expression, got NoneType None",
        ),
        (lambda: limit(0.1 * B, "B -> oo"), "formula: expected exact numbers, got Float 0.1"),
        (lambda: limit("B", 3), "limit: expected a regime or its text, got int 3; such as 'D, F >> B'"),
        (lambda: roofproof.check("matmul", answer=3, asks="flops"), "check: expected an answer as text, got int 3"),
        (lambda: roofproof.verify(3), "verify: expected the path of a book, got int 3"),
        (lambda: roofproof.judge(3), "judge: expected text for says, got int 3"),
    ],
)
def test_a_wrong_type_is_refused_in_one_line(call: Any, said: str) -> None:
    with pytest.raises(TypeError) as refused:
        call()
    assert isinstance(refused.value, RoofproofError)
    assert str(refused.value).startswith(said) and "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["__import__('os').getpid()", "B.__class__", "lambda: 3", "B if D else F"])
def test_text_is_read_by_the_grammar_alone(text: str) -> None:
    with pytest.raises(RoofproofError):
        limit(text, "B -> oo")


def test_a_name_that_is_not_positive_is_refused() -> None:
    with pytest.raises(RoofproofError, match=r"^formula: x is not positive"):
        limit(1 / sympy.Symbol("x", negative=True), "N -> oo")


@pytest.mark.parametrize(("room", "name"), MOVED)
def test_a_name_that_moved_warns_where_it_is_used(room: str, name: str) -> None:
    now = import_module(MOVED[room, name])
    with pytest.warns(DeprecationWarning, match=rf"^{room}\.{name} is {now.__name__}\.{name} now$") as told:
        assert getattr(import_module(room), name) is getattr(now, name)
    assert [w.filename for w in told] == [__file__]


def test_the_surface_is_flat_and_small() -> None:
    assert {"threshold", "intensity", "limit", "verify", "check", "sweep", "trace", "op", "chip"} <= set(dir(roofproof))
    assert len(dir(roofproof)) <= 27
    for name in set(dir(roofproof)) - {"trace"}:
        thing: Any = getattr(roofproof, name)
        assert thing.__name__ == name and ">>> " in thing.__doc__
    assert roofproof.trace.__name__ == "roofproof.trace"
    with pytest.raises(AttributeError, match=r"^module 'roofproof' has no attribute 'thresholds'$"):
        _ = roofproof.thresholds
