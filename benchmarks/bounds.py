"""How long a bound takes: an einsum in all, with its vertices, theorems, tile and regions, against its vertices alone.

python -m benchmarks.bounds [--repeats 21] [--picture benchmarks/bounds] [--json FILE]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.report import alternating, keep, options, show, table
from roofproof.bounds import bound, nest_of, vertices
from roofproof.ops import parse_operation

EINSUMS = {
    "matrix product": "matmul",
    "matrix times vector": "matvec",
    "MTTKRP": "int8[i,j,k], int8[j,r], int8[k,r] -> int8[i,r]",
    "three matrices": "bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]",
    "five loops": "bf16[a,b,k,l], bf16[k,l,c] -> bf16[a,b,c]",
    "four tensors": "bf16[i,j,k,l], bf16[j,r], bf16[k,r], bf16[l,r] -> bf16[i,r]",
}


def whole(text: str) -> None:
    """All that an answer holds."""
    assert bound(parse_operation(text)).derivation.trust == "kernel"


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 21)
    jobs: dict[str, Callable[[], object]] = {}
    for name, text in EINSUMS.items():
        jobs[name] = partial(whole, text)
        jobs[f"{name}, vertices"] = lambda text=text: vertices(nest_of(parse_operation(text)))  # type: ignore[misc]
    for job in jobs.values():
        job()  # imports, and what is worked out once
    found = alternating(jobs, 3 if asked.quick else asked.repeats)
    rows: list[list[Any]] = []
    for name, text in EINSUMS.items():
        every, lower = found[name], bound(parse_operation(text)).lower
        share = found[f"{name}, vertices"].cpu / every.cpu
        rows.append([name, len(lower), f"{every.cpu:.3f}", share])
    head = ["einsum", "bounds", "CPU s", "vertices, share"]
    show(f"A bound with its theorems, medians of {asked.repeats} runs", table(head, rows))

    def draw(axes: Any) -> None:
        names = [row[0] for row in rows]
        axes.barh(names, [float(row[2]) for row in rows])  # float: a picture
        axes.set_xlabel("processor time (s)")

    keep(asked, [dict(zip(head, row, strict=True)) for row in rows], draw)


if __name__ == "__main__":
    main()
