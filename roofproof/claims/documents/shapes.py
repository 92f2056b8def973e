r"""Operations and chips that a chapter speaks of: `X[B, D] \cdot_D Y[D, F] \rightarrow Z[B, F]`, `TPU v5e`.

They are proposed, with the line where they stand; which claim is about which of them is for the author to say.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from roofproof.errors import RoofproofError
from roofproof.formats import canonical, is_format
from roofproof.hardware import chip_names
from roofproof.ops import parse_operation

_SIZES = r"[A-Za-z0-9_]{1,12}(?:\s*,\s*[A-Za-z0-9_]{1,12})*"
_OPERAND = rf"(?:[A-Za-z]\w*\s*:\s*)?[A-Za-z]\w*\s*(?:_?\s*\{{?\s*\[\s*{_SIZES}\s*\]\s*\}}?|\[\])"
_PARTS = re.compile(rf"(?:[A-Za-z]\w*\s*:\s*)?([A-Za-z]\w*?)\s*_?\s*\{{?\s*\[\s*({_SIZES}|)\s*\]")
_TIMES = r"\s*(?:\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|[*×@•·,])(?:_\w|_\{\w+\})?\s*"
_ARROW = r"\s*(?:\\rightarrow(?![A-Za-z])|\\to(?![A-Za-z])|→|->)\s*"
_PRODUCT = re.compile(rf"(?<![\w\\])({_OPERAND}(?:{_TIMES}{_OPERAND})+)({_ARROW})({_OPERAND})")
_WORDS = re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname)\{([^{}]*)\}")
_FORMAT = re.compile(r"(?<![A-Za-z0-9])(?:b?float\d+|b?fp?\d+|u?int\d+|mxfp\d|nvfp4)(?![A-Za-z0-9])", re.IGNORECASE)
_NAMED = {
    "matmul": r"矩阵乘法|matrix multipl\w+|matmul|GEMM", "dot": r"点积|内积|dot product", "matvec": r"GEMV|矩阵乘向量",
    "axpy": r"axpy", "stream-triad": r"\btriad", "layer-norm": r"layer ?norm|层归一化", "rms-norm": r"rms ?norm",
    "softmax": r"softmax", "flash-attention": r"flash ?attention", "spmv": r"spmv|稀疏矩阵乘?向量", "fft": r"\bfft\b",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proposal:
    """An operation or a chip of a text: its name for us, where it stands, and as what."""

    line: int
    name: str
    written: str


def operation_of(text: str, formats: str = "") -> str:
    r"""Return the product of tensors that a formula is, in our notation, nothing for any other formula.

    Tensors without a format have the one that `formats` names, if it names one alone.

    >>> operation_of(r"X[B, D] \cdot_D Y[D, F] \rightarrow Z[B, F]", "in bfloat16")
    'bf16[B, D], bf16[D, F] -> bf16[B, F]'
    >>> operation_of(r"X_{[B,D]} \times Y_{[D,F]} \rightarrow Z_{[B,F]}")
    'X[B,D], Y[D,F] -> Z[B,F]'
    >>> operation_of("X -> Y")
    ''
    """
    found = _PRODUCT.fullmatch(_WORDS.sub(r"\1", text).strip().rstrip(".,;。，；"))
    return _written(found, formats) if found else ""


def operations(text: str) -> Iterator[Proposal]:
    """Yield the operations that a text has the shapes of, and then those that it names.

    >>> found = list(operations("A matmul `bf16[B, D] * int8[D, F] -> bf16[B, F]` in parts."))
    >>> [each.name for each in found]
    ['bf16[B, D], int8[D, F] -> bf16[B, F]', 'matmul']
    """
    seen = set()
    plain = _WORDS.sub(lambda word: word[1].ljust(len(word[0])), text)
    for found in _PRODUCT.finditer(plain):
        line = plain[plain.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
        name = _written(found, line) if _FORMAT.search(line) else _written(found, plain)
        if name not in seen and _is_operation(name):
            seen.add(name)
            yield Proposal(_line(plain, found), name, found[0])
    for name, words in _NAMED.items():
        if named := re.search(words, plain, re.IGNORECASE):
            yield Proposal(_line(plain, named), name, named[0])


def chips(text: str) -> Iterator[Proposal]:
    """Yield the chips that a text names; of several that a name may be, all, with `or`.

    >>> [each.name for each in chips("On TPU v5e, and on an H200.")]
    ['tpu-v5e', 'h200-sxm']
    """
    named: dict[str, tuple[re.Match[str], list[str]]] = {}
    for name in chip_names():
        parts = name.split("-")
        for size in range(len(parts), 0, -1):
            if size == 1 and not re.search(r"\d", parts[0]):
                break
            pattern = r"[\s_-]*".join(map(re.escape, parts[:size]))
            if found := re.search(rf"(?<![A-Za-z0-9-]){pattern}(?![A-Za-z0-9])", text, re.IGNORECASE):
                named.setdefault("-".join(parts[:size]), (found, []))[1].append(name)
                break
    for short, (found, names) in sorted(named.items(), key=lambda each: each[1][0].start()):
        exact = [name for name in names if name == short] or names
        yield Proposal(_line(text, found), " or ".join(exact), found[0])


def _written(found: re.Match[str], formats: str) -> str:
    told = {canonical(word.lower()) for word in _FORMAT.findall(formats) if is_format(word.lower())}
    one = told.pop() if len(told) == 1 else ""

    def tensor(part: re.Match[str]) -> str:
        own = part[1].lower()
        return f"{canonical(own) if is_format(own) else one or part[1]}[{part[2]}]"

    inputs = ", ".join(tensor(part) for part in _PARTS.finditer(found[1]))
    [out] = [tensor(part) for part in _PARTS.finditer(found[3])]
    return f"{inputs} -> {out}"


def _is_operation(text: str) -> bool:
    if not all(is_format(part[1]) for part in _PARTS.finditer(text)):
        return False
    try:
        parse_operation(text)
    except RoofproofError:
        return False
    return True


def _line(text: str, found: re.Match[str]) -> int:
    return text.count("\n", 0, found.start()) + 1
