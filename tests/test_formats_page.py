"""The page of file formats names the keys of each JSON record, and its files are read."""

import json
import re
from pathlib import Path

import pytest
from test_readme import run_command

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
