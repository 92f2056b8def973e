r"""Escaping of any text for TeX: every character is shown as written, or named, and none is part of a command."""

import re
import unicodedata

from roofproof.formula.latex import GREEK

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "`": r"\textasciigrave{}", "’": "'", "\u00a0": "~", "‐": "-", "‑": "-", "–": "--", "—": "---", "…": "...",
    "‘": "`", "“": "``", "”": "''", "\u2009": " ", "\u202f": " ",
}  # fmt: skip
_MATHS = {
    "≈": r"\approx", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "→": r"\to", "←": r"\gets", "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow", "≫": r"\gg", "≪": r"\ll", "∞": r"\infty", "√": r"\surd", "∧": r"\wedge", "∨": r"\vee",
    "¬": r"\neg", "×": r"\times", "·": r"\cdot", "⋅": r"\cdot", "÷": r"\div", "±": r"\pm", "−": "-", "∼": r"\sim",
    "≡": r"\equiv", "∝": r"\propto", "∈": r"\in", "∑": r"\sum", "∏": r"\prod", "°": r"{}^\circ", "µ": r"\mu",
    "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor", "½": r"\tfrac{1}{2}", "¼": r"\tfrac{1}{4}",
    "²": "{}^2", "³": "{}^3", "¹": "{}^1", "⁰": "{}^0", "⁴": "{}^4", "⁵": "{}^5", "⁶": "{}^6", "⁷": "{}^7",
    "⁸": "{}^8", "⁹": "{}^9", "₀": "{}_0", "₁": "{}_1", "₂": "{}_2", "₃": "{}_3", "₄": "{}_4", "₅": "{}_5",
    "₆": "{}_6", "₇": "{}_7", "₈": "{}_8", "₉": "{}_9",
}  # fmt: skip
for _name in (*GREEK, "iota"):
    _case = "SMALL" if _name.islower() else "CAPITAL"
    if not _name.startswith("var"):
        _MATHS[unicodedata.lookup(f"GREEK {_case} LETTER {_name.upper().replace('MBD', 'MD')}")] = f"\\{_name}"

LONG = 16  # longer words, such as addresses, may be broken
LONGEST = 20  # characters after which such a word may be broken anywhere
_BREAKS = "/.-_=?&:,{}()"


def escape(text: str) -> str:
    r"""Return text for TeX: special characters escaped, white space collapsed, characters without a font named.

    >>> print(escape(r"50% of A & B_1 \input{x}"))
    50\% of A \& B\_1 \textbackslash{}input\{x\}
    >>> print(escape("a ≈ b"), escape("算术强度"), escape("fast 🚀"), escape("[a]"))
    a $\approx$ b 算术强度 fast [rocket] {[}a]

    Chinese stays unchanged, and a document with Chinese needs the package ctex (see `has_chinese`). The result can
    also be used inside `\text{...}`, in LaTeX and in KaTeX. Long words may break after `/`, `.` and the like. A bracket
    at the beginning is not read as an option of the command before it, such as `\item` or the end of a row.
    """
    composed = unicodedata.normalize("NFC", " ".join(text.split()))
    escaped = " ".join(_word(word) for word in composed.split(" "))
    return f"{{[}}{escaped[1:]}" if escaped.startswith("[") else escaped


def escape_spaced(text: str) -> str:
    """Return escaped text, with one blank at each end that had any."""
    return " " * text.startswith(" ") + escape(text.strip()) + " " * text.endswith(" ")


def within_maths(text: str) -> str:
    r"""Return text for use in a formula, with the blanks around it, which ctex drops from Chinese.

    >>> within_maths("case "), within_maths(" 且 ")
    ('\\text{case }', '\\ \\text{且}\\ ')
    """
    if not has_chinese(text):
        return rf"\text{{{escape_spaced(text)}}}"
    before, after = (r"\ " * blank for blank in (text.startswith(" "), text.endswith(" ")))
    return rf"{before}\text{{{escape(text.strip())}}}{after}"


def curly(text: str) -> str:
    """Return text with curly quotation marks for pairs of straight ones, which TeX would set as closing ones.

    >>> curly('the "roofline" of 5"')
    'the “roofline” of 5"'
    """
    return re.sub(r'(?<![^\s(\[])"([^\s"][^"]*)"', r"“\1”", text)


def has_chinese(text: str) -> bool:
    """Return whether a text contains Chinese, which pdfLaTeX cannot set.

    >>> has_chinese("intensity 算术强度"), has_chinese("naïve")
    (True, False)
    """
    return any(_is_chinese(sign) for sign in text)


def comment(text: str) -> str:
    """Return text as a TeX comment on one line, without characters that end a line.

    >>> comment("matmul on \\n v5e")
    '% matmul on v5e'
    """
    plain = "".join(sign if sign.isprintable() else " " for sign in text.replace("\\", "/"))
    return "% " + " ".join(plain.split())


def _word(word: str) -> str:
    breaks = len(word) > LONG
    pieces, whole = [], 0
    for place, sign in enumerate(word):
        before = word[place - 1] if place else ""
        if sign == before and sign in "-,'":
            pieces.append("{}")  # no ligature
        pieces.append(_sign(sign))
        whole = 0 if _is_chinese(sign) else whole + 1  # Chinese breaks by itself
        if breaks and word[place + 1 :] and ((sign in _BREAKS and word[place + 1] not in _BREAKS) or whole == LONGEST):
            pieces.append(r"\allowbreak{}")
            whole = 0
    return "".join(pieces)


def _sign(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign in _MATHS:
        return f"${_MATHS[sign]}$"
    if " " <= sign <= "~" or _is_latin(sign) or _is_chinese(sign):
        return sign
    category = unicodedata.category(sign)
    if category in ("Cf", "Mn", "Me", "Cc", "Cs", "Co", "Cn"):
        return "" if category in ("Cf", "Mn", "Me") else f"[U+{ord(sign):04X}]"
    return f"[{unicodedata.name(sign, f'U+{ord(sign):04X}').lower()}]"


def _is_latin(sign: str) -> bool:
    """Return whether a character is an accented Latin letter that the usual fonts have, as in Müller or Čech."""
    return re.fullmatch("[À-ÖØ-öø-ž¿¡]", sign) is not None and sign not in "ĸŉſĦħĿŀŦŧ"


def _is_chinese(sign: str) -> bool:
    """Return whether a character is Chinese and in GB 2312, which the free fonts of TeX cover."""
    if not ("\u4e00" <= sign <= "\u9fff" or "\u3001" <= sign <= "\u3017" or "\uff01" <= sign <= "\uff5e"):
        return False
    try:
        sign.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True
