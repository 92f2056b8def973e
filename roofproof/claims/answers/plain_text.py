"""Normalization of a typed answer: LaTeX, full-width signs, superscripts, groups of digits."""

import re
import unicodedata
from string import ascii_letters

from roofproof.claims.answers.intervals import as_bound
from roofproof.claims.answers.numerals import in_digits
from roofproof.claims.answers.tokens import in_function
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.latex import FRACTIONS, GREEK, SIGNS, SILENT, TEXTS
from roofproof.formula.magnitudes import CHINESE, ENGLISH
from roofproof.formula.tex import Group, Node, parse_tex

MAX_ANSWER = 1000  # characters, as an answer is a line and not an essay

_SIGNS = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "＝": "=", "×": "*", "·": "*", "⋅": "*", "∙": "*", "•": "*", "∗": "*", "÷": "/",
        "⁄": "/", "∕": "/", "≥": ">=", "⩾": ">=", "≧": ">=", "≤": "<=", "⩽": "<=", "≦": "<=", "≳": ">", "≲": "<",
        "≈": "≈", "≃": "≈", "∼": "≈", "≅": "≈", "~": "≈", "≒": "≈", "μ": "µ", "，": ",", "。": ".", "“": '"', "”": '"',
        "：": ":", "√": " sqrt ", "⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "‑": "-", "‐": "-", "→": "≈",
    }
)  # fmt: skip
_LETTERS = {ord(c) + 0xFEE0: c for c in ascii_letters + "-"}  # full-width letters
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))
_MARKED = re.compile(
    r"(?P<before>(?:^|[^\w\s)\]}*])\s*)(?P<mark>\*\*|`)(?=[^\s*`])(?P<said>[^`\n]*?[^\s*`])(?P=mark)(?![\w(*])"
)
_POINTS = re.compile(r"\d*\.\d+\.[\d.]*\d")
_SHARES = re.compile("(?:(?<![A-Za-z\\d.^_])(\\d+) ?)?([¼-¾⅐-⅞])")
_MIXED = re.compile(r"(?<![A-Za-z\d.^_)]) ?(\d+) ?\(\((\d+)\)/\((\d+)\)\)")
_POWER_OF_TEN = re.compile(
    r"(?<![\d.^*/eE])(\d+(?:\.\d+)?) ?[*x] ?10 ?\^ ?(?:([-+]?\d+)|\(\s*([-+]?\d+)\s*\))(?![\d.])"
)
_RANGE = re.compile(r"(?<![A-Za-z\d./*^)])\d+(?:\.\d+)? ?[~～∼] ?\d")
_LISTED = re.compile(r"(?<![\d.，])([1-9１-９]\d{0,2})，([1-9１-９]\d{2})(?![，\d])")
_COUNTED = re.compile(r"(?<![A-Za-z\d.^])(?:\d+(?:\.\d+)? ?[百千万亿十]+ ?)+\d*")
_THOUSANDS = re.compile(rf"(?<![A-Za-z\d.^])(\d+(?:\.\d+)?) ?({'|'.join(ENGLISH)})\b", re.IGNORECASE)
_GROUPS = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:[, \u2009]\d{3})+(?!\d)")
_ALIGNED = re.compile(r"\\begin *\{(aligned|align\*?|split)\}(.*?)\\end *\{\1\}", re.DOTALL)
_ROW = re.compile(r"(?:\s|\\q?quad|\{\})*(?:[-+*/=≈<>≤≥]|\\(?:approx|simeq|[gl]eq?|[gl]t|to|cdot|times)(?![A-Za-z]))")
_SET = re.compile(r"\$?(?:\w+ ?(?:=|∈|\\in|in) ?)?\\?\{[^{}\\<>=≤≥]*\\?\}\$?")
_COMMA = re.compile(r"(?<![A-Za-z\d.,])(\d+),(\d+)(?![\d,.])")
_APART = re.compile(r"(?<![A-Za-z\d.])\d[\d.]*(?:, |; ?|、 ?)\d")
_MACROS = {  # the plain text of macros without arguments
    **{name: {"~=": "≈", "->": "≈", "oo": "∞"}.get(sign, sign) for name, sign in SIGNS.items()},
    **dict.fromkeys(("sim", "cong"), "≈"), "gtrsim": ">", "lesssim": "<", "in": "∈", "star": "*",
    **dict.fromkeys(("emptyset", "varnothing"), "∅"), "lceil": "ceil(", "lfloor": "floor(", "lvert": "abs(",
    **dict.fromkeys(("rceil", "rfloor", "rvert", "}"), ")"), "{": "(", "max": "max", "min": "min", "ln": "ln",
    **{name: name for name in GREEK}, "mu": "µ", "pi": "π", "ldotp": ".", "%": "%",
    **dict.fromkeys((*SILENT, *" ;:\n", "$", "quad", "qquad", "enspace", "textstyle", "tag", "label"), ""),
}  # fmt: skip
_BRACE = re.compile(r"(?:\\left *)?\\\{")
_WORDS = (*TEXTS, "textbf", "rm", "boxed", "fbox")


def one_line(answer: str) -> str:
    """Return an answer on one line, without full-width letters and with single blanks, as the patterns need it.

    Raises RoofproofError for an answer that is too long.

    >>> one_line("  B   > 240"), one_line("Ｂ > 240")
    ('B > 240', 'B > 240')
    """
    if len(answer) > MAX_ANSWER:
        raise RoofproofError(
            "the answer has <count> characters; the limit is <most>", count=len(answer), most=MAX_ANSWER
        )
    return " ".join(answer.translate(_LETTERS).split())


def unmarked(answer: str) -> str:
    """Return an answer without Markdown marks around it or around a part of it. The power sign `**` stays.

    >>> unmarked("**B > 240**"), unmarked("B > `240`"), unmarked("2**3 * 4**5")
    ('B > 240', 'B > 240', '2**3 * 4**5')
    """
    return _MARKED.sub(r"\g<before>\g<said>", answer)


def in_one_row(answer: str) -> str:
    r"""Return an answer with each aligned LaTeX chain in one row, if all rows align at a relation or an operator.

    >>> in_one_row(r"\begin{aligned} I &= B/2 \\ &= 3 \end{aligned}")
    ' I  = B/2    = 3 '
    """

    def joined(found: re.Match[str]) -> str:
        rows = found[2].split(r"\\")
        chain = all("&" in row and _ROW.match(row.rpartition("&")[2]) for row in rows)
        return " ".join(rows).replace("&", " ") if chain else found[0]

    return _ALIGNED.sub(joined, answer)


def plain_text(answer: str, unknown: str | None = None) -> str:
    r"""Return an answer on one line of plain characters, with ungrouped digits and without LaTeX.

    >>> plain_text(r"$B \geq \dfrac{1}{2} \cdot 1.5\times10^{3}$")
    'B >= ((1)/(2)) * 1.5e3'
    >>> plain_text("B ≥ ½D² − 1,024"), plain_text("（２BDF）／３")
    ('B >= (1/2)D^2 - 1024', '(2BDF)/3')

    >>> plain_text("333⅓"), plain_text("$M \\in [152, \\infty)$", "M"), plain_text("二百四十以上")
    ('(333+1/3)', 'M >= 152', '240以上')

    An interval becomes a bound on the unknown, if there is one. Raises RoofproofError for an answer that is empty or
    too long, and for LaTeX that cannot be read.
    """
    text = one_line(answer)
    if not text:
        raise RoofproofError("the answer is empty")
    if _SET.fullmatch(text):
        raise RoofproofError("a set of sizes; write a bound such as B > 240")
    if _RANGE.search(text):
        raise RoofproofError("a range of numbers; expected one, or a bound such as B > 240")
    listed = _LISTED.search(text)
    if listed and int(listed[2]) <= 2 * int(listed[1]):  # 240，300 is two numbers, but 1，024 and 8，192 are one each
        raise RoofproofError("two numbers; expected one")
    text = re.sub(r"~(?=\\(?:text|mathrm|textrm|mbox|rm)(?![A-Za-z]))", " ", text)  # a LaTeX blank before a unit
    text = _SHARES.sub(_share, text)
    text = re.sub(f"[{''.join(_SUPERSCRIPTS)}]+", _raised, text)
    text = re.sub("(?<![<-])->", "→", unicodedata.normalize("NFKC", text.translate(_SIGNS))).translate(_SIGNS)
    text = re.sub(r"\\[()\[\]]|\$", " ", text)
    if "\\" in text or "{" in text:
        text = _written_out(text)
        if mixed := _MIXED.search(text):  # 2\frac{1}{2}: a mixed number, or a product
            number = "{} {}/{}".format(*mixed.groups())
            raise RoofproofError("<number> has two readings; write a sum or a product", number=quoted(number))
    text = re.sub(r"\s+", " ", text.replace("**", "^")).strip()
    text = re.sub(r"\|([^|]+)\|", r" abs(\1)", re.sub(r"([<>]) =", r"\1=", text))
    text = re.sub(r"µ (?=s\b)", "µ", re.sub(r"log ?_ ?\(?2\)?", "log2", text))
    text = re.sub(r"(?<=[\w)%°.]) ?[.;,!]$", "", text)
    text = in_digits(text)
    text = re.sub(r"(?<![A-Za-z\d_])oo(?![A-Za-z\d_])", "∞", text)
    if points := _POINTS.search(text):
        raise RoofproofError("<number> has more than one decimal point", number=quoted(points[0]))
    if unknown:
        text = as_bound(text, unknown)
    before = [text[: found.start()] for found in _APART.finditer(text)]
    if any(start.count("(") == start.count(")") for start in before):  # not in max(2, 3)
        raise RoofproofError("two numbers; expected one")
    text = _GROUPS.sub(lambda m: m[0] if _is_listed(m) else re.sub(r"[, \u2009]", "", m[0]), text)
    for found in _COMMA.finditer(text):
        if not _is_listed(found):
            number, point = found[0], f"{found[1]}.{found[2]}"
            raise RoofproofError(
                "is <number> one number? write it with a decimal point: <point>", number=number, point=point
            )
    text = _COUNTED.sub(_counted, text)
    text = _THOUSANDS.sub(lambda m: f"{m[1]}e{ENGLISH[m[2].lower()]}", text)
    return _POWER_OF_TEN.sub(lambda m: f"{m[1]}e{int(m[2] or m[3])}", text)


def _is_listed(found: re.Match[str]) -> bool:
    """Return whether a comma separates the arguments of a function: max(2,272)."""
    return "," in found[0] and in_function(found.string[: found.start()])


def _counted(found: re.Match[str]) -> str:
    """Return 1.5万 as 1.5e4 and 3565万1584 as 35651584. Raises RoofproofError for two readings, as in 1万5."""
    parts = re.findall(r"(\d+(?:\.\d+)?) ?([百千万亿十]*)", found[0])
    if any(unit and unit not in CHINESE for _, unit in parts):
        return found[0]  # an unknown word, which the parser rejects with its position
    before = found.string[: found.start()].rstrip()
    powers = [CHINESE.get(unit, 0) for _, unit in parts]
    if before.endswith("/") and not re.search("[百千万亿] ?/$", before):
        raise RoofproofError("<number> has two readings; add parentheses", number=quoted(before[-8:] + found[0]))
    if len(parts) == 1:
        return f"{parts[0][0]}e{powers[0]}"
    for (digits, _), power, above in zip(parts[1:], powers[1:], powers, strict=False):
        fits = len(digits) + power <= above if power else len(digits) == above
        if not digits.isdigit() or not parts[0][0].isdigit() or not fits:
            raise RoofproofError("<number> has two readings; write it in digits", number=quoted(found[0]))
    return str(sum(int(digits) * 10**power for (digits, _), power in zip(parts, powers, strict=True)))


def _share(found: re.Match[str]) -> str:
    """Return ½ as (1/2), and 2½ as (2+1/2), a mixed number and not a product."""
    share = unicodedata.normalize("NFKC", found[2]).replace("⁄", "/")
    return f"({found[1]}+{share})" if found[1] else f"({share})"


def _raised(found: re.Match[str]) -> str:
    power = "".join(_SUPERSCRIPTS[c] for c in found[0])
    return f"^{power}" if power.isdigit() else f"^({power})"


def _written_out(text: str) -> str:
    for brace in _BRACE.finditer(text):
        if not text[: brace.start()].rstrip().endswith((r"\max", r"\min")):  # the brace begins a set
            raise RoofproofError("\\<name> in an answer cannot be read", name="{")
    return "".join(map(_node, parse_tex(text)))


def _node(node: Node) -> str:
    """Return a LaTeX node as plain text. Raises RoofproofError for LaTeX that has no plain form."""
    match node:
        case "%":
            raise RoofproofError("<latex> in an answer cannot be read", latex=quoted("%"))
        case str():
            return node
        case Group(inside=inside):
            text = "".join(map(_node, inside))
            return (
                text.strip()
                if node.math or not inside or re.fullmatch(r" *(?:\w+|[-+*/,=<>≈]) *", text)
                else f"({text})"
            )
    name, arguments = node.name, ["".join(map(_node, argument)) for argument in node.arguments]
    if name in (*FRACTIONS, "nicefrac"):
        return "(({})/({}))".format(*arguments)
    if name == "sqrt" and len(arguments) == 2:
        return f"(({arguments[1]})^(1/({arguments[0]})))"
    if name == "sqrt":
        return f"sqrt({arguments[0]})"
    if name in _WORDS:
        return f" {' '.join(arguments)} "
    if name == "log":
        return " log"
    if name in _MACROS:
        return f" {_MACROS[name]} "
    raise RoofproofError("\\<name> in an answer cannot be read", name=name)
