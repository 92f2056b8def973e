"""Profiles: reads the output of Nsight Compute and of PyTorch's profiler as kernels with seconds, bytes and FLOPs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any, Final, NamedTuple

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.units import BYTE, SECOND, unit_of

NCU: Final = "ncu --csv --page raw --metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum"
METRICS: Final = (  # ncu metrics: the pattern of the name, the counted amount, and a factor
    (r"gpu__time_duration\.(?:sum|avg)", "seconds", 1),
    (r"dram__bytes\.sum", "bytes", 1),
    (r"dram__bytes_(read|write)\.sum", "bytes in two", 1),
    (r"smsp?__sass_thread_inst_executed_op_([df])(?:add|mul)_pred_on\.sum", "flops", 1),
    (r"smsp?__sass_thread_inst_executed_op_(?:([df])fma|(h)(?:add|mul))_pred_on\.sum", "flops", 2),  # halves in pairs
    (r"smsp?__sass_thread_inst_executed_op_(h)fma_pred_on\.sum", "flops", 4),
    (r"sm__ops_path_tensor_src_([a-z0-9]+)_dst_[a-z0-9]+(?:_sparsity_off)?\.sum", "flops", 1),
    (r"sm__ops_path_tensor_src_([a-z0-9]+)(?:_sparsity_off)?\.sum", "flops in all", 1),
)
FORMATS: Final = {"d": "fp64-vector", "f": "fp32-vector", "h": "fp16-vector", "fp64": "fp64-tensor"}
FORMATS.update((name, name) for name in ("fp16", "bf16", "tf32", "fp8", "int8", "fp4"))
TYPES: Final = {  # PyTorch types: the format of the fastest unit that may do a product, and the bytes per element
    "c10::Half": ("fp16", 2), "c10::BFloat16": ("bf16", 2), "float": ("tf32", 4), "double": ("fp64", 8),
    "signed char": ("int8", 1),
}  # fmt: skip
PRODUCTS, SUMS = {"aten::mm", "aten::addmm"}, {"aten::add", "aten::sub", "aten::mul", "aten::div"}
_NUMBER: Final = re.compile(r"[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?")
Rows = Sequence[Mapping[str, str]]
Metrics = Mapping[str, tuple[str, str]]  # the cell and the unit of each metric


class Kernel(NamedTuple):
    """A kernel: its line in the file, its name, its seconds, its bytes, and its FLOPs by compute unit."""

    line: int
    name: str
    seconds: Fraction
    moved: Fraction | None
    flops: Mapping[str, Fraction]


Profile = tuple[str, bool, tuple[Kernel, ...]]  # the counting method, whether bytes were counted at the memory, kernels


def ncu_text(text: str) -> str | None:
    """Return the table in the output of ncu, with line numbers preserved, or None for any other text."""
    found = re.search(r'(?m)^"ID",', text)
    return found and "\n" * text.count("\n", 0, found.start()) + re.sub(r"(?m)^==.*$", "", text[found.start() :])


def ncu_profile(rows: Rows, lines: Sequence[int], file: str) -> Profile:
    """Return the kernels of `ncu --csv`, with a row of units and a row per kernel, or with a row per metric."""
    kernels = tuple(_kernel(line, name, metrics, file) for line, name, metrics in _by_kernel(rows, lines, file))
    return _profile("kernels of Nsight Compute, bytes and FLOPs as its counters say", True, kernels, file, NCU)


def _by_kernel(rows: Rows, lines: Sequence[int], file: str) -> Iterator[tuple[int, str, Metrics]]:
    if rows and {"Metric Name", "Metric Value", "Metric Unit"} <= rows[0].keys():
        found: dict[tuple[str, ...], tuple[int, str, dict[str, tuple[str, str]]]] = {}
        for line, row in zip(lines, rows, strict=True):
            key = (row["ID"], row.get("Process ID", ""))
            _, _, metrics = found.setdefault(key, (line, row.get("Kernel Name", ""), {}))
            metrics[row["Metric Name"]] = row["Metric Value"], row["Metric Unit"]
        yield from found.values()
        return
    if not rows or rows[0].get("ID") or rows[0].get("Kernel Name"):
        raise RoofproofError(
            "<file>: no line of units under the names; expected what `<program>` writes", file=file, program=NCU
        )
    for line, row in zip(lines[1:], rows[1:], strict=True):
        yield line, row.get("Kernel Name", ""), {name: (cell, rows[0][name]) for name, cell in row.items()}


def _kernel(line: int, name: str, metrics: Metrics, file: str) -> Kernel:
    amounts: dict[tuple[str, str], Fraction] = {}
    for metric, (cell, unit) in metrics.items():
        for pattern, what, factor in METRICS:
            if match := re.fullmatch(pattern, metric):
                key = what, match[match.lastindex] if match.lastindex else ""
                count = factor * _value(cell, unit, what, f"{file}, line {line}: {metric}")
                amounts[key] = count + (amounts.get(key, Fraction(0)) if "flops" in what else 0)
    flops: dict[str, Fraction] = {}
    for kind in ("flops", "flops in all"):  # counters of one result type override those of all
        some = {of: count for (what, of), count in amounts.items() if what == kind and count}
        if unknown := next((of for of in some if of not in FORMATS), None):
            raise RoofproofError(
                "<file>, line <line>: unknown number format <unknown>", file=file, line=line, unknown=quoted(unknown)
            )
        flops |= {FORMATS[of]: count for of, count in some.items()}
    parts = [count for (what, _), count in amounts.items() if what == "bytes in two"]
    moved = amounts.get(("bytes", ""), sum(parts, Fraction(0)) if len(parts) == 2 else None)
    return Kernel(line, name, amounts.get(("seconds", ""), Fraction(0)), moved, flops)


def _value(cell: str, unit: str, what: str, where: str) -> Fraction:
    """Return the value of a metric in seconds, bytes or a count."""
    text = "0" if cell == "n/a" and "flops" in what else cell.replace(",", "")
    if not _NUMBER.fullmatch(text):
        raise RoofproofError("<where>: expected a number, got <cell>", where=where, cell=quoted(cell))
    if "flops" in what:
        return Fraction(text)
    known = unit_of(unit.replace("second", "s").replace("Kbyte", "kbyte"), letters=True)
    if known is None or known.dimension != (SECOND if what == "seconds" else BYTE):
        raise RoofproofError("<where>: unknown unit <unit>", where=where, unit=quoted(unit))
    return Fraction(text) * known.factor


def torch_profile(text: str, file: str) -> Profile | None:
    """Return the products and sums in a trace with shapes, timed by their kernels, or None for any other text."""
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return None  # the table reader reports the error
    if not isinstance(events := data.get("traceEvents"), list):
        return None
    called: dict[str, tuple[str, Mapping[str, Any]]] = {}
    spent: dict[str, Fraction] = {}
    for event in events:
        args = event.get("args") if isinstance(event, dict) else None
        if not isinstance(args, dict):
            continue
        key = str(args.get("External id"))
        if event.get("cat") == "cpu_op":
            called[key] = str(event.get("name", "")), args
        elif event.get("cat") == "kernel" and _NUMBER.fullmatch(took := str(event.get("dur"))):
            spent[key] = spent.get(key, Fraction(0)) + Fraction(took)
    every = ((key, number, _counted(*called.get(key, ("", {})))) for number, key in enumerate(spent, 1))
    kernels = [Kernel(n, called[key][0], spent[key] / 10**6, *found) for key, n, found in every if found is not None]
    said = "products and sums of PyTorch's trace, bytes and FLOPs by their shapes"
    left = f"; {len(spent) - len(kernels)} of {len(spent)} operations left out" * (len(kernels) < len(spent))
    return _profile(said + left, False, kernels, file, "torch.profiler.profile(record_shapes=True)")


def _counted(name: str, args: Mapping[str, Any]) -> tuple[Fraction, dict[str, Fraction]] | None:
    """Return the bytes and FLOPs of a PyTorch product or sum from the shapes of its arguments. Return None for others.

    >>> _counted("aten::mm", {"Input Dims": [[2, 3], [3, 5]], "Input type": ["c10::Half", "c10::Half"]})
    (Fraction(62, 1), {'fp16': Fraction(60, 1)})
    """
    shapes, kinds = (each if isinstance(each := args.get(key), list) else [] for key in ("Input Dims", "Input type"))
    tensors = [s for s in shapes if isinstance(s, list) and s and all(type(n) is int for n in s)]
    types = {TYPES[kind] for kind in kinds if isinstance(kind, str) and kind in TYPES}
    if len(types) != 1 or len(tensors) < 2:
        return None
    [(engine, size)], (a, b) = types, tensors[-2:]
    if name in PRODUCTS and len(a) == len(b) == 2 and a[1] == b[0]:
        m, k, n = *a, b[1]
        return Fraction(size * (m * k + k * n + m * n)), {engine: Fraction(2 * m * n * k)}
    return (Fraction(3 * size * prod(a)), {}) if name in SUMS and a == b else None


def _profile(said: str, at_memory: bool, kernels: Sequence[Kernel], file: str, cure: str) -> Profile:
    """Return a profile of the kernels with a positive time. Raises RoofproofError if none has bytes or FLOPs."""
    rows = tuple(row for row in kernels if row.seconds > 0)
    if not any(row.moved is not None or any(row.flops.values()) for row in rows):
        raise RoofproofError(
            "<file>: no kernel with a time and its bytes or FLOPs; expected what `<cure>` writes", file=file, cure=cure
        )
    return said, at_memory, rows
