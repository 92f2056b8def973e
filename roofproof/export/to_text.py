"""A document as plain text: formulas as they are typed, and reasons in a second column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN

import sympy

from roofproof.derive.algebra.text import is_isolated, plain
from roofproof.derive.inequalities.cases import Threshold, plain_threshold
from roofproof.export import doc as d
from roofproof.export.numbers import about, at_least, at_most, digits, needs_decimals, seconds, unsigned
from roofproof.export.terms import format_term
from roofproof.ops.roles import Role
from roofproof.proofs.steps import lines
from roofproof.say import Words, clauses, figure_note, translated, without_tex
from roofproof.sentences import Resource, Sentence, columns, join_pieces, padded

WIDEST = 90  # most characters of a formula that others are aligned with
LABEL = 13  # width of a label before cases


def to_text(doc: d.Doc, lang: str = "en") -> str:
    """Return a document as text in a language.

    >>> from roofproof import chip, op
    >>> from roofproof.export.explain.threshold import explain
    >>> from roofproof.export.outline import outline
    >>> text = to_text(explain(outline(op("flops bf16 = 1e12"), chip("h100-sxm@scaling-book"), None, {})))
    >>> next(line.strip() for line in text.splitlines() if "sum" in line)
    'sum   1/989 s ≈ 1.0111 ms    nothing overlaps: the sum'
    """
    return "\n".join([inline_text(doc.title, lang), "", *lines_text(doc, lang)])


def text_with_side_headings(doc: d.Doc, lang: str = "en") -> str:
    """Return a document as its title, and below it each section next to its heading."""
    made = [(inline_text(s.heading, lang), table(pairs(s, lang))) for s in doc.sections]
    width = max((columns(heading) for heading, _ in made), default=0)
    lines = [inline_text(doc.title, lang), ""]
    for heading, rows in made:
        lines += [f"{padded('' if k else heading, width)}  {row}".rstrip() for k, row in enumerate(rows)]
    return "\n".join(lines)


def indented_text(doc: d.Doc, lang: str = "en") -> str:
    """Return a document as its title and its indented content."""
    return "\n".join([inline_text(doc.title, lang), *(f"  {line}" for line in lines_text(doc, lang))])


def untitled_text(doc: d.Doc, lang: str = "en") -> str:
    """Return the content of a document, without its title."""
    return "\n".join(lines_text(doc, lang))


def spaced_text(doc: d.Doc, lang: str = "en") -> str:
    """Return the content of a document, with a blank line between sections."""
    return "\n\n".join("\n".join(section_text(section, lang)) for section in doc.sections)


def lines_text(doc: d.Doc, lang: str) -> Iterator[str]:
    """Yield a document line by line, without its title."""
    return (line for section in doc.sections for line in section_text(section, lang))


def section_text(section: d.Section, lang: str) -> Iterator[str]:
    """Yield a section line by line: its heading, if it has one, and its content below."""
    heading = inline_text(section.heading, lang)
    yield from [heading] if heading else []
    yield from (f"{'  ' if heading else ''}{line}".rstrip() for line in table(pairs(section, lang)))


def pairs(section: d.Section, lang: str) -> list[tuple[str, str | None]]:
    """Return the lines of a section, each a formula or a sentence with the text of the second column, or None."""
    labels = [
        inline_text(row.subject, lang) if section.labels and isinstance(row, d.Line) else "" for row in section.rows
    ]
    width = max(map(columns, labels), default=0)
    found: list[tuple[str, str | None]] = []
    for label, row in zip(labels, section.rows, strict=True):
        if isinstance(row, d.Display):
            words = Words(lang)
            for place, line in enumerate(row.cases.lines(words, words.translate)):
                before = f"{row.label if place == 0 else '':<{LABEL}}" if row.label else "  " * (row.label == "")
                found.append((f"{before}{line}", None))
            continue
        if isinstance(row, d.Table):
            found += [(line, None) for line in table_text(row, lang)]
            continue
        if left := inline_text((row.mark, row.left), lang).rstrip():
            before = f"{padded(label, width)}  " if section.labels else ""
            found.append((before + left, None if row.right is None else inline_text(row.right, lang)))
    return found


def table_text(made: d.Table, lang: str) -> list[str]:
    """Return a table line by line, with padded columns."""
    return padded_columns([[inline_text(cell, lang) for cell in row] for row in (made.head, *made.rows) if row])


def flat_text(doc: d.Doc, lang: str = "en") -> str:
    """Return a document without section headings as text, with a blank line between sections."""
    parts = ["\n".join(left for left, _ in pairs(section, lang)) for section in doc.sections]
    return "\n".join([inline_text(doc.title, lang), "\n\n".join(parts)])


def aligned_text(doc: d.Doc, lang: str = "en") -> str:
    """Return a document as text, with the second columns of all sections aligned."""
    rows = [(section, pairs(section, lang)) for section in doc.sections]
    width = max((columns(left) for _, every in rows for left, right in every if right is not None), default=0)
    lines = [inline_text(doc.title, lang)]
    for section, every in rows:
        lines += [heading] if (heading := inline_text(section.heading, lang)) else []
        lines += [f"  {left if right is None else f'{padded(left, width)}    {right}'}" for left, right in every]
    return "\n".join(lines)


def inline_text(what: d.Inline, lang: str = "en") -> str:
    """Return an inline as text.

    >>> inline_text(("for all ", d.Listed(sympy.symbols("B D"), "> 0")))
    'for all B, D > 0'
    """
    match what:
        case tuple():
            return join_pieces((inline_text(part, lang) for part in what), lang)
        case Sentence() | Resource():
            return translated(what, lang)
        case str():
            return what
        case d.Say():
            return join_pieces((words or inline_text(gap, lang) for words, gap, _ in what.pieces(lang)), lang)
        case d.Formula():
            return " ".join(map(lambda piece: inline_text(piece, lang), what.pieces))
        case d.Mark() | d.TextOrTypeset():
            return inline_text(what.text, lang)
        case d.Message() | d.Typed():
            return translated(what.text, lang)
        case sympy.Basic():
            return inline_text(d.say("infinity"), lang) if what is sympy.oo else translated(plain(what), lang)
    return _leaf(what, lang)


def _leaf(what: d.Inline, lang: str) -> str:
    words = Words(lang)
    match what:
        case d.Decimal(value, equals, unit, down):
            text = (about if equals else digits)(value, ROUND_FLOOR if down else ROUND_HALF_EVEN)
            return f"{text} {unit}".rstrip()
        case d.KernelTerm(term):
            return format_term(term)
        case d.FewDigits(value, rounding):
            formula, sign, number = in_few_digits(value, rounding)
            return " ".join(part for part in (inline_text(formula, lang), sign, number) if part)
        case d.Number(figure):
            return f"{_decimal(figure.value)} {figure.unit}"
        case d.Seconds(value, bare):
            return seconds(value).partition(" ")[2] if bare else seconds(value)
        case d.Duration(value):
            return f"{plain(value)} s{f' {seconds(value)}' if value.is_number else ''}"
        case lines.Bound():
            return with_value(what.unknown, what.threshold, words)
        case lines.Relation() | lines.Tends():
            return str(what)
        case d.Bounded(unknown, threshold, short):
            return (shortly if short else plain_threshold)(unknown, threshold, words)
        case d.RelativeError():
            return inline_text(what.error, lang)
        case d.Regime(text):
            return text
        case d.Listed(names, more):
            return f"{', '.join(map(str, names))} {more}".rstrip()
        case d.FigureNote(convention, status):
            return figure_note(convention, status, lang)
        case d.Convention(text):
            said = map(without_tex, clauses(text, lang))
            return words["; "].join(said)
        case d.Estimate(share):
            return _estimate(share)
        case d.Quotient(value, None):
            return _decimal(value)
        case Role():
            return what.in_language(lang)
    return str(what)


def in_few_digits(value: sympy.Basic, rounding: str = "") -> tuple[sympy.Basic | str, str, str]:
    """Return the left side, the sign and the number of a comparison in a few digits, or only a formula or a number.

    >>> B = sympy.Symbol("B")
    >>> in_few_digits(B < sympy.Rational(9850, 41)), in_few_digits(sympy.Integer(2)), in_few_digits(2 * B)
    ((B, '<', '240.24'), ('', '', '2'), (2*B, '', ''))
    """
    number = value if isinstance(value, sympy.Expr) else getattr(value, "rhs", value)
    if number.free_symbols or not isinstance(number, sympy.Expr):
        return value, "", ""
    if isinstance(value, sympy.Expr):
        return "", "", digits(number, ROUND_FLOOR if rounding == "down" else ROUND_HALF_EVEN)
    text = {">": at_most, "<": at_least}.get(value.rel_op[0], unsigned)(number)
    exact = number.is_Rational and sympy.Rational(text) == number
    return value.lhs, value.rel_op if value.rel_op != "==" else "=" if exact else "≈", text


def _prefixed(value: object) -> str:
    from roofproof.formula.magnitudes import prefixed

    return prefixed(value, "s")  # type: ignore[arg-type]


def _decimal(value: object) -> str:
    from roofproof.formula.magnitudes import decimal

    return decimal(value)  # type: ignore[arg-type]


def _estimate(share: object) -> str:
    from roofproof.derive.roofline.share import Share, joined_by

    assert isinstance(share, Share)
    if share.ceilings is None:
        return joined_by(share.corner, "FLOPs/peak", "bytes/bandwidth")
    whole = joined_by(share.corner, "FLOPs/(e*peak)", "bytes/(d*bandwidth)")
    return f"{_prefixed(share.ceilings.start.value)} + {whole}"


def padded_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines, each column as wide as its widest cell.

    >>> print(*padded_columns([("chip", "R"), ("tpu-v5e", "240")]), sep="\\n")
    chip     R
    tpu-v5e  240
    """
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(padded, row, widths)).rstrip() for row in rows]


def table(pairs: Iterable[tuple[str, str | None]]) -> Iterator[str]:
    """Yield lines of two columns, the second of which may be missing. A very long line does not move the others.

    >>> print(*table([("B > 240", "so"), ("case:", None), ("never", "by these signs")]), sep="\\n")
    B > 240    so
    case:
    never      by these signs
    """
    pairs = list(pairs)
    lengths = [columns(left) for left, right in pairs if right is not None]
    width = max((length for length in lengths if length <= WIDEST), default=0)
    for left, right in pairs:
        yield left if right is None else f"{padded(left, width)}    {right}".rstrip()


def shortly(x: sympy.Symbol, threshold: Threshold, words: Words) -> str:
    """Return a threshold with its numbers rounded as `unsigned` rounds them, except isolated roots.

    >>> from roofproof.derive.inequalities.cases import Above, Between
    >>> shortly(sympy.Symbol("B"), Above(sympy.sqrt(2), strict=False), Words("en"))
    'B >= 1.4142'
    >>> shortly(sympy.Symbol("B"), Between(sympy.Rational(1, 3), sympy.sqrt(2)), Words("en"))
    '0.33333 < B < 1.4142'
    """
    return plain_threshold(
        x, threshold, words, lambda at: plain(at) if not at.is_number or is_isolated(at) else unsigned(at)
    )


def with_value(x: sympy.Symbol, threshold: Threshold, words: Words) -> str:
    """Return a threshold, with its decimal value if it is one number.

    >>> from roofproof.derive.inequalities.cases import Above
    >>> from roofproof.say import Words
    >>> with_value(sympy.Symbol("B"), Above(sympy.Rational(9850, 41)), Words("en"))
    'B > 9850/41 ≈ 240.24'
    """
    text = plain_threshold(x, threshold, words)
    at = getattr(threshold, "at", None)
    return f"{text} {about(at)}" if needs_decimals(at) else text
