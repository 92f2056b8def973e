"""The operations known by name: `../library.toml`, and those that need Python, in the files that `_entry.py` lists."""

from roofproof.ops.library._entry import FAMILIES as FAMILIES  # offered by version 0.1
from roofproof.ops.library._entry import OTHER_NAMES, Entry, Format, entries, from_library, named, unknown_operation

__all__ = ["OTHER_NAMES", "Entry", "Format", "entries", "from_library", "named", "unknown_operation"]
