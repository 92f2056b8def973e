"""Commands in titles, names, notes and sources stay plain text in every output format.

Each command writes twice: with a harmless word and with a payload in its place. TeX, Markdown, HTML, YAML,
SVG, CSV, Coq, SMT-LIB and TOML must see the same markup and code both times, or the payload is refused in one line.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
import xml.dom.minidom
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

from roofproof.cli import main

PAYLOADS = {
    "tex": r"\input{/etc/passwd} \immediate\write18{touch pwned} ^^5cinput{x} }{ $x$ % & # _ \end{document}",
    "html": '<script>alert(1)</script> "><img src=x onerror=alert(1)> [x](javascript:alert(1)) --> <!-- {{7*7}}',
    "table": "=cmd|' /C calc'!A0",
    "yaml": "x: &a *a !!python/object/apply:os.system ['touch pwned'] # : - {\" '",
    "lines": "a\n---\ntitle: x\n---\n```\n:::\n=1+1\n\\input{x}\n# b\n",
    "coq": '"); Axiom x : False. (* " *) *) Admitted. (*',
    "smt": "|\n(assert false)\n; (check-sat) |",
    "banks": "{=right ~wrong #no} ::x:: {{c1::cloze}} $CATEGORY: x @x@ [[input:a]] $(touch pwned) `touch pwned`",
}
WORD = "harmless"
FILES = {
    "x.claims.toml": """textbook = {{ title = {0}, source = {0} }}
claim = [{{ id = {0}, source = {0}, says = "x > 0 => 2 x > x" }},
         {{ id = "two", source = {0}, says = "1 + 1 == 3", expect = "refuted" }}]""",
    "chip.toml": """title = {0}
generation = {0}
l2 = "50 MiB"
hbm = {{ value = "8e11 B/s", source = {0} }}
bf16 = {{ value = "2e14 FLOP/s", convention = {0}, status = "vendor docs", source = {0} }}""",
    "op.toml": """source = {0}
about = {0}
op = "x:bf16[B,D], w:bf16[D,F] -> y:bf16[B,F]\"""",
    "bank.toml": """bank = {{ title = {0}, source = {0} }}
[[exercise]]
id = "q"
text = {0}
source = {0}
op = "matmul"
asks = "flops"
hints = [{0}]""",
    "course.toml": """course = {{ title = {1}, subtitle = {1} }}
chips = {{ v5e = "tpu-v5e" }}
[[slide]]
title = {1}
section = {1}
say = {{ en = {0}, zh = {0} }}""",
    "asked.toml": """question = [{{ id = "q", op = "dot", asks = "flops" }}]""",
}
ON = "op.toml --chip chip.toml --for B"
COMMANDS = {
    "claims": "verify x.claims.toml --report out/claims.md --coq out/coq --smtlib out/smt",
    "errata": "verify x.claims.toml --report out/claims.tex",
    "derivation": f"derive {ON} --latex -o out/derivation.tex",
    "frames": f"slides {ON} -o out/deck.tex",
    "quarto": f"slides {ON} -o out/deck.qmd",
    "picture": "plot op.toml --chip chip.toml --at B=8,D=4096,F=4096 -o out/roof.svg",
    "pgfplots": "plot op.toml --chip chip.toml --at B=8,D=4096,F=4096 -o out/roof.tex",
    "grades": "grade --answers answers.csv --exercises asked.toml -o out/grades.csv",
    "draft": "draft chapter.md -o out/draft.toml",
    "course": "slides --course course.toml --part handout -o out/course.md",
    "bank": "exercises bank.toml --to gift --to latex --to myst --to prairielearn --to stack -o out/bank",
}
QUICK = {"claims", "errata", "derivation", "picture", "grades", "draft", "bank"}
CASES = [
    pytest.param(command, payload, id=f"{command}-{payload}", marks=() if command in QUICK else pytest.mark.slow)
    for command in COMMANDS
    for payload in PAYLOADS
]


def in_toml(text: str) -> str:
    """Return a text as a TOML string, which is spelled as in JSON."""
    return json.dumps(text, ensure_ascii=False)


def write_inputs(text: str) -> None:
    for name, form in FILES.items():
        Path(name).write_text(form.format(in_toml(text), in_toml(f"{text} // {text}")), encoding="utf-8")
    Path("chapter.md").write_text(f"# {text}\n\n{text}: $$ 2 + 2 = 4 $$ {text}\n", encoding="utf-8")
    with open("answers.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("question", "answer", text), ("q", "2N", text), ("q", text, text)])


def written(command: str, text: str, home: Path) -> dict[str, str] | None:
    """Return the files that a command writes, by name, or None if it refuses the text."""
    home.mkdir()
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(home)
        write_inputs(text)
        Path("out").mkdir()
        before = {*Path().iterdir()}
        code = main(COMMANDS[command].split())
        assert {*Path().iterdir()} == before
        if code == 2:
            return None
        found = [p for p in sorted(Path("out").rglob("*")) if p.is_file() and "library" not in p.parts]
        return {str(p.relative_to("out")): p.read_text(encoding="utf-8") for p in found}


@cache
def plain(command: str, home: Path) -> dict[str, str]:
    found = written(command, WORD, home)
    assert found is not None
    return found


# --- markup and code in each format ------------------------------------------------------

ESCAPED = {
    "textbackslash",
    "textasciicircum",
    "textasciitilde",
    "textasciigrave",
    "allowbreak",
    "textquotedbl",
    "raggedright",
}


def commands_of_tex(text: str) -> set[str]:
    assert "^^" not in re.sub(r"(?m)(?<!\\)%.*", "", text)
    bare = re.sub(r"\\\\|\\[%&#$_{}]", "", text)
    body = re.sub(r"(?m)%.*", "", bare)
    assert body.count("{") == body.count("}")
    return set(re.findall(r"\\([A-Za-z@]+)", body)) - ESCAPED


def markup_of_page(text: str) -> set[str]:
    """Return the markup in a Markdown page: HTML tags, links and the keys of its front matter."""
    markdown_it = pytest.importorskip("markdown_it")
    yaml = pytest.importorskip("yaml")
    found = set()
    if text.startswith("---\n"):
        head, _, text = text[4:].partition("\n---\n")
        found = {f"front matter {key}" for key in yaml.safe_load(head)}
    tokens = markdown_it.MarkdownIt("commonmark", {"html": True}).parse(text)
    every = [each for token in tokens for each in (token, *(token.children or ()))]
    html = [re.sub(r"(<!-- _class: size-)[0-9]+", r"\1", t.content) for t in every if t.type.startswith("html")]
    tags = {tag for each in html for tag in re.findall(r"<!--|</?[A-Za-z][^\s>]*|\son\w+\s*=|javascript:", each)}
    return found | tags | {str(t.attrs.get("href")) for t in every if t.type == "link_open"}


def elements_of_xml(text: str) -> set[str]:
    found, waiting = set(), [xml.dom.minidom.parseString(text.encode()).documentElement]
    while waiting:
        node = waiting.pop()
        found |= {node.tagName, *(f"@{name}" for name in dict(node.attributes.items()))}
        waiting += [child for child in node.childNodes if child.nodeType == child.ELEMENT_NODE]
    return found


def formulas_of_csv(text: str) -> set[str]:
    cells = [cell for row in csv.reader(text.splitlines(keepends=True)) for cell in row]
    return {cell for cell in cells if re.match(r"[=+\-@\t\r]", cell)}


def without_comments(text: str) -> set[str]:
    """Return the sentences of a Coq file without comments. Comments nest, and quotes within them pair."""
    depth, kept = 0, ""
    for piece in re.split(r"(\(\*|\*\)|\"[^\"]*\")", text):
        depth += (piece == "(*") - (piece == "*)")
        kept += piece if depth == 0 and piece != "*)" else ""
    assert depth == 0
    return {" ".join(each.split()) for each in kept.split(".\n")}


def commands_of_smt(text: str) -> set[str]:
    return {line for line in text.splitlines() if not line.startswith(";")}


def keys_of_toml(text: str) -> set[str]:
    table = tomllib.loads(text)
    return {*table, *(key for claim in table.get("claim", []) for key in claim)}


READ: dict[str, Callable[[str], Iterable[str]]] = {
    ".tex": commands_of_tex, ".md": markup_of_page, ".qmd": markup_of_page, ".svg": elements_of_xml,
    ".xml": elements_of_xml, ".csv": formulas_of_csv, ".v": without_comments, ".smt2": commands_of_smt,
    ".toml": keys_of_toml,
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("payloads")


@pytest.mark.parametrize(("command", "payload"), CASES)
def test_a_payload_is_text(command: str, payload: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    harmless = plain(command, place / command)
    capsys.readouterr()
    found = written(command, PAYLOADS[payload], place / f"{command}-{payload}")
    said = capsys.readouterr().err
    if found is None:
        assert said.startswith("roofproof: ") and said.count("\n") == 1, said
        return
    assert len(found) == len(harmless)
    taken = {ending: {t for name, text in harmless.items() if name.endswith(ending) for t in read(text)}
             for ending, read in READ.items()}  # fmt: skip
    for name, text in found.items():
        if (read := READ.get(Path(name).suffix)) is not None and Path(name).name != "All.v":
            more = {*read(text)} - taken[Path(name).suffix]
            assert not more, (name, more)
