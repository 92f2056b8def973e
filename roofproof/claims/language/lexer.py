"""What a word is: a function, a unit, a keyword or a name. It depends on its neighbours and on what is declared."""

import re
from collections.abc import Collection

from lark import Token

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS, KEYWORDS
from roofproof.formula.tokens import error_at
from roofproof.formula.units import COUNTS, LETTERS, MEASURES, is_unit, is_word, near_unit, unit_of

KINDS = ("integer", "integers", "real", "reals", "positive", "nonnegative")
_FACTORS = ("NAME", "RPAR", "NUMBER", "SUPERSCRIPT")  # where a product may end: 8 n byte, (a + b) ms, n² bytes
_BETWEEN = ("", "RELATION", "PLUS", "MINUS", "COMMA", "SEMICOLON", "AND", "OR", "IFF", "IMPLIES")
_GOES_ON = ("NAME", "NUMBER", "LPAR")  # what a factor that is no unit may stand before: 6 params n
_LEAST_WORD = 3  # letters from which a name with "(" right after it is taken for a function, not for a factor

_FUNCTIONS = re.compile("sin|cos|tan|exp|ln|lg|log|sinh|cosh|tanh|softmax|sigmoid|relu|gelu|argsort")
_POWERS = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_WORDS = re.compile(
    "thousand|million|billion|trillion|"
    "if|where|when|given|for|is|are|has|about|approximately|roughly|percent|large|small|larger|smaller|than|then|else|"
    "otherwise|at|of|on|by|with|per|times|over|plus|minus|divided|equals|equal|greater|less|most|least|mod"
)

Doubt = tuple[int, int, RoofproofError]
"""An error that stands unless the words from one offset to the other turn out to name a chip or an operation."""


def classified(
    tokens: list[Token], declared: Collection[str], given: bool = False, plain: bool = False, letters: bool = False
) -> tuple[list[Token], list[Doubt]]:
    """Return the tokens with every word's type settled, units as one token, and what is doubtful about them.

    `declared` names win over units. `given` tells that `integer` and the like may follow names; `plain` that
    every word is a name or a function of arithmetic, as in LaTeX; `letters` that in `2 s` the letter is a unit, where
    it does not stand for itself elsewhere.
    Raises RoofproofError for a function that is not known.
    """
    found: list[Token] = []
    doubts: list[Doubt] = []
    bound = _bound(tokens)
    declared = frozenset(declared) | {str(tokens[k]) for k in bound if tokens[k] not in KINDS}
    spoken = frozenset[str]() if plain else _names_elsewhere(tokens)
    letters = letters and not plain
    measures = ("PERCENT",) if plain else ("NAME", "MICRO", "PERCENT")
    i = 0
    while i < len(tokens):
        token, word = tokens[i], str(tokens[i])
        before = found[-1].type if found else ""
        after = tokens[i + 1].type if i + 1 < len(tokens) else ""
        function = FUNCTIONS.get(word)
        if token.type in measures and not (after == "LPAR" and function):  # 2 bytes(mm)
            unit, used = _unit(tokens, i, declared | spoken)
            numbered = _after_number(found)
            if letters and not unit and _is_measure(tokens, i, found, declared | spoken):
                unit, used = _joined(word, token, token), 1
            if unit and (numbered or (before in _FACTORS and any(map(is_unit, unit.split("/"))))):
                _join_fraction(found)
                found.append(unit)
                i += used
                continue
            if unit and is_word(word):
                said = "<word> is a unit; it stands after a number, as in <example>"
                doubts.append(_doubt(token, said, word=quoted(word), example=quoted(f"2 {unit}")))
            near = near_unit(word) if numbered and word not in declared else None
            if near:
                doubts.append(_doubt(token, "<word> is no unit; did you mean <near>?", word=quoted(word), near=near))
        if token.type in ("CARET", "SUPERSCRIPT") and before == "UNIT":
            raise error_at(
                token.start_pos or 0,
                "a power of <unit> can be read two ways; write '(2 <unit>)^2' or '2 <unit> * 1 <unit>'",
                unit=str(found[-1]),
            )
        if token.type == "NAME" and before == "DIVIDE" and found[-2:-1] and found[-2].type == "UNIT":
            glued = found[-1].start_pos == found[-2].end_pos and found[-1].end_pos == token.start_pos
            if glued and word not in declared and (near := near_unit(word)):
                doubts.append(_doubt(token, "<word> is no unit; did you mean <near>?", word=quoted(word), near=near))
        if token.type == "UNIT":  # told apart in LaTeX already
            _join_fraction(found)
        if token.type == "NAME":
            if word == "oo":
                token.type = "INFINITY"
            elif (given or i in bound) and word in KINDS and before in ("NAME", "KIND", "NUMBER", "RPAR"):
                token.type = "KIND"
            elif given and word == "in" and after == "LBRACE":
                token.type = "IN"
            elif function and (function.reserved or word not in declared) and (after == "LPAR" or word != "log"):
                if after == "LPAR":
                    token.type = "CALLED"
                elif function.reserved and (not plain or word in ARITHMETIC):  # \text{bytes} is a name
                    said = "<word> is a function; it is called as <usage>"
                    doubts.append(_doubt(token, said, word=word, usage=function.usage))
            elif not plain and after != "LPAR" and word not in declared and _is_unread(word):
                doubts.append(_unread(token))
            elif after == "LPAR" and not plain:
                if word not in declared and (_FUNCTIONS.fullmatch(word) or _looks_called(tokens, i)):
                    raise error_at(token.start_pos or 0, unknown_function(word).said)
                inside = tokens[i + 2 : i + 4]
                glued = token.end_pos == tokens[i + 1].start_pos
                if glued and [t.type for t in inside] in (["NAME", "RPAR"], ["NUMBER", "RPAR"]):
                    raise error_at(
                        token.start_pos or 0,
                        "'<word>(<of>)' may be <word> at <of> or a product; write '<word> * <of>' for the product",
                        word=word,
                        of=str(inside[0]),
                    )
        found.append(token)
        i += 1
    return found, doubts


def _bound(tokens: list[Token]) -> frozenset[int]:
    """Return the places of the names, and of words such as `integer`, between `exists` or `for all` and the colon."""
    found: set[int] = set()
    inside = False
    for k, token in enumerate(tokens):
        inside = token.type in ("EXISTS", "FORALL") or (inside and token.type != "COLON")
        found.update([k] if inside and token.type == "NAME" else [])
    return frozenset(found)


def _doubt(token: Token, message: str, **parts: object) -> Doubt:
    start, end = token.start_pos or 0, token.end_pos or 0
    return start, end, error_at(start, message, **parts)


def _is_unread(word: str) -> bool:
    return bool(_FUNCTIONS.fullmatch(word) or _WORDS.fullmatch(word))


def _unread(token: Token) -> Doubt:
    """Return that a word of a sentence, or a function without brackets, is no name."""
    word = str(token)
    if _FUNCTIONS.fullmatch(word):
        said = "<word> is read as a function; it is no function that is known"
        said = "<word> is read as a function; write '<name>(...)'" if word in FUNCTIONS else said
        return _doubt(token, said, word=quoted(word), name=word)
    if word in _POWERS:
        cure = quoted(f"* 10^{_POWERS[word]}")
        return _doubt(token, "<word> is no name; write <cure>", word=quoted(word), cure=cure)
    return _doubt(token, "<word> is no name; expected a formula such as 'B > 240 => B D > 1'", word=quoted(word))


def unknown_function(word: str) -> RoofproofError:
    """Return the error for a function that is not known.

    >>> print(unknown_function("intensty"))
    unknown function 'intensty'; did you mean 'intensity'?
    >>> print(unknown_function("qux"))
    unknown function 'qux'; for a product write 'qux * (...)'
    """
    if word == "ln":
        return RoofproofError("unknown function 'ln'; write 'log(...)' for the natural logarithm")
    error = unknown("function", word, FUNCTIONS)
    if "did you mean" in str(error):
        return error
    return RoofproofError(
        "unknown function <word>; for a product write <product>",
        word=quoted(word),
        product=repr(f"{word[:20]} * (...)"),
    )


def _names_elsewhere(tokens: list[Token]) -> frozenset[str]:
    """Return the words that could be a unit or a name and stand where no unit can: there they are names.

    Of what is hardly a unit, such as Pb, that is a place beside names and signs, `W/Pb` or `Pb^2`; of GB none is.
    """
    types = ["", *(token.type for token in tokens), ""]
    names = []
    for k, (token, before, after) in enumerate(zip(tokens, types, types[2:], strict=False)):
        word = str(token)
        if token.type != "NAME":
            continue
        bits = len(word) == 2 and word.endswith("b") and is_word(word)
        if word in MEASURES:
            named = not _after_number(tokens[max(0, k - 6) : k]) and before != "DIVIDE"
        elif word.removesuffix("s") in COUNTS:  # no unit are 2/GPU, and params in 6 params n
            below = before == "DIVIDE" and k > 1 and tokens[k - 2].type in ("NAME", "UNIT")
            named = not (before in _FACTORS or below) or after in _GOES_ON
        else:
            named = bits and _no_unit_before(tokens, k, before) and _no_unit_after(tokens, k, after)
        if named:
            names.append(word)
    return frozenset(names)


def _no_unit_before(tokens: list[Token], k: int, before: str) -> bool:
    """Tell whether a unit cannot stand at a place for what is before it: a unit follows a number, or one and `/`."""
    if before in ("TIMES", "DIVIDE"):
        above = tokens[k - 2] if k > 1 else None
        return above is not None and (above.type == "RPAR" or (above.type == "NAME" and not _may_be_unit(above)))
    return before in (*_BETWEEN, "LPAR")


def _no_unit_after(tokens: list[Token], k: int, after: str) -> bool:
    """Tell whether what stands after a word goes on with a value, and not with another unit, as in `Pb/s`."""
    beyond = tokens[k + 1 + (after == "DIVIDE") :][:1]
    if after in ("NAME", "DIVIDE"):
        return bool(beyond) and not _may_be_unit(beyond[0])
    return after in (*_BETWEEN, "RPAR", "TIMES", "CARET", "SUPERSCRIPT")


def _may_be_unit(token: Token) -> bool:
    return token.type == "NAME" and (is_word(str(token)) or str(token) in LETTERS)


def _is_measure(tokens: list[Token], i: int, found: list[Token], named: Collection[str]) -> bool:
    """Tell whether a letter is a unit: right after a number, at the end of its factor, and nothing else is named so.

    `3/2 s` can be read three ways, and stays a name that is refused.
    """
    after = tokens[i + 1].type if i + 1 < len(tokens) else ""
    fraction = [t.type for t in found[-3:]] == ["NUMBER", "DIVIDE", "NUMBER"]
    ends = after not in ("NAME", "NUMBER", "LPAR", "CARET", "SUPERSCRIPT", "ROOT", "MICRO")
    return str(tokens[i]) in MEASURES - set(named) and _after_number(found) and ends and not fraction


def _after_number(found: list[Token]) -> bool:
    """Tell whether a unit may come next: after a number, or after a number raised to one (10^9, 10⁹, 10^(-9))."""
    types = [t.type for t in found[-6:]]
    if types == ["NUMBER", "CARET", "LPAR", "MINUS", "NUMBER", "RPAR"]:
        return True
    types = types[-3:]
    if types[-1:] == ["NUMBER"]:
        return types[-2:-1] != ["CARET"] or types == ["NUMBER", "CARET", "NUMBER"]
    return types[-2:] == ["NUMBER", "SUPERSCRIPT"]


def _unit(tokens: list[Token], i: int, declared: Collection[str]) -> tuple[Token | None, int]:
    """Return the unit that begins at token `i`, as one token, and how many it takes: `GFLOP/GB` is one."""
    first = tokens[i]
    text, last, used = str(first), first, 1
    both = text == "B" and text in declared  # B/s is a unit unless both are names
    while i + used + 1 < len(tokens):
        slash, word = tokens[i + used], tokens[i + used + 1]
        glued = slash.type == "DIVIDE" and last.end_pos == slash.start_pos and slash.end_pos == word.start_pos
        longer = f"{text}/{word}"
        if not glued or unit_of(longer) is None or (word in declared and (both or word not in LETTERS)):
            break
        if used > 2 and word in ("B", "b", "s"):  # FLOP/B/s might be FLOP/B over a name
            break
        text, last, used = longer, word, used + 2
    unit = unit_of(text)
    if unit is None or (used == 1 and text in declared) or (first in declared and text != "B/s"):
        return None, 0
    return _joined(text, first, last), used


def _join_fraction(found: list[Token]) -> None:
    """Make one token of `1/2` before a unit: half of it; written apart it might divide one by two of the unit."""
    types = [t.type for t in found[-4:]]
    if types[-3:] != ["NUMBER", "DIVIDE", "NUMBER"] or types[:-3] in (["DIVIDE"], ["CARET"]):
        return
    above, slash, below = found[-3:]
    text = f"{above}/{below}"
    if above.end_pos != slash.start_pos or slash.end_pos != below.start_pos:
        raise error_at(
            above.start_pos or 0,
            "two readings before a unit; write '<text> ...' for the fraction, "
            "'<above> / (<below> ...)' for the quotient",
            text=text,
            above=above,
            below=below,
        )
    found[-3:] = [_joined(text, above, below, "FRACTION")]


def _joined(text: str, first: Token, last: Token, kind: str = "UNIT") -> Token:
    return Token(kind, text, first.start_pos, first.line, first.column, last.end_line, last.end_column, last.end_pos)


def _looks_called(tokens: list[Token], i: int) -> bool:
    """Tell whether `name(...)` at token `i` is meant as a call: a long name, no argument, several, or a string."""
    if tokens[i].end_pos == tokens[i + 1].start_pos and len(tokens[i]) >= _LEAST_WORD:
        return True
    depth = 0
    for j in range(i + 1, len(tokens)):
        kind = tokens[j].type
        depth += (kind in ("LPAR", "LBRACE")) - (kind in ("RPAR", "RBRACE"))
        if depth == 0:
            return j == i + 2
        if depth == 1 and kind in ("COMMA", "TEXT"):
            return True
    return False


def is_name(text: str) -> bool:
    """Tell whether a text can be declared as a name.

    >>> is_name("T_math"), is_name("2x"), is_name("and")
    (True, False, False)
    """
    return text.isascii() and text.isidentifier() and text not in KEYWORDS
