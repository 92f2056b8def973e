"""Number formats by their usual names: how many bytes an element takes."""

from fractions import Fraction

from roofproof.errors import unknown

# name: bits. One line a format; aliases below.
BITS: dict[str, int] = {
    "fp64": 64, "fp32": 32, "tf32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "fp6": 6, "fp4": 4,
    "int64": 64, "int32": 32, "int16": 16, "int8": 8, "int4": 4, "int2": 2, "int1": 1,
}  # fmt: skip

ALIASES: dict[str, str] = {
    "f64": "fp64", "float64": "fp64", "f32": "fp32", "float32": "fp32", "f16": "fp16", "float16": "fp16",
    "bfloat16": "bf16", "f8": "fp8", "float8": "fp8", "e4m3": "fp8", "e5m2": "fp8", "f4": "fp4",
    "s8": "int8", "i8": "int8", "u8": "int8", "uint8": "int8", "s4": "int4", "i4": "int4", "u4": "int4",
    "uint4": "int4", "i32": "int32", "s32": "int32", "i64": "int64", "s64": "int64", "bool": "int8",
}  # fmt: skip


def canonical(name: str) -> str:
    """Return the usual name of a number format.

    >>> canonical("float32"), canonical("bf16")
    ('fp32', 'bf16')

    Raises RoofproofError for a format that is not in the table.
    """
    name = ALIASES.get(name, name)
    if name not in BITS:
        raise unknown("number format", name, [*BITS, *ALIASES])
    return name


def bytes_per_element(name: str) -> Fraction:
    """Return the bytes one element of a format takes in memory.

    >>> bytes_per_element("bf16"), bytes_per_element("int4")   # 16/8 and 4/8
    (Fraction(2, 1), Fraction(1, 2))
    """
    return Fraction(BITS[canonical(name)], 8)
