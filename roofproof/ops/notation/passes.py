"""Passes of a published model, such as `config.json:decode`, as the library operations for their minimum times."""

from __future__ import annotations

import re
from dataclasses import replace

from sympy import Expr, Integer

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.ops.combine import at
from roofproof.ops.operation import Operation
from roofproof.symbols import dimension

# Each pass with its operation and the options for a minimum time, which count only traffic that no schedule avoids.
PASSES = {
    "prefill": ("prefill", {"traffic": "fused", "mask": "causal"}),
    "decode": ("decode-step", {"traffic": "fused"}),
    "training": ("training-step", {"traffic": "fused", "mask": "causal"}),
}
SIZES = ("B", "L", "S")
ONCE = "for the minimum time each tensor moves once, and nothing between"
ONE_ROW = "rows that indices choose may all be one"
_FILE = re.compile(r"(.+\.json)\s*(?::\s*([^,:]*?)\s*(?:,(.*))?)?", re.DOTALL)


def as_floor(text: str) -> str:
    """Return the text of an operation for its minimum time: options that it leaves open get the least traffic.

    >>> as_floor("mixture-of-experts"), as_floor("matmul"), as_floor("mixture-of-experts:touched=most")
    ('mixture-of-experts:touched=least', 'matmul', 'mixture-of-experts:touched=most')
    >>> as_floor("decode-step:mixtral-8x7b")                       # nothing between the layers
    'decode-step:mixtral-8x7b,touched=least,traffic=fused'
    >>> as_floor("model.json:decode, w=fp8")
    'model.json:decode, w=fp8,touched=least'
    """
    from roofproof.ops.library import named

    found = _FILE.fullmatch(text)
    name, colon, rest = text.partition(":")
    of_file = found is not None and ":" not in found[1]
    asked = PASSES.get(found[2] or "", ("",))[0] if of_file and found is not None else name.strip()
    entry = named(asked)
    least = {"touched": "least"} | ({} if of_file else {"traffic": "fused"})
    chosen = [f"{key}={value}" for key, value in least.items() if entry and key in entry.arguments and key not in text]
    return f"{text}{',' if rest.strip() else '' if colon else ':'}{','.join(chosen)}" if chosen else text


def in_one_kernel(op: Operation, text: str) -> Operation:
    """Return a library operation as one kernel with the least traffic, and any other operation unchanged.

    >>> from roofproof.ops.library import from_library
    >>> in_one_kernel(from_library("ffn"), "ffn").bytes()                        # without the B F in the middle, twice
    4*B*D + 4*D*F
    >>> in_one_kernel(from_library("embedding"), "embedding").bytes()            # T tokens, a row, and T rows written
    2*D*T + 2*D + 4*T
    """
    from roofproof.ops.library import named

    entry = named(text.partition(":")[0].strip())
    if entry is None or not entry.kernel:
        return op
    read, _, written = entry.kernel.partition("->")
    rows = {name: several for name, _, several in (word.partition("/") for word in read.split())}
    reads = [
        replace(t, times=1 / dimension(rows[t.name]) if rows[t.name] else once(t.times))
        for t in op.reads if t.name in rows
    ]  # fmt: skip
    writes = [replace(t, times=once(t.times)) for t in op.writes if t.name in written.split()]
    convention = "; ".join([op.convention, ONCE, *([ONE_ROW] if any(rows.values()) else [])])
    return replace(op.as_one_kernel(reads=tuple(reads), writes=tuple(writes), exact=None), convention=convention)


def once(times: Expr) -> Expr:
    """Return the least number of times that a tensor moves: once, or the fraction of it that moves."""
    return Integer(1) if (times - 1).is_nonnegative else times


def pass_of_config(text: str) -> Operation | None:
    """Return the operation for a pass of a config.json, or None for any other text.

    >>> from roofproof.symbols import dimension
    >>> llama = "examples/models/llama-3.1-8b.json"
    >>> pass_of_config(f"{llama}:decode").bytes().expand().coeff(dimension("S"))   # 2 bytes, 32 layers, 2 * 8 * 128
    131072*B
    >>> pass_of_config(f"{llama}:decode, S=4096, tensor=8, link=nvlink").bytes("nvlink")    # 64 times 7/4 of 8192 B
    917504*B

    Sizes (B, L, S) and arguments of the operation may follow the pass, and override the options for a minimum time.
    Raises RoofproofError for an unknown pass, and for a path that contains `,` or `@`.
    """
    found = _FILE.fullmatch(text)
    if found is None or ":" in found[1]:
        return None
    path, asked, rest = found.groups()
    if not asked:
        passes = ", ".join(f"{path}:{name}" for name in PASSES)
        raise RoofproofError("<text>: which pass of the model? one of <passes>", text=quoted(text, 200), passes=passes)
    refuse_unknown("pass of a model", asked, PASSES)
    if "," in path or "@" in path:
        raise RoofproofError("path <path>: rename the file, as ',' and '@' separate arguments", path=quoted(path, 200))
    from roofproof.ops.library import from_library
    from roofproof.ops.notation.operation_file import whole_argument

    name, chosen = PASSES[asked]
    words = [word.strip() for word in (rest or "").split(",")] if rest else []
    given = {word.partition("=")[0].strip(): word for word in words}
    sizes = {key: whole_argument(given[key].partition("=")[2].strip(), key, least=1) for key in SIZES if key in given}
    others = [word for word in words if word.partition("=")[0].strip() not in sizes]
    usual = [f"{key}={value}" for key, value in chosen.items() if key not in given]
    return at(from_library(f"{name}:{','.join([f'model={path}', *usual, *others])}"), **sizes)
