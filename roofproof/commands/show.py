"""`roofproof show`: lists the built-in operations, models and chips, or shows one of them in full."""

import argparse

from roofproof.commands.shared import show
from roofproof.errors import RoofproofError, unknown
from roofproof.hardware import any_chip, browse, chip_names


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    name, lang = arguments.name or "", arguments.lang or "en"
    if lang != "en":
        from roofproof.say import checked_language

        checked_language(lang)
    show(_chips(name) or _found(name, lang))
    return 0


def _chips(name: str) -> str | None:
    """Return the list of chips or the chip with that name. Return None if the name may belong to an operation."""
    if name == "chips":
        return browse()
    if ":" in name and _is_operation(name):
        return None
    described = "@" in name or "=" in name or name.endswith(".toml")
    return browse(name) if described or _is_chip(name) else None


def _is_operation(name: str) -> bool:
    """Return whether a text names a built-in operation, possibly with arguments, such as all-reduce:link=dcn."""
    from roofproof.export.explain.library import entry_of

    return entry_of(name) is not None


def _is_chip(name: str) -> bool:
    try:
        return bool(any_chip(name))
    except RoofproofError:
        return False


def _found(name: str, lang: str) -> str:
    """Return the operations, models and chips that match a text, or the one with exactly that name."""
    from roofproof.export.explain.library import explain_library
    from roofproof.export.to_text import spaced_text
    from roofproof.ops import entries, model_names

    if name == "operations" or _is_operation(name):
        return spaced_text(explain_library("" if name == "operations" else name), lang)
    found = []
    for each in (lambda part: spaced_text(explain_library(part), lang), browse):
        try:
            found.append(each(name))
        except RoofproofError:
            continue  # the name is in the other list
        if name.lower() in model_names():
            break
    if not found:
        raise unknown("name", name, (*entries(), *model_names(), *chip_names()))
    return "\n\n".join(found)
