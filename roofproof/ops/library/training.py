"""Training of a language model: the forward pass, the backward pass with twice its FLOPs, and the optimiser."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, Rational

from roofproof.formats import bytes_per_element
from roofproof.ops.combine import backward, gradients, then
from roofproof.ops.library._entry import Entry, Format, OwnFormat, check_choice
from roofproof.ops.library.language_model import (
    Chips,
    by_kernels,
    ends,
    forward,
    of_kernels,
    own_format,
    parameters,
    with_mask,
)
from roofproof.ops.library.model_kernels import sized
from roofproof.ops.models import model as configuration
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

KINGMA = "Kingma, Ba, Adam (2014), algorithm 1; Rajbhandari et al., ZeRO (2019), section 3.1, for the formats"
OPTIMISER = "the FLOPs of the optimiser are not counted"
KAPLAN = "Kaplan et al., Scaling Laws for Neural Language Models (2020), section 2.1"


def adam(w: Format = "bf16", state: Format = "fp32", compute: str | None = None) -> Operation:
    """Adam in mixed precision over P parameters: reads gradients, updates weights, both moments and the master copy.

    >>> adam().bytes()                                         # 2 in; 3 times 4 in and out; 2 out
    28*P
    >>> adam().flops                                           # 3 and 4 for the moments, 7 for the step
    14*P
    """
    return _adam(dimension("P"), w, state, compute)


def _adam(count: Expr, w: str, state: str, compute: str | None = None) -> Operation:
    kept = tuple(Tensor(name, (count,), state) for name in ("master", "first moment", "second moment"))
    return one_kernel(
        "adam",
        work={compute or vector_engine(state): 14 * count},
        reads=(Tensor("gradient", (count,), w), *kept),
        writes=(*kept, Tensor("w", (count,), w)),
        source=KINGMA,
        convention="14 FLOPs a parameter, bias correction included, weight decay not; gradients in the weights' format",
    )


def training_step(
    model: str = "standard",
    x: Format = "bf16",
    w: OwnFormat = None,
    state: Format = "fp32",
    recompute: str = "none",
    mask: str = "full",
    traffic: str = "kernels",
    tensor: str | int = 1,
    data: str | int = 1,
    link: str = "ici",
    data_link: str = "",
) -> Operation:
    """One training step on B sequences of L tokens: forward, backward and Adam, whose FLOPs are not counted.

    The backward pass has two products for each product of the forward pass. `recompute` is `none`, or `all` to repeat
    the forward pass because no activations are kept. Products that an attention kernel recomputes are not counted, as
    usual for FLOPs of a model. Other arguments are as in `prefill`. With `fused` traffic only tokens, weights and
    optimiser state move.

    >>> op = training_step()                                   # 3 times 24 B L d^2 + 4 B L^2 d per layer
    >>> op.flops.expand()
    12*B*L**2*N*d + 72*B*L*N*d**2 + 6*B*L*V*d
    >>> (training_step(recompute="all").flops / op.flops).factor()         # 4 passes for 3
    4/3
    """
    found, B, L = configuration(model), dimension("B"), dimension("L")
    w = own_format(found, x, w)
    values = ends(found) | {"T": B * L}
    ahead = with_mask(forward(found, x, w, x, every_logit=True), found, mask)
    *layers, head = ahead.parts
    back = then(backward(head), *(gradients(part, again=False) for part in reversed(layers)), name="backward")
    again = (
        [replace(ahead, name="forward again")] if check_choice(recompute, "recompute", ("none", "all")) == "all" else []
    )
    passes = [sized(one, values) for one in (ahead, *again, back)]
    optimiser = _adam(parameters(found), w, state).as_one_kernel(work={})
    step = then(*passes, optimiser, name="training-step", source=found.source)
    if by_kernels(traffic, tensor, data):
        return replace(step, convention=f"{of_kernels(found, 'most')}; {OPTIMISER}")
    compute = {name: amount.factor() for name, amount in step.compute.items()}
    [tokens] = [t for t in step.reads if t.name == "tokens"]
    state_of = [t for t in optimiser.reads if t.name != "gradient"]
    moved = (replace(tokens, times=Integer(1)), Tensor("w", (parameters(found),), w), *state_of)
    fused = step.as_one_kernel(work=compute, reads=moved, writes=optimiser.writes, exact=None)
    chips = Chips.read(found, tensor, data, link, data_link)
    sums = parameters(found) * Rational(bytes_per_element(w))
    fused = chips.share(fused, B * L, x, passes=2 + len(again), gradients=sums)
    return replace(fused, convention=f"{chips.convention('all', mask)}; {OPTIMISER}")


ENTRIES = (
    Entry("adam", adam, "Adam over P parameters, mixed precision", KINGMA, sizes="P: parameters"),
    Entry(
        "training-step",
        training_step,
        "forward, backward and Adam (recompute: none or all)",
        KAPLAN,
        sizes="V: vocabulary, d: width, B: batch, L: sequence, N: layers, h: heads, tensor: chips, data: chips",
    ),
)
