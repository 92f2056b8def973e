"""What a language model keeps in memory, from its configuration: to serve it, and to train it."""

from __future__ import annotations

from sympy import Add, Expr

from roofproof.ops.algebra import at
from roofproof.ops.algebra._common import Size
from roofproof.ops.library._blocks import sized, sizes
from roofproof.ops.library._entry import chosen
from roofproof.ops.library.language_model import forward, kv_cache, parameters
from roofproof.ops.models import model as configuration
from roofproof.ops.network.footprints import Footprint, footprint
from roofproof.ops.operation import Operation
from roofproof.symbols import dimension


def serving_footprint(
    model: str, B: Size = "B", S: Size = "S", weights: str = "bf16", cache: str = "bf16"
) -> Footprint:
    """Return the bytes to serve a model: its weights, and the keys and values of B sequences of S tokens.

    >>> held = serving_footprint("llama-2-70b", B=8, S=4096)
    >>> {what: int(size) for what, size in held.bytes.items()}     # 68.98e9 weights; 2 * 80 * 8 * 128 * 2 B a token
    {'weights': 137953296384, 'cache': 10737418240}

    `weights` and `cache` are their formats; what one step computes is small beside them and left out. Raises
    RoofproofError for an unknown model or format. Source: Pope et al., Efficiently Scaling Transformer Inference
    (2022), section 2.
    """
    cached = sized(kv_cache(cache, model), {"B": B, "S": S})
    return footprint(parameters(model), weights, other={"cache": cached.bytes()})


def training_footprint(
    model: str,
    B: Size = "B",
    L: Size = "L",
    weights: str = "bf16",
    gradients: str = "bf16",
    optimiser: str = "adam-master",
    recompute: str = "none",
) -> Footprint:
    """Return the bytes to train a model on B sequences of L tokens: weights, gradients, optimiser state, activations.

    >>> held = training_footprint("llama-2-7b", B=1, L=4096, recompute="all")
    >>> int(held.bytes["optimiser"] / held.bytes["weights"])       # 3 numbers of 4 bytes for each of 2 bytes
    6
    >>> int(held.bytes["activations"])                             # 32 layers * 4096 tokens * 4096 wide * 2 B
    1073741824

    Activations are in the format of the weights: what each kernel of the forward pass writes, or with `recompute`
    "all" the input of each layer alone. Raises RoofproofError for an unknown model, format, optimiser or way.

    Source: Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models (2022), section 4, for
    what is recomputed; Rajbhandari et al., ZeRO (2020), section 3, for the state.
    """
    found = configuration(model)
    ahead = at(forward(found, weights, weights, weights, every_logit=True), S="L")
    values = sizes(found) | {"T": dimension("B") * dimension("L")}
    if chosen(recompute, "recompute", ("none", "all")) == "all":
        [into] = [t for part in ahead.parts if part.name == "embedding" for t in part.writes]
        kept: Expr = into.bytes * found.layers
    else:
        kept = Add(*(t.traffic for t in ahead.writes))
    activations = sized(Operation("activations", traffic={"memory": kept}), values)
    held = sized(activations, {"B": B, "L": L}).bytes()
    return footprint(parameters(model), weights, gradients, optimiser, other={"activations": held})
