"""Figures compile as pgfplots source, standalone and in a document. The tests are skipped without TeX."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from roofproof.export.plots import PREAMBLE

from test_plots import FIGURES  # isort: skip

# The page is as large as the figure requests, so TeX reports anything outside it as an overfull box.
CHINESE = ["roofline-two-bandwidths", "threshold-three-chips", "regions-three", "time-three", "hostile-names"]
FRAME = r"\hbox{\vbox{\hsize=13.95cm\noindent %s\par}}"


def compiled(engine: str, source: str, where: Path) -> str:
    """Run TeX and return its log."""
    if shutil.which(engine) is None or not have("pgfplots.sty", "standalone.cls"):
        reason = f"{engine} with pgfplots is not installed; cure: apt-get install texlive-pictures texlive-xetex"
        pytest.skip(reason)
    (where / "figure.tex").write_text(source, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "figure.tex"]
    run = subprocess.run(command, cwd=where, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, "\n".join(re.findall(r"^!.*(?:\n.*){4}", run.stdout, re.MULTILINE))
    return run.stdout


def have(*files: str) -> bool:
    return shutil.which("kpsewhich") is not None and all(
        subprocess.run(["kpsewhich", file], capture_output=True, env=os.environ).returncode == 0 for file in files
    )


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "engine", "loads"), [("en", "pdflatex", ""), ("zh", "xelatex", "ctex")])
def test_every_figure_compiles_within_a_document(lang: str, engine: str, loads: str, tmp_path: Path) -> None:
    if loads and not have("ctex.sty", "FandolHei-Regular.otf"):
        pytest.skip("ctex is not installed; cure: apt-get install texlive-lang-chinese")
    names = [name for name in FIGURES if name != "hostile-names"] if lang == "en" else CHINESE
    figures = "\n".join(FRAME % FIGURES[name](lang).pgfplots() + r"\clearpage" for name in names)
    chinese = r"\usepackage[fontset=fandol]{ctex}" if loads else ""
    log = compiled(
        engine,
        rf"\documentclass{{article}}{PREAMBLE}{chinese}\textheight=20cm\begin{{document}}{figures}\end{{document}}",
        tmp_path,
    )
    assert "Overfull" not in log
    assert "Missing character" not in log
    assert f"({len(names)} pages" in log


def test_a_figure_compiles_alone_and_is_taken_by_a_document(tmp_path: Path) -> None:
    FIGURES["roofline"]("en").save(tmp_path / "alone.tex")
    compiled("pdflatex", (tmp_path / "alone.tex").read_text(), tmp_path)
    log = compiled(
        "pdflatex",
        rf"\documentclass{{article}}{PREAMBLE}\begin{{document}}\input{{alone.tex}} and after\end{{document}}",
        tmp_path,
    )
    assert "(1 page" in log
