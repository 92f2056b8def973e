"""Whole lectures: decks in which every number is derived when they are written."""

from __future__ import annotations

from roofproof.errors import unknown
from roofproof.export.slides.lecture_chips import several_chips
from roofproof.export.slides.lecture_costs import costs, dot_product, intensities, sources, the_roofline
from roofproof.export.slides.lecture_errata import errata
from roofproof.export.slides.lecture_exercises import exercises
from roofproof.export.slides.lecture_matmul import matmul, summary
from roofproof.export.slides.lecture_parts import Said
from roofproof.export.slides.model import Deck

LECTURES = ("roofline",)
_PARTS = (costs, intensities, dot_product, the_roofline, matmul, several_chips, summary, exercises, errata, sources)


def lecture(name: str, lang: str) -> Deck:
    """Return a lecture in a language.

    >>> deck = lecture("roofline", "zh")
    >>> deck.language, deck.frames[0].title
    ('zh', ('三种代价',))

    Raises RoofproofError for a lecture or a language that there is none of.

    Source: the order of topics is that of Austin et al., "How to Scale Your Model" (2025), ch. 1.
    """
    if name not in LECTURES:
        raise unknown("lecture", name, LECTURES)
    say = Said(lang)
    title, subtitle = say(f"{name}-deck"), say(f"{name}-subtitle")
    return Deck(title, subtitle, lang, tuple(frame for part in _PARTS for frame in part(say)))
