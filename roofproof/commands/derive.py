"""`roofproof derive`: derives and proves where an operation is compute-bound."""

from __future__ import annotations

import argparse

from roofproof.commands.shared import language, one_chip, share_asked, show, whole_option
from roofproof.errors import RoofproofError, TooManyCases, quoted, refuse_unknown, unknown
from roofproof.ops.notation.code import is_code
from roofproof.ops.notation.sizes import sizes_from
from roofproof.rooms import require_room
from roofproof.sentences import Sentence

PARTS = ("frames", "formula")  # parts of the LaTeX output

TYPE_CHECKING = False  # importing typing noticeably delays the start of a short command
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofproof.derive.roofline.share import Share
    from roofproof.export.outline import Outline
    from roofproof.hardware import Chip
    from roofproof.ops import Operation
    from roofproof.proofs import ProvedThreshold


ALONE = (
    "where", "multiple_of", "level", "full", "steps", "faster_than", "oracle", "smtlib", "certificate", "part",
    "shapes", "unrolled", "traffic", "links", "rows",
)  # fmt: skip
"""Options that are only valid for one operation on one chip."""
NOT_OF_FORM = {"list": ("regime", "latex", "markdown", "out"), "table": ("json", "coq", "workers", "all")}
"""Options that are not valid for a list or a table."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    chips = arguments.chip or []
    if not arguments.op and not arguments.all and arguments.listed != "list":
        said = Sentence("the following arguments are required: <names>", names="OP")
        raise RoofproofError("<message>; see `<command> --help`", message=said, command="roofproof derive")
    several = len(arguments.op) > 1 or len(chips) > 1 or chips == ["all"] or arguments.all
    unknowns = arguments.unknown or []
    if arguments.listed or several:
        arguments.chip = chips
        return _several(arguments, unknowns)
    for option in ("markdown", "workers"):
        if getattr(arguments, option):
            raise RoofproofError("<option> requires several operations or chips", option=f"--{option}")
    if len(unknowns) > 1:
        raise RoofproofError("<option> is given twice", option="--for")
    arguments.op, arguments.chip, arguments.unknown = (next(iter(e), None) for e in (arguments.op, chips, unknowns))
    return run_one(arguments)


def _several(arguments: argparse.Namespace, unknowns: list[str]) -> int:
    for name in ALONE:
        if getattr(arguments, name) not in (None, False):
            said = f"--{name.replace('_', '-')}"
            raise RoofproofError("<option> requires one operation on one chip", option=said)
    form = arguments.listed or ("list" if arguments.json or arguments.all or not unknowns else "table")
    for name in NOT_OF_FORM[form]:
        if getattr(arguments, name) not in (None, False):
            option = "-o" if name == "out" else f"--{name}"
            raise RoofproofError("--as <form> takes no <option>; leave it out", form=form, option=option)
    if form == "list":
        from roofproof.commands import atlas

        if arguments.chip == ["all"]:
            arguments.chip = []
        arguments.unknown = unknowns or None
        return atlas.run(arguments)
    from roofproof.commands import table

    if len(unknowns) != 1:
        raise RoofproofError("a table needs one --for: the size to solve for")
    [arguments.unknown] = unknowns
    return table.run(arguments)


def run_one(arguments: argparse.Namespace) -> int:
    """Derive one operation, built-in, written or traced."""
    if arguments.faster_than is not None:
        from roofproof.commands import faster

        return faster.run(arguments)
    from time import perf_counter

    start = perf_counter()
    from roofproof.derive.roofline.critical_size import checked_point
    from roofproof.ops.roles import split_off, with_roles

    arguments.op, roles = split_off(arguments.op)
    if arguments.part is not None:
        refuse_unknown("part", arguments.part, PARTS)
        if not arguments.latex or arguments.out is not None:
            raise RoofproofError("--part <part> requires --latex without -o", part=arguments.part)
    lang = language(arguments, text=True)
    if arguments.coq is not None and arguments.share is not None:
        raise RoofproofError("--coq writes where it is compute-bound; leave out --share")
    if arguments.coq is not None:
        require_room("roofproof.proofs.replay.coq")
    chip = one_chip(arguments)
    op = _operation(arguments, chip)
    if roles:
        op = with_roles(op, roles)
    if arguments.level is not None:
        from roofproof.hardware.resources import memory_level

        op = _over_level(op, memory_level(arguments.level), is_code(arguments.op))
    point: Mapping[str, int] = checked_point(op, sizes_from(arguments.at or ()), chip=chip)
    proved = None
    only_moves = not op.units and bool(op.demands)
    if arguments.unknown is not None and only_moves:
        if arguments.unknown not in (dims := [s.name for s in op.dims]):
            raise unknown("dimension", arguments.unknown, dims)
    elif arguments.unknown is not None:
        from roofproof.proofs.provers.critical_size import threshold_given

        multiple = whole_option("--multiple-of", arguments.multiple_of)
        oracle = arguments.oracle or "z3"
        share = share_asked(arguments, op, chip)
        how = (point, arguments.regime, multiple, oracle, share)
        try:
            op, point, proved = threshold_given(op, chip, arguments.unknown, *how)
        except TooManyCases:
            channels = [name for name in op.demands if name not in op.compute]
            as_one = (arguments.latex, arguments.smtlib, arguments.certificate, arguments.coq, arguments.rows)
            if len(channels) < 2 or any(as_one):
                raise
            return _channel_by_channel(arguments, op, chip, channels, how, lang)
    for option in ("regime", "multiple_of", "oracle", "smtlib", "certificate", "coq", "steps", "share", "corner"):
        if proved is None and getattr(arguments, option) not in (None, False):
            said = f"--{option.replace('_', '-')}"
            if arguments.unknown is not None:
                raise RoofproofError(
                    "<op> has no FLOPs, so there is no threshold for <option>", op=op.name, option=said
                )
            raise RoofproofError("<option> requires --for", option=said)
    if proved is None and chip is None and point:  # without a chip, substitute the sizes directly
        from roofproof.ops.combine import at

        op, point = at(op, **point), {}
    if arguments.latex:
        from roofproof.export.explain.threshold import explain
        from roofproof.export.latex.documents import deliver, summary_comment
        from roofproof.export.latex.leaves import Style
        from roofproof.export.outline import outline
        from roofproof.export.to_latex import formula_alone, inline, titled, to_latex

        frames = arguments.part == "frames"
        doc = explain(outline(op, chip, proved, point, bool(arguments.steps)))
        fragment = arguments.out is None and not frames  # a document has its title already
        if arguments.part == "formula":
            body = formula_alone(doc, lang)
        else:
            body = titled(doc, lang) if fragment else to_latex(doc, lang, frames=frames)
        title, about = inline(doc.title, Style(lang)), summary_comment(op, chip, proved)
        if arguments.part is None and arguments.out is None:  # a page, too long for a frame
            about += "; for frames of a Beamer deck: --part frames; for the formula alone: --part formula"
        deliver(body, arguments.out, title=title, lang=lang, about=about)
    elif arguments.json:
        from roofproof.export.record import record

        show(record(op, chip, proved, point, round(perf_counter() - start, 6), steps=bool(arguments.steps)))
    else:
        from roofproof.export.outline import outline

        made = outline(op, chip, proved, point, bool(arguments.steps))
        _show_text(made, proved, point, lang, full=bool(arguments.full or arguments.steps))
        if arguments.rows:
            from roofproof.export.explain.traced import explain_lines
            from roofproof.export.to_text import untitled_text

            show("\n" + untitled_text(explain_lines(op, chip, point, arguments.unknown), lang))
    if proved is not None and arguments.smtlib is not None:
        from roofproof.export.files import write_folder
        from roofproof.proofs.replay.smtlib import as_files, scripts

        write_folder(arguments.smtlib, as_files(scripts(proved.solved)))
    if proved is not None and arguments.certificate is not None:
        from roofproof.export.certificates import write_certificates

        write_certificates(proved, arguments.certificate)
    if proved is not None and arguments.coq is not None:
        from roofproof.export.coq import of_threshold, write_coq

        write_coq(arguments.coq, [of_threshold(proved, op.name)])
    return 0


def _show_text(made: Outline, proved: ProvedThreshold | None, point: Mapping[str, int], lang: str, full: bool) -> None:
    """Print the answer in one line, followed by a summary or, with `full`, the whole derivation."""
    from roofproof.export.doc import say
    from roofproof.export.explain.answer import answer_line, brief
    from roofproof.export.explain.threshold import explain
    from roofproof.export.to_text import inline_text, text_with_side_headings, to_text

    if full:
        show(f"{inline_text(answer_line(made, proved, point), lang)}\n\n{to_text(explain(made), lang)}")
        return
    show(text_with_side_headings(brief(made, proved, point), lang))
    more = say("--full shows each tensor, other published specs, and every proof")
    show(f"\n{inline_text(more, lang)}")


def _channel_by_channel(
    arguments: argparse.Namespace,
    op: Operation,
    chip: Chip | None,
    channels: Sequence[str],
    how: tuple[Mapping[str, int], str | None, int, str, Share | None],
    lang: str,
) -> int:
    """Print a threshold for each memory level or link separately. Compute-bound means that all of them hold."""
    from roofproof.proofs import threshold
    from roofproof.say import translated

    every = {name: _over_level(op, name, is_code(arguments.op)) for name in channels}
    made = {name: threshold(one, chip, arguments.unknown, *how) for name, one in every.items()}
    point, steps = how[0], bool(arguments.steps)
    if arguments.json:
        from roofproof.export.record import record

        show({"all_of": {name: record(every[name], chip, each, point, 0, steps=steps) for name, each in made.items()}})
        return 0
    from roofproof.export.explain.threshold import explain
    from roofproof.export.outline import outline
    from roofproof.export.to_text import to_text

    form = "<op> is compute-bound if it is over each of <channels>, shown one by one"
    show(translated(Sentence(form, op=op.name, channels=", ".join(channels)), lang))
    for name, each in made.items():
        show("\n" + to_text(explain(outline(every[name], chip, each, point, steps)), lang))
    return 0


def _operation(arguments: argparse.Namespace, chip: Chip | None) -> Operation:
    """Return the operation, from its name or notation, or traced from a function in a file."""
    if not is_code(arguments.op):
        for option in ("shapes", "unrolled", "traffic", "links", "rows"):
            if getattr(arguments, option):
                raise RoofproofError("<option> requires a function, FILE.py:FUNCTION", option=f"--{option}")
        if chip is None:
            from roofproof.ops import parse_operation

            op = parse_operation(arguments.op)
        else:
            from roofproof.derive.roofline.own_format import for_chip

            op = for_chip(arguments.op, chip)
        if arguments.where:
            from roofproof.ops.notation.where import with_conditions

            op = with_conditions(op, arguments.where)
        return op
    if arguments.rows and (arguments.latex or arguments.json):
        raise RoofproofError("--rows is for text; the JSON record always has the rows")
    from roofproof.trace.sandbox import IsolatedCode

    how = {name: getattr(arguments, name) or "" for name in ("where", "unrolled")}
    how["traffic"] = arguments.traffic or "fused"
    with IsolatedCode(arguments.op) as code:
        if code.undenied:
            import sys

            from roofproof.say import translated

            note = "this system does not deny the code <what>; only Python does"
            said = Sentence(note, what=", ".join(code.undenied))
            print(f"roofproof: {translated(said, arguments.lang or 'en')}", file=sys.stderr)
        if code.framework == "jax":
            return code.traced(arguments.shapes or "", **how, links=_links(arguments.links))
        if arguments.links is not None:
            raise RoofproofError("--links requires a JAX function under shard_map")
        return code.traced(arguments.shapes or "", **how)


def _over_level(op: Operation, level: str, traced: bool) -> Operation:
    if not traced:
        from roofproof.ops.combine import over_level

        return over_level(op, level)
    from roofproof.trace.operation import rows_over

    return rows_over(op, level)


def _links(text: str | None) -> dict[str, str]:
    """Parse the link of each axis of a mesh, such as `model=nvlink, data=dcn`."""
    links: dict[str, str] = {}
    for part in (p.strip() for p in (text or "").split(",") if text is not None):
        axis, _, link = (p.strip() for p in part.partition("="))
        if not axis.isidentifier() or not link:
            raise RoofproofError("--links <text>: expected AXIS=LINK, such as model=nvlink", text=quoted(part))
        if axis in links:
            raise RoofproofError("--links: axis <name> is given twice", name=quoted(axis))
        links[axis] = link
    return links
