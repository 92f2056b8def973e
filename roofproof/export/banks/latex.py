"""Exercise sheets in LaTeX, one per variant number, with the solutions on separate sheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofproof.export.banks import Files
from roofproof.export.banks._prose import exact_answer, reason, right_answer, sizes_of, tex, wrong_answer
from roofproof.export.banks._solution import formula
from roofproof.export.explain.worked import explain_worked
from roofproof.export.latex.documents import document
from roofproof.export.latex.escaping import escape
from roofproof.export.slides.beamer import tex_words
from roofproof.export.to_latex import to_latex
from roofproof.say import Words
from roofproof.teach import Bank, Variant


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return a sheet for each variant number, and a sheet with its solutions."""
    words = Words(lang)
    title = bank.titled(lang)
    found: Files = {}
    for number in sorted({v.number for v in made}) or [1]:
        for name, part, solved in (("", "sheet <number>", False), ("-solutions", "solutions to sheet <number>", True)):
            told = words.say(part, number=str(number))
            text = sheet(title, told, [v for v in made if v.number == number], lang, solved)
            found[f"sheet-{number:03d}{name}.tex"] = text, told
    return found


def sheet(title: str, told: str, made: Sequence[Variant], lang: str, solved: bool) -> str:
    """Return one sheet of exercises as a LaTeX document, with solutions if `solved`."""
    heading = rf"{escape(title)}\\{{\normalsize\mdseries {escape(told)}}}"
    words = Words(lang)
    return document("\n".join(_items(made, words, solved)), heading, lang=lang, about=told)


def _items(sheet: Sequence[Variant], words: Words, solved: bool) -> Iterator[str]:
    for place, variant in enumerate(sheet, 1):
        heading = escape(words.say("Exercise <number>", number=str(place)))
        points = escape(words.say("points: <points>", points=str(variant.exercise.points)))
        yield rf"\section*{{\raggedright {heading} \normalfont\small ({points})}}"
        yield tex(variant.marked_text(words.language), sizes_of(variant)) + "\n"
        if solved:
            yield from _solution(variant, words)


def _solution(variant: Variant, words: Words) -> Iterator[str]:
    lang = words.language
    key, said = formula(variant.asked.key, variant), exact_answer(variant, lang)
    right = f"${key}$" if key else tex_words(right_answer(variant, lang))
    more = rf"\quad {tex_words(said)}" if said else ""
    yield rf"\textbf{{{escape(words['Answer:'])}}} {right}{more}" + "\n"
    yield to_latex(explain_worked(variant.asked), lang)
    told = [(wrong_answer(d, variant, lang), reason(d, variant, lang)) for d in variant.distractors]
    if any(why for _, why in told):
        items = "\n".join(rf"\item {tex_words(wrong)}: {tex_words(why)}" for wrong, why in told)
        yield rf"\subsection*{{{escape(words['Usual mistakes'])}}}"
        yield "\\begin{itemize}\n" + items + "\n\\end{itemize}"
