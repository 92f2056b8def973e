"""Names of the resources an operation demands: number formats on compute units, memory levels and links."""

import re

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import element_format, is_complex, is_format, real_part

MEMORY = "memory"
MAIN_MEMORY = ("memory", "hbm", "dram")  # synonyms for the main memory of a chip
SPECIAL = ("exp",)  # the special function unit: each result of exp2, rsqrt or tanh counts as one operation
FUNCTIONS = ("exp2", "rsqrt", "tanh")  # other names for exp
FLOATS = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4")  # widest first, bf16 and fp16 equally wide


def compute_resource(name: str) -> str:
    """Return the canonical name of a compute resource: `exp`, or a number format and optionally a unit after a dash.

    exp2, rsqrt and tanh count as `exp`, the special function unit.

    >>> compute_resource("bf16"), compute_resource("f32-vector"), compute_resource("rsqrt")
    ('bf16', 'fp32-vector', 'exp')

    Raises RoofproofError for an unknown or complex number format, and for a malformed compute unit.
    """
    if name in SPECIAL or name in FUNCTIONS:
        return SPECIAL[0]
    number_format, dash, engine = name.partition("-")
    if dash and not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", engine):
        due = "expected lower-case letters, digits and dashes, as in 'fp32-vector'"
        raise RoofproofError(f"compute unit of {quoted(name)}: {due}")
    element = element_format(number_format)
    if is_complex(element):
        said = "FLOPs count real numbers, and <format> is complex; its arithmetic is in <real>"
        raise RoofproofError(said, format=quoted(element), real=real_part(element))
    return element + dash + engine


def vector_engine(number_format: str) -> str:
    """Return the compute unit of elementwise arithmetic: the vector unit, which computes narrow floats in fp32.

    >>> vector_engine("bf16"), vector_engine("fp64"), vector_engine("int8")
    ('fp32-vector', 'fp64-vector', 'int8-vector')
    """
    width = compute_resource(element_format(number_format))
    return f"{width if width == 'fp64' or width.startswith('int') else 'fp32'}-vector"


def channel(name: str) -> str:
    """Return the canonical name of a memory level or link: `memory` for `hbm` and `dram`, `l2` for `l2-bw`.

    `c2c` is the link to a CPU, `nvlink-c2c`.

    >>> channel("hbm"), channel("ici"), channel("vmem-bw"), channel("c2c")
    ('memory', 'ici', 'vmem', 'nvlink-c2c')

    Raises RoofproofError for a number format and for a malformed name.
    """
    name = name.removesuffix("-bw")
    if name in MAIN_MEMORY:
        return MEMORY
    if name == "c2c":
        return "nvlink-c2c"
    if is_format(name.partition("-")[0]):
        raise RoofproofError(f"{quoted(name)} is a number format; expected a memory level or a link")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise RoofproofError(
            f"{quoted(name)}: expected a memory level or a link in lower-case letters, digits and dashes, such as 'ici'"
        )
    return name
