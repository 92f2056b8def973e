"""What a language model is made of, read from TOML and checked."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from sympy import Expr, Integer

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.symbols import dimension

_DATA = os.path.dirname(__file__)


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
        if self.norm not in ("rms", "layer"):
            raise RoofproofError(f"model {quoted(self.name)}: norm is 'rms' or 'layer', not {quoted(self.norm)}")
        if (self.heads / self.kv_heads).is_integer is False:
            raise RoofproofError(
                f"model {quoted(self.name)}: {self.kv_heads} kv_heads do not divide {self.heads} heads"
            )
        if self.experts is not None and (self.experts.count - self.experts.chosen).is_negative:
            raise RoofproofError(
                f"model {quoted(self.name)}: {self.experts.chosen} experts are chosen of {self.experts.count}"
            )
        if self.experts is not None and (self.layers - self.experts.dense_layers).is_positive is False:
            raise RoofproofError(
                f"model {quoted(self.name)}: {self.experts.dense_layers} of {self.layers} layers are dense, "
                f"so none has experts"
            )


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
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError:
        raise RoofproofError(f"model file {quoted(path)} cannot be read; known models: see `roofproof ops`") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise RoofproofError(f"model file {quoted(path)} is no TOML: {problem}") from None
    parts = {"experts": Experts, "latent": Latent}
    given: dict[str, Any] = _checked(f"model {quoted(name)}", table, Model, set(parts) | {"published"}, {"name"})
    for part, kind in parts.items():
        if part in table:
            where = f"model {quoted(name)}, [{part}]"
            if not isinstance(table[part], dict):
                raise RoofproofError(f"{where}: a table is due, not {quoted(table[part])}")
            given[part] = kind(**_checked(where, table[part], kind, set(), set()))
    published = table.get("published", {})
    if not isinstance(published, dict):
        raise RoofproofError(f"model {quoted(name)}, [published]: a table is due, not {quoted(published)}")
    return Model(name=name, **given, published=published)


def _checked(where: str, table: Mapping[str, Any], kind: type, tables: set[str], own: set[str]) -> dict[str, Any]:
    """Return the plain entries of a table, each of the type its field has."""
    known = {f.name: f for f in fields(kind) if f.name not in own}
    given: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise unknown(f"key of {where}", key, known)
        wanted = str(known[key].type)
        if key in tables:
            continue
        if wanted == "bool":
            if not isinstance(value, bool):
                raise RoofproofError(f"{where}: {key} is true or false, not {quoted(value)}")
            given[key] = value
        elif wanted == "str":
            if not isinstance(value, str):
                raise RoofproofError(f"{where}: {key} is a text, not {quoted(value)}")
            given[key] = value
        else:
            least = 0 if key in ("shared", "dense_layers") else 1
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise RoofproofError(f"{where}: {key} is a whole number from {least}, not {quoted(value)}")
            given[key] = Integer(value)
    due = [n for n, f in known.items() if n not in table and str(f.type) in ("Expr", "bool", "str") and _required(f)]
    if due:
        raise RoofproofError(f"{where}: {due[0]} is missing")
    return given


def _required(entry: Any) -> bool:
    from dataclasses import MISSING

    return entry.default is MISSING and entry.default_factory is MISSING
