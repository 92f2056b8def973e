"""The command-line help: groups of commands, the options shown, and examples that run."""

import re
import shlex

import pytest

from roofproof.cli import main, overview
from roofproof.commands.parser import read_arguments, renamed
from roofproof.commands.usage import ALIASES, COMMANDS, EXAMPLES, GROUPS, STATUS

SHOWN = 12  # maximum number of options in `--help` (`--help-all` has them all)


def helped(command: str, option: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main([command, option])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_every_command_is_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS) == sorted(EXAMPLES) and STATUS.keys() <= COMMANDS.keys()


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_the_overview_fits_two_screens(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        assert main(words) == 0
    except SystemExit as ended:
        assert ended.code == 0
    printed = capsys.readouterr().out
    assert printed == overview() and len(printed.splitlines()) <= 48
    assert all(len(line) <= 100 for line in printed.splitlines())
    assert all(re.search(rf"^  {name} +\w.*", printed, re.M) for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_few_options_and_help_all_every_one(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    takes = COMMANDS[command][1]
    options = [name.split()[0] for name in takes if name.startswith("-")]
    usual = helped(command, "--help", capsys)
    every = helped(command, "--help-all", capsys)

    def shown(text: str) -> list[str]:
        return [each for each in options if re.search(rf"^  {each}\b", text, re.M)]

    assert len(shown(usual)) <= SHOWN and shown(every) == options
    assert all(f"\n  {example}\n" in usual for example in EXAMPLES[command])


@pytest.mark.parametrize("example", [each for two in EXAMPLES.values() for each in two])
def test_examples_are_commands(example: str) -> None:
    program, *words = shlex.split(example)
    if program != "quarto":
        assert program == "roofproof" and callable(read_arguments(words).run)


@pytest.mark.parametrize(
    ("example", "status"),
    [
        (EXAMPLES["derive"][0], 0),
        (EXAMPLES["derive"][1], 0),
        (EXAMPLES["traffic"][1], 0),
        (EXAMPLES["sweep"][1], 0),
        (EXAMPLES["time"][0], 0),
        (EXAMPLES["audit"][0], 0),
        (EXAMPLES["grade"][0], 1),
        (EXAMPLES["exercises"][0], 0),
        (EXAMPLES["show"][0], 0),
        (EXAMPLES["show"][1], 0),
        (EXAMPLES["mcp"][1], 0),
    ],
)
def test_examples_answer(example: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(example)[1:]) == status and capsys.readouterr().out


@pytest.mark.parametrize("old", ALIASES)
def test_old_names_are_understood_and_say_the_new_one(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    new = renamed([old, "matmul"])
    assert [*ALIASES[old].split(), "matmul"] == new and old not in COMMANDS and new[0] in COMMANDS
    assert capsys.readouterr().err == f"roofproof: `{old}` is now `{ALIASES[old]}`\n"
    if old in ("check", "bound"):
        words = ["matmul", "--memory", "1MiB"] if old == "bound" else ["--op", "matmul", "--answer", "1"]
        assert main([old, *words, "--json"]) == (1 if old == "check" else 0)
        first = capsys.readouterr()
        assert main([ALIASES[old], *words, "--json"]) == (1 if old == "check" else 0)
        assert capsys.readouterr() == (first.out, "")


def test_show_finds_operations_and_chips(capsys: pytest.CaptureFixture[str]) -> None:
    for name, found in (
        ("matmul", "writes"),
        ("h100-sxm", "NVIDIA"),
        ("h100-sxm@a", ""),
        ("attention", "decode-attention"),
    ):
        if main(["show", name]) == 0:
            assert found in capsys.readouterr().out
    assert main(["show", "h100"]) == 0 and "h100-sxm" in capsys.readouterr().out
    assert main(["show", "operations"]) == main(["show", "chips"]) == 0
    assert main(["show", "nothing-of-the-kind"]) == 2


GIVEN = {"sweep": ["matmul", "--over", "B=1:4", "-o", "x.csv"], "site": ["folder"]}  # other required arguments
SEVERAL = [name for name, (_, takes) in COMMANDS.items() if any(re.match(r"--chip .*\*", each) for each in takes)]


@pytest.mark.parametrize("command", SEVERAL)
def test_chips_may_stand_in_one_option(command: str) -> None:
    words = [command, *GIVEN.get(command, []), "--chip", "h100-sxm,tpu-v5e", "--chip", "bf16=1e12 FLOP/s, hbm=1 GB/s"]
    assert read_arguments(words).chip == ["h100-sxm", "tpu-v5e", "bf16=1e12 FLOP/s, hbm=1 GB/s"]
