"""Models by name, from a user's TOML file or config.json, or with symbols for sizes."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from sympy import Expr, Integer

from roofproof.errors import RoofproofError, one_line, quoted, unknown
from roofproof.formula.to_sympy import parse_expression
from roofproof.ops.models.config_json import from_config
from roofproof.ops.models.config_json.layers import parts_of, sizes_of, value_of
from roofproof.ops.models.config_json.reading import rules_of
from roofproof.ops.models.configuration import Model
from roofproof.symbols import dimension
from roofproof.toml import checked, read_bytes, read_toml

_DATA = os.path.dirname(__file__)
MAX_BYTES = 64 * 1024
KEYS: Mapping[str, Any] = {  # 1 and 0: a whole number of at least 1 or 0
    "title": str, "source": str, "layers": 1, "d": 1, "heads": 1, "kv_heads": 1, "head": 1, "hidden": 1, "gated": bool,
    "norm": str, "vocabulary": 1, "tied": bool, "bias": bool, "positions": 1, "experts": object, "latent": object,
    "window": 1, "windowed": 0, "vectors": dict, "published": dict,
}  # fmt: skip
REQUIRED = tuple(KEYS)[:12]
EXPERTS: Mapping[str, Any] = {
    "count": 1, "chosen": 1, "hidden": 1, "shared": 0, "dense_layers": 0, "bias": bool, "biased": bool,
}  # fmt: skip
LATENT: Mapping[str, Any] = {"query": 1, "cache": 1, "rope": 1, "value": 1}
SIZES = {"d": "d", "e": "(h + 2*g)*k", "F": "F", "h": "h", "k": "k", "u": "h*k", "kv": "g*k"}  # further vectors


def model(name: str = "standard") -> Model:
    """Return a model by name, from a user's TOML file or config.json, or the standard one with symbols for sizes.

    >>> model("llama-2-7b").layers, model("standard").part("network").products["w_up"]      # F = 4 d
    (32, (d, 4*d))

    Raises RoofproofError for an unknown name, with near matches, and for an invalid file.
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
    rules = rules_of("usual")
    written = {"N": N, "d": d, "h": h, "g": h, "k": d / h, "F": 4 * d, "gated": 0}
    sizes = sizes_of("standard", rules["sizes"] | written, {}, lambda key, _: 0)
    return Model(
        name="standard",
        title="decoder with symbols for sizes: N layers, d wide, h heads, F = 4 d, V words",
        source="Vaswani et al., Attention Is All You Need (2017), section 3",
        layers=N, d=d, vocabulary=V, tied=False, parts=parts_of("standard", rules["parts"], {}, sizes),
    )  # fmt: skip


@cache
def _known(name: str) -> Model:
    return _read(name, os.path.join(_DATA, f"{name}.toml"))


def _read(name: str, path: str) -> Model:
    file, where = f"model file {quoted(path)}", f"model {quoted(name)}"
    content = read_bytes(path, MAX_BYTES, "model file ", "; see `roofproof show operations`")
    table = read_toml(content, file, MAX_BYTES, "expected one model a file")
    given = _checked_table(where, table, KEYS, REQUIRED)
    for part, keys, due in (("experts", EXPERTS, tuple(EXPERTS)[:3]), ("latent", LATENT, LATENT)):
        if part in table:
            given[part] = _checked_table(f"{where}, [{part}]", table[part], keys, due)
    rules = rules_of("toml")
    sizes = sizes_of(where, rules["sizes"], given, lambda key, _: int(value_of(given, key)))
    _check(where, sizes)
    parts = parts_of(where, rules["parts"], {}, sizes)
    further = {n: parse_expression(SIZES[size], sizes) for n, size in _vectors(where, given).items()}
    parts = tuple(replace(p, vectors={**p.vectors, **further}) if p.attention is not None else p for p in parts)
    return Model(
        name=name,
        parts=parts,
        vocabulary=Integer(given["vocabulary"]),
        layers=sizes["N"],
        d=sizes["d"],
        positions=Integer(given["positions"]) if "positions" in given else None,
        **{key: given[key] for key in ("title", "source", "tied", "norm", "published") if key in given},
    )


def _checked_table(where: str, table: object, kinds: Mapping[str, Any], due: Collection[str]) -> dict[str, Any]:
    given = checked(table, kinds, "key", f"{where}: ")
    if missing := [key for key in due if key not in given]:
        raise RoofproofError(f"{where}: {missing[0]} is missing")
    return {key: one_line(value) if type(value) is str else value for key, value in given.items()}


def _vectors(where: str, given: Mapping[str, Any]) -> dict[str, str]:
    for name, size in given.get("vectors", {}).items():
        if not name.startswith("w_") or size not in SIZES:
            raise RoofproofError(f"{where}: a vector is w_NAME = one of {', '.join(SIZES)}; got {quoted(name)}")
    return dict(given.get("vectors", {}))


def _check(where: str, sizes: Mapping[str, Expr]) -> None:
    """Raise RoofproofError for inconsistent numbers of layers."""
    N, E, D, W, Y = (sizes[name] for name in ("N", "E", "D", "W", "Y"))
    if E != 0 and D >= N:
        raise RoofproofError(f"{where}: {D} of {N} layers are dense, so none has experts")
    if (W == 0) != (Y == 0):
        raise RoofproofError(f"{where}: window and windowed, the layers that have it, go together")
    if Y != 0 and (D != 0 or sizes["c"] != 0):
        raise RoofproofError(f"{where}: a window goes with layers of one kind and without latent attention")
    if Y > N:
        raise RoofproofError(f"{where}: {Y} of {N} layers have a window")
