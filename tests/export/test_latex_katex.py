"""Every exported formula parses in KaTeX's strict mode.

npm installs KaTeX into a temporary folder, and a node process parses all formulas of a test.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from test_latex_round_trip import expressions
from typeset_all import worked

from roofproof.export.explain.threshold import explain
from roofproof.export.latex.conditions import cases
from roofproof.export.latex.expressions import FORMS, latex
from roofproof.export.outline import outline
from roofproof.export.to_html import to_html

pytestmark = pytest.mark.tex

LOOK = """
const katex = require("katex");
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
const wrong = [];
for (const formula of formulas) {
  try { katex.renderToString(formula, { throwOnError: true, strict: "error", displayMode: true }); }
  catch (problem) { wrong.push(problem.message.slice(0, 200) + "  IN  " + formula.slice(0, 300)); }
}
console.log(JSON.stringify(wrong));
"""
Looked = Callable[[list[str]], list[str]]


@pytest.fixture(scope="module")
def katex(tmp_path_factory: pytest.TempPathFactory) -> Looked:
    """Return a function that lists the formulas that KaTeX rejects, with the reasons."""
    home = tmp_path_factory.mktemp("katex")
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("NOT PARSED BY KATEX: node and npm are not installed")
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "katex@^0.16"]
    done = subprocess.run(install, cwd=home, capture_output=True, text=True, timeout=300)
    if done.returncode:
        pytest.skip(f"NOT PARSED BY KATEX: npm could not install it: {done.stderr.strip()[-200:]}")
    Path(home, "look.js").write_text(LOOK)

    def look(formulas: list[str]) -> list[str]:
        done = subprocess.run(
            ["node", "look.js"], cwd=home, input=json.dumps(formulas), capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        wrong: list[str] = json.loads(done.stdout)
        return wrong

    return look


@pytest.mark.slow
def test_every_operation(katex: Looked) -> None:
    formulas = []
    for each in worked():
        for lang in ("en", "zh"):
            told = to_html(explain(outline(each.op, each.chip, each.proved, {}, steps=True)), lang)
            formulas += [unescape(tex) for tex in re.findall('<span class="tex[^"]*">([^<]*)</span>', told)]
            if each.proved is not None:
                for found in (each.proved.found.symbolic, each.proved.found.cases):
                    formulas.append(cases(found, lang=lang))
    assert len(formulas) > 1000
    assert katex(formulas) == []


@pytest.mark.slow
def test_random_expressions(katex: Looked) -> None:
    formulas: list[str] = []

    @given(expressions)
    def collect(expression: object) -> None:
        for form in FORMS:
            formulas.append(latex(expression, form=form, display=len(formulas) % 2 == 0))

    collect()
    assert len(formulas) > 60
    assert katex(formulas) == []


def test_what_is_no_formula_is_told(katex: Looked) -> None:
    assert len(katex([r"\frac{a}{b}", r"\frac{a}", "a_b_c", "字"])) == 3
