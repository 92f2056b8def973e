"""The command line: thin; every command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

from roofproof.errors import RoofproofError, quoted, unknown

MAX_DIGITS = 30
COMMANDS = ("derive", "verify", "check", "audit", "ops", "chips")

T = TypeVar("T")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RoofproofError(f"{message}; see `{self.prog} --help`")


class _Once(argparse.Action):
    """An option that may be given once: the second would silently hide the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            raise RoofproofError(f"{option} is given twice")
        setattr(namespace, self.dest, values)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for input that cannot be used.

    >>> main(["derive", "nonsense"])                    # the message goes to standard error
    2
    """
    try:
        arguments = _arguments(sys.argv[1:] if argv is None else argv)
        return int(arguments.run(arguments))
    except RoofproofError as error:
        print(f"roofproof: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has seen enough
        return 0
    except KeyboardInterrupt:
        print("roofproof: interrupted", file=sys.stderr)
        return 130


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    command = next((word for word in argv if not word.startswith("-")), None)
    if command is not None and command not in COMMANDS:
        raise unknown("command", command, COMMANDS)
    arguments, rest = _parser().parse_known_args(argv)
    if rest:
        help = f"roofproof {command} --help" if command else "roofproof --help"
        raise RoofproofError(f"unknown argument {quoted(rest[0])}; see `{help}`")
    if command is None:
        raise RoofproofError(f"expected a command: {', '.join(COMMANDS)}; see `roofproof --help`")
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="roofproof", description="Machine-checked roofline derivations.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)

    help = "derive and prove where an operation is compute-bound"
    derive = commands.add_parser("derive", help=help, description=help, allow_abbrev=False)
    derive.add_argument("op", metavar="OP", help="a library name, or 'bf16[B,D], bf16[D,F] -> bf16[B,F]'")
    derive.add_argument("--chip", action=_Once, help="NAME[@VARIANT], FILE.toml or 'bf16=1.97e14 FLOP/s, hbm=820 GB/s'")
    derive.add_argument("--for", dest="unknown", action=_Once, metavar="DIM", help="the dimension to solve for")
    derive.add_argument("--regime", action=_Once, help="'D, F >> B', 'L >> d >> r', 'D ~ F >> B', 'F = 4 D -> oo'")
    derive.add_argument("--at", action="append", metavar="D=4096,F=4096", help="sizes for the integer answer")
    derive.add_argument("--multiple-of", action=_Once, metavar="128", help="let the integer answer be a multiple")
    derive.add_argument(
        "--oracle", action=_Once, choices=("z3", "cvc5", "both"), help="z3 (the default), cvc5, or both"
    )
    derive.add_argument("--smtlib", action=_Once, metavar="DIR", help="write what was proved as SMT-LIB 2 files")
    derive.add_argument("--json", action="store_true", help="print a JSON record of exact strings")
    derive.set_defaults(run=_derive)

    help = "judge every claim of a textbook: exit 0 if all are as expected, 1 if not, 2 if one cannot be used"
    verify = commands.add_parser("verify", help=help, description=help, allow_abbrev=False)
    verify.add_argument("files", nargs="+", metavar="FILE", help="books of claims in TOML")
    verify.add_argument("--only", action="append", default=[], metavar="ID", help="judge this claim only (repeatable)")
    verify.add_argument("--report", action=_Once, metavar="OUT.md", help="write a report in Markdown")
    verify.add_argument("--workers", action=_Once, metavar="N", help="processes side by side; by default one a core")
    verify.add_argument("--json", action="store_true", help="print one JSON object")
    verify.set_defaults(run=_verify)

    help = "check a student's answer"
    check = commands.add_parser("check", help=help, description=help, allow_abbrev=False)
    check.add_argument("--op", action=_Once, required=True, help="a library name, or a typed einsum")
    check.add_argument("--chip", action=_Once, help="NAME[@VARIANT], FILE.toml or figures")
    check.add_argument("--for", dest="unknown", action=_Once, metavar="DIM", help="the dimension the answer is about")
    check.add_argument("--regime", action=_Once, help="the regime the exercise allows, such as 'D, F >> B'")
    check.add_argument("--at", action="append", metavar="D=4096,F=4096", help="sizes the exercise gives")
    check.add_argument("--asks", action=_Once, help="intensity (the default), flops or bytes, where no --for is given")
    check.add_argument("--answer", action=_Once, required=True, help="such as 'B > 120', in plain text or LaTeX")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.set_defaults(run=_check)

    help = "compare a Python function of sizes with the derived FLOPs or bytes (runs that function)"
    audit = commands.add_parser("audit", help=help, description=help, allow_abbrev=False)
    audit.add_argument("function", metavar="MODULE:FUNCTION", help="a function whose parameters are dimensions")
    audit.add_argument("--op", action=_Once, required=True, help="a library name, or a typed einsum")
    audit.add_argument("--quantity", action=_Once, help="flops (the default) or bytes")
    audit.set_defaults(run=_audit)

    help = "list the operations known by name, or show one"
    ops = commands.add_parser("ops", help=help, description=help, allow_abbrev=False)
    ops.add_argument("name", nargs="?", default="", help="a name, or part of one")
    ops.set_defaults(run=_ops)

    help = "list the chips, or show every figure of one"
    chips = commands.add_parser("chips", help=help, description=help, allow_abbrev=False)
    chips.add_argument("name", nargs="?", default="", help="a name, or part of one")
    chips.set_defaults(run=_chips)
    return parser


def _version() -> str:
    return "%(prog)s 0.1.0"


def _derive(arguments: argparse.Namespace) -> int:
    from time import perf_counter

    start = perf_counter()
    from roofproof.derive.critical_size import checked_point
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    op = parse_operation(arguments.op)
    chip = any_chip(arguments.chip) if arguments.chip is not None else None
    point = checked_point(op, _sizes(arguments.at or ()))
    proved = None
    if arguments.unknown is not None:
        from roofproof.proofs import threshold

        multiple = _sizes([f"--multiple-of={arguments.multiple_of or 1}"]).popitem()[1]
        oracle = arguments.oracle or "z3"
        proved = threshold(op, chip, arguments.unknown, point, arguments.regime, multiple, oracle)
    for option in ("regime", "multiple_of", "oracle", "smtlib"):
        if proved is None and getattr(arguments, option) is not None:
            raise RoofproofError(f"--{option.replace('_', '-')} goes with --for: name the dimension to solve for")
    if arguments.json:
        import json

        from roofproof.export.record import record

        print(json.dumps(record(op, chip, proved, point, round(perf_counter() - start, 6)), indent=2))
    else:
        from roofproof.export.solution import worked_solution

        _show(worked_solution(op, chip, proved, point))
    if proved is not None and arguments.smtlib is not None:
        from roofproof.export.smtlib import write_obligations

        write_obligations(proved, arguments.smtlib)
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    from roofproof.proofs.verdicts.verify import exit_status, problems, summary, verify

    workers = _sizes([f"--workers={arguments.workers}"]).popitem()[1] if arguments.workers else None
    results = list(_with_progress(verify(arguments.files, arguments.only, workers), "claims"))
    if arguments.report is not None:
        from roofproof.export.files import write_whole
        from roofproof.export.verdicts import report

        write_whole(arguments.report, report(results))
    if arguments.json:
        import json

        print(json.dumps({"claims": [r.record() for r in results], "summary": summary(results)}, indent=2))
    else:
        from roofproof.export.verdicts import results_table

        _show(results_table(results))
    for result in results:
        if result.verdict is None:
            print(f"roofproof: {' '.join(result.problem.split())}", file=sys.stderr)
    told = " ".join(r.problem for r in results)
    unused = [p for p in problems(arguments.files) if p not in told]
    for problem in unused:
        print(f"roofproof: {' '.join(problem.split())}", file=sys.stderr)
    return 2 if unused else exit_status(results)


def _with_progress(results: Iterable[T], unit: str) -> Iterator[T]:
    """Show how far long work is, where somebody watches."""
    if not sys.stderr.isatty():
        yield from results
        return
    from tqdm import tqdm

    yield from tqdm(results, unit=f" {unit}", leave=False)


def _check(arguments: argparse.Namespace) -> int:
    from roofproof.export.answer import answer_text
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation
    from roofproof.proofs.verdicts.answers import check_answer

    op = parse_operation(arguments.op)
    chip = any_chip(arguments.chip) if arguments.chip is not None else None
    sizes, asks = _sizes(arguments.at or ()), arguments.asks or "intensity"
    found = check_answer(op, chip, arguments.answer, arguments.unknown, arguments.regime, sizes, asks)
    if arguments.json:
        import json

        print(json.dumps(found.record("answer"), indent=2))
    else:
        _show(answer_text(found))
    return 0 if found.kind in ("verified", "rounded", "approximate") else 1


def _audit(arguments: argparse.Namespace) -> int:
    from importlib import import_module

    from roofproof.export.audits import audit_text
    from roofproof.ops import parse_operation
    from roofproof.proofs.audits import audit

    op = parse_operation(arguments.op)
    module, colon, name = arguments.function.partition(":")
    if not module or not colon or not name.isidentifier():
        raise RoofproofError(f"expected MODULE:FUNCTION, got {quoted(arguments.function)}")
    sys.path.insert(0, "")
    try:
        function = getattr(import_module(module), name)
    except (Exception, SystemExit) as problem:  # whatever the module does when it is imported
        said = " ".join(str(problem).split()) or type(problem).__name__
        raise RoofproofError(f"cannot load {quoted(arguments.function)}: {said}") from None
    found = audit(function, op, arguments.quantity or "flops")
    _show(audit_text(found))
    return 0 if found.same else 1


def _sizes(given: Sequence[str]) -> dict[str, int]:
    """Read `D=4096,F=4096`, from one `--at` or several; every size a positive integer."""
    sizes: dict[str, int] = {}
    for part in (p.strip() for text in given for p in text.split(",")):
        name, _, size = (p.strip() for p in part.partition("="))
        digits = size.isascii() and size.isdigit()
        if digits and len(size) > MAX_DIGITS:
            raise RoofproofError(f"size {quoted(part)} has {len(size)} digits; at most {MAX_DIGITS} are read")
        if not name or not digits or int(size) == 0:
            raise RoofproofError(f"size {quoted(part)}: expected NAME=POSITIVE INTEGER, such as D=4096")
        if name in sizes:
            raise RoofproofError(f"size of {name} is given twice")
        sizes[name] = int(size)
    return sizes


def _show(text: str) -> None:
    """Print a text; signs that the terminal cannot show give way to ones that it can."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace("≈", "~").encode(encoding, "backslashreplace").decode(encoding)
    print(text)


def _ops(arguments: argparse.Namespace) -> int:
    from roofproof.export.catalog import browse_operations

    _show(browse_operations(arguments.name))
    return 0


def _chips(arguments: argparse.Namespace) -> int:
    from roofproof.hardware import browse

    _show(browse(arguments.name))
    return 0
