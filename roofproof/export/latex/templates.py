"""Documents and pictures from templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

SIGNS: dict[str, Any] = {
    "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<", "variable_end_string": ">>",
    "comment_start_string": "<#", "comment_end_string": "#>",
}  # fmt: skip
"""The delimiters of the templates, which have no meaning in TeX or in Markdown."""


def environment(room: str, filters: Mapping[str, Callable[..., Any]], **settings: Any) -> Environment:
    """Return the template environment of a package, with filters that its templates may use."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader(room), trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        autoescape=False, undefined=StrictUndefined, **SIGNS, **settings,
    )  # fmt: skip
    made.filters |= filters
    return made
