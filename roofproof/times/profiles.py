"""What Nsight Compute and PyTorch's profiler write, read as kernels with their seconds, bytes and FLOPs."""

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
METRICS: Final = (  # of ncu: the names, what they count, and how much one is
    (r"gpu__time_duration\.(?:sum|avg)", "seconds", 1),
    (r"dram__bytes\.sum", "bytes", 1),
    (r"dram__bytes_read\.sum", "bytes read", 1),
    (r"dram__bytes_write\.sum", "bytes written", 1),
    (r"smsp?__sass_thread_inst_executed_op_([df])(?:add|mul)_pred_on\.sum", "flops", 1),
    (r"smsp?__sass_thread_inst_executed_op_([df])fma_pred_on\.sum", "flops", 2),
    (r"smsp?__sass_thread_inst_executed_op_(h)(?:add|mul)_pred_on\.sum", "flops", 2),  # two halves at a time
    (r"smsp?__sass_thread_inst_executed_op_(h)fma_pred_on\.sum", "flops", 4),
    (r"sm__ops_path_tensor_src_([a-z0-9]+)_dst_[a-z0-9]+(?:_sparsity_off)?\.sum", "flops", 1),
    (r"sm__ops_path_tensor_src_([a-z0-9]+)(?:_sparsity_off)?\.sum", "flops in all", 1),
)
FORMATS: Final = {"d": "fp64-vector", "f": "fp32-vector", "h": "fp16-vector", "fp64": "fp64-tensor"} | {
    name: name for name in ("fp16", "bf16", "tf32", "fp8", "int8", "fp4")
}
TYPES: Final = {  # of PyTorch: the format of a product, which the fastest engine may do, and the bytes of an element
    "c10::Half": ("fp16", 2), "c10::BFloat16": ("bf16", 2), "float": ("tf32", 4), "double": ("fp64", 8),
    "signed char": ("int8", 1),
}  # fmt: skip
PRODUCTS: Final = ("aten::mm", "aten::addmm")
ELEMENTWISE: Final = ("aten::add", "aten::sub", "aten::mul", "aten::div")
_NUMBER: Final = re.compile(r"[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?")
Rows = Sequence[Mapping[str, str]]
Metrics = Mapping[str, tuple[str, str]]  # the cell and the unit of each


class Kernel(NamedTuple):
    """A kernel: where it stands in its file, its name, its seconds, its bytes and its FLOPs by engine."""

    line: int
    name: str
    seconds: Fraction
    moved: Fraction | None
    flops: Mapping[str, Fraction]


class Profile(NamedTuple):
    """The kernels that a profiler saw: `at_memory` says that bytes were counted where the main memory gives them."""

    said: str
    at_memory: bool
    rows: tuple[Kernel, ...]


def ncu_text(text: str) -> str | None:
    """Return the table in what ncu wrote, each line where it was; None for any other text."""
    found = re.search(r'(?m)^"ID",', text)
    return found and "\n" * text.count("\n", 0, found.start()) + re.sub(r"(?m)^==.*$", "", text[found.start() :])


def ncu_profile(rows: Rows, lines: Sequence[int], file: str) -> Profile:
    """Return the kernels of `ncu --csv`: with a row of units and one a kernel, or with a row a metric."""
    kernels = tuple(_kernel(line, name, metrics, file) for line, name, metrics in _by_kernel(rows, lines, file))
    return _useful(Profile("kernels of Nsight Compute, bytes and FLOPs as its counters say", True, kernels), file, NCU)


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
        raise RoofproofError(f"{file}: no line of units under the names; expected what `{NCU}` writes")
    for line, row in zip(lines[1:], rows[1:], strict=True):
        yield line, row.get("Kernel Name", ""), {name: (cell, rows[0][name]) for name, cell in row.items()}


def _kernel(line: int, name: str, metrics: Metrics, file: str) -> Kernel:
    found: dict[str, Fraction] = {}
    flops: dict[str, dict[str, Fraction]] = {"flops": {}, "flops in all": {}}
    for metric, (cell, unit) in metrics.items():
        where = f"{file}, line {line}: {metric}"
        for pattern, what, factor in METRICS:
            if not (match := re.fullmatch(pattern, metric)):
                continue
            count = factor * _value(cell, unit, what, where)
            if what not in flops:
                found[what] = count
            elif count:
                if match[1] not in FORMATS:
                    raise RoofproofError(f"{where}: unknown number format {quoted(match[1])}")
                flops[what][FORMATS[match[1]]] = flops[what].get(FORMATS[match[1]], Fraction(0)) + count
    parts = [found[part] for part in ("bytes read", "bytes written") if part in found]
    moved = found.get("bytes", sum(parts, Fraction(0)) if len(parts) == 2 else None)
    engines = flops["flops"] | flops["flops in all"]  # the counters of all results stand beside those of each
    return Kernel(line, name, found.get("seconds", Fraction(0)), moved, engines)


def _value(cell: str, unit: str, what: str, where: str) -> Fraction:
    """Return the value of a metric in seconds, bytes or a count."""
    text = "0" if cell == "n/a" and "flops" in what else cell.replace(",", "")
    if not _NUMBER.fullmatch(text):
        raise RoofproofError(f"{where}: expected a number, got {quoted(cell)}")
    if "flops" in what:
        return Fraction(text)
    known = unit_of(unit.replace("second", "s").replace("Kbyte", "kbyte"), letters=True)
    if known is None or known.dimension != (SECOND if what == "seconds" else BYTE):
        raise RoofproofError(f"{where}: unknown unit {quoted(unit)}")
    return Fraction(text) * known.factor


def torch_profile(text: str, file: str) -> Profile | None:
    """Return the products and sums of a trace with shapes, by the kernels that each launched; None for other text."""
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return None  # what reads tables says why
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
    counts = {key: _counted(*called[key]) for key in spent if key in called}
    kernels = tuple(
        Kernel(number, called[key][0], spent[key] / 10**6, *found)
        for number, key in enumerate(spent, 1) if (found := counts.get(key)) is not None
    )  # fmt: skip
    said = "products and sums of PyTorch's trace, bytes and FLOPs by their shapes"
    left = f"; {len(spent) - len(kernels)} of {len(spent)} operations left out" * (len(kernels) < len(spent))
    return _useful(Profile(said + left, False, kernels), file, "torch.profiler.profile(record_shapes=True)")


def _counted(name: str, args: Mapping[str, Any]) -> tuple[Fraction, dict[str, Fraction]] | None:
    """Return bytes and FLOPs of an operation of PyTorch from the shapes of its arguments; None if it is another one.

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
    return (Fraction(3 * size * prod(a)), {}) if name in ELEMENTWISE and a == b else None


def _useful(found: Profile, file: str, cure: str) -> Profile:
    """Return a profile of the kernels that took time; refuse one that counted neither bytes nor FLOPs."""
    rows = tuple(row for row in found.rows if row.seconds > 0)
    if not any(row.moved is not None or any(row.flops.values()) for row in rows):
        raise RoofproofError(f"{file}: no kernel with a time and its bytes or FLOPs; expected what `{cure}` writes")
    return found._replace(rows=rows)
