"""Every extra of the project can be imported if it is installed. `.ci/run` installs all but `bench`."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
PROGRAMS = {"passagemath-qepcad"}  # brings a program, run by benchmarks/elimination.py, and other integers for SymPy


def distributions(extra: str) -> list[str]:
    """Return the distributions that an extra names, without versions and markers."""
    return re.findall(r"^[\w.-]+", "\n".join(EXTRAS[extra]), re.MULTILINE)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_can_be_imported(extra: str) -> None:
    brought = {m: [o.lower() for o in owners] for m, owners in metadata.packages_distributions().items()}  # Sphinx
    imported: list[str] = []
    for name in sorted(set(distributions(extra)) - PROGRAMS):
        modules = [m for m, owners in brought.items() if name in owners and m.replace("_", "-") in name]
        if not modules and not any(name in owners for owners in brought.values()):
            pytest.skip(f"{name} is not installed; cure: pip install 'roofproof[{extra}]'")
        imported += modules
    assert imported
    for module in imported:
        import_once(module)


def test_every_refusal_for_want_of_an_extra_names_one_that_is_offered() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "roofproof").rglob("*.py")}
    by_hand = [path.name for path, text in sources.items() if "pip install 'roofproof[" in text]
    assert by_hand == ["errors.py"]
    named = {name for text in sources.values() for name in re.findall(r'MissingExtra\([^)\n]*?, "(\w+)"', text)}
    assert named and named <= EXTRAS.keys()


@cache
def import_once(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
