"""The mistakes of the catalogue in words."""

from __future__ import annotations

from roofproof.claims.mistakes.catalogue import slip_of
from roofproof.export.doc import Inline, Say, between, say

NAMELY = ("other-width", "other-figure", "other-chip", "rounded-input")
"""The mistakes whose sentence is followed by a detail in brackets."""
FIGURES = {
    "figures": "the peak and the bandwidths",
    "peak": "the peak",
    "ridge": "the ridge point",
    "exp": "exponentials",
}


def mistake_phrase(name: str, *abouts: str) -> Inline:
    """Return a mistake (or two joined by `+`) as a sentence that names `abouts`, or nothing if it is not known.

    >>> from roofproof.export.to_text import inline_text
    >>> print(inline_text(mistake_phrase("dropped-tensor:z")), inline_text(mistake_phrase("none fits")), sep="|")
    the bytes of z were not counted|
    >>> print(inline_text(mistake_phrase("other-figure", "tf32", "fp16-vector")))
    another spec of the same chip was used (tf32; fp16, vector unit)
    >>> print(inline_text(mistake_phrase("multiply-add-once+bits")))
    a multiply-add was counted as one FLOP; it is two; and bits were taken for bytes, or the reverse
    """
    if "+" in name:
        first, second = map(mistake_phrase, name.split("+"))
        return say("<first>; and <second>", first=first, second=second)
    if (found := slip_of(name)) is None:
        return ""
    own = name.removeprefix(found.name).removeprefix(":").replace("**", "^")  # the name writes powers as Python does
    every = [own] if own else [each for each in abouts if each]
    told = Say(found.says, {"what": between(every, say("; ")) or say("a tensor")}, found.zh)
    if not every or found.name not in NAMELY:
        return told
    return say("<what> (<which>)", what=told, which=between(map(_named, every), say("; ")))


def _named(what: str) -> Inline:
    unit, _, vector = what.partition("-")
    if vector == "vector":
        return say("<format>, vector unit", format=unit)
    return say(FIGURES[what]) if what in FIGURES else what.partition(" (")[0]  # a chip without its remarks
