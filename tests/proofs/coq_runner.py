"""Helpers that run Coq in the tests: compile the library once, check files, and read their theorems back."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import coq_reader
import pytest

from roofproof.proofs.replay.coq import files
from roofproof.proofs.replay.coq.files import LIBRARY, coq_files
from roofproof.proofs.replay.coq.theorems import script

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed (Debian: apt install coq)")
SOURCES = Path(files.__file__).parent / "library"
STANDARD = {  # the axioms of Coq's real numbers
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}


@cache
def library():
    """Return a folder with the compiled library, built once for all processes and runs of the same sources."""
    text = "".join((SOURCES / f"{name}.v").read_text("utf-8") for name in LIBRARY)
    version = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=True).stdout
    key = hashlib.sha256((version + text).encode()).hexdigest()[:16]
    home = Path(tempfile.gettempdir()) / f"roofproof-coq-{os.getuid()}-{key}"
    if not home.is_dir():
        made = Path(tempfile.mkdtemp(dir=home.parent))
        for name in LIBRARY:
            shutil.copy(SOURCES / f"{name}.v", made)
            done = subprocess.run(
                ["coqc", "-q", "-R", ".", "Roofproof", f"{name}.v"], cwd=made, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
        try:
            made.rename(home)
        except OSError:  # another process was faster
            shutil.rmtree(made)
    return home


def coqc(text, folder):
    """Return the exit status and the output of Coq for a file."""
    (folder / "tried.v").write_text(text, "utf-8")
    command = ["coqc", "-q", "-R", str(library()), "Roofproof", "tried.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def axioms(said):
    return {line.split(" ")[0] for line in said.partition("Axioms:")[2].splitlines() if re.match(r"\S+( :|$)", line)}


def all_checked(pages, folder):
    """Assert that Coq accepts the pages in one process, and that they use only the standard axioms."""
    status, said = coqc(coq_files(pages)["All.v"][0], folder)
    assert status == 0, said[:2000]
    assert axioms(said) <= STANDARD, said


def reads_back(answer):
    """Compare the theorems in the file of an answer with the known statements, and return how many there are."""
    made = script(answer.known, answer.answers, answer.vocabulary)
    found = coq_reader.theorems_of(answer.page().text)
    known = [*answer.known, *answer.answers]
    numbers = [int(name.removeprefix("theorem_")) for name in found]
    for number, tree in zip(numbers, found.values(), strict=True):
        assert tree == coq_reader.expected(known[number - 1], made.names), known[number - 1].statement.says
    untold = [k.statement.says for n, k in enumerate(known, 1) if n not in numbers]
    assert made.text.count(", not proved here *)") + made.text.count("too long to be proved here *)") == len(untold)
    return len(found)
