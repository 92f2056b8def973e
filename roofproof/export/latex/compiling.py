r"""Compilation of TeX to PDF. An error about a missing program or file names the package that contains it.

TeX runs without shell escape in its own folder, so that nothing in a document can run a command.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from roofproof.errors import RoofproofError, quoted
from roofproof.export.files import write_together
from roofproof.sentences import Sentence, joined

SECONDS = 180
_DEBIAN = {
    "pdflatex": "texlive-latex-recommended lmodern",
    "xelatex": "texlive-xetex",
    "beamer.cls": "texlive-latex-recommended",
    **dict.fromkeys(("adjustbox.sty", "tabulary.sty", "varwidth.sty"), "texlive-latex-extra"),
    "siunitx.sty": "texlive-science",
    "pgfplots.sty": "texlive-pictures",
    "tikz.sty": "texlive-pictures",
    "ctexart.cls": "texlive-lang-chinese",
    "ctexbeamer.cls": "texlive-lang-chinese",
    "ctex.sty": "texlive-lang-chinese",
    "lmodern.sty": "lmodern",
}


def engine_for(text: str) -> str:
    """Return the TeX engine that a document needs: XeLaTeX if its first lines say so, else pdfLaTeX.

    >>> engine_for("% !TeX program = xelatex"), engine_for("% matmul")
    ('xelatex', 'pdflatex')
    """
    return "xelatex" if re.search(r"(?m)^% !TeX program = xelatex$", text[:2000]) else "pdflatex"


def write_document(path: str, text: str, beside: Mapping[str, bytes] | None = None) -> None:
    """Write a document as TeX with the pictures `beside` it, or compile it if the name ends in `.pdf`.

    Raises RoofproofError for a path that cannot be written, for another file with the name of a picture, and if TeX
    or one of its packages is missing.
    """
    if path.lower().endswith(".pdf"):
        write_together({path: compiled(text, beside)[0]})
        return
    placed: dict[str, str | bytes] = {path: text}
    for name, content in (beside or {}).items():
        target = Path(path).parent / name
        if target.is_file() and target.stat().st_size == len(content) and target.read_bytes() == content:
            continue
        if target.exists():
            raise RoofproofError(
                "cannot write <target>: another file has this name; name a new folder", target=quoted(str(target))
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        placed[str(target)] = content
    write_together(placed)


def compiled(text: str, beside: Mapping[str, bytes] | None = None) -> tuple[bytes, str]:
    """Return the PDF of a document, which may use the pictures `beside` it, and the log of the last of two runs.

    Raises RoofproofError, with the package to install, if something is missing in TeX.
    """
    engine = engine_for(text)
    if shutil.which(engine) is None:
        raise RoofproofError(
            "<engine> is not installed; <install>, or write a .tex file", engine=engine, install=_install(engine)
        )
    with tempfile.TemporaryDirectory() as home:
        source = Path(home) / "document.tex"
        source.write_text(text, encoding="utf-8")
        for name, content in (beside or {}).items():
            (Path(home) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(home) / name).write_bytes(content)
        command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", source.name]
        for _ in range(2):  # widths of long tables are known after the first run
            try:
                done = subprocess.run(command, cwd=home, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                raise RoofproofError("<engine> took more than <seconds> s", engine=engine, seconds=SECONDS) from None
            log = source.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
            if done.returncode:
                raise _failure(engine, log)
        return source.with_suffix(".pdf").read_bytes(), log


def converted(pdf: bytes, kind: str) -> bytes:
    """Return the first page of a PDF as SVG or PNG. Raises RoofproofError without poppler, or if it fails."""
    if shutil.which("pdftocairo") is None:
        raise RoofproofError("pdftocairo is not installed; it is in poppler-utils, or write a .pdf")
    with tempfile.TemporaryDirectory() as home:
        source, target = Path(home, "picture.pdf"), Path(home, "picture")
        source.write_bytes(pdf)
        how = ["-svg"] if kind == "svg" else ["-png", "-singlefile", "-r", "300"]
        given = ["-f", "1", "-l", "1", str(source), f"{target}.svg" if kind == "svg" else str(target)]
        command = ["pdftocairo", *how, *given]
        try:
            done = subprocess.run(command, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise RoofproofError("pdftocairo took more than 60 s for a page of a PDF; save it anew") from None
        if done.returncode:
            raise RoofproofError("pdftocairo cannot read page 1 of a PDF; save it anew")
        return Path(f"{target}.{kind}").read_bytes()


def _failure(engine: str, log: str) -> RoofproofError:
    if lacking := re.search(r"File `([^']+)' not found", log):
        return RoofproofError(
            "TeX lacks <lacking>; <install>, or write a .tex file", lacking=lacking[1], install=_install(lacking[1])
        )
    if lacking := re.search(r'font "([^"]+)" cannot be found', log):
        return RoofproofError(
            "TeX lacks the font <lacking>; <install>, or write a .tex file",
            lacking=quoted(lacking[1]),
            install=_install("ctex.sty"),
        )
    said = re.search(r"(?m)^! (.*)$", log)
    return RoofproofError(
        "<engine> refused the document: <said>", engine=engine, said=said[1] if said else "see its log"
    )


def _install(what: str) -> str:
    package = _DEBIAN.get(what, "texlive-latex-extra")
    return Sentence(
        "on Debian and Ubuntu it is in <packages>", packages=joined("<first> and <second>", package.split())
    )
