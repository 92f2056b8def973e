"""How objects are shown in Python and in notebooks: generic functions that each kind of answer extends."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from roofproof.export.doc import Doc

if TYPE_CHECKING:
    from roofproof.answer import Answer
    from roofproof.proofs.steps.step import NoSteps, Steps


@singledispatch
def formula(thing: object) -> Doc | None:
    """Return the formula of an object, or None if it has none."""
    return None


@singledispatch
def page(thing: object) -> Doc | None:
    """Return the full page of an object, or None if its formula is enough."""
    return None


@singledispatch
def latex(thing: object) -> str:
    """Return the formula of an object as LaTeX, or an empty string if it has none.

    >>> from roofproof import lower
    >>> import roofproof.export.explain.objects
    >>> latex(lower("bf16[N], bf16[N] -> []", "bf16=2 FLOP/s, hbm=1 B/s"))       # 2 N FLOPs, 4 N + 2 bytes
    '4N + 2'
    """
    from roofproof.export.to_latex import to_formula

    found = formula(thing)
    return "" if found is None else to_formula(found)


@singledispatch
def text(thing: object) -> str:
    """Return an object as text."""
    return repr(thing)


@singledispatch
def steps(thing: Answer) -> Iterable[Steps | NoSteps]:
    """Return the proof of an answer line by line."""
    return ()


@singledispatch
def record(thing: Answer) -> dict[str, Any]:
    """Return an answer as a JSON record, with every expression as an exact string."""
    raise NotImplementedError


def proved(thing: Answer) -> list[dict[str, str]]:
    """Return the statements that an answer rests on, and how each was proved."""
    return [{"says": k.statement.says, "trust": k.trust} for k in thing.known]


def html(thing: object) -> str | None:
    """Return the page that a notebook shows, with outside text escaped, or None if the formula is enough."""
    from roofproof.export.to_html import InNotebook, to_html

    found = page(thing)
    return None if found is None else str(to_html(found, page=InNotebook))
