"""What a profiler counted of each kernel, and the tables that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Profile:
    """The kernels that a profiler saw: `at_memory` says that bytes were counted where the main memory gives them."""

    said: str
    at_memory: bool
    rows: tuple[CountedKernel, ...]


class CountedKernel(NamedTuple):
    """A kernel: where it stands in its file, its name, its seconds, its bytes and its FLOPs by engine."""

    line: int
    name: str
    seconds: Fraction
    moved: Fraction | None
    flops: Mapping[str, Fraction]


class KernelTable(NamedTuple):
    """A table of text: the names of its columns, and its rows with their lines."""

    names: list[str]
    rows: list[tuple[int, dict[str, str]]]
