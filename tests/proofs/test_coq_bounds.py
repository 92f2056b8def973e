"""Coq theorems: the lemma of Hölder, Brascamp and Lieb, the phases of runs, and the bounds that use them."""

import re

import pytest
from coq_runner import SOURCES, STANDARD, axioms, coqc, library, needs_coq

from roofproof import bound
from roofproof.export.coq import of_bound
from roofproof.proofs.replay.coq import files
from roofproof.proofs.replay.coq.files import coq_files
from roofproof.proofs.replay.coq.theorems import script

MTTKRP = "int8[i,j,k], int8[j,r], int8[k,r] -> int8[i,r]"
OPS = ["matmul", "matmul:w=int4", "matvec", MTTKRP, "bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]",
       "bf16[a,k,l], bf16[k,l,c] -> bf16[a,c]"]  # fmt: skip


def test_what_is_stated_of_points_is_the_theorem_without_the_lemma():
    """A theorem of points has the hypotheses of the plain theorem without the lemma and the signs of counts."""
    for op in OPS:
        answer = of_bound(bound(op))
        made, page = script(answer.known), answer.page()
        found = re.findall(r"^Theorem (theorem_\d+)_of_points :\n  \((forall .*)\)%R\.$", page.text, re.M)
        assert len(found) == len(answer.projected) == 3 * len(bound(op).lower) or len(found) >= len(bound(op).lower)
        for name, said in found:
            plain = made.stated[name]
            own = re.findall(r"\((\S+) = Raxioms\.INR \((?:Projections\.used|length)", said)
            given, *_ = plain.partition(" : real, ")
            assert all(n in given.split() for n in own) and len(own) > 1
            *hypotheses, goal = plain.partition(" : real, ")[2].split(" -> ")
            kept = [h for h in hypotheses if h not in {f"({n} > 0)" for n in own} and "phase ^ " not in h]
            assert len(hypotheses) - len(kept) == len(own) + 1  # the signs of the counts, and the lemma
            assert said.endswith(" -> ".join([*kept, goal]))
            assert said.split(", ", 1)[1].startswith("(Projections.points_of [size_1")


def test_what_is_stated_of_runs_supposes_neither_lemma_nor_phases():
    """A theorem of runs assumes a run, its end, products, bytes moved and lengths, then only signs and the root."""
    for op in OPS:
        answer = of_bound(bound(op))
        page = answer.page()
        found = re.findall(r"^Theorem theorem_\d+_of_runs :\n  \((forall .*)\)%R\.$", page.text, re.M)
        assert len(found) == len(answer.projected)
        for said, one in zip(found, answer.projected, strict=True):
            run, inside, made, moved, *rest = re.split(r" -> \(", said.split(", ", 1)[1])
            assert run.startswith("(Schedules.run (Schedules.width_in [") and "_M [] steps_ inside_" in run
            assert inside.startswith("forall e, List.In e inside_") and "Schedules.box [size_1" in made
            assert moved.startswith("moved = Schedules.moved")
            assert all("phase" not in r and "elements_of" not in r for r in (run, *rest))
            assert run.count(";") >= len(one.phases.tensors)


@pytest.mark.slow
@needs_coq
def test_a_run_is_one_that_a_memory_can_make(tmp_path):
    """A product of 1 x 1 matrices runs in six bytes, with two loads, one new sum and one store, but not in five."""
    one = """
Definition a_run := Schedules.run (Schedules.width_in [2; 2; 2]%R) (Schedules.of_tensor 2%nat) (Schedules.parts 0%nat
  [[true; true; false]; [false; true; true]; [true; false; true]]) ROOM%R [] [Schedules.Load (0%nat, [0; 0]%Z);
  Schedules.Load (1%nat, [0; 0]%Z); Schedules.Begin (2%nat, [0; 0]%Z); Schedules.Make [0; 0; 0]%Z;
  Schedules.Store (2%nat, [0; 0]%Z)] [(1%nat, [0; 0]%Z); (0%nat, [0; 0]%Z)].
Theorem it_runs : a_run.
Proof.
  apply Schedules.run_load; [cbn; Schedules.by_arithmetic|]. apply Schedules.run_load; [cbn; Schedules.by_arithmetic|].
  apply Schedules.run_begin; [reflexivity|cbn; Schedules.by_arithmetic|].
  apply Schedules.run_make; [cbn; intros e H; cbn in *; tauto|].
  apply (Schedules.run_store _ _ _ _ []). apply Schedules.run_end.
Qed.
"""
    status, said = coqc(files.NEEDED + one.replace("ROOM", "6"), tmp_path)
    assert status == 0, said
    assert coqc(files.NEEDED + one.replace("ROOM", "5"), tmp_path)[0] == 1


@pytest.mark.slow
@needs_coq
def test_the_lemma_rests_on_the_real_numbers_alone(tmp_path):
    names = ("Projections.holder", "Projections.points_of_projections", "Projections.points_of_a_nest",
             "Schedules.a_phase", "Schedules.a_phase_of_a_run")  # fmt: skip
    status, said = coqc(files.NEEDED + "".join(f"Print Assumptions {n}.\n" for n in names), tmp_path)
    assert status == 0 and axioms(said) | {"Axioms:"} <= STANDARD | {"Axioms:"}


@pytest.mark.slow
@needs_coq
def test_bounds_of_sets_of_points_are_proved_and_false_ones_refused(tmp_path):
    pages = [of_bound(bound(op)).page() for op in OPS]
    status, said = coqc(coq_files(pages)["All.v"][0], tmp_path)
    assert status == 0, said[:2000]
    assert axioms(said) <= STANDARD
    text = pages[0].text
    for old, new in (
        ("points_of_a_nest 2 [(1, [true; true; false])", "points_of_a_nest 2 [(1, [true; false; false])"),
        ("(Projections.used [true; true; false] points_)) -> (elements_of_w",
         "(Projections.used [true; false; false] points_)) -> (elements_of_w"),
        ("(3 * _M >= 2 * elements_of_x", "(4 * _M >= 2 * elements_of_x"),
    ):  # fmt: skip
        head, mark, points = text.partition("Import RealField.")
        assert points.count(old) >= 1, old
        assert coqc(head + mark + points.replace(old, new, 1), tmp_path)[0] == 1

    head, mark, runs = text.partition("Theorem theorem_1_of_runs")
    lighter, mark_2, rest = runs.partition("Qed.")
    assert "[2; 2; 2]" in lighter  # with one-byte elements, two bytes of M for each do not follow
    assert coqc(head + mark + lighter.replace("[2; 2; 2]", "[1; 1; 1]") + mark_2 + rest, tmp_path)[0] == 1
    assert "(forall e, List.In e inside_" in lighter  # sums left in memory were not stored
    fewer = lighter.replace("moved = Schedules.moved", "moved = 1/2 * Schedules.moved")
    assert coqc(head + mark + fewer + mark_2 + rest, tmp_path)[0] == 1


@needs_coq
@pytest.mark.long
def test_coqchk_takes_the_lemma(tmp_path):
    """coqchk, which is independent of tactics, accepts the compiled library. `make check` runs it for any folder."""
    import subprocess

    done = subprocess.run(
        ["coqchk", "-silent", "-o", "-R", str(library()), "Roofproof", "Roofproof.Schedules"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    named = re.findall(
        r"^    (\S+)$", (done.stdout + done.stderr).partition("Axioms:")[2].partition("* Constants")[0], re.M
    )
    assert {n.removeprefix("Coq.") for n in named} and all(n.startswith("Coq.") for n in named)
    assert (SOURCES / "Schedules.v").exists()
