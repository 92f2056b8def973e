"""A chip and its specs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Context
from fractions import Fraction
from typing import TYPE_CHECKING

from roofproof.answer import Shown
from roofproof.errors import MissingFigure, RoofproofError, quoted
from roofproof.formula.magnitudes import decimal
from roofproof.hardware.figure import RATES, Figure
from roofproof.hardware.resources import ENGINES, MAIN_MEMORIES, OWN_LINKS, named, units_of_resources
from roofproof.sentences import Sentence, joined

if TYPE_CHECKING:
    from roofproof.hardware.calibration import Calibration

_DIGITS = Context(prec=5)
# The ridge points of all machines so far lie well within these FLOP/B. A memory beyond 100 TB/s feeds a matching chip.
_RIDGES = (Fraction(1, 100), Fraction(20_000))
_FAST = 10**14


@dataclass(frozen=True, slots=True)
class Chip(Shown):
    """A chip with its specs, immutable and without default values.

    >>> bf16 = Figure("bf16", Fraction(197 * 10**12), "FLOP/s", "dense", "given", "example")
    >>> hbm = Figure("hbm", Fraction(820 * 10**9), "B/s", "total", "given", "example")
    >>> mine = Chip("mine", (bf16, hbm))
    >>> mine.rate("bf16").value / mine.rate(mine.memory).value   # 1.97e14 / 8.2e11 FLOP/B
    Fraction(9850, 41)

    `supplies` has the specs in use: one for each compute unit and link, a capacity and a bandwidth for each memory
    level. `others` are their specs from other sources. `calibrations` are rates fitted to measured times, which are
    used for estimates but not for minimum times. Chips of one `generation` may borrow them, and `base` is the chip
    whose specs a fitted one has. Rates and capacities have different methods: `peak` and `bandwidth` return rates,
    `capacity` the bytes of a level. Raises RoofproofError for a resource that is given twice, and for a ridge point
    that only a wrong unit explains.
    """

    name: str
    supplies: tuple[Figure, ...]
    title: str = ""
    vendor: str = ""
    source: str = ""
    others: tuple[Figure, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    generation: str = ""
    base: str = ""

    def __repr__(self) -> str:
        return f"Chip({self.name}: {', '.join(figure.resource for figure in self.supplies)})"

    def __hash__(self) -> int:  # chips are keys of many caches and have many specs, so this is kept cheap
        return hash((self.name, *(f.value.numerator for f in self.supplies)))

    def __post_init__(self) -> None:
        where = self._said
        if not self.supplies:
            raise RoofproofError("<where> has no specs; expected some, such as hbm = '819 GB/s'", where=where)
        for figure in (*self.supplies, *self.others):
            allowed = units_of_resources().get(figure.resource, ())
            if figure.unit not in allowed:
                due = joined("<first> or <second>", allowed) or Sentence("a resource of the closed list")
                said = "<where>: spec <figure> is in <unit>; expected <due>"
                raise RoofproofError(said, where=where, figure=quoted(figure.resource), unit=figure.unit, due=due)
        there = self.resources
        if len(both := [name for name in MAIN_MEMORIES if name in there]) > 1:
            raise RoofproofError(
                "<where>: <names> both name the main memory; remove one (for memory behind a link, name the "
                "link, such as pcie)",
                where=where,
                names=joined("<first> and <second>", both),
            )
        force = Counter([(figure.resource, figure.unit) for figure in self.supplies])
        every = Counter([(f.resource, f.unit, f.variant) for f in (*self.supplies, *self.others)])
        for (resource, *_), count in force.items():
            if count > 1:
                raise RoofproofError("<where>: spec <figure> is given twice", where=where, figure=quoted(resource))
        for (resource, _, variant), count in every.items():
            if count > 1:
                said = "<where>: spec <figure> is given twice for variant <variant>"
                named = quoted(variant or "default")
                raise RoofproofError(said, where=where, figure=quoted(resource), variant=named)
        self._refuse_absurd_ridge()

    def rate(self, resource: str) -> Figure:
        """Return the rate in use of a compute unit (FLOP/s), or of a memory level or a link (B/s).

        A sparse peak must be named, as in "bf16-sparse". Raises RoofproofError as `peak` and `bandwidth` do.
        """
        return self.peak(resource) if named(resource)[1] == ("FLOP/s",) else self.bandwidth(resource)

    def peak(self, engine: str) -> Figure:
        """Return the FLOP/s of a compute unit, or of the whole chip for the vector unit if it has no specs by unit.

        >>> from roofproof.hardware.catalog import chip_from_text
        >>> print(chip_from_text("fp64=2 TFLOP/s, hbm=1 TB/s").peak("fp64-vector"))
        fp64 = 2e12 FLOP/s

        Raises RoofproofError that names the missing spec, and the units that have the format, or else all rates.
        """
        if (found := self.peak_if_known(engine)) is not None:
            return found
        name, _ = named(engine)
        engines = [quoted(r) for r in self.resources if r.startswith(f"{name}-") and r.endswith(ENGINES)]
        if engines:
            said = "<where> has no spec <figure> but <engines>; name the compute unit, after '@' for an operation"
            listed = joined("<first> and <second>", engines)
            raise MissingFigure(Sentence(said, where=self._said, figure=quoted(name), engines=listed), self.name, name)
        sparse = f"{name}-sparse"
        cure = self.with_figure(name, "FLOP/s")
        if sparse in self.resources:
            asked = Sentence("a sparse peak must be named explicitly, <name>", name=repr(sparse))
            cure = joined("<first>; <second>", (asked, cure))
        raise MissingFigure(self._lacking(name, cure), self.name, name)

    def peak_if_known(self, engine: str) -> Figure | None:
        """Return the FLOP/s of a compute unit as `peak` does, or None if the chip lacks the spec.

        Raises RoofproofError for a name that is not a compute unit.
        """
        name, units = named(engine)
        if units != ("FLOP/s",):
            said = "<name> is not a compute unit; expected a number format such as 'bf16' or 'fp32-vector'"
            raise RoofproofError(said, name=quoted(engine))
        if (found := self._find(name, *RATES)) is not None or not name.endswith("-vector"):
            return found
        apart = any(r.endswith(ENGINES) for r in self.resources)
        return None if apart else self._find(name.removesuffix("-vector"), *RATES)

    def bandwidth(self, channel: str) -> Figure:
        """Return the B/s of a memory level or a link, never a capacity.

        >>> from roofproof.hardware.catalog import chip_from_text
        >>> one = chip_from_text("bf16=1 TFLOP/s, l2=50 MiB, l3=2 TB/s")
        >>> print(one.bandwidth("l3"))
        l3 = 2e12 B/s
        >>> one.bandwidth("l2")
        Traceback (most recent call last):
        roofproof.errors.MissingFigure: chip 'custom' has the capacity of 'l2' (52428800 B) but no bandwidth; add one, \
such as --chip "..., l2=NUMBER GB/s"

        Raises RoofproofError for a spec that the chip lacks, and for a name that is not a memory level or a link.
        """
        name, units = named(channel)
        if "B/s" not in units:
            said = "<name> is a spec in <unit>; bytes need a memory level or a link, with a rate in B/s"
            raise RoofproofError(said, name=quoted(channel), unit=units[0])
        if (found := self._find(name, *RATES)) is not None:
            return found
        if size := self._find(name, "B") or self._find(f"{name}-total", "B"):
            said = Sentence(
                "<where> has the capacity of <level> (<size> B) but no bandwidth; "
                'add one, such as --chip "..., <name>=NUMBER GB/s"',
                where=self._said,
                level=quoted(name),
                size=decimal(size.value),
                name=name,
            )
            raise MissingFigure(said, self.name, name)
        raise MissingFigure(self._lacking(name, self.with_figure(name, "B/s")), self.name, name)

    def with_figure(self, name: str, unit: str) -> str:
        """Return the advice to add a spec that the chip lacks."""
        given = self.name if self.vendor else "..."
        return Sentence('add it, as --chip "<given>, <name>=NUMBER <unit>"', given=given, name=name, unit=unit)

    @property
    def _said(self) -> str:
        return Sentence("chip <name>", name=quoted(self.name))

    def _lacking(self, name: str, cure: str) -> str:
        said = "<where> has no spec <figure>; it has <listed>; <cure>"
        return Sentence(said, where=self._said, figure=quoted(name), listed=self._rates(), cure=cure)

    def capacity(self, level: str) -> Figure:
        """Return the bytes that a memory level holds, in which a footprint must fit, never a bandwidth.

        >>> from roofproof.hardware.catalog import chip_from_text
        >>> one = chip_from_text("l2=50 MiB, hbm=2 TB/s")
        >>> print(one.capacity("l2"))                          # 50 * 2^20
        l2 = 52428800 B
        >>> one.capacity("hbm")
        Traceback (most recent call last):
        roofproof.errors.RoofproofError: chip 'custom' has no capacity of 'hbm'; it has those of l2

        Raises RoofproofError for a capacity that the chip lacks, and for a name that is not a memory level.
        """
        name, units = named(level)
        if "B" not in units:
            raise RoofproofError("<name> is not a memory level; expected one such as 'hbm' or 'l2'", name=quoted(level))
        if (found := self._find(name, "B")) is not None:
            return found
        said = "<where> has no capacity of <level>; it has none"
        said = "<where> has no capacity of <level>; it has those of <listed>" if self.capacities else said
        listed = ", ".join(c.resource for c in self.capacities)
        raise RoofproofError(said, where=self._said, level=quoted(name), listed=listed)

    def trait(self, name: str) -> Figure | None:
        """Return a spec that does not limit a demand, such as "sms", "tdp" or "ici-latency", or None."""
        return self._find(named(name)[0])

    def ceiling(self, name: str, resource: str | None = None) -> Figure:
        """Return a rate below a peak that has its own name: "no-fma", "no-simd", "one-numa-node", ...

        >>> from roofproof.hardware.catalog import chip
        >>> print(chip("h100-sxm").ceiling("no-fma"))          # half of the peak that counts an FMA as two
        fp32-vector = 3.35e13 FLOP/s

        A ceiling is a variant of a spec. `resource` says which spec, if several have one with that name. Raises
        RoofproofError for an unknown name, with the known ones.
        """
        every = [f for f in (*self.others, *self.supplies) if f.is_rate and f.variant]
        of = None if resource is None else named(resource)[0]
        found = [f for f in every if f.variant == name and of in (None, f.resource)]
        if not found:
            said = "<where> has no ceiling <name>; it has <listed>"
            said = said if of is None else "<where> has no ceiling <name> of <of>; it has <listed>"
            has = ", ".join(dict.fromkeys(f.variant for f in every if of in (None, f.resource))) or Sentence("none")
            raise RoofproofError(said, where=self._said, name=quoted(name), of=quoted(of), listed=has)
        if len(found) > 1:
            listed = ", ".join(f.resource for f in found)
            said = "<where>: <name> is a ceiling of <listed>; name one of them"
            raise RoofproofError(said, where=self._said, name=quoted(name), listed=listed)
        return found[0]

    def calibration(self, engine: str | None = None) -> Calibration:
        """Return the calibrated rates of a compute unit, or those of the only unit that has any.

        >>> from roofproof.hardware.catalog import chip
        >>> found = chip("h100-sxm").calibration("fp16")
        >>> found.level, found.corner, found.points
        ('hbm', 'root', 1116)

        Raises RoofproofError with the cure if there are none.
        """
        of = None if engine is None else named(engine)[0]
        found = [c for c in self.calibrations if of in (None, c.engine)]
        if len(found) == 1:
            return found[0]
        listed = ", ".join(c.engine for c in self.calibrations) or Sentence("none")
        said = "<where> has no calibrated rates of <engine>; it has <listed>; fit them with `roofproof calibrate`"
        said = said if not found else "<where> has calibrated rates of <listed>; name one of them"
        raise RoofproofError(said, where=self._said, engine=of or Sentence("any compute unit"), listed=listed)

    def _find(self, name: str, *units: str) -> Figure | None:
        return next((f for f in self.supplies if f.resource == name and (f.unit in units or not units)), None)

    def _rates(self) -> str:
        return ", ".join(rate.resource for rate in (*self.compute, *self.channels)) or "no rates"

    def has(self, resource: str) -> bool:
        """Tell whether the chip has a spec for a resource."""
        return named(resource)[0] in self.resources

    @property
    def resources(self) -> tuple[str, ...]:
        """The names of all specs in use, in the order of the file."""
        return tuple(dict.fromkeys([figure.resource for figure in self.supplies]))

    @property
    def memory(self) -> str:
        """The name of the main memory, "hbm" or "dram"."""
        there = self.resources
        if found := [name for name in MAIN_MEMORIES if name in there]:
            return found[0]
        said = "<where> has no spec of a main memory (hbm or dram); it has <listed>; <cure>"
        cure = self.with_figure("hbm", "B/s")
        raise RoofproofError(said, where=self._said, listed=", ".join(self.resources), cure=cure)

    @property
    def link(self) -> str:
        """The name of the link to other chips of its kind: "ici", "nvlink", ..., or "pcie" if it has no other."""
        if found := [name for name in OWN_LINKS if self._find(name, *RATES)]:
            return found[0]
        said = "<where> has no spec of a link to other chips (<links>); <cure>"
        cure = self.with_figure("ici", "B/s")
        raise MissingFigure(Sentence(said, where=self._said, links=", ".join(OWN_LINKS), cure=cure), self.name, "link")

    @property
    def compute(self) -> tuple[Figure, ...]:
        """The peaks in FLOP/s, both dense and sparse."""
        return tuple(f for f in self.supplies if f.unit == "FLOP/s")

    @property
    def channels(self) -> tuple[Figure, ...]:
        """The bandwidths of memory levels and links, in B/s."""
        return tuple(f for f in self.supplies if f.unit == "B/s")

    @property
    def capacities(self) -> tuple[Figure, ...]:
        """The capacities of memory levels, in bytes."""
        return tuple(f for f in self.supplies if f.unit == "B")

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants that replace some specs: NAME@VARIANT."""
        return tuple(sorted({r.variant for r in (*self.supplies, *self.others)} - {""}))

    def alternatives(self, figure: Figure) -> tuple[Figure, ...]:
        """Return the specs of other sources for the same resource as a given one, in the same unit."""
        return tuple(f for f in self.others if (f.resource, f.unit) == (figure.resource, figure.unit))

    def variant(self, name: str) -> Chip:
        """Return the chip with the specs of one variant in place of the defaults.

        Raises RoofproofError with the known variants for an unknown one.
        """
        base = self.name.partition("@")[0]
        if name not in self.variants:
            raise RoofproofError(
                "chip <chip> has no variant <name>; it has <listed>",
                chip=quoted(base),
                name=quoted(name),
                listed=", ".join(self.variants) or Sentence("none"),
            )
        every = (*self.supplies, *self.others)
        chosen = {(f.resource, f.unit): f for f in every if f.variant == ""}
        chosen |= {(f.resource, f.unit): f for f in every if f.variant == name}
        force = tuple(chosen[f.resource, f.unit] for f in self.supplies)
        rest = tuple(f for f in every if f not in force)
        return Chip(
            f"{base}@{name}", force, self.title, self.vendor, self.source, rest, self.calibrations, self.generation,
            self.base,
        )  # fmt: skip

    def _refuse_absurd_ridge(self) -> None:
        memory = next((rate for rate in self.channels if rate.resource in MAIN_MEMORIES), None)
        if memory is None:
            return
        low, high = _RIDGES if memory.value <= _FAST else (Fraction(1), _RIDGES[1])
        for rate in self.compute:
            ridge = rate.value / memory.value
            if low <= ridge <= high:
                continue
            # Guess which of the two is wrong: a main memory below 10 GB/s or above 100 TB/s is unlikely.
            if ridge > high and memory.value < 10**10:
                slip = Sentence("<name> too small (GB/s written for TB/s, or MB/s for GB/s)", name=memory.resource)
            elif ridge > high:
                slip = Sentence("<name> too large (PFLOP/s written for TFLOP/s)", name=rate.resource)
            elif memory.value > _FAST:
                slip = Sentence("<name> too large (TB/s written for GB/s, or bits for bytes)", name=memory.resource)
            else:
                slip = Sentence("<name> too small (GFLOP/s written for TFLOP/s)", name=rate.resource)
            raise RoofproofError(
                "<where>: <rate> over <memory> is a ridge of <ridge> FLOP/B, outside <low> to <high>; probably "
                "a wrong unit: <slip>",
                where=self._said,
                rate=rate,
                memory=memory,
                ridge=decimal(Fraction(_DIGITS.divide(ridge.numerator, ridge.denominator))),
                low=low,
                high=high,
                slip=slip,
            )
