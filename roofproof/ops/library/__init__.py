"""The operations known by name, a family a file; `_families.py` lists the files."""

from roofproof.ops.library._entry import Entry, Format, entries, from_library, named
from roofproof.ops.library._families import FAMILIES as FAMILIES  # offered by version 0.1

__all__ = ["Entry", "Format", "entries", "from_library", "named"]
