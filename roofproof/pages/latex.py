r"""The LaTeX package and the file of values that it reads, so that TeX does not run another program."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files

from roofproof.pages.judging import JudgedPageClaim


def file_for(name: str) -> str:
    r"""Return the content of a file: roofproof.sty for LaTeX, roofproof.lua for Quarto and Pandoc.

    >>> r"\NewDocumentCommand\claim" in file_for("roofproof.sty")
    True
    """
    return files("roofproof.pages").joinpath(name).read_text(encoding="utf-8")


def values(judged: Iterable[JudgedPageClaim]) -> str:
    r"""Return the file of values: the claims that hold, those that fail and why, and the values of `\derived`.

    >>> from roofproof.pages.judging import judged_page
    >>> from roofproof.pages.written import page_from_text
    >>> page = page_from_text(r"\claim{1 < 2} \claim{2 < 1} \derived{2^10}", "a.tex", "latex")
    >>> print(values(judged_page(page)), end="")
    % written by: roofproof verify --values
    \roofproofholds{1 < 2}
    \roofprooffails{2 < 1}{a.tex:1: refuted}
    \roofproofvalue{2^10}{1024}
    """
    lines = ["% written by: roofproof verify --values"]
    for each in judged:
        if not each.holds:
            said = re.sub(
                r"[^\w .,:;=<>/()'+*-]", " ", str(each.result.problem) or f"{each.result.id}: {each.result.kind}"
            )
            lines.append(rf"\roofprooffails{{{each.written.raw}}}{{{' '.join(said.split())}}}")
        elif each.written.kind == "derived":
            lines.append(rf"\roofproofvalue{{{each.written.raw}}}{{{each.shown}}}")
        else:
            lines.append(rf"\roofproofholds{{{each.written.raw}}}")
    return "\n".join(dict.fromkeys(lines)) + "\n"


def values_file(path: str) -> str:
    """Return the path of a document's file of values.

    >>> values_file("paper.tex")
    'paper.roofproof'
    """
    return re.sub(r"\.[A-Za-z]+\Z", "", path) + ".roofproof"
