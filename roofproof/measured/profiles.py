"""What profilers write, read as tables of times: Nsight Compute, rocprof, Proton, PyTorch and XLA.

Each kernel is a row with its seconds and the bytes and FLOPs that the profiler counted, or that follow from shapes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.magnitudes import decimal
from roofproof.measured.counted import CountedKernel, KernelTable, Profile

MAX_ROWS: Final = 2_000_000
SECONDS: Final = {
    **dict.fromkeys(("ns", "nsecond"), Fraction(1, 10**9)), **dict.fromkeys(("us", "usecond"), Fraction(1, 10**6)),
    **dict.fromkeys(("ms", "msecond"), Fraction(1, 1000)), **dict.fromkeys(("s", "second"), Fraction(1)),
}  # fmt: skip
BYTES: Final = {"byte": 1, "Kbyte": 10**3, "Mbyte": 10**6, "Gbyte": 10**9}
DURATIONS: Final = ("gpu__time_duration.sum", "gpu__time_duration.avg")
NCU: Final = (
    "ncu --csv --page raw --metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,"
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
)
ROCPROF: Final = "rocprofv3 --pmc FETCH_SIZE WRITE_SIZE --output-format csv"
_NUMBER: Final = re.compile(r"[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?")
_SASS: Final = re.compile(r"smsp?__sass_thread_inst_executed_op_([dfh])(add|mul|fma)_pred_on\.sum")
_TENSOR: Final = re.compile(r"sm__ops_path_tensor_src_([a-z0-9]+)(_dst_[a-z0-9]+)?(?:_sparsity_off)?\.sum")
_SIZES: Final = ("FETCH_SIZE", "WRITE_SIZE", "FetchSize", "WriteSize")  # KiB, by either of their names
_MFMA: Final = re.compile(r"SQ_INSTS_VALU_MFMA_MOPS_(F8|F16|BF16|XF32|F64|I8)(?:_sum)?")
_FORMATS: Final = {
    "F8": "fp8", "F16": "fp16", "BF16": "bf16", "XF32": "tf32", "F64": "fp64", "I8": "int8", "fp16": "fp16",
    "bf16": "bf16", "tf32": "tf32", "fp64": "fp64-tensor", "fp8": "fp8", "int8": "int8", "fp4": "fp4",
    "d": "fp64-vector", "f": "fp32-vector", "h": "fp16-vector", "flops8": "fp8", "flops16": "fp16", "flops32": "tf32",
    "flops64": "fp64",
}  # fmt: skip
"""Number formats by their names in counters; a format may be done by a faster engine, so floors take the fastest."""

_TYPES: Final = {
    "c10::Half": ("fp16", 2), "c10::BFloat16": ("bf16", 2), "float": ("tf32", 4), "double": ("fp64", 8),
    "signed char": ("int8", 1),
}  # fmt: skip


def profile_from_text(text: str, file: str) -> Profile | None:
    """Parse the output of a profiler, recognized by its first lines; None for any other text.

    >>> head = '"ID","CountedKernel Name","gpu__time_duration.sum","dram__bytes.sum"\\n"","","us","Mbyte"\\n'
    >>> [one] = profile_from_text(head + '"0","add","10.5","12.6"\\n', "a.csv").rows
    >>> str(one.seconds), str(one.moved)                          # 10.5/10^6 s, 12.6 10^6 B
    ('21/2000000', '12600000')

    Raises RoofproofError, with file and line, for what cannot be read, and for kernels without bytes and FLOPs.
    """
    start = text.lstrip()[:1]
    if start in ("[", "{"):
        return _from_json(text, file)
    if found := re.search(r'(?m)^"ID",', text):  # after what the program and ncu say
        return _ncu(_table(text, found.start(), file), file)
    head = {name.strip().strip('"') for name in text.partition("\n")[0].split(",")}
    if head & {"KernelName", "Kernel_Name"}:
        return _rocprof(_table(text, 0, file), file)
    return _xprof(_table(text, 0, file), file) if head & {"HLO op name", "hlo_op_name"} else None


def _table(text: str, start: int, file: str) -> KernelTable:
    first = text.count("\n", 0, start)
    reader = csv.reader(io.StringIO(text[start:]))
    try:
        names = [name.strip() for name in next(reader)]
        rows = []
        for cells in reader:
            line = first + reader.line_num
            if not any(cells) or (len(cells) == 1 and cells[0].startswith("==")):
                continue
            if len(cells) != len(names):
                raise RoofproofError(
                    f"{file}, line {line}: expected {len(names)} cells as in the header, got {len(cells)}"
                )
            rows.append((line, dict(zip(names, (cell.strip() for cell in cells), strict=True))))
            if len(rows) > MAX_ROWS:
                raise RoofproofError(f"{file}: more than {MAX_ROWS} rows; split it")
    except csv.Error as problem:
        raise RoofproofError(f"{file}, line {first + reader.line_num}: not CSV: {problem}") from None
    return KernelTable(names, rows)


def _value(cell: str, what: str, where: str) -> Fraction:
    plain = cell.replace(",", "")
    if not _NUMBER.fullmatch(plain):
        raise RoofproofError(f"{where}: {what}: expected a number, got {quoted(cell)}")
    return Fraction(plain)


def _ncu(table: KernelTable, file: str) -> Profile:
    """Read `ncu --csv --page raw`: a row of units under the names, then one row a kernel; or a row for each metric."""
    if "Metric Name" in table.names:
        table = _by_kernel(table, file)
    if not table.rows or any(table.rows[0][1].get(name) for name in ("ID", "Kernel Name")):
        raise RoofproofError(f"{file}: no line of units under the names; expected what `{NCU}` writes")
    (_, units), *rows = table.rows
    time = next((n for n in DURATIONS if n in table.names), None)
    moved = [n for n in table.names if re.fullmatch(r"dram__bytes_(read|write)\.sum", n)]
    moved = ["dram__bytes.sum"] if "dram__bytes.sum" in table.names else moved if len(moved) == 2 else []
    counters = {n: m for n in table.names if (m := _SASS.fullmatch(n) or _TENSOR.fullmatch(n))}
    if time is None or not (moved or counters):
        raise RoofproofError(f"{file}: no times with bytes or FLOPs; expected what `{NCU}` writes")
    for name in (time, *moved):
        if units[name] not in (SECONDS if name == time else BYTES):
            raise RoofproofError(f"{file}: {name}: unknown unit {quoted(units[name])}")
    kernels = []
    for line, row in rows:
        where = f"{file}, line {line}"
        flops: dict[str, Fraction] = {}
        whole: dict[str, Fraction] = {}  # counters of all destinations of a format stand beside those of each
        for name, match in counters.items():
            count = Fraction(0) if row[name] == "n/a" else _value(row[name], name, where)
            if not count:
                continue
            if match[1] not in _FORMATS:
                raise RoofproofError(f"{where}: {name}: unknown number format {quoted(match[1])}")
            engine = _FORMATS[match[1]]
            if match.re is _SASS:
                lanes = 2 if match[1] == "h" else 1  # a half instruction does two at once
                count *= lanes * (2 if match[2] == "fma" else 1)
            each = whole if match.re is _TENSOR and match[2] is None else flops
            each[engine] = each.get(engine, Fraction(0)) + count
        seconds = _value(row[time], time, where) * SECONDS[units[time]]
        total = sum((_value(row[n], n, where) * BYTES[units[n]] for n in moved), Fraction(0)) if moved else None
        kernels.append(CountedKernel(line, row.get("Kernel Name", ""), seconds, total, flops | whole))
    return _checked(
        Profile("kernels of Nsight Compute, bytes and FLOPs as its counters say", True, tuple(kernels)), file
    )


def _by_kernel(table: KernelTable, file: str) -> KernelTable:
    """Return rows for each metric, which ncu writes without --page raw, as a row of units and one for each kernel.

    A unit is that of the first kernel: ncu writes the bytes of one in Kbyte, of another in Mbyte.
    """
    if missing := {"ID", "Metric Unit", "Metric Value"} - {*table.names}:
        raise RoofproofError(f"{file}: a row for each metric without {min(missing)!r}; expected what `{NCU}` writes")
    scale: dict[str, Fraction] = {**SECONDS, **{name: Fraction(size) for name, size in BYTES.items()}}
    units: dict[str, str] = {}
    kernels: dict[tuple[str, str], tuple[int, dict[str, str]]] = {}
    for line, row in table.rows:
        name, unit, cell = row["Metric Name"], row["Metric Unit"], row["Metric Value"]
        known = name in DURATIONS or name.startswith("dram__bytes") or _SASS.fullmatch(name) or _TENSOR.fullmatch(name)
        if not row["ID"] or not known:
            continue
        said = {"ID": row["ID"], "Kernel Name": row.get("Kernel Name", "")}
        _, kernel = kernels.setdefault((row["ID"], row.get("Process ID", "")), (line, said))
        if unit != units.setdefault(name, unit):
            where = f"{file}, line {line}"
            if unit not in scale or units[name] not in scale:
                raise RoofproofError(f"{where}: {name}: unknown unit {quoted(unit)}")
            cell = decimal(_value(cell, name, where) * scale[unit] / scale[units[name]])
        kernel[name] = cell
    rows = [(line, {**dict.fromkeys(units, "n/a"), **kernel}) for line, kernel in kernels.values()]
    return KernelTable(["ID", "Kernel Name", *units], [(1, {"ID": "", "Kernel Name": "", **units}), *rows])


def _rocprof(table: KernelTable, file: str) -> Profile:
    """Read rocprof's results, a row a kernel, or rocprofv3's counters, a row for each counter of a kernel."""
    if "Counter_Name" in table.names and "Counter_Value" not in table.names:
        raise RoofproofError(
            f"{file}: a row for each counter without 'Counter_Value'; expected what `{ROCPROF}` writes"
        )
    kernels: dict[str, tuple[int, dict[str, str], dict[str, Fraction]]] = {}
    for line, row in table.rows:
        key = row.get("Dispatch_Id", row.get("Correlation_Id", str(line))) if "Counter_Name" in row else str(line)
        _, _, counters = kernels.setdefault(key, (line, row, {}))
        counted = {row["Counter_Name"]: row["Counter_Value"]} if "Counter_Name" in row else row
        for name, cell in counted.items():
            if name in _SIZES or _MFMA.fullmatch(name):
                counters[name] = counters.get(name, Fraction(0)) + _value(cell, name, f"{file}, line {line}")
    made = []
    for line, row, counters in kernels.values():
        sizes = [counters[name] for name in _SIZES if name in counters]
        moved = 1024 * sum(sizes, Fraction(0)) if len(sizes) == 2 else None
        flops: dict[str, Fraction] = {}
        for name, count in counters.items():
            if match := _MFMA.fullmatch(name):
                flops[_FORMATS[match[1]]] = 512 * count
        name = row.get("Kernel_Name", row.get("KernelName", ""))
        made.append(CountedKernel(line, name, _duration(row, f"{file}, line {line}"), moved, flops))
    said = "kernels of rocprof, bytes of FETCH_SIZE and WRITE_SIZE, FLOPs of the matrix units"
    return _checked(Profile(said, True, tuple(made)), file, ROCPROF)


def _duration(row: Mapping[str, str], where: str) -> Fraction:
    for ends in (("Start_Timestamp", "End_Timestamp"), ("BeginNs", "EndNs")):
        if all(name in row for name in ends):
            first, last = (_value(row[name], name, where) for name in ends)
            return (last - first) / 10**9
    if "DurationNs" in row:
        return _value(row["DurationNs"], "DurationNs", where) / 10**9
    raise RoofproofError(f"{where}: no time of the kernel; expected Start_Timestamp and End_Timestamp, or DurationNs")


def _xprof(table: KernelTable, file: str) -> Profile:
    """Read the table hlo_stats of XProf, as CSV or JSON: by operation, rates and the time of one."""

    def column(*names: str) -> str:
        found = next((n for n in names if n in table.names), None)
        if found is None:
            raise RoofproofError(f"{file}: no column {quoted(names[0])}; expected the table hlo_stats of XProf")
        return found

    time, name = column("Avg. self time (us)", "avg_self_time"), column("HLO op name", "hlo_op_name")
    rate, band = column("Model GFLOP/s", "model_flop_rate"), column("HBM BW (GiB/s)", "hbm_bw")
    text = column("HLO op text", "hlo_op_expression")
    kernels = []
    for line, row in table.rows:
        where = f"{file}, line {line}"
        seconds = _value(row[time], time, where) / 10**6
        flops = seconds * _value(row[rate], rate, where) * 10**9
        moved = seconds * _value(row[band], band, where) * 2**30
        kernels.append(CountedKernel(line, row[name], seconds, moved, {_hlo_format(row[text]): flops}))
    return _checked(Profile("operations of XProf, bytes and FLOPs by its rates", True, tuple(kernels)), file)


def _charted(data: Mapping[str, Any], file: str) -> KernelTable:
    """Return a table as Google Charts has it, which XProf gives where no CSV is asked for.

    >>> _charted({"cols": [{"id": "rank"}], "rows": [{"c": [{"v": 1.0}]}]}, "t.json").rows
    [(1, {'rank': '1.0'})]
    """
    names = [str(column.get("id")) for column in data["cols"] if isinstance(column, dict)]
    rows = []
    for number, row in enumerate(data["rows"], 1):
        cells = row.get("c") if isinstance(row, dict) else None
        if not isinstance(cells, list) or len(cells) != len(names) or not all(isinstance(c, dict) for c in cells):
            raise RoofproofError(f"{file}, row {number}: expected {len(names)} cells, one a column")
        rows.append((number, {name: str(cell.get("v", "")) for name, cell in zip(names, cells, strict=True)}))
    return KernelTable(names, rows)


def _hlo_format(text: str) -> str:
    """Return the format in which a TPU multiplies the operands of an HLO text: bf16, unless they are narrower."""
    return "fp8" if re.search(r"\bf8e", text) else "int8" if re.search(r"\b[su][48]\[", text) else "bf16"


def _from_json(text: str, file: str) -> Profile | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None  # what reads tables says why
    if isinstance(data, dict) and isinstance(data.get("traceEvents"), list):
        events = [e for e in data["traceEvents"] if isinstance(e, dict)]
        torch = any(e.get("cat") == "cpu_op" for e in events)
        return _checked(_torch_trace(events) if torch else _xla_trace(events, file), file)
    if isinstance(data, dict) and isinstance(data.get("cols"), list) and isinstance(data.get("rows"), list):
        return _xprof(_charted(data, file), file)
    if isinstance(data, list) and data and isinstance(data[0], dict) and "frame" in data[0]:
        return _checked(_proton(data[0]), file)
    return None


def _number(value: object) -> Fraction | None:
    """Return a number that JSON holds, as a number or as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    return Fraction(str(value)) if _NUMBER.fullmatch(str(value)) else None


def _object(node: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a name, an empty one where there is none."""
    found = node.get(key)
    return found if isinstance(found, dict) else {}


def _proton(root: dict[str, Any]) -> Profile:
    """Read a tree of Proton: scopes and kernels that say their flops16 (or 8, 32, 64) and bytes.

    What says `flops` without a width is no FLOP of any engine: its bytes alone count.
    """

    def below(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        waiting = [node]
        while waiting:
            one = waiting.pop()
            yield _object(one, "metrics")
            waiting += children(one)

    def children(node: dict[str, Any]) -> list[dict[str, Any]]:
        listed = node.get("children")
        return [child for child in listed if isinstance(child, dict)] if isinstance(listed, list) else []

    kernels: list[CountedKernel] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        metrics, name = _object(node, "metrics"), str(_object(node, "frame").get("name", ""))
        if not any(_number(metrics.get(key)) for key in ("bytes", "flops8", "flops16", "flops32", "flops64")):
            waiting += reversed(children(node))
            continue
        total: dict[str, Fraction] = {}
        count = Fraction(1)
        for each in below(node):
            for key, value in each.items():
                if (found := _number(value)) is not None:
                    total[key] = total.get(key, Fraction(0)) + found
            count = max(count, _number(each.get("count")) or count)
        seconds = total.get("time (ns)", Fraction(0)) / 10**9 / count
        flops = {_FORMATS[key]: total[key] / count for key in total if key in _FORMATS}
        moved = total["bytes"] / count if "bytes" in total else None
        kernels.append(CountedKernel(len(kernels) + 1, name, seconds, moved, flops))
    return Profile("scopes of Proton, bytes and FLOPs as they say", False, tuple(kernels))


def _torch_trace(events: Sequence[dict[str, Any]]) -> Profile:
    """Read a trace of PyTorch with shapes: products and sums by the kernels that each launched."""
    called = {
        str(args["External id"]): event
        for event in events
        if event.get("cat") == "cpu_op" and isinstance(args := event.get("args"), dict) and "External id" in args
    }
    spent: dict[str, Fraction] = {}
    for event in events:
        args = event.get("args")
        if event.get("cat") == "kernel" and isinstance(args, dict) and (took := _number(event.get("dur"))) is not None:
            key = str(args.get("External id"))
            spent[key] = spent.get(key, Fraction(0)) + took
    kernels, left = [], 0
    for number, (key, took) in enumerate(spent.items(), 1):
        op = called.get(key, {})
        counted = _torch_counts(str(op.get("name", "")), _object(op, "args"))
        if counted is None:
            left += 1
        else:
            kernels.append(CountedKernel(number, str(op["name"]), took / 10**6, *counted))
    said = "products and sums of PyTorch's trace, bytes and FLOPs by their shapes"
    return Profile(f"{said}; {left} of {len(spent)} operations left out" if left else said, False, tuple(kernels))


def _torch_counts(name: str, args: Mapping[str, Any]) -> tuple[Fraction, dict[str, Fraction]] | None:
    """Return bytes and FLOPs of an operation of PyTorch from the shapes of its arguments; None if it is another one.

    >>> _torch_counts("aten::mm", {"Input Dims": [[2, 3], [3, 5]], "Input type": ["c10::Half", "c10::Half"]})
    (Fraction(62, 1), {'fp16': Fraction(60, 1)})
    """
    shapes, kinds = args.get("Input Dims"), args.get("Input type")
    if not isinstance(shapes, list) or not isinstance(kinds, list):
        return None
    tensors = [
        s
        for s in shapes
        if isinstance(s, list) and s and all(isinstance(n, int) and not isinstance(n, bool) for n in s)
    ]
    kind = next((_TYPES[k] for k in kinds if k in _TYPES), None)
    if kind is None or len(tensors) < 2 or any(k in _TYPES and _TYPES[k] != kind for k in kinds):
        return None
    engine, size = kind
    a, b = tensors[-2:]
    if name in ("aten::mm", "aten::addmm") and len(a) == len(b) == 2 and a[1] == b[0]:
        m, k, n = *a, b[1]
        return Fraction(size * (m * k + k * n + m * n)), {engine: Fraction(2 * m * n * k)}
    if name in ("aten::add", "aten::sub", "aten::mul", "aten::div") and a == b:
        elements = 1
        for length in a:
            elements *= length
        return Fraction(3 * size * elements), {}
    return None


def _xla_trace(events: Iterable[dict[str, Any]], file: str) -> Profile:
    """Read a trace of XLA: operations whose events have model_flops and bytes_accessed, as those of a TPU do."""
    kernels = []
    for number, event in enumerate(events, 1):
        args = event.get("args")
        if not isinstance(args, dict) or "bytes_accessed" not in args:
            continue
        took, moved = _number(args.get("device_duration_ps")), _number(args["bytes_accessed"])
        flops = _number(args.get("model_flops", 0))
        if took and moved is not None and flops is not None:
            format_ = _hlo_format(str(args.get("long_name", "")))
            kernels.append(CountedKernel(number, str(event.get("name", "")), took / 10**12, moved, {format_: flops}))
    if not kernels:
        raise RoofproofError(
            f"{file}: no event has device_duration_ps and bytes_accessed, as a TPU's have; expected a trace of one, or "
            "one of PyTorch with record_shapes"
        )
    return Profile("operations of a trace of XLA, bytes and FLOPs as XLA counts them", False, tuple(kernels))


def _checked(found: Profile, file: str, cure: str | None = None) -> Profile:
    """Return a profile of the kernels that took time; refuse one that counted neither bytes nor FLOPs."""
    rows = tuple(row for row in found.rows if row.seconds > 0)
    if not any(row.moved is not None or any(row.flops.values()) for row in rows):
        due = f"; expected what `{cure}` writes" if cure else ""
        raise RoofproofError(f"{file}: no kernel with a time and its bytes or FLOPs{due}")
    return Profile(found.said, found.at_memory, rows)
