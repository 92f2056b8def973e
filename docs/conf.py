"""Sphinx configuration: `python -m sphinx -W docs docs/_build` builds the site, and fails for a wrong claim."""

from typing import Any

from docutils import nodes
from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.environment.adapters.toctree import TocTree

from roofproof import __version__

project = "roofproof"
author = copyright = "The roofproof authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "roofproof.sphinx"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
# Links out of this folder lead to files of the repository. Some code blocks use languages of this project.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
html_title = f"roofproof {__version__}"
html_static_path: list[str] = []
html_theme_options = {  # wide enough for the commands, and a sans-serif font, so that Chinese does not look handwritten
    "page_width": "1180px",
    "font_family": "system-ui, Helvetica, Arial, 'Noto Sans CJK SC', sans-serif",
    "code_font_family": "'DejaVu Sans Mono', Consolas, Menlo, 'Noto Sans Mono CJK SC', 'Noto Sans CJK SC', monospace",
    "head_font_family": "system-ui, Helvetica, Arial, 'Noto Sans CJK SC', sans-serif",
}


def _in_chinese(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """List the pages of zh/ in the sidebar of Chinese pages."""

    def listed(**how: Any) -> str:
        found = app.env.get_doctree("zh/index").findall(toctree)
        lists = [TocTree(app.env).resolve(page, app.builder, each, **how) for each in found]
        return "".join(app.builder.render_partial(each)["fragment"] for each in lists if each)

    if page.startswith("zh/"):
        context["toctree"] = lambda **how: listed(includehidden=how.get("includehidden", True))


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", _in_chinese)
