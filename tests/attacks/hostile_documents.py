"""Hostile documents: chapters, exercise files, courses, pages, certificates, and questions from pages and agents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from hostile_words import ANSWERS, GAPS, LATEX, QUESTIONS

ROOT = Path(__file__).resolve().parents[2]
LONGEST_MESSAGE = 1_011  # characters: a thousand after `roofproof: `


def check_message(message: str, longest: int = LONGEST_MESSAGE) -> None:
    assert "\n" not in message and "\r" not in message, f"more than one line: {message!r}"
    assert len(message) <= longest, f"{len(message)} characters: {message[:200]!r}"


def _draft(text: str) -> object:
    """Draft claims from a chapter, and read the draft back as a claims file."""
    from roofproof.claims.draft import draft_of, to_toml
    from roofproof.claims.language.book import book_from_text

    made = draft_of(text, "chapter.md")
    for each in made.unread:
        check_message(str(each.why))
    return book_from_text(to_toml(made), "x.toml").claims


def _chapters() -> list[str]:
    pages = [ROOT / "examples/chapter.md", *ROOT.glob("docs/*.md")]
    paragraphs = [part for page in pages for part in page.read_text(encoding="utf-8").split("\n\n")]
    return [part for part in paragraphs if "$" in part and len(part) < 2_000] + [f"$$ {each} $$" for each in LATEX]


def _exercises(text: str) -> object:
    from roofproof.teach.bank_file import bank_of

    return bank_of(text, "x.toml")


def _course(text: str) -> object:
    from roofproof.teach.course_file import course_of

    return course_of(text, "x.toml")


def _in_parts(folder: str, part: str) -> Callable[[], list[str]]:
    """Return a function that lists the files of a folder, each cut to its head and one of its parts."""

    def found() -> list[str]:
        pieces = [re.split(rf"(?m)^(?=\[\[{part}\]\])", p.read_text(encoding="utf-8"))
                  for p in sorted(ROOT.glob(f"roofproof/teach/{folder}/*.toml"))]  # fmt: skip
        return [head + one for head, *rest in pieces for one in rest if len(head + one) < 6_000]

    return found


@cache
def _gaps() -> Any:
    from sympy import Rational

    from roofproof import chip, op
    from roofproof.export.slides.course_values import FILTERS, best
    from roofproof.export.slides.filling import CourseText

    names = {
        "half": Rational(1, 2),
        "n": 3,
        "text": "abc",
        "v5e": chip("tpu-v5e"),
        "matmul": op("matmul"),
        "best": best,
    }
    return CourseText(names | {"several": {"a": 1, "b": (1, 2)}}, FILTERS, ())


def _gap(text: str) -> object:
    return list(_gaps().filled(list(enumerate(text.split("\n"), 1)), lambda value: str(value)[:100]))


def _site(text: str) -> object:
    """Answer a question from a page to its worker: its kind, then its fields as JSON on the next line."""
    from roofproof.export.site.answers import in_json

    kind, _, payload = text.partition("\n")
    found = json.loads(in_json(kind, payload))
    assert isinstance(found, dict)
    if "error" in found:
        from roofproof.errors import RoofproofError

        raise RoofproofError(found["error"])
    return found


def _questions() -> list[str]:
    one = {"operation": "matmul", "chip": "tpu-v5e", "unknown": "B", "at": "D=4096,F=4096", "place": "64", "lang": "zh"}
    asked = {"op": "matmul", "for": "B", "answer": "B > 240", "hint": "1"}
    variant = {"bank": "rooflines", "id": "q1-bytes", "seed": "7", "answer": "B*D + D*F"}
    book = {"text": '[[claim]]\nid = "a"\nsays = "1 + 1 == 3"', "number": "0"}
    every = [("operation", one), ("derive", one), ("proof", one), ("check", asked), ("exercise", variant)]
    every += [("grade", variant), ("exercises", {"bank": "rooflines"}), ("claims", book), ("verify", book)]
    every += [("file", one | {"what": what}) for what in ("latex", "json", "text", "coq")] + [("errata", book)]
    return [f"{kind}\n{json.dumps(fields)}" for kind, fields in every]


def _certificate(text: str) -> object:
    """Check a certificate with the checker, which refuses with a one-line ValueError, and with the proof kernel."""
    from roofproof.errors import RoofproofError
    from roofproof.proofs.replay.checker import check, show
    from roofproof.proofs.replay.recheck import rechecked

    try:
        hypotheses, conclusion = check(text)
    except ValueError as refused:
        raise RoofproofError(str(refused)) from None
    theorem = rechecked(json.loads(text))[-1]
    assert (set(hypotheses), conclusion) == (set(theorem.hypotheses), theorem.conclusion), "two checkers, two theorems"
    return [show(each) for each in (*hypotheses, conclusion)]


@cache
def _certificates() -> list[str]:
    from roofproof import chip, op, threshold
    from roofproof.proofs.replay.certificate import to_json

    asked = (("dot", "N"), ("matmul", "B"))
    known = [k for name, unknown in asked for k in threshold(op(name), chip("tpu-v5e"), unknown).derivation]
    theorems = [k.warrant.theorem for k in known if hasattr(k.warrant, "theorem")]
    written = [json.dumps(to_json(each, "x")) for each in theorems]
    return [text for text in written if len(text) < 4_000]


def _asked(text: str) -> object:
    from roofproof.commands.bulk import questions_of

    return {name: question.key for name, question in questions_of(text, "x.toml").items()}


def _answered(text: str) -> object:
    """Read a file of answers from disk."""
    from roofproof.commands.bulk import questions_of, rows_from

    Path("out.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    return rows_from("out.csv", questions_of(QUESTIONS[0], "x.toml"))


def _handed_over(text: str) -> object:
    """Rebuild an operation serialized by another process, or refuse it."""
    from roofproof.errors import RoofproofError
    from roofproof.trace.serialize import from_data

    try:
        return from_data(json.loads(text))
    except RoofproofError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError) as refused:
        raise RoofproofError(type(refused).__name__) from None


@cache
def _operations_as_data() -> list[str]:
    from roofproof.ops import parse_operation
    from roofproof.trace.serialize import to_data

    names = ("matmul", "attention", "fft", "all-reduce", "mixture-of-experts", "sliding-window-attention")
    return [json.dumps(to_data(parse_operation(name))) for name in names]


def _page(text: str) -> object:
    """Verify a page with claims, whose language is on the first line. Every problem must be a valid message."""
    from roofproof.pages.judging import judged_page
    from roofproof.pages.written import page_from_text

    language, _, page = text.partition("\n")
    known = ("markdown", "rest", "latex")
    judged = list(judged_page(page_from_text(page, "page", language if language in known else "markdown")))
    for each in judged:
        if each.result.problem:
            check_message(str(each.result.problem))
    return [(each.holds, each.shown) for each in judged]


def _pages() -> list[str]:
    kinds = {".md": "markdown", ".tex": "latex"}
    pages = [p for p in sorted((ROOT / "examples/pages").iterdir()) if p.suffix in kinds]
    rest = ".. claim-scope::\n   :op: matmul\n\n:claim:`flops(op) == 2 B D F`\n\n"
    rest += ".. claim::\n   :given: x > 2\n\n   x > 1\n"
    return [f"{kinds[p.suffix]}\n{p.read_text(encoding='utf-8')}" for p in pages] + [f"rest\n{rest}"]


def _agent(text: str) -> object:
    """Answer a tool call of an agent: the name of the tool, then one argument per line."""
    from inspect import signature

    from roofproof.agents.tools import TOOLS
    from roofproof.errors import RoofproofError

    name, *rows = text.split("\n")
    if name not in TOOLS or name == "trace":
        raise RoofproofError("no tool")
    taken = signature(TOOLS[name]).parameters
    given = {k: v for k, _, v in (row.partition(": ") for row in rows) if k in taken and taken[k].annotation == "str"}
    if any(p.default is p.empty and k not in given for k, p in taken.items()):
        raise RoofproofError("an argument is missing")
    return TOOLS[name](**given).text


QUESTIONS_OF_AGENTS = [
    "threshold\nop: matmul\nchip: tpu-v5e\nunknown: B\nat: D=4096,F=4096",
    "derive\nop: bf16[B,D], int8[D,F] -> bf16[B,F]\nchip: bf16=197 TFLOP/s, hbm=819 GB/s",
    "judge\nsays: compute_bound(op, chip) <=> B > 240\nop: matmul\nchip: tpu-v5e\nregime: D, F >> B\nlet: T = 3 ms",
    "floor\nop: matmul\nchip: h100-sxm\nat: B=1,D=4096,F=4096",
    "check\nop: matmul\nanswer: 2BDF\nasks: flops\nlang: zh",
    "search_operations\ntext: attention",
    "chips\ntext: v5",
]


OF_DOCUMENTS: dict[str, tuple[Callable[[str], object], Callable[[], list[str]], int]] = {
    "draft": (_draft, _chapters, 20),
    "exercises": (_exercises, _in_parts("banks", "exercise"), 20),
    "course": (_course, _in_parts("courses", "slide"), 20),
    "gap": (_gap, lambda: GAPS, 20),
    "certificate": (_certificate, _certificates, 20),
    "file of questions": (_asked, lambda: QUESTIONS, 12),
    "file of answers": (_answered, lambda: ANSWERS, 12),
    "site": (_site, _questions, 12),
    "page": (_page, _pages, 12),
    "agent": (_agent, lambda: QUESTIONS_OF_AGENTS, 12),
    "operation handed over": (_handed_over, _operations_as_data, 12),
}
