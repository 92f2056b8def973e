"""Number formats by their usual names, and the bytes of an element, including its share of a group's scale.

bf16, int4, ...     plain formats
mxfp4, nvfp4, ...   blocks with one scale each, as defined by a standard
int4/g128:bf16      groups of 128 elements with a scale in bf16 (`int4/g128:bf16+int4` adds a zero point in int4)
"""

import re
from fractions import Fraction

from roofproof.errors import RoofproofError, quoted, unknown

# name: bits. Aliases are below.
BITS: dict[str, int] = {
    "fp64": 64, "fp32": 32, "tf32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "fp6": 6, "fp4": 4,
    "int64": 64, "int32": 32, "int16": 16, "int8": 8, "int4": 4, "int2": 2, "int1": 1,
    "complex128": 128, "complex64": 64,
}  # fmt: skip

ALIASES: dict[str, str] = {
    "f64": "fp64", "float64": "fp64", "f32": "fp32", "float32": "fp32", "f16": "fp16", "float16": "fp16",
    "bfloat16": "bf16", "f8": "fp8", "float8": "fp8", "e4m3": "fp8", "e5m2": "fp8", "f4": "fp4",
    "s8": "int8", "i8": "int8", "u8": "int8", "uint8": "int8", "s4": "int4", "i4": "int4", "u4": "int4",
    "uint4": "int4", "i32": "int32", "s32": "int32", "i64": "int64", "s64": "int64", "bool": "int8",
}  # fmt: skip

# name: format of an element, elements in a block, bits of the block's scale.
# MX: OCP Microscaling Formats (MX) Specification 1.0 (2023), section 5. NVFP4: NVIDIA's format, whose scale for the
# whole tensor (4 bytes) is not counted per element.
BLOCKS: dict[str, tuple[str, int, int]] = {
    "mxfp8": ("fp8", 32, 8), "mxfp6": ("fp6", 32, 8), "mxfp4": ("fp4", 32, 8), "mxint8": ("int8", 32, 8),
    "nvfp4": ("fp4", 16, 8),
}  # fmt: skip

_GROUPED = re.compile(r"([A-Za-z][A-Za-z0-9]*)/g([0-9]+):([A-Za-z][A-Za-z0-9]*(?:\+[A-Za-z][A-Za-z0-9]*)*)")
MAX_GROUP = 10**6


def is_format(name: str) -> bool:
    """Return whether a name is a number format, plain or with scales.

    >>> is_format("nvfp4"), is_format("int4/g128:bf16"), is_format("llama-2-7b")
    (True, True, False)
    """
    if "/" not in name:  # fast path: most names are not formats, and the error's search for similar names is slow
        return name in ALIASES or name in BITS or name in BLOCKS
    try:
        return bool(canonical(name))
    except RoofproofError:
        return False


def canonical(name: str) -> str:
    """Return the canonical name of a number format.

    >>> canonical("float32"), canonical("bf16"), canonical("u4/g64:float16")
    ('fp32', 'bf16', 'int4/g64:fp16')

    Raises RoofproofError for an unknown format, and for groups with no elements or too many.
    """
    if "/" not in name:
        name = ALIASES.get(name, name)
        if name not in BITS and name not in BLOCKS:
            raise unknown("number format", name, [*BITS, *ALIASES, *BLOCKS])
        return name
    found = _GROUPED.fullmatch(name)
    if not found or not 0 < int(found[2][:9]) <= MAX_GROUP or len(found[2]) > 9:
        due = "number format <name>: expected ELEMENT/gSIZE:SCALE, such as int4/g128:bf16, with a size from 1 to <most>"
        raise RoofproofError(due, name=quoted(name, 60), most=MAX_GROUP)
    element, *metadata = (_plain(part) for part in (found[1], *found[3].split("+")))
    return f"{element}/g{int(found[2])}:{'+'.join(metadata)}"


def _plain(name: str) -> str:
    name = ALIASES.get(name, name)
    if name not in BITS:
        raise unknown("number format", name, [*BITS, *ALIASES])
    return name


def element_format(name: str) -> str:
    """Return the format of one element, without scales, after which arithmetic on the format is named.

    >>> element_format("mxfp4"), element_format("int4/g128:bf16"), element_format("bf16")
    ('fp4', 'int4', 'bf16')
    """
    name = canonical(name)
    return BLOCKS[name][0] if name in BLOCKS else name.partition("/")[0]


def is_complex(name: str) -> bool:
    """Return whether the elements of a format are complex numbers.

    >>> is_complex("complex64"), is_complex("bf16")
    (True, False)
    """
    return name.startswith("complex")


def real_part(name: str) -> str:
    """Return the real format in which arithmetic is done: for complex numbers, the format of the parts.

    >>> real_part("complex64"), real_part("complex128"), real_part("bf16")
    ('fp32', 'fp64', 'bf16')
    """
    return f"fp{BITS[name] // 2}" if is_complex(name) else name


def bytes_per_element(name: str) -> Fraction:
    """Return the bytes of one element of a format in memory, including its share of the group's scale.

    >>> bytes_per_element("bf16"), bytes_per_element("int4")   # 16/8 and 4/8
    (Fraction(2, 1), Fraction(1, 2))
    >>> bytes_per_element("nvfp4")                             # (4 + 8/16)/8
    Fraction(9, 16)
    >>> bytes_per_element("int4/g128:bf16")                    # (4 + 16/128)/8
    Fraction(33, 64)
    """
    name = canonical(name)
    if name in BLOCKS:
        element, group, scale = BLOCKS[name]
        return (BITS[element] + Fraction(scale, group)) / 8
    element, slash, rest = name.partition("/")
    if not slash:
        return Fraction(BITS[name], 8)
    group_size, _, metadata = rest.removeprefix("g").partition(":")
    shared = sum(BITS[each] for each in metadata.split("+"))
    return (BITS[element] + Fraction(shared, int(group_size))) / 8
