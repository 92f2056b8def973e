"""A line of a proof in plain text: what it says, and the reason beside it."""

from __future__ import annotations

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import plain_threshold
from roofproof.export.text.formatting import about
from roofproof.export.words.catalogue import Catalogue
from roofproof.proofs.steps.lines import Both, Bound, Line, Tends
from roofproof.proofs.steps.step import Reason, Step

SIGNS = {"<=>": "<=> ", "=>": "=> "}


def step_text(step: Step, words: Catalogue) -> tuple[str, str]:
    """Return a line and its reason.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.proofs.steps.reasons import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> step_text(stepped(Relation(a*x, ">", y), Relation(x, ">", y/a), Reason.DIVIDE, (a,)), Catalogue("en", "steps"))
    ('<=> x > y/a', 'divide by a > 0')
    """
    first = step.reason in (Reason.COMPUTE_BOUND, Reason.SIZES)
    shown = line_text(step.line, words)
    text = shown if first or not step.link else f"{SIGNS[step.link]}{shown}"
    return text, reason_text(step, words)


def line_text(line: Line, words: Catalogue) -> str:
    """Return what a line says; a bound that is a number with its decimal value.

    >>> from roofproof.derive.inequalities.cases import Never
    >>> import sympy
    >>> line_text(Bound(sympy.Symbol("B"), Never()), Catalogue("zh"))
    '永不'
    """
    if isinstance(line, Bound):
        text = plain_threshold(line.unknown, line.threshold, words)
        at = getattr(line.threshold, "at", None)
        return text if at is None or not at.is_number or at.is_Integer else f"{text} {about(at)}"
    if isinstance(line, Both):
        return f" {words['and']} ".join(map(str, line.parts))
    return str(line)


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
    return words.say(f"why-{step.reason.value}", **shown).replace("$", "")


def parts(step: Step) -> dict[str, object]:
    """Return what fills the gaps of a reason: expressions, lines, pairs of a name and its value, or text.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.proofs.steps.reasons import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> parts(stepped(Relation(a*x, ">", y), Relation(x, ">", y/a), Reason.DIVIDE, (a,)))
    {'by': a}
    """
    match step.reason:
        case Reason.FIGURE | Reason.SIZES:
            return {"values": tuple(zip(step.by[::2], step.by[1::2], strict=True))}
        case Reason.CASE:
            return {"line": step.before or step.line}
        case Reason.VANISH | Reason.LIMIT:
            assert isinstance(step.line, Tends)
            return {"regime": step.line.regime}
        case Reason.SQUARE:
            return {}
    return {"by": step.by[0]} if step.by else {}


def _shown(value: object, words: Catalogue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return words["list"].join(f"{name} = {plain(number)}" for name, number in value)
    return plain(value) if hasattr(value, "free_symbols") else line_text(value, words)  # type: ignore[arg-type]
