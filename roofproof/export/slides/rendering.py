"""A deck as text, through a template in which everything is escaped unless a printer of the engine made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roofproof.export.slides.model import Block, Code, Deck
from roofproof.export.slides.terms import Words

SIGNS = {
    "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<", "variable_end_string": ">>",
    "comment_start_string": "<#", "comment_end_string": "#>",
}  # fmt: skip
"""The signs of the templates: none of them means anything in TeX or in Markdown."""


class Ready(str):
    """Text that needs no escaping: it is source of the format already."""

    __slots__ = ()


def rendered(
    template: str, deck: Deck, escape: Callable[[str], str], filters: Mapping[str, Callable[..., Any]], **given: object
) -> str:
    """Return a deck through one of the templates; `escape` is put to every text that no filter made ready."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    def finalize(value: object) -> object:
        return value if isinstance(value, Ready) else escape(str(value))

    environment = Environment(
        loader=PackageLoader("roofproof.export.slides"), **SIGNS,  # type: ignore[arg-type]
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
        undefined=StrictUndefined, finalize=finalize,
    )  # fmt: skip
    environment.filters |= {"kind": kind, "is_code": is_code, "raw": Ready, **filters}
    return environment.get_template(template).render(deck=deck, built=Words(deck.language)("built"), **given)


def kind(block: Block) -> str:
    """Return which block it is, for the template."""
    return type(block).__name__


def is_code(words: tuple[object, ...]) -> bool:
    """Return whether a text is one piece of code, which is made smaller rather than broken."""
    return len(words) == 1 and isinstance(words[0], Code)
