"""The architecture page is true: its picture, the files it names, and its two walks through the code, step by step."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from architecture import BELOW, PACKAGE, PICTURE, ROOT, links, rooms, rows, svg

PAGE = ROOT / "docs" / "architecture.md"
PAGES = [PAGE, ROOT / "CONTRIBUTING.md"]
STEP = re.compile(r"^\d+\. `(?P<file>[\w/]+\.py)`, `(?P<name>[\w.]+)`:", re.MULTILINE)
CLAIM = """
[[claim]]
id = "a"
given = "D == 4096; F == 4096"
says = "compute_bound(matmul, tpu-v5e) <=> B > 243"
"""
WAYS = {
    "The way of a derivation": ("derive", "matmul", "--chip", "tpu-v5e", "--for", "B", "--at", "D=4096,F=4096"),
    "The way of a claim": ("verify", "a.claims.toml"),
}
FOLLOWED = """
import sys
from roofproof.cli import main

home, *arguments = sys.argv[1:]
entered = {}

def seen(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(home):
        entered.setdefault(f"{code.co_filename[len(home) + 1:]} {code.co_qualname}")

sys.setprofile(seen)
try:
    main(arguments)
finally:
    sys.setprofile(None)
    print(*entered, sep="\\n", file=sys.stderr)
"""


def test_the_picture_is_drawn_from_the_imports() -> None:
    assert PICTURE.read_text(encoding="utf-8") == svg(), "python docs/architecture.py draws it again"


def test_every_room_is_in_the_picture_once_and_arrows_lead_down() -> None:
    placed = [room for row in rows() for room in row]
    assert sorted([*placed, BELOW]) == sorted(rooms())
    depth = {room: k for k, row in enumerate(rows()) for room in row}
    assert all(depth[room] < depth[other] for room, to in links().items() for other in to)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(r"`((?:[\w-]+/)+[\w.-]*)`", page.read_text(encoding="utf-8"))
    assert len(named) > 10
    assert not [path for path in named if not (ROOT / path).exists() and not (PACKAGE / path).exists()]


@pytest.mark.parametrize("title", WAYS)
def test_a_run_takes_the_ten_steps_of_the_page_in_their_order(title: str, tmp_path: Path) -> None:
    section = PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    steps = [f"{m['file']} {m['name']}" for m in STEP.finditer(section)]
    assert len(steps) == 10
    (tmp_path / "a.claims.toml").write_text(CLAIM, encoding="utf-8")
    command = [sys.executable, "-c", FOLLOWED, str(PACKAGE), *WAYS[title]]
    entered = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stderr.splitlines()
    assert [step for step in steps if step not in entered] == []
    assert sorted(steps, key=entered.index) == steps


def test_the_page_explains_at_most_twenty_terms_and_each_is_a_class() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Terms of the code\n")[2]
    terms = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert 10 < table.count("\n| `") <= 20
    defined = set(re.findall(r"^class (\w+)", "".join(p.read_text() for p in PACKAGE.rglob("*.py")), re.MULTILINE))
    assert sorted(set(terms) - defined) == []
