"""Measure how much code a command enters and loads, and how often a claim changes representation.

    python -m benchmarks.measures                        # the rows, as text

Each of the first three rows is counted in its own process. A cached value does not count again, because nothing is
converted.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import roofproof

ROOT = Path(roofproof.__file__).resolve().parent
CLAIM = "compute_bound(matmul, tpu-v5e) <=> B > 243"
DERIVE = ("derive", "matmul", "--for", "B")
CHECK = ("check", "--op", "matmul", "--chip", "tpu-v5e", "--for", "B", "--answer", "B > 120")
CHANGES = {  # file and function: the conversion
    ("proofs/translate.py", "with_functions"): "SymPy to term",
    ("proofs/translate.py", "to_expr"): "term to SymPy",
    ("proofs/translate.py", "to_formula"): "SymPy to formula",
    ("proofs/translate.py", "to_condition"): "formula to SymPy",
    ("derive/algebra/polynomial.py", "_quotient"): "SymPy to FLINT",
    ("derive/algebra/polynomial.py", "_monomial"): "FLINT to SymPy",
    ("proofs/kernel/terms.py", "normal"): "term to polynomial",
    ("proofs/search/polynomials.py", "poly_over"): "polynomial to FLINT",
    ("proofs/search/polynomials.py", "term_over"): "FLINT to term",
    ("proofs/from_tree.py", "term"): "tree to term",
    ("formula/to_sympy.py", "value"): "tree to SymPy",
}
WRITTEN = ("chips.md", "commands.md", "library.md")  # generated pages


def entered(run: Callable[[], object]) -> Counter[tuple[str, str]]:
    """Return how often each function of the package was entered, by file and name."""
    found = Counter[tuple[str, str]]()

    def called(frame: FrameType, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(f"{ROOT}/"):
            found[path.removeprefix(f"{ROOT}/"), frame.f_code.co_qualname] += 1

    sys.setprofile(called)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            run()
    finally:
        sys.setprofile(None)
    return found


def measured(words: list[str]) -> dict[str, int]:
    """Return the counts for a command, or the changes of representation while a claim is checked."""
    if len(words) == 1:
        found = Counter[str]()
        for (path, name), calls in entered(lambda: roofproof.judge(words[0])).items():
            if (change := CHANGES.get((path, name.rpartition(".")[2]))) is not None:
                found[change] += calls
        return dict(found.most_common())
    from roofproof.cli import main as run

    calls = entered(lambda: run(words))
    files = {m.__file__ for n, m in sys.modules.items() if n.partition(".")[0] == "roofproof" and m.__file__}
    lines = sum(len(Path(path).read_text("utf-8").splitlines()) for path in files)
    entries = {"functions": len(calls), "calls": calls.total(), "files": len({path for path, _ in calls})}
    return {**entries, "lines loaded": lines}


def main() -> int:
    if sys.argv[1:]:
        print(json.dumps(measured(sys.argv[1:])))
        return 0
    print("| measure | value |\n|---|---|")
    rows = (("`derive matmul --for B`", DERIVE), ("`check` of a wrong answer", CHECK), ("", (CLAIM,)))
    for name, words in rows:
        command = [sys.executable, "-m", "benchmarks.measures", *words]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        if len(words) == 1:
            name, found = f"changes of representation, `{CLAIM}`", {"all": sum(found.values()), **found}
        print(f"| {name} | {', '.join(f'{what} {count:,}' for what, count in found.items())} |")
    from roofproof.commands.usage import COMMANDS

    pages = [page for page in (ROOT.parent / "docs").glob("*.md") if page.name not in WRITTEN]
    words = sum(len(page.read_text("utf-8").split()) for page in pages)
    trusts = library()
    print(f"| thresholds of the library, proved by the kernel | {trusts['kernel']} of {trusts.total()} |")
    docs = "pages and words of English docs, without generated pages"
    print(f"| commands; {docs} | {len(COMMANDS)}; {len(pages)}, {words:,} |")
    print(f"| lines of Python | package {_lines(ROOT):,}, tests {_lines(ROOT.parent / 'tests'):,} |")
    return 0


def library() -> Counter[str]:
    """Count the trust levels of the thresholds of the library, for each operation and size, without a chip."""
    from roofproof.ops.library import entries

    found = Counter[str]()
    for name in entries():
        for size in roofproof.op(name).dims:
            with contextlib.suppress(roofproof.RoofproofError):  # no threshold
                found[roofproof.threshold(name, None, size.name).trust] += 1
    return found


def _lines(folder: Path) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py"))


if __name__ == "__main__":
    raise SystemExit(main())
