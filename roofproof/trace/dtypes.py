"""Conversion between roofproof's number formats and the dtypes of the frameworks, by name."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import canonical
from roofproof.trace.shapes import Given

DTYPES = {
    "fp64": "float64", "f64": "float64", "fp32": "float32", "f32": "float32", "fp16": "float16", "f16": "float16",
    "bf16": "bfloat16", "fp8": "float8_e4m3fn", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "fp4": "float4_e2m1fn",
    "u8": "uint8", "i8": "int8", "s8": "int8", "i32": "int32", "i64": "int64", "u32": "uint32", "bool": "bool",
}  # fmt: skip


class Truth(str):
    """The format of truth values, which are stored as integers and may be masks."""

    __slots__ = ()


FORMATS = {
    "float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "bool": Truth("int8"),
    "uint64": "int64", "uint32": "int32", "uint16": "int16", "uint8": "int8", "uint4": "int4", "uint2": "int2",
    "float4_e2m1fn": "fp4",
}  # fmt: skip


def dtype_of(one: Given, library: Any, plain: Container[str], framework: str, arrays: str) -> Any:
    """Return a framework's dtype for the format of an argument. `plain` holds the dtypes that keep their names.

    >>> from types import SimpleNamespace
    >>> from roofproof.trace.shapes import read
    >>> dtype_of(read("x:int8[B]")[0][0], SimpleNamespace(int8="i1"), ("int8",), "NumPy", "arrays")
    'i1'
    """
    name = DTYPES.get(one.format, one.format)
    if (name in plain or name in DTYPES.values()) and hasattr(library, name):
        return getattr(library, name)
    canonical(one.format)  # raises for an unknown format, with near matches
    raise RoofproofError(
        f"{one.name}: {framework} has no {arrays} in {quoted(one.format)}; scales are {arrays} of their own"
    )


def format_of(dtype: Any) -> str:
    """Return the number format of a dtype of either framework.

    >>> format_of("bfloat16"), format_of("float8_e4m3fn"), format_of("torch.int32")
    ('bf16', 'fp8', 'int32')
    """
    name = str(dtype).removeprefix("torch.")
    if name.startswith("float8"):
        return "fp8"
    if name.startswith("key<"):
        return "int64"  # a key of two words
    if name.startswith("float0"):
        return "int8"
    return FORMATS.get(name, name)
