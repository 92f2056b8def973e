"""Chapters as the field writes them: beside each displayed formula what it says, by hand; nine in ten are read."""

import re
from pathlib import Path

import pytest

from roofproof.claims.documents.draft import draft
from roofproof.claims.documents.places import formulas

DATA = Path(__file__).parents[1] / "data"
LECTURES = [DATA / "lecture-zh.md", DATA / "lecture-en.tex"]
BESIDE = re.compile(r"^(?:<!-- (.*) -->|% (.*))$", re.MULTILINE)
REFUSED = ["refused", "拒读"]


def by_hand(path: Path) -> list[tuple[int, list[str]]]:
    """Return the line of each displayed formula, and what stands beside it in comments."""
    text = path.read_text()
    starts = [each.start for each in formulas(text, path.suffix == ".tex") if each.display]
    ends = [*starts[1:], len(text)]
    said = [[m[1] or m[2] for m in BESIDE.finditer(text, a, b)] for a, b in zip(starts, ends, strict=True)]
    return [(text.count("\n", 0, a), lines) for a, lines in zip(starts, said, strict=True)]


@pytest.mark.parametrize("path", LECTURES, ids=lambda p: p.name)
def test_what_is_read_is_what_is_written(path: Path) -> None:
    made = draft(str(path))
    found: list[list[str]] = [[] for _ in by_hand(path)]
    lines = [line for line, _ in by_hand(path)]
    for each in made.statements:
        place = sum(line < each.line for line in lines) - 1
        found[place].append("unread" if each.kind == "unread" else each.text)
    for (line, said), got in zip(by_hand(path), found, strict=True):
        assert (said if said[0] not in REFUSED else ["unread"]) == got, f"{path.name}:{line}"


def test_most_displayed_formulas_are_read() -> None:
    made = [draft(str(path)) for path in LECTURES]
    assert sum(m.display for m in made) >= 60
    assert sum(m.display_read for m in made) >= 0.9 * sum(m.display for m in made)
