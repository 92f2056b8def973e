"""`roofproof trace`: derives an operation from JAX or PyTorch code."""

import argparse

from roofproof.commands.derive import run_one
from roofproof.commands.parser import NAMES
from roofproof.commands.usage import COMMANDS
from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.code import is_code


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if not is_code(arguments.op):
        due = "expected FILE.py:NAME, a function or a module; `roofproof derive` takes other operations"
        raise RoofproofError("OP <text>: <due>", text=quoted(arguments.op), due=due)
    for written in COMMANDS["derive"][1]:
        name = NAMES.get(word := written.split()[0], word.lstrip("-").replace("-", "_"))
        if word.startswith("-") and not hasattr(arguments, name):
            setattr(arguments, name, None)
    return run_one(arguments)
