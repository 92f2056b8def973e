"""A pass of a published model, `config.json:decode`: the operation of the library that is its floor."""

from __future__ import annotations

import re
from dataclasses import replace

from sympy import Expr, Integer

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.ops.algebra.at import at
from roofproof.ops.operation import Operation
from roofproof.symbols import dimension

# The pass, its operation, and what a floor chooses: only what no schedule can do without.
PASSES = {
    "prefill": ("prefill", {"traffic": "fused", "mask": "causal"}),
    "decode": ("decode-step", {"traffic": "fused"}),
    "training": ("training-step", {"traffic": "fused", "mask": "causal"}),
}
SIZES = ("B", "L", "S")
# Operations of the library that move what lies between their steps, or as much as indices choose at the most: what
# one kernel reads, each tensor once or as often as is said, and what it writes.
KERNELS = {
    "ffn": "x w_up w_down -> y",
    "gated-ffn": "x w_up w_gate w_down -> y",
    "attention-core": "q keys values -> o",
    "attention": "x w_qkv w_o -> y",
    "transformer-layer": "x w_qkv w_o w_up w_down -> y",
    "latent-prefill": "latent w_k_up w_v_up q -> o",
    "mixture-of-experts": "x w_router w_gate w_up w_down -> y",
    "grouped-matmul": "x w -> y",
    "embedding": "tokens w_embedding -> y",
    "spmv": "values columns rows x -> y",
    "spmv-ell": "values columns x -> y",
    "spmm": "values columns rows x -> y",
}
ROWS = {("embedding", "w_embedding"): "V", ("spmv", "x"): "N", ("spmv-ell", "x"): "N", ("spmm", "x"): "N"}
ONCE = "as a floor each tensor moves once, and nothing between"
ONE_ROW = "rows that indices choose may all be one"
_FILE = re.compile(r"(.+\.json)\s*(?::\s*([^,:]*?)\s*(?:,(.*))?)?", re.DOTALL)


def floor_text(text: str) -> str:
    """Return the text of an operation as a floor: where it leaves open what is read and moved, as little as can be.

    >>> floor_text("mixture-of-experts"), floor_text("matmul"), floor_text("mixture-of-experts:touched=most")
    ('mixture-of-experts:touched=least', 'matmul', 'mixture-of-experts:touched=most')
    >>> floor_text("decode-step:mixtral-8x7b")                       # nothing between the layers
    'decode-step:mixtral-8x7b,touched=least,traffic=fused'
    >>> floor_text("model.json:decode, w=fp8")
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
    """Return an operation of the library as one kernel that moves no more than it must, any other as it is.

    >>> from roofproof.ops.library import from_library
    >>> in_one_kernel(from_library("ffn"), "ffn").bytes()                        # not the B F in the middle, twice
    4*B*D + 4*D*F
    >>> in_one_kernel(from_library("embedding"), "embedding").bytes()            # T tokens, a row, and T rows written
    2*D*T + 2*D + 4*T
    """
    name = text.partition(":")[0].strip()
    if name not in KERNELS:
        return op
    taken, made = (side.split() for side in KERNELS[name].split("->"))
    reads = [
        replace(t, times=1 / dimension(ROWS[name, t.name]) if (name, t.name) in ROWS else once(t.times))
        for t in op.reads if t.name in taken
    ]  # fmt: skip
    writes = [replace(t, times=once(t.times)) for t in op.writes if t.name in made]
    convention = "; ".join([op.convention, ONCE, *([ONE_ROW] if any(key[0] == name for key in ROWS) else [])])
    return replace(op, reads=tuple(reads), writes=tuple(writes), convention=convention, parts=(), exact_compute=None)


def once(times: Expr) -> Expr:
    """Return how often what is moved so many times is moved at the least: once, or the part that it is."""
    return Integer(1) if (times - 1).is_nonnegative else times


def pass_of_config(text: str) -> Operation | None:
    """Return the operation that a pass of a config.json stands for, None for a text that is something else.

    >>> from roofproof.symbols import dimension
    >>> llama = "examples/models/llama-3.1-8b.json"
    >>> pass_of_config(f"{llama}:decode").bytes().expand().coeff(dimension("S"))   # 2 bytes, 32 layers, 2 * 8 * 128
    131072*B
    >>> pass_of_config(f"{llama}:decode, S=4096, tensor=8, link=nvlink").bytes("nvlink")    # 64 times 7/4 of 8192 B
    917504*B

    What follows the pass are sizes, B L S, and arguments of its operation, in place of what the floor chooses. Raises
    RoofproofError for a pass that is none, and for a path with signs that separate.
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
    from roofproof.ops.library._entry import whole

    name, chosen = PASSES[asked]
    words = [word.strip() for word in (rest or "").split(",")] if rest else []
    given = {word.partition("=")[0].strip(): word for word in words}
    sizes = {key: whole(given[key].partition("=")[2].strip(), key, least=1) for key in SIZES if key in given}
    others = [word for word in words if word.partition("=")[0].strip() not in sizes]
    usual = [f"{key}={value}" for key, value in chosen.items() if key not in given]
    return at(from_library(f"{name}:{','.join([f'model={path}', *usual, *others])}"), **sizes)
