"""A deck rendered by a template, with everything escaped except the output of filters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roofproof.export.latex.templates import environment
from roofproof.export.slides.model import PARAGRAPH, Code, Deck, Frame, Inline, Math, Picture
from roofproof.export.slides.terms import SlideWords

MANY = 7  # points in one column
BUILT = "roofproof derived every number on these slides."


class Ready(str):
    """Text that needs no escaping, because it is already source of the output format."""

    __slots__ = ()


def rendered(
    template: str, deck: Deck, escape: Callable[[str], str], filters: Mapping[str, Callable[..., Any]], **given: object
) -> str:
    """Return a deck rendered by a template, with `escape` applied to every text except the output of filters."""

    def finalize(value: object) -> object:
        return value if isinstance(value, Ready) else escape(str(value))

    def pictured(frame: Frame) -> bool:
        return any(isinstance(block, Picture) for block in frame.blocks)

    own: dict[str, Callable[..., Any]] = {
        "kind": lambda block: type(block).__name__,
        "columns": columns,
        "raw": Ready,
        "pictured": pictured,
    }
    found = environment("roofproof.export.slides", {**own, **filters}, finalize=finalize).get_template(template)
    return found.render(deck=deck, built=SlideWords(deck.language)(BUILT), **given)


def columns(items: Sequence[Inline]) -> list[Sequence[Inline]]:
    """Return points in one column, or in two if there are many.

    >>> [len(each) for each in columns((("a",),) * 11)]
    [6, 5]
    """
    middle = (len(items) + 1) // 2
    return [items] if len(items) <= MANY else [items[:middle], items[middle:]]


def paragraphs(words: Callable[[Inline], str], between: str, note: Inline) -> Ready:
    """Return the spoken text of a slide, with its paragraphs joined by `between`.

    >>> paragraphs("".join, "|", ("50 %", PARAGRAPH, "B"))
    '50 %|B'
    """
    parts: list[list[str | Math | Code]] = [[]]
    for piece in note:
        if piece == PARAGRAPH:
            parts.append([])
        else:
            parts[-1].append(piece)
    return Ready(between.join(words(tuple(part)) for part in parts))
