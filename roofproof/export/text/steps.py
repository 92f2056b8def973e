"""A line of a proof in plain text: what it says, and the reason beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.export.outline import Row, sections_of
from roofproof.export.text.formatting import about, table, with_value
from roofproof.export.words.catalogue import Catalogue
from roofproof.proofs.steps.lines import Best, Both, Bound, Either, Line, Relation, Tends
from roofproof.proofs.steps.step import Reason, Step, Steps, Untold

SIGNS = {"<=>": "<=> ", "=>": "=> "}


def steps_lines(told: Iterable[Steps | Untold], lang: str) -> Iterator[str]:
    """Yield proofs line by line: the heading, what it is about, and each line with its reason in a column beside it.

    >>> print(*steps_lines([Untold("limit", "an expansion is told in one line", "f")], "en"), sep="\\n")
    the limit, step by step: f
      not told line by line: an expansion is told in one line
    """
    words = Catalogue(lang, "text", "steps")
    for section in sections_of(told):
        heading = words[section.key]
        yield words.say("steps-about", heading=heading, about=section.about) if section.about else heading
        yield from (
            f"  {line}".rstrip() for line in table(pair for row in section.rows for pair in row_text(row, words))
        )


def row_text(row: Row, words: Catalogue) -> Iterator[tuple[str, str | None]]:
    """Yield a line of a proof, the condition of a case, or why there are no lines, with what stands beside it.

    >>> [*row_text(Row("branch", (), sympy.Symbol("B") > 2), Catalogue("zh", "steps"))]
    [('情形 B > 2：', None)]
    """
    if row.key == "step":
        yield step_text(row.about, words, row.number, row.follows)
    elif row.key == "untold":
        yield words.say("steps-untold", why=row.about), None
    else:
        yield words.say("steps-case", when=plain(row.about)), None


def step_text(step: Step, words: Catalogue, number: int = 0, follows: Sequence[int] = ()) -> tuple[str, str]:
    """Return a line and its reason, with its number where it has one, and those of the lines it follows from.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.proofs.steps.reasons import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> step_text(stepped(Relation(a*x, ">", y), Relation(x, ">", y/a), Reason.DIVIDE, (a,)), Catalogue("en", "steps"))
    ('<=> x > y/a', 'divide by a > 0')
    """
    first = step.reason in (Reason.COMPUTE_BOUND, Reason.KEPT, Reason.SIZES, Reason.SUPPOSED) or not step.link
    named = f"{', '.join(f'({n})' for n in follows)} " if follows else ""
    text = f"{named}{'' if first else SIGNS[step.link]}{line_text(step.line, words)}"
    return f"{text}  ({number})" if number else text, reason_text(step, words)


def line_text(line: Line, words: Catalogue) -> str:
    """Return the text of a line; a bound that is a number has its decimal value beside it.

    >>> from roofproof.derive.inequalities.cases import Above, Never
    >>> line_text(Bound(sympy.Symbol("B"), Never()), Catalogue("zh"))
    '永不'
    >>> line_text(Bound(sympy.Symbol("B"), Above(sympy.Rational(9850, 41))), Catalogue("en"))
    'B > 9850/41 ≈ 240.24'
    """
    if isinstance(line, Bound):
        return with_value(line.unknown, line.threshold, words)
    match line:
        case Both(several):
            return f" {words['and']} ".join(
                f"({line_text(p, words)})" if isinstance(p, Either) else line_text(p, words) for p in several
            )
        case Either(several):
            return f" {words['or']} ".join(line_text(part, words) for part in several)
        case Best(x, answer, largest):
            text = str(x) if answer is None else f"{x} = {answer}"
            return words.say(best_key(answer, largest=largest), answer=text)
    return str(line)


def best_key(answer: int | None, *, largest: bool) -> str:
    """Return the key of the words that say which whole number an answer is.

    >>> best_key(7, largest=True), best_key(None, largest=True)
    ('best-largest', 'best-none')
    """
    return "best-none" if answer is None else "best-largest" if largest else "best-smallest"


def reason_key(step: Step) -> str:
    """Return the key of the words for a reason.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.proofs.steps.reasons import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> reason_key(stepped(Relation(a*x, ">", y), Relation(x, ">", y/a), Reason.DIVIDE, (a,)))
    'why-divide'
    """
    multiple = len(step.by) > 1 and step.by[1] != 1
    match step.reason:
        case Reason.COMPUTE_BOUND if step.by:
            return "takes-longer"
        case Reason.FUNCTION if isinstance(step.line, Relation) and not str(step.line.left).startswith("I"):
            return "why-means"
        case Reason.JOIN if isinstance(step.before, Either):
            return "join-never" if step.line.formula == ("false",) else "join-either"
        case Reason.SUPPOSED if step.by:
            return "any-number"
        case Reason.INTEGER if multiple:
            return "integer-multiple"
        case Reason.BEST if len(step.by) > 2:
            return "best-such"
        case Reason.BEST if multiple:
            return "best-multiple"
    return f"why-{step.reason.value}"


def reason_text(step: Step, words: Catalogue) -> str:
    """Return the reason of a line in words.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.proofs.steps.reasons import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> step = stepped(Relation(a*x, ">", y), Relation(x, ">", y/a), Reason.DIVIDE, (a,))
    >>> reason_text(step, Catalogue("zh", "steps"))
    '两边除以 a > 0'
    """
    shown = {key: _shown(value, words) for key, value in parts(step).items()}
    return words.say(reason_key(step), **shown).replace("$", "")


class Name(str):
    """The name of an engine or a channel, as it fills the gap of a reason.

    >>> Name("fp32-vector")
    'fp32-vector'
    """


def parts(step: Step) -> dict[str, object]:
    """Return the parts of a reason: expressions, lines, pairs of a name and its value, or text.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.proofs.steps.reasons import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> parts(stepped(Relation(a*x, ">", y), Relation(x, ">", y/a), Reason.DIVIDE, (a,)))
    {'by': a}
    """
    match step.reason:
        case Reason.FIGURE | Reason.SIZES | Reason.TAKEN:
            return {"values": tuple(zip(step.by[::2], step.by[1::2], strict=True))}
        case Reason.CASE:
            return {"line": step.before or step.line}
        case Reason.VANISH | Reason.LIMIT:
            assert isinstance(step.line, Tends)
            return {"regime": step.line.regime}
        case Reason.COMPUTE_BOUND if step.by:
            return dict(zip(("engine", "channel"), map(Name, map(str, step.by)), strict=True))
        case Reason.INTEGER if len(step.by) > 1:
            return dict(zip(("by", "step"), step.by, strict=True))
        case Reason.ALLOWED | Reason.FAR_OUT:
            return {"what": sympy.And(*step.by, evaluate=False)}
        case Reason.BEST:
            x, multiple, *whole = step.by
            said = [*whole, *([sympy.Eq(sympy.Mod(x, multiple), 0)] if multiple != 1 else [])]
            return {"step": multiple, **({"what": sympy.And(*said, evaluate=False)} if whole else {})}
        case Reason.SQUARE:
            return {}
    return {"by": step.by[0]} if step.by else {}


def _shown(value: object, words: Catalogue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return words["list"].join(f"{name} = {_with_decimal(number)}" for name, number in value)
    if isinstance(value, sympy.Basic):
        return words.told(plain(value))
    return line_text(value, words)  # type: ignore[arg-type]


def _with_decimal(value: sympy.Expr) -> str:
    """Return a value, with its decimal value where it is a number that is not whole."""
    return plain(value) if not value.is_number or value.is_Integer else f"{plain(value)} {about(value)}"
