"""The Coq files of answers: one file of theorems for each answer, the library, and a Makefile that checks them all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import count

from roofproof.errors import DEVICES
from roofproof.proofs.known import Known
from roofproof.proofs.replay.coq.points import Projected, of_points, of_runs
from roofproof.proofs.replay.coq.theorems import script
from roofproof.proofs.replay.coq.words import comment
from roofproof.proofs.replay.vocabulary import Vocabulary

LIBRARY = (  # in order of dependency
    *("Meaning", "Polynomials", "Signs", "Arithmetic", "TruthTables", "Functions", "Limits", "Checker"),
    *("Between", "Powers", "Numbers", "Projections", "Schedules"),
)
NEEDED = """From Coq Require Import Rdefinitions Rfunctions Rbasic_fun R_sqrt Rpower BinInt QArith_base List.
From Roofproof Require Import Meaning Arithmetic Checker Numbers.
From Roofproof Require Projections Schedules.
Import ListNotations.
Local Open Scope positive_scope.
"""
AXIOMS = (  # the axioms behind Coq's real numbers
    *(rf"ClassicalDedekindReals\.{name}" for name in ("sig_not_dec", "sig_forall_dec")),
    *(r"FunctionalExtensionality\.functional_extensionality_dep", r"Classical_Prop\.classic"),
)
MAKEFILE = f"""# make: the library, then all answers in one process; make each: each by itself; make check: coqchk
LIBRARY := {" ".join(LIBRARY)}
COQ := -R library Roofproof
each := $(patsubst %.v,%.vo,$(filter-out All.v,$(wildcard *.v)))

All.vo: All.v $(filter-out All.v,$(wildcard *.v)) library/done
\t@there=$$(grep -c '^Theorem ' All.v); due=$$(sed -n 's/^All.v: \\([0-9]*\\) .*/\\1/p' index.txt); \\
\t  [ "$$there" = "$$due" ] || {{ echo "All.v: $$there theorems, and $$due in index.txt"; exit 1; }}
\t@said=$$(coqc -q $(COQ) All.v) || {{ echo "$$said"; exit 1; }}; echo "$$said"; \\
\t  if echo "$$said" | grep '^[^ ]' | grep -v -x -E 'Axioms:|Closed under .*|({"|".join(AXIOMS)})( .*)?'; \\
\t  then rm -f All.vo; echo "it rests on more than the real numbers of Coq"; exit 1; fi

library/done: $(LIBRARY:%=library/%.v)
\tfor name in $(LIBRARY); do coqc -q $(COQ) library/$$name.v || exit 1; done
\ttouch $@

each: $(each)
%.vo: %.v library/done
\tcoqc -q $(COQ) $<

check: All.vo
\tcoqchk -silent -o $(COQ) All

.PHONY: each check
"""


@dataclass(frozen=True, slots=True)
class TheoremFile:
    """A file of theorems as text, in a form that can be sent between processes. `stated` lists its theorems."""

    name: str
    says: str
    text: str
    stated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileContents:
    """The contents of one file: a name, a description in words and in the claim language, and proved statements.

    `answers` are stated with the definitions of the vocabulary. `known` holds all other statements that were proved on
    the way. Those that are `projected` are also stated for a set of points and for every run.
    """

    name: str
    says: str
    claim: str = ""
    known: tuple[Known, ...] = ()
    answers: tuple[Known, ...] = ()
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    projected: tuple[Projected, ...] = ()

    def page(self) -> TheoremFile:
        """Return the file as text: a header with the answer in three languages, then the theorems.

        >>> from roofproof.proofs import ByKernel, Statement, prove
        >>> x = ("v", "x")
        >>> more = Statement("more than x", (), (">", ("+", x, ("q", 1, 1)), x))
        >>> made = FileContents("more", "one more is more", "x + 1 > x", (Known(more, ByKernel(prove(more.goal))),))
        >>> print(*made.page().text.splitlines()[:7], sep="\\n")
        (** In words: one more is more
        <BLANKLINE>
            In the claim language: x + 1 > x
        <BLANKLINE>
            In Coq:
              theorem_1: forall x : real, (x > 0) -> (x + 1 > x)
        *)
        """
        made = script(self.known, self.answers, self.vocabulary)
        stated, text = dict(made.stated), made.text
        text += "Import RealField.\n" if self.projected else ""  # lets `ring` work on real numbers
        for one in self.projected:
            name = f"theorem_{1 + self.known.index(one.known)}"
            if name in made.stated:
                stated[f"{name}_of_points"], more = of_points(one, name, made.names)
                stated[f"{name}_of_runs"], last = of_runs(one, name, made.names)
                text += more + last
        shown = list(stated.items())[-len(self.answers) :] if self.answers else stated.items()
        rows = "\n".join(f"      {name}: {comment(said)}" for name, said in shown) or "      nothing that Coq proves"
        language = f"    In the claim language: {comment(self.claim)}\n\n" if self.claim else ""
        head = f"(** In words: {comment(self.says)}\n\n{language}    In Coq:\n{rows}\n*)\n\n{NEEDED}\n"
        return TheoremFile(self.name, self.says, f"{head}{text}{_together(stated)}", tuple(stated.values()))


def _together(stated: Mapping[str, str]) -> str:
    """Return the end of a file: one definition that uses all its theorems."""
    every = "".join(f"let _ := {name} in " for name in stated)  # a conjunction would repeat every statement
    return f"Definition every_theorem := {every}Logic.I.\n"


def coq_files(answers: Iterable[TheoremFile]) -> dict[str, tuple[str, str]]:
    """Return the files of a folder, each with its text and a description.

    >>> sorted(coq_files([TheoremFile("S2/1", "", ""), TheoremFile("S2-1", "", "")]))[:4]
    ['All.v', 'Makefile', 'S2_1.v', 'S2_1_2.v']
    """
    made: dict[str, tuple[str, str]] = {}
    taken, theorems = {"all", *DEVICES}, 0
    for answer in answers:
        theorems += len(answer.stated)
        letters = re.sub(r"[^A-Za-z0-9]+", "_", answer.name).strip("_") or "answer"
        plain = re.sub(r"^(?=[^A-Za-z])", "answer_", letters)[:80]
        name = next(n for k in count(1) if (n := plain if k == 1 else f"{plain}_{k}").lower() not in taken)
        taken.add(name.lower())
        made[f"{name}.v"] = (answer.text, answer.says)
    names = [name.removesuffix(".v") for name in made]
    bodies = (made[f"{n}.v"][0].partition(NEEDED)[2] for n in names)  # repeated imports would take most of the time
    modules = "".join(f"Module {n}.\n{body}End {n}.\n\n" for n, body in zip(names, bodies, strict=True))
    every = "".join(f"let _ := {n}.every_theorem in " for n in names)
    everything = f"{NEEDED}{modules}Definition every_theorem := {every}Logic.I.\nPrint Assumptions every_theorem.\n"
    made["All.v"] = (everything, f"{theorems} theorems, all answers in one process")
    made["Makefile"] = (MAKEFILE, "how Coq checks them: make")
    for part in LIBRARY:
        text = (files(__package__) / "library" / f"{part}.v").read_text(encoding="utf-8")
        made[f"library/{part}.v"] = (text, text.partition("(** ")[2].partition(":")[0].partition(".")[0])
    return made
