"""The consumers of exported banks accept them: LaTeX, mystmd, Maxima, and the question API of PrairieLearn."""

import json
import re
import runpy
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from roofproof.cli import main
from roofproof.export.banks import bank_format, formats
from roofproof.export.banks._prose import in_words
from roofproof.export.banks._solution import why
from roofproof.export.banks.stack import maxima
from roofproof.export.latex.compiling import compiled
from roofproof.say import Words
from roofproof.teach import Variant, bank, variants
from roofproof.teach.bank_file import bank_of, shipped

SAMPLE = ("q1-bytes", "q1-rule", "q2-rule", "q3-exact", "slides-bound", "slides-ridge")
AWKWARD = """
[[exercise]]
id = "awkward"
text = "50% of A & B_1 < C ~ 3 # 'quoted' ]]> 😀 \\"x\\""
op = "matmul"
asks = "flops"
hints = ["a_b & 100%"]
"""


@cache
def sample() -> tuple[Variant, ...]:
    chosen = [e for e in bank("rooflines").exercises if e.id in SAMPLE]
    chosen += bank_of(AWKWARD, "awkward.toml").exercises
    return tuple(v for e in chosen for v in variants(e, 2, 5))


def written(name: str, lang: str) -> dict[str, str]:
    return {file: text for file, (text, _) in bank_format(name)(bank("rooflines"), sample(), lang).items()}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", formats())
def test_a_bank_is_the_same_each_time_and_holds_every_variant(name: str, lang: str) -> None:
    files = written(name, lang)
    assert files == written(name, lang)
    everything = "\n".join(files.values())
    for exercise in {v.exercise.id for v in sample()}:
        assert exercise in everything or name == "latex"
    assert "Traceback" not in everything and "{chip}" not in everything


def test_an_exact_answer_is_a_formula_on_a_sheet() -> None:
    solved = written("latex", "en")["sheet-001-solutions.tex"]
    assert r"$B > 243.2$\quad exactly $B > 19700/81$" in solved


@pytest.mark.slow
@pytest.mark.tex
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_sheets_compile_and_nothing_is_cut_off(lang: str) -> None:
    if shutil.which("xelatex" if lang == "zh" else "pdflatex") is None:
        pytest.skip("NOT COMPILED: TeX is not installed")
    for name, text in written("latex", lang).items():
        pdf, log = compiled(text)
        assert pdf.startswith(b"%PDF"), name
        assert not re.findall(r"^Overfull \\hbox \((\d\d+)", log, re.M), name


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pages_are_built_by_mystmd(lang: str, tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("NOT BUILT BY MYSTMD: node and npm are not installed")
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "mystmd@^1.8"]
    done = subprocess.run(install, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    if done.returncode:
        pytest.skip(f"NOT BUILT BY MYSTMD: npm could not install it: {done.stderr.strip()[-200:]}")
    home = tmp_path / "bank"
    home.mkdir()
    for name, text in written("myst", lang).items():
        (home / name).write_text(text, encoding="utf-8")
    command = [tmp_path / "node_modules" / ".bin" / "myst", "build", "--site"]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=120)  # the theme needs a network
    assert "⚠" not in done.stdout + done.stderr, done.stdout
    for exercise in {v.exercise.id for v in sample()}:
        page = json.loads((home / "_build/site/content" / f"{slug(exercise)}.json").read_text(encoding="utf-8"))
        kinds = json.dumps(page["mdast"])
        mine = [v for v in sample() if v.exercise.id == exercise]
        assert kinds.count('"type": "exercise"') == kinds.count('"type": "solution"') == len(mine)


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


@pytest.mark.sampled(5)
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("seed", ["0", "1", "3k"])
def test_questions_keep_the_contract_of_prairielearn(seed: str, lang: str, tmp_path: Path) -> None:
    files = written("prairielearn", lang)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    ids = set()
    for info in tmp_path.rglob("info.json"):
        about = json.loads(info.read_text(encoding="utf-8"))
        assert about["type"] == "v3" and about["title"] and about["topic"]
        ids.add(about["uuid"])
        server = runpy.run_path(str(info.with_name("server.py")))
        mine = [v for v in sample() if v.exercise.id == info.parent.name]
        parts = ("params", "correct_answers", "submitted_answers", "format_errors", "partial_scores", "feedback")
        data = {"variant_seed": seed, "score": None, **{part: {} for part in parts}}
        server["generate"](data)
        json.dumps(data)
        variant = mine[data["params"]["variant"]]
        assert plain(data["params"]["text"]) == plain(variant.text(lang))
        assert plain(data["params"]["answer"]) == plain(in_words(variant.key, Words(lang)))
        answers = [(variant.key, 1.0), *((d.shown, 0.0) for d in variant.distractors)]
        for said, score in answers:
            data["submitted_answers"]["answer"] = said
            server["parse"](data)
            assert not data["format_errors"]
            server["grade"](data)
            assert data["score"] == data["partial_scores"]["answer"]["score"] == score, (said, variant.key)
        data["submitted_answers"]["answer"] = "import os"
        server["parse"](data)
        assert list(data["format_errors"]) == ["answer"]
        assert ("无法理解" in data["format_errors"]["answer"]) == (lang == "zh")
    assert len(ids) == len(files) / 4


def shown(text: str) -> str:
    """Return the text that a consumer of GIFT or HTML displays."""
    return unescape(re.sub(r"\\([~=#{}:\\])", r"\1", text).replace("<br>", "\n"))


def plain(text: str) -> str:
    """Return a text without formula markup and spaces: `3.94 \\times 10^{14}` becomes 3.94e14."""
    text = re.sub(r"\\[()]|(?<!\\)\$", "", unescape(text))
    text = re.sub(r" ?\\times 10\^\{(-?\d+)\}", r"e\1", text).replace(r"\mu\text{s}", "us")
    for sign, said in ((r"\gg", ">>"), (r"\gt", ">"), (r"\lt", "<"), ("^{2}", "^2"), ("**", "^"), (r"\$", "$")):
        text = text.replace(sign, said)
    return re.sub(r"[\s*]", "", text)


def gift(text: str) -> dict[str, tuple[str, list[tuple[str, str, str]]]]:
    """Parse questions as Moodle does: an empty line ends each, and a character after a backslash is literal."""
    found = {}
    category = ""
    for question in text.strip().split("\n\n"):
        if question.startswith("$CATEGORY: "):
            category = question.rpartition("/")[2]
            continue
        assert question.startswith(f"::{category}-")  # the id of the exercise
        said = re.fullmatch(
            r"::((?:\\.|[^\\:])+)::\[html\]((?:\\.|[^\\{])+) \{\n(.*)\n####(?:\\.|[^\\~=#{}])+\n\}", question, re.S
        )
        assert said, question
        options = [
            re.fullmatch(r"([=~])((?:\\.|[^\\~=#{}])+)(?:#((?:\\.|[^\\~=#{}])+))?", o) for o in said[3].split("\n")
        ]
        found[shown(said[1])] = shown(said[2]), [(o[1], shown(o[2]), shown(o[3] or "")) for o in options if o]
        assert all(options)
    return found


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_gift_says_which_answer_is_right_and_what_is_wrong_with_the_others(lang: str) -> None:
    found, words = gift(written("gift", lang)["gift.txt"]), Words(lang)
    assert list(found) == [v.id for v in sample()]
    for variant in sample():
        text, options = found[variant.id]
        assert plain(text) == plain(variant.text(lang))
        assert [plain(said) for sign, said, _ in options if sign == "="] == [plain(in_words(variant.key, words))]
        wrong = {plain(said): plain(slip) for sign, said, slip in options if sign == "~"}
        assert wrong == {plain(in_words(d.shown, words)): plain(why(d, lang)) for d in variant.distractors}


@pytest.mark.parametrize("name", formats())
def test_a_word_that_is_an_answer_is_said_in_chinese(name: str) -> None:
    asked = tuple(v for v in sample() if v.exercise.id == "slides-bound")
    [(text, _)] = [f for file, f in bank_format(name)(bank("rooflines"), asked, "zh").items() if holds(file)]
    assert "访存受限" in text or "计算受限" in text
    shown_to_all = re.sub(
        r'<value>.*?</value>|<tans>.*?</tans>|"[a-z]+-bound", (?:true|false)|rp_answer\d+: .*', "", text
    )
    assert not re.findall(r"(?:memory|compute)\\?-bound", shown_to_all)


def holds(file: str) -> bool:
    """Return whether a file of a bank contains answers."""
    return file.endswith(("gift.txt", "slides-bound.md", "variants.json", "stack.xml", "1-solutions.tex"))


def test_response_trees_give_the_scores_that_their_tests_expect_in_maxima(tmp_path: Path) -> None:
    if shutil.which("maxima") is None:
        pytest.skip("NOT RUN BY MAXIMA: it is not installed; cure: apt install maxima maxima-share")
    root = ElementTree.fromstring(written("stack", "en")["stack.xml"])
    questions = [q for q in root.findall("question") if q.get("type") == "stack"]
    seeds = {q: [each.text for each in q.findall("deployedseed")] or ["1"] for q in questions}
    assert sum(map(len, seeds.values())) == len(sample()) and len(questions) < len(sample())
    lines, expected = [], []
    for question, seed in [(q, seed) for q in questions for seed in seeds[q]]:
        nodes = question.findall("prt/node")
        lines.append(f"kill(all)$ stack_seed: {seed}$ {question.findtext('questionvariables/text')}".replace(";", "$"))
        for test in question.findall("qtest"):
            said = test.findtext("testinput/value")
            for node in nodes:
                lines.append(f"print({judged(node, said)})$")
            expected.append(
                (
                    len(nodes),
                    test.findtext("expected/expectedanswernote"),
                    test.findtext("expected/expectedscore"),
                    nodes,
                )
            )
    batch = tmp_path / "trees.mac"
    batch.write_text("\n".join(lines) + "\n")
    done = subprocess.run(["maxima", "--very-quiet", "-b", str(batch)], capture_output=True, text=True, timeout=120)
    passed = [line.strip() == "true" for line in done.stdout.splitlines() if line.strip() in ("true", "false")]
    assert len(passed) == sum(line.startswith("print") for line in lines), done.stdout[-2000:]
    for count, note, score, nodes in expected:
        here, passed = passed[:count], passed[count:]
        first = nodes[here.index(True)]  # the tree continues if a node does not pass
        assert (first.findtext("trueanswernote"), first.findtext("truescore")) == (note, score)


def judged(node: ElementTree.Element, said: str | None) -> str:
    """Return the answer test of a node as a Maxima expression."""
    right, test = node.findtext("tans"), node.findtext("answertest")
    if test == "NumRelative":
        return f"is(abs(({said}) - ({right})) <= {Fraction(str(node.findtext('testoptions')))} * abs({right}))"
    return f"is(equal({said}, {right}))" if test == "String" else f"is(ratsimp(({said}) - ({right})) = 0)"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_field_of_stack_says_which_form_it_reads(lang: str) -> None:
    words = Words(lang)
    root = ElementTree.fromstring(written("stack", lang)["stack.xml"])
    found = {q.findtext("idnumber"): q.find("input") for q in root.findall("question") if q.get("type") == "stack"}
    assert {said.findtext("syntaxattribute") for said in found.values() if said is not None} == {"1"}  # a placeholder
    hints = {id: said.findtext("syntaxhint") for id, said in found.items() if said is not None}
    assert hints["q1-bytes-001"] == words.say("a formula, such as <example>", example="3*B/(F + 1)")
    assert (hints["q3-exact-001"], hints["slides-bound-001"]) == (words["a number, such as 1.5e3 or 3/2"], "")


def test_each_seed_of_stack_is_a_variant_with_its_own_text_and_key() -> None:
    """The seeds are deployed, and the text of a variant has the same index as its key."""
    root = ElementTree.fromstring(written("stack", "en")["stack.xml"])
    several = {q.findtext("idnumber"): q for q in root.findall("question") if q.findall("deployedseed")}
    name, question = next(iter(several.items()))
    made = [v for v in sample() if f"{v.exercise.id}-001" == name]
    assert [s.text for s in question.findall("deployedseed")] == [str(n) for n in range(1, len(made) + 1)]
    assert "{#rp_variant#}" in str(question.findtext("questionnote/text"))
    text = str(question.findtext("questiontext/text"))
    keys = re.search(r"rp_answer0: \[(.*)\]\[rp_variant\];", str(question.findtext("questionvariables/text")))
    assert keys is not None
    for place, (variant, key) in enumerate(zip(made, keys[1].split(", "), strict=True), 1):
        block = re.search(rf"\[\[if test='rp_variant={place}'\]\](.*?)\[\[/if\]\]", text, re.S)
        assert block is not None and plain(block[1]) == plain(variant.text("en"))
        assert key == maxima(variant.asked.key, variant.asked)


def test_text_stays_text_in_xml() -> None:
    root = ElementTree.fromstring(written("stack", "en")["stack.xml"])
    texts = [q.findtext("questiontext/text") or "" for q in root.findall("question")]
    assert sum("50% of A &amp; B_1 &lt; C" in text for text in texts) == 1
    assert all("<script" not in text for text in texts)


def test_the_command_writes_a_folder_and_says_what_is_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "b.toml"
    book.write_text('[[exercise]]\nid = "a"\ntext = "How many bytes?"\nop = "matmul"\nasks = "bytes"')
    home = tmp_path / "out"
    assert main(["exercises", str(book), "--variants", "3", "--to", "myst", "-o", str(home)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"wrote {home} (exercises: 1, variants: 1, files: 3, wrong answers: 4); keys proved, "
        "wrong answers proved different from them",
        "fewer than 3 variants: a: 1",
    ]
    assert sorted(p.name for p in home.iterdir()) == ["a.md", "index.md", "index.txt", "myst.yml"]
    assert "\n\n**Usual mistakes**\n\n- " in (home / "a.md").read_text()  # no lines of the derivation
    assert main(["exercises"]) == 0
    assert capsys.readouterr().out.split() == shipped()


@pytest.mark.slow
def test_one_pass_writes_several_formats_a_folder_each(tmp_path: Path) -> None:
    for home, named in ((tmp_path / "both", ("gift", "myst")), (tmp_path / "one", ("gift",))):
        assert main(["exercises", "memory", *(f"--to={name}" for name in named), f"-o={home}"]) == 0
    files = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*.txt")}
    assert set(files) == {"both/index.txt", "both/gift/gift.txt", "one/index.txt", "one/gift.txt"}
    assert files["both/gift/gift.txt"] == files["one/gift.txt"]


REFUSED = {
    "--to qti -o out": "unknown exercise format 'qti'",
    "-o out": "--to is missing; expected gift, latex",
    "--to myst": "-o is missing; expected a folder to write, such as -o quiz",
    "--to myst -o out --seed x": "--seed 'x': expected a whole number, such as 7",
    "--to myst -o out --variants 99999": "--variants 99999: at most 10000 of an exercise",
    "--to myst -o out --lang fr": "unknown language 'fr'",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_done_is_said_in_one_line(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["exercises", "rooflines", *words.split()]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"roofproof: {REFUSED[words]}") and said.err.count("\n") == 1 and not said.out
    assert not list(tmp_path.iterdir())
