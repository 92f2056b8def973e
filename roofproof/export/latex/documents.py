r"""Standalone documents for pdfLaTeX, or for XeLaTeX with ctex if they are in Chinese or contain Chinese."""

from roofproof.derive.algebra.text import plain
from roofproof.export.latex.escaping import comment, has_chinese
from roofproof.export.latex.templates import environment
from roofproof.export.latex.words import words
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.known import PRINTED

PACKAGES = ("adjustbox", "amsmath", "array", "booktabs", "longtable", "siunitx")
"""The packages that a fragment needs in its document."""


def document(body: str, title: str, *, lang: str = "en", about: str = "") -> str:
    r"""Return a document that compiles as it is. `title` is TeX, and `about` is a comment for its first line.

    >>> text = document("$B > 240$", "matmul", about="roofproof derive matmul")
    >>> print(text.splitlines()[0])
    % roofproof derive matmul
    >>> "ctex" in text, "ctexart" in document("$B$ 大于 240", "matmul")
    (False, True)

    Text that contains Chinese is set with ctex in either language. Raises RoofproofError for another language.
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
    r"""Return a fragment to paste into a document, with a comment that lists the packages it needs.

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
    """Print a fragment, or write a whole document if a path is given (compiled if it ends in .pdf).

    Raises RoofproofError for a path that cannot be written, and if TeX is needed but missing.
    """
    if path is None:
        print(fragment(body, about), end="")
        return
    from roofproof.export.latex.compiling import write_document

    write_document(path, document(body, title, lang=lang, about=about))


def summary_comment(op: Operation, chip: Chip | None, proved: ProvedThreshold | None) -> str:
    """Return a summary of a fragment in one line, for the source of a document.

    >>> from roofproof import op
    >>> summary_comment(op("matmul"), None, None)
    'matmul: 2*B*D*F FLOPs'
    """
    counted = " + ".join(f"{plain(op.compute[unit])} {unit}" for unit in op.units)
    said = f"{op.name}: {counted if len(op.units) > 1 else plain(op.flops)} FLOPs"
    if proved:
        said += f"; solved for {proved.found.unknown}, {PRINTED[proved.trust]}"
    return said + (f"; on {chip.name}" if chip else "")
