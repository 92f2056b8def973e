"""The atlas as text: one symbolic threshold, and under it every chip with its ridge points and its number."""

from collections.abc import Iterable, Mapping
from typing import Any

from roofproof.derive.atlas import UNFIT, AtlasLine, AtlasPart
from roofproof.export.text.formatting import digits, padded_columns
from roofproof.ops import parse_operation


def atlas_text(found: Iterable[AtlasPart], sizes: Mapping[str, int], lacking: bool = False) -> str:
    """Return the parts of an atlas, one after another, and which chips are `lacking` in them where that is asked.

    >>> from roofproof.derive.atlas import parts
    >>> print(atlas_text(parts(["matmul:bf16"], ["tpu-v5e", "h100-sxm"], ["B"], {"D": 4096, "F": 4096}), {}))
    matmul:bf16, solved for B
      B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
      never                          otherwise
      chip      peak  R (FLOP/B)  B    proved by
      tpu-v5e   bf16  ≈ 240.54    273  kernel
      h100-sxm  bf16  ≈ 295.22    345  kernel
    """
    blocks, problems = [], []
    for part in found:
        groups: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[AtlasLine]] = {}
        for line in part.lines:
            groups.setdefault((line.cases, line.assuming, line.left_out), []).append(line)
        for (cases, assuming, gone), lines in groups.items():
            head = [
                f"{part.op}, solved for {part.unknown}{_where(part, lines, sizes)}{_kept(part)}",
                *(f"  {c}" for c in cases.split("\n")),
                *([f"  assuming {' and '.join(assuming)}"] if assuming else []),
                *([f"  left out, as the chips have no figure: {', '.join(gone)}"] if gone else []),
            ]
            blocks.append("\n".join([*head, *_table(lines)]))
        if part.problem:
            problems.append(f"{part.op}, solved for {part.unknown}: {part.problem}")
            continue
        for what, names in _lacking(part).items() if lacking else ():
            problems.append(f"{part.op}, solved for {part.unknown}: no {what} on {', '.join(names)}")
    if problems:
        blocks.append("\n".join(["without a threshold", *(f"  {p}" for p in problems)]))
    return "\n\n".join(blocks)


def atlas_record(found: Iterable[AtlasPart], lacking: bool = False) -> list[dict[str, Any]]:
    """Return every line of an atlas as strings and numbers, and every problem; chips that are `lacking` where asked.

    >>> from roofproof.derive.atlas import parts
    >>> [first, *_] = atlas_record(parts(["fft"], ["h100-sxm"]))
    >>> first["chip"], first["compute"], first["for"], first["ridges"], first["cases"], first["trust"]
    ('h100-sxm', 'fp64-vector', 'N', {'R': '10'}, ['N > 2**(32*R/5)'], 'kernel')
    """
    out: list[dict[str, Any]] = []
    for part in found:
        for line in part.lines:
            out.append({
                "op": line.op, "compute": line.compute, "chip": line.chip, "for": line.unknown,
                "ridges": {name: str(r) for name, r in line.ridges.items()}, "cases": line.cases.split("\n"),
                "assuming": list(line.assuming), "left_out": list(line.left_out),
                "kind_at_point": line.at or None, "integer_at_point": line.integer, "trust": line.trust,
                **({"estimate": line.estimate, "integer_with_start": line.started} if line.estimate else {}),
            })  # fmt: skip
        if part.problem:
            out.append({"op": part.op, "for": part.unknown, "problem": part.problem})
        for what, names in _lacking(part).items() if lacking else ():
            for name in names:
                out.append({"op": part.op, "for": part.unknown, "chip": name, "problem": f"no {what}"})
    return out


def _lacking(part: AtlasPart) -> dict[str, tuple[str, ...]]:
    """Return the figures that chips lack, and which chips lack them."""
    lacking = {"figures": part.lacking, "calibrated ceilings": part.uncalibrated}
    return {what: names for what, names in lacking.items() if names}


def _kept(part: AtlasPart) -> str:
    if not part.kept:
        return ""
    by = "once started, by an estimate" if "calibrated" in part.kept else "all figures reached in full"
    return f"; keeps {part.kept}, {by}"


def _where(part: AtlasPart, lines: list[AtlasLine], sizes: Mapping[str, int]) -> str:
    own = {s.name for s in parse_operation(part.op).dims} - {part.unknown}
    own = own if any(line.at for line in lines) else set()
    given = ", ".join(f"{n} = {s}" for n, s in sizes.items() if n in own)
    return f", at {given}" if given else ""


def _table(lines: list[AtlasLine]) -> list[str]:
    names = list(lines[0].ridges)
    shown = any(line.at for line in lines)
    started, kept = any(line.started for line in lines), any(line.estimate for line in lines)
    head = [lines[0].unknown] * shown + ["with the start"] * started
    rows = [["chip", "peak", *(f"{n} (FLOP/B)" for n in names), *head, "proved by", *["estimate of"] * kept]]
    for line in lines:
        ridges = [digits(r) for r in line.ridges.values()]
        sizes = [_number(line)] * shown + ["" if line.started is None else str(line.started)] * started
        rows.append([line.chip, line.compute, *ridges, *sizes, line.trust, *[line.estimate] * kept])
    return [f"  {line}" for line in padded_columns(rows)]


def _number(line: AtlasLine) -> str:
    if line.at == UNFIT:
        return "blocks do not fit"
    if line.at in ("always", "never") or line.integer is None:
        return line.at if line.at in ("always", "never") else "no such size"
    return f"up to {line.integer}" if line.at == "below" else str(line.integer)
