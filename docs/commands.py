"""Generate the command line page from the options of each command: `python docs/commands.py` writes commands.md."""

from collections.abc import Iterator
from pathlib import Path

from roofproof.commands.usage import ALIASES, COMMANDS, EXAMPLES, GROUPS, STATUS

PAGE = Path(__file__).resolve().parent / "commands.md"
HEAD = """# Command line

Written by `python docs/commands.py` from the options that the program reads. `roofproof COMMAND --help` shows the usual
options, and `--help-all` shows every option.

`--at D=4096,F=8k` gives sizes: <!-- claim: 8 * 1000 == 8000 -->8k is 8000<!-- /claim -->. `8Ki`, `1e6`, `2^20` and
`2,000,000` work, too. `--chip` takes a name, a variant such as `tpu-v5e@scaling-book`, a file, or specs on the spot.
`--json` prints [records](formats.md#json).

The exit status is 0 for an answer, 2 for input that cannot be used, and 141 if a pipe is closed.

{status}

Output goes to standard output, and messages go to standard error. The variables `ROOFPROOF_STORE` and
`ROOFPROOF_STORE_KEY` set [the store](certificates.md#the-store).
"""

OLD = """## Names of 0.3

The old names work in version 1.0, and print the new one on standard error.

| old | new |
|---|---|
"""


def _cell(text: str) -> str:
    return text.replace("%%", "%").replace("|", "&#124;").replace("\n", " ")


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if "|" not in text else f"<code>{_cell(text)}</code>"


def _names(takes: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each argument as typed, with its description. `~` marks an option that only `--help-all` shows."""
    for name, about in takes.items():
        words = name.split()
        marks = [word for word in words if word in ("*", "!", "~")]
        shown = " ".join(word for word in words if word not in marks)
        more = ("; needed" if "!" in marks else "") + (
            "; repeatable" if "*" in marks and "repeatable" not in about else ""
        )
        yield shown, about + more


def page() -> str:
    """Return the page: each group of commands, with a table of arguments and examples for each command."""
    status = "\n".join(f"- `{name}`: {text}" for name, text in STATUS.items())
    parts = [HEAD.format(status=status)]
    for group, names in GROUPS.items():
        parts.append(f"## {group}\n")
        for name in names:
            about, takes = COMMANDS[name]
            rows = "".join(f"| {_code(shown)} | {_cell(text)} |\n" for shown, text in _names(takes))
            lines = "\n".join(EXAMPLES[name])
            table = f"| argument | meaning |\n|---|---|\n{rows}\n" if rows else ""
            parts.append(f"### {name}\n\n{about[0].upper()}{about[1:]}.\n\n{table}```bash\n{lines}\n```\n")
    old = "".join(f"| `{old}` | `{new}` |\n" for old, new in ALIASES.items())
    parts.append(f"{OLD}{old}")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
