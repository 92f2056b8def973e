"""The chips page matches the chip files: every chip, every spec in use with its source, every roof."""

import re
from xml.etree import ElementTree

from chips import COLUMNS, PAGE, PICTURE, levels, page, panel, peak, svg

from roofproof.hardware import chip, chip_names


def test_the_page_and_the_picture_are_drawn_from_the_files() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python docs/chips.py writes it again"
    assert PICTURE.read_text(encoding="utf-8") == svg(), "python docs/chips.py draws it again"


def test_every_figure_in_force_stands_with_its_source() -> None:
    text = page()
    for name in chip_names():
        section = text.split(f"\n`{name}`, ", 1)[1].split("\n## ", 1)[0]
        rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
        assert len(rows) == len(chip(name).supplies)
        sources = [figure.source.replace("|", "/") for figure in chip(name).supplies]
        assert all(source in row for source, row in zip(sources, rows, strict=True))


def test_a_roof_rises_to_the_peak_at_the_ridge_of_its_level() -> None:
    """A faster level reaches the peak further left, by the decades between the two bandwidths."""
    one = chip("h100-sxm")
    slow, fast = levels(one)[0], levels(one)[-1]
    lines = [line for line in panel(one, 0, 0) if line.startswith("<polyline")]
    corners = [re.findall(r"([\d.]+),([\d.]+)", line)[1] for line in lines]
    assert len(lines) == len(levels(one)) and len({height for _, height in corners}) == 1
    apart = float(corners[0][0]) - float(corners[-1][0])
    assert abs(apart / 142 * 6 - _decades(fast.value / slow.value)) < 0.02
    assert peak(one).resource == "bf16"


def _decades(ratio: object) -> float:
    from math import log10

    return log10(float(ratio))  # type: ignore[arg-type]


def test_the_picture_is_one_that_can_be_shown() -> None:
    root = ElementTree.fromstring(svg())
    names = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text") if t.get("font-weight") == "bold"]
    assert names == list(chip_names()) and COLUMNS > 1
