"""Fitted rates: the fractions of a chip's specs that its programs reach, found from measured times."""

from __future__ import annotations

import re
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
"""The ways to combine a compute time and a memory time."""

_FITTED: Final = {"compute": "", "memory": "", "start": "s"}  # the constants of a fit, and the unit of each
_ENDS: Final = ("value", "low", "high")


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted value, and the interval in which it lies if parts of the table are left out.

    >>> print(Fitted(Fraction(73, 100), Fraction(71, 100), Fraction(3, 4)))
    0.73 (0.71 to 0.75)

    Raises RoofproofError for an interval that does not contain the value.
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
    """The rates that programs reach on a compute unit and a memory level, from which a time is estimated.

    With FLOPs F, bytes Q, peak P and bandwidth W the estimate is `start + corner(F/(e P), Q/(d W))`. Here e is
    `compute`, d is `memory`, and the corner is max, sum or the root of the sum of squares. `points` is the number of
    measured times in the fit. `error` is its median error on times that it was not fitted to.

    Raises RoofproofError for fractions above 1 and for an unknown corner.
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
                said = "calibration of <engine>: <what> = <share> is more than the spec itself; expected at most 1"
                raise RoofproofError(said, engine=quoted(self.engine), what=what, share=share)


def calibration(engine: str, table: object, where: str) -> Calibration:
    """Return the fitted rates that a table of a chip file describes, with `where` at the start of every message.

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
    kinds |= dict.fromkeys(_FITTED, dict) | {"points": 1}
    parts: dict[str, Any] = dict(checked(table, kinds, "part of a calibration", where))
    if missing := [key for key in kinds if key not in parts]:
        raise RoofproofError("<where>expected <missing>, too", where=where, missing=", ".join(missing))
    parts |= {key: _fitted(parts[key], unit, f"{where}{key}: ") for key, unit in _FITTED.items()}
    parts |= {"level": named(parts["level"])[0], "error": _share(parts["error"], f"{where}error: ")}
    return Calibration(engine=named(engine)[0], **parts)


def _fitted(table: object, unit: str, where: str) -> Fitted:
    parts: dict[str, Any] = checked(table, dict.fromkeys(_ENDS, str), "part of a fitted value", where)
    if len(parts) != len(_ENDS):
        raise RoofproofError("<where>expected value, low and high", where=where)
    return Fitted(*(parse_quantity(parts[k], unit) if unit else _share(parts[k], where) for k in _ENDS))


def _share(text: str, where: str) -> Fraction:
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,20})?(e-?[0-9]{1,2})?", text):
        raise RoofproofError("<where>expected a decimal such as '0.73', got <text>", where=where, text=quoted(text))
    return Fraction(text)


def as_record(found: Calibration) -> dict[str, object]:
    """Return fitted rates as a JSON record, with exact decimals as text."""
    record: dict[str, object] = {"engine": found.engine, "level": found.level, "corner": found.corner}
    for name, unit in _FITTED.items():
        fitted = getattr(found, name)
        record[f"{name}_s" if unit else name] = {key: decimal(getattr(fitted, key)) for key in _ENDS}
    return record | {"points": found.points, "error": decimal(found.error), "fit": found.fit, "source": found.source}


def calibration_toml(found: Calibration) -> str:
    """Return the lines of a chip file for fitted rates, from which `calibration` reads the same rates.

    >>> import tomllib
    >>> one = Fitted(Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
    >>> start = Fitted(*[Fraction(1, 10**6)] * 3)
    >>> made = Calibration("fp16", "hbm", one, one, start, "root", 9, Fraction(1, 8), "a fit", "a table")
    >>> calibration("fp16", tomllib.loads(calibration_toml(made))["calibration"]["fp16"], "") == made
    True
    """
    from json import dumps  # JSON strings are valid basic strings in TOML

    rows = {"level": dumps(found.level)}
    for name, unit in _FITTED.items():
        ends = {key: f"{decimal(getattr(getattr(found, name), key))} {unit}".strip() for key in _ENDS}
        rows[name] = "{ " + ", ".join(f'{key} = "{text}"' for key, text in ends.items()) + " }"
    rows |= {"corner": dumps(found.corner), "points": str(found.points), "error": f'"{decimal(found.error)}"'}
    rows |= {"fit": dumps(found.fit), "source": dumps(found.source)}
    return "\n".join([f"[calibration.{found.engine}]", *(f"{key} = {value}" for key, value in rows.items())]) + "\n"
