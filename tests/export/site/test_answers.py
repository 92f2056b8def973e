"""Questions from the pages: the answers are those of the library, and typed input is never more than text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof import chip, op, threshold
from roofproof.claims.verifying import verify
from roofproof.errors import RoofproofError
from roofproof.export.site.answers import KINDS, answer, in_json
from roofproof.export.site.live_pages import EXAMPLE
from roofproof.export.site.packing import FLINT_UNUSED
from roofproof.say import Words

HOSTILE = ["<img src=x onerror=alert(1)>", "__import__('os')", "\x00", "∀" * 50, "../../etc/passwd"]
SHAPE = ("operation", "chip", "unknown", "at", "regime", "lang")
FIELDS = {
    "operation": ("operation", "lang"), "derive": (*SHAPE, "place"), "proof": SHAPE, "file": ("what", "operation"),
    "check": ("op", "chip", "for", "at", "asks", "tolerance", "answer", "hint"), "exercises": ("bank",),
    "exercise": ("bank", "id", "seed"), "grade": ("id", "answer"), "claims": ("text",), "verify": ("text", "number"),
    "errata": ("text", "lang"),
}  # fmt: skip
ONE = {
    "operation": "dot", "what": "json", "op": "matmul", "asks": "flops", "answer": "2BDF", "text": EXAMPLE,
    "number": "1", "bank": "rooflines", "id": "q1-bytes",
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "on", "unknown"),
    [("matmul", "h100-sxm", "B"), ("matmul", "tpu-v5e", "D"), ("dot", "tpu-v5e", "N"), ("fft", "h100-sxm", "N"),
     ("split-matmul", "tpu-v5e", "D")],
)  # fmt: skip
def test_a_threshold_whose_sizes_move_is_the_one_that_is_derived_anew(name: str, on: str, unknown: str) -> None:
    one, where = op(name), chip(on)
    for size in (1, 300, 4096):
        at = {s.name: size + k for k, s in enumerate(one.dims) if s.name != unknown}
        asked = {"operation": name, "chip": on, "unknown": unknown, "at": ",".join(f"{n}={v}" for n, v in at.items())}
        found, anew = answer("derive", asked), threshold(one, where, unknown, at)
        assert found["integer"] == anew.found.integer
        assert (found["at"] is None) == (anew.found.at_point is None)
        assert found["trust"] == anew.trust == "kernel"
        assert found["never"] == anew.found.cases.never


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["derive", "proof", "file"])
@pytest.mark.parametrize("regime", ["D >>", "garbage", "Q >> B", "B >> B"])
def test_a_regime_that_cannot_be_used_is_refused_in_a_line(kind: str, regime: str) -> None:
    asked = {"operation": "matmul", "chip": "h100-sxm", "unknown": "B", "at": "D=4096,F=4096", "what": "text"}
    said = answer(kind, {**asked, "regime": regime})["error"]
    assert "\n" not in said and said.startswith(("regime ", "unknown dimension "))
    with pytest.raises(RoofproofError) as refused:
        threshold(op("matmul"), chip("h100-sxm"), "B", {"D": 4096, "F": 4096}, regime)
    assert said == str(refused.value)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "unknown", "at", "says", "zh"),
    [
        ("matmul", "B", "D=4096,F=4096", ("B = 345", "the smallest integer"), ("B = 345", "最小整数")),
        # D and F are below 2 R = 590, so no B has B D F > R (B D + B F + D F)
        ("matmul", "B", "D=100,F=100", ("never at these sizes", ""), ("在这些尺寸下永不", "")),
        ("matmul", "B", "D=4096", ("", ""), ("", "")),
        ("dot", "N", "", ("never compute-bound", ""), ("永不计算受限", "")),
        # B > R (X - 1), R = 2197.8: X < 2.86
        ("fsdp", "X", "B=4096,D=24", ("X = 2", "the largest integer such that X divides 4096 and X divides 24"),
         ("X = 2", "最大整数，满足 X 整除 4096 且 X 整除 24")),
    ],
)  # fmt: skip
def test_what_a_threshold_comes_to_is_said(
    name: str, unknown: str, at: str, says: tuple[str, str], zh: tuple[str, str]
) -> None:
    asked = {"operation": name, "chip": "h100-sxm", "unknown": unknown, "at": at}
    assert answer("derive", asked)["says"] == says
    assert answer("derive", {**asked, "lang": "zh"})["says"] == zh
    assert "divides" not in answer("file", {**asked, "what": "text", "lang": "zh"})["text"]


def test_a_claim_judged_alone_is_judged_as_in_its_book(tmp_path: Path) -> None:
    book = tmp_path / "three.toml"
    book.write_text(EXAMPLE, encoding="utf-8")
    for number, result in enumerate(verify([str(book)], workers=1)):
        found = answer("verify", {"text": EXAMPLE, "number": str(number)})
        same = {k: v for k, v in result.record().items() if k not in ("file", "seconds")}
        assert {k: found[k] for k in same} == same
    assert answer("errata", {"text": EXAMPLE})["summary"] == {"verified": 2, "refuted": 1}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind in FIELDS for field in FIELDS[kind]])
def test_hostile_text_is_refused_in_a_line_or_taken_as_text(kind: str, field: str) -> None:
    for text in HOSTILE:
        found = answer(kind, {**ONE, field: text})
        if "error" in found:
            assert "\n" not in found["error"] and len(found["error"]) <= 1000
        for key in ("html", "threshold", "picture"):
            assert "<img" not in str(found.get(key, ""))


def test_every_kind_is_attacked() -> None:
    assert {*KINDS} <= {*FIELDS}


@given(st.text(max_size=60))
def test_any_text_for_a_question_has_an_answer_in_json(text: str) -> None:
    assert isinstance(json.loads(in_json("derive", text)), dict)
    assert isinstance(json.loads(in_json(text, "{}")), dict)


def test_no_file_is_read_by_the_name_of_a_bank(tmp_path: Path) -> None:
    name = str(tmp_path / "bank.toml")
    Path(name).write_text('[bank]\ntitle = "t"\n', encoding="utf-8")
    assert answer("exercises", {"bank": name})["error"].startswith("unknown exercise file ")
    assert answer("exercise", {"bank": name, "id": "a"})["error"].startswith("unknown exercise file ")


def test_as_many_hints_are_told_as_were_asked_for() -> None:
    one = {"bank": "rooflines", "id": "q1-bytes", "seed": "1", "answer": "7"}
    assert [len(answer("grade", {**one, "hint": hint})["hinted"]) for hint in ("", "1", "2", "3")] == [0, 1, 2, 2]


def test_what_the_engine_goes_without_is_not_asked_for() -> None:
    """SymPy still simplifies, as for the closed form of a sum, without the modules that are left out."""
    program = """
import sys
from roofproof.export.site.packing import STDLIB_UNUSED, SYMPY_UNUSED
class Gone:
    def find_spec(name, path=None, target=None):
        file = name.replace(".", "/")
        if f"{file}/".startswith(STDLIB_UNUSED + SYMPY_UNUSED) or f"{file}.".startswith(STDLIB_UNUSED):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone)
from roofproof.export.site.answers import answer, warm
warm()
asked = {"derive": {"operation": "matmul", "chip": "h100-sxm", "unknown": "B"},
         "grade": {"bank": "rooflines", "id": "q1-bytes", "seed": "1", "answer": "7"}}
for kind, payload in asked.items():
    assert "error" not in (found := answer(kind, payload)), found
from sympy import Symbol, simplify
x = Symbol("x")
assert simplify(1 / (x + 1) + x / (x + 1)) == 1
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_type_of_flint_that_is_left_out_is_named() -> None:
    """No code may use a type that is left out, since the engine in the browser imports each on first use."""
    kinds = "|".join(part.removeprefix("flint/").removesuffix(".").partition("/")[2] for part in FLINT_UNUSED)
    named = re.compile(rf"flint(\.| import .*?)\b({kinds})\b")
    for package in ("sympy", "roofproof"):
        for path in Path(str(files(package))).rglob("*.py"):
            assert path.name == "packing.py" or not named.search(path.read_text(encoding="utf-8")), path


def test_messages() -> None:
    assert answer("derive", {}) == {
        "error": "no operation yet; type one, such as bf16[B,D], bf16[D,F] -> bf16[B,F], or choose one"
    }
    assert answer("derive", {"operation": "matmul", "at": "D=zero"})["error"] == (
        "size 'D=zero': expected NAME=POSITIVE INTEGER, such as D=4096"
    )
    assert answer("verify", {"text": EXAMPLE, "number": "9"})["error"] == "claim '9': expected a number from 0 to 2"
    assert answer("claims", {"text": " "})["error"] == ("no claims yet; paste a claims file (TOML), or load one")
    asked = {"op": "matmul", "asks": "flops", "lang": "en", "answer": "7" * 4_001}
    assert answer("check", asked)["error"] == "the answer has 4001 characters; the limit is 4000"
    assert answer("nothing", {})["error"].startswith("unknown kind of question 'nothing'; ")
    assert answer("derive", {"operation": 3})["error"] == "'operation': expected text, got '3'"  # type: ignore[dict-item]
    too_long = "the question has 5000000 characters; the limit is 4194304"
    assert in_json("derive", "x" * 5_000_000) == f'{{"error": "{too_long}"}}'


def test_without_network_or_cache_there_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from roofproof.export.site import runtime

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(runtime.sys, "executable", "/bin/false")
    without = "or write the readable pages alone: --without-engine"
    for kind, name, said in (
        ("npm", "pyodide", f"pyodide@314.0.7 is fetched by npm, which is not installed; install Node.js, {without}"),
        ("npm", "katex", "katex@0.19.1 is fetched by npm, which is not installed; install Node.js"),
        ("pip", "jinja2", "jinja2==3.1.6 is not in the cache and pip ended with status 1; fetch it once with a "
                          f"connection, {without}"),
    ):  # fmt: skip
        with pytest.raises(RoofproofError) as refused:
            runtime.archive(kind, name)
        assert str(refused.value) == said
    monkeypatch.setattr(runtime, "_fetched", lambda *_: b"something else")
    with pytest.raises(RoofproofError, match=r"has another SHA-256 than the one pinned$"):
        runtime.archive("pip", "jinja2")


@pytest.mark.parametrize(
    ("lang", "examples"), [("en", ("B > 300", "about 300", "memory-bound")), ("zh", ("B > 300", "约 300", "访存受限"))]
)
def test_what_stands_beside_the_field_as_an_example_is_told_more_than_wrong(
    lang: str, examples: tuple[str, ...]
) -> None:
    first = {"op": "matmul", "asks": "threshold", "chip": "h100-sxm", "for": "B", "lang": lang}
    for example in examples:
        assert example in Words(lang)["such as B > 300, about 300, 2 B D F, \\frac{B D}{B + D}, memory-bound"]
        said = answer("check", {**first, "answer": example})["text"]
        assert len(said.splitlines()) > 2 or "B > 240" in said  # how the answer was read, or a form that can be read


def test_a_threshold_at_sizes_has_its_decimals_and_a_verdict_is_typeset_once() -> None:
    asked = {"operation": "matmul", "chip": "h100-sxm", "unknown": "B", "at": "D=4096,F=4096"}
    assert answer("derive", asked)["at"].endswith(r"\approx 344.95")
    told = answer("verify", {"text": EXAMPLE, "number": "0"})
    assert told["known"] == "proved" and "proved" not in told["html"] and '<span class="tex">' in told["html"]
