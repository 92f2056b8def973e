"""The fields of an answer in JSON that are compared, as a flat dict without wording."""

from __future__ import annotations

import re

UNIT = r"(?: ?(?:[kMGTP]?i?B(?:/s)?|[kMGTP]?FLOP(?:/s|/B)?|[mun]?s|%)(?![\w/]))?"
NUMBER = re.compile(r"never|always|[<>]=?|(?<![\w.])\d[\d,]*\.?\d*(?:e[+-]?\d+)?" + UNIT)


def numbers(line: str) -> list[str]:
    """Return the numbers of a line with their units, its relations, and `never` or `always`."""
    return NUMBER.findall(line)


def regime(text: object) -> str:
    """Return a regime with the sizes of each part in order."""
    return " >> ".join(", ".join(sorted(p.strip() for p in part.split(","))) for part in str(text).split(">>"))


PROSE = {
    "says",
    "source",
    "title",
    "note",
    "warning",
    "why",
    "fit",
    "statement",
    "form",
    "trust",
    "follows_by",
    "reason",
    "mend",
}


def leaves(name: str, found: object) -> dict:
    """Return the numbers and formulas below a field, by path, without prose."""
    if isinstance(found, dict):
        parts = [(key, v) for key, v in found.items() if key not in PROSE]
    elif isinstance(found, list):
        parts = list(enumerate(found))
    else:
        return {} if found is None else {name: found}
    return {k: v for key, part in parts for k, v in leaves(f"{name}: {key}", part).items()}


def kept(found: object) -> dict:
    """Return the compared fields of an answer in JSON, flat: name -> value."""
    fields: dict = {}
    if isinstance(found, list):
        for k, row in enumerate(found):
            fields |= {f"{k} {name}": v for name, v in kept(row).items()}
    if not isinstance(found, dict):
        return fields
    if isinstance(found.get("claims"), list):
        for c in found["claims"]:
            for key in ("verdict", "trust", "slip", "as_expected"):
                fields[f"{c['id']} {key}"] = c.get(key)
            fields[f"{c['id']} has a condition"] = c.get("condition") is not None
            fields[f"{c['id']} has a counterexample"] = c.get("counterexample") is not None
            fields[f"{c['id']} condition"], fields[f"{c['id']} error bound"] = c.get("condition"), c.get("error_bound")
            fields[f"{c['id']} exact"] = c.get("exact")
        return fields
    if "theirs" in found and "ours" in found and "grade" not in found:
        return {k: found.get(k) for k in ("verdict", "trust", "ours", "theirs", "ratio", "mend")}
    if "grade" in found:
        return {k: found.get(k) for k in ("grade", "slip", "trust", "right")}
    for key in (
        "flops",
        "bytes",
        "intensity",
        "ridge",
        "exact_flops",
        "floor_s",
        "form",
        "binds",
        "compulsory",
        "equal",
        "ratio",
        "points",
        "below_floor",
        "median_error",
    ):
        if key in found:
            fields[key] = found[key]
    for limit in found.get("limits") or []:
        name = f"limit {regime(limit.get('regime'))} of {limit.get('channel')}"
        fields |= {
            name: limit.get("value"),
            f"{name}: relative error": limit.get("relative_error"),
            f"{name}: trust": limit.get("trust"),
            f"{name}: rule": limit.get("rule"),
        }
    for name in ("ridges", "assuming"):
        if name in found:
            fields[name] = found[name]
    for tensor in found.get("tensors") or []:
        fields[f"tensor {tensor.get('name')}"] = tensor.get("bytes")
    for name in ("lower", "upper", "sequence", "floor"):
        if name in (found.get("time") or {}):
            fields[f"time: {name}"] = found["time"][name]
    for name, value in (found.get("engines") or {}).items():
        fields[f"engine {name}"] = value
    for name, value in ((found.get("time") or {}).get("resources") or {}).items():
        fields[f"time {name}"] = value
    if isinstance(found.get("threshold"), dict):
        t = found["threshold"]
        fields |= {
            "cases": t.get("cases"),
            "unknown": t.get("for"),
            "integer": t.get("integer_at_point"),
            "trust": t.get("trust"),
            "at point": t.get("at_point") and [t["at_point"]],
        }
        fields["unproved"] = sum(p.get("trust") != "kernel" for p in found.get("proved") or [])
    if "bounds" in found:
        fields["bounds"] = [b.get("bytes") for b in found["bounds"]]
        fields["tile"] = (found.get("tile") or {}).get("bytes")
    for row in found.get("atlas") or []:
        name = " ".join(str(row[k]) for k in ("op", "compute", "chip", "for") if row.get(k) is not None)
        fields |= {f"{name} {key}": row.get(key) for key in ("trust", "ridges", "kind_at_point")}
        fields[f"{name} integer"] = row.get("integer") or row.get("integer_at_point")
        fields[f"{name} condition"] = "; ".join(row.get("cases") or []) or None
        fields[f"{name} has a problem"] = "problem" in row
    for v in found.get("verdicts") or []:
        fields[f"verdict of {v.get('time_s')}"] = v.get("verdict")
    if "corner" in found and "start_s" in found:
        for name in ("engine", "level", "corner", "compute", "memory", "start_s", "points", "error"):
            fields |= leaves(f"fit {name}", found.get(name))
    if "display_read" in found:
        fields |= {name: found[name] for name in ("claims", "display", "display_read", "inline", "inline_read")}
        fields["unread at"] = [int(u["place"].rpartition(":")[2]) for u in found.get("unread", [])]
    if "error" in found:
        fields["error"] = True
    return fields


def further(found: object) -> dict:
    """Return the fields compared if a question has "all": other published specs, shares, energy, regions."""
    fields: dict = {}
    if isinstance(found, dict):
        for name in ("share", "energy", "regions"):
            fields |= leaves(name, found.get(name))
        for other in found.get("other_figures") or []:
            name = f"with {other['resource']} of {other.get('variant')}"
            fields[name] = {"integer": other.get("integer_at_point"), **(other.get("ridges") or {})}
        for none in found.get("no_schedule") or []:
            fields[f"no schedule of {none.get('level')}"] = none.get("products_from")
    return fields
