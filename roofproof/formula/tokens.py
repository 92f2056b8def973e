"""Text to tokens: the checks before parsing, and the signs and words that a formula is made of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple, TypeVar

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.magnitudes import CHINESE
from roofproof.sentences import Sentence

MAX_TEXT = 10_000  # characters
MAX_NESTING = 100  # nested brackets, or signs in a row, that a recursive parser survives
MAX_NAME = 100  # characters
MAX_NUMBER = 60  # characters of a literal, and the decimal exponent in it
PLACED = "column <column>: <problem>"

T = TypeVar("T")


class Token(NamedTuple):
    """A piece of a text: a sign (its kind is the sign), or a number, name, power (superscript), string or unit.

    `at` and `end` are offsets into the text that the user wrote, also for LaTeX.
    """

    kind: str
    text: str
    at: int
    end: int


SIGNS = {  # other spellings of signs, by kind
    "⇔": "<=>", "⟺": "<=>", "⇒": "=>", "⟹": "=>", "≈": "~=", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "≫": ">>",
    "≪": "<<", "∼": "~",
    "∞": "oo", "∧": "and", "∨": "or", "¬": "not", "×": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "−": "-", "**": "^",
    "∈": "in", "∣": "|",
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
KEYWORDS = frozenset({"and", "or", "not", "oo"})
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<exists>exists(?=\s+[A-Za-z_][\w, ]*:)|∃)            # words only where names and a colon follow
  | (?P<for_all>for\s*all(?=\s+[A-Za-z_][\w, ]*:)|∀)
  | (?P<unit>[µμ]s(?!\w)|%)
  | (?P<pi>π(?!\w))
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*′*)
  | (?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
  | (?P<string>"[^"\n]*"|'[^'\n]*')
  | (?P<sign><=>|=>|==|!=|<=|>=|~=|->|>>|<<|\*\*|[-+*/^()\[\]{},;:@.√|∈∣~<>=⇔⟺⇒⟹≈≤≥≠→≫≪∼∞∧∨¬×·⋅∙÷−])
    )""",
    re.X,
)


def tokens(text: str, what: str = "a formula", *, primes: bool = False) -> list[Token]:
    """Return the tokens of a text, after checking its size, nesting and signs.

    >>> [(t.kind, t.text) for t in tokens("2 B ≤ 1.5e3 x²")]
    [('number', '2'), ('name', 'B'), ('<=', '<='), ('number', '1.5e3'), ('name', 'x'), ('power', '²')]

    `what` names the text in messages. With `primes`, n' is a name, and there are no strings in single quotes.
    Raises RoofproofError with the column for a sign that has no meaning.
    """
    written_text, text = text, text.replace("'", "′") if primes else text
    check_text(text.replace("′", "_") if primes else text, what)
    found: list[Token] = []
    at = 0
    while text[at:].strip():
        piece = _TOKEN.match(text, at)
        if piece is None:
            place = at + len(text[at:]) - len(text[at:].lstrip())
            unread = error_at(place, "unexpected <token>", token=repr(written_text[place]))
            raise with_cure(written_text, place) or unread
        kind = piece.lastgroup or ""
        written = piece[kind]
        start, at = piece.start(kind), piece.end()
        match kind:
            case "sign":
                kind = written = SIGNS.get(written, written)
            case "exists" | "for_all":
                kind = written = kind.replace("_", " ")
            case "name" if written.endswith("′"):
                written = written.replace("′", "'")
            case "pi":
                kind, written = "name", "pi"
            case "name" if written in KEYWORDS:
                kind = written
        found.append(Token(kind, written, start, at))
    return found


def error_at(position: int, message: str, /, **parts: object) -> RoofproofError:
    """Return the error for a position in a text. Columns count from 1.

    >>> print(error_at(0, "division by zero"))
    column 1: division by zero
    """
    problem = Sentence(message, **parts) if parts else message
    return RoofproofError(PLACED, column=position + 1, problem=problem)


INSTEAD = {  # signs of other languages, the longer ones first
    "===": "==", "<>": "!=", "=<": "<=", ":=": "==", "! =": "!=", "||": "or", "&&": "and", "//": "floor(a / b)",
    "|": "abs(a)", "&": "and", ";": "and", "∈": 'given = "n in {1, 2}"', "in {": 'given = "n in {1, 2}"',
}  # fmt: skip


def with_cure(text: str, at: int) -> RoofproofError | None:
    """Return the error for an unexpected sign with the text to write instead, or None if that is unknown.

    >>> print(with_cure("a <> b", 3))
    column 4: unexpected '<>'; write '!='
    """
    if text[at] == "\\" or (text[at] == "$" and text.count("$") > 1):
        cure = quoted("sqrt(a / b) <= c")
        return error_at(at, "this is LaTeX; write plain text, such as <cure>", cure=cure)
    if re.compile(r"(?<=\d),(?=\d{3}(?!\d))").match(text, at):
        return error_at(at, "',' after a digit; write the digits without it")
    for sign, cure in INSTEAD.items():
        if any(text.startswith(sign, start) for start in range(max(at - len(sign) + 1, 0), at + 1)):
            said = "unexpected <token>; write <cure>"
            return error_at(at, said, token=quoted(sign), cure=quoted(cure))
    return None


def placed(read: Callable[[str], T], word: str, position: int) -> T:
    """Read a word of a text. An error in it names its column.

    >>> placed(int, "12", 3)
    12
    """
    try:
        return read(word)
    except RoofproofError as problem:
        raise error_at(position, problem.said) from None


def exact_number(digits: str, position: int) -> Fraction:
    """Return the value of a decimal literal, exactly.

    >>> exact_number("1.97e14", 0)
    Fraction(197000000000000, 1)

    Raises RoofproofError for a literal beyond the bounds at the top of this file.
    """
    exponent = re.search(r"[eE]([+-]?\d+)", digits)
    if len(digits) > MAX_NUMBER or (exponent and abs(int(exponent[1])) > MAX_NUMBER):
        raise error_at(
            position,
            "number <digits> exceeds <most> characters or the exponent <most>",
            digits=quoted(digits, 20),
            most=MAX_NUMBER,
        )
    return Fraction(digits)


CLOSERS = {"(": ")", "[": "]", "{": "}", r"\{": r"\}"}
_STRINGS = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_OTHER = {*"".join(SIGNS), *"√⁰¹²³⁴⁵⁶⁷⁸⁹∃∀µμπ"}  # allowed signs beyond ASCII


def check_text(text: str, what: str) -> None:
    """Refuse, before any parsing, a text that is empty, too long, too deep, unbalanced or not in ASCII.

    >>> check_text("f(x", "an expression")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 2: '(' is never closed
    """
    if len(text) > MAX_TEXT:
        raise RoofproofError(
            "<what> has <count> characters; the limit is <most>", what=what, count=len(text), most=MAX_TEXT
        )
    text = _STRINGS.sub(lambda match: '"' * len(match[0]), text)  # their contents are not checked
    if not text.strip():
        raise RoofproofError("expected <what>, but the text is empty", what=what)
    for column, sign in enumerate(text):
        if not (" " <= sign <= "~" or sign in "\t\r\n\f\v" or sign in _OTHER):
            raise foreign_sign(text, column)
    check_brackets((sign, sign, column) for column, sign in enumerate(text))
    chain = re.search(rf"(?:[-+−√^*²³]\s*){{{MAX_NESTING + 1}}}", text)
    if chain:
        raise error_at(chain.start(), "more than <most> signs one after another", most=MAX_NESTING)
    word = re.search(rf"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]{{{MAX_NAME},}}", text)
    if word:
        count = len(word[0])
        raise error_at(word.start(), "the name has <count> characters; the limit is <most>", count=count, most=MAX_NAME)
    grouped = re.search(r"(?<![A-Za-z0-9_.])[0-9][0-9.]*(_)", text)
    if grouped:
        raise error_at(grouped.start(1), "'_' after a digit; write the digits without it")


def check_brackets(signs: Iterable[tuple[str, str, int]]) -> None:
    """Refuse unbalanced brackets, and brackets that are too deep. Each sign is a kind, a text and a position."""
    opened: list[tuple[str, int]] = []
    for kind, sign, position in signs:
        if kind in CLOSERS:
            opened.append((sign, position))
            if len(opened) > MAX_NESTING:
                raise error_at(position, "brackets are nested more than <most> deep", most=MAX_NESTING)
        elif kind in CLOSERS.values():
            if not opened:
                raise error_at(position, "<sign> closes nothing", sign=quoted(sign))
            opener, there = opened.pop()
            due = CLOSERS.get(opener)
            if due and sign in CLOSERS.values() and sign != due:
                said = "expected <due> for <opened> in column <column>, got <sign>"
                parts = {"sign": quoted(sign), "due": quoted(due), "opened": quoted(opener), "column": there + 1}
                raise error_at(position, said, **parts)
    if opened:
        raise error_at(opened[-1][1], "<sign> is never closed", sign=quoted(opened[-1][0]))


_WORDS = {
    "不等于": "!=", "大于等于": ">=", "小于等于": "<=", "当且仅当": "<=>", "大于": ">", "小于": "<", "等于": "==",
    "并且": "and", "而且": "and", "或者": "or", "且": "and", "或": "or", "非": "not", "加": "+", "减": "-",
    "乘以": "*", "除以": "/", "乘": "*", "约等于": "~=",
    "毫秒": "ms", "微秒": "us", "秒": "seconds", "字节": "bytes", "比特": "bits",
    "⌈": "ceil(a)", "⌊": "floor(a)", "⩾": ">=", "≧": ">=", "⩽": "<=", "≦": "<=", "≃": "~=", "≅": "~=", "∗": "*",
    "•": "*", "⁄": "/", "∕": "/", "∑": "sum(k, k, 1, n)",
    "、": ",", "。": ".", "—": "-", "–": "-", "“": '"', "”": '"', "‘": "'", "’": "'",
    **{word: f"* 10^{power}" for word, power in CHINESE.items() if word[-1] in "万亿"},
}  # fmt: skip


def foreign_sign(text: str, column: int) -> RoofproofError:
    """Return the error for the sign at a column (from 0), with the text to write instead if it is known.

    >>> print(foreign_sign("B ＞ 240", 2))                       # a full-width sign
    column 3: '＞' is FULLWIDTH GREATER-THAN SIGN; write '>'
    >>> print(foreign_sign("B > 3 且 B < 9", 6))
    column 7: '且' is not part of this language; write 'and'
    """
    sign = text[column]
    name = unicodedata.name(sign, f"U+{ord(sign):04X}")
    shown = repr(sign) if sign.isprintable() else ascii(sign)
    plain = unicodedata.normalize("NFKC", sign).replace("⁄", "/")
    if greek := re.fullmatch(r"GREEK \w+ LETTER (\w+)", name):
        plain = greek[1].lower().replace("lamda", "lambda")
    word = next((word for word in sorted(_WORDS, key=len, reverse=True) if text.startswith(word, column)), None)
    if word is not None and name.startswith("CJK"):
        cure = repr(_WORDS[word])
        return error_at(column, "<shown> is not part of this language; write <cure>", shown=repr(word), cure=cure)
    if word is not None or (name.startswith(("FULLWIDTH", "IDEOGRAPHIC SPACE", "GREEK", "VULGAR")) and plain.isascii()):
        cure = repr(_WORDS[word] if word else plain)
        return error_at(column, "<shown> is <name>; write <cure>", shown=shown, name=name, cure=cure)
    told = "<shown> is <name>; names are ASCII letters, digits and underscores"
    return error_at(column, told, shown=shown, name=name)
