"""The derivation of a question for the eye: each line as a formula, in plain text and in TeX, and why it is so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN
from fractions import Fraction

import sympy

from roofproof.claims.answers.question import LABELS, Question
from roofproof.claims.answers.worked import AS_GIVEN, Line, worked
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Case
from roofproof.export.latex.conditions import condition as condition_tex
from roofproof.export.latex.conditions import threshold as threshold_tex
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.measure import width
from roofproof.export.text.formatting import in_seconds, rounded, table, with_value
from roofproof.export.to_latex import beside
from roofproof.export.words.catalogue import Catalogue, clauses
from roofproof.formula.magnitudes import decimal
from roofproof.proofs.kernel.terms import Term
from roofproof.proofs.translate import to_expr

ABOUT = r"\approx"
LONG, SMALL = 10**7, 100  # integers that need no decimal, divisors of fractions that are read as they stand
QUAD = r"\quad "  # before a term that goes on below
LETTERS = {"I", "R", "P", "W", "T"}


@dataclass(frozen=True, slots=True)
class WorkedLine:
    """A line: its formula in plain text, the same in TeX as left side, sign and right side, and why it is so."""

    text: str
    left: str
    sign: str
    right: str
    why: str


def worked_text(asked: Question, lang: str = "en") -> str:
    """Return the derivation of a question as plain text.

    >>> from roofproof import chip, op
    >>> print(worked_text(Question(op("dot"), asks="intensity")))
    FLOPs = 2*N - 1                    every product and addition counted
    bytes = 2*N + 2*N + 2 = 4*N + 2    x, y, z, each moved once
    I = (2*N - 1)/(4*N + 2)            FLOPs over bytes
    """
    return "\n".join(table((line.text, line.why) for line in shown(asked, lang)))


def worked_tex(asked: Question, lang: str = "en") -> str:
    r"""Return the derivation of a question in LaTeX, the reason beside each line.

    >>> from roofproof import op
    >>> print(worked_tex(Question(op("matmul"), asks="flops")).splitlines()[2])
      $\displaystyle \text{FLOPs} = 2BDF$ & 2 FLOPs per multiply-add \\[4pt]
    """
    lines = ((f"{line.left} {line.sign} {line.right}".strip(), line) for line in shown(asked, lang))
    return beside([(rf"$\displaystyle {formula}$", _why_tex(line)) for formula, line in lines])


def _why_tex(line: WorkedLine) -> str:
    return re.sub(r"\b(\d+(?:\.\d+)?)e(\d+)\b", r"$\1 \\times 10^{\2}$", escape(line.why))


def rows_of(line: WorkedLine, most: float) -> tuple[str, ...]:
    r"""Return a line aligned at its sign on rows of `most` em to the right of it, each from another sign on.

    >>> rows_of(WorkedLine("", "I", "=", r"2B + 2D = 4B \approx 16", ""), 6)
    ('I &= 2B + 2D', '&= 4B \\approx 16')
    """
    sides = re.split(r" (?=(?:=|\\approx) |\\quad \\text\{)", line.right)
    parts = [part for side in sides for part in ([side] if width(side) <= most else _terms(side))]
    rows = [f"{line.left} &{line.sign} {parts[0]}"]
    for part in parts[1:]:
        if width(f"{rows[-1].partition('&')[2]} {part}") <= most:
            rows[-1] += f" {part.removeprefix(QUAD)}"
        else:
            rows.append(f"&{part}")
    return tuple(rows)


def _terms(side: str) -> list[str]:
    r"""Return a side broken before each sign of its sum that stands in no bracket.

    >>> _terms(r"= 2B + \frac{a + b}{c} + D")
    ['= 2B', '\\quad + \\frac{a + b}{c}', '\\quad + D']
    """
    found, depth, start = [], 0, 0
    for place, sign in enumerate(side):
        depth += (sign in "{(") - (sign in "})")
        if depth == 0 and side.startswith(" + ", place):
            found.append(side[start:place])
            start = place + 1
    first, *others = [*found, side[start:]]
    return [first, *(f"{QUAD}{each}" for each in others)]


def shown(asked: Question, lang: str = "en") -> tuple[WorkedLine, ...]:
    """Return the lines of the derivation of a question.

    >>> from roofproof import chip, op
    >>> [line] = shown(Question(op("matmul"), chip("tpu-v5e"), asks="ridge"), "zh")[2:]
    >>> line.text, line.why
    ('R = 1.97e14/8.19e11 ≈ 240.54', '临界强度：峰值算力除以带宽')
    """
    words = Catalogue(lang, "worked")
    return tuple(_shown(line, asked, words) for line in worked(asked).lines)


def two_hints(asked: Question, lang: str = "en") -> tuple[str, str]:
    """Return two hints: how to go about it, and the line to begin with, or how it is counted where that is the answer.

    >>> from roofproof import op
    >>> for hint in two_hints(Question(op("dot"), asks="intensity")):
    ...     print(hint)
    Count the operations, count the bytes, and divide the first by the second.
    Begin with this: FLOPs = 2*N - 1 (every product and addition counted).
    """
    words = Catalogue(lang, "worked")
    first, *rest = shown(asked, lang)
    plan = words[f"plan-{asked.asks}"]
    if not rest:
        return plan, words.say("first-why", why=first.why)
    return plan, words.say("first-line", line=first.text, why=first.why)


def hinted(own: tuple[str, ...], asked: Question, lang: str) -> tuple[str, ...]:
    """Return the hints of an exercise; where it has fewer than two, those that its derivation gives before them.

    >>> from roofproof import op
    >>> hinted(("How many bytes has an element?",), Question(op("dot"), asks="bytes"), "en")
    ('Begin with this: bytes of x = 2*N (read, elements of 2 bytes).', 'How many bytes has an element?')
    """
    return (*two_hints(asked, lang), *own)[-2:] if len(own) < 2 else own


def _shown(line: Line, asked: Question, words: Catalogue) -> WorkedLine:
    text, left = _name(line.name, words)
    statement = line.known.statement
    if line.case is not None:
        x = sympy.Symbol(asked.unknown)
        case = line.case
        said, shown = with_value(x, case.threshold, words), _threshold_tex(x, case, words)
        if case.when != sympy.true:
            said = words.say("case-when", what=said, condition=words.told(plain(case.when)))
        return WorkedLine(said, "", "", shown, _why(line, words))
    if statement.goal[0] == "tends":
        value = statement.shows[1]
        return WorkedLine(f"{text} -> {plain(value)}", left, r"\to", latex(value), _why(line, words))
    if line.why == "no-schedule":
        more, less = (to_expr(side) for side in statement.goal[1:])
        return WorkedLine(f"{plain(more)} >= {plain(less)}", latex(more), r"\ge", latex(less), _why(line, words))
    if line.why == "longest":
        pairs = [(a, b) for _, a, b in statement.goal[1:]]
        said = ", ".join(f"{_seconds(a)} {'>' if a != b else '='} {_seconds(b)}" for a, b in pairs)
        shown = ", ".join(f"{_seconds(a, True)} {'>' if a != b else '='} {_seconds(b, True)}" for a, b in pairs)
        return WorkedLine(said or words[asked.key.label], "", "", shown or rf"\text{{{words[asked.key.label]}}}",
                     _why(line, words))  # fmt: skip
    value = statement.shows[1] if statement.kind == "integer" else statement.shows[0]
    last, last_tex = _value(line, value)
    before = [side for side in line.sides[:-1] if not _same(side, line.sides[-1])]
    texts, formulas = ([_written(side, tex) for side in before] for tex in (False, True))
    sign, _, right = " ".join([*(f"= {each}" for each in formulas), last_tex]).partition(" ")
    return WorkedLine(f"{' = '.join([text, *texts])} {last}", left, sign, right, _why(line, words))


def _same(one: Term, other: Term) -> bool:
    """Tell whether two terms read the same but for the order of a sum or a product."""
    both = ([sorted(each.split("*")) for each in _written(t, False).split(" + ")] for t in (one, other))
    first, second = map(sorted, both)
    return first == second


def _value(line: Line, value: sympy.Expr) -> tuple[str, str]:
    """Return the value of a line in plain text and in TeX, each with the sign that is true of it."""
    if not value.is_Rational or line.known.statement.kind == "integer":
        return f"= {plain(value)}", f"= {latex(value)}"
    timed = line.name.startswith("T")
    cut = ROUND_FLOOR if line.known.statement.kind == "memory" else ROUND_HALF_EVEN
    short = in_seconds(value) if timed else rounded(value, rounding=cut)
    unit = short.unit or {"P": "FLOP/s", "W": "B/s"}.get(line.name, "")
    text = " ".join(filter(None, (str(short), "" if timed else unit)))
    tex = rf"{_number(short.text)}\,{_unit(unit)}" if unit else _number(short.text)
    if value.is_Integer and value < LONG and not unit:
        return f"= {value}", f"= {value}"
    exactly = value.is_Integer or (not timed and value.q < SMALL)
    if short.exact or not exactly:
        return text, f"{'=' if short.exact else ABOUT} {tex}"
    return f"= {value} {text}", f"= {latex(value)} {ABOUT} {tex}"


def _unit(text: str) -> str:
    return r"\mu\text{s}" if text == "us" else rf"\text{{{text}}}"


def _number(text: str) -> str:
    mantissa, _, power = text.partition("e")
    return rf"{mantissa} \times 10^{{{power}}}" if power else mantissa


def _threshold_tex(x: sympy.Symbol, case: Case, words: Catalogue) -> str:
    text = threshold_tex(x, case.threshold)
    at = getattr(case.threshold, "at", None)
    if at is not None and at.is_number and not at.is_Integer:
        text += f" {ABOUT} {_number(rounded(at).text)}"
    return text if case.when == sympy.true else rf"{text} \quad \text{{{words['case-if']}}}\ {condition_tex(case.when)}"


def _why(line: Line, words: Catalogue) -> str:
    parts = dict(line.parts)
    if "convention" in parts:
        if parts["convention"] in ("", AS_GIVEN):
            return words["why-stated"]
        said = words["semicolon"].join(clauses(parts["convention"], words.language))
        parts["convention"] = said.replace("$", "").replace(r"\log_2 N", "log2(N)")
    if parts.get("label") in LABELS:
        parts["label"] = words[parts["label"]]
    one = f"why-{line.why}-one"  # byte, not bytes
    return words.say(one if parts.get("size") == "1" and one in words else f"why-{line.why}", **parts)


def _name(name: str, words: Catalogue) -> tuple[str, str]:
    """Return the name of a line in plain text and in TeX."""
    head, _, tail = name.partition("_")
    if head in LETTERS and tail:
        shown = words.get(f"time-name-{tail}", tail)
        return f"{head}_{shown}", rf"{head}_{{\text{{{escape(shown)}}}}}"
    if name in words:
        text = words[name]
    elif (key := name.replace(" ", "-")) in words:
        text = words[key]
    elif " of " in name:
        what, _, which = name.partition(" of ")
        text = words.say(f"{what}-of", name=which)
    else:
        return name, symbol(name)
    return text, rf"\text{{{escape(text)}}}"


def _seconds(term: Term, tex: bool = False) -> str:
    short = in_seconds(sympy.Rational(term[1], term[2]))
    return rf"{_number(short.text)}\,{_unit(short.unit)}" if tex else f"{short.text} {short.unit}"


def _written(term: Term, tex: bool) -> str:
    """Return a term as it is written, nothing in it worked out.

    >>> _written(Term("/", Term("*", Term("q", 2, 1), Term("q", 64, 1), Term("v", "D")), Term("q", 10**12, 1)), False)
    '2*64*D/1e12'
    """
    match term:
        case ("q", p, q):
            text = decimal(Fraction(p, q))
            return _number(text) if tex else text
        case ("v", name):
            return symbol(name) if tex else name
        case ("+", *parts):
            return " + ".join(_written(p, tex) for p in parts)
        case ("*", *parts):
            return "".join(_joined(parts, tex))
        case ("/", above, below):
            if tex:
                return rf"\frac{{{_written(above, tex)}}}{{{_written(below, tex)}}}"
            return f"{_bracketed(above, tex)}/{_bracketed(below, tex, '*', '/')}"
        case ("^", base, power):
            below = _bracketed(base, tex, "*", "/", "^")
            return f"{below}^{{{power}}}" if tex else f"{below}**{power}"
        case ("max" | "min" as head, *parts):
            inner = ", ".join(_written(p, tex) for p in parts)
            return rf"\{head}\left({inner}\right)" if tex else f"{head}({inner})"
        case (head, *parts):
            return f"{head}({', '.join(_written(p, tex) for p in parts)})"
    return str(term)


def _joined(parts: list[Term], tex: bool) -> Iterator[str]:
    for place, part in enumerate(parts):
        if place and tex:
            yield r" \cdot " if _bracketed(part, tex)[0].isdigit() else " "
        elif place:
            yield "*"
        yield _bracketed(part, tex)


def _bracketed(term: Term, tex: bool, *heads: str) -> str:
    text = _written(term, tex)
    return f"({text})" if term[0] in ("+", *heads) else text
