"""Generate the chips page from the chip files: `python docs/chips.py` writes chips.md and chips.svg.

The picture has one panel per chip: FLOP/s over intensity, both logarithmic. It shows one roof per memory level with a
known bandwidth, and the peak of the vector unit as a dashed line.
"""

from collections.abc import Iterator
from math import log10
from pathlib import Path

from roofproof.formula.magnitudes import decimal
from roofproof.hardware import Chip, Figure, chip, chip_names
from roofproof.hardware.resources import LEVELS, MAIN_MEMORIES

HERE = Path(__file__).resolve().parent
PAGE, PICTURE = HERE / "chips.md", HERE / "chips.svg"
FORMATS = ("bf16", "fp16", "fp32", "fp32-vector", "int8")  # the roof uses the first that a chip has
COLUMNS, WIDTH, HEIGHT, PAD = 6, 150, 118, 8
DECADES, LEFT, RIGHT = 4, -2.0, 4.0  # of FLOP/s below the peak, and powers of ten of FLOP/B
COLOURS = {"hbm": "#1f5fa8", "dram": "#1f5fa8", "l3": "#7a4fa3", "l2": "#c2571a", "smem": "#2e7d4f", "vmem": "#2e7d4f"}
OTHER = "#8a8f94"


def peak(one: Chip) -> Figure | None:
    """Return the peak at which the roofs of a chip end, or None."""
    return next((rate for name in FORMATS for rate in one.compute if rate.resource == name), None)


def levels(one: Chip) -> list[Figure]:
    """Return the memory levels of a chip with a known bandwidth, slowest first."""
    return sorted((rate for rate in one.channels if rate.resource in LEVELS), key=lambda rate: rate.value)


def panel(one: Chip, x: float, y: float) -> Iterator[str]:
    """Yield the roofs of a chip as SVG, in a panel with its upper left corner at (x, y)."""
    yield f'<rect x="{x}" y="{y}" width="{WIDTH - PAD}" height="{HEIGHT - PAD}" fill="none" stroke="#d5d9dd"/>'
    yield f'<text x="{x + 4}" y="{y + 11}" font-weight="bold">{one.name}</text>'
    top, right, base = peak(one), x + WIDTH - PAD, y + HEIGHT - PAD
    if top is None:
        return
    high = log10(top.value)

    def across(power: float) -> float:
        return round(x + (power - LEFT) / (RIGHT - LEFT) * (WIDTH - PAD), 1)

    def down(power: float) -> float:
        return round(base - (power - high + DECADES) / (DECADES + 1) * (HEIGHT - PAD - 14), 1)

    for k, rate in enumerate(levels(one)):
        ridge, bandwidth = high - log10(rate.value), log10(rate.value)
        start = max(LEFT, high - DECADES - bandwidth)
        colour = COLOURS.get(rate.resource, OTHER)
        points = f"{across(start)},{down(start + bandwidth)} {across(ridge)},{down(high)} {right},{down(high)}"
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.4"/>'
        yield f'<text x="{right - 3}" y="{base - 4 - 9 * k}" text-anchor="end" fill="{colour}">{rate.resource}</text>'
    for rate in one.compute:
        if rate.resource == "fp32-vector" != top.resource:
            height = down(log10(rate.value))
            yield f'<path d="M{across(1)} {height}H{right}" stroke="#555" stroke-dasharray="3 2"/>'
    yield f'<text x="{right - 3}" y="{down(high) - 2}" text-anchor="end">{top.resource}</text>'


def svg() -> str:
    """Return the picture as SVG, with one panel per chip, in the order of their names."""
    chips = [chip(name) for name in chip_names()]
    rows = -(-len(chips) // COLUMNS)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH + PAD} {rows * HEIGHT + PAD}" '
        'font-family="sans-serif" font-size="8">',
        '<rect width="100%" height="100%" fill="white"/>',
    )
    places = ((PAD + i % COLUMNS * WIDTH, PAD + i // COLUMNS * HEIGHT) for i in range(len(chips)))
    drawn = (line for one, place in zip(chips, places, strict=True) for line in panel(one, *place))
    return "\n".join([*head, *drawn, "</svg>"]) + "\n"


def page() -> str:
    """Return the page: a summary table of the chips, and every default spec with its source."""
    chips = [chip(name) for name in chip_names()]
    lines = [
        "# Chips",
        "",
        "Written by `python docs/chips.py` from the files in `roofproof/hardware/data/`. `roofproof show NAME` prints",
        "the specs of other sources, too: the variants of `NAME@VARIANT`. [Chip files](chip.md) explain the specs.",
        "",
        "![Rooflines of every chip, one for each memory level](chips.svg)",
        "",
        "<!-- claim: ridge(tpu-v5e, bf16) == rate(tpu-v5e, bf16) / rate(tpu-v5e, hbm) -->A ridge point is peak over "
        "bandwidth<!-- /claim -->. The picture shows FLOP/s over 0.01 to 10000 FLOP/B, four decades below the peak. "
        "The vector unit is dashed.",
        "",
        *_conventions(chips),
        "",
        "| chip | peak | main memory | ridge, FLOP/B | levels with a bandwidth |",
        "|---|---|---|---|---|",
        *map(_row, chips),
    ]
    for one in chips:
        lines += ["", f"## {one.title}", "", f"`{one.name}`, {one.vendor}", ""]
        lines += ["| spec | value | convention | status and source |", "|---|---|---|---|", *map(_figure, one.supplies)]
    return "\n".join(lines) + "\n"


def _conventions(chips: list[Chip]) -> list[str]:
    """Return lines about the conventions that all chips share, and the exceptions."""
    sizes = [(one.name, c) for one in chips for c in one.capacities if c.resource in MAIN_MEMORIES]
    binary = [name for name, c in sizes if c.value % 2**30 == 0]
    neither = [name for name, c in sizes if c.value % 2**30 and c.value % 10**9]
    joules = [one.name for one in chips if one.trait("energy-hbm")]
    return [
        "Peaks are dense, with sums in fp32 if a chip has both. A capacity is in GB of 10^9 bytes, as printed.",
        f"For some chips every document prints GiB, so theirs is in GiB: {', '.join(binary)}.",
        f"For {', '.join(neither)} only a driver's report or a rounded number is known.",
        "",
        f"The energy per byte is known for {len(joules)} chips. It is that of their kind of memory, without the rest",
        "of the board if the maker prints it so. The energy per FLOP is the power of the board (TDP) over the peak.",
        "No FLOP takes more at the peak. It contains the share of the memory, which `energy` counts twice. It leaves",
        "out the power that a board draws at rest.",
        "No source was found for HBM3, HBM3e and TPUs.",
    ]


def _row(one: Chip) -> str:
    top = peak(one)
    memory = next((rate for rate in one.channels if rate.resource in MAIN_MEMORIES), None)
    ridge = f"{float(top.value / memory.value):.4g}" if top and memory else ""
    have = ", ".join(rate.resource for rate in levels(one))
    return f"| {one.name} | {top or ''} | {memory or ''} | {ridge} | {have} |"


def _figure(figure: Figure) -> str:
    value, known = f"{decimal(figure.value)} {figure.unit}", f"{figure.status}: {figure.source}"
    cells = figure.label, value, figure.convention, known
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PICTURE.write_text(svg(), encoding="utf-8")
