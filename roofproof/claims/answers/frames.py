"""The sentence around a bound: `当 B > 240 时，计算受限` is `B > 240`."""

import re

_COMPUTE_BOUND = re.compile(
    r"^\s*(?:只有|仅|只要)?\s*(?:当|在)?\s*(.+?)\s*时?\s*[，,]?\s*(?:此时|才能|才|则|就|即|该算子|算子|矩阵乘法?|它|(?<!总)是|为|(?<![不总])会|属于|处于|达到|变为|成为|\s)*"
    r"(?:计算受限|受计算限制|算力受限|compute[- ]bound)\s*(?:的|状态)?\s*[。.！!]?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_TO_BE = re.compile(
    r"^(.+?)[ ,]+(?:(?:in order )?(?:for (?:it|this|(?:the|this) \w+) )?to be(?:come)?|so that it is|makes it)\s+"
    r"(?:compute|computation)[- ]bound\s*[.!]?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_IS_BOUND = re.compile(
    r"^\s*(?:(?:it|this|(?:the|this) \w+) )?(?:(?:is|becomes|will be|gets) )?compute[- ]bound,? "
    r"(?:if and only if|only if|only when|as long as|whenever|when|once|iff|if|for)\s+(.+)$",
    re.IGNORECASE | re.DOTALL,
)
_WHEN = re.compile(r"^\s*[当在]\s*(.+?)\s*时\s*[。.]?\s*$", re.DOTALL)
_CONDITION_FIRST = re.compile(r"^\s*[当在]\s*(.+?)\s*时\s*[，,]\s*(.+)$", re.DOTALL)


def unframed(text: str) -> str:
    """Return the bound in a sentence that says when an operation is compute-bound, with its condition last.

    >>> unframed("It is compute-bound when B > 240"), unframed("B must be at least 241 for it to be compute-bound.")
    ('B > 240', 'B must be at least 241')

    >>> unframed("当 B > 240 时，计算受限。"), unframed("只有 B≥241 时才是计算受限的")
    ('B > 240', 'B≥241')
    >>> unframed("在 B ≥ 241 时是计算受限的"), unframed("在 B > 240 时")
    ('B ≥ 241', 'B > 240')
    >>> unframed("当 D > 240 时，B > 240D/(D-240)")
    'B > 240D/(D-240) 当 D > 240'
    """
    if found := _TO_BE.match(text) or _IS_BOUND.match(text) or _COMPUTE_BOUND.match(text) or _WHEN.match(text):
        return found[1]
    if found := _CONDITION_FIRST.match(text):
        return f"{found[2]} 当 {found[1]}"
    return text


_SIZES = ("size", "batch", "batch size", "integer", "value", "number", "one", "整数", "批大小")
_LEAST = re.compile(
    r"(?:the )?(?P<which>smallest|minimum|least|lowest|largest|maximum|greatest|biggest|最小(?=的)|最大(?=的)) ?"
    r"(?:integer )?(?P<size>batch size|[A-Za-z]\w*|的整数|的批大小|的 ?[A-Za-z]\w*)? ?(?:is|=|:|是|为) ?"
    r"(?=[\d(]|(?:ceil|floor) ?\()",
    re.IGNORECASE,
)
_LARGEST = ("largest", "maximum", "greatest", "biggest", "最大")


def of_the_least(text: str, asks: str, unknown: str) -> str:
    """Return an answer that names the smallest or largest size as what is asked: that integer, or else a bound.

    >>> of_the_least("the smallest B is 273", "smallest", "B"), of_the_least("the smallest is 273", "threshold", "B")
    ('B = 273', 'B >= 273')
    """
    said = _LEAST.match(text)
    if said is None or (said["size"] or unknown).removeprefix("的").strip() not in (unknown, *_SIZES):
        return text
    which = "largest" if said["which"].lower() in _LARGEST else "smallest"
    if asks in ("smallest", "largest") and asks != which:
        return text
    relation = "=" if asks == which else ">=" if which == "smallest" else "<="
    return f"{unknown} {relation} {text[said.end() :]}"


def of_the_logarithm(text: str, unknown: str) -> str:
    """Return a bound on a binary logarithm as one on what it is taken of.

    >>> of_the_logarithm("log2(N) > 32R/5", "N")
    'N > 2^(32R/5)'
    """
    x = re.escape(unknown)
    return re.sub(rf"^log2 ?(?:{x}|\( ?{x} ?\)) ?([<>]=?) ?(.+)$", rf"{unknown} \1 2^(\2)", text)
