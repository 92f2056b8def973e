"""Models by name, from a user's TOML file or config.json, or with symbols for sizes."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

from sympy import Integer

from roofproof.errors import RoofproofError, one_line, quoted, unknown
from roofproof.ops.models.config_json import from_config
from roofproof.ops.models.configuration import Experts, Latent, Model
from roofproof.symbols import dimension
from roofproof.toml import checked, read_bytes, read_toml

_DATA = os.path.dirname(__file__)
MAX_BYTES = 64 * 1024
_KINDS = {"bool": bool, "str": str, "Experts | None": object, "Latent | None": object}
_KINDS |= {"Mapping[str, Any]": dict, "Mapping[str, str]": dict}


def model(name: str = "standard") -> Model:
    """Return a model by name, from a user's TOML file or config.json, or the standard one with symbols for sizes.

    >>> model("llama-2-7b").layers, model("standard").hidden   # GELU, F = 4 d, as many kv heads as heads
    (32, 4*d)

    Raises RoofproofError for an unknown name, with near matches, and for a file that does not fit the format.
    """
    text = name.strip()
    if text == "standard":
        return _standard()
    if text.endswith(".toml"):
        return _read(os.path.basename(text)[:-5], text)
    if text.endswith(".json"):
        return from_config(text)
    usual = text.lower().replace("_", "-").replace(" ", "-")
    if usual not in model_names():
        raise unknown("model", text, (*model_names(), "standard"))
    return _known(usual)


@cache
def model_names() -> tuple[str, ...]:
    """Return the names of the models that come with the package.

    >>> "gpt-3" in model_names()
    True
    """
    return tuple(sorted(file[:-5] for file in os.listdir(_DATA) if file.endswith(".toml")))


def _standard() -> Model:
    N, d, h, V = map(dimension, "NdhV")
    return Model(
        name="standard",
        title="decoder with symbols for sizes: N layers, d wide, h heads, F = 4 d, V words",
        source="Vaswani et al., Attention Is All You Need (2017), section 3",
        layers=N, d=d, heads=h, kv_heads=h, head=d / h, hidden=4 * d, gated=False, norm="rms", vocabulary=V, tied=False,
    )  # fmt: skip


@cache
def _known(name: str) -> Model:
    return _read(name, os.path.join(_DATA, f"{name}.toml"))


def _read(name: str, path: str) -> Model:
    file = f"model file {quoted(path)}"
    content = read_bytes(path, MAX_BYTES, "model file ", "; known models: see `roofproof ops`")
    table = read_toml(content, file, MAX_BYTES, "expected one model a file")
    given = _given(f"model {quoted(name)}", table, Model, {"name", "parts"})
    for part, kind in (("experts", Experts), ("latent", Latent)):
        if part in table:
            given[part] = kind(**_given(f"model {quoted(name)}, [{part}]", table[part], kind))
    return Model(name=name, **given)


def _given(where: str, table: object, kind: type, own: Collection[str] = ()) -> dict[str, Any]:
    """Return the entries of a table, each of the kind its field has: sizes as SymPy integers."""
    known = {f.name: f for f in fields(kind) if f.name not in own}
    kinds = {n: _KINDS.get(str(f.type), int(n not in ("shared", "dense_layers", "windowed"))) for n, f in known.items()}
    given = checked(table, kinds, "key", f"{where}: ")
    if due := [n for n, f in known.items() if n not in given and f.default is f.default_factory is MISSING]:
        raise RoofproofError(f"{where}: {due[0]} is missing")
    shown = {key: one_line(value) if type(value) is str else value for key, value in given.items()}
    return {key: Integer(value) if type(kinds[key]) is int else value for key, value in shown.items()}
