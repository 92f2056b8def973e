"""Coq proves every known statement again, its theorems state the same facts, and it refuses other statements."""

import os
import re
import shutil
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

import coq_reader
import pytest
from coq_runner import SOURCES, STANDARD, all_checked, axioms, coqc, library, needs_coq, reads_back
from hypothesis import given
from rule_attacks import ATTACKS
from second_reading import tries

from roofproof import chip, op, threshold
from roofproof.claims import verifying
from roofproof.claims.in_definitions import unstated
from roofproof.claims.language.book import book_from_text
from roofproof.claims.verifying import verify
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.coq import of_atlas, of_threshold, write_coq
from roofproof.ops import entries
from roofproof.proofs.kernel.kernel import RULES
from roofproof.proofs.kernel.terms import KernelError
from roofproof.proofs.known import stated
from roofproof.proofs.replay.coq import files
from roofproof.proofs.replay.coq.files import LIBRARY, FileContents

NOT_IN_WORDS = {"S3-33", "S0-72"}  # proved for other forms, not from the definitions
BOOKS = sorted((Path(files.__file__).parents[3] / "claims" / "textbooks").glob("*.toml"))
WHOLE_MODELS = ("prefill", "generate", "decode-step", "training-step")  # minutes each


# --- the library ----------------------------------------------------------------------------------


def test_nothing_is_assumed_in_the_library():
    text = "".join((SOURCES / f"{name}.v").read_text("utf-8") for name in LIBRARY)
    assert not re.search(r"\b(Axiom|Axioms|Parameter|Parameters|Conjecture|Admitted|admit|give_up|Unset)\b", text)
    assert {p.stem for p in SOURCES.glob("*.v")} == {*LIBRARY}


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")
@pytest.mark.parametrize(
    ("axiom", "lost", "status"),
    [("Classical_Prop.classic", "", 0), ("Cheat.theorem", "", 2), ("Classical_Prop.classic", "Theorem theorem_1 :", 2)],
)
def test_make_refuses_an_axiom_of_another_kind_and_a_theorem_that_is_gone(tmp_path, monkeypatch, axiom, lost, status):
    """A stub replaces Coq, which may not be installed: it prints the output of Coq and checks nothing."""
    home, tools = tmp_path / "out", tmp_path / "tools"
    write_coq(str(home), [of_threshold(threshold(op("dot"), None, "N"), "dot")])
    tools.mkdir()
    coq = tools / "coqc"
    coq.write_text(f"#!/bin/sh\ncase $* in *All.v) printf 'Axioms:\n{axiom}\n  : forall P : Prop\n';; esac\n")
    coq.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    every = home / "All.v"
    every.write_text(every.read_text("utf-8").replace(lost, "Axiom theorem_1 :") if lost else every.read_text("utf-8"))
    done = subprocess.run(["make", "-C", str(home)], capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    assert status == 0 or ("theorems, and" if lost else "it rests on more") in done.stdout


@pytest.mark.slow
@needs_coq
def test_the_theorems_about_the_checker_rest_on_the_real_numbers_alone(tmp_path):
    names = ("Checker.sound", "Numbers.true_at_ok", "Numbers.every_integer")
    status, said = coqc(files.NEEDED + "".join(f"Print Assumptions {n}.\n" for n in names), tmp_path)
    assert status == 0 and said.count("Axioms:") == 3
    assert axioms(said) | {"Axioms:"} <= STANDARD | {"Axioms:"}


# --- rules ----------------------------------------------------------------------------------------


def degenerate(f):
    """Return whether a sum or product has fewer than two terms, which the Coq library writes as a term or a number."""
    return isinstance(f, tuple) and ((f[:1] in (("+",), ("*",)) and len(f) < 3) or any(map(degenerate, f)))


def some_of(name):
    """Return a few theorems of a rule, as known statements."""
    kept = []

    @tries(60)
    @given(ATTACKS[name])
    def collected(arguments):
        with suppress(KernelError):
            theorem = RULES[name](*arguments)
            if name not in ("logarithm", "exponential") or not any(
                map(degenerate, [theorem.conclusion, *(p.conclusion for p in theorem.premises)])
            ):
                kept.append(stated(theorem))

    collected()
    return kept[-6:]


@pytest.mark.slow
@needs_coq
def test_what_each_rule_proves_is_proved_again(tmp_path):
    made = {name: some_of(name) for name in RULES}
    assert min(map(len, made.values())) > 1, {name: len(kept) for name, kept in made.items()}
    all_checked([FileContents(name, name, known=tuple(kept)).page() for name, kept in made.items()], tmp_path)
    for name, kept in made.items():
        assert reads_back(FileContents(name, name, known=tuple(kept))) == len(kept)


# --- thresholds -----------------------------------------------------------------------------------

CASES = [("matmul", "tpu-v5e", "D"), ("dot", None, "N"), ("latent-attention", None, "h")]  # the library in .ci/run


@cache
def answer(name, on, unknown):
    where = chip(on) if on else None
    sizes = {"B": 4096, "F": 4096} if on else None
    return of_threshold(threshold(op(name), where, unknown, sizes), name)


@pytest.mark.slow
@pytest.mark.sampled(3)
@needs_coq
@pytest.mark.parametrize("case", CASES)
def test_thresholds_are_proved_again_by_flops_bytes_and_ridge(case, tmp_path):
    found = answer(*case)
    assert found.answers
    assert reads_back(found) == len(found.known) + len(found.answers)
    all_checked([found.page()], tmp_path)


def test_the_answer_is_stated_in_definitions():
    text = answer("matmul", None, "B").page().text
    said = re.findall(r"^Theorem theorem_\d+ :\n  \((.*compute_bound.*)\)%R\.$", text, re.M)
    assert said[0].endswith(
        "((compute_bound (flops B D F) (bytes B D F) R) <-> (B > R * D * F / (D * F + (-1) * R * (D + F))))"
    )
    definitions = coq_reader.definitions_of(text)
    assert [*definitions] == ["flops", "bytes_of_x", "bytes_of_w", "bytes_of_z", "bytes"]


def test_a_logarithm_is_stated_in_definitions_and_numbers_that_coq_cannot_hold_are_told():
    text = of_threshold(threshold(op("fft"), chip("h100-sxm"), "N"), "fft").page().text
    assert "compute_bound (flops N) (bytes N) (ridge peak bandwidth)) <-> (N > Rpower 2 64)" in text
    assert text.count("with numbers too long to be proved here *)") == 1 and "0x" not in text


def mutants(said):
    """Yield variants of a statement with another number, name, relation, sign or connective."""
    for match in re.finditer(r"\d+|>=|>|<->|->|\+|/\\|\*|(?<!for)\b[A-Z]\b", said):
        old = match.group()
        others = {">": [">=", "="], ">=": [">"], "<->": ["->"], "->": ["<->"], "+": ["*"], "*": ["+"], "/\\": ["\\/"]}
        body = said.index(",")
        for new in others.get(old, [str(int(old) + 1)] if old.isdigit() else [n for n in "BDFR" if n != old][:1]):
            if match.start() > body:
                yield said[: match.start()] + new + said[match.end() :]


@pytest.mark.slow
@needs_coq
def test_a_changed_statement_is_refused(tmp_path):
    """Coq accepts the true statement, and refuses each mutant with the same proof."""
    text = answer("matmul", None, "B").page().text
    tried = 0
    for name, said in re.findall(r"^Theorem (\w+) :\n  \((.*)\)%R\.$", text, re.M):
        text += f"Definition true_{name} : ({said})%R := {name}.\n"
        for other in dict.fromkeys(mutants(said)) if tried < 200 or "compute_bound" in said else ():
            tried += 1
            text += f"Fail Definition changed_{name}_{tried} : ({other})%R := {name}.\n"
    assert tried > 100
    status, said = coqc(text, tmp_path)
    assert status == 0, said[-1500:]  # `Fail` is an error if Coq accepts the command


@needs_coq
def test_a_false_statement_and_a_forged_certificate_are_refused(tmp_path):
    text = answer("dot", None, "N").page().text
    assert coqc(text, tmp_path)[0] == 0
    false = re.sub(r"(?m)^(  \(.*compute_bound .* <-> \()N > ", r"\g<1>1 + N > ", text, count=1)
    assert false != text and coqc(false, tmp_path)[0] == 1
    forged = re.sub(r"Step \(Arith \[\(\(Num 1 1\)", "Step (Arith [((Num 2 1)", text, count=1)
    assert forged != text and coqc(forged, tmp_path)[0] == 1


# --- books, the library of operations, the atlas --------------------------------------------------


@pytest.mark.slow
@needs_coq
def test_what_the_verdicts_of_the_books_rest_on_is_proved_again(tmp_path, monkeypatch):
    answers, claims = [], []
    real = verifying.in_coq
    monkeypatch.setattr(verifying, "in_coq", lambda *c: (claims.append(c), answers.append(real(*c)), answers[-1])[2])
    results = list(verify([str(b) for b in BOOKS], workers=1, coq=True))
    pages = [r.coq for r in results if r.coq is not None]
    assert len(BOOKS) == 5 and sum(len(p.stated) for p in pages) > 600
    judged = [r for r in results if r.verdict is not None and r.verdict.trust == "kernel"]
    assert {r.id for r in judged if r.coq is None} == set()
    assert sum(map(reads_back, answers)) == sum(len(p.stated) for p in pages)
    spoken = [a for a in answers if a.answers]  # stated from definitions, as the claim is written
    stated, words = sum(len(p.stated) for p in pages), sum(len(a.answers) for a in spoken)
    print(f"{stated} theorems of {len(pages)} claims; {words} of these state {len(spoken)} claims in definitions")
    assert len(spoken) > 200 and words > 320
    plain = [a.name for a in spoken if not {*a.vocabulary.definitions} & {*re.findall(r"\w+", a.page().stated[-1])}]
    assert plain == ["S0-70"]  # independence, which uses no other function of roofproof
    assert {c.id for c, v in claims if v.trust == "kernel" and unstated(c, v)} == set()
    assert {c.id for c, v in claims if v.unstated} == {c.id for c, v in claims if v.trust == "algebra"} == NOT_IN_WORDS
    all_checked(pages, tmp_path)


CLAIMS = """
[ops]
mm = "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"
[[claim]]
id = 'All *) Abort. (* "'
source = "第 3 章 (* 未闭合"
says = "compute_bound(mm, tpu-v5e) <=> 819 B D F > 197000 (B D + B F + D F)"
[[claim]]
id = "方"
says = "intensity(mm) < B and time(mm, tpu-v5e, hbm) == bytes(mm) / rate(tpu-v5e, hbm)"
[[claim]]
id = "方 方"
says = "flops(mm) == B D F"
expect = "refuted"
[[claim]]
id = "rounded"
says = "ridge(tpu-v5e, bf16) ~= 240.5"
expect = "rounded"
"""


def claims_in_coq():
    claims = book_from_text(CLAIMS).claims
    return [verifying.in_coq(c, verifying.judge_with_slip(c)) for c in claims]


def test_a_claim_is_stated_as_it_is_written():
    bound, less, wrong, rounded = [a.page() for a in claims_in_coq()]
    assert bound.stated[-1].endswith(
        "((compute_bound (flops_of_mm B D F) (bytes_mm_memory B D F) "
        "(ridge peak_tpu_v5e_bf16 bandwidth_tpu_v5e_hbm)) <-> "
        "(819 * B * D * F > 197000 * (B * D + B * F + D * F)))"
    )
    assert [s.rpartition("-> ")[2] for s in less.stated[-2:]] == [
        "(B > intensity (flops_of_mm B D F) (bytes_mm_memory B D F))",
        "(seconds (bytes_mm_memory B D F) bandwidth_tpu_v5e_hbm = bytes_mm_memory B D F / bandwidth_tpu_v5e_hbm)",
    ]
    assert wrong.stated[-1].endswith("(~ (flops_of_mm B D F = B * D * F))")
    assert "ridge peak_tpu_v5e_bf16 bandwidth_tpu_v5e_hbm >= 4809 / 20" in rounded.stated[-1]
    assert "Definition bytes_of_mm_x (B D : real) : real := (2 * B * D)%R." in bound.text
    head = bound.text.partition("*)\n")[0]
    assert "In words: claim All * ) Abort. ( * ' (第 3 章 ( * 未闭合) is verified" in head
    assert "In the claim language: compute_bound(mm, tpu-v5e) <=> 819 B D F >" in head


@needs_coq
def test_claims_are_proved_and_a_changed_claim_is_refused(tmp_path):
    pages = [a.page() for a in claims_in_coq()]
    all_checked(pages, tmp_path)
    false = {"<-> (819 *": "<-> (820 *", "(B > intensity": "(F > intensity",
             "~ (flops_of_mm B D F = B * D": "~ (flops_of_mm B D F = 2 * B * D",
             ">= 4809 / 20": ">= 4811 / 20"}  # fmt: skip
    for page, (old, new) in zip(pages, false.items(), strict=True):
        assert page.text.count(old) >= 1
        status, said = coqc(page.text.replace(old, new), tmp_path)
        assert status == 1 and "Error" in said, (old, said)


@pytest.mark.slow
@needs_coq
def test_a_sample_of_the_atlas_is_proved_again(tmp_path):
    found = list(of_atlas(["matmul:int8", "dot:fp16", "axpy:bf16"], ["tpu-v5e", "h100-sxm", "mi300x"], None))
    assert len(found) > 4 and all(a.answers for a in found)
    all_checked([a.page() for a in found], tmp_path)
    assert all(reads_back(a) for a in found)


@needs_coq
@pytest.mark.long
@pytest.mark.parametrize("name", [n for n in entries() if n not in WHOLE_MODELS])
def test_the_thresholds_of_the_library_are_proved_again(name, tmp_path):
    """Thresholds in each dimension, with symbolic ridge points. Dimensions without a threshold are printed."""
    found = []
    for s in op(name).dims:
        try:
            found.append(of_threshold(threshold(op(name), None, s.name), f"{name} for {s.name}"))
        except RoofproofError as problem:
            print(f"{name} for {s.name}: {problem}")
    theorems = sum(map(reads_back, found))
    print(f"{name}: {len(found)} thresholds, {theorems} theorems")
    if found:
        all_checked([a.page() for a in found], tmp_path)


# --- the command ----------------------------------------------------------------------------------

COURSE = """
[course]
title = "One product // 一个乘积"
subtitle = "An example // 例"
[chips]
v5e = "tpu-v5e"
[operations]
product = { op = "matmul", for = "B", chip = "v5e" }
[[slide]]
title = "One product // 一个乘积"
show = "Text. // 文字。"
"""


@pytest.mark.slow
@needs_coq
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_checks_what_the_commands_write(tmp_path, capsys):
    book = tmp_path / "book.toml"
    book.write_text('[[claim]]\nid = "a"\nsays = "a + b <= 2 max(a, b)"\n', "utf-8")
    course = tmp_path / "course.toml"
    course.write_text(COURSE, "utf-8")
    commands = {
        "derive": ["derive", "dot", "--for", "N"],
        "verify": ["verify", str(book)],
        "check": ["grade", "--op", "matmul", "--answer", "B"],
        "atlas": ["derive", "--as", "list", "dot:bf16", "--chip", "tpu-v5e"],
        "slides": ["slides", "dot", "--chip", "tpu-v5e", "-o", str(tmp_path / "deck.qmd")],
        "course": ["slides", "--course", str(course), "--chip", "tpu-v5p", "-o", str(tmp_path / "deck.qmd")],
    }
    for name, command in commands.items():
        home = tmp_path / name
        main([*command, "--coq", str(home)])
        written = sorted(p.name for p in home.glob("*.v"))
        assert len(written) == 2 and written[0] == "All.v", written
        text = (home / written[1]).read_text("utf-8")
        assert text.startswith("(** In words: ") and "\n    In Coq:\n      theorem_" in text
    assert "product is compute-bound on tpu-v5p for" in text  # for the course, on the given chip
    capsys.readouterr()
    home = tmp_path / "derive"
    for name in LIBRARY:
        shutil.copy(library() / f"{name}.vo", home / "library")
    (home / "library" / "done").touch()
    done = subprocess.run(["make", "All.vo", "each"], cwd=home, capture_output=True, text=True)
    assert done.returncode == 0 and "Axioms:" in done.stdout, done.stderr
    assert main(["derive", "dot", "--coq", str(home / "x")]) == 2
    assert "--coq requires --for" in capsys.readouterr().err
