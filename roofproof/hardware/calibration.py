"""Calibrated ceilings: how much of a chip's figures its programs reach, as found from measured times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.magnitudes import decimal
from roofproof.hardware.quantities import parse_quantity
from roofproof.hardware.resources import named
from roofproof.toml import checked

CORNERS: Final = {
    "max": "the longer of the two times",
    "sum": "their sum",
    "root": "the root of the sum of their squares",
}
"""How the time of an engine and that of a memory make one."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A value found by a fit, and the interval that it lies in when parts of the table are left out.

    >>> print(Fitted(Fraction(73, 100), Fraction(71, 100), Fraction(3, 4)))
    0.73 (0.71 to 0.75)

    Raises RoofproofError for an interval that the value is outside of.
    """

    value: Fraction
    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.value <= self.high:
            said = (
                "a fitted value lies in its interval: expected 0 < low <= value <= high, got <value>, <low> to <high>"
            )
            raise RoofproofError(said, value=decimal(self.value), low=decimal(self.low), high=decimal(self.high))

    def __str__(self) -> str:
        return f"{decimal(self.value)} ({decimal(self.low)} to {decimal(self.high)})"


@dataclass(frozen=True, slots=True)
class Calibration:
    """The ceilings of an engine and a memory level, from which an estimate of a time follows; no floor does.

    With FLOPs F, bytes Q, peak P and bandwidth W the estimate is `start + corner(F/(e P), Q/(d W))`, where e is
    `compute`, d is `memory`, and the corner is max, sum or the root of the sum of squares. `points` measured times
    went into the fit; `error` is its median error on times that it was not fitted on.

    Raises RoofproofError for shares above 1 and for an unknown corner.
    """

    engine: str
    level: str
    compute: Fitted
    memory: Fitted
    start: Fitted
    corner: str
    points: int
    error: Fraction
    fit: str
    source: str

    def __post_init__(self) -> None:
        if self.corner not in CORNERS:
            raise unknown("corner", self.corner, CORNERS)
        for what, share in (("compute", self.compute), ("memory", self.memory)):
            if share.high > 1:
                said = "calibration of <engine>: <what> = <share> is more than the figure itself; expected at most 1"
                raise RoofproofError(said, engine=quoted(self.engine), what=what, share=share)


@dataclass(frozen=True, slots=True)
class Moving:
    """The ceilings of a kind of operation that does little but move bytes, such as a norm or an all-reduce.

    Over a channel of rate W the estimate is `start + bytes/(share W)`; of a collective over n chips it is
    `start + step (n - 1) + bytes/(share W)`. Points and error are as of `Calibration`.

    Raises RoofproofError for a share above 1.
    """

    kind: str
    channel: str
    share: Fitted
    start: Fitted
    step: Fitted | None
    points: int
    error: Fraction
    fit: str
    source: str

    def __post_init__(self) -> None:
        if self.share.high > 1:
            said = "moving of <kind>: share = <share> is more than the figure itself; expected at most 1"
            raise RoofproofError(said, kind=quoted(self.kind), share=self.share)


def moving(kind: str, table: object, where: str) -> Moving:
    """Return the ceilings of a kind of operation that a table of a chip file describes.

    >>> found = moving("add", {
    ...     "channel": "hbm", "share": {"value": "0.87", "low": "0.86", "high": "0.88"}, "points": 27, "error": "0.04",
    ...     "start": {"value": "4 us", "low": "3.9 us", "high": "4.1 us"}, "fit": "example", "source": "example",
    ... }, "chip 'mine'")
    >>> found.share.value, found.step is None
    (Fraction(87, 100), True)

    Raises RoofproofError for a key that is unknown or missing, and for values that cannot be read.
    """
    where = f"{where}: moving of {quoted(kind)}: "
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,39}", kind):
        raise RoofproofError("<where>expected a name such as 'rms-norm'", where=where)
    kinds: dict[str, type | int] = dict.fromkeys(("channel", "error", "fit", "source"), str)
    kinds |= dict.fromkeys(("share", "start", "step"), dict) | {"points": 1}
    parts = checked(table, kinds, "part of ceilings", where)
    if missing := [key for key in kinds if key not in parts and key != "step"]:
        raise RoofproofError("<where>expected <missing>, too", where=where, missing=", ".join(missing))
    return Moving(
        kind,
        named(parts["channel"])[0],
        _fitted(parts["share"], "", f"{where}share: "),
        _fitted(parts["start"], "s", f"{where}start: "),
        _fitted(parts["step"], "s", f"{where}step: ") if "step" in parts else None,
        parts["points"],
        _share(parts["error"], f"{where}error: "),
        parts["fit"],
        parts["source"],
    )


def calibration(engine: str, table: object, where: str) -> Calibration:
    """Return the calibrated ceilings that a table of a chip file describes; `where` begins every message.

    >>> shares = {"value": "0.73", "low": "0.71", "high": "0.75"}
    >>> found = calibration("fp16", {
    ...     "level": "hbm", "compute": shares, "memory": shares, "corner": "root", "points": 1116, "error": "0.061",
    ...     "start": {"value": "5.3 us", "low": "5.1 us", "high": "5.5 us"}, "fit": "example", "source": "example",
    ... }, "chip 'mine'")
    >>> found.engine, found.start.value
    ('fp16', Fraction(53, 10000000))

    Raises RoofproofError for a key that is unknown or missing, and for values that cannot be read.
    """
    where = f"{where}: calibration of {quoted(engine)}: "
    kinds: dict[str, type | int] = dict.fromkeys(("level", "corner", "error", "fit", "source"), str)
    kinds |= dict.fromkeys(("compute", "memory", "start"), dict) | {"points": 1}
    parts = checked(table, kinds, "part of a calibration", where)
    if missing := [key for key in kinds if key not in parts]:
        raise RoofproofError("<where>expected <missing>, too", where=where, missing=", ".join(missing))
    return Calibration(
        named(engine)[0],
        named(parts["level"])[0],
        _fitted(parts["compute"], "", f"{where}compute: "),
        _fitted(parts["memory"], "", f"{where}memory: "),
        _fitted(parts["start"], "s", f"{where}start: "),
        parts["corner"],
        parts["points"],
        _share(parts["error"], f"{where}error: "),
        parts["fit"],
        parts["source"],
    )


def _fitted(table: Mapping[str, Any], unit: str, where: str) -> Fitted:
    parts = checked(table, dict.fromkeys(("value", "low", "high"), str), "part of a fitted value", where)
    if len(parts) != 3:
        raise RoofproofError("<where>expected value, low and high", where=where)
    read = [parse_quantity(parts[k], unit) if unit else _share(parts[k], where) for k in ("value", "low", "high")]
    return Fitted(*read)


def _share(text: str, where: str) -> Fraction:
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,20})?(e-?[0-9]{1,2})?", text):
        raise RoofproofError("<where>expected a decimal such as '0.73', got <text>", where=where, text=quoted(text))
    return Fraction(text)


def as_record(found: Calibration | Moving) -> dict[str, object]:
    """Return calibrated ceilings as JSON has them: exact decimals as text."""
    record: dict[str, object]
    if isinstance(found, Moving):
        fitted = {"share": found.share, "start_s": found.start} | ({"step_s": found.step} if found.step else {})
        record = {"kind": found.kind, "channel": found.channel}
    else:
        fitted = {"compute": found.compute, "memory": found.memory, "start_s": found.start}
        record = {"engine": found.engine, "level": found.level, "corner": found.corner}
    for name, each in fitted.items():
        record[name] = {key: decimal(getattr(each, key)) for key in ("value", "low", "high")}
    return record | {"points": found.points, "error": decimal(found.error), "fit": found.fit, "source": found.source}


def written(found: Calibration | Moving) -> str:
    """Return the lines of a chip file that hold calibrated ceilings; read back they give the same.

    >>> import tomllib
    >>> one = Fitted(Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
    >>> start = Fitted(*[Fraction(1, 10**6)] * 3)
    >>> made = Calibration("fp16", "hbm", one, one, start, "root", 9, Fraction(1, 8), "a fit", "a table")
    >>> calibration("fp16", tomllib.loads(written(made))["calibration"]["fp16"], "") == made
    True
    >>> norm = Moving("rms-norm", "hbm", one, start, None, 9, Fraction(1, 8), "a fit", "a table")
    >>> moving("rms-norm", tomllib.loads(written(norm))["moving"]["rms-norm"], "") == norm
    True
    """
    from json import dumps  # a basic string of TOML is one of JSON

    def three(each: Fitted, unit: str = "") -> str:
        low, value, high = (f'"{decimal(v)}{unit}"' for v in (each.low, each.value, each.high))
        return f"{{ value = {value}, low = {low}, high = {high} }}"

    if isinstance(found, Moving):
        head = f"[moving.{found.kind}]"
        rows = {"channel": dumps(found.channel), "share": three(found.share), "start": three(found.start, " s")}
        rows |= {"step": three(found.step, " s")} if found.step else {}
    else:
        head = f"[calibration.{found.engine}]"
        rows = {
            "level": dumps(found.level), "compute": three(found.compute), "memory": three(found.memory),
            "start": three(found.start, " s"), "corner": dumps(found.corner),
        }  # fmt: skip
    rows |= {
        "points": str(found.points), "error": f'"{decimal(found.error)}"', "fit": dumps(found.fit),
        "source": dumps(found.source),
    }  # fmt: skip
    return "\n".join([head, *(f"{key} = {value}" for key, value in rows.items())]) + "\n"
