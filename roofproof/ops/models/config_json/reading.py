"""Conversion of a config.json to a Model, with an error for any key that may change the counts unnoticed."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Integer

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.json_text import from_json
from roofproof.ops.models.config_json.layers import keys_of, parts_of, parts_of_blocks, sizes_of, value_of
from roofproof.ops.models.configuration import Model
from roofproof.toml import read_bytes

MAX_BYTES = 4 * 1024**2
MAX_SIZE = 10**9
USUAL = (
    "num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size",
    "vocab_size", "tie_word_embeddings", "quantization_config",
)  # fmt: skip
WINDOWS = ("sliding_window", "use_sliding_window", "max_window_layers")  # ignored if no window is used
RESERVED = ("usual", "toml", "ignored", "only")  # tables that are not architectures
CACHED = ("kv_cache_scheme", "kv_cache_quant_algo", "kv_cache_quant_method", "kv_cache_dtype")
KEPT = ("modules_to_not_convert", "ignore", "ignored_layers", "llm_int8_skip_modules", "exclude_modules")
TEXT = ("text_config", "llm_config", "language_config", "thinker_config")  # the language model in a multimodal one
OF_ALL = ("tie_word_embeddings", "quantization_config")  # top-level keys that also apply to the language model


def from_config(path: str) -> Model:
    """Return the model that a config.json describes, by its `model_type`.

    >>> llama = from_config("examples/models/llama-3.1-8b.json")
    >>> llama.layers, llama.attention.heads / llama.attention.groups
    (32, 4)

    Raises a one-line RoofproofError for an invalid file, an unknown architecture, a missing key, and a key that may
    change the counts. Source of the keys: the configuration classes of Hugging Face transformers 4.57.
    """
    return config_from_text(read_bytes(path, MAX_BYTES, "model configuration "), path)


def config_from_text(content: bytes, path: str) -> Model:
    """Return the model that the content of a config.json describes. Errors name `path`.

    >>> config_from_text(b"{}", "x.json")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'x.json': model_type is missing; known: llama, mistral, mixtral, qwen2, qwen3, ...
    """
    file = quoted(path, 200)
    given = _language_model(_json(content, file), file)
    kind = _architecture(file, given)
    rules = rules_of(kind)
    given = {**rules.get("default", {}), **given}
    for key, other in rules.get("same", {}).items():
        if value_of(given, other) is None and given.get(key) is not None:
            given[other] = given[key]
    return _Config(file, given, kind).model(_name(path))


@cache
def architectures() -> dict[str, dict[str, Any]]:
    """Return the tables of architectures.toml, by `model_type`.

    >>> architectures()["mixtral"]["sizes"]["E"]
    'num_local_experts'
    """
    with open(os.path.join(os.path.dirname(__file__), "architectures.toml"), "rb") as file:
        return tomllib.load(file)


@cache
def rules_of(kind: str) -> dict[str, Any]:
    """Return the table of an architecture, including the entries of the architecture that it is `like`."""
    own = dict(architectures()[kind])
    if "like" not in own:
        return own
    other = rules_of(own.pop("like"))
    sizes = {**other.get("sizes", {}), **own.get("sizes", {})}
    changed = own.get("parts", {})
    parts = {name: {**part, **changed.get(name, {})} for name, part in other.get("parts", {}).items()}
    return {**other, **own, "sizes": sizes, "parts": {**changed, **parts}}


def _name(path: str) -> str:
    stem = os.path.basename(path)[:-5]
    return stem if stem != "config" else os.path.basename(os.path.dirname(os.path.abspath(path))) or stem


def _json(content: bytes, file: str) -> dict[str, Any]:
    if len(content) > MAX_BYTES:
        raise RoofproofError(f"{file}: larger than {MAX_BYTES // 1024**2} MiB, so it is not the config.json of a model")
    table = from_json(content, file)
    if not isinstance(table, dict):
        raise RoofproofError(f"{file}: expected the table of a config.json, with model_type")
    return table


def _language_model(given: dict[str, Any], file: str) -> dict[str, Any]:
    """Return the language model of a configuration: one of its tables, or the configuration itself."""
    parts = [key for key in TEXT if isinstance(given.get(key), dict) and given[key]]
    if not parts:
        return given
    if len(parts) > 1:
        raise RoofproofError(f"{file}: {' and '.join(parts)}: which is the language model? leave out the other")
    own: dict[str, Any] = given[parts[0]]
    if isinstance(whole := given.get("model_type"), str):
        own = {"model_type": f"{whole}_text"} | own
    return _language_model({key: given[key] for key in OF_ALL if key in given} | own, file)


def _keys(given: Mapping[str, Any], tables: Set[str]) -> Iterator[str]:
    """Yield the keys of a configuration, and in place of each of some tables its keys, as `a.b`."""
    for key, value in given.items():
        yield from ([key] if key not in tables else [f"{key}.{k}" for k in value] if isinstance(value, dict) else [])


def _architecture(file: str, given: Mapping[str, Any]) -> str:
    known = [name for name in architectures() if name not in RESERVED]
    kind = given.get("model_type")
    if not isinstance(kind, str):
        raise RoofproofError(f"{file}: model_type is missing; known: {', '.join(known[:5])}, ...")
    if kind not in known:
        cure = f"trace the module that transformers may have for it, {os.path.basename(file[1:-1])}:module, or write "
        cure += "it as a model file in TOML, whose keys docs/formats.md has"
        raise RoofproofError(f"{file}: {unknown('architecture', kind, known)} Else {cure}")
    return kind


@dataclass
class _Config:
    file: str
    given: Mapping[str, Any]
    kind: str

    @property
    def rules(self) -> dict[str, Any]:
        return rules_of(self.kind)

    def model(self, name: str) -> Model:
        self._check_keys()
        rules, layers = self.rules, {} if self._absent("num_hidden_layers") else {"N": "num_hidden_layers"}
        sizes = sizes_of(self.file, layers | rules["sizes"], self.given, self._size)
        if "blocks" in rules:
            parts = parts_of_blocks(self.file, rules["blocks"], self.given, sizes)
        else:
            parts = parts_of(self.file, rules["parts"], self.given, sizes)
        if all(part.attention is None for part in parts):
            raise RoofproofError(f"{self.file}: no layer attends to keys; the counts of {self.kind} hold where some do")
        return Model(
            name=name,
            title=name,
            source=f"its config.json, {self.kind}",
            layers=sizes.get("N", Integer(1)),
            d=sizes["d"],
            vocabulary=Integer(self._size("vocab_size")),
            tied=self._truth("tie_word_embeddings", rules["tied"]),
            parts=parts,
            stored=self._stored(),
            unquantized=self._unquantized(),
            cache_stored=self._cache_stored(),
        )

    def _check_keys(self) -> None:
        rules = self.rules
        read = {*USUAL, *architectures()["only"], *keys_of(rules)}
        read |= {key for table in ("expected", "same", "default", "all", "null") for key in rules.get(table, ())}
        read |= {*WINDOWS} if self.given.get("use_sliding_window") is False else set()
        read |= {*rules.get("more", ()), *([rules["blocks"]] if "blocks" in rules else [])}
        tables = {key.partition(".")[0] for key in read if "." in key} - read
        for key in _keys(self.given, tables):
            if key not in read and not key.startswith("_") and key not in architectures()["ignored"]["keys"]:
                cure = f"if it changes no size in {self.kind}, leave it out of the file"
                raise RoofproofError(f"{self.file}: key {quoted(key)} may change what is counted; {cure}")
        for key, value in {**architectures()["only"], **rules.get("expected", {})}.items():
            came = value_of(self.given, key)
            if came != value and (came is not None or key in self.given):
                came = quoted(came)
                raise RoofproofError(
                    f"{self.file}: {key} is {came}; the counts of {self.kind} hold for {value!r} alone"
                )
        for key, value in rules.get("all", {}).items():
            entries = self.given.get(key, [])
            if not isinstance(entries, list) or any(entry != value for entry in entries):
                raise RoofproofError(f"{self.file}: {key}: the counts of {self.kind} hold where all are {value!r}")
        for key in rules.get("null", ()):
            if not self._absent(key):
                raise RoofproofError(f"{self.file}: {key}: the counts of {self.kind} hold without it")
        for key, other in rules.get("same", {}).items():
            if value_of(self.given, key) not in (None, value_of(self.given, other)):
                raise RoofproofError(f"{self.file}: {key} and {other} differ; they are one size")
        for key in rules.get("needed", ()):
            if key not in self.given:
                raise RoofproofError(f"{self.file}: {key} is missing; write null if the model has none")

    def _absent(self, key: str) -> bool:
        return self.given.get(key) is None

    def _size(self, key: str, least: int = 1) -> int:
        value = value_of(self.given, key)
        if value is None:
            raise RoofproofError(f"{self.file}: {key} is missing, which {self.kind} needs as a whole number")
        if type(value) is not int or not least <= value <= MAX_SIZE:
            raise RoofproofError(f"{self.file}: {key} must be a whole number from {least}; got {quoted(value)}")
        return value

    def _truth(self, key: str, default: bool) -> bool:
        value = self.given.get(key, default)
        if not isinstance(value, bool):
            raise RoofproofError(f"{self.file}: {key} must be true or false; got {quoted(value)}")
        return value

    def _stored(self) -> str:
        """Return the quantization method of the weights, or an empty string."""
        stored = self.given.get("quantization_config")
        if stored is None:
            return ""
        method = stored.get("quant_method") if isinstance(stored, dict) else None
        return method if isinstance(method, str) else "quantization_config"

    def _cache_stored(self) -> str:
        """Return the key for the format of keys and values, or an empty string if it is that of activations."""
        stored = self.given.get("quantization_config")
        ways = [stored.get(key) for key in CACHED] if isinstance(stored, dict) else []
        return next((key for key, way in zip(CACHED, ways, strict=False) if way is not None), "")

    def _unquantized(self) -> str:
        """Return the parts that are not quantized in a quantized model, as named in the file."""
        stored = self.given.get("quantization_config")
        lists = (stored.get(key) for key in KEPT) if isinstance(stored, dict) else ()
        return ", ".join(str(part) for parts in lists for part in (parts if isinstance(parts, list) else []))
