"""Atlas: one theorem, many chips.

rows    the thresholds of many operations on many chips, each solved and proved once, with a symbolic ridge point
tables  the atlas as plain rows: worked out here or by processes side by side, each part within a limit of time
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofproof._lazy import attach

if TYPE_CHECKING:
    from roofproof.atlas.rows import AtlasRow as AtlasRow
    from roofproof.atlas.rows import atlas as atlas

__getattr__, __all__ = attach(
    __name__,
    {
        "rows": "AtlasRow atlas",
    },
)
