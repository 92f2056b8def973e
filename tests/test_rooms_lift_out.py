"""The core works in a copy of the package without one subpackage, whose own commands fail in one line."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roofproof.rooms import ROOMS

ROOT = Path(__file__).resolve().parent.parent
CORE = (  # starts, derives, verifies, checks, in text, JSON and LaTeX
    (0, "show tpu-v5e"),
    (0, "derive matmul --chip tpu-v5e --for B --at D=4096,F=4096"),
    (0, "derive matmul --chip tpu-v5e --for B --json --steps"),
    (0, "derive matmul --chip tpu-v5e --for B --latex --lang zh"),
    (0, "verify chapter.claims.toml --steps --read-back --report errata.tex"),
    (1, "grade --op matmul --chip tpu-v5e --for B --answer B>120 --lang zh"),
)
COMMANDS = {  # commands that fail without a subpackage
    "roofproof.agents": ("mcp --skill",),
    "roofproof.audit": ("audit math:sqrt --op matmul",),
    "roofproof.bounds": ("traffic matmul",),
    "roofproof.derive.sweeps": ("sweep matmul --over B=1:4 --at D=4,F=4",),
    "roofproof.export.banks": ("exercises rooflines --to gift -o out",),
    "roofproof.export.plots": ("plot matmul -o plot.tex",),
    "roofproof.export.site": ("site out",),
    "roofproof.export.slides": ("slides matmul -o deck.tex",),
    "roofproof.pages": ("verify chapter.md", "tools latex .", "tools quarto ."),
    "roofproof.proofs.replay.coq": ("derive matmul --for B --coq out", "verify chapter.claims.toml --coq out"),
    "roofproof.teach": ("exercises rooflines --to gift -o out", "slides --course rooflines -o deck.tex"),
    "roofproof.times": (
        "time matmul --chip h100-sxm",
        "time --measured t.csv --chip h100-sxm",
        "calibrate --this-machine -o x.toml",
    ),
    "roofproof.trace": ("derive f.py:f --for B", "derive f.py:f --rows --level l2"),
}
RUN = """
import contextlib, io, sys
from roofproof.cli import main

for line in sys.argv[1:]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(line.split(" "))
    print(status, len(out.getvalue()), *err.getvalue().splitlines(), sep="\\t")
"""


def without(rooms: list[str], home: Path, *lines: str) -> list[list[str]]:
    """Run commands in a copy without some subpackages, and return the status, output length and errors of each."""
    shutil.copytree(ROOT / "roofproof", home / "roofproof")
    for room in rooms:
        place = home / room.replace(".", "/")
        shutil.rmtree(place) if place.is_dir() else place.with_suffix(".py").unlink()
    for name in ("chapter.claims.toml", "chapter.md"):
        shutil.copy(ROOT / "examples" / name, home)
    environment = os.environ | {"PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", RUN, *lines]
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.mark.sampled(13)
@pytest.mark.parametrize("room", ROOMS)
def test_the_core_does_without_a_room(room: str, tmp_path: Path) -> None:
    found = without([room], tmp_path, *(line for _, line in CORE), *COMMANDS[room])
    for (status, line), said in zip(CORE, found, strict=False):
        assert said[0] == str(status) and int(said[1]) > 50 and not said[2:], (line, said)
    refusal = f"roofproof: this needs {room.replace('.', '/')} ({ROOMS[room]}), which is not installed"
    assert found[len(CORE) :] == [["2", "0", refusal]] * len(COMMANDS[room])
    assert not (tmp_path / "out").exists()


def test_the_core_does_without_all_rooms(tmp_path: Path) -> None:
    outer = [room for room in ROOMS if not any(room.startswith(f"{other}.") for other in ROOMS)]
    found = without(outer, tmp_path, *(line for _, line in CORE))
    assert [said[0] for said in found] == [str(status) for status, _ in CORE], found


def test_every_room_is_registered_in_the_words_of_its_folder() -> None:
    assert list(ROOMS) == sorted(COMMANDS)
    places = [ROOT / room.replace(".", "/") for room in ROOMS]
    assert all((place / "__init__.py").exists() or place.with_suffix(".py").exists() for place in places)
    assert all(re.fullmatch(r"[a-zA-Z ]+", about) for about in ROOMS.values())
