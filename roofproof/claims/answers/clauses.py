"""The clauses of an answer: statements, their conditions, and "otherwise", split at the words that join them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from roofproof.claims.answers.tokens import phrase_of
from roofproof.errors import RoofproofError

MOST = 12  # clauses
NEAR = 40  # characters before a comma that are checked for a list of names
AND = "\n"  # separates parts that are joined by "and"
_IN_TEXT = re.compile(r"~?\\(?:text|textrm|mathrm|mbox|textnormal)\s*\{([^{}$\\]*)\}")
_CASES = re.compile(r"\\begin\s*\{(cases|dcases|array|aligned)\}(?:\{[^{}]*\})?(.*?)\\end\s*\{\1\}", re.DOTALL)
_MATHS = re.compile(r"(?<!\\)(?:\\[()\[\]]|\$)")
_COMPARED = re.compile(r"[<>≤≥＜＞]|\\(?:[lg]eq?|[lg]t|[lg]eqslant)(?![a-z])")
_IT_IS = re.compile(
    r"(?i) (?:it|this|(?:the|this) (?:op|operation|matmul|gemm|product|kernel|layer))"
    r" (?:is|becomes|stays|remains|will be)\b"
)
_RULE = re.compile(r"\|?[\s:|-]+\|?")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of an answer: its statement, its condition, and whether it is about all other sizes.

    With `unless`, the statement holds if the condition fails. With `only`, it fails if the condition fails. With `so`,
    it follows from the clause before it.
    """

    says: str
    when: str = ""
    otherwise: bool = False
    unless: bool = False
    so: bool = False
    because: str = ""
    only: bool = False


def clauses(text: str, unknown: str | None) -> list[Clause]:
    r"""Return the clauses of an answer, in order.

    >>> for clause in clauses("if D > 240, B > 272; otherwise never", "B"):
    ...     print(clause)
    Clause(says='B > 272', when='D > 240', otherwise=False, unless=False, so=False, because='', only=False)
    Clause(says='never', when='', otherwise=True, unless=False, so=False, because='', only=False)
    >>> [c.says for c in clauses("B 大于 272，所以至少 273", "B")], clauses("B<273时访存受限", "B")[0].when
    (['B 大于 272', '至少 273'], 'B<273')

    Raises RoofproofError for more than 12 clauses.
    """
    parser = _Parser(unknown)
    for kind, words in _runs(text, parser):
        getattr(parser, kind)(words)
    parser.close()
    if len(parser.done) > MOST:
        raise RoofproofError("the answer has more than <most> clauses", most=MOST)
    return parser.done


class _Parser:
    """The parser state: the finished clauses, the open clause, and the part of it that the next words belong to."""

    def __init__(self, unknown: str | None) -> None:
        self.unknown, self.done = unknown, list[Clause]()
        self.open, self.slot, self.ended = Clause(""), "says", False

    def close(self) -> None:
        self._divide()
        clause = replace(self.open, says=self.open.says.strip(f" {AND}"), when=self.open.when.strip(f" {AND}"))
        if self.done and not (clause.when or self.done[-1].otherwise) and self._is_condition(clause.says):
            last = self.done.pop()  # "B > 272, D > 240"
            clause = replace(last, when=AND.join(filter(None, (last.when, clause.says))))
        if clause.says or clause.when or clause.because:
            self.done.append(clause)
        self.open, self.slot, self.ended = Clause(""), "says", False

    def _divide(self) -> None:
        """Split a statement from a condition without a word or sign in between: `for B < 273 it is memory-bound`."""
        found = _IT_IS.search(self.open.when)
        if found and not self.open.says:
            self.open = replace(self.open, when=self.open.when[: found.start()], says=self.open.when[found.end() :])
            self.slot = "says"

    def _with(self, words: str) -> Clause:
        changed: dict[str, Any] = {self.slot: words}
        return replace(self.open, **changed)

    def text(self, words: str) -> None:
        if self.ended and self.slot == "says" and self.open.says:
            self.close()
        old = getattr(self.open, self.slot)
        self.open, self.ended = self._with(f"{old} {words}".strip()), False

    def sep(self, sign: str) -> None:
        if self.slot == "when" and self.open.when and self.open.says and sign != ",":
            self.close()
        elif self.slot != "says" and getattr(self.open, self.slot):
            self.slot = "says"
        elif sign != "," and self.open.says:
            self.close()
        self.ended = True

    def colon(self, sign: str) -> None:
        if self.slot == "when":
            self.slot = "says"
        elif _COMPARED.search(self.open.says) and not self.open.when:  # "B < 273: memory-bound"
            self.after("")
        elif self.open.otherwise and not self.open.says:
            pass
        elif _names_the_answer(self.open.says):
            self.open = replace(self.open, says="")
        else:
            self.text(sign)

    def both(self, _: str) -> None:
        self._divide()
        self.open = self._with(f"{getattr(self.open, self.slot)}{AND}")

    def then(self, _: str) -> None:
        if self.open.unless and self.open.says:
            when = self.open.when
            self.close()
            self.open = Clause("", when)
        elif self.ended and names_a_bound(self.open.says):  # "memory-bound up to 272, then compute-bound"
            self.close()
            self.open = Clause("", otherwise=True)
        elif not self.open.when:
            self.after("")
        self.slot = "says"

    def when(self, _: str) -> None:
        if self.open.says and self.open.when:
            self.close()
        self.slot, self.ended = "when", False

    def only_when(self, _: str) -> None:
        self.when("")
        self.open = replace(self.open, only=True)

    def whatever(self, _: str) -> None:
        self.when("")
        self.text("any")

    def after(self, _: str) -> None:
        """Take the words before the joining word as the condition: `B > 272 时`."""
        if self.slot == "says" and self.open.says and not self.open.when:
            self.open = replace(self.open, says="", when=self.open.says)
        self.slot, self.ended = "says", False

    def otherwise(self, _: str) -> None:
        head, both, tail = getattr(self.open, self.slot).rpartition(AND)
        if both and tail.strip():  # "compute-bound for B > 272 and memory-bound otherwise"
            self.open = self._with(head)
            self.close()
            self.open = Clause(tail.strip())
        if self.done and self.open.says and not (self.open.when or self.ended or self.open.otherwise):
            self.open = replace(self.open, otherwise=True)
            self.close()
        else:
            self.close()
            self.open = Clause("", otherwise=True)

    def unless(self, _: str) -> None:
        self.open, self.slot, self.ended = replace(self.open, unless=True), "when", False

    def so(self, _: str) -> None:
        self.close()
        self.open = Clause("", so=bool(self.done))

    def because(self, _: str) -> None:
        self.slot, self.ended = "because", False

    def _is_condition(self, words: str) -> bool:
        """Return whether words compare sizes other than the unknown."""
        compared = _COMPARED.split(words)
        plain = re.sub(r"\\[A-Za-z]+", " ", words)
        return bool(self.unknown and len(compared) > 1 and compared[0].strip() and self.unknown not in plain)


def _names_the_answer(words: str) -> bool:
    """Return whether words only announce the answer: `The answer`, `答`."""
    size, kinds = phrase_of(words, 0)
    return size == len(words) and ("subject", "any") in kinds


def names_a_bound(words: str) -> bool:
    """Return whether words include a label such as `memory-bound`."""
    words = words.replace("-", " ")
    kinds = (kind for place in range(len(words)) for kind in phrase_of(words, place)[1])
    return any(kind == "label" and meaning.endswith("-bound") for kind, meaning in kinds)


def _runs(text: str, parser: _Parser) -> Iterator[tuple[str, str]]:
    """Yield the parts of an answer, and the words and signs outside of parentheses that join them."""
    place, start, depth, inside = 0, 0, 0, 0  # `inside`: depth of a parenthesis with a joining word: (if D > 240)

    def before() -> Iterator[tuple[str, str]]:
        if words := text[start:place].strip().removesuffix("(" if inside else "").removesuffix("（" if inside else ""):
            yield "text", words.strip()

    while place < len(text):
        sign = text[place]
        brace = text[place + 1 : place + 2] if sign == "\\" else ""  # as in \max\{a, b\}
        depth = max(0, depth + (sign in "([{（" or brace == "{") - (sign in ")]}）" or brace == "}"))
        size, kinds = phrase_of(text, place)
        joins = [meaning for kind, meaning in kinds if kind == "clause"]
        if joins and (not joins[0].startswith("leading-") or not text[start:place].strip()):
            if text[start:place].rstrip().endswith(("(", "（")):
                inside = depth
            yield from before()
            yield joins[0].removeprefix("leading-"), ""
            place = start = place + size
        elif size:
            place += size
        elif inside and depth < inside:
            inside = 0
            yield from before()
            place = start = place + 1
        elif depth == 0 and (end := _end_of(text, place)):
            yield from before()
            yield ("colon" if sign in ":：" else "sep"), ("," if sign in ",，" else sign)
            place = start = place + end
        elif sign == "\\":
            place += 2
        else:
            place += 1
    yield from before()


def _end_of(text: str, place: int) -> int:
    """Return the length of a separator of clauses, 0 for a sign in a number, in LaTeX or in a list of names."""
    sign, before, after = text[place], text[max(0, place - NEAR) : place], text[place + 1 :]
    if sign in ";；\n" or (sign == "。" and not after[:1].isdigit()):
        return 1
    if sign in ":：":
        return 1
    if sign == ".":
        return int(not after.strip() or after[0] == " ")
    if sign in ",，":
        in_number = before[-1:].isdigit() and after[:1].isdigit()
        of_names = re.search(r"(?:^|[\s,，])[A-Za-z]\w*\s*$", before) and re.match(
            r"\s*[A-Za-z]\w*\s*(?:[,，]|≫|>>|\\gg|→|->|\\to)", after
        )
        of_unit = re.match(r"\s*单位", after)
        return int(not (in_number or of_names or of_unit))
    return 0


def in_rows(text: str) -> str:
    r"""Return an answer with LaTeX cases, or a table of two columns, written as one sentence per row.

    >>> in_rows(r"\begin{cases} B > R & \text{if} D > R \\ \text{never} & \text{otherwise} \end{cases}").strip()
    'B > R if  D > R; never otherwise;'
    >>> in_rows("| case | B |\n|---|---|\n| D > R | B > R |\n| otherwise | never |")
    'D > R: B > R; otherwise: never;'
    """
    text = _IN_TEXT.sub(r" \1 ", _MATHS.sub(" ", text))
    text = _CASES.sub(lambda found: _of_cases(found[2]), text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 2 and all(line.count("|") > 1 for line in lines) and _RULE.fullmatch(lines[1]):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
        if all(len(row) == 2 for row in rows):
            return " ".join(f"{when}: {says};" for when, says in rows)
    return text


def _of_cases(rows: str) -> str:
    said = []
    for row in re.split(r"\\\\(?:\[[^\]]*\])?", rows):
        says, _, when = (cell.strip(" ,.，。\n") for cell in row.partition("&"))
        joined = any(kind == "clause" for kind, _ in phrase_of(when, 0)[1])
        said += [f"{says} {when};" if joined or not when else f"{says} when {when};"] if says else []
    return f" {' '.join(said)} "
