"""All steps of an answer, to each limit, to the threshold and to the integer answer, or the reason for having none."""

from __future__ import annotations

from collections.abc import Iterator

from roofproof.derive.limits.limits import Limit
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import KernelError
from roofproof.proofs.provers.critical_size import ProvedThreshold
from roofproof.proofs.steps.limits import limit_steps
from roofproof.proofs.steps.numbers import number_steps
from roofproof.proofs.steps.step import NoSteps, Steps
from roofproof.proofs.steps.thresholds import threshold_steps
from roofproof.sentences import Sentence

LARGE = Sentence("a line is too large for the proof checker")


def answer_steps(proved: ProvedThreshold) -> Iterator[Steps | NoSteps]:
    """Yield the steps to each limit, to the threshold and, with sizes, to the integer answer.

    >>> from roofproof import op, threshold
    >>> [steps.key for steps in answer_steps(threshold(op("matmul"), None, "B"))]
    ['limit', 'threshold']

    A part that is not proved in steps is yielded as `NoSteps` with the reason.
    """
    several = len(proved.found.ceilings) > 1
    for rule in proved.rules:
        yield limit_steps_or_reason(rule.limit, rule.channel if several else "")
    yield from threshold_steps_or_reason(proved)


def threshold_steps_or_reason(proved: ProvedThreshold) -> Iterator[Steps | NoSteps]:
    """Yield the steps of a threshold without those to the limits, for slides that show the limits separately.

    >>> from roofproof import op, threshold
    >>> [told.key for told in threshold_steps_or_reason(threshold(op("matmul"), None, "B"))]
    ['threshold']
    """
    for key, steps in (("threshold", threshold_steps), ("sizes", number_steps)):
        try:
            made = steps(proved)
        except RoofproofError as problem:
            yield NoSteps(key, problem.said)
        except KernelError:
            yield NoSteps(key, LARGE)
        else:
            if made is not None:
                yield made


def limit_steps_or_reason(found: Limit, channel: str = "") -> Steps | NoSteps:
    """Return the steps to the limit of an intensity. `channel` names its memory level or link if there are several.

    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import dimension
    >>> found = limit(dimension("B") / (dimension("X") - 1), "X -> oo")
    >>> print(limit_steps_or_reason(found, "ici").common[-1].line)
    (I_ici - B/X)/I_ici = 1/X
    """
    try:
        return limit_steps(found, f"I_{channel.replace('-', '_')}" if channel else "I", channel)
    except RoofproofError as problem:
        return NoSteps("limit", problem.said, channel)
