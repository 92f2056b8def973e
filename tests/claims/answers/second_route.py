"""A second derivation of the labels: the grade of an answer by the policy, in exact fractions, without roofproof.

It has three parts: the notation of the corpus, the derivation (demands of an operation, specs of a chip, and edits of
both), and the policy (the grade of an answer). Nothing here imports the package.
"""

import ast
import operator
import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import ceil, floor
from typing import Any

Entry = dict[str, Any]
Sizes = dict[str, Fraction]
Edit = dict[str, str]

PLACE = {"threshold", "smallest", "largest", "rule"}  # the answer is a bound on a size, over the integers
WORDS = {"never", "always", "compute-bound", "memory-bound", "communication-bound"}
BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
SOLVED: dict[tuple[object, ...], tuple[str, Fraction]] = {}


# --- the notation -------------------------------------------------------------------------------------------------


@cache
def parsed(text: str) -> ast.expr:
    """Return the syntax tree of an expression with exact numbers: 0.1 is 1/10."""
    source = text.strip().replace("^", "**")
    try:
        tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{text!r}: {error}") from None
    for node in (n for n in ast.walk(tree) if isinstance(n, ast.Constant)):
        vars(node)["value"] = Fraction(ast.get_source_segment(source, node) or "")
    return tree


def value(text: str, sizes: Sizes) -> Fraction:
    """Return the value of an expression at `sizes` as a fraction. Raise ValueError if it is not in the notation."""

    def at(node: ast.AST) -> Fraction:
        match node:
            case ast.Constant(Fraction() as number):
                return number
            case ast.Name(name) if name in sizes:
                return sizes[name]
            case ast.BinOp(left, op, right) if type(op) in BINARY:
                result: Fraction = BINARY[type(op)](at(left), at(right))
                return result
            case ast.UnaryOp(ast.USub(), operand):
                return -at(operand)
        raise ValueError(f"{text!r}: expected numbers, sizes and + - * / ^, got {type(node).__name__}")

    return at(parsed(text))


def statement(text: str, unknown: str) -> tuple[str, str]:
    """Return (relation, expression), (word, "") or ("between", "") for an answer: 'B > 240' is ('>', '240')."""
    text = text.strip()
    if text.lower() in WORDS:
        return text.lower(), ""
    parts = re.split(r"\s*(<=|>=|<|>|=)\s*", text)
    if len(parts) == 5:
        return "between", ""
    if len(parts) == 3 and parts[2] == unknown and parts[1] in "<>=":
        parts = [unknown, {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[parts[1]], parts[0]]
    if len(parts) == 3 and parts[0] in {unknown, "I"}:
        return parts[1], parts[2]
    if len(parts) == 1:
        return "=", parts[0]
    raise ValueError(f"{text!r}: expected an expression, or a relation of {unknown or 'I'}")


def said(question: Entry, answer: Entry) -> tuple[str, str]:
    return statement(str(answer.get("means", answer["text"])), question["for"])


def significant(literal: str) -> tuple[int, Fraction] | None:
    """Return the number of significant digits and the unit of the last: (2, 10) for '240', None if not a literal."""
    match = re.fullmatch(r"(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?", literal.strip())
    if not match or not literal.strip():
        return None
    whole, fraction, exponent = match[1], match[2] or "", int(match[3] or 0)
    zeros = 0 if match[2] is not None else len(whole) - len(whole.rstrip("0"))
    digits = (whole + fraction).lstrip("0")
    return len(digits) - zeros, Fraction(10) ** (exponent - len(fraction) + zeros)


def agrees(literal: str, exact: Fraction) -> bool:
    """Return whether a written number is `exact` rounded or cut off. One digit must be rounded and at most 5 % away."""
    found = significant(literal)
    if found is None or exact <= 0:
        return False
    (k, unit), written = found, Fraction(literal)
    rounded = abs(written - exact) <= unit / 2
    if k == 1:
        return rounded and abs(written - exact) <= exact / 20
    return rounded or written == floor(exact / unit) * unit


# --- the derivation -----------------------------------------------------------------------------------------------


def sizes_of(question: Entry) -> set[str]:
    """Return the names of the sizes in a question."""
    text = " ".join([question["flops"], question["key"], *question.get("tensors", {}).values()])
    return set(re.findall(r"[A-Za-z]\w*", text)) - {"never", "always"} - {w for word in WORDS for w in word.split("-")}


def points(question: Entry) -> list[Sizes]:
    """Return the sizes of the exercise, or several arbitrary ones if it gives none."""
    given = [question["at"]] if question["at"] else question.get("points", [])
    found = [{n: Fraction(v) for n, v in (pair.split("=") for pair in p.split(","))} for p in given]
    primes = [(1009, 2003, 4001, 8009, 16001, 32003, 64007, 128021), (7919, 211, 5003, 97, 613, 41, 3001, 17)]
    names = sorted(sizes_of(question))
    own = [dict(zip(names, map(Fraction, row), strict=False)) for row in primes]
    return [{**own[0], **p} for p in found] or own


def grown(question: Entry) -> Sizes:
    """Return sizes far out in the regime: those that grow are multiplied by 10^30."""
    names = re.split(r">>|->", question["regime"])[0]
    point = points(question)[0]
    return {n: v * 10**30 if n in re.findall(r"\w+", names) else v for n, v in point.items()}


def demands(question: Entry, sizes: Sizes, edit: Edit) -> Sizes:
    """Return FLOPs, bytes, peak and rate at `sizes`, with the edit of a mistake."""
    known = {**sizes}
    for name in ("peak", "rate"):
        if name in question:
            known[name] = value(question[name], {})
    known["flops"] = value(question["flops"], sizes)
    moved = {n: [value(x, sizes) for x in e.split(":")] for n, e in question.get("tensors", {}).items()}
    for target, formula in edit.items():
        if target in moved or target == "all":
            for name in moved if target == "all" else [target]:
                moved[name][0] = value(formula, sizes)
        elif target != "key":
            known[target] = value(formula, known)
    return {**known, "bytes": sum((w * n for w, n in moved.values()), Fraction(0))}


def bound(question: Entry, sizes: Sizes, edit: Edit) -> tuple[str, Fraction]:
    """Solve I > R for the unknown: 1/I is p + q/B or p + q*Y, found from two sizes and tried on a third."""

    def inverse(n: int) -> Fraction:
        d = demands(question, {**sizes, question["for"]: Fraction(n)}, edit)
        return d["bytes"] / d["flops"]

    a, b, c = inverse(1), inverse(2), inverse(3)
    d = demands(question, {**sizes, question["for"]: Fraction(1)}, edit)
    most = d["rate"] / d["peak"]
    if a == b:
        return ("always" if a < most else "never"), Fraction(0)
    q, p = 2 * (a - b), 2 * b - a
    if c == p + q / 3:
        return (">", q / (most - p)) if most > p else ("never", Fraction(0))
    q, p = b - a, 2 * a - b
    assert c == p + 3 * q, f"{question['id']}: an intensity of another form"
    return "<", (most - p) / q


def solved(question: Entry, sizes: Sizes, edit: Edit) -> tuple[str, Fraction]:
    """Return (relation or word, value) of the right answer, from demands and specs, computed once."""
    case = question["id"], question["asks"], tuple(sizes.items()), tuple(edit.items())
    if case not in SOLVED:
        SOLVED[case] = solved_anew(question, sizes, edit)
    return SOLVED[case]


def solved_anew(question: Entry, sizes: Sizes, edit: Edit) -> tuple[str, Fraction]:
    asks = question["asks"]
    if asks in PLACE:
        relation, v = bound(question, grown(question) if asks == "rule" else sizes, edit)
        if asks == "smallest" and relation == ">":
            relation, v = ">=", Fraction(floor(v) + 1)
        if asks == "largest" and relation == "<":
            n, whole = ceil(v) - 1, [int(value(s, sizes)) for s in question.get("divides", [])]
            relation, v = "<=", Fraction(next(m for m in range(n, 0, -1) if all(s % m == 0 for s in whole)))
    else:
        d = demands(question, sizes, edit)
        times = [
            d["flops"] / d["peak"] if "peak" in d else Fraction(0),
            d["bytes"] / d["rate"] if "rate" in d else Fraction(0),
        ]
        if asks == "bound":
            slow = "communication-bound" if "link" in question["tensors"] else "memory-bound"
            return ("compute-bound" if times[0] > times[1] else slow), Fraction(0)
        if asks == "intensity" and not d["bytes"]:
            return "always", Fraction(0)
        relation, v = "=", max(times)
        if asks in {"flops", "bytes"}:
            v = d[asks]
        elif asks != "time":
            v = d["peak"] / d["rate"] if asks == "ridge" else d["flops"] / d["bytes"]
    if edit == {"key": "limit"}:
        limit, formula = statement(question["limit"], question["for"])
        return (relation if limit == "=" else limit), value(formula, sizes)
    if "key" in edit and relation not in WORDS:
        v = value(edit["key"], {**demands(question, sizes, {}), "key": v})
    return relation, v


# --- the policy ---------------------------------------------------------------------------------------------------


def one_number(question: Entry) -> bool:
    """Return whether the key is a number (at the sizes of the exercise), not a formula."""
    return bool(question["at"]) or not sizes_of({**question, "flops": "", "tensors": {}}) - {question["for"]}


def same_integers(question: Entry, relation: str, n: Fraction, side: str, v: Fraction) -> bool:
    """Return whether an answer and a bound admit the same integers. Strictness does not matter for a bare number."""
    if question["asks"] in {"smallest", "largest"} and relation == "=":
        return n == v
    firsts = {">": floor, ">=": lambda x: ceil(x) - 1, "<": ceil, "<=": lambda x: floor(x) + 1}
    own = firsts[side](v)
    return own in ([firsts[side[0]](n), firsts[side[0] + "="](n)] if relation == "=" else [firsts[relation](n)])


def meets(
    question: Entry, answer: Entry, result: tuple[str, Fraction], sizes: Sizes, rounding: bool, number: bool = False
) -> bool:
    """Return whether an answer states `result`: exactly (a number over the integers), or to the digits written."""
    (relation, formula), (side, v) = said(question, answer), result
    if relation in WORDS or side in WORDS or relation == "between":
        everything = side == "always" and relation in {">", ">="}  # N >= 1 is every size
        return relation == side or (everything and same_integers(question, relation, value(formula, sizes), ">", v))
    n = value(formula, sizes)
    if question["asks"] in PLACE:
        if relation != "=" and relation[0] != side[0]:
            return False
        if (number or one_number(question)) and same_integers(question, relation, n, side, v):
            return True
        if n == v and relation not in {"=", side}:  # nothing was rounded: only the strictness differs
            return False
    whole = question["asks"] in {"smallest", "largest"} and not set(formula) & {*".e"}  # an integer is not rounded
    return n == v or (rounding and not whole and agrees(formula, v))


def graded(question: Entry, answer: Entry) -> str:
    """Return the grade of a readable answer, by the policy."""
    where, number = points(question), one_number(question)
    keys = [solved(question, sizes, {}) for sizes in where]

    def say(results: list[tuple[str, Fraction]], rounding: bool) -> bool:
        return all(meets(question, answer, k, s, rounding) for k, s in zip(results, where, strict=True))

    (relation, formula), side = said(question, answer), keys[0][0]
    if relation not in WORDS | {"between"}:
        value(formula, where[0])  # raises ValueError if it cannot be read
    if say(keys, False) or any(
        say([solved(question, sizes, edit) for sizes in where], False)
        for name, edit in edits(question)
        if name == "other-convention" and question["asks"] in {"flops", "intensity"}
    ):
        return "right"
    if relation in WORDS or relation == "between" or question["asks"] == "bound":
        return "wrong"
    small = [] if number or question["asks"] in PLACE else [dict.fromkeys(where[0], Fraction(2))]
    tried = [*zip(where, keys, strict=True), *((s, solved(question, s, {})) for s in small)]
    errors = [abs(value(formula, s) / k[1] - 1) if k[1] else Fraction(1) for s, k in tried]
    slipped = max(errors) > Fraction(1, 100) and any(
        solved(question, where[0], edit)[1] == value(formula, where[0]) for _, edit in edits(question)
    )
    if number and say(keys, True) and not slipped:
        return "digits"
    limits = [solved(question, s, {"key": "limit"}) for s in where] if "limit" in question else []
    if limits and is_ruled(question, side):  # the regime of the question also allows the rule of thumb
        limit = {**question, "flops": "", "tensors": {}, "key": question["limit"]}
        alone = number or not sizes_of(limit) - {question["for"]}
        if all(meets(question, answer, k, s, False, alone) for k, s in zip(limits, where, strict=True)):
            return "right"
        if say(limits, True):
            return "digits"
    if limits and say(limits, True):
        return "limit"
    if side in WORDS or (relation != "=" and relation[0] != side[0]):
        return "wrong"
    if not question["at"] and question["regime"]:
        far = grown(question)
        exact = solved({**question, "asks": "threshold"} if question["asks"] in PLACE else question, far, {})[1]
        if abs(value(formula, far) / exact - 1) < Fraction(1, 10**9):
            return "limit"
    if value(formula, where[0]) == keys[0][1]:
        return "wrong"  # strictness
    if question["tolerance"] == "order of magnitude":
        return "close" if Fraction(1, 10) <= (value(formula, where[0]) / keys[0][1]) ** 2 <= 10 else "wrong"
    if question["asks"] in {"smallest", "largest"} and not any(
        say([solved(question, s, e) for s in where], False) for e in rounded(question)
    ):
        return "wrong"
    return "close" if max(errors) <= Fraction(1, 20) else "wrong"


def is_ruled(question: Entry, side: str) -> bool:
    """Return whether the limit is as right as the exact answer: with a regime, and not for an integer or a word."""
    return bool(question["regime"]) and question["asks"] not in {"smallest", "largest"} and side not in WORDS


def rounded(question: Entry) -> Iterator[Edit]:
    """Yield the specs rounded to two digits or more, one at a time and together, and their quotient."""
    if not {"peak", "rate"} <= set(question):
        return
    peak, rate = Decimal(question["peak"]), Decimal(question["rate"])
    for digits in (2, 3, 4):
        ridge = f"{peak / rate:.{digits - 1}e}"
        yield {"peak": f"{ridge}*rate"}
        both = {"peak": f"{peak:.{digits - 1}e}", "rate": f"{rate:.{digits - 1}e}"}
        yield from (both, *({name: text} for name, text in both.items()))


def edit_of(by: str) -> Edit:
    """Return the targets of an edit with their new formulas: 'peak = 2e14; rate = 8e11'."""
    return {target.strip(): formula.strip() for target, formula in (e.split("=", 1) for e in by.split(";"))}


def edits(question: Entry) -> Iterator[tuple[str, Edit]]:
    """Yield every edit that needs no spec from elsewhere, with the name of its mistake."""
    tensors = question.get("tensors", {})
    if tensors:
        yield "bytes-per-element", dict.fromkeys(tensors, "1")
        yield "bytes-per-element", {n: str(value(e.split(":")[0], {}) / 2) for n, e in tensors.items()}
        widths = ("1/2", "2", "4", "8")
        for names in [list(tensors), *([n] for n in tensors)]:
            yield from (("other-width", dict.fromkeys(names, w)) for w in widths)
        for whole in {n.removesuffix("_read").removesuffix("_write") for n in tensors}:
            halves = [n for n in tensors if n in {whole, whole + "_read", whole + "_write"}]
            for k in range(1, len(halves) + 1):
                yield from ((f"dropped-tensor:{whole}", dict.fromkeys(some, "0")) for some in combinations(halves, k))
            if question["asks"] == "bytes":
                yield f"moved-twice:{whole}", {n: str(2 * value(tensors[n].split(":")[0], {})) for n in halves}
    yield "multiply-add-once", {"flops": "flops/2"}
    if question["asks"] == "flops":
        yield "doubled", {"flops": "2*flops"}
    if "peak" in question:
        yield "adds-only-peak", {"peak": "peak/2"}
    if "z" in tensors:  # a sum of N products has N - 1 additions, for each element of the result
        yield "other-convention", {"flops": f"flops - ({tensors['z'].split(':')[1]})"}
    yield from (("forward-for-training", {"flops": f}) for f in ("flops/3", "3*flops"))
    keys = {"reciprocal": "1/key", "bits": "8*key"}
    yield from ((slip, {"key": formula}) for slip, formula in keys.items())
    yield from (("prefix", {"key": f"key{sign}{k}"}) for sign in "*/" for k in (1000, 10**6, 10**9))
    if question["asks"] == "bytes":
        yield from (("prefix", {"key": f"key*1000^{k}/1024^{k}"}) for k in (1, 2, 3))
    yield "bits", {"key": "key/8"}
    if question["asks"] == "time":
        yield from (("seconds-milliseconds", {"key": k}) for k in ("1000*key", "key/1000"))
    if question["asks"] in {"smallest", "largest", "threshold"}:
        yield from (("off-by-one", {"key": k}) for k in ("key + 1", "key - 1"))
    if "link" in tensors:
        yield from (("one-direction", {"key": k}) for k in ("2*key", "key/2"))
        yield from (("one-direction", {"rate": k}) for k in ("2*rate", "rate/2") if "rate" in question)
    if "limit" in question:
        yield "limit-for-exact", {"key": "limit"}


def gives(question: Entry, answer: Entry, edit: Edit) -> bool:
    """Return whether the edited derivation gives the answer: a formula exactly, a number to its digits."""
    rounding = one_number(question) or edit == {"key": "limit"}
    return all(meets(question, answer, solved(question, s, edit), s, rounding) for s in points(question))
