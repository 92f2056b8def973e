"""All steps of an answer: to each limit, to the threshold, and to the integer answer."""

from __future__ import annotations

from collections.abc import Iterator

from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import KernelError
from roofproof.proofs.provers.critical_size import ProvedThreshold
from roofproof.proofs.steps.limits import limit_steps
from roofproof.proofs.steps.step import Steps
from roofproof.proofs.steps.thresholds import threshold_steps


def told_steps(proved: ProvedThreshold) -> Iterator[Steps]:
    """Yield the steps to each limit, those to the threshold, and where sizes are given those to the integer answer.

    >>> from roofproof import op, threshold
    >>> [steps.key for steps in told_steps(threshold(op("matmul"), None, "B"))]
    ['limit', 'threshold']
    """
    several = len(proved.found.ceilings) > 1
    for rule in proved.rules:
        made = limit_steps(rule.proved, f"I_{rule.channel}" if several else "I", rule.channel)
        if made is not None:
            yield made
    try:
        yield from threshold_steps(proved)
    except (RoofproofError, KernelError):  # nothing is told in steps that is not proved in them
        return
