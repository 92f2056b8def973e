"""The deck of some operations on some chips: about eight slides for each operation, derived when the deck is made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.export.explain.slides import chip_title, explain_slides, title_of
from roofproof.export.files import write_atomically
from roofproof.export.latex.leaves import Style
from roofproof.export.slides.beamer import beamer
from roofproof.export.slides.images import images
from roofproof.export.slides.markdown import inlined, markdown
from roofproof.export.slides.model import Deck, Frame, Inline
from roofproof.export.slides.study import Study, studied
from roofproof.export.slides.terms import SlideWords, join
from roofproof.export.to_frames import inline, to_frames
from roofproof.hardware import Chip
from roofproof.ops import Operation

NAMED = 6  # operations on the first slide


def deck(
    ops: Sequence[tuple[str, Operation]],
    chips: Sequence[Chip],
    lang: str = "en",
    unknown_name: str | None = None,
    at: Mapping[str, int] | None = None,
) -> Deck:
    """Return the deck of operations, each given with the name that the user typed.

    >>> from roofproof import chip, op
    >>> made = deck([("matmul", op("matmul"))], [chip("tpu-v5e")])
    >>> len(made.frames), made.title
    (9, ('Rooflines on ', 'Google TPU v5e'))

    Raises RoofproofError for an empty list, an unknown language, a dimension that no operation has, and an
    operation for which none of the chips has the specs.
    """
    words = SlideWords(lang)
    if not ops:
        raise RoofproofError("expected at least one operation, such as `roofproof slides matmul`")
    if not chips:
        raise RoofproofError("expected at least one --chip, such as --chip tpu-v5e")
    names = list(dict.fromkeys(s.name for _, op in ops for s in op.dims))
    for name in [*([unknown_name] if unknown_name else []), *(at or {})]:
        refuse_unknown("dimension", name, names)
    frames: list[Frame] = []
    named: list[Inline] = []
    for label, op in ops:
        own = unknown_name if unknown_name in {s.name for s in op.dims} else None
        study = studied(op, label, chips, own, at)
        named.append(inline(title_of(study), Style(lang)))
        frames += operation_frames(study, words, named[-1])
    title = words("Rooflines on <chip>", chip=chip_title(chips[0])) if len(chips) == 1 else words("Rooflines")
    shown = join(named[:NAMED], words[", ||comma"]) + ((" …",) if len(ops) > NAMED else ())
    return Deck(title, shown, lang, tuple(frames))


def operation_frames(study: Study, words: SlideWords, section: Inline = ()) -> tuple[Frame, ...]:
    """Return the slides of an operation from its study, as the part of a deck that is called `section`."""
    first, *more = to_frames(explain_slides(study), words.language)
    return (replace(first, section=section), *more)


def write(deck: Deck, path: str, part: str = "deck") -> None:
    """Write a deck, or its handout or script (with the spoken text), either completely or not at all.

    Raises RoofproofError for a path that cannot be written, and if TeX or poppler is needed but missing.
    """
    if path.lower().endswith(".md"):
        write_atomically(path, markdown("paper.md.j2", deck, inlined, spoken=part == "script"))
        return
    from roofproof.export.latex.compiling import write_document

    write_document(path, beamer(deck, part), images(deck) if part != "script" else {})
