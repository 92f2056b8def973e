"""The tools of the MCP server, which return their answers as text and as data, with the theorems behind them.

Every argument is text, parsed by roofproof's grammars. A text that names a file is refused. Only `trace` reads files,
and only if the server is started with `--allow-trace`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from roofproof.derive.roofline.critical_size import checked_point
from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.ops.notation.sizes import sizes_from
from roofproof.ops.notation.stored import refuse_file_names
from roofproof.rooms import require_room

if TYPE_CHECKING:
    from roofproof.export.outline import Outline
    from roofproof.hardware import Chip
    from roofproof.ops import Operation
    from roofproof.proofs import Known, ProvedThreshold


@dataclass(frozen=True, slots=True)
class ToolResult:
    """An answer as text, and the same answer as data made of strings and numbers."""

    text: str
    data: Mapping[str, Any]


def derive(
    op: str, chip: str = "", unknown: str = "", at: str = "", regime: str = "", steps: bool = False
) -> ToolResult:
    """Derive FLOPs, bytes, arithmetic intensity, times on a chip, and where the operation is compute-bound.

    >>> derive("matmul", "tpu-v5e", "B", "D=4096,F=4096").data["threshold"]["integer_at_point"]    # B > 272.55
    273
    """
    on = _chip(chip)
    return _derived(_operation(op, on), on, unknown, at, regime, steps)


def threshold(op: str, chip: str, unknown: str, at: str = "", regime: str = "", multiple_of: int = 1) -> ToolResult:
    """Solve for the sizes at which an operation is compute-bound on a chip, with the proof.

    >>> print(threshold("matmul", "tpu-v5e", "B", "D=4096,F=4096").text.splitlines()[0])
    compute-bound for B >= 273 (B > 272.55) on tpu-v5e at D = 4096, F = 4096 [proved]
    """
    from roofproof.export.outline import outline
    from roofproof.export.record import record

    on = _chip(chip)
    made = _operation(op, on)
    made, _, found = _threshold(made, on, unknown, at, regime, multiple_of)
    point = found.found.point
    data = record(made, on, found, point, 0)["threshold"] | _behind(found.derivation)
    first = _answer(outline(made, on, found, point), found, point)
    return ToolResult("\n".join([first, repr(found), _theorems_text(data)]), data)


def judge(
    says: str, given: str = "", regime: str = "", let: str = "", op: str = "", chip: str = "", tolerance: str = ""
) -> ToolResult:
    """Check one claim: verified, rounded, approximate, conditional, refuted or undecided, with the right value.

    >>> judge("compute_bound(op, chip) <=> B > 120", op="matmul", chip="tpu-v5e", regime="D, F >> B").data["verdict"]
    'refuted'
    """
    from roofproof.claims.scoped import scoped_book, values_from
    from roofproof.claims.verifying import judged_claim
    from roofproof.export.explain.verdicts import result_details
    from roofproof.export.to_text import inline_text

    refuse_file_names(says, given, let)
    claim = {"id": "claim", "says": says, "given": given, "regime": regime, "tolerance": tolerance}
    ops, chips = ({"op": op} if op.strip() else {}), ({"chip": chip} if chip.strip() else {})
    book = scoped_book([{**claim, "let": values_from(let)}], ops, chips, "claim")
    if book.problems:
        raise RoofproofError(book.problems[0].removeprefix("claim: "))
    found = judged_claim(book, 0, back=True)
    if found.verdict is None:
        raise RoofproofError(str(found.problem).removeprefix("claim: claim 'claim': "))
    found = replace(found, expect=found.kind)  # the claim has no expected verdict
    text = f"{found.kind}: {inline_text(result_details(found))}"
    record = found.record()
    data = {name: record[name] for name in record if name not in ("id", "file", "expect", "as_expected", "seconds")}
    return ToolResult("\n".join([text, *found.read_back]), data)


def floor(op: str, chip: str, at: str = "") -> ToolResult:
    """Return the minimum time of an operation on a chip, the resource that takes longest, and the assumptions.

    >>> floor("matmul", "bf16=200 TFLOP/s, hbm=800 GB/s", "B=1,D=1000,F=1000").data["binds"]       # 2.004 MB / 800 GB/s
    'memory'
    """
    require_room("roofproof.times")
    from roofproof.export.explain.times import explain_record, explain_records
    from roofproof.export.to_text import lines_text
    from roofproof.times.problems import ProblemSpec, load_problems
    from roofproof.times.records import minimum_time_records

    refuse_file_names(op)
    on = _chip(chip)
    if on is None:
        raise RoofproofError("a minimum time needs a chip; name it, as in chip = 'tpu-v5e'")
    [problem] = load_problems([ProblemSpec(op, op)])
    if problem.op is None:
        raise RoofproofError(problem.error)
    [record] = minimum_time_records([problem], on, at=checked_point(problem.op, _sizes(at), chip=on))
    if record.error:
        raise RoofproofError(record.error)
    data = record.to_dict() | _behind(record.known)
    return ToolResult(
        "\n".join([*lines_text(explain_records([explain_record(record)]), "en"), _theorems_text(data)]), data
    )


def check(
    op: str, answer: str, chip: str = "", unknown: str = "", regime: str = "", at: str = "", asks: str = "",
    tolerance: str = "", lang: str = "en",
) -> ToolResult:  # fmt: skip
    """Grade an answer to an exercise, in words, plain text or LaTeX, and name the likely mistake.

    >>> found = check("matmul", "BDF", asks="flops").data
    >>> found["grade"], found["slip"]                              # 2 FLOPs per multiply-add
    ('wrong', 'multiply-add-once')
    """
    from roofproof.claims.answers.grade import grade
    from roofproof.claims.answers.question import Question
    from roofproof.export.explain.grade import grade_text
    from roofproof.export.grade_records import grade_record

    refuse_file_names(op, chip)
    given = {"op": op, "of": "", "chip": chip, "for": unknown, "regime": regime, "asks": asks, "tolerance": tolerance}
    asked = Question.of(given, _sizes(at))
    found = grade(asked, answer)
    return ToolResult(grade_text(found, asked, lang), grade_record(found, asked, lang))


def search_operations(text: str = "") -> ToolResult:
    """List the built-in operations whose name, family or description contains a text, or show one in full.

    >>> [each["name"] for each in search_operations("triad").data["operations"]]
    ['stream-triad']
    """
    from roofproof.export.explain.library import explain_library
    from roofproof.export.to_text import spaced_text
    from roofproof.ops import entries

    record_text, wanted = spaced_text(explain_library(text)), text.strip().lower()
    found = [e for e in entries().values() if wanted in f"{e.name} {e.heading.lower()} {e.about.lower()}"]
    rows = [{"name": e.name, "about": e.about, "family": e.family, "arguments": list(e.arguments)} for e in found]
    return ToolResult(record_text, {"operations": rows})


def chips(text: str = "") -> ToolResult:
    """List the chips whose name contains a text, or show every spec of one, with unit and source.

    >>> chips("tpu-v5e").data["chips"]
    ['tpu-v5e']
    """
    from roofproof.hardware import browse, chip_names

    refuse_file_names(text)
    return ToolResult(browse(text), {"chips": [name for name in chip_names() if text.strip().lower() in name]})


def trace(
    function: str, shapes: str, where: str = "", chip: str = "", unknown: str = "", at: str = "", traffic: str = ""
) -> ToolResult:
    """Trace FILE.py:FUNCTION, a JAX function or a PyTorch module, and derive it. This runs the file's code.

    >>> trace("matmul", "x:bf16[B,D]")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'matmul' is not a function of a file; expected FILE.py:FUNCTION, or ask `derive`
    """
    from roofproof.ops.notation.code import is_code
    from roofproof.trace.sandbox import IsolatedCode

    if not is_code(function):
        cure = "expected FILE.py:FUNCTION, or ask `derive`"
        raise RoofproofError("<text> is not a function of a file; <cure>", text=quoted(function), cure=cure)
    with IsolatedCode(function) as code:
        made = code.traced(shapes, where=where, traffic=traffic or "fused")
    return _derived(made, _chip(chip), unknown, at)


TOOLS: dict[str, Callable[..., ToolResult]] = {
    tool.__name__: tool for tool in (derive, threshold, judge, floor, check, search_operations, chips, trace)
}


def _derived(op: Operation, chip: Chip | None, name: str, at: str, regime: str = "", steps: bool = False) -> ToolResult:
    from roofproof.export.explain.threshold import explain
    from roofproof.export.outline import outline
    from roofproof.export.record import record
    from roofproof.export.to_text import to_text

    point: Mapping[str, int] = checked_point(op, _sizes(at), chip=chip)
    proved = None
    if name.strip():
        op, point, proved = _threshold(op, chip, name, at, regime)
    data = record(op, chip, proved, point, 0, steps=steps)
    del data["seconds"]
    record_text = outline(op, chip, proved, point, steps)
    known = [k for section in record_text.sections for row in section.rows for k in row.known]
    text = f"{_answer(record_text, proved, point)}\n\n{to_text(explain(record_text))}"
    return ToolResult(text, data | _behind(known))


def _answer(found: Outline, proved: ProvedThreshold | None, point: Mapping[str, int]) -> str:
    from roofproof.export.explain.answer import answer_line
    from roofproof.export.to_text import inline_text

    return inline_text(answer_line(found, proved, point))


def _threshold(
    op: Operation, chip: Chip | None, name: str, at: str, regime: str = "", multiple_of: int = 1
) -> tuple[Operation, Mapping[str, int], ProvedThreshold]:
    from roofproof.proofs.provers.critical_size import threshold_given

    refuse_unknown("dimension", name, [size.name for size in op.dims])
    point = checked_point(op, _sizes(at), chip=chip)
    return threshold_given(op, chip, name, point, regime or None, multiple_of)


def _sizes(at: str) -> dict[str, int]:
    return sizes_from([at]) if at.strip() else {}


def _operation(text: str, chip: Chip | None = None) -> Operation:
    from roofproof.derive.roofline.own_format import for_chip

    refuse_file_names(text)
    return for_chip(text, chip)


def _chip(text: str) -> Chip | None:
    from roofproof.hardware import any_chip

    refuse_file_names(text)
    return any_chip(text) if text.strip() else None


def _behind(known: Iterable[Known]) -> dict[str, Any]:
    """Return the theorems behind an answer: each statement with its trust and its hypotheses."""
    from roofproof.proofs.kernel.terms import show

    rows = []
    for each in {id(k): k for k in known}.values():
        theorem = each.theorem
        supposed = sorted(theorem.hypotheses) if theorem is not None else each.statement.assumptions
        rows.append({"says": each.statement.says, "trust": each.trust, "hypotheses": [show(f) for f in supposed]})
    return {"theorems": rows}


def _theorems_text(data: Mapping[str, Any]) -> str:
    lines = ["theorems"]
    for row in data["theorems"]:
        supposed = f"  where {' and '.join(row['hypotheses'])}" if row["hypotheses"] else ""
        lines.append(f"  {row['says']}{supposed}    [{row['trust']}]")
    return "\n".join(lines)
