"""Pipeline parallel: layers in stages on chips in a row, the batch cut in microbatches that follow one another."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Expr

from roofproof.ops.algebra._common import Size
from roofproof.ops.algebra._common import size as positive
from roofproof.ops.network.collectives import Amount, Collective, point_to_point
from roofproof.ops.network.topology import Topology

HUANG = "Huang et al., GPipe (2019), section 2.3"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """p stages and m microbatches, each stage taking one unit of time a microbatch.

    >>> line = pipeline(p=4, m=12)
    >>> line.slots, line.bubble, line.overhead                 # 4 - 1 + 12 slots, 12 of them busy: 3/15 and 3/12
    (15, 1/5, 1/4)
    """

    stages: Expr
    microbatches: Expr

    @property
    def slots(self) -> Expr:
        """The units of time from the first microbatch in to the last one out: m + p - 1."""
        return self.microbatches + self.stages - 1

    @property
    def bubble(self) -> Expr:
        """The share of the time in which a stage idles: (p - 1)/(m + p - 1)."""
        return sympy.factor_terms((self.slots - self.microbatches) / self.slots)

    @property
    def overhead(self) -> Expr:
        """The idle time relative to the busy time: (p - 1)/m, the other usual meaning of bubble."""
        return (self.slots - self.microbatches) / self.microbatches

    @property
    def slowdown(self) -> Expr:
        """The time relative to stages that never idle: (m + p - 1)/m."""
        return self.slots / self.microbatches

    def transfer(self, V: Amount = "V", over: Topology | None = None) -> Collective:
        """Return the sending of one microbatch from a stage to the next, V bytes being the whole batch's activations.

        >>> pipeline(p=4, m=8).transfer().demand               # an eighth of the batch at a time
        {'ici': V/8}
        """
        whole = point_to_point(V, 1, over)
        return point_to_point(whole.size / self.microbatches, 1, whole.over)


def pipeline(p: Size = "p", m: Size = "m") -> Pipeline:
    """Return the pipeline of p stages and m microbatches.

    >>> pipeline().bubble
    (p - 1)/(m + p - 1)

    The same for a forward pass, and for a forward and a backward pass one after the other (GPipe). Raises
    RoofproofError for counts that are no positive integers. Source: Huang et al., GPipe (2019), section 2.3.
    """
    return Pipeline(positive(p, "stages"), positive(m, "microbatches"))
