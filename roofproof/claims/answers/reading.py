"""The parser of answers: the relation and the values that an answer states. Unknown words are rejected, not guessed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from roofproof.claims.answers.parsed import OPPOSITE, TURNED, Answer, Link
from roofproof.claims.answers.plain_text import plain_text
from roofproof.claims.answers.question import SOLVED
from roofproof.claims.answers.tokens import FUNCTIONS, LETTERS, Token, Unreadable, tokens
from roofproof.errors import RoofproofError, quoted
from roofproof.formula import tokens as formula
from roofproof.formula.printing import to_text
from roofproof.formula.reader import TWO_WAYS, Reader
from roofproof.formula.tree import Constant, Name, Op, Quantity, Tree, is_statement, rebuild, walk
from roofproof.formula.units import BYTE, FLOP, PLAIN, SECOND, SPELLED, Unit, dimension_text, per, unit_of
from roofproof.sentences import Sentence

_NAMED = re.compile(
    r"([A-Za-z][A-Za-z0-9]*)(?:(?:_ ?\(? ?(?:crit|c|min|max|critical|\*) ?\)?)|\^? ?\*|_\(\*\))"
    r"(?=\s*(?:[<>=≈是为约]|is\b|$))"
)
_OF_SIZES = re.compile(r"([A-Za-z]\w*) ?\(( ?[A-Za-z]\w*(?: ?, ?[A-Za-z]\w*)+ ?)\)(?= ?(?:[<>=≈:]))")
_PER_BYTE = re.compile(
    r"每(?:个)?字节 ?(约|大约)? ?(\d+(?:\.\d+)?(?:e-?\d+)?) ?(?:次浮点运算|次运算|次|flops?)$", re.IGNORECASE
)
_HEXADECIMAL = re.compile(r"(?<![\w.])0[xX] ?[0-9][0-9a-fA-F]*")
_DEFINED = {  # definitions of the quantity with which an answer may begin
    "intensity": r"flops? ?(?:/|over|per) ?bytes?|(?:计算量|运算量|浮点运算数) ?(?:/|除以) ?(?:字节数|访存量|数据量)",
    "ridge": r"peak ?(?:/|over) ?(?:bandwidth|bw)|P ?/ ?W|(?:峰值|算力|峰值算力) ?(?:/|除以) ?(?:带宽|内存带宽)",
}
MULTIPLY_ADD = Unit("multiply-add", Fraction(2), FLOP)
_RATES = (per(FLOP, SECOND), per(BYTE, SECOND))
NEVER_MEMORY_BOUND = "never memory-bound"  # always compute-bound, if no link is used
_TOGETHER = {
    frozenset(("always", "memory-bound")): "never",
    frozenset(("always", "compute-bound")): "always",
    frozenset(("never", "compute-bound")): "never",
    frozenset(("never", "memory-bound")): NEVER_MEMORY_BOUND,
}
MAX_TOKENS = 200
LETTER_OF = {"intensity": "I", "time": "Tt", "ridge": "R"}


def read_answer(
    text: str, names: Collection[str], asks: str, unknown: str | None = None, given: Collection[str] = ()
) -> Answer:
    """Parse an answer to a question. `names` are the sizes of the question.

    >>> str(read_answer("batch size 大于 1,024", ["B", "D", "F"], "threshold", "B"))
    'B > 1024'
    >>> str(read_answer("I = 2BDF/(2BD+2DF+2BF) ≈ B", ["B", "D", "F"], "intensity"))
    'I = 2 B D F/(2 B D + 2 D F + 2 B F) = B'
    >>> str(read_answer("43.5 微秒", ["B"], "time"))
    'T = 43.5 us'

    Raises Unreadable for anything else: a word that is neither a size of the question nor in `phrases.toml`, an
    ambiguous product such as 2N/12N, a superfluous sign.
    """
    found, plain = _tokens(text, names, asks, unknown, given)
    return _Reader(found, plain, names, asks, unknown).answer()


def tokens_of(text: str, names: Collection[str], asks: str, unknown: str | None) -> list[Token]:
    """Return the words, numbers and signs of an answer or of a part of it."""
    return _tokens(text, names, asks, unknown)[0]


def _tokens(
    text: str, names: Collection[str], asks: str, unknown: str | None, given: Collection[str] = ()
) -> tuple[list[Token], str]:
    try:
        plain = plain_text(text, unknown)
    except RoofproofError as problem:
        raise Unreadable(problem.said) from None
    if unknown:
        plain = _of_the_logarithm(plain, unknown)
    if hexadecimal := _HEXADECIMAL.search(plain):
        raise Unreadable(
            "<number> may be hexadecimal or a product with 0; write it in decimal", number=quoted(hexadecimal[0])
        )
    if not {"x", "X"} & set(names):
        plain = re.sub(r"(?<=[\d)]) ?[xX] ?(?=[\d(])", "*", plain)
    if unknown:
        plain = re.sub(rf"\b{re.escape(unknown)}(?:crit|min|max)(?= ?[<>=≈])", unknown, plain)
    if asks in _DEFINED:
        plain = re.sub(rf"(?i)(^|= ?)(?:{_DEFINED[asks]}) ?= ?", r"\1", plain)
    plain = _NAMED.sub(lambda m: f"{m[1]} " if m.end() < len(plain) or m[1] == unknown else m[0], plain)
    of_sizes = _OF_SIZES.match(plain)  # I(B, D, F) = ...
    if of_sizes and of_sizes[1] not in FUNCTIONS and {n.strip() for n in of_sizes[2].split(",")} <= set(names):
        plain = of_sizes[1] + plain[of_sizes.end() :]
    plain = _PER_BYTE.sub(lambda m: f"{m[1] or ''} {m[2]} FLOP/byte".strip(), plain)
    plain = re.sub(r" ?, ?单位 ?(?:是|为|:)? ?", " ", plain)
    plain = re.sub(r"(?i)(?<=[a-z])-(?=(?:bound|limited)\b)", " ", plain)
    for letter in set(LETTERS.get(asks, ())) & set(given):  # "35651584 B", if the question gives B = 128
        plain = re.sub(rf"^(.*\d) ?{letter}$", rf"\1 {LETTERS[asks][letter]}", plain)
    found = list(islice(tokens(plain, names, asks, unknown), MAX_TOKENS + 1))
    if len(found) > MAX_TOKENS:
        raise Unreadable("the answer has more than <most> words and signs", plain[:40], most=MAX_TOKENS)
    return found, plain


def _of_the_logarithm(text: str, unknown: str) -> str:
    """Return a bound on a binary logarithm as a bound on its argument: `log2(N) > 32R/5` as `N > 2^(32R/5)`."""
    x = re.escape(unknown)
    return re.sub(rf"^log2 ?(?:{x}|\( ?{x} ?\)) ?([<>]=?) ?(.+)$", rf"{unknown} \1 2^(\2)", text)


def read_condition(text: str, names: Collection[str]) -> Tree:
    r"""Return the tree of a condition in an answer.

    >>> to_text(read_condition(r"DF \ge R(D + F)", ["D", "F", "R"]))
    'D F >= R (D + F)'

    Raises Unreadable for anything else.
    """
    try:
        plain = plain_text(text)
        said = [t for t in tokens(plain, names, "", None) if t.kind != "filler" and t.text != "alone"]
        for t in said:
            if t.kind in ("label", "word", "than"):
                raise Unreadable("expected a value, got <word>", word=quoted(t.text))
        tree = _tree(plain, said, names)
        if is_statement(tree):
            return tree
        problem: str = Sentence("expected a relation such as B > 240")
    except Unreadable:
        raise
    except RoofproofError as error:
        problem = unplaced(error)
    raise Unreadable("the condition <condition>: <problem>", condition=quoted(text), problem=problem)


class _Reader:
    """The parser of the tokens of one answer: relations between values, and the words around them."""

    def __init__(self, tokens: list[Token], text: str, names: Collection[str], asks: str, unknown: str | None) -> None:
        self.tokens, self.text, self.names, self.asks, self.unknown = tokens, text, names, asks, unknown

    def answer(self) -> Answer:
        alone = [t for t in self.tokens if t.kind == "word" and t.text == "alone"]
        found = self._answer([t for t in self.tokens if t.kind != "filler" and t not in alone])
        if alone and self.asks in ("threshold", "rule") and not found.label and found.relation in "=≈":
            raise Unreadable("expected a bound, such as <name> >= 240; got one size", str(found), name=self.unknown)
        return found

    def _answer(self, said: list[Token]) -> Answer:
        tokens = self._every(self._negated(said))
        if self.asks in SOLVED and (bound := self._of_bound(tokens)) is not None:
            return bound
        labels = [t.text for t in tokens if t.kind == "label"]
        if labels:
            label = self._label(labels, twice=[t.text for t in tokens[-3:]] == ["(", labels[-1], ")"])
            if not label or not self._spoken([t for t in tokens if t.kind != "label" and t.text not in "()"]):
                raise Unreadable("<word> cannot be combined with the other words", labels[0], word=labels[0])
            return Answer("=", (), "", label=label)
        segments, relations = self._split(self._after(tokens))
        return self._stated(segments, relations)

    def _negated(self, tokens: list[Token]) -> list[Token]:
        """Negate the token after `not`: `not below 273` becomes `>= 273`, `not memory-bound` becomes one label."""
        out: list[Token] = []
        for t in reversed(tokens):
            if t.text != "not":
                out.append(t)
            elif out and out[-1].kind == "relation" and out[-1].text in "<>":
                out.append(Token("relation", OPPOSITE[out.pop().text], t.end))
            elif out and out[-1].text.endswith("-bound") and out[-1].kind == "label":
                out.append(Token("label", f"not {out.pop().text}", t.end))
            else:
                raise Unreadable("<word> is not understood", self.text[: t.end], word=quoted("not"))
        return out[::-1]

    def _every(self, tokens: list[Token]) -> list[Token]:
        """Replace `every B` by `always` and `no B` by `never`, if the answer says nothing else."""
        said = [t for t in tokens if t.kind == "word" and t.text in ("every", "none")]
        rest = [t for t in tokens if t not in said and not (t.kind == "word" and t.text == "than")]
        if not said or self.asks not in SOLVED:
            return [t for t in tokens if t.text != "every"]
        labels = [t for t in rest if t.kind == "label" and t.text.endswith("-bound")]
        sizes = [t for t in rest if t not in labels and not (labels and t.text == "=")]  # "every B is memory-bound"
        named = all(t.kind in ("subject", "counted") or self._is_unknown([t]) for t in sizes)
        if said[0].text == "none":
            if not (named and sizes):
                raise Unreadable("<word> is not understood", word=quoted("no"))
            return [Token("label", "never", said[0].end), *labels]
        always = [Token("label", "always", said[0].end), *labels]
        return always if named and sizes else [t for t in tokens if t not in said]

    def _of_bound(self, tokens: list[Token]) -> Answer | None:
        """Return a bound with a label, such as `memory-bound below 273`, as the bound of the compute-bound sizes."""
        labels = [t for t in tokens if t.kind == "label"]
        if len(labels) != 1 or "-bound" not in labels[0].text or not any(t.kind == "number" for t in tokens):
            return None
        rest = [t for t in tokens if t.kind != "label"]
        while rest and rest[-1].text == "=":  # "B > 272 is memory-bound"
            rest.pop()
        if rest[0].kind == "subject" and rest[0].text in ("any", "bound"):
            rest = rest[1:]
        while rest and rest[0].text == "=":
            rest = rest[1:]
        found = _Reader(rest, self.text, self.names, self.asks, self.unknown).answer()
        if labels[0].text == "compute-bound" or (
            labels[0].text.startswith("not ") and labels[0].text != "not compute-bound"
        ):
            return replace(found, beside=labels[0].text)
        if found.below is not None or found.relation not in OPPOSITE:
            raise Unreadable("<word> cannot be combined with the other words", str(found), word=labels[0].text)
        return replace(found, relation=OPPOSITE[found.relation], beside=labels[0].text)

    def _label(self, labels: list[str], twice: bool) -> str:
        """Return the single label for several: one repeated in parentheses, or a pair such as `always memory-bound`."""
        said = set(labels)
        if self.asks != "bound" and len(labels) == 2 and len(said) == 2:
            return _TOGETHER.get(frozenset(said), "")
        return labels[0] if len(labels) == 1 or (twice and len(said) == 1 and len(labels) == 2) else ""

    def _spoken(self, tokens: list[Token]) -> bool:
        return all(
            t.kind == "subject" or t.text in ("=", ":") or (t.kind == "name" and t.text == self.unknown) for t in tokens
        )

    def _after(self, tokens: list[Token]) -> list[Token]:
        """Move a relation from after a value to before it: `240 or more` becomes `>= 240`."""
        tokens = self._compared(tokens)
        if len(tokens) > 1 and tokens[-1].text == "+" and tokens[-2].kind == "number":  # "273+"
            tokens = [*tokens[:-1], Token("after", ">=", tokens[-1].end)]
        last = [i for i, t in enumerate(tokens) if t.kind == "relation"][-1:]
        if (
            last
            and last[0]
            and (tokens[last[0]].text not in "=≈" or self._is_approximate(tokens[last[0] - 1], tokens[last[0]]))
            and all(t.kind == "counted" for t in tokens[last[0] + 1 :])
        ):  # "7 chips at most"
            tokens = [Token("after", t.text, t.end) if i == last[0] else t for i, t in enumerate(tokens)]
        spots = [i for i, t in enumerate(tokens) if t.kind == "after"]
        if not spots:
            return tokens
        if any(t.kind != "counted" for t in tokens[spots[-1] + 1 :]) or len(spots) > 1:
            so_far = self.text[: tokens[max(spots[0] - 1, 0)].end]
            raise Unreadable("<word> is in the wrong place", so_far, word=quoted(tokens[spots[0]].text))
        tokens = tokens[: spots[0] + 1]  # "273 or more tokens"
        named = next((i for i, t in enumerate(tokens) if t.kind != "subject" and not self._is_unknown([t])), 0)
        start = max((i + 1 for i, t in enumerate(tokens) if t.kind == "relation"), default=named)
        said, before = Token("relation", tokens[-1].text), tokens[:start]
        if before and (before[-1].text in "=≈" or said.text == "≈"):
            before, said = before[:-1], said if before[-1].text in "=≈" else before[-1]
        again = {said.text} | ({">"} if said.text == ">=" and re.search("[以之]后", self.text) else set())
        if before and before[-1].text in again:  # "至少 240 以上", "超过 240 以后"
            before, said = before[:-1], before[-1]
        if len(before) > 1 and before[0].text == said.text and self._is_unknown(before[1:]):  # "从 B = 273 起"
            before = before[1:]
        return [*before, said, *tokens[start:-1]]

    def _is_approximate(self, value: Token, said: Token) -> bool:
        """Return whether a word such as `approx.` follows a number or its unit."""
        return said.text == "≈" and self.text[said.end - 1] != "≈" and value.kind in ("number", "unit")

    def _compared(self, tokens: list[Token]) -> list[Token]:
        """Replace `比` and the comparison after a value by a relation: `比 273 大` becomes `> 273`."""
        than = [i for i, t in enumerate(tokens) if t.text == "than" and t.kind == "word"]
        by = [i for i, t in enumerate(tokens) if t.kind == "than"]
        if not than and not by:
            return tokens
        if len(than) != 1 or len(by) != 1 or not than[0] < by[0] - 1:
            raise Unreadable("<word> is in the wrong place", word=quoted("比"))
        [i], [j] = than, by
        return [*tokens[:i], Token("relation", tokens[j].text, tokens[i].end), *tokens[i + 1 : j], *tokens[j + 1 :]]

    def _split(self, tokens: list[Token]) -> tuple[list[list[Token]], list[str]]:
        segments: list[list[Token]] = [[]]
        relations: list[str] = []
        for t in tokens:
            called = self._is_subject(segments[-1]) and (segments[-1] or not relations)
            if t.text == ":" and called and not any(segments[:-1]):
                t = Token("relation", "=", t.end)  # "阈值：240", "total: 240", "minimum B: 240"
            if t.kind != "relation":
                segments[-1].append(t)
            elif relations and not segments[-1] and relations[-1] in "=≈":
                relations[-1] = t.text  # "is about", "= 约"
            elif relations and not segments[-1] and t.text == "=" and relations[-1] in "<>":
                relations[-1] += "="  # "大于 等于"
            elif relations and not segments[-1] and t.text in "=≈":
                pass  # "> 约 240"
            elif len(relations) == 1 and not segments[0] and t.text in "=≈" and self._is_subject(segments[-1]):
                segments[-1] = []  # "minimum batch = 273", "not before B = 273"
            else:
                relations.append(t.text)
                segments.append([])
        return segments, relations

    def _is_subject(self, segment: list[Token]) -> bool:
        if not segment:
            return True
        called = len(segment) > 3 and segment[1].text == "(" and segment[-1].text == ")"
        head = segment[0]
        if len(segment) == 1 and head.text in LETTER_OF.get(self.asks, ()):  # even if a size has that letter
            return True
        if head.kind == "subject":
            rest = segment[1:]
            return not rest or called or self._is_unknown(rest) or rest[0].kind == "subject"
        if all(t.kind == "subject" for t in segment[1:]):  # "B 的阈值"
            segment = segment[:1]
        return self._is_unknown(segment)

    def _is_swapped(self, segments: list[list[Token]]) -> bool:
        """Return whether the quantity asked for is on the right, `240 < B`. The letter of a size is not its name."""
        first, last = segments
        named = self._is_unknown(last) or (last[0].text not in self.names and self._is_subject(last))
        return named and not self._is_subject(first)

    def _names_it(self, segment: list[Token]) -> bool:
        return bool(segment) and all(t.kind == "subject" for t in segment)

    def _names_it_twice(self, segments: list[list[Token]]) -> bool:
        return self._names_it(segments[0]) and self._is_subject(segments[1])

    def _is_unknown(self, segment: list[Token]) -> bool:
        return len(segment) == 1 and segment[0].kind == "name" and segment[0].text == self.unknown

    def _stated(self, segments: list[list[Token]], relations: list[str]) -> Answer:
        subject = self.unknown or {
            "intensity": "I",
            "time": "T",
            "ridge": "R",
            "flops": "FLOPs",
            "bytes": "bytes",
            "memory": "M",
        }.get(self.asks, "")
        bounds_follow = self._names_it(segments[0]) and not {"=", "≈"} & set(relations[1:])
        if relations[1:] and relations[0] == "=" and (bounds_follow or self._names_it_twice(segments)):
            segments, relations = segments[1:], relations[1:]  # "答案是 B > 240", "answer: 100 < B < 200"
        if relations[1:] and relations[0] == "≈" and not segments[0] and self._is_subject(segments[1]):
            segments, relations = segments[1:], relations[1:]  # "roughly B > 240"
        if relations[1:] and relations[-1] == "=" and self._names_it(segments[-1]):
            segments, relations = segments[:-1], relations[:-1]  # "B = 273 is the smallest"
        if len(relations) == 2 and self._is_unknown(segments[1]) and not {"=", "≈"} & set(relations):
            low, high = self._link(segments[0]), self._link(segments[2])
            if relations[0][0] == relations[1][0] == "<":
                return Answer(relations[1], (high,), subject, below=(TURNED[relations[0]], low))
            raise Unreadable("a chain of inequalities that does not go one way")
        if len(relations) == 1 and segments[0] and segments[1] and self._is_swapped(segments):
            segments, relations = segments[::-1], [TURNED[relations[0]]]
        least = {t.text for s in segments for t in s} & {"smallest", "largest"}
        if relations and relations[0] == "=" and least:  # "the smallest batch is 273", as an answer for a threshold
            if len(least) > 1 or (self.asks in ("smallest", "largest") and self.asks not in least):
                raise Unreadable("the question asks for the <asks>", self.text, asks=self.asks)
            if self.asks in ("threshold", "rule"):
                relations = [">=" if least == {"smallest"} else "<=", *relations[1:]]
        if segments and segments[0] and segments[0][0].kind == "subject" and not self._is_subject(segments[0]):
            segments = [segments[0][1:], *segments[1:]]  # "强度 1/6"
            relations_before: list[str] = []
        else:
            relations_before = relations
        named = bool(relations) and self._is_subject(segments[0])
        if named:
            segments = segments[1:]
        elif self.asks in ("threshold", "rule") and len(relations) == 1 and self._is_unsolved(segments, relations[0]):
            left, right = map(self._link, segments)
            return Answer(relations[0], (right,), subject, other=left)
        elif relations and relations[0] not in "=≈":
            other = segments[0][0].text if [t.kind for t in segments[0]] == ["name"] else ""
            if other in self.names and subject:
                raise Unreadable("<name> is another size; the question asks for <subject>", name=other, subject=subject)
            raise Unreadable(
                "expected a bound such as '<name> <relation> ...'",
                self._words(segments[0]),
                name=subject or "x",
                relation=relations[0],
            )
        else:
            relations = ["=", *relations_before]
        bounds = [r for r in relations if r not in "=≈"]
        if len(bounds) > 1 or (bounds and relations[0] not in bounds):
            raise Unreadable("more than one inequality", self._words(segments[0]))
        links = tuple(self._link(s) for s in segments)
        first = links[0].node
        if not named and len(links) > 1 and isinstance(first, Name) and first.name.partition("_")[0] != "R":
            raise Unreadable("expected <subject>, got <name> = ...", first.name, name=first.name, subject=subject)
        if self.unknown and any(isinstance(n, Name) and n.name == self.unknown for n in walk(links[-1].node)):
            raise Unreadable("<unknown> is given in terms of itself", unknown=self.unknown)
        return Answer(bounds[0] if bounds else relations[-1], links, subject)

    def _is_unsolved(self, segments: list[list[Token]], relation: str) -> bool:
        """Return whether an inequality of plain formulas contains the unknown: `1/B + 1/D + 1/F < 1/R`."""
        said = [t for segment in segments for t in segment]
        plain = all(segments) and all(t.kind in ("number", "name", "sign") and t.text != "%" for t in said)
        return plain and relation in OPPOSITE and any(self._is_unknown([t]) for t in said)

    def _words(self, segment: list[Token]) -> str:
        return self.text[: segment[-1].end] if segment else ""

    def _quotient(self, segment: list[Token], place: int) -> Link:
        """Return the quotient of two values that words divide."""
        sides = [self._link(side) for side in (segment[:place], segment[place + 1 :])]
        above, below = (link.node if link.unit is None else Quantity(link.node, link.unit) for link in sides)
        return self._of_quantities(Op("/", (above, below)))

    def _of_quantities(self, node: Tree) -> Link:
        """Return a value with units inside as a value in base units."""
        from roofproof.formula.dimensions import dimension_of

        try:
            found = dimension_of(node)
        except RoofproofError as problem:
            raise Unreadable(unplaced(problem), self.text) from None
        unit = None if found in (None, PLAIN) else Unit(dimension_text(found), Fraction(1), found)
        return Link(node, unit, to_text(node).replace(" / ", "/"))

    def _value(self, said: list[Token]) -> Tree:
        try:
            return _tree(self.text, said, self.names)
        except RoofproofError as problem:
            raise Unreadable(unplaced(problem), self.text) from None

    def _link(self, segment: list[Token]) -> Link:
        if not segment:
            raise Unreadable("a value is missing", self.text)
        by = [i for i, t in enumerate(segment) if t.kind == "said" and t.text == "/"]
        if by:
            return self._quotient(segment, by[-1])
        value = [replace(t, kind="sign") if t.kind == "said" else t for t in segment]
        if [t for t in value[:-1] if t.kind == "unit"] and all(t.kind != "counted" for t in value):
            for one, sign, other in zip(value, value[1:], value[2:], strict=False):
                if (one.kind, sign.text, other.kind) == ("unit", "/", "name") and other.text in SPELLED:
                    raise Unreadable(
                        "<letter> is a size and a unit; write <unit>, or a product sign",
                        letter=other.text,
                        unit=f"{one.text}/{SPELLED[other.text].removesuffix('s')}",
                    )
            return self._of_quantities(self._value(value))
        unit: Unit | None = None
        counted = ""
        while value and value[-1].kind in ("unit", "counted"):
            last = value.pop()
            counted = last.text if last.kind == "counted" and counted in ("", "any") else counted  # 块 GPU
            if last.kind == "unit":
                if unit is not None:
                    raise Unreadable(
                        "two units: <first> and <second>", self._words(value), first=last.text, second=unit.text
                    )
                unit = MULTIPLY_ADD if last.text == MULTIPLY_ADD.text else unit_of(last.text)
        if value and value[-1].text == "%":
            value.pop()
            unit = unit_of("%")
        if unit and unit.dimension in _RATES:
            self._refuse_two_quotients(value, unit)
        if not value:
            raise Unreadable("a unit without a number")
        for t in value:
            if t.kind not in ("number", "name", "sign") or t.text in "%:":
                raise Unreadable("expected a value, got <word>", self._words(value[:1]), word=quoted(t.text))
        if (
            [t.kind for t in value] == ["number", "sign", "number"]
            and value[1].text == "-"
            and (Fraction(value[0].text) < Fraction(value[2].text))
        ):
            raise Unreadable("a range of numbers; expected one, or a bound", self._words(value))
        node = self._value(value)
        shown = to_text(node).replace(" / ", "/")
        return Link(node, unit, f"{shown} {unit.text}" if unit else shown, counted)

    def _refuse_two_quotients(self, value: list[Token], rate: Unit) -> None:
        """Reject `2 N / 989 TFLOP/s`: the quantity is not a rate, so `(2 N / 989) TFLOP/s` is hardly meant."""
        if [t.text if t.kind == "sign" else t.kind for t in value[-2:]] != ["/", "number"]:
            return
        if [t.kind for t in value[:-2]] == ["number"] and value[2].end - len(value[2].text) - 1 == value[0].end:
            return  # 1/6 FLOP/s is a sixth of FLOP/s
        above, below = "".join(t.text for t in value[:-2]), value[-1].text
        raise Unreadable(
            TWO_WAYS,
            whole=quoted(f"{above}/{below} {rate.text}"),
            first=quoted(f"({above}/{below}) {rate.text}"),
            second=quoted(f"{above}/({below} {rate.text})"),
        )


def _tree(text: str, said: Iterable[Token], names: Collection[str]) -> Tree:
    """Return the tree of a formula in an answer. Its names are the sizes of the question."""
    found: list[formula.Token] = []
    depth = 0
    for t in _called([*said]):
        depth += (t.text == "(") - (t.text == ")")
        if depth < 0:
            raise RoofproofError("<sign> closes nothing", sign="')'")
        kind = t.kind if t.kind in ("number", "name", "unit") else "unit" if t.text == "%" else t.text
        kind = {"≈": "~=", "∞": "oo"}.get(kind, kind)
        found.append(formula.Token(kind, t.text, max(0, t.end - len(t.text)), t.end))
    if depth:
        raise RoofproofError("<sign> is never closed", sign="'('")
    tree = Reader(text, found, names, latex=True).parse_all()
    return tree if "pi" in names else _with_pi(tree)


def _with_pi(node: Tree) -> Tree:
    """Return a tree in which the name `pi` is the number."""
    return Constant("pi") if node == Name("pi") else rebuild(node, _with_pi)


def unplaced(problem: RoofproofError) -> str:
    """Return an error message without its column, which refers to the normalized text.

    >>> unplaced(RoofproofError(formula.PLACED, column=3, problem="division by zero"))
    'division by zero'
    """
    said = problem.said
    return said.parts["problem"] if isinstance(said, Sentence) and said.form == formula.PLACED else said


def _called(tokens: list[Token]) -> list[Token]:
    """Add parentheses to the argument of a function, `log2 N`, if it is not ambiguous where the argument ends."""
    out: list[Token] = []
    for i, t in enumerate(tokens):
        out.append(t)
        if t.text not in (*FUNCTIONS, "log") or t.kind != "name" or [u.text for u in tokens[i + 1 : i + 2]] == ["("]:
            continue
        of, after = tokens[i + 1 : i + 2], tokens[i + 2 : i + 3]
        if not of or of[0].kind == "sign" or (after and after[0].text not in "+-)/*,"):
            raise Unreadable(
                "<function> has no argument; write <function>(...)", "".join(u.text for u in out), function=t.text
            )
        return [*out, Token("sign", "("), of[0], Token("sign", ")"), *_called(tokens[i + 2 :])]
    return out
