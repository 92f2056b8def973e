r"""Standalone documents: English for pdfLaTeX, Chinese (or with Chinese in it) for XeLaTeX and ctex."""

from roofproof.derive.algebra.text import plain
from roofproof.export.latex.escaping import comment, has_chinese
from roofproof.export.latex.templates import environment
from roofproof.export.latex.words import words
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.known import PRINTED

PACKAGES = ("adjustbox", "amsmath", "array", "booktabs", "longtable", "siunitx")
"""What a fragment needs of the document it is pasted into."""


def document(body: str, title: str, *, lang: str = "en", about: str = "") -> str:
    r"""Return a document that compiles as it is; `title` is TeX already, `about` a comment for its first line.

    >>> text = document("$B > 240$", "matmul", about="roofproof derive matmul")
    >>> print(text.splitlines()[0])
    % roofproof derive matmul
    >>> "ctex" in text, "ctexart" in document("$B$ 大于 240", "matmul")
    (False, True)

    A text with Chinese in it is set with ctex in either language. Raises RoofproofError for another language.
    """
    words(lang)
    chinese = lang == "zh" or has_chinese(body + title)
    drawn = "\\begin{tikzpicture}" in body
    template = environment("roofproof.export.latex", {}).get_template("document.tex.j2")
    top = comment(about) if about else ""
    return template.render(
        about=top, chinese=chinese, lang=lang, packages=PACKAGES, drawn=drawn, title=title, body=body.strip()
    )


def fragment(body: str, about: str = "") -> str:
    r"""Return a fragment to paste into a document, with a comment that tells what it needs.

    >>> print(fragment("$B > 240$", "matmul"))
    % matmul
    % needs \usepackage{adjustbox,amsmath,array,booktabs,longtable,siunitx}
    $B > 240$
    <BLANKLINE>
    """
    lines = [comment(about)] if about else []
    packages = ",".join((*PACKAGES, *(["ctex"] if has_chinese(body) else [])))
    needs = rf"% needs \usepackage{{{packages}}}" + (" and XeLaTeX" if has_chinese(body) else "")
    return "\n".join([*lines, needs, body.strip()]) + "\n"


def deliver(body: str, path: str | None, *, title: str, lang: str, about: str) -> None:
    """Print a fragment, or write a whole document where a path is given (compiled for a name that ends in .pdf).

    Raises RoofproofError for a place that cannot be written, and for TeX that is missing where it is needed.
    """
    if path is None:
        print(fragment(body, about), end="")
        return
    from roofproof.export.latex.compiling import write_document

    write_document(path, document(body, title, lang=lang, about=about))


def summary_comment(op: Operation, chip: Chip | None, proved: ProvedThreshold | None) -> str:
    """Return one line that tells what a fragment holds, for the source of a document.

    >>> from roofproof import op
    >>> summary_comment(op("matmul"), None, None)
    'matmul: 2*B*D*F FLOPs'
    """
    counted = " + ".join(f"{plain(op.compute[unit])} {unit}" for unit in op.units)
    said = f"{op.name}: {counted if len(op.units) > 1 else plain(op.flops)} FLOPs"
    if proved:
        said += f"; solved for {proved.found.unknown}, {PRINTED[proved.trust]}"
    return said + (f"; on {chip.name}" if chip else "")
