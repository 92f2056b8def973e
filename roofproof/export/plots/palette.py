"""Colours and strokes that remain distinct without colour vision and in grey (Okabe and Ito, 2008)."""

# Blue, vermilion, green, purple, black, orange, sky: every stroke also differs from the others in its dashes.
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
"""The colour and dashes of asymptotes, ridge points and leaders."""

MEMORY, PARTLY, COMPUTE, NEVER, OTHER = range(5)
"""Shades by meaning: memory-bound, partly so or communication-bound, compute-bound, never compute-bound, other."""

SHADES = ("EDC3A6", "F9F0D7", "D3E4F3", "DCDCDC", "E8DCEC")
"""Fills of areas. The first three remain distinct in grey."""

INK = "1A1A1A"


def stroked(stroke: int | None, thin: bool = False) -> tuple[str, float, tuple[float, ...]]:
    """Return the colour, width and dashes (none if `thin`) of a stroke, or of a guide for None.

    >>> stroked(0), stroked(None)
    (('0072B2', 1.9, ()), ('595959', 0.8, (1.0, 1.6)))
    """
    colour, dashes = GUIDE if stroke is None else STROKES[stroke % len(STROKES)]
    return colour, 0.8 if stroke is None or thin else 1.9, () if thin else dashes
