"""Print the answers to the problems in a file, in order. test_same_answer.py runs this script.

A problem is a command as a list of words, or a claim as TOML.
"""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from roofproof.cli import main

SECONDS = re.compile(r'"seconds": [\d.e+-]+')


def answer(problem: list[str] | str) -> str:
    """Return the exit status and the output, without run times and the path of the claims file."""
    out = io.StringIO()
    with TemporaryDirectory() as home, redirect_stdout(out), redirect_stderr(out):
        if isinstance(problem, str):
            book = Path(home) / "book.claims.toml"
            book.write_text(problem, encoding="utf-8")
            problem = ["verify", "--json", str(book)]
        status = main(problem)
    return f"{status}\n{SECONDS.sub('SECONDS', out.getvalue().replace(home, 'HOME'))}"


if __name__ == "__main__":
    print(json.dumps([answer(problem) for problem in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))]))
