"""The closed list of what a chip can supply: engines, memories, links, and the unit each figure is in."""

import re
from functools import cache
from typing import Final

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formats import ALIASES, BITS

MAIN_MEMORIES: Final = ("hbm", "dram")
"""Main memory: the first of these a chip has. "dram" is memory shared with the rest of a machine."""

LEVELS: Final = (
    "vmem", "cmem", "smem", "sram", "lds", "tmem", "l1", "l2", "l3",
    "smem-total", "l1-smem-total", "lds-total", "tensor-memory-total",
)  # fmt: skip
"""Memories on the chip. In bytes the name is the capacity; in bytes per second it is NAME-bw."""

LINKS: Final = (
    "ici", "nvlink", "nvlink-c2c", "dcn", "pcie", "xgmi", "xgmi-link", "neuronlink", "nic", "dma",
    "infiniband", "ethernet", "cxl",
)  # fmt: skip
"""Links, in bytes per second and per direction unless the convention differs; NAME-latency in seconds."""

CAPACITIES: Final = ("capacity-hbm", "capacity-dram", "capacity-cpu-dram")

ENGINES: Final = ("-vector", "-tensor")
"""Where a chip does arithmetic; without one of them the format is that of the matrix unit."""


@cache
def units_of_resources() -> dict[str, tuple[str, ...]]:
    """Return every resource name with the units its figure may be in.

    >>> units_of_resources()["hbm"], units_of_resources()["bf16-sparse"], units_of_resources()["l2"]
    (('B/s',), ('FLOP/s',), ('B', 'B/s'))
    """
    units: dict[str, tuple[str, ...]] = {}
    for number_format in BITS:
        for engine in ("", *ENGINES, "-vector-per-core"):
            units[number_format + engine] = units[f"{number_format}{engine}-sparse"] = ("FLOP/s",)
    units |= dict.fromkeys(MAIN_MEMORIES, ("B/s",))
    units |= dict.fromkeys(CAPACITIES, ("B",))
    for level in LEVELS:
        units[level], units[f"{level}-bw"] = ("B", "B/s"), ("B/s",)
    for link in LINKS:
        units[link], units[f"{link}-latency"] = ("B/s",), ("s",)
    return units


def canonical_resource(name: str) -> str:
    """Return the usual name of a resource: aliases of number formats resolved, near matches offered.

    >>> canonical_resource("float32-vector"), canonical_resource("HBM")
    ('fp32-vector', 'hbm')
    >>> canonical_resource("hmb")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown resource 'hmb'; did you mean 'hbm'?

    Raises RoofproofError for a name that is not in the closed list.
    """
    if not isinstance(name, str) or len(name) > 40:
        raise RoofproofError(
            f"resource {quoted(name, 20)} is not a name; expected one such as 'bf16' or 'hbm'"
        )
    text = name.strip().lower().replace("_", "-")
    head, dash, engine = text.partition("-")
    text = ALIASES.get(head, head) + dash + engine
    known = units_of_resources()
    if text in known:
        return text
    if re.fullmatch(r"(sparse|vector|tensor)-\w+", text):  # the words the other way round
        turned = "-".join(reversed(text.split("-")))
        if turned in known:
            raise RoofproofError(f"unknown resource {quoted(name)}; did you mean {turned!r}?")
    raise unknown("resource", name, [k for k in known if not k.endswith("-latency")])


def is_compute(resource: str) -> bool:
    """Say whether a resource is an engine, in FLOP/s.

    >>> is_compute("int8"), is_compute("hbm")
    (True, False)
    """
    return units_of_resources().get(resource) == ("FLOP/s",)
