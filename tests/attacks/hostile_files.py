"""Hostile input in other files: pages, models, profiles, slides, grades, and stored entries."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from hostile_documents import ROOT, check_message


def _kept(name: str, text: str) -> str:
    """Write the text to the only file that may be written, and return its name."""
    Path(f"out.{name}").write_bytes(text.encode("utf-8", "surrogateescape"))
    return f"out.{name}"


def _collected(text: str) -> object:
    """Read a Markdown page as pytest collects it: a claims file made of its fenced blocks."""
    from roofproof.claims.language.book import blocks_of, book_from_text

    book = book_from_text(blocks_of(text), "page.md")
    for each in book.claims:
        check_message(getattr(each, "message", ""))
    return book


COLLECTED = ['# Page\n\n```claim\nid = "a"\nsays = "flops(matmul) == 2 B D F"\n```\n\n```claim\nid = "b"\n```\n']


def _model(text: str) -> object:
    from roofproof.ops.models.named import model

    found = model(_kept("toml", text))
    return found.layers, found.name


def _models() -> list[str]:
    return [p.read_text(encoding="utf-8") for p in sorted(ROOT.glob("roofproof/ops/models/*.toml"))][:40]


def _profile(text: str) -> object:
    from roofproof.times.tables import read_times

    return read_times(_kept("json", text), lenient=True)


@cache
def _profiles() -> list[str]:
    """Return the profile texts defined in the tests of the profile readers."""
    text = (ROOT / "tests/times/test_profiles.py").read_text(encoding="utf-8")
    scope: dict[str, Any] = {"json": json}
    for made in re.findall(r"(?ms)^[A-Z_]+ = (?:json\.dumps\(|\"\"\").*?(?:^\)|\"\"\")$", text):
        exec(compile(made, __file__, "exec"), scope)
    found = [each for name, each in scope.items() if name.isupper() and isinstance(each, str)]
    assert found
    return found


def _packed(text: str) -> object:
    """Read a gzip-compressed table of times, with some bytes changed if the text says so after `@`."""
    from roofproof.times.tables import read_times

    table, _, spoil = text.partition("@")
    content = bytearray(gzip.compress(table.encode("utf-8", "surrogateescape"), mtime=0))
    for each in spoil.encode("utf-8", "surrogateescape"):
        content[each % len(content)] ^= each | 1
    Path("out.tsv").write_bytes(content)
    return read_times("out.tsv")


def _own_slides(text: str) -> object:
    from roofproof.export.slides.own_markdown import own_slides

    return own_slides(text, "own.md", Path())


OWN = [
    "# Part\n\n## Hook\n\n50 ms or **5 s**?\n\n- $I > R$\n- `code`\n\n<!-- Wait.\n\nThen go on. -->",
    "## Table\n\n| a | b |\n|---|:-:|\n| 1 | $x^2$ |\n\n1. one\n2. two\n\n[link](https://example.org/a)\n",
    "## Code\n\n```python\nprint('x')\n```\n\n$$\na &= b \\\\\n&\\le c\n$$\n\n![a photo](photo.png)\n",
]


def _grades(text: str) -> object:
    """Resume `grade --answers` from the file that an interrupted run left."""
    from roofproof.commands.bulk import questions_of, rows_from
    from roofproof.commands.grade_many import _digest, _done

    questions = questions_of('[[question]]\nid = "a"\nop = "matmul"\n', "x.toml")
    Path("out.csv").write_text("question,answer\na,1\na,2\n", encoding="utf-8")
    rows = rows_from("out.csv", questions)
    head = _digest(b"book", rows, "en")
    part = Path(_kept("part", f"{json.dumps(head)}\n{text}" if not text.startswith('"') else text))
    return _done(part, head, rows)


def _graded() -> list[str]:
    columns = '"question": "a", "answer": "1", "grade": "wrong", "slip": "", "read_as": "1", "says": "no"'
    return [f"[1, {{{columns}}}]\n[2, {{{columns}}}]\n", '[1, {"question": "a"}]\n', '"0" * 64\n[1, {}]\n']


def _workers(text: str) -> object:
    from roofproof.parallel import workers_from

    return workers_from(text)


def _store(text: str) -> object:
    """Read the name of a store as a folder below the current one."""
    from roofproof.proofs.replay.store_folder import Folder

    return Folder("out/" + re.sub(r"\.\.|^/+", "_", text))


def _verdict(text: str) -> object:
    """Read a stored verdict with a valid seal. A verdict that does not hold must still be refused."""
    from roofproof.claims.judge.verdict import Verdict
    from roofproof.claims.verdict_cache import from_data
    from roofproof.errors import RoofproofError
    from roofproof.proofs.kernel.terms import KernelError
    from roofproof.proofs.known import Unwarranted

    try:
        found = from_data(json.loads(text))
    except (KernelError, Unwarranted, LookupError, TypeError, ValueError, ArithmeticError, RecursionError) as refused:
        raise RoofproofError(type(refused).__name__) from None
    assert isinstance(found, Verdict)
    return found


@cache
def _verdicts() -> list[str]:
    from roofproof.claims.judge.judge import judge
    from roofproof.claims.language.book import book_from_text
    from roofproof.claims.verdict_cache import to_data

    says = ("a + b <= 2 max(a, b)", "2 + 2 == 5", "flops(matmul) == 2 B D F", "sqrt(2) > 1.41", "x > 0 => x^2 > 0")
    text = "".join(f'[[claim]]\nid = "c{k}"\nsays = "{each}"\n' for k, each in enumerate(says))
    kept = [to_data(judge(each)) for each in book_from_text(text, "x.toml").claims if not hasattr(each, "message")]
    return [json.dumps(each) for each in kept if each is not None]


OF_FILES: dict[str, tuple[Callable[[str], object], Callable[[], list[str]], int]] = {
    "collected page": (_collected, lambda: COLLECTED, 8),
    "model file": (_model, _models, 12),
    "profile": (_profile, _profiles, 12),
    "packed times": (_packed, lambda: ["m,ms\n16,7.5\n8,1\n", "m\tms\n16\t7.5\n@ab", "gpu,n,us\nh100,8,1\n@x"], 4),
    "own slides": (_own_slides, lambda: OWN, 12),
    "grades of an earlier run": (_grades, _graded, 4),
    "workers": (_workers, lambda: ["4", "threads:2", "tcp://10.0.0.7:8786"], 2),
    "place of a store": (_store, lambda: ["store", "C:\\store", "NUL", "s3://bucket/a"], 2),
    "kept verdict": (_verdict, _verdicts, 12),
}
