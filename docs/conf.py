"""How Sphinx makes a site of these pages: `python -m sphinx -W docs docs/_build`; a wrong claim fails it."""

from roofproof import __version__

project = "roofproof"
author = copyright = "The roofproof authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "roofproof.sphinx"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
# Links out of this folder lead to files of the repository; the languages of some blocks are those of this project.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
html_title = f"roofproof {__version__}"
html_static_path: list[str] = []
html_theme_options = {  # wide enough for the commands; a sans-serif face, in which Chinese is no handwriting
    "page_width": "1180px",
    "font_family": "system-ui, Helvetica, Arial, 'Noto Sans CJK SC', sans-serif",
    "code_font_family": "'DejaVu Sans Mono', Consolas, Menlo, 'Noto Sans Mono CJK SC', 'Noto Sans CJK SC', monospace",
    "head_font_family": "system-ui, Helvetica, Arial, 'Noto Sans CJK SC', sans-serif",
}
