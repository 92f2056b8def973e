r"""Sentences and formulas of the exporters, which are LaTeX, as HTML: text is escaped, formulas are marked."""

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from roofproof.errors import RoofproofError, quoted

_SIGNS = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textasciigrave{}": "`",
    r"\{": "{", r"\}": "}", r"\%": "%", r"\&": "&", r"\#": "#", r"\$": "$", r"\_": "_", r"\,": "\u2009",
    r"\allowbreak{}": "", "{}": "", "~": "\u00a0", "---": "—", "--": "–", "``": "“", "''": "”", "`": "‘",
}  # fmt: skip
_SAME = {r"\approx": "≈", r"\leq": "≤", r"\geq": "≥", r"\to": "→", r"\times": "×", r"\cdot": "·", "<": "<", ">": ">",
         "|": "|", r"{}^2": "²", r"{}^3": "³", r"\pm": "±", r"\gg": "≫"}  # fmt: skip
_PIECE = re.compile(
    r"\$(?P<formula>(?:[^$\\]|\\.)+)\$"
    r"|(?P<sign>" + "|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True))) + ")"
    r"|(?P<text>[^$\\{}~`]+?(?=--|''|[$\\{}~`]|$)|[-'])"
)


def formula(tex: str, *, display: bool = False) -> Markup:
    r"""Return a formula as HTML: its LaTeX, marked, for KaTeX to set; `display` as large as on a line of its own.

    >>> print(formula(r"\frac{BD}{B} < D"))
    <span class="tex">\frac{BD}{B} &lt; D</span>
    """
    return Markup('<span class="tex{}">{}</span>').format(Markup(" large") if display else "", tex)


def sentence(tex: str) -> Markup:
    r"""Return a sentence in LaTeX, text with formulas between dollar signs, as HTML.

    >>> print(sentence(r"50\% of $B$ \& C\_1 $<$ 3"))
    50% of <span class="tex">B</span> &amp; C_1 &lt; 3

    Raises RoofproofError for a command that no exporter writes in a sentence: nothing is shown that was not understood.
    """
    return Markup("").join(_pieces(tex))


def _pieces(tex: str) -> Iterator[Markup]:
    place = 0
    while place < len(tex):
        found = _PIECE.match(tex, place)
        if found is None:
            raise RoofproofError(f"no HTML for {quoted(tex[place : place + 20])} in {quoted(tex)}")
        place = found.end()
        if found["formula"] is not None:
            same = _SAME.get(found["formula"])
            yield formula(found["formula"]) if same is None else escape(same)
        else:
            yield escape(_SIGNS[found["sign"]] if found["sign"] is not None else found["text"])
