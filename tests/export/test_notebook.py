"""The example notebook reproduces its stored output, and all objects are displayed as safe HTML and LaTeX.

After an intended change, `python tests/export/test_notebook.py` runs the notebook and stores its new output.
"""

import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from roofproof import chip, intensity, limit, op, threshold
from roofproof.answer import Shown
from roofproof.claims.judge.verdict import Report
from roofproof.export.explain.objects import formula, page
from roofproof.hardware import Chip, Figure
from roofproof.ops import entries, from_expressions

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "examples" / "rooflines.ipynb"
KEPT = ("text/latex", "text/html", "image/svg+xml")


def run(path: Path) -> dict[str, Any]:
    """Run a notebook, and return it without any trace of when or where it ran."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    cells: list[dict[str, Any]] = []
    for number, cell in enumerate(notebook.cells):
        kept: dict[str, Any] = {"cell_type": cell.cell_type, "id": f"cell-{number}", "metadata": {}}
        if cell.cell_type == "code":
            outputs = [output(each) for each in cell.outputs]
            kept |= {"execution_count": cell.execution_count, "outputs": outputs}
        cells.append(kept | {"source": cell.source.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def output(each: Any) -> dict[str, Any]:
    assert each.output_type in ("execute_result", "display_data"), each
    data = {kind: each.data[kind] for kind in KEPT if kind in each.data}
    assert data, "a cell shows something in words alone"
    found = {"output_type": each.output_type, "metadata": {}, "data": data}
    return found | ({"execution_count": each.execution_count} if "execution_count" in each else {})


def compared(notebook: dict[str, Any]) -> list[Any]:
    """Return the parts that must match, without SVG data, whose paths depend on the matplotlib version."""
    cells = []
    for cell in notebook["cells"]:
        shown = [
            {kind: "" if kind == "image/svg+xml" else data for kind, data in each["data"].items()}
            for each in cell.get("outputs", [])
        ]
        cells.append(("".join(cell["source"]), shown))
    return cells


@pytest.mark.slow
def test_the_example_notebook_runs_and_shows_what_it_holds() -> None:
    pytest.importorskip("nbclient", reason="nbclient is not installed; cure: pip install -e '.[test]'")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed; cure: pip install -e '.[test]'")
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert compared(run(NOTEBOOK)) == compared(stored)


def test_the_example_notebook_is_small_and_clean() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text) < 150_000
    stored = json.loads(text)
    assert list(stored["metadata"]) == ["kernelspec"]
    assert all(cell["metadata"] == {} for cell in stored["cells"])
    kinds = {kind for cell in stored["cells"] for each in cell.get("outputs", []) for kind in each["data"]}
    assert kinds == set(KEPT)


# --- displayed objects ----------------------------------------------------------------------------


def latex_of(thing: Any) -> Any:
    return thing._repr_latex_()


def html_of(thing: Any) -> Any:
    return thing._repr_html_()


PIECE = re.compile(r"\$\\displaystyle (.*)\$", re.DOTALL)


def well_formed(html: str) -> None:
    """Check that every tag is closed and that only the tags that roofproof writes occur."""
    open_tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            assert tag in {"p", "b", "br", "span", "table", "tr", "th", "td"}, tag
            if tag != "br":
                open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Reader().feed(html)
    assert not open_tags


def balanced(latex: str) -> None:
    """Check that dollar signs enclose the formula, and that braces and environments are closed."""
    found = PIECE.fullmatch(latex)
    assert found, latex
    inside = re.sub(r"\\[\\{}$]", "", found[1])
    assert "$" not in inside
    assert inside.count("{") == inside.count("}")
    assert re.findall(r"\\begin\{(\w+)\}", inside).__len__() == re.findall(r"\\end\{(\w+)\}", inside).__len__()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", entries())
def test_every_operation_shows_itself(name: str) -> None:
    found = op(name)
    balanced(str(latex_of(found)))
    well_formed(str(html_of(found)))
    for channel in (n for n in found.demands if n not in found.compute and len(found.units) < 2):
        tends = intensity(found, channel)
        balanced(str(latex_of(tends)))
        assert html_of(tends) is None


def test_a_threshold_shows_its_cases_its_ridge_and_how_it_is_known() -> None:
    found = threshold(op("matmul"), chip("tpu-v5e@scaling-book"), "B", {"D": 4096, "F": 4096})
    text = str(latex_of(found))
    balanced(text)
    assert r"B > \dfrac{RDF}{DF - R(D + F)} & \text{when}\ \frac{1}{D} + \frac{1}{F} < \frac{1}{R}" in text
    assert r"\text{with }R = 9850/41 \approx 240.24" in text
    assert r"\text{at }D = 4096\text{, }F = 4096\text{: }B > 10086400/37059 \approx 272.17\text{; }B = 273" in text
    html = str(html_of(found))
    well_formed(html)
    assert "by the proof checker" in html and "For all " in html and "$F &gt; 0$" in html
    assert "Resting on" in html and r"8.2 \times 10^{11}\,\text{B/s}" in html
    for each in (found.found, found.found.cases):
        balanced(str(latex_of(each)))
        assert html_of(each) is None


def test_a_limit_shows_its_error() -> None:
    found = limit(intensity(op("matmul")).value, "D, F >> B")
    assert latex_of(found) == (
        r"$\displaystyle \begin{aligned} & I \to B\ \text{as }D, F \gg B \\ & \text{replacing }I\ \text{by }B\ "
        r"\text{has relative error exactly }\frac{\lvert B - I \rvert}{I} = \frac{B}{D} + \frac{B}{F} \end{aligned}$"
    )
    html = str(html_of(found.derivation))
    well_formed(html)
    assert html.count("checker") == 2, "the limit and its error"


def test_every_type_that_has_a_formula_or_a_page_is_shown() -> None:
    kinds = {kind for shown in (formula, page) for kind in shown.registry if kind is not object}
    assert len(kinds) > 10 and all(issubclass(kind, Shown) for kind in kinds)


@pytest.mark.slow
def test_a_shell_shows_our_types() -> None:
    """A new process is needed, as IPython has one shell per process and the display code is imported on first use."""
    code = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
import roofproof
import sys; assert "roofproof.export.explain.objects" not in sys.modules
data, _ = shell.display_formatter.format(roofproof.op("dot"))
assert data["text/latex"].startswith("$") and data["text/html"].startswith("<p>"), data
data, _ = shell.display_formatter.format(roofproof.intensity(roofproof.op("dot")))
assert "text/latex" in data and "text/html" not in data
"""
    pytest.importorskip("IPython", reason="IPython is not installed; cure: pip install -e '.[test]'")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


HOSTILE = "<script>alert(1)</script> & \"x\" 'y' $ζ$ \\input{q}\n</td>"


def test_names_from_outside_are_no_markup() -> None:
    figures = tuple(
        Figure(name, Fraction(10**12), unit, HOSTILE, "given", HOSTILE)
        for name, unit in (("bf16", "FLOP/s"), ("hbm", "B/s"))
    )
    mine = Chip("mine", figures, HOSTILE)
    named = replace(op("matmul"), name=HOSTILE, convention=HOSTILE)
    hostile = dict.fromkeys(("exact", "condition", "error_bound", "slip", "note"), HOSTILE)
    verdict = Report("refuted", "kernel", counterexample={HOSTILE: Fraction(1, 2)}, **hostile)
    proved = threshold(named, mine, "B")
    for each in (mine, named, verdict, proved, proved.derivation):
        html = str(html_of(each))
        well_formed(html)
        assert "<script" not in html
        ours = re.sub(r'<span class="tex2jax_ignore mathjax_ignore">.*?</span>', "", html, flags=re.DOTALL)
        assert "ζ" not in ours, "a text from outside may hold dollar signs: it stands where no formula is looked for"
    for each in (named, proved, intensity(named)):
        text = str(latex_of(each))
        balanced(text)
        assert "\\input" not in text


def test_an_operation_without_bytes_or_flops_shows_itself() -> None:
    for bare in (from_expressions("work", flops={"bf16": "N"}), op("all-gather"), op("embedding")):
        balanced(str(latex_of(bare)))
        well_formed(str(html_of(bare)))


if __name__ == "__main__":
    NOTEBOOK.write_text(json.dumps(run(NOTEBOOK), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def test_what_an_operation_assumes_stands_beside_its_formulas() -> None:
    window = op("sliding-window-attention")
    assert r"& \text{assuming }W \leq L" in latex_of(window) and r"$W \leq L$<" in html_of(window)
    tiled = op("tiled-matmul:b=t,f=t,d=64")
    found = threshold(tiled, chip("h100-sxm"), "t", {"B": 8192, "D": 8192, "F": 8192})
    for shown in (latex_of(found), latex_of(found.found), latex_of(tiled)):
        assert r"t \mid B\ \text{and }t \mid F\ \text{and }64 \mid D\ \text{and }256t + 2t^2 \leq \text{vmem}" in shown
    assert r"t > 81018880/132271 \approx 612.52\text{; no integer }t" in latex_of(found)
    assert "no integer" not in latex_of(threshold(op("matmul"), chip("h100-sxm"), "B", {"D": 64, "F": 64}))
