"""The prose of the pages and of the help is plain: short sentences, no semicolons, no banned pattern.

Code, tables, headings and program output are not prose. `python tests/test_prose.py [REVISION ...]` prints the numbers
of docs/evidence.md, for the current pages or for those of a revision.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from roofproof.commands.usage import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = {"chips.md", "commands.md", "coverage.md", "library.md"}  # generated from the package: tables
ENGLISH = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "paper.md", *sorted(ROOT.glob("docs/*.md"))]
PAGES = [str(page.relative_to(ROOT)) for page in ENGLISH if page.name not in WRITTEN]
CHANGES = "CHANGELOG.md"
CHINESE = [str(page.relative_to(ROOT)) for page in sorted(ROOT.glob("docs/zh/*.md"))]
REFERENCES = {"claims.md", "formats.md", "python.md", "glossary.md", "evidence.md"}
LONGEST = 25  # words of a sentence
MOST = 1500  # words of a page that is not a reference, without code, output and tables of numbers
BANNED = re.compile(
    r"\b((is|are|was|were) (told|said)|held (to|against)|hold .{1,20} against|who asks|what no|what nothing"
    r"|comes? to\b(?! \d)|stands? (in|at|on|beside|there|for itself)|lies? (at|beside|there)|beside|of one's own"
    r"|by itself|goes on|is asked"
    r"|is worked out|are worked out|makes? known|what else|there is none)\b",
    re.IGNORECASE,
)
BLOCK = re.compile(r"^(```+|~~~+).*?^\1[^\n]*$|^---\n.*?^---$|<script.*?</script>|<!--.*?-->", re.MULTILINE | re.DOTALL)


def prose(text: str) -> list[str]:
    """Return the sentences of a page, with code as one word."""
    text = re.sub(r"^Sources: .*?(?=\n\n|\Z)", "", BLOCK.sub("", text), flags=re.MULTILINE | re.DOTALL)
    lines = ["" if re.match(r"\s*(\||#|!\[|<|>>>)|    ", line) else line for line in text.splitlines()]
    text = "\n".join(re.sub(r"^\s*(- |\d+\. )", "\n\n", line) for line in lines)
    text = re.sub(r"\{?\w*\}?`+[^`]*`+", "code", text)  # a role with its text, or code
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\$[^$]+\$", "formula", text)
    paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))
    return [said for each in paragraphs for said in re.split(r"(?<=[.:?!])\s+", each) if said]


def figures(texts: list[str]) -> dict[str, float]:
    """Return measures of how plain the prose of some pages is, by the words of its sentences."""
    sentences = [said for text in texts for said in prose(text)]
    words = sum(len(said.split()) for said in sentences)
    told = " ".join(sentences)

    def per_thousand(pattern: str) -> float:
        return round(1000 * len(re.findall(pattern, told, re.IGNORECASE)) / words, 1)

    return {
        "words of prose": words,
        "you and we, per 1,000 words": per_thousand(r"\b(you|your|we|our)\b"),
        "semicolons, per 1,000 words": per_thousand(";"),
        "the word *what*, per 1,000 words": per_thousand(r"\bwhat\b"),
        "words per sentence": round(words / len(sentences), 1),
        "sentences of more than 25 words, per 1,000": round(
            1000 * sum(len(said.split()) > LONGEST for said in sentences) / len(sentences), 1
        ),
    }


@pytest.mark.parametrize("page", [*PAGES, *(f"docs/{name}" for name in sorted(WRITTEN - {"coverage.md"}))])
def test_sentences_of_a_page_are_short_and_plain(page: str) -> None:
    sentences = prose((ROOT / page).read_text(encoding="utf-8").partition("\n# References\n")[0])
    assert [said for said in sentences if len(said.split()) > LONGEST] == []
    assert [said for said in sentences if ";" in said] == []
    assert [said for said in sentences if BANNED.search(said)] == []


def test_changes_are_plain() -> None:
    sentences = prose((ROOT / CHANGES).read_text(encoding="utf-8"))
    assert [said for said in sentences if len(said.split()) > LONGEST or ";" in said or BANNED.search(said)] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_short(page: str) -> None:
    text = BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8"))
    assert Path(page).name in REFERENCES or len(text.split()) <= MOST


@pytest.mark.parametrize("page", CHINESE)
def test_sentences_of_a_chinese_page_are_short(page: str) -> None:
    """A sentence of 25 English words has about 60 characters in Chinese."""
    text = BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8"))
    lines = ["" if re.match(r"\s*(\||#|!\[|<|>>>)", line) else line for line in text.splitlines()]
    plain = re.sub(r"`+[^`]*`+|\$[^$]+\$", "", re.sub(r"\]\([^)]*\)", "", "\n".join(lines)))
    sentences = [said for part in re.split(r"\n\s*\n|\n(?=- |\d+\. )", plain) for said in re.split(r"[。？！：]", part)]
    assert [said for said in sentences if len(re.findall(r"[\u4e00-\u9fff]", said)) > 60] == []


def test_lines_of_help_are_plain() -> None:
    lines = [line for about, takes in COMMANDS.values() for line in (about, *takes.values())]
    assert [line for line in lines if BANNED.search(line) or re.match(r"(what|who|which|that)\b", line)] == []


def test_the_figures_of_the_evidence_page_are_those_of_the_pages() -> None:
    text = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    now = figures([(ROOT / page).read_text(encoding="utf-8") for page in PAGES if page != "docs/evidence.md"])
    for name, value in now.items():
        [shown] = re.findall(rf"^\| {re.escape(name)} \| [\d.,]+ \| ([\d.,]+) \|$", text, re.MULTILINE)
        assert float(shown.replace(",", "")) == pytest.approx(value, rel=0.1, abs=0.5), name


def test_what_is_not_plain_is_seen() -> None:
    assert BANNED.search("It is told here.") and BANNED.search("It stands beside it.")
    assert not BANNED.search("roofproof prints it.")
    assert prose("# Head\n\nOne `a; b` line. Two [c](d).\n\n| a | b; c |\n\n- three") == [
        "One code line.",
        "Two c.",
        "three",
    ]


def pages_of(revision: str) -> list[str]:
    """Return the pages of a git revision."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    names = git("ls-tree", "--name-only", revision, "README.md", "CONTRIBUTING.md", "paper.md", "docs/").splitlines()
    kept = [n for n in names if n.endswith(".md") and Path(n).name not in {*WRITTEN, "evidence.md"}]
    return [git("show", f"{revision}:{name}") for name in kept]


if __name__ == "__main__":
    for revision in sys.argv[1:]:
        print(revision, figures(pages_of(revision)))
    print("now", figures([(ROOT / page).read_text(encoding="utf-8") for page in PAGES if page != "docs/evidence.md"]))


def test_sentences_of_0_3_that_nobody_would_write_are_gone() -> None:
    """They come from pages, help, messages and slides of 0.3. A line is one of them, or a part of one."""
    old = (ROOT / "tests" / "data" / "old_sentences.txt").read_text(encoding="utf-8").splitlines()
    command = ["git", "ls-files", "roofproof", "docs", "examples", "README.md", "CONTRIBUTING.md", "paper.md"]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    written = [ROOT / name for name in files if Path(name).suffix in {".md", ".py", ".toml", ".j2", ".mjs", ".tex"}]
    said = " ".join(re.sub(r"\s+", " ", page.read_text(encoding="utf-8")) for page in written)
    assert len(old) > 150 and [sentence for sentence in old if sentence in said] == []
