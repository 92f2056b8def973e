"""The pages of the site in both languages: the index of the atlas, and a page for each operation and chip."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from markupsafe import Markup

from roofproof.export.doc import Number, say
from roofproof.export.explain.library import about as described
from roofproof.export.latex.leaves import Style
from roofproof.export.numbers import rounded
from roofproof.export.site.labels import LABELS
from roofproof.export.site.rendering import template
from roofproof.export.site.studies import ChipRow, FormatVariant, OperationStudy
from roofproof.export.to_html import html
from roofproof.hardware import Chip, any_chip
from roofproof.say import LANGUAGES, Words, figure_note

MENU = (
    ("atlas", "index.html"), ("live", "operation.html"), ("check", "check.html"), ("exercises", "exercises.html"),
    ("book", "book.html"), ("embed", "embed.html"),
)  # fmt: skip
LONG = 10**12  # integers from here on are printed rounded
HOME = {"en": "", "zh": "zh/"}


@dataclass(frozen=True, slots=True)
class Page:
    """A page in every language: its path in the folder of a language, its template, and the template's values.

    `part` is its menu entry, `titled` returns its title in a language.
    """

    path: str
    template: str
    part: str
    titled: Callable[[Words], str]
    shows: Callable[[str], Mapping[str, Any]]


def rendered(pages: Sequence[Page]) -> Iterator[tuple[str, str]]:
    """Yield the path and the HTML of each page, with formulas marked and a menu of the pages that exist."""
    there = {page.path for page in pages}
    for page in pages:
        for lang in LANGUAGES:
            path = HOME[lang] + page.path
            root = "../" * path.count("/")
            words = Words(lang, LABELS)
            menu = [(part, HOME[lang] + to) for part, to in MENU if to in there]
            shown = {
                "root": root, "home": root + HOME[lang], "lang": lang, "words": words, "page": page, "there": there,
                "menu": menu, "title": page.titled(words),
                "sentence": lambda text: html(say(text), Style()), "say": words.say,
                "others": {other: root + HOME[other] + page.path for other in LANGUAGES if other != lang},
            }  # fmt: skip
            yield path, template(page.template).render(**shown, **page.shows(lang))


def about(study: OperationStudy, lang: str) -> Markup:
    """Return the description of an operation as HTML."""
    return html(described(study.entry), Style(lang))


def answered(unknown: str, found: tuple[str, int | None, str] | None, words: Words) -> str:
    """Return a chip's answer at the sizes as text, or an empty string if there is none.

    >>> answered("B", ("above", 345, "kernel"), Words("en", LABELS)), answered("B", None, Words("zh", LABELS))
    ('B ≥ 345', '')
    """
    if found is None:
        return ""
    kind, integer, _ = found
    if kind in ("always", "never"):
        return words[kind]
    if kind not in ("above", "below"):
        return words["see the proof"]
    return words["no such size"] if integer is None else compared(unknown, kind, integer)


def compared(unknown: str, kind: str, integer: int) -> str:
    """Return a bound on an integer as text, with a very long integer rounded and its sign adjusted.

    >>> compared("B", "above", 345), compared("N", "below", 2**64)
    ('B ≥ 345', 'N ≲ 1.8447e19')
    """
    if integer < LONG:
        return f"{unknown} {'≤' if kind == 'below' else '≥'} {integer}"
    return f"{unknown} {'≲' if kind == 'below' else '≳'} {rounded(sympy.Integer(integer)).text}"


def others(study: OperationStudy, lang: str) -> str:
    """Return the sizes that the answers of an operation use: all but the one solved for."""
    given = (f"{name} = {size}" for name, size in study.sizes.items() if name != study.first)
    return Words(lang, LABELS)[", "].join(given)


def site_pages(studies: Sequence[OperationStudy], chips: Sequence[str]) -> list[Page]:
    """Return the pages of the atlas: its index, and a page for each operation, each other format and each chip."""
    found = [any_chip(name) for name in chips]
    by_chip: dict[str, list[tuple[OperationStudy, ChipRow]]] = {one.name: [] for one in found}
    for study in studies:
        for line in study.lines:
            by_chip[line.chip].append((study, line))
    made = [_index(studies, found, sum(len(study.lines) for study in studies))]
    made += [_operation(study, {one.name: one for one in found}) for study in studies]
    made += [_in_formats(study, variant) for study in studies for variant in study.variants[1:] if variant.answers]
    made += [_chip(one, by_chip[one.name]) for one in found]
    return made


def _index(studies: Sequence[OperationStudy], chips: Sequence[Chip], lines: int) -> Page:
    def shows(lang: str) -> Mapping[str, Any]:
        families: dict[str, list[OperationStudy]] = {}
        for study in studies:
            families.setdefault(study.entry.heading, []).append(study)
        vendors: dict[str, list[Chip]] = {}
        for one in sorted(chips, key=lambda chip: (chip.vendor, chip.name)):
            vendors.setdefault(one.vendor, []).append(one)
        formats = dict.fromkeys(line.compute for study in studies for line in study.lines)
        return {
            "families": families, "vendors": vendors, "formats": sorted(formats), "lines": lines, "studies": studies,
            "chips": chips, "about": lambda study: about(study, lang), "sizes": lambda study: others(study, lang),
        }  # fmt: skip

    return Page(
        "index.html", "atlas.html.j2", "atlas", lambda words: words["roofproof: when is it compute-bound?"], shows
    )


def _operation(study: OperationStudy, chips: Mapping[str, Chip]) -> Page:
    def shows(lang: str) -> Mapping[str, Any]:
        words = Words(lang, LABELS)
        return {
            "study": study, "about": about(study, lang), "chips": chips,
            "answered": lambda x, line: answered(x, line.answers.get(x), words),
            "sizes": words[", "].join(f"{name} = {size}" for name, size in study.sizes.items()),
            "in_formats": lambda variant: f"{study.name}/{_formats(variant)}.html",
        }  # fmt: skip

    return Page(f"ops/{study.name}.html", "study.html.j2", "atlas", lambda words: study.name, shows)


def _in_formats(study: OperationStudy, variant: FormatVariant) -> Page:
    def shows(lang: str) -> Mapping[str, Any]:
        return {"study": study, "variant": variant, "about": about(study, lang)}

    def titled(words: Words) -> str:
        return words.say("<name> in <formats>", name=study.name, formats=words[", "].join(variant.formats))

    return Page(f"ops/{study.name}/{_formats(variant)}.html", "formats.html.j2", "atlas", titled, shows)


def _formats(variant: FormatVariant) -> str:
    return "-".join(sorted(variant.formats))


def _chip(chip: Chip, lines: Sequence[tuple[OperationStudy, ChipRow]]) -> Page:
    def shows(lang: str) -> Mapping[str, Any]:
        words = Words(lang, LABELS)
        return {
            "chip": chip, "lines": lines, "quantity": lambda figure: html(Number(figure), Style()),
            "known": lambda figure: figure_note("", figure.status, lang),
            "counted": lambda figure: figure_note(figure.convention, "", lang),
            "answered": lambda study, line: answered(study.first, line.answers.get(study.first), words),
            "sizes": lambda study: others(study, lang),
        }  # fmt: skip

    return Page(f"chips/{chip.name}.html", "chip.html.j2", "atlas", lambda words: chip.title or chip.name, shows)


def chip_data(studies: Sequence[OperationStudy]) -> Iterator[tuple[str, str]]:
    """Yield a script for each chip that passes its rows (formats, ridge points, answers) to the index."""
    import json

    by_chip: dict[str, dict[str, list[list[object]]]] = {}
    for study in studies:
        for line in study.lines:
            kind, integer, _ = line.answers.get(study.first, ("", None, ""))
            ridges = ", ".join(about for _, _, about in line.ridges)
            told = "" if integer is None else compared(study.first, kind, integer)
            size = None if integer is None else min(integer, 10**300)
            lines = by_chip.setdefault(line.chip, {}).setdefault(study.name, [])
            lines.append([line.compute, ridges, kind, told, size])
    for name, found in by_chip.items():
        shown = json.dumps(found, ensure_ascii=True, separators=(",", ":"))
        yield f"assets/chips/{name}.js", f"showChip({json.dumps(name)},{shown});\n"
