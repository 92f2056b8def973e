"""HTML templates: every value is escaped, unless this package made it as HTML."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def template(name: str) -> Template:
    """Return a template of this package.

    >>> template("formats.html.j2").name
    'formats.html.j2'
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("roofproof.export.site")
    made = Environment(
        loader=loader, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=True,
        undefined=StrictUndefined,
    )  # fmt: skip
    return made.get_template(name)
