"""The reference: what each room offers, read from docstrings by griffe, its examples runnable in the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from markupsafe import Markup

from roofproof.errors import MissingExtra
from roofproof.export.site.docs_pages import listed_page
from roofproof.export.site.pages import Page

ROOMS = ("ops", "hardware", "derive", "proofs", "claims", "audit", "atlas", "trace", "teach", "export.plots")


@dataclass(frozen=True, slots=True)
class Offered:
    """A name that a room offers: how it is called, what it does, and whether it has examples to run."""

    name: str
    path: str
    kind: str
    signature: str
    body: Markup
    examples: bool


def api_pages() -> list[Page]:
    """Return a page of what each room offers, and their index. Raises RoofproofError where griffe is not installed."""
    try:
        import griffe
    except ImportError:
        raise MissingExtra("griffelib", "site", "leave the documentation out: --without-docs") from None
    whole = griffe.load("roofproof", search_paths=[Path(__file__).resolve().parents[3]])
    made, listed = [], {}
    for room in ("", *ROOMS):
        name = f"roofproof.{room}".rstrip(".")
        told = whole[room] if room else whole
        about = told.docstring.value if told.docstring else ""
        offered = tuple(_offered(name, whole))
        listed[f"{name}.html"] = f"{name}: {about.splitlines()[0]}"
        made.append(_room(name, docstring(about), offered))
    return [listed_page("api/index.html", "api", listed), *made]


def _room(name: str, about: Markup, offered: tuple[Offered, ...]) -> Page:
    shows = {"name": name, "about": about, "offered": offered}
    return Page(f"api/{name}.html", "api.html.j2", "api", lambda words: name, lambda lang: shows, ("en",))


def _offered(room: str, whole: Any) -> Iterator[Offered]:
    module = import_module(room)
    for name in module.__all__:
        thing = getattr(module, name)
        home = getattr(thing, "__module__", "")
        if not callable(thing) or not home.startswith("roofproof."):
            continue
        path = f"{home}.{thing.__qualname__}"
        found = whole[path.removeprefix("roofproof.")]
        text = found.docstring.value if found.docstring else ""
        called = f"{name}{_signature(found)}"
        yield Offered(name, f"{room}.{name}", found.kind.value, called, docstring(text), ">>> " in text)


def _signature(found: Any) -> str:
    """Return the parameters and what is returned, as they are written in the source."""
    shown: list[str] = []
    star = False
    for each in found.parameters:
        kind = each.kind.value
        if each.name == "self":
            continue
        if kind == "keyword-only" and not star:
            shown.append("*")
            star = True
        before = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        star = star or before == "*"
        default = "" if each.default is None or before else f" = {_plain(str(each.default))}"
        shown.append(f"{before}{each.name}{f': {each.annotation}' if each.annotation else ''}{default}")
    returned = getattr(found, "returns", None)
    return f"({', '.join(shown)})" + (f" -> {returned}" if returned else "")


def _plain(default: str) -> str:
    """Return the value that a factory of a field makes; griffe writes it as a call."""
    made = re.fullmatch(r"\(lambda: (.*)\)\(\)", default)
    return made[1] if made else default


def docstring(text: str) -> Markup:
    """Return a docstring as HTML: paragraphs, code between backticks, examples and aligned lines as they stand.

    >>> print(docstring("Return `a*b*c`.\\n\\n>>> 2*3*4\\n24"))
    <p>Return <code>a*b*c</code>.</p>
    <pre tabindex="0"><code class="example">&gt;&gt;&gt; 2*3*4
    24</code></pre>
    """
    made = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith(">>> ") or re.search(r"^\S+ {2,}\S", block, re.M):
            kind = "example" if block.startswith(">>> ") else "lines"
            made.append(f'<pre tabindex="0"><code class="{kind}">{escape(block, quote=False)}</code></pre>')
        else:
            said = escape(" ".join(block.split()), quote=False)
            coded = re.sub("`([^`]+)`", r"<code>\1</code>", said)
            made.append(f"<p>{coded}</p>")
    return Markup("\n".join(made))
