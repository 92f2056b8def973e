"""A student's answer, judged as the claim that it is."""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from roofproof.claims.judging.judge import judge, judge_with_slip
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.language import Claim, nodes, read_latex
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.functions import FUNCTIONS, KEYWORDS
from roofproof.claims.language.reading import lexed, read_tokens
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.critical_size import checked_point
from roofproof.errors import unknown
from roofproof.hardware import Chip
from roofproof.ops import Operation

_WORD = re.compile(r"(?<![\w\\.])(\d*\.?\d*)([A-Za-z]\w*)")  # 2BD is 2 B D
QUANTITIES = ("intensity", "flops", "bytes")


def check_answer(
    op: Operation,
    chip: Chip | None,
    answer: str,
    unknown_name: str | None = None,
    regime: str | None = None,
    at: Mapping[str, int] | None = None,
    asks: str = "intensity",
) -> Verdict:
    """Return the verdict on an answer to "when is it compute-bound?", or to "what is its intensity?".

    >>> from roofproof import chip, op
    >>> book = chip("tpu-v5e@scaling-book")
    >>> check_answer(op("matmul"), book, "B > 240", "B", "D, F >> B").kind
    'approximate'
    >>> check_answer(op("matmul"), book, "B > 120", "B", "D, F >> B").slip
    'bytes-per-element'
    >>> check_answer(op("matmul"), None, r"\\frac{BDF}{BD+DF+BF}").kind
    'verified'

    With `unknown_name` the answer is a bound (`B > 120`, or the bare number), `never` or `always`; without it a
    value, of what `asks` names. Raises RoofproofError with the column for an answer that cannot be read.
    """
    sizes = checked_point(op, at or {})
    names = [s.name for s in op.dims]
    if unknown_name is not None and unknown_name not in names:
        raise unknown("dimension", unknown_name, names)
    if asks not in QUANTITIES:
        raise unknown("quantity", asks, QUANTITIES)
    let: dict[str, nodes.Node] = {n: nodes.Number(Fraction(v), str(v)) for n, v in sizes.items()}
    for ceiling in ceilings(op, chip) if chip is not None else ():
        if ceiling.ridge is not None and ceiling.symbol.name not in names:  # the letters that a derivation prints
            ridge = Fraction(int(ceiling.ridge.p), int(ceiling.ridge.q))
            let[ceiling.symbol.name] = nodes.Number(ridge, str(ridge))
    asked = nodes.Reference("op", "asked")
    read = _read(answer, names)
    condition: nodes.Node = (
        nodes.Comparison((nodes.Call("intensity", (asked,)), nodes.Name("R")), (">",))
        if chip is None
        else nodes.Call("compute_bound", (asked, nodes.Reference("chip", "given")))
    )
    proposition: nodes.Node
    if nodes.is_proposition(read):
        proposition = nodes.Equivalence((condition, read))
    elif unknown_name is None:
        relation = "~=" if isinstance(read, nodes.Number) else "=="
        proposition = nodes.Comparison((nodes.Call(asks, (asked,)), read), (relation,))
    elif read == nodes.Name("always"):
        proposition = condition
    elif read == nodes.Name("never"):
        proposition = nodes.Negation(condition)
    else:
        proposition = nodes.Equivalence((condition, nodes.Comparison((nodes.Name(unknown_name), read), (">",))))
    env = Environment(ops={"asked": op}, chips={} if chip is None else {"given": chip}, let=let)
    claim = Claim("answer", answer, proposition, env, let, regime=Regime(regime) if regime else None)
    found = judge_with_slip(claim)
    whole = isinstance(read, nodes.Number) and read.value.denominator == 1
    if found.kind == "refuted" and unknown_name is not None and whole:
        least = nodes.Comparison((nodes.Name(unknown_name), read), (">=",))  # as one answers, too
        other = judge(replace(claim, proposition=nodes.Equivalence((condition, least))))
        if other.kind == "verified":
            return replace(other, note=f"{answer.strip()} is the smallest integer {unknown_name}")
    return found


def _read(answer: str, names: list[str]) -> nodes.Node:
    text = answer.strip()
    if text.lower() in ("never", "always"):
        return nodes.Name(text.lower())
    known = {*names, "R"}  # R: the ridge point
    for number, word in dict.fromkeys(_WORD.findall(text)) if "\\" not in text else ():
        if number and re.fullmatch(r"[eE]\d*", word):  # 1.97e14
            continue
        if word not in known and word not in FUNCTIONS and word not in KEYWORDS:
            if len(word) > 1 and set(word) <= known:  # BDF for B D F, as one writes by hand
                text = re.sub(rf"(?<![A-Za-z_]){word}\b", f"({' '.join(word)})", text)
            else:
                raise unknown("name in the answer", word, known)
    if "\\" in text:
        return read_latex(text, names)
    node: nodes.Node = read_tokens(text, lexed(text, "a proposition"), names)
    return node
