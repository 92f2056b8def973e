"""Style and types are tests: one command checks everything."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run_tool(*command: str, code: str = "") -> str:
    """Return the output of `python -m TOOL ...`, or of code, at the root. Skip without the tool, or fail in CI."""
    if find_spec(command[0]) is None:
        message = f"{command[0]} is not installed; cure: pip install -e '.[test]'"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    run = ["-c", code] if code else ["-m", *command]
    done = subprocess.run([sys.executable, *run], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_ruff_finds_nothing() -> None:
    run_tool("ruff", "check", ".")


def test_ruff_looks_at_every_file_once() -> None:
    """A pattern meant for the links at the root would also exclude the subpackages of the same names."""
    seen = [Path(line) for line in run_tool("ruff", "check", "--show-files", ".").splitlines()]
    seen = [p.relative_to(ROOT) for p in seen if p.suffix == ".py"]
    rooms = sorted((ROOT / "roofproof").rglob("*.py"))
    assert sorted(p for p in seen if p.parts[0] == "roofproof") == [p.relative_to(ROOT) for p in rooms]
    assert not {p.parts[0] for p in seen} & {"derive", "hardware", "ops", "proofs"}


def test_mypy_strict_finds_nothing_in_the_package() -> None:
    run_tool("mypy", "--strict", "-p", "roofproof")


def test_rooms_import_one_way() -> None:
    """The contracts are in pyproject.toml. Late imports and imports for types count like others."""
    run_tool(
        "importlinter", code="from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    )
