"""The documentation as pages of the site, from the Markdown of `docs/`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup

from roofproof.errors import MissingExtra
from roofproof.export.site.pages import Page

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PICTURES = (".png", ".svg")
LIVE = {"derive": ("operation", {"--for": "for", "--chip": "chip", "--at": "at", "--regime": "", "--steps": None}),
        "check": ("check", {"--op": "op", "--for": "for", "--chip": "chip", "--at": "at", "--regime": "regime",
                            "--asks": "asks", "--answer": "", "--hint": "", "--reveal": None})}  # fmt: skip
"""Commands that a page answers as well: their options, as the address of that page has them; None takes no value."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page of Markdown: its title, its body as HTML, and its parts as (anchor, heading)."""

    title: str
    body: Markup
    parts: tuple[tuple[str, str], ...]


def docs_folder() -> Path | None:
    """Return the folder of the documentation, which stands beside the package in a checkout, None elsewhere."""
    found = Path(__file__).resolve().parents[3] / "docs"
    return found if found.is_dir() else None


def docs_pages(folder: Path) -> list[Page]:
    """Return a page of each Markdown file of a folder, and their index."""
    names = sorted(path.stem for path in folder.glob("*.md"))
    every = {name: written((folder / f"{name}.md").read_text(encoding="utf-8"), names) for name in names}
    made = [_page(f"docs/{name}.html", each) for name, each in every.items()]
    return [listed_page("docs/index.html", "docs", {f"{name}.html": each.title for name, each in every.items()}), *made]


def pictures(folder: Path) -> dict[str, Path]:
    """Return the pictures of the documentation by their path in the site."""
    found = sorted(path for path in folder.glob("**/*") if path.suffix in PICTURES and "_build" not in path.parts)
    return {f"docs/{path.relative_to(folder).as_posix()}": path for path in found}


def written(text: str, names: Iterable[str]) -> RenderedPage:
    """Return a text in Markdown as a page; mark-up of HTML in it stays text, links lead to pages named.

    >>> found = written("# A & B\\n\\n## Part 1\\n\\n<b>x</b> is in [c](c.md#d).", ["c"])
    >>> found.title, found.parts
    ('A & B', (('part-1', 'Part 1'),))
    >>> print(found.body.splitlines()[-1])
    <p>&lt;b&gt;x&lt;/b&gt; is in <a href="c.html#d">c</a>.</p>

    Raises RoofproofError where markdown-it-py is not installed.
    """
    parser = _markdown()
    tokens = parser.parse(text)
    title, parts = "", []
    for token, inner in pairwise(tokens):
        if token.type == "heading_open":
            said = "".join(child.content for child in inner.children or ())
            if token.tag == "h1":
                title = title or said
                continue
            token.attrSet("id", anchor(said))
            if token.tag == "h2":
                parts.append((anchor(said), said))
    known = set(names)
    for child in (child for token in tokens for child in token.children or ()):
        if child.type == "link_open":
            child.attrSet("href", _lead(str(child.attrGet("href") or ""), known))
    return RenderedPage(title, Markup(parser.renderer.render(tokens, parser.options, {})), tuple(parts))


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as the usual hosts of Markdown write it.

    >>> anchor("Replaying a proof in Coq, by `make`")
    'replaying-a-proof-in-coq-by-make'
    """
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def _lead(target: str, known: set[str]) -> str:
    """Return the target of a link: a page of the site, a place in the page, outside; else the index."""
    path, sharp, part = target.partition("#")
    stem = normpath(path).removesuffix(".md")
    if path.endswith(".md") and stem in known:
        return f"{stem}.html{sharp}{part}"
    outside = path.startswith(("https://", "http://"))
    return target if outside or not path or path.endswith(PICTURES) else "index.html"


def _markdown() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise MissingExtra("markdown-it-py", "site", "leave the documentation out: --without-docs") from None
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("table_open", lambda *_: '<div class="wide" tabindex="0"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


def _fence(self: Any, tokens: list[Token], place: int, options: Any, env: Any) -> str:
    """Render a block of code; below commands that a page of the site answers there is a link to it."""
    token = tokens[place]
    links = [found for line in token.content.splitlines() if (found := live_link(line))] if token.info == "bash" else []
    shown = f'<pre tabindex="0"><code class="{escape(token.info.split(" ")[0])}">{escape(token.content)}</code></pre>\n'
    pieces = (f'<a href="../{escape(address)}">▸ {escape(name)}</a>' for address, name in dict(links).items())
    return shown + (f'<p class="more run">{" ".join(pieces)}</p>\n' if links else "")


def live_link(line: str) -> tuple[str, str] | None:
    """Return the page that answers a command as well, with what is asked in its address, and a name for the link.

    >>> live_link("roofproof derive matmul --chip tpu-v5e --for B --at D=4096,F=4096   # 273")
    ('operation.html#op=matmul&chip=tpu-v5e&for=B&at=D%3D4096%2CF%3D4096', 'derive matmul')
    >>> live_link("roofproof derive matmul --json") is None
    True
    """
    try:
        words = iter(shlex.split(line, comments=True))
    except ValueError:
        return None
    if next(words, "") != "roofproof" or (command := next(words, "")) not in LIVE:
        return None
    page, options = LIVE[command]
    given: dict[str, str] = {}
    for word in words:
        if word.startswith("--"):
            if word not in options:
                return None
            name = options[word]
            value = "" if name is None else next(words, "")
            if name:
                given[name] = value
        elif command == "derive" and not given.get("op"):
            given = {"op": word, **given}
        else:
            return None
    return (f"{page}.html#{urlencode(given)}", f"{command} {given['op']}") if given.get("op") else None


def _page(path: str, found: RenderedPage) -> Page:
    return Page(path, "doc.html.j2", "docs", lambda words: found.title, lambda lang: {"doc": found}, ("en",))


def listed_page(path: str, part: str, listed: Mapping[str, str]) -> Page:
    """Return an index: a page of addresses, each with what it leads to."""
    return Page(path, "docs.html.j2", part, lambda words: words[part], lambda lang: {"listed": listed}, ("en",))
