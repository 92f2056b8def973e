"""`roofproof audit`: a Python function against the derivation."""

from __future__ import annotations

import argparse
import sys

from roofproof.commands.shared import Once, show
from roofproof.errors import RoofproofError, quoted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="a function whose parameters are dimensions")
    parser.add_argument("--op", action=Once, required=True, help="a library name, or a typed einsum")
    parser.add_argument("--quantity", action=Once, help="flops (the default), bytes, lower, upper, or time:memory")
    parser.add_argument("--chip", action=Once, help="for times: NAME[@VARIANT], FILE.toml or figures")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from importlib import import_module

    from roofproof.audit.audits import audit
    from roofproof.export.text.audits import audit_text
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    op = parse_operation(arguments.op)
    chip = None if arguments.chip is None else any_chip(arguments.chip)
    module, colon, name = arguments.function.partition(":")
    if not module or not colon or not name.isidentifier():
        raise RoofproofError(f"expected MODULE:FUNCTION, got {quoted(arguments.function)}")
    sys.path.insert(0, "")
    try:
        function = getattr(import_module(module), name)
    except (Exception, SystemExit) as problem:  # whatever the module does when it is imported
        said = " ".join(str(problem).split()) or type(problem).__name__
        raise RoofproofError(f"cannot load {quoted(arguments.function)}: {said}") from None
    found = audit(function, op, arguments.quantity or "flops", chip)
    show(audit_text(found))
    return 0 if found.same else 1
