"""The built-in operations: those of `../library.toml`, and those defined in the Python files that `_entry.py` lists."""

from roofproof.ops.library._entry import FAMILIES as FAMILIES  # public in version 0.1
from roofproof.ops.library._entry import OTHER_NAMES, Entry, Format, entries, from_library, named, unknown_operation

__all__ = ["OTHER_NAMES", "Entry", "Format", "entries", "from_library", "named", "unknown_operation"]
