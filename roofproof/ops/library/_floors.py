"""What a pass of a language model has to move however it is fused, and its share on each of several chips.

A floor leaves out all that a schedule could save: of the layers nothing but weights and cache crosses the memory,
each once. Chips that share every layer (tensor parallel) add up the results of its two halves twice a layer, those
that share the sequences (data parallel) their gradients; an all-reduce sends 2 (n - 1)/n of an array at least.

Sources: Shoeybi et al., Megatron-LM (2019), section 3, for the sums of a layer; Patarasuk, Yuan (2009), theorem 1, for
the bytes of an all-reduce in which no switch adds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Eq, Expr, Integer, Mod, Rational

from roofproof.errors import RoofproofError
from roofproof.formats import bytes_per_element
from roofproof.ops.combine import added, positive
from roofproof.ops.library._entry import chosen, sized
from roofproof.ops.library._experts import touched_text
from roofproof.ops.library.attention import LEFT_BY_MASKS
from roofproof.ops.library.model_kernels import is_weight
from roofproof.ops.models import Model
from roofproof.ops.network.collectives import Ring, all_reduce
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

PRODUCTS = "2 FLOPs per multiply-add of the matrix products"
FUSED = "traffic fused: weights, cache, tokens and optimiser state once, nothing between"
RECURRENT = "a state renewed and read at each token, one after the other"
PER_CHIP = "per chip; bytes per direction of a link"
CACHE = {"tokens", "keys", "values", "latent", "state"}  # words of what is kept of each sequence


def inference(op: Operation, model: Model, reads: tuple[Tensor, ...], writes: tuple[Tensor, ...]) -> Operation:
    """Return a pass that moves only what it must: its weights, `reads` and `writes` of the cache, tokens in and out.

    Of an embedding table that is only looked up nothing is counted, as tokens may be equal.
    """
    B = dimension("B")
    [tokens] = [t for t in op.reads if t.name == "tokens"]
    weights = [t for t in op.reads if is_weight(t) and (model.tied or t.name != "w_embedding")]
    weights = [replace(t, times=Integer(1)) if t.name == "w_embedding" else t for t in weights]
    out = Tensor("next tokens", (B,), "int32")
    return op.as_one_kernel(reads=(tokens, *weights, *reads), writes=(*writes, out), exact=None)


@dataclass(frozen=True, slots=True)
class Chips:
    """How many chips share every layer, how many groups of these the sequences, and over which links.

    >>> from roofproof.ops.models import model
    >>> Chips.read(model("llama-3-8b"), "8", 1, "nvlink", "").tensor
    8
    """

    model: Model
    tensor: Expr
    data: Expr
    link: str
    data_link: str

    @classmethod
    def read(cls, model: Model, tensor: str | int, data: str | int, link: str, data_link: str) -> Chips:
        """Return the chips that a text asks for. Raises RoofproofError where they do not divide the heads."""
        n, m = (positive(sized(given, what), what) for given, what in ((tensor, "tensor"), (data, "data")))
        heads = model.attention.heads
        if (heads / n).is_integer is False and n.is_Integer:
            raise RoofproofError(f"tensor={n}: {n} chips do not divide the {heads} heads of {model.name}")
        return cls(model, n, m, link, data_link or link)

    @property
    def alone(self) -> bool:
        """Whether there is one chip."""
        return bool(self.tensor == 1 and self.data == 1)

    def convention(self, touched: str, mask: str = "") -> str:
        """Return the counting convention, and what of it is a choice."""
        said = [PRODUCTS]
        if mask:
            said += [LEFT_BY_MASKS if mask == "causal" else "all pairs of tokens"]
        if any(part.recurrence != 0 for part in self.model.parts):
            said += [RECURRENT]
        if self.model.mixture:
            said += [touched_text(touched)]
        return "; ".join([*said, FUSED, *([] if self.alone else [PER_CHIP])])

    def share(self, op: Operation, tokens: Expr, x: str, passes: int, gradients: Expr | None = None) -> Operation:
        """Return one chip's share of a pass over so many tokens: its layers' sums `passes` times, and gradients.

        `gradients` is their bytes, all-reduced over the groups. Raises nothing; for one chip it is the pass.
        """
        if self.alone:
            return op
        n, m = self.tensor, self.data

        def cut(tensor: Tensor) -> Tensor:
            own = CACHE & {*tensor.name.split()}
            return replace(tensor, times=tensor.times / (n * m if own else n))

        traffic = [op.traffic]
        if n != 1:
            size = tokens / m * self.model.d * Rational(bytes_per_element(x))
            sums = all_reduce(n, size, Ring(self.link)).demand
            traffic += [{link: passes * self.model.halves * moved for link, moved in sums.items()}]
        if m != 1 and gradients is not None:
            traffic += [all_reduce(m, gradients / n, Ring(self.data_link)).demand]
        whole = [Eq(Mod(dimension("B"), m), 0), Eq(Mod(self.model.attention.heads, n), 0)]
        shared = op.as_one_kernel(
            work={name: amount / (n * m) for name, amount in op.compute.items()},
            exact=None,
            reads=tuple(map(cut, op.reads)),
            writes=tuple(map(cut, op.writes)),
            links=added(traffic),
        )
        return replace(shared, conditions=(*op.conditions, *(c for c in whole if c != True)), dims=())  # noqa: E712


def by_kernels(traffic: str, tensor: str | int, data: str | int) -> bool:
    """Tell whether a pass is no floor; refuse chips beside one for it: what its activations move is not shared out."""
    kernels = chosen(traffic, "traffic", ("kernels", "fused")) == "kernels"
    if kernels and (str(tensor), str(data)) != ("1", "1"):
        raise RoofproofError("tensor and data, numbers of chips, go with traffic=fused")
    return kernels
