"""Maxima commands in the texts, titles, words and sizes of STACK questions are never executed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.banks.stack import export
from roofproof.teach import variants
from roofproof.teach.bank_file import bank_of

TOUCH = 'system("touch pwned")'
PAYLOADS = (
    f'"; {TOUCH}; "', f"'; {TOUCH}$ '", f"1]; {TOUCH}; [1", f"]]>{TOUCH};<![CDATA[", f"*/ {TOUCH}; /*",
    f"/* {TOUCH}; */", f"\\\"; {TOUCH}; \\", f"{{@{TOUCH}@}} {{#{TOUCH}#}}",
    f"[[if test='{TOUCH}=0']]a[[/if]] [", f"[{{@]]{TOUCH}[[[",
    f"x\n:lisp (run-program touch)\n{TOUCH};\n", f"\\({TOUCH}\\) \\input{{x}} \\def\\a{{b}}", f"$ {TOUCH} $ ?\\$SYSTEM",
    f"&quot;; {TOUCH}; </text></questionvariables>", f"kill(all); {TOUCH}; quit();", f"``{TOUCH}`` %e @x@",
)  # fmt: skip
CASTEXT = (
    "questiontext", "generalfeedback", "specificfeedback", "questionnote", "truefeedback", "falsefeedback", "hint",
)  # fmt: skip
WORD = "harmless"
PLACES = ("title", "source", "text", "hint", "word", "chip", "about")
SIZES = (
    "system", "quit", "kill", "lisp", "batch", "load", "E", "D_n", "block", "lambda", "run_testsuite", "eval_string",
)  # fmt: skip
BANK = """
[bank]
title = {title}
source = {source}
[[exercise]]
id = "q"
text = {text}
source = {source}
op = "op.toml"
asks = "bytes"
hints = [{hint}]
[[exercise]]
id = "two"
text = "On a {{chip}}, for {{word}}, with $D = {{D}}$: which bound?"
op = "matmul"
chip = "{{chip}}"
asks = "bound"
at = {{ B = "{{D}}", D = 4096, F = 4096 }}
vary = {{ chip = ["chip.toml"], word = [{word}], D = [8, 16] }}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if shutil.which("maxima") is None:
        pytest.skip("NOT RUN BY MAXIMA: it is not installed; cure: apt install maxima")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def exported(place: str, said: str, size: str = "B") -> ElementTree.Element:
    """Return the questions of an exercise file with a text in one place."""
    told = {each: json.dumps(said if each == place else WORD, ensure_ascii=False) for each in PLACES}
    Path("chip.toml").write_text(f'title = {told["chip"]}\nbf16 = "2e14 FLOP/s"\nhbm = "8e11 B/s"\n')
    Path("op.toml").write_text(f'about = {told["about"]}\nop = "x:bf16[{size},D], w:bf16[D,F] -> y:bf16[{size},F]"')
    found = bank_of(BANK.format(**told), "x.toml")
    made = [v for each in found.exercises for v in variants(each, 2, 0)]
    [(text, _)] = export(found, made, "en").values()
    return ElementTree.fromstring(text)


def computed(root: ElementTree.Element) -> list[str]:
    """Return the code that STACK passes to Maxima: variables, tests, and value placeholders in texts."""
    stack = [each for each in root.iter("question") if each.get("type") == "stack"]
    texts = [each.findtext("text") or "" for q in stack for part in CASTEXT for each in q.iter(part)]
    code = [each.findtext("text") or "" for each in root.iter("questionvariables")]
    fields = [each.text or "" for tag in ("tans", "sans", "value", "testoptions", "options") for each in root.iter(tag)]
    return code + fields + re.findall(r"\{[@#].*?[@#]\}|\[\[.*?\]\]", "\n".join(texts), re.DOTALL)


def in_any_order(code: str) -> list[str]:
    """Return the sorted strings, names and signs of code, because the order of choices is random."""
    return sorted(re.findall(r'"[^"]*"|\w+|\S', code))


def run(code: list[str]) -> str:
    Path("run.mac").write_text("".join(f"kill(all)$ stack_seed: 2$ {each} print(values)$\n" for each in code))
    done = subprocess.run(["maxima", "--very-quiet", "-b", "run.mac"], capture_output=True, text=True, timeout=120)
    return done.stdout


@pytest.mark.slow
def test_what_maxima_computes_is_the_same_whatever_the_texts_say() -> None:
    harmless = computed(exported("title", WORD))
    tokens = list(map(in_any_order, harmless))
    written = 0
    for place in PLACES:
        for said in PAYLOADS:
            try:
                root = exported(place, said)
            except RoofproofError as refused:
                assert str(refused).count("\n") == 0
                continue
            written += 1
            assert list(map(in_any_order, computed(root))) == tokens, (place, said)
    assert written > 40
    own = [each for each in harmless if "rp_answer0:" in each]
    assert len(own) == 2
    said = run(own)
    assert "2 D F + 2 B F + 2 B D" in said and not Path("pwned").exists()
    assigned = {
        name for each in re.findall(r"(?<!\])\[stack_seed,[^]]*\]", said) for name in re.findall(r"[a-z_]+", each)
    }
    assert assigned == {"stack_seed", "rp_variant", "rp_answer", "ta"}
    run([f"rp_answer0: 1; {TOUCH};"])
    assert Path("pwned").exists()  # the payload works if it runs


def test_a_size_named_as_a_command_is_a_name() -> None:
    code = []
    for size in SIZES:
        [own, _] = [each for each in computed(exported("title", WORD, size)) if "rp_answer0:" in each]
        code.append(own + f"print(is(equal(ta1, 2*D*F + 2*{size}*F + 2*{size}*D)))$")
    said = run(code)
    assert re.findall(r"(?m)^(true|false|unknown) *$", said) == ["true"] * len(SIZES), said
    assert not Path("pwned").exists()


def test_every_variable_of_maxima_that_has_a_value_is_refused_as_a_size() -> None:
    """Every Maxima variable with a value is refused as a size, in the installed version. The list is from 5.46."""
    from roofproof.export.banks._maxima import is_taken

    Path("bound.mac").write_text(
        ":lisp (do-symbols (s :maxima) (let ((n (symbol-name s))) (when (and (> (length n) 1) (char= (char n 0) #\\$)"
        ' (boundp s) (not (eq (symbol-value s) s))) (format t "~a~%" n))))\n'
    )
    done = subprocess.run(["maxima", "--very-quiet", "-b", "bound.mac"], capture_output=True, text=True, timeout=120)
    bound = {line.lower() for line in re.findall(r"(?m)^\$([A-Z][A-Z0-9_]*)$", done.stdout)}
    assert len(bound) > 300
    assert not {name for name in bound if not is_taken(name)}
