"""A chip: what it supplies, figure by figure."""

from dataclasses import dataclass
from fractions import Fraction

from roofproof.display import Displayed
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware.rate import Rate
from roofproof.hardware.resources import ENGINES, MAIN_MEMORIES, canonical_resource, is_compute
from roofproof.hardware.units import decimal

# FLOP/B that any machine so far lies between, with room to spare; a memory beyond 100 TB/s feeds a chip to match.
_RIDGES = (Fraction(1, 100), Fraction(20_000))
_FAST = 10**14


@dataclass(frozen=True, slots=True)
class Chip(Displayed):
    """A chip with its figures, immutable; no default fills a hole.

    >>> bf16 = Rate("bf16", Fraction(197 * 10**12), "FLOP/s", "dense", "given", "example")
    >>> hbm = Rate("hbm", Fraction(820 * 10**9), "B/s", "total", "given", "example")
    >>> mine = Chip("mine", (bf16, hbm))
    >>> mine.rate("bf16").value / mine.rate(mine.memory).value   # 1.97e14 / 8.2e11 FLOP/B
    Fraction(9850, 41)

    `supplies` has one figure a resource, those in force; `others` are figures of other sources for them.
    Raises RoofproofError for a resource that is given twice, and for a ridge that only a unit slip explains.
    """

    name: str
    supplies: tuple[Rate, ...]
    title: str = ""
    vendor: str = ""
    source: str = ""
    others: tuple[Rate, ...] = ()

    def __post_init__(self) -> None:
        if not self.supplies:
            raise RoofproofError(
                f"chip {quoted(self.name)} has no figures; expected some such as hbm = '819 GB/s'"
            )
        seen: set[str] = set()
        for rate in self.supplies:
            if rate.resource in seen:
                raise RoofproofError(
                    f"chip {quoted(self.name)}: figure {quoted(rate.resource)} is given twice"
                )
            seen.add(rate.resource)
        pairs: set[tuple[str, str]] = {(rate.resource, rate.variant) for rate in self.supplies}
        for rate in self.others:
            if (rate.resource, rate.variant) in pairs:
                raise RoofproofError(
                    f"chip {quoted(self.name)}: figure {quoted(rate.resource)} is given twice "
                    f"for variant {quoted(rate.variant or 'default')}"
                )
            pairs.add((rate.resource, rate.variant))
        self._refuse_absurd_ridge()

    def rate(self, resource: str) -> Rate:
        """Return the figure in force for a resource; a sparse peak only when asked for as "bf16-sparse".

        Raises RoofproofError that names the missing figure, and the engines that have the format or all there is.
        """
        name = canonical_resource(resource)
        for rate in self.supplies:
            if rate.resource == name:
                return rate
        engines = [quoted(r) for r in self.resources if r.startswith(f"{name}-") and r.endswith(ENGINES)]
        if is_compute(name) and engines:
            raise RoofproofError(
                f"chip {quoted(self.name)} has no figure {quoted(name)} but {' and '.join(engines)}; name the engine, "
                f"for an operation after '@'"
            )
        sparse = f"{name}-sparse"
        cure = f"; a sparse peak must be asked for by its name, {sparse!r}" if sparse in self.resources else ""
        raise RoofproofError(
            f"chip {quoted(self.name)} has no figure {quoted(name)}; it has {', '.join(self.resources)}{cure}"
        )

    def has(self, resource: str) -> bool:
        """Say whether the chip has a figure for a resource."""
        return canonical_resource(resource) in self.resources

    @property
    def resources(self) -> tuple[str, ...]:
        """The names of all figures in force, in the order of the file."""
        return tuple(rate.resource for rate in self.supplies)

    @property
    def memory(self) -> str:
        """The name of the main memory, "hbm" or "dram"."""
        for name in MAIN_MEMORIES:
            if name in self.resources:
                return name
        raise RoofproofError(
            f"chip {quoted(self.name)} has no main memory figure (hbm or dram); "
            f"it has {', '.join(self.resources)}"
        )

    @property
    def compute(self) -> tuple[Rate, ...]:
        """The peaks in FLOP/s, dense ones and those marked sparse."""
        return tuple(rate for rate in self.supplies if rate.unit == "FLOP/s")

    @property
    def capacity(self) -> tuple[Rate, ...]:
        """The capacities, in bytes."""
        return tuple(rate for rate in self.supplies if rate.unit == "B")

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants that replace some figures: NAME@VARIANT."""
        return tuple(sorted({r.variant for r in (*self.supplies, *self.others)} - {""}))

    def alternatives(self, resource: str) -> tuple[Rate, ...]:
        """Return the figures of other sources that stand beside the one in force for a resource."""
        name = self.rate(resource).resource
        return tuple(rate for rate in self.others if rate.resource == name)

    def variant(self, name: str) -> "Chip":
        """Return the chip with the figures of one variant in place of the defaults; the rest stay.

        Raises RoofproofError that names the variants there are.
        """
        base = self.name.partition("@")[0]
        if name not in self.variants:
            listed = f"it has {', '.join(self.variants)}" if self.variants else "it has none"
            raise RoofproofError(f"chip {quoted(base)} has no variant {quoted(name)}; {listed}")
        every = (*self.supplies, *self.others)
        chosen = {rate.resource: rate for rate in every if rate.variant == ""}
        chosen |= {rate.resource: rate for rate in every if rate.variant == name}
        force = tuple(chosen[resource] for resource in self.resources)
        rest = tuple(rate for rate in every if rate not in force)
        return Chip(f"{base}@{name}", force, self.title, self.vendor, self.source, rest)

    def _refuse_absurd_ridge(self) -> None:
        memory = next((rate for rate in self.supplies if rate.resource in MAIN_MEMORIES), None)
        if memory is None:
            return
        low, high = _RIDGES
        if memory.value > _FAST:
            low = Fraction(1)
        for rate in self.supplies:
            if not is_compute(rate.resource) or low <= rate.value / memory.value <= high:
                continue
            # Which of the two is off: no main memory is slower than 1 GB/s or faster than 1 PB/s.
            if rate.value / memory.value > high:
                slip = (
                    f"{memory.resource} too small (GB/s written for TB/s, or MB/s for GB/s)"
                    if memory.value < 10**10
                    else f"{rate.resource} too large (PFLOP/s written for TFLOP/s)"
                )
            else:
                slip = (
                    f"{memory.resource} too large (TB/s written for GB/s, or bits for bytes)"
                    if memory.value > _FAST
                    else f"{rate.resource} too small (GFLOP/s written for TFLOP/s)"
                )
            raise RoofproofError(
                f"chip {quoted(self.name)}: {rate} over {memory} is a ridge of "
                f"{decimal(Fraction(round(rate.value / memory.value, 4)))} FLOP/B, outside {low} to {high}; "
                f"likely a unit slip: {slip}"
            )
