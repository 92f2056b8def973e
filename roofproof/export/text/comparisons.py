"""One operation on many chips as text: the ridge points, and the critical size on each, from one proof."""

from roofproof.atlas.on_chips import Comparison, OnChip
from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.share import percent
from roofproof.export.text.formatting import digits, padded_columns, shortly
from roofproof.export.words.catalogue import Catalogue
from roofproof.formula.magnitudes import decimal
from roofproof.proofs.known import PROVED


def comparison_cells(found: Comparison, words: Catalogue | None = None) -> tuple[list[str], list[list[str]]]:
    """Return the comparison as the cells of a plain table: head, rows.

    >>> from roofproof import chip, op
    >>> from roofproof.atlas.on_chips import compare
    >>> head, rows = comparison_cells(compare(op("matmul"), "B", [chip("tpu-v5e")], {"D": 4096, "F": 4096}))
    >>> head
    ['chip', 'bf16', 'R', 'compute-bound', 'integer B']
    >>> rows
    [['tpu-v5e', '1.97e14 FLOP/s', '≈ 240.54', 'B > 272.55', '273']]
    """
    words = words or Catalogue("en", "text")
    pointed = found.pointed
    compute = found.proved.found.ceilings[0].compute
    kept = found.share
    answer = words.say("table-keeps", share=percent(kept.value)) if kept else words["compute-bound"]
    head = [words["chip"], compute, *(s.name for s in found.symbols), answer]
    head += [words.say("table-integer", x=str(found.unknown))] * pointed
    started = kept is not None and any(row.started for row in found.rows)
    head += [words["started-head"]] * started + [words["table-estimate"]] * (kept is not None)
    rows = []
    for row in found.rows:
        if row.missing or row.unfit:
            lack, figure = row.lack
            rows.append([row.chip.name, f"{words[lack]} {figure}".rstrip(), *[""] * (len(head) - 2)])
            continue
        peak = row.chip.peak(compute)
        cells = [row.chip.name, f"{decimal(peak.value)} {peak.unit}"]
        cells += [digits(row.ridges[s.name]) for s in found.symbols]
        cells.append(_answer(found, row, words))
        none = words["no-such-size"] if row.unmet else ""
        cells += [none if row.integer is None else str(row.integer)] * pointed
        cells += [none if row.started_integer is None else str(row.started_integer)] * started
        if row.share is not None:
            whose = row.share.of or words["table-own"] if row.share.ceilings else words["table-figures"]
            cells.append(f"{row.share.corner}{words['semicolon']}{whose}")
        rows.append(cells)
    return head, rows


def _answer(found: Comparison, row: OnChip, words: Catalogue) -> str:
    told = words["open"] if row.at_sizes is None else shortly(found.unknown, row.at_sizes, words)
    return words.say("table-exactly", answer=told) if row.exact and found.by_rule else told


def comparison_text(found: Comparison, *, markdown: bool = False, lang: str = "en") -> str:
    """Return the comparison as text for people, or as a table of Markdown with its formula for KaTeX."""
    words = Catalogue(lang, "text")
    head, rows = comparison_cells(found, words)
    if markdown:
        from roofproof.export.latex.conditions import cases
        from roofproof.export.latex.derivation_lines import Style, assumed

        lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
        formula = (
            f"$$\n{cases(found.proved.found.symbolic, lang=lang)}\n$$" if found.one_formula else _each(found, words)
        )
        style = Style(found.op, lang)
        taken = [assumed(style, c) for c in found.proved.found.supposed]
        supposed = words.say("table-assuming", conditions=words["list"].join(taken))
        own = words.told(found.own_format)
        above = [*([own, ""] if own else []), formula, "", *([supposed, ""] if taken else [])]
        return "\n".join([*above, *([_by_rule(found, words), ""] if found.by_rule else []), *lines])
    sizes = ", ".join(f"{k} = {v}" for k, v in found.point.items())
    solved = words.say("title-solved", op=words.told(found.op.name), x=str(found.unknown))
    first = words.say("table-at", solved=solved, sizes=sizes) if sizes else solved
    taken = [words.told(plain(c)) for c in found.proved.found.supposed]
    supposed = words.say("table-assuming", conditions=f" {words['and']} ".join(taken))
    told = found.proved.found.symbolic.lines(words, words.told) if found.one_formula else [_each(found, words)]
    own = words.told(found.own_format)
    lines = [first, *([own] if own else []), *told, *([supposed] if taken else [])]
    trust = words[f"table-{found.trust}"]
    lines += [words.say("table-proved", trust=trust) if found.trust in PROVED else trust, ""]
    return "\n".join([*lines, *([_by_rule(found, words)] if found.by_rule else []), *padded_columns((head, *rows))])


def _each(found: Comparison, words: Catalogue) -> str:
    return words.say("table-each", x=str(found.unknown))


def _by_rule(found: Comparison, words: Catalogue) -> str:
    if found.rule is None:
        return words["table-undecided-sizes"]
    return words.say("table-by-rule", regime=found.proved.rules[0].proved.limit.regime.text)
