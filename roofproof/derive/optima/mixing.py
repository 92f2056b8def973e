"""FSDP mixed with tensor parallel: how many of N chips for each, from the bytes that the sharded layer moves."""

from dataclasses import dataclass

import sympy

from roofproof.derive.optima.extremum import Extremum
from roofproof.derive.optima.optima import minimum
from roofproof.ops.network import Ring, fsdp_tensor_parallel
from roofproof.symbols import dimension, quantity


@dataclass(frozen=True, slots=True)
class MixedSharding:
    """The communication time of a layer over N chips as a function of X, those of FSDP, and where it is least.

    >>> found = mixed_sharding()
    >>> [X] = found.optimum.over
    >>> (found.limit - found.time).diff(X).simplify()          # (n - 1)/n shifts it by a constant
    0
    """

    time: sympy.Expr  # with every (n - 1)/n
    limit: sympy.Expr  # with (n - 1)/n = 1, as the source has it
    optimum: Extremum  # of the exact time
    batch: sympy.Expr  # the B above which compute hides the communication at the optimum, in the limit


def mixed_sharding(part: str = "forward") -> MixedSharding:
    """Return the best split of N chips between FSDP (X) and tensor parallel (Y = N/X).

    >>> found = mixed_sharding()
    >>> found.limit                                            # 4DF over Y = N/X, 4BD over X, by the bandwidths
    4*B*D/(M_Y*W*X) + 4*D*F*X/(M_X*N*W)
    >>> found.optimum.at()                                     # X = sqrt(B/F * M_X/M_Y * N)
    sqrt(B)*sqrt(M_X)*sqrt(N)/(sqrt(F)*sqrt(M_Y))
    >>> found.batch                                            # B/N > 4 (P/W)^2 / (M_X M_Y F)
    4*N*P**2/(F*M_X*M_Y*W**2)

    W is the bandwidth of a ring in one direction, M_X and M_Y the rings that carry each axis (a mesh axis of the
    source, used both ways, is two of them), P the peak. Taking (n - 1)/n exactly changes the
    time by a constant, so the optimum is the same; `proofs.prove_extremum` proves it. `part` is "forward",
    "backward" or "step".

    Source: Austin et al., How to Scale Your Model (2025), ch. 5, "Mixed FSDP and tensor parallelism".
    """
    N, X, Y = dimension("N"), dimension("X"), dimension("Y")
    W, P = quantity("W"), quantity("P")
    lanes = {"X": Ring(lanes=dimension("M_X")), "Y": Ring(lanes=dimension("M_Y"))}
    layer = fsdp_tensor_parallel(over=lanes, part=part)
    exact, rough = sympy.Integer(0), sympy.Integer(0)
    for axis, chips in (("X", X), ("Y", Y)):
        [moved] = layer.along(axis).values()
        exact += moved / W
        rough += moved * chips / (chips - 1) / W
    time = sympy.expand(exact.subs(Y, N / X))
    limit = sympy.expand(sympy.cancel(rough.subs(Y, N / X)))
    optimum, simple = minimum(time, X), minimum(limit, X)
    if sympy.simplify(optimum.at(X) - simple.at(X)) != 0:
        raise AssertionError("exact and limiting optimum differ")
    # Compute hides communication where flops/P > least time; both positive, so the squares may be compared.
    flops = layer.flops.subs(Y, N / X)
    B = dimension("B")
    ratio = sympy.simplify((flops / P) ** 2 / simple.value**2)  # proportional to B, as the FLOPs are
    batch = sympy.simplify(B / ratio)
    return MixedSharding(time, limit, optimum, batch)
