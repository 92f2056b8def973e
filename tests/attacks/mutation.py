"""The engine broken on purpose, once for each line of mutants.py: `python mutation.py [--workers N] [FILE...]`.

Each mutant is one change in a copy of the tree; the tests named for its group run there until one fails. A mutant
that no test kills is a survivor: either it changes no behaviour, and stands in SAME with the reason, or a test is due.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from mutants import MUTANTS
from run_time_questions import answers, told

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 900  # seconds for one command of tests; a mutant that does not end is killed, too

# The tests of a group: the quick ones together, then the others together.
TESTS = {
    "kernel": (
        ("attacks/test_soundness_rules.py", "proofs/test_kernel_arithmetic.py", "proofs/test_kernel_formulas.py",
         "proofs/test_kernel_refusals.py", "proofs/test_kernel_limits.py", "proofs/test_forging.py",
         "proofs/test_forging_values.py", "proofs/test_kernel_values.py", "../roofproof/proofs/kernel/kernel.py",
         "../roofproof/proofs/kernel/clearing.py", "../roofproof/proofs/kernel/terms.py",
         "../roofproof/proofs/kernel/transcendental.py", "proofs/test_transcendental.py"),
        ("proofs/test_rules_attacked.py", "attacks/test_soundness_kernel.py", "proofs/test_kernel_false.py",
         "proofs/test_kernel.py", "proofs/test_certify.py", "claims/test_language_laws.py"),
    ),
    "solver": (
        ("../roofproof/derive", "attacks/test_soundness_pinned.py", "attacks/test_random_solver.py",
         "proofs/test_certify.py", "derive/test_limits.py"),
        ("attacks/test_soundness_thresholds.py", "derive/test_laws_threshold.py", "derive/test_regimes.py",
         "derive/test_optima_discrete.py", "hardware/test_hardware_figures.py"),
    ),
    "ops": (
        ("../roofproof/ops/algebra", "../roofproof/ops/notation/typed_einsum.py", "../roofproof/ops/tensor.py",
         "../roofproof/derive/roofline/times.py", "ops/test_ops_algebra.py", "ops/test_ops_notation.py",
         "ops/test_ops_expression.py", "attacks/test_soundness_times.py"),
        ("ops/test_ops_counted.py", "ops/test_ops_library.py", "ops/test_ops_models.py",
         "derive/test_laws_threshold.py", "attacks/test_hostile_input.py"),
    ),
    "verdicts": (
        ("../roofproof/claims", "proofs/test_known.py", "proofs/test_enclosure.py",
         "attacks/test_soundness_pinned.py", "claims/test_verdicts.py",
         "claims/test_conditions.py", "claims/test_printed_numbers.py",
         "claims/test_language_book.py"),
        ("attacks/test_soundness_thresholds.py", "claims/test_books.py"),
    ),
    "known": (("proofs/test_shown.py",), ("../roofproof/proofs/statement.py", "../roofproof/export/text/solution.py")),
    "table": (("proofs/test_shown.py", "../roofproof/atlas/on_chips.py"),),
    "verdict": (("proofs/test_shown.py", "../roofproof/claims/judging"),),
    "record": (
        ("proofs/test_shown.py", "claims/test_slips.py", "claims/test_store.py"),
        ("export/test_plots.py",),
    ),
    "shown": (("export/test_slides_made_of_known.py", "export/test_slides.py", "export/test_steps_shown.py"),),
    "replay": (("proofs/test_certificate.py",),),
    "store": (
        ("../roofproof/proofs/replay/store.py", "../roofproof/claims/verdict_cache.py", "claims/test_store.py"),
        ("../roofproof/claims/book_cache.py", "claims/test_kept_books.py"),
    ),
    "course": (
        ("../roofproof/export/slides/gaps.py", "export/test_course_file.py"),
        ("export/test_courses.py",),
    ),
    "steps": (("../roofproof/proofs/steps", "proofs/test_steps.py", "export/test_steps_shown.py"),),
    "teach": (("../roofproof/teach", "teach/test_exercises.py", "teach/test_banks.py"),),
    "documents": (("../roofproof/claims/documents", "claims/test_documents.py"),),
    "engines": (("derive/test_engines.py", "attacks/test_soundness_engines.py"),),
    "read-back": (("claims/test_read_back.py",),),
    "quantified": (("claims/test_quantified.py", "claims/test_partial_words.py"),),
    "words": (("claims/test_definedness.py", "claims/test_words.py"), ("claims/test_partial_words.py",)),
    "answers": (("claims/answers/test_grades.py", "commands/test_verify_command.py"),),
    "trace": (("trace/test_torch_counts.py", "trace/test_torch_refusals.py", "trace/test_jax_counts.py"),),
    "audit": (("../roofproof/audit", "audit/test_audit.py"), ("audit/test_two_faced.py", "audit/test_apart.py")),
    "reading": (("audit/test_reading.py", "audit/test_formulas.py"),),
    "needs": (("trace/test_needs.py",),),
    "bursts": (("measured/test_own_times.py", "measured/test_this_machine.py"),),
    "far out": (("proofs/test_far_out.py",),),
    "names": (("attacks/test_hostile_files.py", "../roofproof/toml.py"),),
    "atlas": (("../roofproof/atlas", "atlas/test_atlas.py"), ("derive/test_engines.py",)),
    "site": (("../roofproof/export/site", "export/site/test_answers.py"), ("export/site/test_site_pages.py",)),
    "coq": (("../roofproof/proofs/replay/coq", "proofs/test_coq.py"),),
    "slips": (
        ("../roofproof/claims/slips", "../roofproof/claims/judging/judge.py", "claims/test_slips.py"),
        ("claims/test_books.py",),
    ),
}  # fmt: skip

# Mutants that change no behaviour: what takes the place, and why.
SAME = {
    "        if min": "each negative monomial must be dominated, too, so a chain of them ends at a positive one",
    "frozenset(s * a for a in": "a fraction in lowest terms has a denominator that begins with a positive coefficient",
    "        if all([c >= 0 for c in p.values()]):": "a normal form holds no coefficient that is zero",
    "                turn *= s": "a factor begins with a positive coefficient, so the one sign of all is positive",
}


def copied(to: Path) -> Path:
    """Return a copy of what git knows of the tree, without the history."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, to / name
        if source.is_symlink() or not source.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return to


def failing(tree: Path, group: str, file: str = "") -> str:
    """Run the tests of a file, those of its name and those of a group; return the first that fails, or nothing."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    nearest = (f"../roofproof/{file}", f"{file.partition('/')[0]}/test_{Path(file).stem}.py")
    parts = (nearest, *TESTS[group]) if file else TESTS[group]
    for tests, which in [(p, ()) for p in parts] + [(p, ("-m", "slow")) for p in parts]:
        paths = [f"tests/{t}" for t in tests if (tree / "tests" / t).resolve().exists()]
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *which, *paths]
        try:
            done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return "no end"
        if done.returncode not in (0, 5):  # 5: there is no example
            failed = re.search(r"(?:FAILED|ERROR) (\S+)", done.stdout)
            return failed[1] if failed else "collection"
    return ""


def outcome(
    tree: Path, mutant: tuple[str, str, str, str], right: dict[str, list[str]] | None = None
) -> tuple[str, str]:
    """Return `killed`, `survived` or `stale`, and the test that killed it; what it tells, with `right` answers."""
    group, file, old, new = mutant
    path = tree / "roofproof" / file
    text = path.read_text(encoding="utf-8")
    if old not in text:
        return "stale", ""
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        if right is not None:
            return told(right[group], answers(tree, group)), ""
        test = failing(tree, group, file)
        return ("killed", test) if test else ("survived", "")
    finally:
        path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--trusting", action="store_true", help="do not run the tests on the engine as it is first")
    parser.add_argument("--run-time", action="store_true", help="ask questions instead of running tests")
    parser.add_argument("--group", help="those of one group, or of several with commas")
    parser.add_argument("--only", nargs="*", help="numbers of mutants, or texts that stand in a change")
    parser.add_argument("files", nargs="*", metavar="FILE", help="part of a file's name")
    given = parser.parse_args()
    chosen = [
        (i, m) for i, m in enumerate(MUTANTS)
        if (not given.files or any(f in m[1] for f in given.files))
        and (not given.group or m[0] in given.group.split(","))
        and (not given.only or any(o == str(i) or (not o.isdecimal() and o in m[2] + m[3]) for o in given.only))
    ]  # fmt: skip
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as home:
        trees: Queue[Path] = Queue()
        for i in range(given.workers):
            trees.put(copied(Path(home) / str(i)))

        groups = dict.fromkeys(m[0] for _, m in chosen)
        right = {group: answers(trees.queue[0], group) for group in groups} if given.run_time else None
        for group in () if given.trusting or given.run_time else groups:
            if test := failing(trees.queue[0], group):
                print(f"the tests of {group} fail on the engine as it is: {test}")
                return 2

        def one(numbered: tuple[int, tuple[str, str, str, str]]) -> None:
            number, mutant = numbered
            tree = trees.get()
            start = time.monotonic()
            said, test = outcome(tree, mutant, right)
            seconds = time.monotonic() - start
            trees.put(tree)
            if said == "survived" and mutant[3] in SAME:
                said, test = "survived, changes nothing", SAME[mutant[3]]
            counts[said] += 1
            change = f"{mutant[2].strip()!r} -> {mutant[3].strip()!r}"
            print(f"{number:3} {said:9} {seconds:4.0f} s  {mutant[1]}: {change}  {test}"[:400], flush=True)

        with ThreadPoolExecutor(given.workers) as pool:
            list(pool.map(one, chosen))
    print(f"{len(chosen)} mutants: " + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())))
    return 1 if counts["survived"] or counts["stale"] else 0


if __name__ == "__main__":
    sys.exit(main())
