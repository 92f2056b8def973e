"""Conversion of spelled-out numbers to digits: 二百四十 is 240, 八分之一 is (1/8), three sevenths is (3/7)."""

from __future__ import annotations

import re

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.magnitudes import CHINESE

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS: list[tuple[str, int]] = [(sign, 10**power) for sign, power in CHINESE.items() if len(sign) == 1][::-1]
_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_SPELLED = re.compile(  # 一共, 一直, 唯一, 十分, 千字节 are ordinary words. After a digit, a character is its unit
    rf"(?<![\d.{_NUMERAL}点唯任统单同第每])(?<!\d )(?:[{_NUMERAL}]+)(?![共直些定样般旦致半])"
    rf"(?:点([{''.join(_DIGITS)}]+))?"
)
_PERCENT = re.compile(r"百分之 ?(\d+(?:\.\d+)?)")
_FRACTION = re.compile(r"(\d+) ?分之 ?(\d+)")


_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
          "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
          "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "sixteenth": 16}  # fmt: skip
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_IN_ENGLISH = re.compile(
    rf"(?i)\b((?:{_WORD})(?:(?:[ -](?:and )?)(?:{_WORD}|hundred|thousand))*)(?:[ -]({'|'.join(_PARTS)})s?)?\b"
)


def in_english_digits(text: str) -> str:
    """Return a text with English number words as digits. A single `one` stays a word.

    >>> in_english_digits("at least two hundred and seventy-three"), in_english_digits("one needs three sevenths")
    ('at least 273', 'one needs (3/7)')
    >>> in_english_digits("one third of twenty"), in_english_digits("two three")
    ('(1/3) of 20', 'two three')
    """
    return _IN_ENGLISH.sub(_spelled_in_english, text)


def _spelled_in_english(found: re.Match[str]) -> str:
    words = [w for w in re.split(r"[ -]", found[1].lower()) if w != "and"]
    part = _PARTS.get((found[2] or "").lower())
    if words == ["one"] and part is None:
        return found[0]
    total = count = 0
    last = 10**6  # each word counts less than the one before it
    for word in words:
        if word == "thousand":
            total, count, last = total + 1000 * count, 0, 1000
        elif word == "hundred":
            count, last = 100 * count, 100
        else:
            n = _WORDS[word]
            if last <= n or (n >= 10 and last < 100):
                return found[0]  # "two three" is not a number
            count, last = count + n, 10 if n >= 20 and n % 10 == 0 else 1
    return f"({total + count}/{part})" if part else str(total + count)


def in_digits(text: str) -> str:
    """Return a text with Chinese numerals as digits.

    >>> in_digits("至少二百四十"), in_digits("三百零五万"), in_digits("一点五万"), in_digits("百分之十二点五")
    ('至少240', '3050000', '1.5万', '12.5%')
    >>> in_digits("八分之一"), in_digits("二〇四八"), in_digits("一共 240")
    ('(1/8)', '2048', '一共 240')

    Raises RoofproofError for a numeral with two readings, such as 一万五.
    """
    text = _SPELLED.sub(_spelled, text)
    text = _PERCENT.sub(r"\1%", text)
    return _FRACTION.sub(r"(\2/\1)", text)


def _spelled(found: re.Match[str]) -> str:
    whole = found[0].partition("点")[0]
    if all(c in _DIGITS for c in whole):
        number = "".join(str(_DIGITS[c]) for c in whole)
    elif (value := _value(whole, found[0])) is None:
        return found[0]  # an unknown word, which the parser rejects with its position
    else:
        number = str(value)
    return f"{number}.{''.join(str(_DIGITS[c]) for c in found[1])}" if found[1] else number


def _value(spelled: str, whole: str) -> int | None:
    """Return the value of a numeral, None for other characters: a single 千, 百千."""
    if spelled in _DIGITS:
        return _DIGITS[spelled]
    for unit, size in _UNITS:
        before, there, after = spelled.rpartition(unit)
        if not there:
            continue
        count = 1 if unit == "十" and not before else _value(before, whole)
        if count is None or (size < 10**4 and count > 9):
            return None
        rest = after.lstrip("零〇")
        least = _value(rest, whole) if rest else 0
        if least is None or least >= size or (after and not rest):
            return None
        if rest == after and len(rest) == 1 and size > 10:
            raise RoofproofError("<number> has two readings; write it in digits", number=quoted(whole))
        return count * size + least
    return None
