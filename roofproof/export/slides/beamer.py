"""A deck as LaTeX Beamer, 16:9: pdfLaTeX for English, XeLaTeX with ctex where there is Chinese in it."""

from collections.abc import Callable

from roofproof.export.latex.escaping import escape, has_chinese
from roofproof.export.slides.model import Code, Deck, Inline, Math, Picture
from roofproof.export.slides.rendering import Ready, rendered


def beamer(deck: Deck) -> str:
    """Return a deck as the source of a Beamer document.

    >>> from roofproof.export.slides.model import Frame, Text
    >>> deck = Deck(("100 %",), (), "en", (Frame(("A & B",), (Text(("\\\\input{x}", Math("x^2"))),)),))
    >>> [line for line in beamer(deck).splitlines() if "A " in line or "input" in line]
    ['\\\\begin{frame}{A \\\\& B}', '\\\\par\\\\smallskip \\\\textbackslash{}input\\\\{x\\\\}$x^2$\\\\par\\\\smallskip']
    """
    filters: dict[str, Callable[..., object]] = {"words": words, "drawn": drawn}
    text = rendered("deck.tex.j2", deck, escape, filters, chinese=deck.language == "zh")
    if deck.language != "zh" and has_chinese(text):  # a name, say
        text = rendered("deck.tex.j2", deck, escape, filters, chinese=True)
    return text


def words(sentence: Inline) -> Ready:
    """Return a sentence in LaTeX, its text escaped.

    >>> words(("50 % of ", Math("I"), " of ", Code("a_b")))
    '50 \\\\% of $I$ of \\\\texttt{a\\\\_b}'
    """
    return Ready("".join(_part(part) for part in sentence))


def _part(part: str | Math | Code) -> str:
    if isinstance(part, Math):
        return f"${part.tex}$"
    if isinstance(part, Code):
        return f"\\texttt{{{escape(part.text)}}}"
    return " " * part.startswith(" ") + escape(part) + " " * (part.endswith(" ") and not part.isspace())


def drawn(block: Picture) -> Ready:
    """Return a figure as pgfplots source; the frame has its title."""
    return Ready(block.make().pgfplots(title=False))
