"""The catalogue of slips: a name, words for a student, and what the slip does."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from roofproof.claims.slips import chips, formulas, operations, values

Change = Callable[..., Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake.

    `acts_on` is "operation" (the change yields operations), "chip" (it yields chips), "value" (it yields what the
    right value turns into) or "claim" (it yields propositions that the author may have meant).

    >>> CATALOGUE["write-back"].says
    'the result that is written back to memory was not counted'
    """

    name: str
    says: str
    acts_on: str
    change: Change


CATALOGUE: dict[str, Slip] = {
    s.name: s
    for s in (
        Slip("sparse-peak", "the peak with 2:4 sparsity was used; dense work reaches half of it", "chip",
             chips.sparse_peak),
        Slip("wrong-format", "the peak of another number format was used", "chip", chips.other_format),
        Slip("sku", "the figure of another model of the chip was used", "chip", chips.other_model),
        Slip("directions", "one direction of a link was taken for both, or both for one", "chip",
             chips.directions),
        Slip("bytes-per-element", "elements were counted as if each took another number of bytes", "operation",
             operations.bytes_per_element),
        Slip("write-back", "the result that is written back to memory was not counted", "operation",
             operations.no_write_back),
        Slip("multiply-add", "a multiply-add was counted as one FLOP; it is two", "operation",
             operations.multiply_add_once),
        Slip("footprint-for-traffic", "each tensor was counted once, though it is moved several times", "operation",
             operations.footprint),
        Slip("heads", "the number of heads was left out, or counted twice", "value", values.heads),
        Slip("layers", "one layer was taken for the whole model, or the model for one layer", "value",
             values.layers),
        Slip("ratio-for-share", "a ratio of two parts was taken for a share of the whole, or the reverse", "value",
             values.ratio_for_share),
        Slip("share-added-to-ratio", "a share of the whole was added to a ratio of parts", "value",
             values.share_added_to_ratio),
        Slip("strictness", "the bound itself was counted in, or left out", "claim", formulas.strictness),
        Slip("off-by-one", "the answer is off by one", "value", values.off_by_one),
        Slip("bits-for-bytes", "bits were taken for bytes: a factor of 8", "value", values.bits_for_bytes),
        Slip("unit-prefix", "a unit prefix was slipped: a factor of 1000", "value", values.prefix),
        Slip("binary-prefix", "GB was taken for GiB, or the reverse: a factor of 1.024 at each step", "value",
             values.binary_prefix),
        Slip("limit-outside-regime", "the limit was used for the exact value, outside its regime", "claim",
             formulas.limit_for_exact),
        Slip("halved-twice", "what was halved already was halved again", "value", values.halved_twice),
    )
}  # fmt: skip
