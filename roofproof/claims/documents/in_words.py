r"""What a chapter states in words, bullets and tables, put into its text as formulas, so that it is read as they are.

`- hidden size $d$: 4096`, `| $d$ | 4096 |` and `- d = 4096` are values, `当 D, F ≫ B 时` is a regime.
"""

import re
from collections.abc import Callable, Sequence

from roofproof.claims.documents.names import ABBREVIATIONS
from roofproof.claims.documents.places import SourceFormula, formulas
from roofproof.claims.documents.prose import UNITS
from roofproof.formula.units import unit_of

_LETTER = r"(?:[A-Za-z](?:_\w|_\{[\w,]+\}|_\{?\\(?:text|mathrm)\{\w+\}\}?)?|\\[a-z]{2,8})"
_NAME = rf"(?<![\w$\\])(?:\$({_LETTER})\$|({_LETTER})(?![\w$]))"
_NUMBER = r"(\d[\d,]*(?:\.\d+)?(?:[eE]\d+| ?(?:×|\\times) ?10\^\{?\d+\}?)?)"
_UNIT = r"[ ~]?([A-Za-zµμ%]+(?:/[A-Za-z]+)*|字节/秒|字节|毫秒|微秒|秒|百万|万|亿)?"
_COUNTED = r"(?:层|个|头|张|卡|位|维|layers?|heads?|tokens?|dimensions?|chips?|GPUs?|TPUs?)?"
_ENDED = r"(?!\s*[,，、/或~–-]\s*\d)(?=\s*(?:$|[,，;；。、|(（]|\.(?:\s|$)|\\\\))"
_VALUE = rf"{_NUMBER}{_UNIT}\s*{_COUNTED}{_ENDED}"
_MARK = r"(?:[-*+•]|\d+[.)]|\\item)[ \t]"
_BULLET = re.compile(rf"^[ \t>]*{_MARK}[^\n]*$", re.MULTILINE)
_COLON = re.compile(rf"{_NAME}(?:\*\*)?\s*(?:[:：=]|为|是|\bis\b)\s*(?:\*\*)?\s*{_VALUE}")
_ROW = re.compile(
    r"^[ \t>]*\|?([^|\n&]+)((?:[|&][^|\n&]*){0,3})[|&]([^|\n&]+?)(?:\|[ \t]*|\\\\[ \t]*(?:\\hline)?[ \t]*)$",
    re.MULTILINE,
)
_CELL = re.compile(rf"[^$]*?{_NAME}[^$]*")
_NAMED = re.compile(rf"\s*{_NAME}\s*")
_SEVERAL = rf"{_NAME}(?:(?:\s*(?:,|、|，|和|与|\band\b|, and\b)\s*){_NAME})*"
_LARGE = (
    r"\s*(?:≫|>>|远大于|远远大于|(?:(?:is|are)\s+)?(?:much|far) (?:larger|greater|bigger) than"
    r"|(?:is|are) large compared (?:to|with))\s*"
)
_SMALL = (
    r"\s*(?:≪|<<|远小于|远远小于|(?:(?:is|are)\s+)?(?:much|far) smaller than|(?:is|are) small compared (?:to|with)"
    r"|相对于?\s*(?P<than>[^。\n]{1,40}?)\s*(?:很|较|非常|足够)小)\s*"
)
_DENIED = re.compile(r"(?:\b(?:not|never|no longer)|不|并非|没有)\s*\Z")
_FACTORS = ("百万", "万", "亿", "M")
_HIDDEN = re.compile(
    r"^[ >]*(```|~~~).*?^[ >]*\1[^\n]*$|`[^`\n]*`|<!--.*?-->|\A---\n.*?^---$", re.MULTILINE | re.DOTALL
)
_RUN = r"[A-Z]{2,4}"
_INTRODUCED = re.compile(rf"([^(（\n]{{0,80}})[(（]({_RUN})[)）]")
_USED = re.compile(
    rf"()(?<![A-Za-z0-9])({_RUN})(?=\s*(?:=\s*\d|组|并行|度|带宽|group|degree|size|rank|parallel|-way|bandwidth))"
)

_PARALLEL = {
    "CP": "context parallel|上下文并行", "TP": "tensor parallel|张量并行", "PP": "pipeline parallel|流水线?并行",
    "DP": "data parallel|数据并行", "EP": "expert parallel|专家并行", "SP": "sequence parallel|序列并行",
}  # fmt: skip


def in_formulas(text: str, tex: bool) -> str:
    r"""Return a text with the values of its bullets and tables, and the regimes of its sentences, as formulas.

    >>> print(in_formulas("- 隐藏维度 $d$：4096\n- peak $P$ = 312 TFLOPS\n\n| $L$ | 32 |\n\n当 D, F ≫ B 时", False))
    - 隐藏维度 $d = 4096$
    - peak $P = 312$ TFLOPS
    <BLANKLINE>
    | $L = 32$ | |
    <BLANKLINE>
    当 $D, F \gg B$ 时

    Lines stay where they are; formulas, code and comments as they are.
    """
    for pattern, put in ((_BULLET, _bullet), (_ROW, _row), (_REGIME, _regime)):
        text = _outside(text, tex, pattern, put)
    return text


def spoken(text: str, found: Sequence[SourceFormula]) -> frozenset[str]:
    """Return the runs of capitals that sentences introduce or use as one word, or speak of in full.

    Where each letter of a run stands by itself in a formula, the run may be a product, and no phrase tells.

    >>> sorted(spoken("Tensor parallelism (TP) over EP ranks, a key value cache (KVC), weights (DF), 80 GB.", []))
    ['EP', 'KVC', 'TP']
    """
    told = list(text)
    for each in found:
        told[each.start : each.stop] = " " * (each.stop - each.start)
    runs = set()
    for pattern in (_INTRODUCED, _USED):
        for words, run in pattern.findall("".join(told)):
            initials = "".join(word[0] for word in re.findall(r"[A-Za-z]+", words)).upper()
            if run in ABBREVIATIONS or initials.endswith(run):
                runs.add(run)
    written = " ".join(each.text for each in found)
    for run, phrase in _PARALLEL.items():
        apart = all(re.search(rf"(?<![A-Za-z\\]){letter}(?![A-Za-z])", written) for letter in run)
        if not apart and re.search(phrase, "".join(told), re.IGNORECASE):
            runs.add(run)
    return frozenset(runs)


def _outside(text: str, tex: bool, pattern: re.Pattern[str], put: Callable[[re.Match[str]], str]) -> str:
    """Return a text with what is put for each find that cuts through no formula, and is no code."""
    spans = [(each.start, each.stop) for each in formulas(text, tex)]
    hidden = [found.span() for found in _HIDDEN.finditer(text)]

    def cuts(found: re.Match[str]) -> bool:
        start, end = found.span()
        inside = any(a < end and start < b for a, b in hidden)
        return inside or any((a <= start < b) or (a < end < b) for a, b in spans)

    return pattern.sub(lambda found: found[0] if cuts(found) else put(found), text)


def _bullet(found: re.Match[str]) -> str:
    return _COLON.sub(lambda value: _defined(value, *value.groups()), found[0])


def _row(found: re.Match[str]) -> str:
    first, between, last = found.groups()
    if re.search(r"[\d$]", between) or _has_a_unit(first + between + _head(found)):
        return found[0]  # values of several things, or in the unit that stands elsewhere
    name = (_NAMED if between else _CELL).fullmatch(first)
    value = re.fullmatch(rf"\s*\$?{_NUMBER}{_UNIT}\$?\s*{_COUNTED}\s*", last)
    if not name or not value:
        return found[0]
    put = _defined(value, *name.groups(), *value.groups())
    if put == value[0]:
        return found[0]
    start, end = found.start(3) - found.start(), found.end(3) - found.start()
    row = f"{found[0][:start]} {found[0][end:]}"
    at = found.start(1) - found.start()
    return f"{row[:at]} {put} {row[at + len(first) :]}"


def _head(row: re.Match[str]) -> str:
    """Return the line of a table that names its columns, nothing for a row without one."""
    above = row.string[: row.start()].rstrip("\n").split("\n\n")[-1].split("\n")
    return above[0] if len(above) > 1 and set(above[1]) <= set("|-: \t") else ""


def _has_a_unit(words: str) -> bool:
    written = re.findall(r"[A-Za-zµμ]{2,}(?:/[A-Za-z]+)?", words)
    return any(unit_of(each) or each in UNITS for each in written) or any(
        unit in words for unit in UNITS if not unit.isascii()
    )


def _defined(found: re.Match[str], dollar: str | None, bare: str | None, number: str, unit: str | None) -> str:
    if unit and unit_of(unit) is None and unit not in (*UNITS, *_FACTORS):
        return found[0]
    number = re.sub(r"[eE](\d+)$", r" \\times 10^{\1}", number).replace("×", r"\times").replace(",", "")
    if unit in _FACTORS:
        number, unit = rf"{number}\text{{{unit}}}", ""
    return f"${dollar or bare} = {number}$" + (f" {unit}" if unit else "")


_REGIME = re.compile(rf"(?P<one>{_SEVERAL})(?:(?P<large>{_LARGE})|(?P<small>{_SMALL}))(?P<two>{_SEVERAL})?")


def _regime(found: re.Match[str]) -> str:
    than = found["than"] or found["two"]
    if not than or (found["than"] and found["two"]) or _DENIED.search(found.string[: found.start()]):
        return found[0]
    one, two = (", ".join(a or b for a, b in re.findall(_NAME, side)) for side in (found["one"], than))
    above, below = (one, two) if found["large"] else (two, one)
    sign = found["large"] or found["small"]
    tail = found[0][len(found[0].rstrip()) :]
    return f"${above} \\gg {below}${tail}" if one and two and not sign.startswith("$") else found[0]
