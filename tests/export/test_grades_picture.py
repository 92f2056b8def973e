"""The plot and tables of many grades: no text is cut or overlaps, and a missing Chinese font is reported."""

import random
from pathlib import Path
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from roofproof.commands.grade_many import summed_up
from roofproof.errors import RoofproofError
from roofproof.export.explain.grades import GRADES, explain_grades
from roofproof.export.plots import drawing
from roofproof.export.plots.grades import picture
from roofproof.export.to_markdown import to_markdown
from roofproof.say import translated

NAMES = ("q1", "a-name-that-is-longer-than-the-room-that-there-is", "第三题：批大小的临界值与屋顶线模型的关系",
         "$5 and $6", "a|b\nc")  # fmt: skip


def lines(names: tuple[str, ...] = NAMES) -> list[dict[str, str]]:
    draw = random.Random(1)
    return [{"question": n, "grade": g, "slip": ""} for n in names for g in draw.choices([*GRADES], k=40)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("names", [NAMES, NAMES[:1]])
def test_no_text_is_cut_or_lies_on_another(
    lang: str, names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Figure] = []
    save = Figure.savefig

    def keeping(self: Figure, *given: Any, **more: Any) -> None:
        save(self, *given, **more)
        FigureCanvasAgg(self).draw()
        seen.append(self)

    monkeypatch.setattr(Figure, "savefig", keeping)
    try:
        drawn = picture(lines(names), lang)
    except RoofproofError as problem:
        pytest.skip(f"{problem}")
    [figure] = seen
    axes = figure.axes[0]
    [legend] = figure.legends
    boxes = [t.get_window_extent() for t in (*axes.get_yticklabels(), *legend.get_texts(), axes.xaxis.label)]
    assert all(figure.bbox.x0 <= b.x0 and b.x1 <= figure.bbox.x1 for b in boxes)
    assert all(figure.bbox.y0 <= b.y0 and b.y1 <= figure.bbox.y1 for b in boxes)
    assert not any(a.overlaps(b) for place, a in enumerate(boxes) for b in boxes[:place])
    assert b"<text" not in drawn  # outlines, so that no viewer needs the font


def test_without_a_font_the_tables_are_written_and_it_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_CHINESE", ())
    files, said = summed_up(lines(("q1",)), f"{tmp_path}/g.csv", "zh")
    assert [translated(each, "zh") for each in said] == [
        f"已批改 40 个答案：{tmp_path}/g.csv",
        "未生成图片：此处没有字体含 '下位决懂按'；install one (for Chinese, the system package fonts-noto-cjk)",
    ]
    assert list(files) == [f"{tmp_path}/g.md"]


def test_too_many_questions_are_not_drawn() -> None:
    names = tuple(f"q{n}" for n in range(201))
    _, said = summed_up(lines(names), "g.csv")
    assert said[1] == "no picture: 201 questions; at most 200 are drawn"


def test_the_tables_count_every_answer() -> None:
    rows = to_markdown(explain_grades(lines()), titled=True).splitlines()
    assert rows[2].endswith("| unreadable | undecided |")
    for row in rows[4:]:
        name, total, *counts = row.replace("\\|", "").strip("| ").split(" | ")
        assert name and int(total) == 40 == sum(map(int, counts))
    assert len(rows) == 4 + len(NAMES)
    known = [line for line in lines() if line["grade"] != "undecided"]
    assert to_markdown(explain_grades(known), titled=True).splitlines()[2].endswith("| wrong | unreadable |")
