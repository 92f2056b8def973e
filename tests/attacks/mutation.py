"""Mutation testing, with one mutant per entry of mutants.py: `python mutation.py [--workers N] [FILE...]`.

Each mutant is one change in a copy of the tree. The test that killers.json names for it runs there first. If there is
none, or it passes, the tests named for other mutants of its group run, then the tests of the group, until one fails.
A test kills only if it passes on the unchanged code. A mutant that no test kills is a survivor: either it changes no
behaviour, and SAME gives the reason, or a test is missing. If tests are recorded for the group of a mutant in SAME,
only these try it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from queue import Queue

from forked_tests import run_tests
from mutants import MUTANTS
from run_time_questions import answers, told

Mutant = tuple[str, str, str, str]

ROOT = Path(__file__).resolve().parents[2]
KILLERS = Path(__file__).with_name("killers.json")  # a test that kills each mutant; `--record` updates it
EVERY = ["-m", ""]  # include the slow tests

# The tests of each group: first the quick ones, then the others.
TESTS = {
    "kernel": (
        ("attacks/test_soundness_rules.py", "proofs/test_kernel_arithmetic.py", "proofs/test_kernel_formulas.py",
         "proofs/test_kernel_refusals.py", "proofs/test_kernel_limits.py", "proofs/test_forging.py",
         "proofs/test_forging_values.py", "proofs/test_kernel_values.py", "../roofproof/proofs/kernel/kernel.py",
         "../roofproof/proofs/kernel/clearing.py", "../roofproof/proofs/kernel/terms.py",
         "../roofproof/proofs/kernel/transcendental.py", "proofs/test_transcendental.py"),
        ("proofs/test_rules_attacked.py", "attacks/test_soundness_kernel.py", "proofs/test_kernel_arithmetic.py",
         "proofs/test_kernel.py", "proofs/test_certify.py", "claims/test_language_laws.py"),
    ),
    "solver": (
        ("derive/test_regions_by_hand.py", "../roofproof/derive", "attacks/test_soundness_pinned.py",
         "attacks/test_random_solver.py", "derive/test_solving_is_proving.py",
         "proofs/test_certify.py", "derive/test_limits.py"),
        ("attacks/test_soundness_thresholds.py", "derive/test_laws_threshold.py",
         "derive/test_optima_discrete.py", "hardware/test_hardware_figures.py"),
    ),
    "ops": (
        ("../roofproof/ops/combine.py", "../roofproof/ops/operation.py", "../roofproof/ops/notation/typed_einsum.py",
         "../roofproof/ops/tensor.py", "../roofproof/derive/roofline/times.py", "ops/test_ops_algebra.py",
         "ops/test_ops_notation.py",
         "ops/test_ops_expression.py", "ops/test_operation_files.py", "attacks/test_soundness_times.py"),
        ("ops/test_ops_counted.py", "ops/test_ops_library.py", "ops/test_ops_models.py",
         "derive/test_laws_threshold.py", "attacks/test_hostile_input.py"),
    ),
    "verdicts": (
        ("../roofproof/claims", "proofs/test_known.py", "proofs/test_intervals.py",
         "attacks/test_soundness_pinned.py", "claims/test_verdicts.py",
         "claims/test_conditions.py", "claims/test_printed_numbers.py",
         "claims/test_language_book.py"),
        ("attacks/test_soundness_thresholds.py", "claims/test_books.py"),
    ),
    "known": (
        ("proofs/test_shown.py",),
        ("../roofproof/proofs/statement.py", "../roofproof/export/explain/threshold.py"),
    ),
    "table": (("proofs/test_shown.py", "../roofproof/derive/on_chips.py"),),
    "verdict": (("proofs/test_shown.py", "../roofproof/claims/judge"),),
    "record": (
        ("proofs/test_shown.py", "claims/test_slips.py", "claims/test_store.py"),
        ("export/test_plots.py",),
    ),
    "shown": (("export/test_slides_made_of_known.py", "export/test_slides.py", "export/test_steps_shown.py"),),
    "replay": (("proofs/test_certificate.py",),),
    "store": (
        ("../roofproof/proofs/replay/store.py", "../roofproof/claims/verdict_cache.py", "claims/test_store.py"),
        ("claims/test_kept_files.py",),
    ),
    "course": (
        ("../roofproof/export/slides/filling.py", "export/test_course_file.py"),
        ("export/test_courses.py",),
    ),
    "steps": (("../roofproof/proofs/steps", "proofs/test_steps.py", "export/test_steps_shown.py"),),
    "teach": (("../roofproof/teach", "teach/test_exercises.py", "teach/test_banks.py", "teach/test_written.py"),),
    "latex": (("../roofproof/formula/latex.py", "formula/test_latex.py"),),
    "draft": (("../roofproof/claims/draft.py", "claims/test_draft.py"),),
    "engines": (("derive/test_engines.py", "attacks/test_soundness_engines.py"),),
    "read-back": (("claims/test_read_back.py",),),
    "quantified": (("claims/test_quantified.py", "claims/test_partial_words.py"),),
    "words": (
        ("claims/test_meaning.py", "claims/test_definedness.py", "claims/test_words.py"),
        ("claims/test_partial_words.py",),
    ),
    "answers": (("claims/answers/test_grades.py", "commands/test_verify_command.py"),),
    "trace": (("trace/test_torch_counts.py", "trace/test_torch_refusals.py", "trace/test_jax_counts.py"),),
    "audit": (("../roofproof/audit", "audit/test_audit.py"), ("audit/test_two_faced.py", "audit/test_apart.py")),
    "reading": (("audit/test_formulas.py",),),
    "needs": (("trace/test_needs.py",),),
    "times": (("times/test_floors.py", "times/test_tables_of_times.py", "times/test_measure.py"),),
    "far out": (("proofs/test_far_out.py",),),
    "names": (("attacks/test_hostile_files.py", "../roofproof/toml.py"),),
    "links": (("bench/test_floors.py",),),
    "atlas": (
        ("../roofproof/derive/on_chips.py", "../roofproof/derive/atlas.py", "derive/test_on_chips.py"),
        ("../roofproof/derive/roofline/own_format.py", "derive/test_engines.py"),
    ),
    "site": (("../roofproof/export/site", "export/site/test_answers.py"), ("export/site/test_site_pages.py",)),
    "coq": (("../roofproof/proofs/replay/coq", "proofs/test_coq.py"),),
    "slips": (
        ("../roofproof/claims/mistakes", "../roofproof/claims/judge/judge.py", "claims/test_slips.py"),
        ("claims/test_books.py",),
    ),
}  # fmt: skip

# Mutants that change no behaviour: the replacement text, and the reason.
SAME = {
    "        if min": "each negative monomial must be dominated, too, so a chain of them ends at a positive one",
    "frozenset(s * a for a in": "a fraction in lowest terms has a denominator that begins with a positive coefficient",
    "        if all([c >= 0 for c in p.values()]):": "a normal form holds no coefficient that is zero",
    "    return (cleared(a, b,": "the difference of two terms is summed anew each time, and no rule keeps it",
    "            turn *= s": "a factor begins with a positive coefficient, so the one sign of all is positive",
}


def copied(to: Path) -> Path:
    """Copy the files that git tracks, without the history, and return the folder."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, to / name
        if source.is_symlink() or not source.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return to


def key(mutant: Mutant) -> str:
    """Return the key of a mutant in killers.json, which does not depend on the other mutants."""
    _, file, old, new = mutant
    return f"{file}: {old.strip()!r} -> {new.strip()!r}"


@contextmanager
def changed(tree: Path, mutant: Mutant) -> Iterator[None]:
    """Apply the change to a tree, and undo it on exit."""
    _, file, old, new = mutant
    path = tree / "roofproof" / file
    text, times = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    seconds = MUTANTS.index(mutant) + 1
    os.utime(path, (seconds, seconds))  # Python recognizes stale bytecode by the second and the length of its source
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def nearest(tree: Path, group: str, file: str) -> Iterator[list[str]]:
    """Yield arguments for pytest: doctests and test module of a file, then tests of its group, then the slow ones."""
    named = (f"../roofproof/{file}", f"{file.partition('/')[0]}/test_{Path(file).stem}.py")
    for which in ((), ("-m", "slow")):
        for tests in (named, *TESTS[group]):
            if paths := [f"tests/{t}" for t in tests if (tree / "tests" / t).resolve().exists()]:
                yield [*which, *paths]


def outcome(
    tree: Path, mutant: Mutant, killers: Sequence[str] = (), right: dict[str, list[str]] | None = None
) -> tuple[str, str]:
    """Return `killed`, `survived`, `broken` or `stale`, and the test. With `right` answers, return how they change.

    The killers pass on the unchanged code. The first runs by itself. A test file that cannot be collected kills the
    mutant if the mutated file is in the traceback. A mutant is broken if the only failure is another file that cannot
    be collected, or if the failing test also fails on the unchanged code.
    """
    group, file, old, _ = mutant
    if old not in (tree / "roofproof" / file).read_text(encoding="utf-8"):
        return "stale", ""
    test, uncollected, where = "", "", os.path.normpath(f"roofproof/{file}")
    with changed(tree, mutant):
        if right is not None:
            return told(right[group], answers(tree, group)), ""
        first = [[*EVERY, *tests] for tests in (killers[:1], killers[1:]) if tests]
        others = () if first and mutant[3] in SAME else nearest(tree, group, file)
        for arguments in chain(first, others):
            failed = run_tests(tree, arguments, until_failure=True).failed
            if test := next((t for t, said in failed.items() if "::" in t or where in said), ""):
                break
            uncollected = uncollected or next(iter(failed), "")
    if not test:
        return ("broken", f"{uncollected} cannot be collected") if uncollected else ("survived", "")
    if known := next((k for k in killers if k == test or k.startswith(f"{test}::")), None):
        return "killed", known
    on_engine = run_tests(tree, [*EVERY, test])
    if on_engine.failed or not on_engine.passed:
        return "broken", f"{test} fails, or is none, on the engine as it is"
    return "killed", test if test in on_engine.passed else next(iter(on_engine.passed))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--record", action="store_true", help=f"write the tests that kill into {KILLERS.name}")
    parser.add_argument("--run-time", action="store_true", help="ask questions instead of running tests")
    parser.add_argument("--group", help="those of one group, or of several with commas")
    parser.add_argument("--only", nargs="*", help="numbers of mutants, or texts that stand in a change")
    parser.add_argument("files", nargs="*", metavar="FILE", help="part of a file's name")
    given = parser.parse_args(arguments)
    chosen = [
        (i, m) for i, m in enumerate(MUTANTS)
        if (not given.files or any(f in m[1] for f in given.files))
        and (not given.group or m[0] in given.group.split(","))
        and (not given.only or any(o == str(i) or (not o.isdecimal() and o in m[2] + m[3]) for o in given.only))
    ]  # fmt: skip
    killers: dict[str, str] = json.loads(KILLERS.read_text(encoding="utf-8")) if KILLERS.exists() else {}
    counts = Counter[str]()
    writing = threading.Lock()
    with tempfile.TemporaryDirectory() as home:
        trees: Queue[Path] = Queue()
        for i in range(given.workers):
            trees.put(copied(Path(home).resolve() / str(i)))

        tree = trees.queue[0]
        right = {group: answers(tree, group) for group in {m[0] for _, m in chosen}} if given.run_time else None
        named = [m for _, m in chosen if not given.run_time]
        wanted = frozenset(killers[key(m)] for m in named if key(m) in killers)
        files = [f for f in sorted({test.partition("::")[0] for test in wanted}) if (tree / f).exists()]
        passed, failed = run_tests(tree, [*EVERY, *files], wanted) if files else ({}, {})
        if failed:
            print("fails on the engine as it is:", *failed, sep="\n")
            return 2
        for gone in sorted(wanted - passed.keys()):
            print(f"gone, or skipped here: {gone}")

        def one(numbered: tuple[int, Mutant]) -> None:
            number, mutant = numbered
            of_group = [killers[key(m)] for m in (mutant, *named) if m[0] == mutant[0] and key(m) in killers]
            tree = trees.get()
            start = time.monotonic()
            said, test = outcome(tree, mutant, [k for k in dict.fromkeys(of_group) if k in passed], right)
            seconds = time.monotonic() - start
            trees.put(tree)
            if said == "survived" and mutant[3] in SAME:
                said, test = "survived, changes nothing", SAME[mutant[3]]
            with writing:
                counts[said] += 1
                print(f"{number:3} {said:9} {seconds:4.0f} s  {key(mutant)}  {test}"[:400], flush=True)
                if given.record and said == "killed" and test != killers.get(key(mutant)):
                    killers[key(mutant)], passed[test] = test, None
                    kept = {key(m): killers[key(m)] for m in MUTANTS if key(m) in killers}
                    KILLERS.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")

        with ThreadPoolExecutor(given.workers) as pool:
            list(pool.map(one, chosen))
    print(f"{len(chosen)} mutants: " + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())))
    return 1 if counts.keys() & {"survived", "broken", "stale"} else 0


if __name__ == "__main__":
    sys.exit(main())
