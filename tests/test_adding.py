"""The page about additions is true: each addition is made in a copy of the tree, and its tests pass there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "adding.md"
STEP = re.compile(
    r"^`(?P<path>[^`\n]+)`(?:, (?P<end>at the end)|, before `(?P<before>[^`\n]+)`)?:\n\n"
    r"```(?:python|toml|coq) file\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ADDED = ("gather", "example-npu", "squared", "chain", "growth")
FOUND = ("[gather-rows", "[example-npu]", "[squared]", "own_attack[chain]", "again[chain]", "growth.find")
LAWS = [
    "roofproof/claims/mistakes/squared.py", "roofproof/claims/judge/growth.py",
    "tests/ops/test_ops_counted.py", "tests/ops/test_ops_library.py", "tests/ops/test_ops_catalog.py",
    "tests/ops/test_roles.py",
    "tests/proofs/test_laws_library.py", "tests/export/test_slides.py",
    "tests/hardware/test_hardware.py", "tests/hardware/test_hardware_figures.py", "tests/claims/test_slips.py",
    "tests/claims/test_language_reading.py", "tests/proofs/test_rules_attacked.py", "tests/proofs/test_certificate.py",
    "tests/test_architecture.py",
]  # fmt: skip
LISTS = (  # tests about whole lists, by parts of their names
    "has_a_counter", "list_is_grouped", "table_of_words", "of_a_file_is_listed", "is_worked_out", "has_an_attack",
    "are_listed", "theorem_names_the_rule", "one_short_file", "can_be_called", "files_are_short",
)  # fmt: skip


def steps() -> list[re.Match[str]]:
    return list(STEP.finditer(PAGE.read_text(encoding="utf-8")))


def copied(home: Path) -> None:
    """Copy the files that are tracked or not ignored by git, with links as links."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        left_out = shutil.ignore_patterns(".*", "__pycache__")
        shutil.copytree(ROOT, home, symlinks=True, dirs_exist_ok=True, ignore=left_out)
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, home / name, follow_symlinks=False)
    for compiled in (found for part in ("roofproof", "tests") for found in (ROOT / part).rglob("__pycache__")):
        shutil.copytree(compiled, home / compiled.relative_to(ROOT), dirs_exist_ok=True)


def applied(home: Path) -> None:
    """Write the files of the page, and insert its lines where the page says."""
    for step in steps():
        path, body = home / step["path"], step["body"]
        if not (step["end"] or step["before"]):
            assert not path.exists(), f"{step['path']} is there already"
            path.write_text(body, encoding="utf-8")
            continue
        text = path.read_text(encoding="utf-8")
        if step["end"]:
            path.write_text(text + body, encoding="utf-8")
        else:
            line = f"{step['before']}\n"
            assert text.count(f"\n{line}") == 1, f"{step['path']} has no line {step['before']!r}, or several"
            path.write_text(text.replace(f"\n{line}", f"\n{body}{line}"), encoding="utf-8")


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-m", *arguments], cwd=home, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("newcomer")
    copied(home)
    applied(home)
    [command] = re.findall(r"^Then `python (docs/\w+\.py)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    subprocess.run([sys.executable, command], cwd=home, env=os.environ | {"PYTHONPATH": str(home)}, check=True)
    return home


def test_the_page_has_a_file_or_a_line_for_each_step() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(steps()) == len(re.findall(r"^```\w+ file$", text, re.MULTILINE))
    assert [sum(name in s["path"] or name in s["body"] for s in steps()) > 0 for name in ADDED] == [True] * len(ADDED)
    for part in text.split("\n## ")[1:]:  # one file and one line in a list, but five places for a proof rule
        places = [m["path"] for m in STEP.finditer(part)]
        assert 1 <= len(set(places)) <= (5 if part.startswith("A proof rule") else 2), part.splitlines()[0]


@pytest.mark.slow
def test_what_the_page_adds_holds_the_laws(tree: Path) -> None:
    done = run(
        tree, "pytest", "-v", "-m", "not long", "-p", "no:cacheprovider", *LAWS, "-k", " or ".join((*ADDED, *LISTS))
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    passed = [line for line in done.stdout.splitlines() if "PASSED" in line]
    for name in (*FOUND, *LISTS):
        assert any(name in line for line in passed), f"no law finds {name}"


def test_what_the_page_adds_has_the_style_of_the_project(tree: Path) -> None:
    done = run(tree, "ruff", "check", ".")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_what_the_page_adds_holds_every_law(tree: Path) -> None:
    every = ("pytest", "-q", "-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider")
    done = run(tree, *every, "--deselect", "tests/test_adding.py")
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-2000:]
