"""The sentence around a bound: `当 B > 240 时，计算受限` is `B > 240`."""

import re

_COMPUTE_BOUND = re.compile(
    r"^\s*(?:只有|仅|只要)?\s*(?:当)?\s*(.+?)\s*时?\s*[，,]?\s*(?:此时|才能|才|则|就|即|该算子|算子|它|(?<!总)是|为|(?<![不总])会|属于|处于|达到|变为|成为|\s)*"
    r"(?:计算受限|受计算限制|算力受限|compute[- ]bound)\s*(?:的|状态)?\s*[。.！!]?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_WHEN = re.compile(r"^\s*当\s*(.+?)\s*时\s*[。.]?\s*$", re.DOTALL)
_CONDITION_FIRST = re.compile(r"^\s*当\s*(.+?)\s*时\s*[，,]\s*(.+)$", re.DOTALL)


def unframed(text: str) -> str:
    """Return the bound in a Chinese sentence that says when an operation is compute-bound, with its condition last.

    >>> unframed("当 B > 240 时，计算受限。"), unframed("只有 B≥241 时才是计算受限的")
    ('B > 240', 'B≥241')
    >>> unframed("当 D > 240 时，B > 240D/(D-240)")
    'B > 240D/(D-240) 当 D > 240'
    """
    if found := _COMPUTE_BOUND.match(text) or _WHEN.match(text):
        return found[1]
    if found := _CONDITION_FIRST.match(text):
        return f"{found[2]} 当 {found[1]}"
    return text
