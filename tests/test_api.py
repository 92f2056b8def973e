"""User input: text, roofproof objects and SymPy symbols give the same answer, and a wrong type a one-line error."""

import copy as copying
import json
import pickle
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import roofproof
from roofproof import RoofproofError, chip, intensity, limit, op, threshold
from roofproof.cli import main
from roofproof.ops import parse_operation

SIZES = {"D": 4096, "F": 4096}
B, D, F = sympy.symbols("B D F")
SHAPES = "shapes: expected text, or the shape of each parameter by name, got "


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


def test_a_sentence_that_cannot_be_used_is_told_without_a_file() -> None:
    with pytest.raises(RoofproofError, match=r"^says: column 7: 'iff' is not a name; write '<=>'$"):
        roofproof.judge("a > 2 iff a > 1")
    with pytest.raises(RoofproofError, match=r"^verify: .* got the sentence 'a > 2'; call judge\('a > 2'\)$"):
        roofproof.verify("a > 2")


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
        (
            lambda: roofproof.check("matmul", answer=3, asks="flops"),
            "answer: expected text, got int 3; such as 'B > 240'",
        ),
        (lambda: roofproof.verify(3), "verify: expected the path of a claims file, got int 3"),
        (lambda: roofproof.judge(3), "says: expected text, got int 3; such as 'intensity(matmul) ~= B'"),
        (lambda: threshold("matmul", None, "B", at={"D": 0}), "size D: expected a positive integer, got int 0"),
        (lambda: threshold("matmul", None, "B", at={"D": True}), "size D: expected a positive integer, got bool True"),
        (
            lambda: threshold("matmul", None, "B", multiple_of=2.5),
            "multiple_of: expected a positive integer, got float",
        ),
        (lambda: threshold("matmul", None, "B", regime=3), "regime: expected a regime or its text, got int 3"),
        (lambda: threshold("matmul", None, "B", oracle=3), "oracle: expected text, got int 3; such as 'z3'"),
        (
            lambda: roofproof.minimum_times("matmul", "tpu-v5e", at={"B": -3}),
            "size B: expected a positive integer, got int -3",
        ),
        (
            lambda: roofproof.minimum_times("matmul", "tpu-v5e", times=3),
            "times: expected the path of a table of times, got int",
        ),
        (
            lambda: roofproof.minimum_times("matmul", "tpu-v5e", caches=3),
            "caches: expected text, got int 3; such as 'cold'",
        ),
        (lambda: roofproof.minimum_times("matmul", "tpu-v5e", tf32="no"), "tf32: expected True or False, got str 'no'"),
        (lambda: roofproof.bound("matmul", memory=2.5), "memory: expected a positive integer, got float 2.5"),
        (
            lambda: roofproof.bound("matmul", memory=4096, at={"D": -3}),
            "size D: expected a positive integer, got int -3",
        ),
        (lambda: intensity("matmul", 3), "channel: expected text, got int 3; such as 'memory' or 'ici'"),
        (lambda: roofproof.ridge("tpu-v5e", None), "compute: expected text, got NoneType None; such as 'bf16'"),
        (lambda: roofproof.sweep("dot", 3), "over: expected sizes by name, got int 3; such as over={'B': [1, 1024]}"),
        (
            lambda: roofproof.sweep("dot", {"N": [1]}, quantities="flops"),
            "quantities: expected a list of texts, got str",
        ),
        (lambda: roofproof.evaluate("dot", 3), "sizes: expected sizes by name, got int 3"),
        (lambda: roofproof.evaluate("dot", {"N": 1}, 3), "quantity: expected text, got int 3; such as 'flops'"),
        (lambda: roofproof.check("dot", answer="1", asks=3), "asks: expected text, got int 3; such as 'threshold'"),
        (lambda: roofproof.check("dot", answer="1", tolerance=5), "tolerance: expected text, got int 5; such as '5 %'"),
        (lambda: roofproof.verify("a.toml", only="ridge"), "only: expected a list of texts, got str 'ridge'"),
        (lambda: roofproof.verify("a.toml", workers=-1), "workers: expected a positive integer, got int -1"),
        (
            lambda: roofproof.attainable(8, None, 9),
            "bandwidth: expected a positive number, a formula or text, got None",
        ),
        (lambda: roofproof.attainable(float("nan"), 8, 9), "peak: expected a positive number, a formula or text, got"),
        (lambda: roofproof.Regime(3), "regime: expected text, got int 3; such as 'D, F >> B'"),
        (lambda: roofproof.Known(3, 4), "known: expected a statement, got int 3"),
        (lambda: roofproof.trace.jax(len, 5), SHAPES + "int 5; such as 'x:bf16[B,D], w:bf16[D,F]'"),
        (lambda: roofproof.trace.torch(len, None), SHAPES + "NoneType None; such as 'x:bf16[B,D], w:bf16[D,F]'"),
        (lambda: roofproof.trace.jax(len, traffic=3), "traffic: expected text, got int 3; such as 'fused'"),
        (lambda: roofproof.trace.torch(len, where=3), "where: expected text, got int 3; such as 'F = 4 D'"),
        (lambda: limit(sympy.oo, "N -> oo"), "formula: expected real numbers, finite, got Infinity oo"),
        (lambda: limit(sympy.I * B, "B -> oo"), "formula: expected real numbers, finite, got Mul I*B"),
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


@pytest.mark.parametrize("place", range(3))
def test_text_is_never_code_of_an_amount(place: int) -> None:
    amounts: list[Any] = [8, 8, 8]
    amounts[place] = "__import__('os').abort()"
    with pytest.raises(RoofproofError):
        roofproof.attainable(*amounts)
    with pytest.raises(ValueError, match="Sympify"):
        roofproof.derive.attainable(*amounts)


def test_amounts_are_text_numbers_and_symbols() -> None:
    assert roofproof.attainable("1.2 TFLOP/s", 48 * 10**9, Fraction(15)) == 720 * 10**9  # 15 * 48e9 < 1.2e12
    assert roofproof.attainable(100, 2, intensity("matmul")) == sympy.Min(100, 2 * intensity("matmul").value)


@pytest.mark.parametrize(
    "of", [sympy.Dummy("x") - sympy.Dummy("x"), sympy.Symbol("x") / sympy.Symbol("x", positive=True)]
)
def test_two_symbols_of_one_name_are_not_taken_for_one(of: Any) -> None:
    with pytest.raises(RoofproofError, match=r"^formula: two symbols are called 'x'; rename one$"):
        limit(of, "x -> oo")


def test_a_size_given_twice_is_refused() -> None:
    with pytest.raises(RoofproofError, match=r"^size of D is given twice$"):
        threshold("matmul", "tpu-v5e", "B", at={"D": 4096, D: 128, "F": 4096})


@pytest.mark.parametrize("size", [numpy.int64(4096), numpy.array(4096), sympy.Integer(4096)])
def test_whole_numbers_of_any_make_are_sizes(size: Any) -> None:
    assert threshold("matmul", "tpu-v5e", "B", at={"D": size, "F": size}, multiple_of=numpy.int8(64)).integer == 320


def test_a_name_that_is_not_positive_is_refused() -> None:
    with pytest.raises(RoofproofError, match=r"^formula: x is not positive"):
        limit(1 / sympy.Symbol("x", negative=True), "N -> oo")


RESULTS = {
    "threshold": lambda: threshold("matmul", "tpu-v5e", "B", at=SIZES),
    "intensity": lambda: intensity("matmul"),
    "limit": lambda: limit("B*D/(B+D)", "D -> oo"),
    "bound": lambda: roofproof.bound("matmul", chip="h100-sxm", level="smem"),
    "minimum_times": lambda: roofproof.minimum_times("matmul", "h100-sxm", at="B=16,D=4096,F=4096")[0],
    "minimum_time": lambda: roofproof.minimum_time("matmul", "h100-sxm", at="B=16,D=4096,F=4096"),
    "verify": lambda: roofproof.verify("examples/chapter.claims.toml", only=["ridge"])[0],
    "judge": lambda: roofproof.judge("2 x <= x^2 + 1"),
    "check": lambda: roofproof.check("matmul", answer="2BDF", asks="flops"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_comes_back_has_one_surface(name: str) -> None:
    found = RESULTS[name]()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) and len(repr(found)) < 200
    assert found.known and all(isinstance(each, roofproof.Known) for each in found.known)
    for told in (found.known, found.steps, found.known[0], *found.steps[:1]):
        assert len(repr(told)) <= 200 and "\n" not in repr(told)
    assert str(found.known).splitlines() == [f"{k.statement.says}  by {k.trust}" for k in found.known]
    assert isinstance(found.known, tuple) and str(found.steps) == ("\n".join(map(str, found.steps)) or "()")
    assert found._repr_latex_() == rf"$\displaystyle {found.latex()}$" and isinstance(found.steps, tuple)
    assert (found.cases is None) == (name != "threshold") and found.integer == (273 if name == "threshold" else None)
    for copy in (copying.copy(found), copying.deepcopy([found])[0]):
        assert (repr(copy), copy.to_dict()) == (repr(found), found.to_dict())
    with pytest.raises(TypeError, match=r"is not stored, as no theorem is: store its to_dict\(\)$"):
        pickle.dumps(found)


def test_known_and_steps_are_shown_in_a_line() -> None:
    found = RESULTS["threshold"]()
    assert repr(found.known) == f"(Known('bf16 = 1.97e14 FLOP/s', by figure), ... of {len(found.derivation)})"
    assert repr(found.steps) == "(Steps(limit: 5 lines), ... of 3)"
    assert str(found.steps).splitlines()[-1] == "  B >= 273  by integer"
    assert (repr(intensity("matmul").steps), str(intensity("matmul").steps)) == ("()", "()")


def test_a_memory_in_the_place_of_a_chip_is_refused() -> None:
    with pytest.raises(RoofproofError, match=r"^unknown chip '4 KiB'"):
        roofproof.bound("matmul", "4 KiB")


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(1, 10**9))
@settings(max_examples=30, deadline=None)
def test_numbers_put_in_by_name_are_those_of_the_symbols(b: int, d: int, f: int) -> None:
    """`at`, `subs` with names or symbols, and an argument give the number that the formula gives."""
    found, sizes = roofproof.lower("matmul", "tpu-v5e"), {"B": b, "D": d, "F": f}
    due = found.value.subs({s: sizes[s.name] for s in found.value.free_symbols})
    assert due.is_Rational and due == found.at(**sizes) == found.at(sizes) == found.subs(sizes)
    assert due == found.subs(B, b).subs("D", d).at(F=f) == roofproof.lower("matmul", "tpu-v5e", at=sizes)
    assert due == max(t.at(**sizes).value for t in roofproof.time("matmul", "tpu-v5e").values())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda t: t.at(Q=1), "unknown name 'Q'; known: B, D, F"),
        (lambda t: t.subs({"b": 1}), "unknown name 'b'; did you mean 'B'?"),
        (lambda t: t.subs(sympy.Symbol("x"), 1), "unknown name 'x'; known: B, D, F"),
        (lambda t: t.at(B=0.5), "size B: expected a positive exact number, got float 0.5; such as 4096"),
        (lambda t: t.at(B=0), "size B: expected a positive exact number, got int 0; such as 4096"),
        (lambda t: t.at({"B": 1, B: 2}), "size of 'B' is given twice"),
        (lambda t: roofproof.lower("matmul", "tpu-v5e", at={"Q": 1}), "unknown size 'Q'; known: B, D, F"),
    ],
)
def test_what_is_no_name_or_no_number_is_refused(call: Any, said: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        call(roofproof.lower("matmul", "tpu-v5e"))
    assert str(refused.value) == said


def test_an_amount_reckons_as_its_formula() -> None:
    found = roofproof.lower("dot", "tpu-v5e")
    value = found.value
    assert (2 * found - 1, found / value, -found, found**2) == (2 * value - 1, 1, -value, value**2)
    assert sympy.Min(found, 1) == sympy.Min(value, 1) and hash(found) == hash(value) and found.free_symbols
    assert float(found.at(N=8)) > 0 and bool(found.at(N=8) < found.at(N=9)) and found.latex() in found._repr_latex_()
    assert limit(found, "N -> oo").value == sympy.oo and roofproof.evaluate(found, {"N": [8]})[0] == float(
        found.at(N=8)
    )


def test_a_threshold_at_sizes_prints_its_integer() -> None:
    lines = str(threshold("matmul", "tpu-v5e", "B", at=SIZES)).splitlines()
    assert lines[2] == "at D = 4096, F = 4096: B > 50432000/185039 ≈ 272.55; smallest integer B = 273"
    assert len(str(threshold("matmul", "tpu-v5e", "B")).splitlines()) == 3


def test_a_sweep_has_the_surface_of_the_results_and_no_proof() -> None:
    found = roofproof.sweep("matmul", {"B": range(1, 8, 3), "D": [8, 16]}, "h100-sxm", at="F=32")
    assert (found.known, found.steps, found.cases, found.integer) == ((), (), None, None)
    said = {
        "over": {"B": "1:7:3", "D": [8, 16]},
        "at": {"F": 32},
        "chips": ["h100-sxm"],
        "points": 6,
        "quantities": {
            "intensity": "B*D*F/(B*D + B*F + D*F)",
            "attainable": "2*B*D*F/Max((2*B*D + 2*B*F + 2*D*F)/rate_memory, 2*B*D*F/rate_bf16)",
        },
        "proved": [],
    }
    assert json.loads(json.dumps(found.to_dict())) == said
    assert found._repr_latex_() == rf"$\displaystyle {found.latex()}$"
    assert found.latex().startswith(r"\begin{aligned} \text{intensity} &= \frac{BDF}{BD + BF + DF} \\ \text{attain")
    again = pickle.loads(pickle.dumps(copying.deepcopy(found)))  # as it is sent to workers
    assert again.to_dict() == said
    for name, column in next(again.slabs(workers=2)).items():
        assert (column == next(found.slabs())[name]).all()


def test_a_floor_is_told_as_a_formula() -> None:
    chip = "fp16=24 FLOP/s, hbm=1 B/s, l2=2 B"
    [warm] = roofproof.minimum_times("fp16[m,k], fp16[k,n] -> fp16[m,n]", chip, caches="warm")
    assert repr(warm) == "fp16[m,k], fp16[k,n] -> fp16[m,n]: max(2*k*m*n/24, max(2*k*m + 2*k*n + 2*m*n - 2, 0)/1)"
    assert warm.latex().startswith(r"T \ge \max") and "2km + 2kn + 2mn" in warm.latex()
    [lacking] = roofproof.minimum_times("int8[n], int8[n] -> int8[n]", "fp16=24 FLOP/s")
    assert repr(lacking).endswith(lacking.error) and lacking.known == () and lacking.latex().startswith(r"\text{")


def test_a_verdict_rests_on_what_it_was_about_whatever_becomes_of_the_book(tmp_path: Path) -> None:
    book = tmp_path / "a.toml"
    book.write_text('[[claim]]\nid = "a"\nsays = "2 x > x"\n', encoding="utf-8")
    changed, gone = (roofproof.verify(book)[0] for _ in range(2))
    book.write_text('[[claim]]\nid = "a"\nsays = "3 x < x"\n', encoding="utf-8")
    assert changed.kind == "verified" and [k.statement.says for k in changed.known] == ["2*x > x"]
    book.unlink()
    assert [k.statement.says for k in gone.known] == ["2*x > x"]


def test_a_claim_that_cannot_be_used_has_a_record(tmp_path: Path) -> None:
    book = tmp_path / "a.toml"
    claims = {"unread": "((", "unworked": "smallest(n, log2(n)^n > 5) == 3"}
    said = "".join(f'[[claim]]\nid = "{name}"\nsays = "{says}"\n' for name, says in claims.items())
    book.write_text(said, encoding="utf-8")
    for found in roofproof.verify(book):
        assert (found.kind, found.to_dict()["proved"], found.known) == ("unusable", [], ())


@pytest.mark.parametrize("name", ["matmul", "attention", "adam", "tiled-matmul:b=128,f=256,d=64", "data-parallel"])
def test_an_operation_is_copied_and_stored(name: str) -> None:
    made = op(name)
    for again in (copying.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again == made and hash(again) == hash(made) and again.demands == made.demands


def test_chips_and_sweeps_are_shown_in_a_line() -> None:
    v5e = chip("bf16=197 TFLOP/s, hbm=819 GB/s")
    assert repr(v5e) == "Chip(custom: bf16, hbm)" and pickle.loads(pickle.dumps(v5e)) == v5e
    assert repr(roofproof.sweep("dot", {"N": range(1, 4)}, [v5e], ["flops"])) == "Sweep(chip, N, flops: 3 points)"
    with pytest.raises(RoofproofError, match=r"^sizes of N: expected a range or a list of numbers$"):
        roofproof.sweep("dot", {"N": 3})


def test_the_surface_is_flat_and_small() -> None:
    assert {"threshold", "intensity", "limit", "verify", "check", "sweep", "trace", "op", "chip"} <= set(dir(roofproof))
    assert len(dir(roofproof)) <= 28
    for name in set(dir(roofproof)) - {"trace"}:
        thing: Any = getattr(roofproof, name)
        assert thing.__name__ == name and ">>> " in thing.__doc__
    assert roofproof.trace.__name__ == "roofproof.trace"
    with pytest.raises(AttributeError, match=r"^module 'roofproof' has no attribute 'thresholds'$"):
        _ = roofproof.thresholds


COLD = """
from concurrent.futures import ThreadPoolExecutor
import roofproof as rp
asked = [
    lambda: rp.threshold("matmul", "h100-sxm", "B").trust,
    lambda: rp.judge("intensity(matmul) ~= B", regime="D, F >> B").kind,
    lambda: rp.check("matmul", answer="2BDF", asks="flops").grade,
    lambda: repr(rp.limit("B*D/(B+D)", "D -> oo")),
]
with ThreadPoolExecutor(8) as pool:
    print(*sorted({*pool.map(lambda ask: ask(), asked * 2)}), sep="; ")
"""


def test_threads_may_begin_together() -> None:
    done = subprocess.run([sys.executable, "-c", COLD], capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout, done.returncode) == ("B*D/(B + D) -> B as D -> oo; approximate; kernel; right\n", 0), (
        done.stderr
    )
