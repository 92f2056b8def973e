"""Figures: they show the derived values, no texts overlap, and files are written completely or not at all."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import escape

from roofproof import chip, op
from roofproof.cli import main
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.times import lower, time, upper
from roofproof.errors import RoofproofError
from roofproof.export.plots import Figure, achieved, regions, roofline, threshold_curve, times
from roofproof.export.plots.addplot import math_tex
from roofproof.export.plots.drawing import drawing, mathtext
from roofproof.export.plots.drawing import settings as drawing_settings
from roofproof.export.plots.layout import layout
from roofproof.export.plots.model import Math, Point, plain
from roofproof.export.plots.palette import COMPUTE, GUIDE, MEMORY, NEVER, PARTLY, SHADES, STROKES
from roofproof.export.plots.svg import svg
from roofproof.hardware import Chip
from roofproof.ops import Operation

V5E = chip("tpu-v5e")
MATMUL = op("matmul")
SIZES = {"B": 64, "D": 4096, "F": 4096}
TWICE = [chip("bf16=197 TFLOP/s, hbm=819 GB/s"), chip("bf16=197 TFLOP/s, hbm=2.4 TB/s")]
CHIPS = [chip(name) for name in ("tpu-v5e", "tpu-v5p", "h100-sxm", "b200", "mi300x")]
HOSTILE = replace(MATMUL, name="50% of $A & \\input{x} #1 ~^_{} 🚀\nnext 线")

FIGURES: dict[str, Callable[[str], Figure]] = {
    "roofline": lambda lang: roofline([MATMUL], [V5E], [SIZES], lang),
    "roofline-two-ops": lambda lang: roofline([MATMUL, op("dot")], CHIPS[:3:2], [SIZES | {"N": 4096}], lang),
    "roofline-five-chips": lambda lang: roofline(
        [MATMUL, op("matmul:int8")], CHIPS[:3], [SIZES, {"B": 8, "D": 1024, "F": "D"}], lang
    ),
    "roofline-two-bandwidths": lambda lang: roofline([MATMUL], TWICE, [SIZES], lang),
    "roofline-two-channels": lambda lang: roofline([op("sharded-matmul")], [V5E], [SIZES | {"n": 4}], lang),
    "roofline-crowded": lambda lang: roofline(
        [MATMUL, *map(op, ("gated-ffn", "dot", "softmax@bf16", "layer-norm@bf16"))], CHIPS, [SIZES | {"N": 4096}], lang
    ),
    "achieved": lambda lang: achieved(MATMUL, V5E, "B", [{"D": 4096, "F": 4096}, {"D": 1024, "F": 1024}], lang),
    "achieved-never": lambda lang: achieved(
        MATMUL, V5E, "B", [{"D": d, "F": d} for d in (128, 256, 512, 2048, 8192)], lang
    ),
    "achieved-no-closed-form": lambda lang: achieved(op("fft@fp64-vector"), chip("a100-80gb-sxm"), "N", [], lang),
    "achieved-many-sizes": lambda lang: achieved(
        op("prefill"), V5E, "V", [dict.fromkeys("BLNd", 1024) | {"h": 4}], lang
    ),
    "threshold": lambda lang: threshold_curve(MATMUL, [V5E], "B", "D", {"F": "D"}, lang),
    "threshold-three-chips": lambda lang: threshold_curve(MATMUL, CHIPS[:3], "B", "D", {"F": 4096}, lang),
    "threshold-layer": lambda lang: threshold_curve(op("transformer-layer"), [V5E], "L", "d", {"h": 32}, lang),
    "regions": lambda lang: regions(MATMUL, V5E, "B", "D", {"F": 4096}, lang),
    "regions-three": lambda lang: regions(op("sharded-matmul"), V5E, "B", "D", {"F": 4096, "n": 4}, lang),
    "time": lambda lang: times(MATMUL, V5E, "B", {"D": 4096, "F": 4096}, lang),
    "time-three": lambda lang: times(op("sharded-matmul"), V5E, "B", {"D": 8192, "F": 8192, "n": 8}, lang),
    "time-from-nothing": lambda lang: times(op("all-gather"), V5E, "n", {"V": 4096}, lang),  # one chip sends nothing
    "hostile-names": lambda lang: roofline([HOSTILE], [V5E], [SIZES], lang),
}
BOTH = [(name, lang) for name in FIGURES for lang in ("en", "zh")]


@cache
def chinese_font() -> bool:
    try:
        FIGURES["time"]("zh").drawn("png")
    except RoofproofError:
        return False
    return True


# --- legible --------------------------------------------------------------------------------------


@pytest.mark.sampled(17)
@pytest.mark.parametrize(("name", "lang"), BOTH)
def test_no_text_lies_on_another_or_leaves_the_page(name: str, lang: str) -> None:
    figure = FIGURES[name](lang)
    chinese = lang == "zh" or name == "hostile-names"
    if chinese and not chinese_font():
        pytest.skip("no Chinese font; cure: install fonts-noto-cjk")
    laid = layout(figure)
    with drawing_settings("".join(map(plain, figure.texts()))):
        page = drawing(laid)
        page.set_dpi(100)
        page.canvas.draw()
        axes = page.axes[0]
        artists = [*page.texts, *axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]
        shown = [a for a in artists if a.get_text()]
        boxes = [(a.get_text(), a.get_window_extent()) for a in shown]
        width, height = page.get_size_inches() * 100
    ticks = sum(map(len, laid.ticks()))
    assert len(boxes) == ticks + len(laid.title) + len(laid.above) + 1 + len(laid.labels)
    for text, box in boxes:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, f"{text!r} leaves the page"
    for (a, one), (b, other) in combinations(boxes, 2):
        apart = one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 or other.y1 <= one.y0
        assert apart, f"{a!r} and {b!r} overlap"


def grey(colour: str) -> float:
    """Return the grey level of a colour, from 0 to 1 (Rec. 709 luma)."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return round(sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)), 6)


def test_strokes_differ_in_dashes_and_shades_in_grey() -> None:
    """Strokes and shades can be distinguished without colour vision and when printed in grey."""
    dashes = [stroke[1] for stroke in STROKES] + [GUIDE[1]]
    assert len(set(dashes)) == len(dashes)
    brightness = sorted(grey(shade) for shade in SHADES[:3])
    assert all(b - a > 0.05 for a, b in pairwise(brightness))
    assert all(grey(shade) - grey("1A1A1A") > 0.6 for shade in SHADES), "text on every shade is legible"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FIGURES)
def test_every_writer_shows_every_text(name: str) -> None:
    figure = FIGURES[name]("en")
    source, page = figure.pgfplots(), svg(figure)
    shown = re.sub(r"<[^>]*>|&#8203;|\s", "", page)
    left_out = [line for label in figure.labels if label.spare for line in label.lines]
    for text in (text for text in figure.texts() if text not in left_out):
        assert all(f"${math_tex(piece)}$" in source for piece in text if isinstance(piece, Math))
        said = "".join(re.sub(r"[\^_]", "", piece) if isinstance(piece, Math) else piece for piece in text)
        assert escape("".join(said.split())) in shown
    assert source.count(r"\node[anchor=") == len(layout(figure, title=False).labels)
    assert source.count(r"\addplot[") == len(figure.curves) + len(figure.areas) + len(figure.marks)
    assert page.count("<circle") == len(figure.marks) and page.count("<polygon") == len(figure.areas)
    assert "mathdefault" not in source and all(mathtext(text).count("$") % 2 == 0 for text in [figure.x.title])


def test_no_name_reaches_tex_as_a_command() -> None:
    source = FIGURES["hostile-names"]("en").pgfplots()
    assert "\\input" not in source
    assert r"50\% of \$A \& \textbackslash{}input\{x" in source


# --- true -----------------------------------------------------------------------------------------


def inside(polygon: tuple[Point, ...], at: Point) -> bool:
    """Return whether a point lies in a polygon, by counting the crossings of a ray."""
    count = 0
    for (ax, ay), (bx, by) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        if (ay > at[1]) != (by > at[1]) and at[0] < ax + (at[1] - ay) / (by - ay) * (bx - ax):
            count += 1
    return count % 2 == 1


def exact(value: float) -> sympy.Rational:
    fraction = Fraction(value).limit_denominator(10**6)
    return sympy.Rational(fraction.numerator, fraction.denominator)


SHARDED = op("sharded-matmul")
MAP = FIGURES["regions-three"]("en")
LONGEST = time(SHARDED, V5E)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
@settings(max_examples=60)
def test_a_map_shades_what_takes_longest(right: float, up: float) -> None:
    at = MAP.x.at(right), MAP.y.at(up)
    sizes = {"D": exact(at[0]), "B": exact(at[1]), "F": 4096, "n": 4}
    spent = {name: float(substitute(t, sizes)) for name, t in LONGEST.items()}
    first, second = sorted(spent.values(), reverse=True)[:2]
    if first < second * 1.02:
        return  # too near a boundary, which is drawn through a few points
    shade = {"bf16": COMPUTE, "memory": MEMORY, "ici": PARTLY}[max(spent, key=lambda name: spent[name])]
    assert [r.shade for r in MAP.areas if inside(r.points, at)] == [shade]


CURVE = FIGURES["threshold"]("en")
SQUARE = op("matmul")


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
@settings(max_examples=60)
def test_a_threshold_shades_where_it_is_compute_bound_and_where_never(right: float, up: float) -> None:
    at = CURVE.x.at(right), CURVE.y.at(up)
    d, b = exact(at[0]), exact(at[1])
    spent = {name: substitute(t, {"D": d, "F": d, "B": b}) for name, t in time(SQUARE, V5E).items()}
    ratio = float(spent["bf16"] / spent["memory"])
    shades = [r.shade for r in CURVE.areas if inside(r.points, at)]
    if abs(ratio - 1) > 0.02:
        assert (COMPUTE in shades) == (ratio > 1)
    never = 2 * sympy.Rational(197000, 819)  # 1/D + 1/F < 1/R fails below 2 R
    if abs(float(d / never) - 1) > 0.001:
        assert (NEVER in shades) == (d < never)


SPENT = [
    (FIGURES["time-three"]("en"), SHARDED, {"D": 8192, "F": 8192, "n": 8}),
    (FIGURES["time"]("en"), MATMUL, {"D": 4096, "F": 4096}),
]


@given(st.floats(0.001, 0.999))
@settings(max_examples=60)
def test_a_plot_of_times_shades_what_takes_longest(along: float) -> None:
    for figure, drawn, given_sizes in SPENT:
        at = figure.x.at(along)
        spent = {name: float(substitute(t, {"B": exact(at), **given_sizes})) for name, t in time(drawn, V5E).items()}
        first, second = sorted(spent.values(), reverse=True)[:2]
        if first > second * 1.001:
            shade = {"bf16": COMPUTE, "memory": MEMORY, "ici": PARTLY}[max(spent, key=lambda name: spent[name])]
            assert [area.shade for area in figure.areas if inside(area.points, (at, figure.y.at(0.5)))] == [shade]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_memory_bound_has_one_word_and_one_colour(lang: str) -> None:
    """This is so in rooflines, thresholds, maps and times, and nothing else has that colour."""
    figures = [FIGURES[name](lang) for name in ("roofline", "threshold", "regions-three", "time", "time-three")]
    for shade, word in (
        (MEMORY, {"en": "memory-bound", "zh": "访存受限"}),
        (COMPUTE, {"en": "compute-bound", "zh": "计算受限"}),
    ):
        assert {plain(area.name) for figure in figures for area in figure.areas if area.shade == shade} == {word[lang]}
        for figure in figures:
            assert {area.shade for area in figure.areas if plain(area.name) == word[lang]} <= {shade}


@given(st.integers(1, 10**5), st.integers(1, 10**5), st.integers(1, 10**5))
@settings(max_examples=20)
def test_a_dot_lies_on_the_roof(b: int, d: int, f: int) -> None:
    figure = roofline([MATMUL], [V5E], [{"B": b, "D": d, "F": f}])
    (dot,) = figure.marks
    intensity = sympy.Rational(b * d * f, b * d + d * f + b * f)
    assert dot.at[0] == pytest.approx(float(intensity), rel=1e-12)
    assert dot.at[1] == pytest.approx(float(sympy.Min(197 * 10**12, intensity * 819 * 10**9)), rel=1e-12)
    for at in (dot.at, *figure.curves[1].points):
        assert figure.x.low <= at[0] <= figure.x.high and figure.y.low <= at[1] <= figure.y.high


def test_times_are_those_of_the_bounds() -> None:
    figure = FIGURES["time-three"]("en")
    least, most = figure.curves[-2].points, figure.curves[-1].points
    for (b, low), (_, high) in zip(least[::16], most[::16], strict=True):
        sizes = {"B": exact(b), "D": 8192, "F": 8192, "n": 8}
        assert low == pytest.approx(float(substitute(lower(SHARDED, V5E), sizes)), rel=1e-9)
        assert high == pytest.approx(float(substitute(upper(SHARDED, V5E), sizes)), rel=1e-9)


def test_the_exercise_of_the_sources() -> None:
    """On a TPU v5e with 820 GB/s, D = F = 4096 is compute-bound for B >= 273, and D = F = 1024 for B >= 453."""
    figure = achieved(MATMUL, chip("tpu-v5e@scaling-book"), "B", [{"D": 4096, "F": 4096}, {"D": 1024, "F": 1024}])
    assert [[plain(line) for line in label.lines] for label in figure.labels[1:]] == [
        ["D = F = 4096", "B = 272.17"],
        ["D = F = 1024", "B = 452.63"],
    ]


def test_the_asymptote_and_the_never_region_are_named() -> None:
    said = [plain(line) for label in CURVE.labels for line in label.lines]
    assert said == ["D = 481.1", "TPU v5e", "D → ∞: B > 240.5"]
    assert set(map(plain, CURVE.names)) == {"never", "compute-bound", "memory-bound"}


def test_three_regions_of_two_bandwidths() -> None:
    figure = FIGURES["roofline-two-bandwidths"]("en")
    edges = [(r.points[0][0], r.points[1][0], r.shade) for r in figure.areas]
    assert [round(right, 2) for _, right, _ in edges[:2]] == [82.08, 240.54]  # 1.97e14 / 2.4e12 and 1.97e14 / 8.19e11
    assert [shade for *_, shade in edges] == [MEMORY, PARTLY, COMPUTE]
    said = [*map(plain, figure.names)]
    assert said == ["memory-bound at both bandwidths", "memory-bound at one", "compute-bound"]


# --- files and messages ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_the_same_figure_is_the_same_file(kind: str) -> None:
    figure = FIGURES["time"]("en")
    content = figure.drawn(kind)
    assert content.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[kind])
    assert figure.drawn(kind) == content


def test_a_notebook_shows_a_figure() -> None:
    assert FIGURES["time"]("en")._repr_svg_().startswith("<?xml")


def test_a_file_of_svg_is_text_with_a_title_and_a_description() -> None:
    root = ElementTree.fromstring(FIGURES["hostile-names"]("en").drawn("svg"))
    title, described, *_ = root
    assert (
        title.tag.endswith("}title")
        and title.text
        and "50% of $A & \\input{x} #1 ~[circumflex accent]_{} [rocket] next 线" in title.text
    )
    assert described.text and "ridge 240.5; " in described.text + "; "
    assert "ridge 240.5" in ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert not [tag for tag in root.iter() if tag.tag.endswith(("}script", "}image", "}a"))]


def test_a_picture_in_a_notebook_styles_no_other() -> None:
    style = re.search("<style>(.*)</style>", FIGURES["time"]("en")._repr_svg_())
    assert style and all(rule.startswith(".roofproof ") for rule in style[1].split("}")[:-1])


def test_sizes_that_are_not_given_are_the_usual_ones_and_the_title_has_them() -> None:
    assert plain(roofline([MATMUL], [V5E]).title) == "Roofline: matmul (B = 256, D = F = 4096)"
    assert plain(roofline([MATMUL], [V5E], [{"B": 1, "F": "D"}]).title) == "Roofline: matmul (B = 1, D = F = 4096)"


@pytest.fixture
def no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in [n for n in sys.modules if n.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    yield


def test_svg_and_pgfplots_need_no_matplotlib(
    no_matplotlib: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["plot", "matmul", "--chip", "tpu-v5e", "--at", "B=64,D=4096,F=4096", "-o"]
    assert main([*command, str(tmp_path / "a.tex")]) == 0
    assert (tmp_path / "a.tex").read_text().startswith("% Alone: pdflatex")
    assert main([*command, str(tmp_path / "a.png")]) == 2
    assert main([*command, str(tmp_path / "a.svg")]) == 0
    said = "matplotlib is not installed; cure: pip install 'roofproof[plot]', or write an .svg or a .tex file"
    assert capsys.readouterr().err == f"roofproof: {said}\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.svg", "a.tex"]


PLOT = ["plot", "matmul", "--chip", "tpu-v5e", "-o", "a.svg"]
REFUSED = {
    ("plot",): "expected at least one operation, such as `roofproof plot matmul`",
    ("plot", "matmul"): "expected at least one --chip, such as --chip tpu-v5e",
    tuple(PLOT[:4]): "expected -o FILE, a name that ends in .svg, .pdf, .png or .tex",
    (*PLOT[:5], "a.docx"): "cannot write 'a.docx': expected a name that ends in .svg, .pdf, .png or .tex",
    (*PLOT[:5], "no/a.tex", "--at", "B=1,D=1,F=1"): (
        "cannot write 'no/a.tex': No such file or directory; name a file in a folder you own"
    ),
    (*PLOT, "--kind", "regions", "--for", "B", "--across", "D"): (
        "'matmul' has no size for F; give it, as in --at F=4096"
    ),
    (*PLOT, "--at", "B=1,Z=1"): "unknown dimension 'Z'; known: B, D, F",
    (*PLOT, "--at", "B=1,B=D"): "size of B is given twice",
    (*PLOT, "--at", "B=D,D=B,F=1"): "B equals D and D equals B; give one of them a number",
    (*PLOT, "--at", "B=0"): "size 'B=0': expected NAME=POSITIVE INTEGER, such as D=4096",
    (*PLOT, "--kind", "pie"): (
        "unknown kind of plot 'pie'; known: achieved, regions, roofline, threshold, time"
    ),
    (*PLOT, "--lang", "fr", "--at", "B=1,D=1,F=1"): "unknown language 'fr'; known: en, zh",
    (*PLOT, "--for", "B"): "--kind roofline takes no --for; leave it out",
    (*PLOT, "--kind", "achieved"): "name a dimension with --for; matmul has B, D, F",
    (*PLOT, "--kind", "threshold", "--for", "B", "--across", "B"): (
        "--for and --across both name B; name two dimensions"
    ),
    (*PLOT, "--kind", "time", "--for", "B", "--at", "D=1", "--at", "F=1"): (
        "--kind time takes one --at with all sizes; 2 are given"
    ),
    ("plot", "dot", *PLOT[1:], "--kind", "time"): "--kind time draws one operation; 2 are given",
    (*PLOT, "--chip", "tpu-v5p", "--kind", "regions"): "--kind regions draws one chip; 2 are given",
    ("plot", "matmul:bf16", "--chip", "apple-m4", "-o", "a.svg", "--at", "B=1,D=1,F=1"): (
        "chip 'apple-m4' has no spec 'bf16'; it has int8, fp32-vector, dram; "
        'add it, as --chip "apple-m4, bf16=NUMBER FLOP/s"'
    ),
    ("plot", "embedding", "--chip", "tpu-v5e", "-o", "a.svg", "--at", "T=1,V=1,D=1"): (
        "operation 'embedding' has no FLOPs; a threshold compares one format's FLOPs with the bytes moved"
    ),
    ("plot", "dot", "--chip", "tpu-v5e", "-o", "a.svg", "--kind", "regions", "--for", "N"): (
        "name a dimension with --across; dot has N"
    ),
    ("plot", "matvec", "--chip", "tpu-v5e", "-o", "a.svg", "--kind", "threshold", "--for", "D"): (
        "matvec has no critical D of 1 or more to draw against F: never"
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", REFUSED, ids=" ".join)
def test_what_cannot_be_drawn_is_said_in_one_line(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svg").write_text("kept")
    assert main(list(command)) == 2
    assert capsys.readouterr().err == f"roofproof: {REFUSED[command]}\n"
    assert (tmp_path / "a.svg").read_text() == "kept"
    assert [p.name for p in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.parametrize("kind", ["roofline", "achieved", "threshold", "regions", "time"])
def test_the_command_draws_every_kind(kind: str, tmp_path: Path) -> None:
    sizes = {"roofline": "B=64,D=4096,F=D", "threshold": "F=D", "regions": "F=4096"}.get(kind, "D=4096,F=D")
    size = [] if kind == "roofline" else ["--for", "B"]
    out = tmp_path / "figure.tex"
    assert main(["plot", "matmul", "--chip", "tpu-v5e", "--kind", kind, "--at", sizes, *size, "-o", str(out)]) == 0
    assert out.read_text().count(r"\begin{tikzpicture}") == 1


def test_too_many_curves_are_refused() -> None:
    with pytest.raises(RoofproofError, match=r"^too many chips in one plot: 8; draw at most 7$"):
        roofline([MATMUL], [V5E] * 8, [SIZES])
    with pytest.raises(RoofproofError, match=r"^nothing to draw: expected at least one chip$"):
        roofline([MATMUL], [], [SIZES])
    with pytest.raises(RoofproofError, match=r"^nothing to draw: expected at least one operation$"):
        roofline([], [V5E], [SIZES])


@pytest.mark.parametrize("draw", [
    lambda tiled, on: roofline([tiled], [chip("tpu-v5e"), on], [{"B": 512, "D": 8192, "F": 8192}]),
    lambda tiled, on: achieved(tiled, on, "B", [{"D": 8192, "F": 8192}]),
    lambda tiled, on: times(tiled, on, "B", {"D": 8192, "F": 8192}),
    lambda tiled, on: regions(tiled, on, "B", "D", {"F": 8192}),
    lambda tiled, on: threshold_curve(tiled, [on], "B", "D", {"F": 8192}),
])  # fmt: skip
def test_blocks_that_do_not_fit_on_a_chip_are_not_drawn(draw: Callable[[Operation, Chip], Figure]) -> None:
    with pytest.raises(RoofproofError, match="take 655360 bytes, and smem of h100-sxm holds 233472"):
        draw(op("tiled-matmul:b=512,f=512,d=64"), chip("h100-sxm"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_label_of_a_ridge_point_is_the_quotient_of_the_figures(lang: str) -> None:
    """197 TFLOP/s divided by 819 GB/s is 240.54 FLOP/B."""
    said = [plain(line) for label in FIGURES["roofline"](lang).labels for line in label.lines]
    ridge = {"en": "ridge", "zh": "临界强度"}[lang]
    assert [text for text in said if text.startswith(ridge)] == [f"{ridge} 240.5"]
