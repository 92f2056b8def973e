r"""What a formula of a document states: claims, definitions, regimes, or nothing; or why it cannot be read."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from roofproof.claims.documents.by_cases import CaseBranch, by_cases
from roofproof.claims.documents.names import Names
from roofproof.claims.documents.places import MAX_FORMULA, SourceFormula
from roofproof.claims.documents.prose import UNITS, OrderOfGrowth, Prose
from roofproof.claims.documents.shapes import operation_of
from roofproof.claims.language.latex_macros import parsed, without_separators
from roofproof.claims.language.latex_parts import (
    THEN,
    TWO,
    WHERE,
    in_rows,
    is_said,
    opens_with_words,
    refuse_indexed,
    text_of,
    without_end,
)
from roofproof.claims.language.sympy_form import to_sympy
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.conditions import constant
from roofproof.formula.dimensions import dimension_of
from roofproof.formula.printing import to_text
from roofproof.formula.reader import RELATIONS, Reader, read_statement, read_value
from roofproof.formula.tokens import Token, error_at
from roofproof.formula.tree import Comparison, Constant, Name, Op, Tree, is_op, is_statement, names_in
from roofproof.formula.units import unit_of

_SPELLED = {"s": "second", "J": "joule", "W": "watt"}
_UNIT_AFTER = re.compile(r"[ ~]?(字节/秒|毫秒|微秒|秒|字节|比特|万|亿|千|百|%|[A-Za-zµμ]+(?:/[A-Za-z]+)*)")
_LARGE = ("k", "K", "M", "G", "T", "B", "P", "万", "亿", "千", "百")
_OF_NUMBERS = ("number", *"+-*/^()")
_ASSIGNED = re.compile(  # y <- a x + y; y[i] = a x[i] + y[i]
    r"[^=<>]*(?:\\(?:leftarrow|gets)(?![A-Za-z])|←|\+=)|\s*([A-Za-z]\w*)\s*\[[^][]*\]\s*=(?=[^=]*(?<![A-Za-z])\1\s*\[)"
)
_ABOUT = ("sim", "approx", "approxeq", "simeq")
_REMARK = re.compile(r"[(（].*[)）]", re.DOTALL)


NOTES = {
    "value": "a value",
    "growth": "an order of growth, which is left alone",
    "assignment": "an assignment, which holds of no values",
    "operation": "an operation",
    "condition": "a condition of what its sentence says",
}
"""Kinds of statements that are no claim, in words."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a formula states: a `claim`, a `definition`, a `regime`, or one of `NOTES`; `unread` with the reason.

    `text` is in the language of claims and reads back as the same tree; `line` is where it stands.
    """

    kind: str
    text: str
    line: int
    source: str
    let: tuple[tuple[str, str], ...] = ()
    regime: str = ""
    remark: str = ""
    given: str = ""
    expect: str = "verified"
    open: str = ""  # why it cannot be held to a proof yet


def read_formula(formula: SourceFormula, names: Names) -> list[Statement]:
    r"""Return the claims of a formula, part by part.

    >>> def read(text, display=True):
    ...     return read_formula(SourceFormula(text, 0, 1, display), Names([text]))
    >>> [(s.kind, s.text) for s in read(r"\text{Intensity} = \frac{2BDF}{2BD + 2DF} = \frac{BF}{B + F}.")]
    [('claim', 'Intensity == 2 B D F / (2 B D + 2 D F) == B F / (B + F)')]
    >>> [(s.kind, s.text) for s in read(r"\begin{align} T &= 2a & S &> 3b \\ &= 4c & D &\gg B \end{align}")]
    [('claim', 'T == 2 a == 4 c'), ('claim', 'S > 3 b'), ('regime', 'D >> B')]
    >>> read(r"\text{FFN}(x) = \text{GELU}(x W_1 + b_1)")[0].text
    "column 17: 'GELU' is not known as a function"
    """
    source = " ".join(formula.text.split())
    if formula.problem:
        return [Statement("unread", formula.problem, formula.line, source)]
    if operation := operation_of(formula.text, names.text):
        return [Statement("operation", operation, formula.line, source)]
    try:
        if len(formula.text) > MAX_FORMULA:
            raise RoofproofError(f"LaTeX of {len(formula.text)} characters; at most {MAX_FORMULA} are read")
        text = without_separators(formula.text)
        groups = [parts for parts in in_rows(parsed(text)) if parts]
        if not groups:
            raise RoofproofError("the formula is empty")
    except RoofproofError as problem:
        return [Statement("unread", str(problem), formula.line, source)]
    remark = ""
    if sum(map(len, groups)) > 1 and (remark := _remark(groups[-1][-1])):
        groups = [*groups[:-1], groups[-1][:-1]] if len(groups[-1]) > 1 else groups[:-1]
    found: list[list[Statement]] = []
    for parts in groups:
        line = formula.line + formula.text[: _begin(parts[0])].count("\n")
        after = formula.after if parts is groups[-1] else ""
        try:
            stated = _beside(text, parts, names, after)
        except OrderOfGrowth:
            stated = [Statement("growth", source, line, source)]
        except RoofproofError as problem:
            if opens_with_words(parts[0]):  # they may be what the rows above hold under
                line = min([line, *(said.line for above in found for said in above)])
                found.clear()
            stated = [Statement("unread", str(problem), line, source)]
        found.append([Statement(s.kind, s.text, line, source, s.let, s.regime, remark) for s in stated])
    told = [said for stated in found for said in stated]
    if len(told) > 1 and any(s.kind == "value" for s in told):  # from a to b: the parts belong together
        return [Statement("unread", "values and statements beside one another", formula.line, source)]
    return told


def _beside(text: str, parts: list[list[Any]], names: Names, after: str) -> list[Statement]:
    """Return the claims of a row; a part that is not read, or shares a name, may be the condition of another."""
    stated = [_stated(text, part, names, after if part is parts[-1] else "") for part in parts]
    for one, part in zip(stated, parts, strict=True):
        if any(_may_hold_under(said, other) for said in one for each in stated if each is not one for other in each):
            raise error_at(_begin(part), TWO)
    return [said for one in stated for said in one]


def _may_hold_under(said: Statement, other: Statement) -> bool:
    """Tell whether a claim without a condition may be meant under another statement: they share a name."""
    if said.kind != "claim" or said.regime or other.kind in NOTES:
        return False
    claim = read_statement(said.text)
    used = set(names_in(claim))
    if other.kind == "regime":
        return bool(used.intersection(re.findall(r"\w+", other.text)))
    beside = read_statement(other.text)
    if is_op(claim, "=>") and (other.regime or is_op(beside, "=>")):
        return False  # each has its own
    return not used.isdisjoint(names_in(beside)) and all(name in used for name, _ in other.let)


def _remark(part: list[Any]) -> str:
    """Return what is said in brackets and words alone, such as `(\\text{unit: FLOPs/Byte})`, or nothing."""
    said = "".join(node.latex_verbatim() for node in part).strip()
    words = all(text_of(node) or getattr(node, "chars", "").strip() in ("", *"()（）") for node in part)
    return said if words and _REMARK.fullmatch(said) else ""


def _begin(nodes: list[Any]) -> int:
    """Return the position of the first sign that is no blank."""
    first = next(node for node in nodes if getattr(node, "chars", "x").strip())
    chars = getattr(first, "chars", "")
    return int(first.pos) + len(chars) - len(chars.lstrip())


def _stated(text: str, part: list[Any], names: Names, after: str) -> list[Statement]:
    """Return the claims of one part, case by case or with a condition in words after it or before it."""
    if cases := list(by_cases(part)):
        return [_in_a_case(text, case, names) for case in cases]
    part = _without_about(part)
    if assigned := _ASSIGNED.match("".join(node.latex_verbatim() for node in part)):
        told = " ".join(assigned[0].split())
        return [Statement("assignment", " ".join("".join(n.latex_verbatim() for n in part).split()), 0, told)]
    where = next((k for k, node in enumerate(part) if text_of(node) in WHERE), None)
    if where is None:
        return _plain(text, part, names, after)
    before, beyond = part[:where], part[where + 1 :]
    then = next((k for k, node in enumerate(beyond) if text_of(node) in THEN), None)
    if then is not None and any(map(is_said, before)) == any(map(is_said, beyond[then + 1 :])):
        raise error_at(beyond[then].pos, "expected a statement, and a condition after it or before it")
    if then is not None:
        beyond, before = beyond[:then], before + beyond[then + 1 :]
    for nodes_ in (before, beyond):
        without_end(nodes_)
        if not any(map(is_said, nodes_)):
            raise error_at(part[where].pos, "expected a statement, and a condition after it")
    [said], [condition] = _plain(text, before, names, ""), _plain(text, beyond, names, "" if then else after)
    if said.kind not in ("claim", "definition") or condition.kind == "value":
        raise error_at(part[where].pos, "expected a statement, and a condition after it")
    if condition.kind == "regime":
        return [Statement("claim", said.text, 0, "", said.let, condition.text)]
    return [checked(Op("=>", (read_statement(condition.text), read_statement(said.text))))]


def _without_about(part: list[Any]) -> list[Any]:
    r"""Return `\sim 5L^2` or `\approx 5L^2` without its sign: about this, or growing so, of what is told in words."""
    said = [k for k, node in enumerate(part) if is_said(node)]
    about = said and getattr(part[said[0]], "macroname", "") in _ABOUT
    return part[said[0] + 1 :] if about and len(said) > 1 else part


def _in_a_case(text: str, case: CaseBranch, names: Names) -> Statement:
    """Return the claim of one case as an implication from its condition."""
    [said] = _plain(text, case.said, names, "")
    conditions = [_plain(text, when, names, "") for when in ([case.when] if case.when is not None else case.otherwise)]
    if said.kind not in ("claim", "definition") or any(c.kind in ("value", "regime") for [c] in conditions):
        raise error_at(case.said[0].pos, "expected an equation, and a condition for each case")
    when: list[Tree] = [read_statement(c.text) for [c] in conditions]
    denied = Op("or", tuple(when)) if len(when) > 1 else when[0] if when else None
    if denied is None:
        raise error_at(case.said[0].pos, "a case for all others, and no others")
    premise = Op("not", (denied,)) if case.when is None else denied
    told = checked(Op("=>", (premise, read_statement(said.text))))
    return Statement(said.kind, told.text, 0, "")


def _plain(text: str, part: list[Any], names: Names, after: str) -> list[Statement]:
    writer = Prose(text, names)
    writer.nodes(part)
    joined = "".join(piece for piece, _, _ in writer.pieces)
    if "<<" in joined or ">>" in joined:
        return [Statement("regime", _regime(joined), 0, "")]
    tokens = writer.settled()
    tokens = _with_unit(text, tokens, after)
    arrow = next((k for k, t in enumerate(tokens) if t.kind == "->"), None)
    relations = [k for k, t in enumerate(tokens) if t.kind in RELATIONS]
    if arrow is None or relations == [arrow]:
        return [_read(text, tokens, names)]
    if relations[-1] != arrow:
        raise error_at(tokens[arrow].at, "'->' stands before the limit, at the end of a chain")
    return [_read(text, tokens[:arrow], names), _read(text, tokens[relations[-2] + 1 :], names)]


def _regime(joined: str) -> str:
    """Return `D, F << B` turned as the claim language has it: `B >> D, F`."""
    text = " ".join(re.sub(r"\band\b", ",", joined).split()).replace(" ,", ",")
    if "<<" in text:
        text = " >> ".join(part.strip() for part in reversed(text.split("<<")))
    Regime(text)  # refuses what is none
    return text


def _with_unit(text: str, tokens: list[Token], after: str) -> list[Token]:
    r"""Return tokens with the unit that stands after the closing sign of the formula: `$7 \cdot 10^9 = 7$ GB`.

    In `$3 \times 10 = 30$ GB/s`, as in `$3 \times 10 = 30 \text{ GB/s}$`, the numbers before are in that unit, too, and
    so none is put in.
    """
    relations = [k for k, t in enumerate(tokens) if t.kind in RELATIONS]
    if relations and tokens[-1].kind == "unit":
        said = _counted(text, tokens, tokens[:-1], relations)
        return tokens if said is None else said
    found = _UNIT_AFTER.match(after)
    if not found or not tokens or tokens[-1].kind not in ("number", ")"):
        return tokens
    word, at = found[1], tokens[-1].at
    if word in _LARGE:
        raise error_at(at, f"{quoted(word)} after the formula belongs to its last number")
    spelled = UNITS.get(word) or _SPELLED.get(word, word)
    if unit_of(spelled) is None or not relations:
        return tokens
    if not _is_of_numbers(tokens[relations[-1] + 1 :]):
        return tokens
    if any(t.kind == "unit" for t in tokens):
        raise error_at(at, f"{quoted(word)} after the formula, and units in it")
    measured = [*tokens, tokens[-1]._replace(kind="unit", text=spelled)]
    said = _counted(text, measured, tokens, relations)
    if said is None:
        raise error_at(at, f"{quoted(word)} after the formula belongs to its last number, or to all")
    return said


def _counted(text: str, measured: list[Token], bare: list[Token], relations: list[int]) -> list[Token] | None:
    """Return the tokens with the unit of the last number, or without it where the numbers before are in it, too."""
    before = bare[relations[-2] + 1 if len(relations) > 1 else 0 : relations[-1]]
    last = slice(relations[-1] + 1, None)
    if not _is_of_numbers([*before, *bare[last]]):
        return measured
    value, whole, alone = (
        to_sympy(Reader(text, part, latex=True).whole()) for part in (before, measured[last], bare[last])
    )
    return measured if _near(value, whole) else bare if _near(value, alone) else None


def _is_of_numbers(tokens: list[Token]) -> bool:
    """Tell whether there are numbers only, with signs between them."""
    return all(t.kind in _OF_NUMBERS for t in tokens)


def _near(value: Any, other: Any) -> bool:
    """Tell whether two numbers are within a tenth of each other."""
    return bool(value.is_Rational and other.is_Rational and 10 * abs(value - other) <= abs(value))


def _read(text: str, tokens: list[Token], names: Names) -> Statement:
    node = Reader(text, tokens, latex=True).whole()
    refuse_indexed(node)
    if isinstance(node, Comparison) and node.relations == ("->",):
        left, right = node.operands
        if isinstance(left, Name) and right == Constant("oo"):
            return Statement("regime", f"{left.name} -> oo", 0, "")
        if not set(names_in(right)) <= set(names_in(left)) or isinstance(left, Name):
            raise error_at(node.span[0], "an arrow that may be a limit or a map")
    return checked(node, names.alone)


def _sets(name: str, value: Tree) -> bool:
    """Tell whether `y = a x + y` sets a name anew; `T(n) = 2 T(n/2)` and `x = x` are equations."""
    return name in names_in(value) and is_op(value, "+")


def checked(node: Tree, letters: Collection[str] = ()) -> Statement:
    """Return a tree as text that reads back as the same tree, a definition where the first name is only set.

    `letters` stand by themselves elsewhere, so that `dL = 3` is about their product.
    """
    said = to_text(node)
    dimension_of(node)
    if (read_statement if is_statement(node) else read_value)(said) != node:
        raise RoofproofError(f"it is not written in the language of claims: {quoted(said)}")
    if not is_statement(node):
        return Statement("value", said, 0, "")
    if isinstance(node, Comparison) and node.relations[0] == "==" and set(node.relations) <= {"==", "~="}:
        first, *rest = node.operands
        if isinstance(first, Name) and len(rest) == 1 and node.relations == ("==",) and _sets(first.name, *rest):
            return Statement("assignment", said, 0, "")
        if first == Name("pi") and all(3 < (constant(n) or 0) < 4 for n in rest):
            return Statement("claim", said, 0, "")  # of the number, and no value of a name
        if isinstance(first, Name) and all(first.name not in names_in(n) for n in rest):
            let = ((first.name, to_text(rest[0])),)
            return Statement("definition" if len(rest) == 1 else "claim", said, 0, "", let)
        named = [f.name for f in first.args if isinstance(f, Name)] if is_op(first, "*") else []
        one = all(len(name) == 1 for name in named) and len(named) == len(getattr(first, "args", ()))
        if named and one and not set(named) <= set(letters):
            raise error_at(first.span[0], f"{quoted(to_text(first).replace(' ', ''))} may be one name or a product")
    return Statement("claim", said, 0, "")
