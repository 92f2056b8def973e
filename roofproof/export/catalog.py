"""The operations of the library as a list one can browse."""

from __future__ import annotations

from itertools import groupby

from roofproof.errors import unknown
from roofproof.ops import entries


def browse_operations(part: str = "") -> str:
    """Return the operations whose name contains `part`, grouped by family; one match is shown whole.

    >>> print(browse_operations("dot").splitlines()[0])
    dot: dot product of two vectors

    Raises RoofproofError when nothing matches.
    """
    known = entries()
    matches = [known[part]] if part in known else [e for e in known.values() if part.lower() in e.name]
    if not matches:
        raise unknown("operation", part, known)
    if len(matches) == 1 and part:
        entry = matches[0]
        op = entry()
        rows = [
            f"{entry.name}: {entry.about}",
            f"  FLOPs       {op.flops}    {op.convention}",
            *(f"  bytes       {op.bytes(n)}    over {n}" for n in op.demands if n not in op.compute),
            *(f"  tensor      {t}" for t in op.tensors),
            f"  arguments   {', '.join(entry.arguments) or 'none'}",
            f"  source      {entry.source}",
        ]
        return "\n".join(rows)
    width = max(len(e.name) for e in matches)
    lines: list[str] = []
    for family, group in groupby(matches, key=lambda e: e.family):
        lines += ["", family.replace("_", " ")] if lines else [family.replace("_", " ")]
        lines += [f"  {e.name:<{width}}  {e.about}" for e in group]
    return "\n".join(lines)
