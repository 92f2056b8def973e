"""The operations known by name, a family a file; `_families.py` lists the files."""

from roofproof.ops.library._entry import Entry, Format, entries, from_library, named

__all__ = ["Entry", "Format", "entries", "from_library", "named"]
