"""The deck of some operations on some chips: about a dozen slides for each, all derived when the deck is made."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.export.slides.deck_context import clipped, named
from roofproof.export.slides.document import document
from roofproof.export.slides.model import Deck, Inline
from roofproof.export.slides.operation_slides import OperationSlides
from roofproof.export.slides.study import studied
from roofproof.export.slides.tensors import moved
from roofproof.export.slides.terms import SlideWords
from roofproof.hardware import Chip
from roofproof.ops import Operation


def deck(
    ops: Sequence[tuple[str, Operation]],
    chips: Sequence[Chip],
    lang: str = "en",
    unknown_name: str | None = None,
    at: Mapping[str, int] | None = None,
) -> Deck:
    """Return the slides of operations, each with the name it was asked for by.

    >>> from roofproof import chip, op
    >>> made = deck([("matmul", op("matmul"))], [chip("tpu-v5e")])
    >>> len(made.frames), made.title
    (14, ('Rooflines on ', 'Google TPU v5e'))

    Raises RoofproofError for an empty list, an unknown language, a dimension that no operation has, and an
    operation that none of the chips has the figures for.
    """
    words = SlideWords(lang)
    if not ops:
        raise RoofproofError("expected at least one operation, such as `roofproof slides matmul`")
    if not chips:
        raise RoofproofError("expected at least one --chip, such as --chip tpu-v5e")
    names = list(dict.fromkeys(s.name for _, op in ops for s in op.dims))
    for name in [*([unknown_name] if unknown_name else []), *(at or {})]:
        refuse_unknown("dimension", name, names)
    decks = []
    for label, op in ops:
        own = unknown_name if unknown_name in {s.name for s in op.dims} else None
        decks.append(OperationSlides(studied(op, label, chips, own, at), words))
    title = words("Rooflines on <chip>", chip=named(chips[0])) if len(chips) == 1 else words("Rooflines")
    subtitle = words[", ||comma"].join(clipped(label, 30) for label, _ in ops[:6]) + (" …" if len(ops) > 6 else "")
    return slides_of(decks, words, title, (subtitle,))


@cache
def parts_of_operations() -> tuple[str, ...]:
    """Return the parts that the slides of an operation may have, in order.

    >>> parts_of_operations()[:3]
    ('setup', 'moved', 'work')
    """
    return tuple(dict.fromkeys(re.findall(r'titled\("([a-z-]+?)(?:-title)?"', _template())))


def _template() -> str:
    return (files(__package__) / "templates" / "operations.j2").read_text(encoding="utf-8")


def slides_of(decks: Sequence[OperationSlides], words: SlideWords, title: Inline = (), subtitle: Inline = ()) -> Deck:
    """Return the slides of operations that are worked out."""
    given = {"title": title, "subtitle": subtitle, "decks": decks, "words": words, "moved": moved}
    return document(_template(), words, given, "operations.j2")
