"""A figure drawn by matplotlib as PDF or PNG, identical in every run."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from roofproof.errors import MissingExtra, RoofproofError, quoted
from roofproof.export.plots.addplot import math_tex
from roofproof.export.plots.captions import FONT_SIZE, LINE
from roofproof.export.plots.layout import BOTTOM, LEFT, WIDTH, Page, layout
from roofproof.export.plots.model import Math, Picture, Text, plain
from roofproof.export.plots.palette import INK, SHADES, stroked
from roofproof.export.plots.svg import NARROWEST

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.figure import Figure as Drawing

INSTEAD = "write an .svg or a .tex file"

_CM = 1 / 2.54
_DPI = 300
_CHINESE = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN", "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei", "Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans GB", "Heiti SC",
    "Noto Sans CJK JP", "Droid Sans Fallback", "Arial Unicode MS", "FandolHei",
    "AR PL UMing CN", "AR PL SungtiL GB",
)  # fmt: skip


def drawn(figure: Picture, kind: str, width: Fraction | None = None, font: str | None = None) -> bytes:
    """Return a figure as the content of a PDF or PNG file, `width` centimetres wide.

    Letters keep their size at widths of 10 centimetres or more. Raises RoofproofError if matplotlib is missing, if the
    font is not installed, or if no installed font has the characters.
    """
    shown = WIDTH if width is None else float(width)  # float: of a drawing
    page = layout(figure, width=max(shown, NARROWEST))
    with settings("".join(map(plain, figure.texts())), INSTEAD, font):
        out = BytesIO()
        date = {"CreationDate": None, "Creator": None} if kind == "pdf" else {"Software": None}
        drawing(page).savefig(out, format=kind, dpi=_DPI * shown / page.width, metadata=date)
        return out.getvalue()


def drawing(page: Page) -> Drawing:
    """Return a laid-out figure as a matplotlib figure, so that it can be inspected."""
    from matplotlib.figure import Figure as Drawing

    figure, high = page.figure, BOTTOM + page.up + page.top
    paper = Drawing(figsize=(page.width * _CM, high * _CM), dpi=_DPI)
    axes = paper.add_axes((LEFT / page.width, BOTTOM / high, page.across / page.width, page.up / high))
    axes.spines[["top", "right"]].set_visible(False)
    for letter, axis, ticks in zip("xy", (figure.x, figure.y), page.ticks(), strict=True):
        getattr(axes, f"set_{letter}scale")("log" if axis.base else "linear")
        getattr(axes, f"set_{letter}lim")(axis.low, axis.high)
        getattr(axes, f"set_{letter}ticks")([at for at, _ in ticks], labels=[mathtext(text) for _, text in ticks])
        getattr(axes, f"set_{letter}ticks")([], minor=True)
    for area in figure.areas:
        axes.fill(*zip(*area.points, strict=True), color=f"#{SHADES[area.shade]}", lw=0.2, zorder=1)
    for curve in figure.curves:
        above = 2 if curve.stroke is None else 2.5
        axes.plot(*zip(*curve.points, strict=True), clip_on=False, zorder=above, **_stroke(curve.stroke))
    for mark in figure.marks:
        colour = f"#{stroked(mark.stroke)[0]}"
        face, edge, rim = ("white", colour, 1.4) if mark.hollow else (colour, "white", 0.6)
        axes.plot(*mark.at, "o", ms=5.8, mfc=face, mec=edge, mew=rim, clip_on=False, zorder=4)
    for label in page.labels:
        if label.leader:
            leader = zip(*map(page.data, label.leader), strict=True)
            axes.plot(*leader, clip_on=False, zorder=3, **_stroke(label.stroke, thin=True))
        ground = {"facecolor": "white", "alpha": 0.65, "lw": 0, "pad": 0.8} if label.backed else None
        axes.text(
            *page.data(label.at), "\n".join(map(mathtext, label.lines)), ha=label.align, va="center", zorder=5,
            multialignment=label.align, color=f"#{INK}", bbox=ground, linespacing=1.1, family=_family(label.lines),
        )  # fmt: skip

    def write(text: Text, x: float, y: float, **more: Any) -> None:
        place = x / page.width, (BOTTOM + y) / high
        paper.text(*place, mathtext(text), color=f"#{INK}", family=_family((text,)), **more)

    for n, line in enumerate(reversed(page.above)):
        write(line, 0.1, page.up + 0.28 + n * LINE)
    for n, line in enumerate(page.title):
        write(line, 0.1, page.up + page.top - 0.42 - n * 0.47, weight="bold")
    write(figure.x.title, LEFT + page.across / 2, -0.62, ha="center", va="top")
    return paper


def mathtext(text: Text) -> str:
    """Return a text as matplotlib reads it: mathematics between dollar signs, other dollar signs escaped."""
    return "".join(f"${math_tex(p)}$" if isinstance(p, Math) else p.replace("$", r"\$") for p in text)


def _stroke(stroke: int | None, thin: bool = False) -> dict[str, Any]:
    colour, width, dashes = stroked(stroke, thin)
    style = (0, tuple(d / width for d in dashes)) if dashes else "-"
    return {"color": f"#{colour}", "lw": width, "ls": style, "dash_capstyle": "butt", "solid_joinstyle": "round"}


@contextmanager
def settings(signs: str, otherwise: str = "", font: str | None = None) -> Iterator[None]:
    """Draw with these settings instead of the user's, and with fonts that have these characters.

    Raises RoofproofError if matplotlib is missing, or if no font has them. `otherwise` is an alternative that the
    message suggests.
    """
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("matplotlib", "plot", otherwise) from None
    from matplotlib import font_manager, rc_context

    if font is not None and font not in {each.name for each in font_manager.fontManager.ttflist}:
        raise RoofproofError("the font <font> is not installed", font=quoted(font))
    asked = [] if font is None else [font]
    settings: dict[str, Any] = {
        "font.family": [*asked, *_fonts(signs, otherwise)], "font.sans-serif": asked, "font.size": FONT_SIZE,
        "mathtext.fontset": "dejavusans", "axes.unicode_minus": False, "axes.linewidth": 0.8,
        "axes.edgecolor": f"#{INK}", "xtick.color": f"#{INK}", "ytick.color": f"#{INK}", "svg.hashsalt": "roofproof",
        "text.usetex": False, "pdf.fonttype": 42, "path.simplify": False, "text.parse_math": True,
        "xtick.major.pad": 3, "ytick.major.pad": 3, "savefig.bbox": None, "savefig.facecolor": "white",
    }  # fmt: skip
    with rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)  # type: ignore[arg-type, unused-ignore]
        yield


def _family(lines: tuple[Text, ...]) -> list[str]:
    """Return the fonts for a text, the Chinese font first, because next to mathematics only the first font counts."""
    from matplotlib import rcParams

    return [*rcParams["font.sans-serif"], *_fonts("".join(map(plain, lines)))[::-1]]  # a requested font comes first


def _fonts(signs: str, otherwise: str = "") -> list[str]:
    """Return fonts that together have every character, starting with the font for most of them."""
    missing = {sign for sign in signs if not sign.isspace()} - _signs_of("DejaVu Sans")
    if not missing:
        return ["DejaVu Sans"]
    for family in _CHINESE:
        if missing <= _signs_of(family):
            return ["DejaVu Sans", family]
    shown = "".join(sorted(missing))[:5]
    cure = "install one (for Chinese, the system package fonts-noto-cjk)"
    raise RoofproofError("no installed font has <sign>; <cure>", sign=repr(shown), cure=f"{cure}{otherwise}")


@cache
def _signs_of(family: str) -> frozenset[str]:
    """Return the characters of a font, or none if it is not installed."""
    from matplotlib import font_manager

    if family == "FandolHei" and (path := _of_tex("FandolHei-Regular.otf")):
        font_manager.fontManager.addfont(path)
    try:
        path = font_manager.findfont(family, fallback_to_default=False)
    except ValueError:
        return frozenset()
    return frozenset(map(chr, font_manager.get_font(path).get_charmap()))


def _of_tex(file: str) -> str:
    """Return the path of a font that comes with TeX, which the system does not list."""
    if shutil.which("kpsewhich") is None:
        return ""
    return subprocess.run(["kpsewhich", file], capture_output=True, text=True).stdout.strip()
