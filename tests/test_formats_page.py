"""The file formats page names the keys of each JSON record, and the right command reads every file on a page."""

import json
import re
import shlex
from pathlib import Path

import pytest
from test_readme import blocks, run_command

from roofproof.cli import main

PAGE = Path(__file__).resolve().parent.parent / "docs" / "formats.md"
MATMUL = "matmul --chip tpu-v5e --for B --at D=4096,F=4096 --json"
COMMANDS = {
    "`derive`, `trace`": f"derive {MATMUL}",
    "... `threshold`": f"derive {MATMUL}",
    "`derive` for several chips": "derive matmul --chip tpu-v5e,h100-sxm --for B --json",
    "`traffic`": "traffic matmul --chip h100-sxm --json",
    "`time`": "time matmul --chip h100-sxm --at B=512,D=4096,F=4096 --measured '24 us' --json",
    "`verify`": "verify examples/chapter.claims.toml --json",
    "`grade`": "grade --op matmul --chip tpu-v5e --for B --answer 'B > 120' --json",
}


@pytest.mark.parametrize("row", COMMANDS)
def test_the_page_names_the_keys_of_a_record(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PAGE.parent.parent)
    [line] = re.findall(rf"^\| {re.escape(row)} \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    record = json.loads(run_command(f"roofproof {COMMANDS[row]}"))
    record = record["threshold"] if row.startswith("...") else record[0] if isinstance(record, list) else record
    inner = [each for value in record.values() if isinstance(value, list) for each in value if isinstance(each, dict)]
    keys = set(record) | ({key for each in inner for key in each} if row in ("`verify`", "`time`") else set())
    assert keys - set(re.findall(r"`(\w+)`", line)) == set()


FILES = [
    pytest.param(body, id=f"{page.name}:{body.splitlines()[0][:24]}")
    for page in sorted(PAGE.parent.glob("*.md"))
    for _, body in blocks(page, "toml")
]
READ_BY = {  # a table of the file, and the command that reads it
    "[course]": "slides --course a.toml --part handout -o out.md",
    "[bank]": "exercises a.toml --to gift -o out",
    "[[claim]]": "verify a.toml",
    "[[formula]]": "audit a.toml",
    "[[question]]": "grade --answers a.csv --exercises a.toml -o out.csv",
    "[reads]": "derive a.toml",
    "steps  =": "derive a.toml",
    "layers =": "derive decode-step:a.toml --chip h100-sxm --for B",
    "bf16 = ": "derive matmul --chip a.toml --for B",
    "vendor = ": "show a.toml",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("body", FILES)
def test_a_file_on_a_page_is_read_by_its_command(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text(body, encoding="utf-8")
    Path("a.csv").write_text("question,answer\nflops,2BDF\n", encoding="utf-8")
    Path("gate.toml").write_text((PAGE.parent.parent / "examples/operations/gate.toml").read_text(encoding="utf-8"))
    command = next(command for part, command in READ_BY.items() if part in body)
    assert main(shlex.split(command)) == 0
