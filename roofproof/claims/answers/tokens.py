"""The words, numbers and signs of an answer. A word has a meaning in `phrases.toml` or is a size of the question."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.units import near_unit, unit_of

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?![\d.]*\.\d))|(?P<word>[A-Za-zµ][A-Za-z0-9_]*|π)"
    r"|(?P<han>[\u3400-\u9fff]+)|(?P<relation>>=|<=|==|[<>=≈])|(?P<sign>[-+*/^()\[\]%:]))"
)
FUNCTIONS = ("sqrt", "log2", "ln", "max", "min", "abs", "ceil", "floor", "ceiling")  # derivations print `ceiling`


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign, with the offset of its end in the text."""

    kind: str  # number, name, sign, relation, unit, label, subject, filler, counted
    text: str
    end: int = 0


class Unreadable(RoofproofError):
    """The error for an answer that cannot be read, with the text that was understood and the rest."""

    def __init__(self, why: str, so_far: str = "", rest: str = "", /, **parts: object) -> None:
        super().__init__(why, **parts)
        self.so_far, self.rest = so_far, rest


@cache
def _phrases() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the meanings of each phrase, as pairs of a kind and a meaning."""
    data = tomllib.loads((files(__package__) / "phrases.toml").read_text(encoding="utf-8"))
    kinds = {"relations": "relation", "after": "after", "labels": "label", "subjects": "subject", "fillers": "filler",
             "units": "unit", "counted": "counted", "clauses": "clause", "resources": "resource",
             "words": "word", "than": "than", "signs": "said"}  # fmt: skip
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for table, kind in kinds.items():
        for meaning, phrases in data[table].items():
            for phrase in phrases:
                found[phrase] = (*found.get(phrase, ()), (kind, meaning))
    return found


@cache
def _longest() -> int:
    return max(map(len, _phrases()))


def tokens(text: str, names: Collection[str], asks: str, unknown: str | None) -> Iterator[Token]:
    place, valued = 0, False  # `valued`: the last token, apart from fillers, was a value
    while text[place:].strip():
        start = place + len(text[place:]) - len(text[place:].lstrip())
        if between := re.match(r"=[<>]", text[start:]):  # `=>` may mean "implies" or "at least"
            raise Unreadable(
                "<sign> has two readings; write <other>",
                text[:start].strip(),
                text[start:],
                sign=quoted(between[0]),
                other=between[0][::-1],
            )
        if text[start] == "," and in_function(text[:start]):
            place = start + 1
            yield Token("sign", ",", place)
            continue
        if phrase := _phrase_at(text, start, names, asks, unknown, valued):
            kind, meaning, place = phrase
            valued = valued if kind == "filler" else kind in ("unit", "counted")
            yield Token(kind, meaning, place)
            continue
        found = _TOKEN.match(text, place)
        if found is None or found["han"]:
            word = re.match(r"[\u3400-\u9fff]+|\S", text[start:])
            raise Unreadable(
                "<word> is not understood",
                text[:start].strip(),
                text[start:],
                word=quoted(word[0] if word else text[start:]),
            )
        place = found.end()
        if found["word"] == "I" and unknown and "I" not in names:
            raise Unreadable("solve the inequality for <name>", text[:start].strip(), text[start:], name=unknown)
        if found["word"]:
            yield from _name(found["word"], names, text, start, place)
            valued = found["word"] != unknown
        else:
            valued = bool(found["number"]) or found["sign"] in (")", "]", "%")
            kind = next(k for k in ("number", "relation", "sign") if found[k])
            yield Token(kind, {"==": "=", "[": "(", "]": ")"}.get(found[kind], found[kind]), place)


def in_function(before: str) -> bool:
    """Return whether a text ends inside the parentheses of `max` or `min`."""
    return bool(re.search(r"\b(?:max|min) ?\(", before)) and before.count("(") > before.count(")")


def _phrase_at(
    text: str, start: int, names: Collection[str], asks: str, unknown: str | None, valued: bool
) -> tuple[str, str, int] | None:
    """Return the kind, the meaning and the end of the longest phrase at an offset, None if there is none."""
    word = re.match(r"[A-Za-zµ][A-Za-z0-9_]*", text[start:])
    if word and (word[0] in names or (word[0] == unknown)):
        return None
    if re.match(rf"(?:{'|'.join(FUNCTIONS)}) ?\(", text[start:]):  # `max(...)` is a function, not a bound
        return None
    spelled = _unit_at(text, start, asks)
    if spelled and ("/" in spelled[1] or asks == "time"):  # FLOP/s is not FLOP, and "3 min" is not a bound
        return spelled
    for end, kinds in _phrases_at(text, start):
        for kind, meaning in kinds:
            if _fits(kind, meaning, text[start:end], text[:start], text[end:], asks, unknown, valued):
                return ("label" if kind == "resource" else kind), meaning, end
    if spelled:
        return spelled
    return None


def _phrases_at(text: str, start: int) -> Iterator[tuple[int, tuple[tuple[str, str], ...]]]:
    """Yield the end and the meanings of each phrase at an offset, the longest first."""
    for end in range(min(_longest() + start, len(text)), start, -1):
        said = text[start:end]
        if said.isascii() and text[end : end + 1].isalnum() and said[-1].isalnum() and text[end].isascii():
            continue
        if kinds := _phrases().get(said.lower()):
            yield end, kinds


def phrase_of(text: str, start: int) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Return the length and the meanings of the longest phrase at an offset, which must begin a word.

    >>> phrase_of("B, as long as D > 240", 3), phrase_of("B", 0)
    ((10, (('clause', 'when'),)), (0, ()))
    """
    inside = re.match(r"[A-Za-z0-9_\\]", text[max(start - 1, 0) : start]) and text[start : start + 1].isascii()
    end, kinds = (start, ()) if inside else next(_phrases_at(text, start), (start, ()))
    return end - start, kinds


def _unit_at(text: str, start: int, asks: str) -> tuple[str, str, int] | None:
    """Return the whole unit after a value, such as `FLOP/s`, in the spelling of the claim language."""
    spelled = re.match(r"[A-Za-zµ]+(?:/[A-Za-z]+)*(?![A-Za-z0-9_]|/(?! ?[\d(]))", text[start:])
    if spelled is None or not re.search(r"[\d)\]A-Za-z] ?$", text[:start]):
        return None
    rate = asks in RATES and spelled[0].endswith("OPS")  # 197 TFLOPS is the rate of a chip, elsewhere a count
    said = spelled[0] if rate else re.sub(r"(?i)flops?\b", "FLOP", spelled[0])
    unit = SPELLINGS.get(said) or LETTERS.get(asks, {}).get(said, said)
    return ("unit", unit, start + len(spelled[0])) if unit_of(unit) else None


RATES = ("ridge", "time")  # quantities for which FLOPS means FLOP/s
SPELLINGS = {"KB": "kB"}  # common spellings, case-sensitive because kb is kilobit


LETTERS = {
    "bytes": {"B": "byte"},
    "memory": {"B": "byte"},
    "time": {"s": "second", "min": "minute"},
}  # letters that are units of the quantity asked for
_SUBJECTS = {
    "threshold": ("size", "batch", "smallest", "largest"),
    "smallest": ("size", "batch", "smallest", "largest"),
    "largest": ("size", "batch", "smallest", "largest"),
    "rule": ("size", "batch", "smallest", "largest"),
}


def _fits(
    kind: str, meaning: str, said: str, before: str, after: str, asks: str, unknown: str | None, valued: bool
) -> bool:
    """Return whether a phrase can have this meaning here: a subject must be the quantity asked for, for example."""
    if kind not in ("unit", "counted", "after") and said[0].isascii() and re.search(r"[A-Za-z0-9]$", before):
        return False  # "272i", "2the": a word does not begin inside a number
    if meaning == "before" and (valued or not re.match(r"\s*[\w√.($\\]", after)):
        return False  # in "I > 240", "I" is the intensity and not a filler
    if kind in ("clause", "resource", "than"):
        return (kind == "resource" and asks == "bound") or (kind == "than" and "比" in before)
    follows = bool(re.search(r"[\w)%]\s*$", before))
    if kind == "subject":
        if valued:
            return False
        if meaning == "batch" and unknown not in ("B", "b", "N"):
            return False
        return meaning == "any" or meaning in _SUBJECTS.get(asks, (asks,))
    return follows or kind not in ("unit", "after", "counted", "said")


def _name(word: str, names: Collection[str], text: str, start: int, end: int) -> Iterator[Token]:
    """Yield a name of the question, or the names in a product. `pi` is the number unless a size has that name."""
    if word in names or word in FUNCTIONS or word == "π":
        yield Token("name", {"π": "pi", "ceiling": "ceil", "ln": "log"}.get(word, word), end)
        return
    rest, found, known = word, [], names if {"p", "i"} <= {*names} else {*names, "pi"}
    while rest:
        name = rest if rest in FUNCTIONS else max((n for n in known if rest.startswith(n)), key=len, default="")
        if not name and (near := near_unit(word)):
            said = "<word> is not a unit; did you mean <near>?"
            raise Unreadable(said, text[:start].strip(), text[start:], word=quoted(word), near=near)
        if not name:
            why = "<word> is not understood; the sizes are <names>" if names else "<word> is not understood"
            raise Unreadable(why, text[:start].strip(), text[start:], word=quoted(word), names=", ".join(names))
        found.append(name)
        rest = rest[len(name) :]
        if power := re.match(r"\d+$", rest):
            raise Unreadable(
                "<word> has a number after a letter; write <letter>^<power>",
                text[:start].strip(),
                text[start:],
                word=quoted(word),
                letter=word[: -len(power[0])],
                power=power[0],
            )
    for k, name in enumerate(found, 1):
        yield Token("name", name, end - sum(map(len, found[k:])))
