"""LAWS.md lists each law, evaluator and mutant of the tree exactly once, and no others.

`python tests/attacks/test_laws.py` updates the ids of rewritten mutants in LAWS.md.
"""

import ast
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

from mutants import MUTANTS

TESTS = Path(__file__).resolve().parents[1]
LAWS = TESTS / "LAWS.md"
PLACE, MUTANT = re.compile(r"^- .*[.?] `([\w/.:]+)`$"), re.compile(r"^- `([0-9a-f]{6})` ([\w/.]+): .+$")


def lines() -> list[str]:
    return [line for line in LAWS.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]


def mutants() -> Counter[tuple[str, str]]:
    """Return the id and the file of each mutant. The id is a hash of its original text and its replacement."""
    return Counter(
        (sha256(f"{old}\0{new}".encode()).hexdigest()[:6], file.removeprefix("../")) for _, file, old, new in MUTANTS
    )


def functions(path: Path) -> dict[str, ast.AST]:
    parsed = ast.parse(path.read_text(encoding="utf-8"))
    return {n.name: n for n in parsed.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}


def tried(path: Path) -> list[str]:
    """Return the functions of a file that call `given` of Hypothesis."""
    if "given" not in {
        name.name for n in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(n, ast.ImportFrom) and n.module == "hypothesis" for name in n.names
    }:  # fmt: skip
        return []
    called = {
        name: {n.func.id for n in ast.walk(f) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        for name, f in functions(path).items()
    }
    return [name for name, calls in called.items() if "given" in calls]


def test_each_line_names_a_place_or_a_mutant() -> None:
    assert [line for line in lines() if not PLACE.match(line) and not MUTANT.match(line)] == []


def test_each_law_and_each_evaluator_is_named_once_and_is_there() -> None:
    named = [found[1] for line in lines() if (found := PLACE.match(line))]
    paths = {str(p.relative_to(TESTS)): p for p in TESTS.rglob("*.py")}
    laws = {f"{name}::{f}" for name, p in paths.items() for f in tried(p)}
    helpers = {n for n, p in paths.items() if not re.match(r"test_|mutants", p.name) and not n.startswith("answers/")}
    assert [place for place, n in Counter(named).items() if n > 1] == []
    assert sorted((laws | helpers) - set(named)) == [], "give each a line"
    places = {n: n.partition("::")[::2] for n in named}
    gone = [n for n, (at, f) in places.items() if at not in paths or (f and f not in functions(paths[at]))]
    assert gone == [], "no such place"


def test_each_mutant_has_its_line() -> None:
    named = Counter(found.groups() for line in lines() if (found := MUTANT.match(line)))
    changes = {sha256(f"{old}\0{new}".encode()).hexdigest()[:6]: (old, new) for *_, old, new in MUTANTS}
    assert [(*m, *changes[m[0]]) for m in mutants() - named] == [], "mutants without a line"
    assert [*named - mutants()] == [], "lines without a mutant"


def mend() -> None:
    """Update outdated ids in order, for each file with equal numbers of unmatched lines and mutants."""
    text, due = LAWS.read_text(encoding="utf-8"), mutants()
    named = Counter(found.groups() for line in lines() if (found := MUTANT.match(line)))
    for file in {file for _, file in due}:
        new, old = (
            [i for i, f in (one - other).elements() if f == file] for one, other in ((due, named), (named, due))
        )
        for one, other in zip(old, new, strict=True) if len(old) == len(new) else ():
            text = text.replace(f"- `{one}` {file}:", f"- `{other}` {file}:", 1)
    LAWS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    mend()
