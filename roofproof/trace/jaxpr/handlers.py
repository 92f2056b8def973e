"""Handlers of primitives that are not plain steps: loops, branches, shard_map, collectives and kernels."""

from collections.abc import Mapping

from roofproof.trace.jaxpr.collectives import COLLECTIVES, collective, mapped
from roofproof.trace.jaxpr.loops import cond, scan, while_
from roofproof.trace.jaxpr.pallas import pallas_call
from roofproof.trace.jaxpr.walk import Handler

HANDLERS: Mapping[str, Handler] = {
    "scan": scan,
    "while": while_,
    "cond": cond,
    "shard_map": mapped,
    "pallas_call": pallas_call,
    **dict.fromkeys(COLLECTIVES, collective),
}
