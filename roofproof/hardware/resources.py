"""The closed list of the resources of a chip: compute units, memory levels and links, with the units of their specs."""

import re
from functools import cache, lru_cache
from typing import Final

from roofproof.channels import LEVELS as LEVELS
from roofproof.channels import LINKS as LINKS
from roofproof.channels import RENAMED, TRAITS
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formats import ALIASES, BITS

MAIN_MEMORIES: Final = ("hbm", "dram")
"""The main memory is the first of these that a chip has. "dram" is memory shared with the rest of a machine."""

PARTS: Final = {"capacity": ("", "B"), "total": ("-total", "B"), "bandwidth": ("", "B/s")}
"""The specs of a memory level: the suffix of the spec's name, and its unit."""

OWN_LINKS: Final = ("ici", "nvlink", "xgmi", "neuronlink", "nic", "pcie")
"""The link of a chip to others of its kind is the first of these that it has."""

ENGINES: Final = ("-vector", "-tensor")
"""The suffixes of compute units. A format without one of them belongs to the matrix unit."""

SPECIAL: Final = ("exp",)
"""Special compute units: "exp" is the special-function unit, where a result of exp2, rsqrt or tanh is one operation."""

ENERGY: Final = {"FLOP/s": ("J/FLOP",), "B/s": ("J/B",)}
"""The units of `energy-bf16` or `energy-hbm`: the energy per operation of a unit, or per byte over a level or link."""


@cache
def units_of_resources() -> dict[str, tuple[str, ...]]:
    """Return every resource name with the units that its specs may have.

    >>> units_of_resources()["bf16-sparse"], units_of_resources()["l2"], units_of_resources()["smem-total"]
    (('FLOP/s',), ('B', 'B/s'), ('B',))
    """
    units: dict[str, tuple[str, ...]] = {}
    for number_format in BITS:
        for engine in ("", *ENGINES, "-vector-per-core"):
            units[number_format + engine] = units[f"{number_format}{engine}-sparse"] = ("FLOP/s",)
    units |= dict.fromkeys(SPECIAL, ("FLOP/s",))
    for level in LEVELS:
        units[level] = ("B/s", "B") if level in MAIN_MEMORIES else ("B", "B/s")
        units[f"{level}-total"] = ("B",)
    for link in LINKS:
        units[link], units[f"{link}-latency"] = ("B/s",), ("s",)
    energy = {f"energy-{name}": each for name, kinds in units.items() for unit, each in ENERGY.items() if unit in kinds}
    return units | energy | {trait: (unit,) for trait, unit in TRAITS.items()}


def named(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the usual name of a resource and its possible units, which `l2-bw` and `capacity-hbm` restrict to one.

    >>> named("float32-vector"), named("l2-bw"), named("capacity-hbm")
    (('fp32-vector', ('FLOP/s',)), ('l2', ('B/s',)), ('hbm', ('B',)))
    >>> named("hmb")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown resource 'hmb'; did you mean 'hbm'?

    Raises RoofproofError for a name that is not in the closed list.
    """
    if not isinstance(name, str) or len(name) > 40:
        raise RoofproofError(
            "resource <name> is not a name; expected one such as 'bf16' or 'hbm'", name=quoted(name, 20)
        )
    return _named(name)


@lru_cache(1_000)  # an atlas asks for the same few thousands of times
def _named(name: str) -> tuple[str, tuple[str, ...]]:
    text = name.strip().lower().replace("_", "-")
    head, dash, engine = text.partition("-")
    text = ALIASES.get(head, head) + dash + engine
    for old, new in RENAMED.items():
        if text.removeprefix("capacity-").removesuffix("-bw").removesuffix("-total") == old:
            text = text.replace(old, new)
    known = units_of_resources()
    if text in known:
        return text, known[text]
    if (level := text.removesuffix("-bw")) in LEVELS:
        return level, ("B/s",)
    if (level := text.removeprefix("capacity-")) in LEVELS:
        return level, ("B",)
    if re.fullmatch(r"(sparse|vector|tensor)-\w+", text):  # the words in reverse order
        turned = "-".join(reversed(text.split("-")))
        if turned in known:
            raise RoofproofError(
                "unknown <kind> <name>; did you mean <meant>?", kind="resource", name=quoted(name), meant=repr(turned)
            )
    raise unknown("resource", name, [k for k in known if not k.endswith("-latency") and not k.startswith("energy-")])


def canonical_resource(name: str) -> str:
    """Return the usual name of a resource, with aliases of number formats resolved.

    >>> canonical_resource("float32-vector"), canonical_resource("HBM")
    ('fp32-vector', 'hbm')

    Raises RoofproofError with near matches for a name that is not in the closed list.
    """
    return named(name)[0]


def memory_level(name: str) -> str:
    """Return the usual name of a memory level.

    >>> memory_level("L2"), memory_level("lds")
    ('l2', 'smem')

    Raises RoofproofError for a name that is not a memory level, with the names that are.
    """
    level = named(name)[0] if name.strip().lower() in (*LEVELS, *RENAMED) else name
    if level not in LEVELS:
        raise unknown("memory level", name, LEVELS)
    return level


def is_compute(resource: str) -> bool:
    """Tell whether a resource is a compute unit, in FLOP/s.

    >>> is_compute("int8"), is_compute("hbm")
    (True, False)
    """
    return units_of_resources().get(resource) == ("FLOP/s",)
