"""Thresholds in the terms of the roofline model, with FLOPs, bytes and ridge point as Coq definitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from roofproof.derive.roofline.compute_bound import Ceiling, by_channel
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.replay.vocabulary import Vocabulary
from roofproof.proofs.search import tactics
from roofproof.proofs.translate import takes_longer_than_each, to_formula, with_functions

if TYPE_CHECKING:
    from roofproof.ops import Operation


def in_definitions(
    op: Operation, ceilings: Sequence[Ceiling], cases: Sequence[Known], words: Vocabulary, on_chip: bool = False
) -> Iterator[Known]:
    """Yield each case of a threshold as `compute_bound flops bytes ridge <-> ...`, proved from the known case.

    >>> from roofproof import op, threshold
    >>> proved, words = threshold(op("dot"), None, "N"), Vocabulary()
    >>> for known in in_definitions(op("dot"), proved.found.ceilings, proved.symbolic.of("case"), words):
    ...     print(known.statement.goal[0], known.trust)
    <=> kernel
    <=> kernel
    >>> list(words.definitions)
    ['flops', 'bytes_of_x', 'bytes_of_y', 'bytes_of_z', 'bytes']
    """
    parts, reasons, moving = list[tuple[Ceiling, Formula]](), list[Theorem](), list[Formula]()
    for c in ceilings:
        above = _compute_bound(op, c, len({c.channel for c in ceilings}) > 1, on_chip, words)
        goal = Formula("<=>", above, to_formula(c.exceeded if on_chip else c.symbolic, with_functions))
        some = Formula(">", words.bound[above][1], ZERO)  # without traffic there is no intensity
        theorem = tactics.prove(goal)
        if theorem is None:
            theorem = tactics.prove(goal, [some])
            moving.append(some)
        if theorem is None:
            return
        parts.append((c, above))
        reasons.append(theorem)
    condition = takes_longer_than_each(by_channel(parts))
    for known in cases:
        if known.theorem is None:
            continue
        goal = Formula("<=>", condition, known.statement.goal[2])
        statement = replace(known.statement, goal=goal, assumptions=(*known.statement.assumptions, *moving))
        with suppress(KernelError):
            made = by_kernel(statement, kernel.propositional(goal, [known.theorem, *reasons]))
            if made is not None:
                yield made


def _compute_bound(op: Operation, c: Ceiling, several: bool, on_chip: bool, words: Vocabulary) -> Formula:
    """Return the condition that the intensity exceeds the ridge point, and define its names in `words`."""
    flops = with_functions(c.flops)
    words.define("flops", flops, f"FLOPs of {op.name} in {c.compute}: {op.convention or 'as given'}")
    parts, of = [], []
    for tensor in op.tensors if c.channel == "memory" else ():
        parts.append(with_functions(tensor.traffic))
        of.append(words.define(f"bytes_of_{tensor.name}", parts[-1], f"bytes of {tensor}"))
    if c.channel in op.traffic:
        parts.append(with_functions(op.traffic[c.channel]))
        of.append(words.define(f"bytes_over_{c.channel}", parts[-1], f"bytes over {c.channel}, as given"))
    moved: Term = with_functions(c.moved) if not parts else parts[0] if len(parts) == 1 else Term("+", *parts)
    suffix = f"_{c.channel}" if several else ""
    words.define(f"bytes{suffix}", moved, f"bytes over {c.channel}", of)
    ridge = Term("v", c.symbol.name)
    if on_chip:
        peak, bandwidth = (Term.rational(r.value) for r in c.rests_on)
        words.define("peak", peak, str(c.rests_on[0]))
        words.define(f"bandwidth{suffix}", bandwidth, str(c.rests_on[1]))
        ridge = Term("/", peak, bandwidth)
    above = Formula(">", Term("/", flops, moved), ridge)
    words.bound[above] = (flops, moved, ridge)
    return above
