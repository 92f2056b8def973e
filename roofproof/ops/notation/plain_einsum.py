"""A typed einsum whose indices are names, read by two patterns: most are, and a grammar takes long to start.

What does not fit is left to the grammar, which reads these the same way and tells what is wrong with the others.
"""

from __future__ import annotations

import re

_WORD = "[A-Za-z_][A-Za-z0-9_]{0,99}"
_FORMAT = "[A-Za-z][A-Za-z0-9]{0,99}"
_SHAPE = rf"\[((?:{_WORD}(?:, ?{_WORD})*)?)\] ?"
_OPERAND = rf" ?(?:({_WORD}):)?({_FORMAT}){_SHAPE}"
_OPERANDS = re.compile(rf"{_OPERAND}(?:,{_OPERAND})*")
_REST = re.compile(
    rf" ?(?:({_WORD}):)?({_FORMAT})?{_SHAPE}(?:@ ?({_FORMAT}(?:-[a-z0-9]{{1,99}})*) ?)?(?:\bacc ({_FORMAT}) ?)?"
)

Operand = tuple[str, str, list[str]]


def plain_einsum(text: str) -> tuple[list[Operand], str, str] | None:
    """Return operands and output (label, format, indices), the engine and the accumulator; None for anything else.

    >>> plain_einsum("bf16[B,D], w:int8[D] -> [B] @ bf16")
    ([('', 'bf16', ['B', 'D']), ('w', 'int8', ['D']), ('', '', ['B'])], 'bf16', '')
    >>> plain_einsum("bf16[2*B] -> bf16[B]")                   # a product of two: for the grammar
    """
    left, _, right = re.sub(" +", " ", text).partition("->")
    if not _OPERANDS.fullmatch(left) or not (rest := _REST.fullmatch(right)):
        return None
    *output, compute, accumulate = rest.groups("")
    written = [*re.findall(_OPERAND, left), output]
    return [(label, dtype, re.findall(_WORD, names)) for label, dtype, names in written], compute, accumulate
