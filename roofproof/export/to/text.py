"""The worked solution in plain text, which `derive` prints where nothing else is asked for."""

from roofproof.export.outline import Outline
from roofproof.export.text.solution import rendered
from roofproof.export.words.catalogue import Catalogue


def export(found: Outline, lang: str) -> str:
    """Return the worked solution in a language."""
    return rendered(found, Catalogue(lang, "text", "steps"))
