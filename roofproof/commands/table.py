"""`roofproof derive --as table`: prints a table of where operations are compute-bound on many chips."""

import argparse

from roofproof.commands.shared import all_chips, language, share_value, show
from roofproof.errors import RoofproofError
from roofproof.ops.notation.sizes import sizes_from


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    lang = language(arguments, text=True)
    if arguments.markdown and arguments.latex:
        raise RoofproofError("use only one of <options>", options="--markdown, --latex")
    from roofproof.derive.on_chips import Comparison, thresholds
    from roofproof.derive.roofline.memory_fit import check_requirements
    from roofproof.derive.roofline.own_format import in_own_formats
    from roofproof.export.explain.comparison import explain_comparison
    from roofproof.hardware import chip, chip_names
    from roofproof.ops import parse_operation

    every = arguments.chip == ["all"]
    chips = [chip(n) for n in chip_names()] if every else all_chips(arguments)
    sizes = sizes_from(arguments.at or ())
    share = share_value(arguments)
    found: list[Comparison] = []
    for text in arguments.op:
        asked = in_own_formats(text, chips, usual=every) or [(parse_operation(text), chips)]
        how = (sizes, arguments.regime, share, arguments.corner)
        made = [each for op, some in asked for each in thresholds(op, arguments.unknown, some, *how)]
        if all(row.unfit for each in made for row in each.rows):
            check_requirements(made[0].op, made[0].rows[0].chip, sizes)
        if every:
            made = [each.able() for each in made if any(row.able for row in each.rows)] or [made[0].able()]
        found += made
    docs = list(map(explain_comparison, found))
    if arguments.markdown:
        from roofproof.export.to_markdown import to_markdown

        show("\n\n".join(to_markdown(each, lang) for each in docs))
        return 0
    if not arguments.latex:
        from roofproof.export.explain.comparison import comparison_answer
        from roofproof.export.to_text import flat_text, inline_text

        answers = [inline_text(said, lang) for said in map(comparison_answer, found) if said is not None]
        show("\n\n".join(["\n".join(answers)] * bool(answers) + [flat_text(each, lang) for each in docs]))
        return 0
    from roofproof.export.latex.documents import deliver
    from roofproof.export.to_latex import titled

    body = "\n\n".join(titled(each, lang) for each in docs)
    names = ", ".join(arguments.op)
    deliver(body, arguments.out, title="", lang=lang, about=f"roofproof derive --as table {names}")
    return 0
