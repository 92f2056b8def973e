"""The operations and the language models of the library as lists one can browse."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.intensities import reduced
from roofproof.errors import unknown
from roofproof.ops import entries, model, model_names

if TYPE_CHECKING:
    from roofproof.ops import Entry, Operation

WIDEST = 42  # characters of a formula in a list; the whole of it is shown for one operation


def browse_operations(part: str = "") -> str:
    """Return the operations whose name, family or description contains `part`, by family; a single one in full.

    >>> print(browse_operations("triad"))                      # 2 FLOPs for 3 times 8 bytes
    stream-triad: STREAM triad
      elementwise: STREAM triad, a = b + q c: 2 FLOPs for 24 bytes.
    <BLANKLINE>
      FLOPs       2*N    fp64-vector
      convention  an addition and a multiplication are one FLOP each; no write-allocate traffic
      memory      24*N    bytes
      intensity   1/12    FLOP/B over memory
      tensors     read  b:fp64[N]
                  read  c:fp64[N]
                  write a:fp64[N]
      arguments   x, compute
      source      McCalpin, STREAM: Sustainable Memory Bandwidth (1995), counting rules

    Models are found in the same way. Raises RoofproofError when nothing matches, with near matches.
    """
    text = part.strip().lower()
    found, models = _matches(text), [name for name in model_names() if text in name]
    if text in entries() or (len(found) == 1 and not models):
        return _one(entries()[text] if text in entries() else found[0])
    if text in models or (len(models) == 1 and not found):
        return _one_model(models[0] if text not in models else text)
    if not found and not models:
        raise unknown("operation", part, (*entries(), *model_names()))
    sections = [_family(name, list(group)) for name, group in groupby(found, key=lambda e: e.family)]
    if models:
        sections.append(_models(models))
    return "\n\n".join(sections)


def _matches(text: str) -> list[Entry]:
    """Entries whose name or family contains the text; without any, those whose description does."""
    every = list(entries().values())
    named = [e for e in every if text in e.name or text in e.family.replace("_", " ")]
    return named or [e for e in every if text in e.about.lower()]


def _family(name: str, group: list[Entry]) -> str:
    rows = [(entry.name, _short(_flops(entry())), entry.about) for entry in group]
    return "\n".join([name.replace("_", " "), *_aligned(rows)])


def _flops(op: Operation) -> str:
    """Return the FLOPs of an operation, each with its compute unit if there are several."""
    if len(op.units) < 2:
        return plain(op.flops)
    return ", ".join(f"{plain(op.compute[unit])} {unit}" for unit in op.units)


def _models(names: list[str]) -> str:
    rows = [(name, model(name).title, f"{model(name).published['parameters']} parameters") for name in names]
    takers = ", ".join(e.name for e in entries().values() if "model" in e.arguments)
    return "\n".join([f"models, for {takers}", *_aligned(rows)])


def _aligned(rows: list[tuple[str, str, str]]) -> list[str]:
    first, second = (max(24 if i == 0 else WIDEST, *(len(row[i]) for row in rows)) for i in (0, 1))
    return [f"  {a:<{first}}  {b:<{second}}  {c}" for a, b, c in rows]


def _short(formula: str) -> str:
    return formula if len(formula) <= WIDEST else formula[: WIDEST - 3].rstrip() + "..."


def _one(entry: Entry) -> str:
    op = entry()
    rows = [("FLOPs", f"{plain(amount)}    {name}") for name, amount in op.compute.items()] or [("FLOPs", "0")]
    if op.convention:
        rows.append(("convention", op.convention))
    if op.exact.compute != op.compute:
        rows.append(("exactly", f"{_flops(op.exact)}    every product and addition counted"))
    rows += [(name, f"{plain(amount)}    bytes") for name, amount in op.demands.items() if name not in op.compute]
    rows += [("intensity", text) for text in _intensities(op)]
    rows += [("tensors", f"read  {t}{_times(t.times)}") for t in op.reads]
    rows += [("tensors", f"write {t}{_times(t.times)}") for t in op.writes]
    rows += [("on chip", f"{plain(amount)}    bytes of {place}") for place, amount in op.footprint.items()]
    rows += [("assumes", plain(condition)) for condition in op.conditions]
    if op.parts:
        rows.append(("parts", ", ".join(p.name for p in op.parts)))
    rows += [("arguments", ", ".join(entry.arguments) or "none"), ("source", entry.source)]
    near = [e.name for e in entries().values() if entry.name in e.name and e is not entry]
    if near:
        rows.append(("see also", ", ".join(near)))
    head = f"{entry.name}: {entry.about}\n  {entry.family.replace('_', ' ')}: {entry.note}\n"
    return "\n".join([head, *_labelled(rows)])


def _intensities(op: Operation) -> Iterable[str]:
    for unit in op.units:
        of = f" of {unit}" if len(op.units) > 1 else ""
        for channel, amount in op.demands.items():
            if channel not in op.compute:
                yield f"{plain(reduced(op.compute[unit] / amount))}    FLOP/B{of} over {channel}"


def _times(times: object) -> str:
    return "" if times == 1 else f"    times {times}"


def _labelled(rows: Iterable[tuple[str, str]]) -> list[str]:
    lines, before = [], ""
    for label, text in rows:
        lines.append(f"  {'' if label == before else label:<10}  {text}")
        before = label
    return lines


def _one_model(name: str) -> str:
    from roofproof.ops.library.language_model import active_parameters, parameters

    found = model(name)
    heads, latent, network = found.attention, found.attention.latent, found.part("network")
    kind = "latent attention" if latent else _sharing(int(heads.heads), int(heads.groups))
    rows = [
        ("layers", f"{found.layers}, {found.d} wide"),
        ("attention", f"{heads.heads} heads of {heads.key}, {kind}"),
        ("vocabulary", f"{found.vocabulary}{', the head is the embedding table' if found.tied else ''}"),
        ("parameters", f"{parameters(found)}    summed over its tensors; published {found.published['parameters']}"),
    ]
    if network is not None:
        gated = "gated" if "w_gate" in network.products else "plain"
        rows.insert(2, ("network", f"{gated}, {network.products['w_up'][1]} wide"))
    if latent:
        rows.insert(2, ("cached", f"{latent.cache} + {latent.rope} numbers a token and layer"))
    if (part := found.part("experts")) is not None and (few := part.experts) is not None:
        _, shared = part.products.get("w_up_shared", (0, 0))
        each = f"{few.chosen} of {few.count}, {few.hidden} wide" + (
            f", and {shared / few.hidden} for all" if shared else ""
        )
        dense = f"; the first {network.count} layers have none" if network is not None else ""
        rows.insert(-2, ("experts", each + dense))
        active = active_parameters(found, embedding=bool(found.published.get("active_embedding", True)))
        rows.append(("active", f"{active}    for each token; published {found.published.get('active', 'nowhere')}"))
    takers = [f"{e.name}:{name}" for e in entries().values() if "model" in e.arguments]
    rows += [("operations", ", ".join(takers)), ("source", found.source), ("source", found.published["source"])]
    return "\n".join([f"{name}: {found.title}", *_labelled(rows)])


def _sharing(heads: int, groups: int) -> str:
    if groups == heads:
        return "keys and values of their own"
    return "one head of keys and values" if groups == 1 else f"{groups} of keys and values"
