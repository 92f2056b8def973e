"""A figure drawn by matplotlib: SVG, PDF or PNG, the same from run to run."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from roofproof.errors import MissingExtra, RoofproofError, quoted
from roofproof.export.latex.escaping import has_chinese
from roofproof.export.plots.palette import INK, SHADES, stroked
from roofproof.export.plots.pgf import texts
from roofproof.export.plots.scene import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis
from roofproof.export.plots.texts import FONT_SIZE, Text, plain_signs

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.figure import Figure as Drawing

    from roofproof.export.plots.figure import Figure

_CM = 1 / 2.54
_DPI = 300
_CHINESE = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN", "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei", "Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans GB", "Heiti SC",
    "Noto Sans CJK JP", "Droid Sans Fallback", "Arial Unicode MS", "FandolHei",
    "AR PL UMing CN", "AR PL SungtiL GB",
)  # fmt: skip


def drawn(figure: Figure, kind: str, width: Fraction | None = None, font: str | None = None) -> bytes:
    """Return a figure as the content of an SVG, PDF or PNG file, as many centimetres wide as is asked for.

    Raises RoofproofError without matplotlib, and for a font that is not here, or signs that none here has.
    """
    with settings("".join(map(plain_signs, texts(figure))), "write a .tex file", font):
        out = BytesIO()
        dates = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None, "Creator": None}}
        scale = 1 if width is None else float(width) / (LEFT + WIDTH + RIGHT)  # float: of a drawing
        page = drawing(figure)
        page.savefig(out, format=kind, dpi=_DPI * scale, metadata=dates.get(kind, {"Software": None}))
        content = out.getvalue()
        return content if kind != "svg" or width is None else _scaled(content, scale)


def _scaled(svg: bytes, scale: float) -> bytes:
    """Return an SVG so many times as large: what is in it stays, in its view box."""
    head = re.compile(rb' (width|height)="([\d.]+)pt"')
    return head.sub(lambda m: b' %s="%.3fpt"' % (m[1], float(m[2]) * scale), svg, count=2)


def drawing(figure: Figure) -> Drawing:
    """Return a figure as matplotlib has it, so that it can be looked into."""
    from matplotlib.figure import Figure as Drawing

    width, height = LEFT + WIDTH + RIGHT, BOTTOM + HEIGHT + TOP
    page = Drawing(figsize=(width * _CM, height * _CM), dpi=_DPI)
    axes = page.add_axes((LEFT / width, BOTTOM / height, WIDTH / width, HEIGHT / height))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    _scale(axes, figure.x, "x")
    _scale(axes, figure.y, "y")
    for region in figure.regions:
        axes.fill(*zip(*region.points, strict=True), color=f"#{SHADES[region.shade % len(SHADES)]}", lw=0.2, zorder=1)
    for curve in figure.curves:
        axes.plot(*zip(*curve.points, strict=True), clip_on=False, zorder=2, **_stroke(curve.stroke))
    for mark in figure.marks:
        colour = f"#{stroked(mark.stroke)[0]}"
        face, edge, rim = ("white", colour, 1.4) if mark.hollow else (colour, "white", 0.6)
        axes.plot(*mark.at, "o", ms=5.8, mfc=face, mec=edge, mew=rim, clip_on=False, zorder=4)
    for label in figure.labels:
        if label.leader:
            axes.plot(*zip(*label.leader, strict=True), clip_on=False, zorder=3, **_stroke(label.stroke, thin=True))
        up = "bottom" if "south" in label.anchor else "top" if "north" in label.anchor else "center"
        ground = {"facecolor": "white", "alpha": 0.65, "lw": 0, "pad": 0.8} if label.backed else None
        axes.text(
            *label.at, "\n".join(map(mathtext, label.lines)), ha=label.align, va=up, multialignment=label.align,
            color=f"#{INK}", bbox=ground, linespacing=1.1, zorder=5, family=_family(label.lines),
        )  # fmt: skip
    left = 0.1 / width
    weight = "normal" if has_chinese(plain_signs(figure.title)) else "bold"  # the free Chinese fonts have no bold
    for title, at, bold in ((figure.y.title, 0.34, "normal"), (figure.title, 0.86, weight)):
        page.text(
            left, (BOTTOM + HEIGHT + at) / height, mathtext(title), color=f"#{INK}", weight=bold,
            family=_family((title,)),
        )  # fmt: skip
    page.text(
        (LEFT + WIDTH / 2) / width, (BOTTOM - 0.62) / height, mathtext(figure.x.title), color=f"#{INK}", ha="center",
        va="top", family=_family((figure.x.title,)),
    )  # fmt: skip
    return page


def mathtext(text: Text) -> str:
    """Return a text as matplotlib reads it: mathematics between dollar signs, other dollar signs escaped."""
    return "".join(p.replace("$", r"\$") if isinstance(p, str) else f"${p.tex}$" for p in text)


def _scale(axes: Any, axis: Axis, letter: str) -> None:
    getattr(axes, f"set_{letter}scale")("log" if axis.log else "linear")
    getattr(axes, f"set_{letter}lim")(axis.low, axis.high)
    ticks = getattr(axes, f"{letter}axis")
    ticks.set_ticks([at for at, _ in axis.ticks], labels=[mathtext(text) for _, text in axis.ticks])
    ticks.set_ticks([], minor=True)


def _stroke(stroke: int | None, thin: bool = False) -> dict[str, Any]:
    colour, width, dashes = stroked(stroke, thin)
    style = (0, tuple(d / width for d in dashes)) if dashes else "-"
    return {"color": f"#{colour}", "lw": width, "ls": style, "dash_capstyle": "butt", "solid_joinstyle": "round"}


@contextmanager
def settings(signs: str, otherwise: str = "", font: str | None = None) -> Iterator[None]:
    """Draw with these settings, whatever the user's own are, and with fonts that have these signs.

    Raises RoofproofError without matplotlib, and where no font has them; `otherwise` is what else could be done.
    """
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("matplotlib", "plot", otherwise) from None
    from matplotlib import font_manager, rc_context

    if font is not None and font not in {each.name for each in font_manager.fontManager.ttflist}:
        raise RoofproofError("no font is called <font> here", font=quoted(font))
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
    """Return the fonts for a text: beside mathematics only the first counts, so Chinese comes first there."""
    from matplotlib import rcParams

    return [
        *rcParams["font.sans-serif"],
        *_fonts("".join(map(plain_signs, lines)))[::-1],
    ]  # the one that was asked for first


def _fonts(signs: str, otherwise: str = "") -> list[str]:
    """Return fonts that together have every sign, the first for most of them."""
    missing = {sign for sign in signs if not sign.isspace()} - _signs_of("DejaVu Sans")
    if not missing:
        return ["DejaVu Sans"]
    for family in _CHINESE:
        if missing <= _signs_of(family):
            return ["DejaVu Sans", family]
    shown = "".join(sorted(missing))[:5]
    cure = "install one (for Chinese, the system package fonts-noto-cjk)"
    raise RoofproofError("no font here has <sign>; <cure>", sign=repr(shown), cure=f"{cure}{otherwise}")


@cache
def _signs_of(family: str) -> frozenset[str]:
    """Return the signs that a font has, none where it is not installed."""
    from matplotlib import font_manager

    if family == "FandolHei" and (path := _of_tex("FandolHei-Regular.otf")):
        font_manager.fontManager.addfont(path)
    try:
        path = font_manager.findfont(family, fallback_to_default=False)
    except ValueError:
        return frozenset()
    return frozenset(map(chr, font_manager.get_font(path).get_charmap()))


def _of_tex(file: str) -> str:
    """Return where TeX keeps a font of its own, which the system does not list."""
    if shutil.which("kpsewhich") is None:
        return ""
    return subprocess.run(["kpsewhich", file], capture_output=True, text=True).stdout.strip()
