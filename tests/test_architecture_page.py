"""The page about the rooms: its picture is the one that the imports give, and every file it names is there."""

import re
from pathlib import Path

import pytest
from architecture import BELOW, PACKAGE, PICTURE, ROOT, links, rooms, rows, svg

TERMS = 20  # of the code, that a newcomer has to learn
PAGES = [ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md"]


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


def test_the_terms_of_the_code_are_few_and_each_is_a_class_of_its_file() -> None:
    page = PAGES[0].read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[A-Z]\w*`(?:, `[A-Z]\w*`)*) \| [^|]+ \| `([\w/.]+)` \|$", page, re.MULTILINE)
    assert 10 < len(rows) <= TERMS
    for names, file in rows:
        code = (ROOT / file).read_text(encoding="utf-8")
        assert all(re.search(rf"^class {name}\b", code, re.MULTILINE) for name in re.findall(r"\w+", names)), names
