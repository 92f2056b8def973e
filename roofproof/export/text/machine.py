"""The roofs of a machine as measured, as text and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from fractions import Fraction

from roofproof.formula.magnitudes import prefixed
from roofproof.measured.machine import Machine, MeasuredRate


def machine_text(found: Machine, out: str, sweeps: Iterable[tuple[str, str]] = ()) -> str:
    """Return every figure with its interval, the best kernel first, and what has to be said of them.

    >>> print(machine_text(Machine("A processor", 2, {}, (), {}, ("one core",)), "this.toml"))
    A processor, 2 threads
    note: one core
    written to this.toml: --chip this.toml
    """
    lines = [f"{found.title}, {found.threads} {found.workers}"]
    for what, unit, readings in _figures(found):
        for place, r in enumerate(readings):
            value, low, high = (prefixed(Fraction(f"{v:.3e}"), unit) for v in (r.rate, r.low, r.high))
            lines.append(f"{what if not place else '':<12} {r.kernel:<22} {value} ({low} to {high}), {r.runs} runs")
    for what, r in found.starts.items():
        best, longest = (f"{1e6 / v:.3g} us" for v in (r.rate, r.low))
        lines.append(f"{'start':<12} {what:<22} {best} (to {longest}), {r.runs} runs")
    lines += [f"note: {note}" for note in found.notes]
    lines.append(f"written to {out}: --chip {out}")
    lines += [
        f"written to {file}: roofproof validate {file} --chip {out} --op {shlex.quote(op)}" for op, file in sweeps
    ]
    return "\n".join(lines)


def as_record(found: Machine) -> dict[str, object]:
    """Return the measurements as a JSON record."""
    figures = [
        {"figure": what, "unit": unit, "kernel": r.kernel, "best": r.rate, "low": r.low, "high": r.high, "runs": r.runs,
         found.workers: r.threads, "steady": r.steady}
        for what, unit, readings in _figures(found)
        for r in readings
    ]  # fmt: skip
    starts = {what: {"best_s": 1 / r.rate, "longest_s": 1 / r.low, "runs": r.runs} for what, r in found.starts.items()}
    return {
        "machine": found.title, found.workers: found.threads, "figures": figures, "start": starts,
        "notes": list(found.notes),
    }  # fmt: skip


def _figures(found: Machine) -> Iterator[tuple[str, str, tuple[MeasuredRate, ...]]]:
    for name, readings in found.peaks.items():
        yield name, "FLOP/s", readings
    for level in found.levels:
        yield level.name, "B/s", level.readings
