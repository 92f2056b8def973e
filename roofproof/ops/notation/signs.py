"""Signs from outside ASCII that stand for one inside it: refused with what to write."""

from __future__ import annotations

import unicodedata

from roofproof.errors import RoofproofError
from roofproof.ops.notation.arithmetic import error_at

_WORDS = {
    "不等于": "!=", "大于等于": ">=", "小于等于": "<=", "当且仅当": "<=>", "大于": ">", "小于": "<", "等于": "==",
    "并且": "and", "而且": "and", "或者": "or", "且": "and", "或": "or", "非": "not", "加": "+", "减": "-",
    "乘以": "*", "除以": "/", "乘": "*", "约等于": "~=", "万亿": "* 10^12", "亿": "* 10^8", "万": "* 10^4",
    "、": ",", "。": ".", "—": "-", "–": "-", "“": '"', "”": '"', "‘": "'", "’": "'",
}  # fmt: skip


def foreign_sign(text: str, column: int) -> RoofproofError:
    """Return the error for the sign at a column (from 0), with what to write where that is known.

    >>> print(foreign_sign("B ＞ 240", 2))                       # a full-width sign
    column 3: '＞' is FULLWIDTH GREATER-THAN SIGN; write '>'
    >>> print(foreign_sign("B > 3 且 B < 9", 6))
    column 7: '且' is no word of this language; write 'and'
    """
    sign = text[column]
    name = unicodedata.name(sign, f"U+{ord(sign):04X}")
    shown = repr(sign) if sign.isprintable() else ascii(sign)
    plain = unicodedata.normalize("NFKC", sign)
    word = next((word for word in sorted(_WORDS, key=len, reverse=True) if text.startswith(word, column)), None)
    if word is not None and name.startswith("CJK"):
        cure = repr(_WORDS[word])
        return error_at(column, "<shown> is no word of this language; write <cure>", shown=repr(word), cure=cure)
    if word is not None or (name.startswith(("FULLWIDTH", "IDEOGRAPHIC SPACE")) and plain.isascii()):
        cure = repr(_WORDS[word] if word else plain)
        return error_at(column, "<shown> is <name>; write <cure>", shown=shown, name=name, cure=cure)
    told = "<shown> is <name>; names are ASCII letters, digits and underscores"
    return error_at(column, told, shown=shown, name=name)
