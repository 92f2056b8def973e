"""Colours and strokes that keep apart without colour vision and without colour (Okabe and Ito, 2008)."""

# Blue, vermilion, green, purple, black, orange, sky: every stroke differs from every other in its dashes too.
STROKES = (
    ("0072B2", ()),
    ("D55E00", (6.0, 1.6)),
    ("009E73", (1.4, 1.4)),
    ("CC79A7", (6.0, 1.6, 1.4, 1.6)),
    ("000000", (3.2, 1.4)),
    ("E69F00", (9.0, 1.6, 1.4, 1.6, 1.4, 1.6)),
    ("56B4E9", (9.0, 2.4)),
)
"""Colour and dashes (on, off, ... in points) of the curves, in order."""

GUIDE = ("595959", (1.0, 1.6))
"""Asymptotes, ridge points and leaders."""

MEMORY, PARTLY, COMPUTE, NEVER, OTHER = range(5)
"""Shades with one meaning each: memory-bound, partly so or bound by a link, compute-bound, never so, others."""

SHADES = ("EDC3A6", "F9F0D7", "D3E4F3", "DCDCDC", "E8DCEC")
"""Fills of areas; the first three keep apart in grey."""

INK = "1A1A1A"


def stroked(stroke: int | None, thin: bool = False) -> tuple[str, float, tuple[float, ...]]:
    """Return the colour, the width and the dashes of a stroke, of a guide for None; a thin one has no dashes.

    >>> stroked(0), stroked(None)
    (('0072B2', 1.9, ()), ('595959', 0.8, (1.0, 1.6)))
    """
    colour, dashes = GUIDE if stroke is None else STROKES[stroke % len(STROKES)]
    return colour, 0.8 if stroke is None or thin else 1.9, () if thin else dashes
