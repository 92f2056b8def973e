"""The lemma of Hölder, Brascamp and Lieb as a theorem of Coq, and the bounds of sets of points that rest on it."""

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
    """Read from the text: the hypotheses of the theorem but for the lemma and the signs of counts, the same end."""
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
            assert len(hypotheses) - len(kept) == len(own) + 1  # each count is positive, and the lemma
            assert said.endswith(" -> ".join([*kept, goal]))
            assert said.split(", ", 1)[1].startswith("(Projections.points_of [size_1")


@needs_coq
def test_the_lemma_rests_on_the_real_numbers_alone(tmp_path):
    names = ("Projections.holder", "Projections.points_of_projections", "Projections.points_of_a_nest")
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


@needs_coq
@pytest.mark.long
def test_coqchk_takes_the_lemma(tmp_path):
    """Of the compiled library, by the checker that is independent of tactics (make check does it for any folder)."""
    import subprocess

    done = subprocess.run(
        ["coqchk", "-silent", "-o", "-R", str(library()), "Roofproof", "Roofproof.Projections"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    named = re.findall(r"^    (\S+)$", done.stdout.partition("Axioms:")[2].partition("* Constants")[0], re.M)
    assert {n.removeprefix("Coq.") for n in named} and all(n.startswith("Coq.") for n in named)
    assert (SOURCES / "Projections.v").exists()
