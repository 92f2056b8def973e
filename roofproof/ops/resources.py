"""Names of the resources an operation demands: a number format on an engine, a channel that bytes cross."""

import re

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import element_format, is_complex, is_format, real_part

MEMORY = "memory"
MAIN_MEMORY = ("memory", "hbm", "dram")  # one thing, whatever the chip calls it
SPECIAL = ("exp",)  # engines that do one thing: a result of exp2, rsqrt or tanh counts as one operation
FUNCTIONS = ("exp2", "rsqrt", "tanh")  # other names of the first
FLOATS = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4")  # widest first; bf16 and fp16 are equal


def compute_resource(name: str) -> str:
    """Return the usual name of a compute resource: a number format, and an engine after a dash if named; or `exp`.

    A result of exp2, rsqrt or tanh is one of `exp`, the unit of special functions.

    >>> compute_resource("bf16"), compute_resource("f32-vector"), compute_resource("rsqrt")
    ('bf16', 'fp32-vector', 'exp')

    Raises RoofproofError for an unknown number format.
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
    """Return the engine of elementwise arithmetic: the vector unit, which takes narrow floats as fp32.

    >>> vector_engine("bf16"), vector_engine("fp64"), vector_engine("int8")
    ('fp32-vector', 'fp64-vector', 'int8-vector')
    """
    width = compute_resource(element_format(number_format))
    return f"{width if width == 'fp64' or width.startswith('int') else 'fp32'}-vector"


def channel(name: str) -> str:
    """Return the name of a channel; `hbm` and `dram` are the main memory, `l2-bw` is `l2`, `c2c` the link to a CPU.

    >>> channel("hbm"), channel("ici"), channel("vmem-bw"), channel("c2c")
    ('memory', 'ici', 'vmem', 'nvlink-c2c')

    Raises RoofproofError for a name that no channel can have.
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
