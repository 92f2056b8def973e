"""The commands of the tutorials run, links lead somewhere, and the reference names every public name."""

import inspect
import re
import shlex
from pathlib import Path

import pytest

import roofproof
from roofproof.cli import main
from roofproof.pages.written import page_from_text

DOCS = Path(__file__).resolve().parent.parent / "docs"
NAMED = re.compile(r"^`(?P<name>[\w-]+\.\w+)`[:：]\n\n```(?:toml|text)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
BASH = re.compile(r"^```bash\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile("^```claim\n.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PAGES = tuple(
    f"{folder}{name}.md"
    for name in ("tutorial-lecture", "tutorial-chapter", "tutorial-answers", "slides")
    for folder in ("", "zh/")
)
CONSOLE = re.compile(r"^\$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)$", re.MULTILINE)
FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>[^\n]*)\n(?P<body>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8").replace("\\\n", "")
    lines = [line.partition("  #")[0].strip() for m in BASH.finditer(text) for line in m["body"].splitlines()]
    ours = [line for line in lines if line.startswith("roofproof ")]
    return [line for line in ours if not line.endswith((".pdf", " site"))]  # these take TeX, and minutes


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_each_command_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")
    for m in NAMED.finditer((DOCS / page).read_text(encoding="utf-8")):
        (tmp_path / m["name"]).write_text(m["body"], encoding="utf-8")
    lines = commands(page)
    assert lines
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "roofproof"
        with pytest.raises(SystemExit) as ended:
            raise SystemExit(main(arguments))
        assert not ended.value.code, line


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda p: str(p.relative_to(DOCS)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in LINK.findall(text):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda p: str(p.relative_to(DOCS)))
def test_a_page_has_a_claim_that_holds_when_it_is_built(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert page_from_text(text, str(page)).written or re.search("^```claim$", text, re.MULTILINE)


PAGES_IN_BOTH = sorted(p.name for p in (DOCS / "zh").glob("*.md"))


def test_a_page_without_a_chinese_one_offers_none() -> None:
    for page in DOCS.glob("*.md"):
        if page.name not in PAGES_IN_BOTH:
            assert f"](zh/{page.name})" not in page.read_text(encoding="utf-8"), page


@pytest.mark.parametrize("name", PAGES_IN_BOTH)
def test_a_page_leads_to_itself_in_the_other_language(name: str) -> None:
    for page, link in ((DOCS / name, f"[中文](zh/{name})"), (DOCS / "zh" / name, f"[English](../{name})")):
        assert link in page.read_text(encoding="utf-8").split("\n## ")[0], page


@pytest.mark.parametrize("name", PAGES_IN_BOTH)
def test_blocks_of_claims_are_those_of_the_english_page(name: str) -> None:
    """The blocks are judged once on the English page, and claims in sentences when the pages are built."""
    found = [BLOCK.findall(page.read_text(encoding="utf-8")) for page in (DOCS / name, DOCS / "zh" / name)]
    assert found[0] == found[1]


@pytest.mark.parametrize("name", PAGES_IN_BOTH)
def test_commands_and_files_are_those_of_the_english_page(name: str) -> None:
    """A Chinese page runs the commands of the English one, with `--lang zh` for Chinese output, and has its files."""
    shown = []
    for page in (DOCS / name, DOCS / "zh" / name):
        blocks = [m for m in FENCE.finditer(page.read_text(encoding="utf-8")) if m["kind"] != "{toctree}"]
        ran = [m["command"].replace(" --lang zh", "") for b in blocks for m in CONSOLE.finditer(b["body"])]
        others = [b["body"] for b in blocks if b["kind"] in ("bash", "toml", "claim", "yaml", "json", "latex")]
        shown.append((ran, others))
    (english, files), (chinese, own) = shown
    if name != "index.md":  # which is the README, too
        assert [command for command in chinese if command not in english] == []
        assert [body for body in own if body not in files] == []


@pytest.mark.parametrize("name", PAGES_IN_BOTH)
def test_numbers_of_a_chinese_page_stand_in_the_english_one(name: str) -> None:
    """Every number of two digits or more in the Chinese sentences is also in the English ones."""
    texts = [FENCE.sub("", page.read_text(encoding="utf-8")) for page in (DOCS / name, DOCS / "zh" / name)]
    if name == "index.md":  # which is the README, too
        texts[0] += (DOCS.parent / "README.md").read_text(encoding="utf-8")
    english, chinese = (set(re.findall(r"\d[\d,]*\.?\d+", text)) for text in texts)
    assert chinese - english == set()


@pytest.mark.parametrize("page", ["quickstart.md", "zh/quickstart.md"])
def test_the_engine_that_a_page_embeds_is_published_beside_it(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    [source] = re.findall(r'<script type="module" src="([^"]+)"', text)
    assert (DOCS / page).parent.joinpath(source).resolve() == DOCS / "site" / "assets" / "embed.mjs"
    assert (DOCS.parent / "roofproof" / "export" / "site" / "assets" / "embed.mjs").exists()
    workflow = (DOCS.parent / ".github" / "workflows" / "docs.yml").read_text(encoding="utf-8")
    assert "roofproof site docs/_build/site" in workflow


def test_the_reference_names_every_public_name() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    named = re.findall(r"^\.\. auto\w+:: roofproof\.(\w+)$", text, re.MULTILINE)
    assert named == sorted(n for n in roofproof.__all__ if not inspect.ismodule(getattr(roofproof, n)))
