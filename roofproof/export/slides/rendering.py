"""A deck as text, through a template in which everything is escaped unless a printer of the engine made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roofproof.export.latex.templates import environment
from roofproof.export.slides.model import Block, Code, Deck
from roofproof.export.slides.terms import Words


class Ready(str):
    """Text that needs no escaping: it is source of the format already."""

    __slots__ = ()


def rendered(
    template: str, deck: Deck, escape: Callable[[str], str], filters: Mapping[str, Callable[..., Any]], **given: object
) -> str:
    """Return a deck through one of the templates; `escape` is put to every text that no filter made ready."""
    def finalize(value: object) -> object:
        return value if isinstance(value, Ready) else escape(str(value))

    own: dict[str, Callable[..., Any]] = {"kind": kind, "is_code": is_code, "raw": Ready}
    found = environment("roofproof.export.slides", {**own, **filters}, finalize=finalize).get_template(template)
    return found.render(deck=deck, built=Words(deck.language)("built"), **given)


def kind(block: Block) -> str:
    """Return which block it is, for the template."""
    return type(block).__name__


def is_code(words: tuple[object, ...]) -> bool:
    """Return whether a text is one piece of code, which is made smaller rather than broken."""
    return len(words) == 1 and isinstance(words[0], Code)
