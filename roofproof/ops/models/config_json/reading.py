"""A config.json as a Model: each key is known to change sizes or not to, and any other is refused."""

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
from roofproof.ops.models.configuration import Experts, Latent, Model
from roofproof.toml import read_bytes

MAX_BYTES = 4 * 1024**2
MAX_SIZE = 10**9
QUERY = "q_lora_rank"
LATENT = {"query": QUERY, "cache": "kv_lora_rank", "rope": "qk_rope_head_dim", "value": "v_head_dim"}
WINDOWS = ("sliding_window", "use_sliding_window", "max_window_layers", "sliding_window_pattern", "layer_types")
CACHED = ("kv_cache_scheme", "kv_cache_quant_algo", "kv_cache_quant_method", "kv_cache_dtype")
KEPT = ("modules_to_not_convert", "ignore", "ignored_layers", "llm_int8_skip_modules", "exclude_modules")
TEXT = ("text_config", "llm_config", "language_config", "thinker_config")  # of one that sees or hears, too
OF_ALL = ("tie_word_embeddings", "quantization_config")  # keys of the whole that hold for its language model
NESTED = ("sizes", "parts")  # tables of an architecture, of which another one like it may have its own entries
KINDS = ("sliding_attention", "full_attention")  # of layers, in layer_types


def from_config(path: str) -> Model:
    """Return the model that a config.json describes, by its `model_type`.

    >>> llama = from_config("examples/models/llama-3.1-8b.json")
    >>> llama.layers, llama.heads / llama.kv_heads
    (32, 4)

    Raises RoofproofError in one line for a file that is no such thing, an architecture that is not known, a key that
    is missing, and a key that is not known to change nothing. Source of the keys: the configuration classes of Hugging
    Face transformers 4.57.
    """
    return config_from_text(read_bytes(path, MAX_BYTES, "model configuration "), path)


def config_from_text(content: bytes, path: str) -> Model:
    """Return the model that the content of a config.json describes; `path` names it in every message.

    >>> config_from_text(b"{}", "x.json")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'x.json': model_type is missing; known: llama, mistral, mixtral, qwen2, qwen3, ...
    """
    file = quoted(path, 200)
    given = _language_model(_json(content, file), file)
    kind = _architecture(file, given)
    rules = architectures()[kind]
    given = {**rules.get("default", {}), **given}
    for key, other in rules.get("same", {}).items():
        if value_of(given, other) is None and given.get(key) is not None:
            given[other] = given[key]
    return _Config(file, given, kind).model(_name(path))


@cache
def architectures() -> dict[str, dict[str, Any]]:
    """Return the tables of architectures.toml, by `model_type`.

    >>> architectures()["mixtral"]["experts"]["count"]
    'num_local_experts'
    """
    with open(os.path.join(os.path.dirname(__file__), "architectures.toml"), "rb") as file:
        return tomllib.load(file)


def _name(path: str) -> str:
    stem = os.path.basename(path)[:-5]
    return stem if stem != "config" else os.path.basename(os.path.dirname(os.path.abspath(path))) or stem


def _json(content: bytes, file: str) -> dict[str, Any]:
    if len(content) > MAX_BYTES:
        raise RoofproofError(f"{file}: larger than {MAX_BYTES // 1024**2} MiB, so it is no config.json of a model")
    table = from_json(content, file)
    if not isinstance(table, dict):
        raise RoofproofError(f"{file}: expected the table of a config.json, with model_type")
    return table


def _language_model(given: dict[str, Any], file: str) -> dict[str, Any]:
    """Return the part of a configuration that is the language model: all of it, where there is no other."""
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
    """Yield the keys of a configuration; of those tables of it that sizes are read from, `a.b`."""
    for key, value in given.items():
        yield from ([key] if key not in tables else [f"{key}.{k}" for k in value] if isinstance(value, dict) else [])


def _architecture(file: str, given: Mapping[str, Any]) -> str:
    known = [name for name in architectures() if name not in ("usual", "ignored", "only")]
    kind = given.get("model_type")
    if not isinstance(kind, str):
        raise RoofproofError(f"{file}: model_type is missing; known: {', '.join(known[:5])}, ...")
    if kind not in known:
        cure = f"trace the module that transformers may have for it, {os.path.basename(file[1:-1])}:module, or write "
        cure += "it as a model file in TOML, whose keys docs/models.md has"
        raise RoofproofError(f"{file}: {unknown('architecture', kind, known)} Else {cure}")
    return kind


@dataclass
class _Config:
    file: str
    given: Mapping[str, Any]
    kind: str

    @property
    def rules(self) -> dict[str, Any]:
        own = dict(architectures()[self.kind])
        while "like" in own:
            other = architectures()[own.pop("like")]
            both = {name: {**other[name], **own.get(name, {})} for name in NESTED if name in other}
            own = {**other, **own, **both}
        return own

    def model(self, name: str) -> Model:
        self._check_keys()
        if "sizes" in self.rules:
            return self._of_parts(name)
        split, shared = self.rules.get("head") == "split", self.rules.get("kv_heads") == "heads"
        usual = dict(architectures()["usual"])
        latent = bool(self.rules.get("latent"))
        head = usual.pop("head")
        kv_heads = usual.pop("kv_heads")
        size = {field: self._size(key) for field, key in usual.items()}
        if latent:
            size["head"], size["kv_heads"] = self._size("qk_nope_head_dim"), size["heads"]
        else:
            size["kv_heads"] = size["heads"] if shared and self._absent(kv_heads) else self._size(kv_heads)
            size["head"] = self._split(size) if split and self._absent(head) else self._size(head)
        window, windowed = self._windows(size["layers"])
        return Model(
            name=name,
            title=name,
            source=f"its config.json, {self.kind}",
            gated=True,
            norm="rms",
            tied=self._truth("tie_word_embeddings", self.rules["tied"]),
            experts=self._experts() if "experts" in self.rules else None,
            latent=self._latent() if latent else None,
            window=Integer(window) if windowed else None,
            windowed=Integer(windowed),
            vectors=self._vectors(),
            stored=self._stored(),
            unquantized=self._unquantized(),
            cache_stored=self._cache_stored(),
            **{field: Integer(value) for field, value in size.items()},
        )

    def _of_parts(self, name: str) -> Model:
        """Return a model whose layers are of several kinds, by formulas of its sizes."""
        layers = {} if self._absent("num_hidden_layers") else {"N": "num_hidden_layers"}
        sizes = sizes_of(self.rules["sizes"] | layers, self.given, self._size)
        blocks = self.rules.get("blocks")
        if blocks is not None:
            parts = parts_of_blocks(self.file, blocks, self.given, sizes)
        else:
            parts = parts_of(self.file, self.rules["parts"], self.given, sizes)
        heads = next((part.attention for part in parts if part.attention is not None), None)
        if heads is None:
            raise RoofproofError(f"{self.file}: no layer attends to keys; the counts of {self.kind} hold where some do")
        return Model(
            name=name,
            title=name,
            source=f"its config.json, {self.kind}",
            layers=sizes.get("N", Integer(1)),
            d=sizes["d"],
            heads=heads.heads,
            kv_heads=heads.groups,
            head=heads.key,
            hidden=sizes["d"],
            gated=True,
            norm="rms",
            vocabulary=Integer(self._size("vocab_size")),
            tied=self._truth("tie_word_embeddings", self.rules["tied"]),
            stored=self._stored(),
            unquantized=self._unquantized(),
            cache_stored=self._cache_stored(),
            parts=parts,
        )

    def _check_keys(self) -> None:
        rules = self.rules
        read = {*architectures()["usual"].values(), *rules.get("experts", {}).values(), *rules.get("when", ())}
        read |= {
            *rules.get("expected", ()),
            *architectures()["only"],
            *rules.get("same", ()),
            "tie_word_embeddings",
            "quantization_config",
        }
        read |= {*WINDOWS} if "window" in rules else set()
        read |= {*WINDOWS[:3]} if self.given.get("use_sliding_window") is False else set()
        read |= {*LATENT.values(), "qk_nope_head_dim", "qk_head_dim"} if rules.get("latent") else set()
        read |= {rules[key] for key in ("dense",) if key in rules} | {*rules.get("default", ())}
        read |= {"topk_method"} if rules.get("latent") else set()
        read |= keys_of(rules) | {*rules.get("all", ()), *rules.get("null", ())}
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
                raise RoofproofError(f"{self.file}: {key} is missing; write null where there is none")

    def _absent(self, key: str) -> bool:
        return self.given.get(key) is None

    def _size(self, key: str, least: int = 1) -> int:
        value = value_of(self.given, key)
        if value is None:
            raise RoofproofError(f"{self.file}: {key} is missing, which {self.kind} needs as a whole number")
        if type(value) is not int or not least <= value <= MAX_SIZE:
            raise RoofproofError(f"{self.file}: {key} must be a whole number from {least}; got {quoted(value)}")
        return value

    def _split(self, size: Mapping[str, int]) -> int:
        head, rest = divmod(size["d"], size["heads"])
        if rest:
            said = f"head_dim is missing, and {size['heads']} heads do not divide hidden_size {size['d']}"
            raise RoofproofError(f"{self.file}: {said}")
        return head

    def _truth(self, key: str, default: bool) -> bool:
        value = self.given.get(key, default)
        if not isinstance(value, bool):
            raise RoofproofError(f"{self.file}: {key} must be true or false; got {quoted(value)}")
        return value

    def _vectors(self) -> dict[str, str]:
        found = dict(self.rules.get("vectors", {}))
        for key, more in self.rules.get("when", {}).items():
            found |= more if self._truth(key, False) else {}
        return found

    def _experts(self) -> Experts:
        keys = dict(self.rules["experts"])
        shared_hidden = keys.pop("shared_hidden", None)
        size = {field: Integer(self._size(key, least=int(field != "shared"))) for field, key in keys.items()}
        if shared_hidden is not None:
            size["shared"] = Integer(self._size(shared_hidden)) / size["hidden"]
            if not size["shared"].is_integer:
                raise RoofproofError(f"{self.file}: {shared_hidden} is no multiple of {keys['hidden']}")
        if "dense" in self.rules:
            size["dense_layers"] = Integer(self._size(self.rules["dense"], least=0))
        bias = "router_bias" in self.rules and self.given.get("topk_method") == self.rules["router_bias"]
        biased = bool(self.rules.get("biased"))
        return Experts(bias=bias or biased or bool(self.rules.get("bias")), biased=biased, **size)

    def _latent(self) -> Latent:
        """The widths of latent attention; queries without a latent space of their own have null for theirs."""
        size = {name: Integer(self._size(key)) for name, key in LATENT.items() if name != "query"}
        plain = QUERY in self.given and self._absent(QUERY)
        return Latent(query=Integer(0 if plain else self._size(QUERY)), **size)

    def _stored(self) -> str:
        """The way in which the weights are quantized, where they are."""
        stored = self.given.get("quantization_config")
        if stored is None:
            return ""
        method = stored.get("quant_method") if isinstance(stored, dict) else None
        return method if isinstance(method, str) else "quantization_config"

    def _cache_stored(self) -> str:
        """The way in which keys and values are stored, where it is another than that of activations."""
        stored = self.given.get("quantization_config")
        ways = [stored.get(key) for key in CACHED] if isinstance(stored, dict) else []
        return next((key for key, way in zip(CACHED, ways, strict=False) if way is not None), "")

    def _unquantized(self) -> str:
        """The parts that are not quantized where the others are, as the file names them."""
        stored = self.given.get("quantization_config")
        lists = (stored.get(key) for key in KEPT) if isinstance(stored, dict) else ()
        return ", ".join(str(part) for parts in lists for part in (parts if isinstance(parts, list) else []))

    def _windows(self, layers: int) -> tuple[int, int]:
        """Return the window and how many layers have it."""
        way = self.rules.get("window")
        if way is None or self._absent("sliding_window"):
            return 0, 0
        if way == "beyond" and not self._truth("use_sliding_window", True):
            return 0, 0
        window = self._size("sliding_window")
        kinds = self.given.get("layer_types")
        if kinds is not None:
            if not isinstance(kinds, list) or len(kinds) != layers or not all(kind in KINDS for kind in kinds):
                due = f"a list of {layers}, one a layer, of {' or '.join(KINDS)}"
                raise RoofproofError(f"{self.file}: layer_types must be {due}")
            return window, kinds.count(KINDS[0])
        if way == "listed":
            raise RoofproofError(f"{self.file}: layer_types is missing, which says the layers that have the window")
        if way == "pattern":
            return window, layers - layers // self._size("sliding_window_pattern")
        if way == "beyond":
            return window, max(0, layers - self._size("max_window_layers", least=0))
        return window, layers if way == "every" else (layers + 1) // 2
