"""The prose of the user pages and of the help is plain: short sentences, no semicolons, none of the banned patterns.

A page joins PAGES when it is rewritten. Code, tables, headings and program output are no prose.
"""

import re
from pathlib import Path

import pytest

from roofproof.commands.usage import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    "README.md", "docs/agents.md", "docs/answers.md", "docs/audit.md", "docs/bounds.md", "docs/claims.md",
    "docs/documents.md", "docs/exercises.md", "docs/gallery.md", "docs/getting-started.md", "docs/grading.md",
    "docs/index.md", "docs/limits.md", "docs/models.md", "docs/operations.md", "docs/python.md", "docs/questions.md",
    "docs/site.md", "docs/slides.md", "docs/steps.md", "docs/sweeps.md", "docs/times.md", "docs/tracing.md",
    "docs/trust.md", "docs/tutorial-author.md", "docs/tutorial-engineer.md", "docs/tutorial-lecture.md",
    "docs/typesetting.md",
)  # fmt: skip
LONGEST = 25  # words of a sentence
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
    lines = ["" if re.match(r"\s*(\||#|!\[|<|>>>)", line) else line for line in text.splitlines()]
    text = "\n".join(re.sub(r"^\s*(- |\d+\. )", "\n\n", line) for line in lines)
    text = re.sub(r"\{?\w*\}?`+[^`]*`+", "code", text)  # a role with its text, or code
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\$[^$]+\$", "formula", text)
    paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))
    return [said for each in paragraphs for said in re.split(r"(?<=[.:?!])\s+", each) if said]


@pytest.mark.parametrize("page", PAGES)
def test_sentences_of_a_page_are_short_and_plain(page: str) -> None:
    sentences = prose((ROOT / page).read_text(encoding="utf-8"))
    assert [said for said in sentences if len(said.split()) > LONGEST] == []
    assert [said for said in sentences if ";" in said] == []
    assert [said for said in sentences if BANNED.search(said)] == []


def test_lines_of_help_are_plain() -> None:
    lines = [line for about, takes in COMMANDS.values() for line in (about, *takes.values())]
    assert [line for line in lines if BANNED.search(line) or re.match(r"(what|who|which|that)\b", line)] == []


def test_what_is_not_plain_is_seen() -> None:
    assert BANNED.search("It is told here.") and BANNED.search("It stands beside it.")
    assert not BANNED.search("roofproof prints it.")
    assert prose("# Head\n\nOne `a; b` line. Two [c](d).\n\n| a | b; c |\n\n- three") == [
        "One code line.",
        "Two c.",
        "three",
    ]
