"""One operation on many chips as text: the ridge points, and the critical size on each, from one proof."""

from roofproof.atlas.on_chips import CEILINGS, Comparison, OnChip
from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.share import percent
from roofproof.export.text.formatting import aligned, digits, shortly
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware.units import decimal


def comparison_cells(found: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the comparison as the cells of a plain table: head, rows.

    >>> from roofproof import chip, op
    >>> from roofproof.atlas.on_chips import compare
    >>> head, rows = comparison_cells(compare(op("matmul"), "B", [chip("tpu-v5e")], {"D": 4096, "F": 4096}))
    >>> head
    ['chip', 'bf16', 'R', 'compute-bound', 'integer B']
    >>> rows
    [['tpu-v5e', '1.97e14 FLOP/s', '≈ 240.54', 'B > 272.55', '273']]
    """
    pointed = found.pointed
    compute = found.proved.found.ceilings[0].compute
    kept = found.share
    head = [
        "chip",
        compute,
        *(s.name for s in found.symbols),
        f"keeps {percent(kept.value)}" if kept else "compute-bound",
    ]
    head += [f"integer {found.unknown}"] * pointed
    started = kept is not None and any(row.started for row in found.rows)
    head += ["with the start"] * started + ["estimate of"] * (kept is not None)
    rows = []
    for row in found.rows:
        if row.missing or row.unfit:
            why = "blocks do not fit" if row.unfit else f"no {'figure ' * (row.missing != CEILINGS)}{row.missing}"
            rows.append([row.chip.name, why, *[""] * (len(head) - 2)])
            continue
        peak = row.chip.peak(compute)
        cells = [row.chip.name, f"{decimal(peak.value)} {peak.unit}"]
        cells += [digits(row.ridges[s.name]) for s in found.symbols]
        cells.append(_answer(found, row))
        none = "no such size" if row.unmet else ""
        cells += [none if row.integer is None else str(row.integer)] * pointed
        cells += [none if row.started_integer is None else str(row.started_integer)] * started
        if row.share is not None:
            cells.append(f"{row.share.corner}; {row.share.of or 'its own' if row.share.ceilings else 'not calibrated'}")
        rows.append(cells)
    return head, rows


def _answer(found: Comparison, row: OnChip) -> str:
    if row.at_sizes is None:
        return "depends on the sizes"
    return shortly(found.unknown, row.at_sizes, Catalogue("en"))


def comparison_text(found: Comparison, *, markdown: bool = False) -> str:
    """Return the comparison as text for people, or as a table of Markdown with its formula for KaTeX."""
    head, rows = comparison_cells(found)
    if markdown:
        from roofproof.export.latex.conditions import cases
        from roofproof.export.latex.derivation_lines import Style, assumed

        lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
        formula = cases(found.proved.found.symbolic)
        style = Style(found.op, "en")
        taken = [assumed(style, c) for c in found.proved.found.supposed]
        above = [f"$$\n{formula}\n$$", "", *([f"assuming {', '.join(taken)}", ""] if taken else [])]
        return "\n".join([*above, *([says_rule(found), ""] if found.by_rule else []), *lines])
    sizes = ", ".join(f"{k} = {v}" for k, v in found.point.items())
    first = f"{found.op.name}, solved for {found.unknown}" + (f", at {sizes}" if sizes else "")
    taken = [plain(c) for c in found.proved.found.supposed]
    assuming = [f"assuming {' and '.join(taken)}"] if taken else []
    lines = [first, str(found.proved.found.symbolic), *assuming, f"proved by {found.trust}", ""]
    return "\n".join([*lines, *([says_rule(found)] if found.by_rule else []), *aligned((head, *rows))])


def says_rule(found: Comparison) -> str:
    """Return that the answers are those of the rule of thumb, or that there is none."""
    if found.rule is None:
        return "the sizes do not decide; name more of them with --at"
    return f"by the rule of thumb ({found.proved.rules[0].proved.limit.regime.text}), not exact:"
