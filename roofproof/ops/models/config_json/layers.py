"""The parts of the layers, from the sizes in a config.json and the formulas in `[KIND.parts]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from sympy import Expr, Integer

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.to_sympy import parse_expression
from roofproof.ops.models.parts import LIMITS, ZERO, Attention, Latent, LayerPart, Routed

SINKS = ("window_length", "num_sink_tokens", "unshifted_sink", "use_prefill_window_in_sink_attention")
FURTHER = "num_nextn_predict_layers"
MOST = 10**6  # limit for a number in a block
FORMULA = "="  # prefix of a formula in place of a key
MUST = -1  # in place of a default: the key is required, but may be 0
Size = Callable[[str, int], int]  # returns the size for a key of the file, given its least value


def value_of(given: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key in a configuration, or None if it is missing. `a.b` is the key b in the table a.

    >>> value_of({"attention": {"window": 512}}, "attention.window")
    512
    """
    for name in key.split("."):
        given = given.get(name) if isinstance(given, Mapping) else None  # type: ignore[assignment]
    return given


def sizes_of(file: str, rules: Mapping[str, Any], given: Mapping[str, Any], size: Size) -> dict[str, Expr]:
    """Return the sizes by their names in the formulas, each from a key of the file, a number or a formula."""
    found: dict[str, Expr] = {}
    formulas: dict[str, tuple[str, list[str]]] = {}
    for name, written in rules.items():
        ways = written if isinstance(written, list) else [written]
        keys = [way for way in ways if _is_key(way)]
        default = None if len(keys) == len(ways) else ways[-1]
        key = next((k for k in keys if value_of(given, k) is not None), None)
        if key is None and isinstance(default, str):
            formulas[name] = default.removeprefix(FORMULA).strip(), keys
        elif key is None and isinstance(default, Mapping):
            found[name] = _truth(file, default, given)
        elif key is None and default not in (None, MUST):
            found[name] = Integer(default) if isinstance(default, int) else default
        elif default is not None and isinstance(truth := value_of(given, key or keys[0]), bool):
            found[name] = Integer(truth)
        else:
            found[name] = Integer(size(key or keys[0], 1 if default is None else 0))
    for name, (formula, keys) in formulas.items():
        found[name] = parse_expression(formula, found)
        if found[name].is_integer is False:
            cure = f"{formula} is {found[name]}, which is not a whole number"
            raise RoofproofError(f"{file}: {' or '.join(keys)} is missing, and {cure}")
    return found


def _is_key(way: object) -> bool:
    return isinstance(way, str) and not way.startswith(FORMULA)


def _truth(file: str, way: Mapping[str, Any], given: Mapping[str, Any]) -> Expr:
    """Return 1 if a key has a certain value, else 0."""
    [(key, entry)] = way.items()
    value = value_of(given, key)
    if isinstance(entry, bool) and key in given and not isinstance(value, bool):
        raise RoofproofError(f"{file}: {key} must be true or false; got {quoted(value)}")
    return Integer(value == entry)


def keys_of(rules: Mapping[str, Any]) -> set[str]:
    """Return the keys that the sizes and parts of an architecture are read from."""
    sizes = [way for ways in rules.get("sizes", {}).values() for way in (ways if isinstance(ways, list) else [ways])]
    named = rules.get("parts", {})
    ways = [way for part in named.values() for way in part["count"] if isinstance(way, Mapping)]
    ways += [way for way in sizes if isinstance(way, Mapping)]
    return {*filter(_is_key, sizes)} | {key for way in ways for key in way} | {*_lengths(named)}


def parts_of(
    file: str, rules: Mapping[str, Any], given: Mapping[str, Any], sizes: Mapping[str, Expr]
) -> tuple[LayerPart, ...]:
    """Return the parts of a model, with numbers of layers from lists in the file or from a formula."""
    listed = _listed(file, rules, given)
    if _is_number(sizes.get("N")):  # lists may include the layers that predict further tokens
        n, more = int(sizes["N"]), value_of(given, FURTHER)
        last = n + more if type(more) is int else n
        listed = {key: entries[:n] if n < len(entries) == last else entries for key, entries in listed.items()}
    layers = {len(entries) for entries in listed.values()} | (
        {int(sizes["N"])} if _is_number(sizes.get("N")) else set()
    )
    if len(layers) > 1:
        said = f"each layer has one entry, but there are {' and '.join(map(str, sorted(layers)))}"
        raise RoofproofError(f"{file}: {', '.join(listed)}: {said}")
    if layers:
        sizes = {"N": Integer(layers.pop()), **sizes}
    if "N" not in sizes:
        raise RoofproofError(f"{file}: num_hidden_layers is missing, as is a list of the layers")
    long = {key: len(entries) for key in _lengths(rules) if isinstance(entries := value_of(given, key), list)}
    for part in rules.values():
        keys = [key for way in part["count"] if not isinstance(way, str) for key in way]
        if len(keys) == len(part["count"]) and not {*keys} & {*listed, *long}:
            raise RoofproofError(f"{file}: {' or '.join(keys)} is missing, which says what each layer is")
    if long and not {*listed} and sum(long.values()) != sizes["N"]:
        said = f"{sum(long.values())} layers are listed of {sizes['N']}"
        raise RoofproofError(f"{file}: {' and '.join(long)}: {said}")
    made = (_part(name, part, sizes, listed, long) for name, part in rules.items())
    return tuple(part for part in made if part is not None)


def _is_number(size: Expr | None) -> bool:
    return size is not None and bool(size.is_Integer)


def _listed(file: str, rules: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the lists of layers in a file. Raises RoofproofError for an unknown entry."""
    known: dict[str, list[Any]] = {}
    for part in rules.values():
        for way in part["count"]:
            for key, entry in way.items() if isinstance(way, Mapping) else ():
                known.setdefault(key, []).extend(entry if isinstance(entry, list) else [entry])
    found = {key: list(value) for key in known if isinstance(value := value_of(given, key), list | str) and value}
    for key, entries in found.items():
        for entry in entries:
            if entry not in known[key] or isinstance(entry, bool):
                due = " or ".join(dict.fromkeys(map(str, known[key])))
                raise RoofproofError(f"{file}: {key} has an entry {quoted(entry)}; expected {due}")
    return found


def parts_of_blocks(file: str, key: str, given: Mapping[str, Any], sizes: Mapping[str, Expr]) -> tuple[LayerPart, ...]:
    """Return the parts of layers that each have their own table: the heads per group, or the multiple of the width.

    The width of a network is 2/3 of `ffn_mult` times hidden_size, rounded down to an integer and then up to a multiple
    of 256, as in the module that is published with such a file.
    """
    blocks, found = given.get(key), dict[tuple[str, Fraction], int]()
    if not isinstance(blocks, list) or len(blocks) != sizes.get("N"):
        raise RoofproofError(
            f"{file}: {key} must be a list of {sizes.get('N', 'num_hidden_layers')} tables, one a layer"
        )
    for block in blocks:
        for name, size in (("attention", "n_heads_in_group"), ("ffn", "ffn_mult")):
            half = block.get(name) if isinstance(block, dict) else None
            if not isinstance(half, dict) or any(half.get(k) for k in ("replace_with_linear", "sparsify", *SINKS)):
                raise RoofproofError(f"{file}: {key}: {name} must be a table without sinks, windows or linear layers")
            if half.get("no_op"):
                continue
            if type(half.get(size)) not in (int, float) or not 0 < half[size] < MOST:  # float: as JSON has it
                raise RoofproofError(f"{file}: {key}: {name}: {size} must be a number; got {quoted(half.get(size))}")
            kind = (name, Fraction(half[size]))  # exact: a float is a fraction of a power of two
            found[kind] = found.get(kind, 0) + 1
    d, h = sizes["d"], sizes["h"]
    return tuple(_half(name, number, Integer(count), d, h) for (name, number), count in found.items())


def _half(name: str, number: Fraction, count: Expr, d: Expr, h: Expr) -> LayerPart:
    if name == "ffn":
        width = Integer(-(-int(2 * number * int(d) / 3) // 256) * 256)
        products = {"w_gate": (d, width), "w_up": (d, width), "w_down": (width, d)}
        return LayerPart(f"network_of_{width}", count, products, {"w_norm": d})
    groups, k = h / Integer(int(number)), d / h
    products = {"w_q": (d, h * k), "w_k": (d, groups * k), "w_v": (d, groups * k), "w_o": (h * k, d)}
    return LayerPart(f"attention_of_{groups}", count, products, {"w_norm": d}, Attention(h, groups, k, k))


def _lengths(rules: Mapping[str, Any]) -> list[str]:
    """Return the keys of the lists of a part's layers, whose length is the number of these layers."""
    ways = [way for part in rules.values() for way in part["count"] if isinstance(way, list)]
    return [key for [key] in ways]


def _part(
    name: str,
    rule: Mapping[str, Any],
    sizes: Mapping[str, Expr],
    listed: Mapping[str, list[Any]],
    long: Mapping[str, int],
) -> LayerPart | None:
    def formula(text: str) -> Expr:
        return parse_expression(text, sizes)

    count = _count(rule["count"], listed, long, formula)
    if count == 0:
        return None
    products = {f"w_{n}": tuple(map(formula, text.split(","))) for n, text in rule.get("products", {}).items()}
    vectors = {f"w_{n}": formula(text) for n, text in rule.get("vectors", {}).items()}
    return LayerPart(
        name=name,
        count=count,
        products={n: (shape[0], shape[1]) for n, shape in products.items() if 0 not in shape},
        vectors={n: size for n, size in vectors.items() if size != 0},
        attention=_attention(rule["attention"], formula) if "attention" in rule else None,
        experts=_routed(rule["experts"], formula) if "experts" in rule else None,
        **{n: formula(rule[n]) for n in ("state", "trail", "steps", "recurrence") if n in rule},
        adds=rule.get("adds", True),
    )


def _count(
    ways: list[Any], listed: Mapping[str, list[Any]], long: Mapping[str, int], formula: Callable[[str], Expr]
) -> Expr:
    for way in ways:
        if isinstance(way, str):
            return formula(way)
        if isinstance(way, list):
            if way[0] in long:
                return Integer(long[way[0]])
            continue
        [(key, entry)] = way.items()
        if key in listed:
            return Integer(sum(e in (entry if isinstance(entry, list) else [entry]) for e in listed[key]))
    return ZERO


def _attention(rule: Mapping[str, str], formula: Callable[[str], Expr]) -> Attention:
    sizes = ("heads", "key", "value", "index_heads", "index_width", "rate", "near")
    own = {name: formula(rule[name]) for name in sizes if name in rule}
    way = next((name for name in LIMITS if name in rule), "")
    latent = {name: formula(rule[name]) for name in ("query", "cache", "rope") if name in rule}
    latent = latent if latent.get("cache", ZERO) != 0 else {}
    own = {"value": own["key"], **own}
    return Attention(
        groups=formula(rule["groups"]) if "groups" in rule else own["heads"],
        way=way,
        limit=formula(rule[way]) if way else ZERO,
        latent=Latent(**latent, value=own["value"]) if latent else None,
        shared="value" not in rule,
        **own,
    )


def _routed(rule: Mapping[str, str], formula: Callable[[str], Expr]) -> Routed:
    names = ("count", "chosen", "width", "hidden", "matrices", "bias")
    return Routed(**{name: formula(rule[name]) for name in names if name in rule})
