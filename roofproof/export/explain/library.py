"""The library's operations and language models: lists to browse, and the full description of one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from shlex import quote
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.intensities import reduced
from roofproof.errors import unknown
from roofproof.export.doc import Convention, Doc, Inline, Line, Say, Section, Table, say
from roofproof.ops import entries, model, model_names, parse_operation
from roofproof.ops.library import OTHER_NAMES
from roofproof.ops.roles import role_of, usual_sizes
from roofproof.say import table, without_tex
from roofproof.sentences import Resource

if TYPE_CHECKING:
    from roofproof.ops import Entry, Operation
    from roofproof.ops.models.configuration import Model

START = "h100-sxm"  # the chip of example commands, which has a peak for nearly every format
WIDEST = 42  # characters of a formula in a list (the description of one operation shows all of it)


def explain_library(part: str = "") -> Doc:
    """Return the operations whose name, family or words contain `part`, by family, or a single match in full.

    The search covers words in English and in Chinese.

    >>> from roofproof.export.to_text import spaced_text
    >>> print(spaced_text(explain_library("triad")))                      # 2 FLOPs for 3 times 8 bytes
    stream-triad: STREAM triad
      about       STREAM triad, a = b + q c: 2 FLOPs for 24 bytes.
      sizes       N = elements, such as 1048576
      reads       b:fp64[N]
                  c:fp64[N]
      writes      a:fp64[N]
      FLOPs       2*N    fp64-vector
      convention  an addition and a multiplication are one FLOP each; no write-allocate traffic
      memory      24*N    bytes
      intensity   1/12    FLOP/B over memory
      arguments   x, compute; such as stream-triad:x=fp8
      start with  roofproof time stream-triad --chip h100-sxm --at N=1048576
      family      Elementwise
      source      McCalpin, STREAM: Sustainable Memory Bandwidth (1995), counting rules

    Models are found in the same way, and so is an operation with arguments, written as for `derive`. Raises
    RoofproofError, with near matches, if nothing matches.
    """
    text = part.strip().lower()
    if ":" in text and (entry := entry_of(text)) is not None:
        return _operation_doc(entry, part.strip())
    found, models = _matches(text), [name for name in model_names() if text in name]
    if text in entries() or (len(found) == 1 and not models):
        return _operation_doc(entries()[text] if text in entries() else found[0])
    if text in models or (len(models) == 1 and not found):
        return _model_doc(models[0] if text not in models else text)
    if not found and not models:
        raise unknown("operation", part, (*entries(), *model_names()))
    sections = [_family(name, list(group)) for name, group in groupby(found, key=lambda e: e.heading)]
    return Doc((), (*sections, *([_models(models)] if models else [])))


def _matches(text: str) -> list[Entry]:
    """Return the entries whose name or family contains the text, or else those with the most of its words."""
    every = list(entries().values())
    bare = text.replace(" ", "").replace("-", "").replace("_", "")
    if text in OTHER_NAMES:
        return [entries()[OTHER_NAMES[text]]]
    if named := [e for e in every if bare in e.name.replace("-", "") or text in e.heading.lower()]:
        return named
    counts = {e.name: sum(word in _words_of(e) for word in text.split()) for e in every}
    most = max(counts.values(), default=0)
    return [e for e in every if most and counts[e.name] == most]


def _words_of(entry: Entry) -> str:
    """Return the texts about an operation in both languages, in lower case."""
    chinese = (table()[part].get(entry.name, "") for part in ("operations", "what"))
    return " ".join((entry.name, entry.about, entry.note, *entry.words.values(), *chinese)).lower()


def _family(name: str, group: list[Entry]) -> Section:
    rows = tuple((f"{entry.name:<24}", f"{_short(_flops(entry())):<{WIDEST}}", about(entry)) for entry in group)
    return Section(say(name), (Table((), rows, "lll"),))


def _flops(op: Operation) -> str:
    """Return the FLOPs of an operation, each with its compute unit if there are several."""
    if len(op.units) < 2:
        return plain(op.flops)
    return ", ".join(f"{plain(op.compute[unit])} {unit}" for unit in op.units)


def _short(formula: str) -> str:
    return formula if len(formula) <= WIDEST else formula[: WIDEST - 3].rstrip() + "..."


def _models(names: list[str]) -> Section:
    takers = ", ".join(e.name for e in entries().values() if "model" in e.arguments)
    counts = (say("<count> parameters", count=model(name).published["parameters"]) for name in names)
    rows = ((f"{name:<24}", f"{model(name).title:<{WIDEST}}", n) for name, n in zip(names, counts, strict=True))
    return Section(say("models, for <operations>", operations=takers), (Table((), tuple(rows), "lll"),))


def _labelled(title: Inline, rows: Iterator[tuple[Inline, Inline]]) -> Doc:
    """Return labelled lines under a title, with a repeated label printed only once."""
    lines: list[Line] = []
    before: Inline = None
    for label, told in rows:
        lines.append(Line(told, subject="" if label == before else label))
        before = label
    return Doc((), (Section(title, tuple(lines), labels=True),))


def about(entry: Entry) -> Say:
    """Return the short description of an operation, with its Chinese from the entry or from the table."""
    chinese = entry.words.get("zh") or table()["operations"].get(entry.name) or ""
    return Say("<about>", {"about": entry.about}, chinese)


def entry_of(text: str) -> Entry | None:
    """Return the entry that a text names, possibly with arguments (all-reduce:link=dcn), or None."""
    return entries().get(text.partition(":")[0].strip().lower())


def _operation_doc(entry: Entry, text: str = "") -> Doc:
    """Return the full description of an operation, with the arguments that the text gives."""
    text = text or entry.name
    op = entry() if text == entry.name else parse_operation(text)
    return _labelled(say("<name>: <about>", name=text, about=about(entry)), _operation_lines(entry, op, text))


def _operation_lines(entry: Entry, op: Operation, text: str) -> Iterator[tuple[Inline, Inline]]:
    yield say("about"), _about(entry)
    for name, usual in usual_sizes(op).items():
        form = "<name> = <role>, such as <usual>"
        yield say("sizes"), say(form, name=name, role=role_of(op, name), usual=str(usual))
    for way, some in (("reads", op.reads), ("writes", op.writes)):
        for t in some:
            times = () if t.times == 1 else ("    ", say("<count> times", count=t.times))
            yield say(way), (str(t), times)
    for name, amount in op.compute.items() or [("", sympy.Integer(0))]:
        yield say("FLOPs"), (amount, f"    {name}")
    if op.convention:
        yield say("convention"), Convention(op.convention)
    if op.exact.compute != op.compute:
        yield say("exactly"), (_flops(op.exact), "    ", say("every product and addition counted"))
    moved = {name: amount for name, amount in op.demands.items() if name not in op.compute}
    for name, amount in moved.items():
        yield Resource(name), (amount, "    ", say("bytes"))
    for unit in op.units:
        form = "FLOP/B of <unit> over <channel>" if len(op.units) > 1 else "FLOP/B over <channel>"
        for name, amount in moved.items():
            said = say(form, channel=Resource(name), **({"unit": unit} if len(op.units) > 1 else {}))
            yield say("intensity"), (reduced(op.compute[unit] / amount), "    ", said)
    for place, amount in op.footprint.items():
        yield say("on chip"), (amount, "    ", say("bytes of <what>", what=place))
    for condition in op.conditions:
        yield say("assuming"), condition
    if op.parts:
        yield say("parts"), ", ".join(p.name for p in op.parts)
    yield say("arguments"), _arguments(entry)
    yield say("start with"), _command(quote(text), op)
    yield say("family"), say(entry.heading)
    yield say("source"), entry.source
    if near := [e.name for e in entries().values() if entry.name in e.name and e is not entry]:
        yield say("see also"), ", ".join(near)


def _about(entry: Entry) -> Inline:
    """Return the longer description of an operation, in English and Chinese."""
    chinese = without_tex(table()["what"].get(entry.name, "")) or entry.note
    return Say("<about>", {"about": entry.note, "chinese": chinese}, "<chinese>")


def _arguments(entry: Entry) -> Inline:
    """Return the names of the arguments, and an example."""
    if not entry.arguments:
        return say("none")
    listed = ", ".join(entry.arguments)
    if not entry.formats:
        return listed
    return say("<listed>; such as <text>", listed=listed, text=f"{entry.name}:{entry.formats[0]}=fp8")


def _command(name: str, op: Operation) -> str:
    """Return an example command at usual sizes: `derive`, or `time` if there is no size to solve for or no FLOPs."""
    usual = usual_sizes(op)
    grows = [each for each in usual if role_of(op, each).grows]
    if len(usual) < 2 or not grows or not op.units:
        at = f" --at {','.join(f'{each}={size}' for each, size in usual.items())}" if usual else ""
        return f"roofproof time {name} --chip {START}{at}"
    rest = ",".join(f"{each}={size}" for each, size in usual.items() if each != grows[0])
    return f"roofproof derive {name} --chip {START} --for {grows[0]} --at {rest}"


def _model_doc(name: str) -> Doc:
    found = model(name)
    return _labelled(f"{name}: {found.title}", _model_lines(name, found))


def _model_lines(name: str, found: Model) -> Iterator[tuple[Inline, Inline]]:
    from roofproof.ops.library.language_model import active_parameters, parameters

    heads, latent, network = found.attention, found.attention.latent, found.part("network")
    kind = say("latent attention") if latent else _sharing(int(heads.heads), int(heads.groups))
    yield say("layers"), say("<count>, <width> wide", count=found.layers, width=found.d)
    yield say("attention"), say("<count> heads of <size>, <kind>", count=heads.heads, size=heads.key, kind=kind)
    if latent:
        form = "<cache> + <rope> numbers a token and layer"
        yield say("cached"), say(form, cache=latent.cache, rope=latent.rope)
    if network is not None:
        gated = say("gated") if "w_gate" in network.products else say("plain")
        yield say("network"), say("<kind>, <width> wide", kind=gated, width=network.products["w_up"][1])
    if (part := found.part("experts")) is not None and (few := part.experts) is not None:
        _, shared = part.products.get("w_up_shared", (0, 0))
        form = "<chosen> of <count>, <width> wide"
        told = [say(form, chosen=few.chosen, count=few.count, width=few.hidden)]
        told += [say(", and <count> for all", count=shared / few.hidden)] if shared else []
        told += [say("; the first <count> layers have none", count=network.count)] if network is not None else []
        yield say("experts"), tuple(told)
    tied = say(", the head is the embedding table") if found.tied else ()
    yield say("vocabulary"), (str(found.vocabulary), tied)
    form = "<count>    summed over its tensors; published <published>"
    yield say("parameters"), say(form, count=parameters(found), published=found.published["parameters"])
    if part is not None and few is not None:
        active = active_parameters(found, embedding=bool(found.published.get("active_embedding", True)))
        form = "<count>    for each token; published <published>"
        yield say("active"), say(form, count=active, published=found.published.get("active", say("nowhere")))
    yield say("operations"), ", ".join(f"{e.name}:{name}" for e in entries().values() if "model" in e.arguments)
    yield say("source"), found.source
    yield say("source"), found.published["source"]


def _sharing(heads: int, groups: int) -> Inline:
    if groups == heads:
        return say("keys and values of their own")
    return say("one head of keys and values") if groups == 1 else say("<count> of keys and values", count=groups)
