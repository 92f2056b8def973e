"""What a language model is made of, read from TOML and checked."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any

from sympy import Expr, Integer

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.symbols import dimension
from roofproof.toml import checked, read_bytes, read_toml

_DATA = os.path.dirname(__file__)
MAX_BYTES = 64 * 1024
_KINDS = {"bool": bool, "str": str, "Mapping[str, Any]": dict, "Experts | None": object, "Latent | None": object}


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts: `chosen` of `count` for each token, each of width `hidden`, and `shared` ones for all.

    >>> mixture = model("mixtral-8x7b").experts
    >>> mixture.chosen, mixture.count
    (2, 8)
    """

    count: Expr
    chosen: Expr
    hidden: Expr
    shared: Expr = Integer(0)  # noqa: RUF009  (a SymPy integer never changes)
    dense_layers: Expr = Integer(0)  # noqa: RUF009
    bias: bool = False


@dataclass(frozen=True, slots=True)
class Latent:
    """Latent attention: what is cached of a token is `cache` numbers for all heads, and `rope` with its position.

    >>> latent = model("deepseek-v3").latent
    >>> latent.cache + latent.rope
    576
    """

    query: Expr
    cache: Expr
    rope: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Model:
    """The sizes of a language model, each a number, or a dimension where none is given.

    >>> llama = model("llama-2-70b")
    >>> llama.heads / llama.kv_heads                           # heads that share keys and values
    8
    """

    name: str
    title: str
    source: str
    layers: Expr
    d: Expr
    heads: Expr
    kv_heads: Expr
    head: Expr
    hidden: Expr
    gated: bool
    norm: str
    vocabulary: Expr
    tied: bool
    bias: bool = False
    positions: Expr | None = None
    experts: Experts | None = None
    latent: Latent | None = None
    published: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where, few = f"model {quoted(self.name)}", self.experts
        if self.norm not in ("rms", "layer"):
            raise RoofproofError(f"{where}: norm is 'rms' or 'layer', not {quoted(self.norm)}")
        if (self.heads / self.kv_heads).is_integer is False:
            raise RoofproofError(f"{where}: {self.kv_heads} kv_heads do not divide {self.heads} heads")
        if few is not None and (few.count - few.chosen).is_negative:
            raise RoofproofError(f"{where}: {few.chosen} experts are chosen of {few.count}")
        if few is not None and (self.layers - few.dense_layers).is_positive is False:
            dense = f"{few.dense_layers} of {self.layers} layers are dense"
            raise RoofproofError(f"{where}: {dense}, so none has experts")


def model(name: str = "standard") -> Model:
    """Return a model by name, from a user's TOML file, or the standard one with symbols for sizes.

    >>> model("llama-2-7b").layers, model("standard").hidden   # GELU, F = 4 d, as many kv heads as heads
    (32, 4*d)

    Raises RoofproofError for an unknown name, with near matches, and for a file that does not fit the format.
    """
    text = name.strip()
    if text == "standard":
        return _standard()
    if text.endswith(".toml"):
        return _read(os.path.basename(text)[:-5], text)
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
    given = _given(f"model {quoted(name)}", table, Model, {"name"})
    for part, kind in (("experts", Experts), ("latent", Latent)):
        if part in table:
            given[part] = kind(**_given(f"model {quoted(name)}, [{part}]", table[part], kind))
    return Model(name=name, **given)


def _given(where: str, table: object, kind: type, own: Collection[str] = ()) -> dict[str, Any]:
    """Return the entries of a table, each of the kind its field has: sizes as SymPy integers."""
    known = {f.name: f for f in fields(kind) if f.name not in own}
    kinds = {n: _KINDS.get(str(f.type), int(n not in ("shared", "dense_layers"))) for n, f in known.items()}
    given = checked(table, kinds, "key", f"{where}: ")
    if due := [n for n, f in known.items() if n not in given and f.default is f.default_factory is MISSING]:
        raise RoofproofError(f"{where}: {due[0]} is missing")
    return {key: Integer(value) if type(kinds[key]) is int else value for key, value in given.items()}
