"""Names of the claim language for the words of a document: `算力` is peak, `Memory Traffic` Memory_Traffic."""

import re
from collections.abc import Collection, Iterable

from roofproof.formula.functions import FUNCTIONS, KEYWORDS
from roofproof.formula.units import units

GLOSSARY = {
    "计算": "compute", "通信": "comms", "内存": "memory", "算力": "peak", "芯片算力": "peak_of_chip",
    "带宽": "bandwidth",
    "强度": "Intensity", "算术强度": "arithmetic_intensity", "临界强度": "critical_intensity", "矩阵乘法": "matmul",
    "点积": "dot_product", "加速器": "accelerator", "访存": "traffic", "时间": "Time", "总时间": "total_time",
    "参数数": "parameters", "参数量": "parameters", "字节数": "byte_count", "网络带宽": "network_bandwidth",
    "下界": "lower_bound", "上界": "upper_bound", "数据量": "amount_of_data", "吞吐量": "throughput",
    "批大小": "batch_size",
}  # fmt: skip
ABBREVIATIONS = frozenset(
    {"BW", "OI", "AI", "MFU", "HFU", "FLOPS", "FLOP", "FLOPs", "TP", "PP", "DP", "EP", "CP", "SP", "SM", "HBM"}
)
"""Runs of capitals that are one name on paper; where a letter of one stands alone as well, they may be a product."""

_WORDS = re.compile(r"\\(?:text|math|operatorname|label|tag|ref|begin|end)[a-z]*\s*\{[^{}]*\}")
_MACROS = re.compile(r"\\[A-Za-z]+|[0-9.]+[eE][+-]?[0-9]+")
_UNITS = re.compile(r"\\mu\s*s(?![A-Za-z])|(?<=[0-9])\s?M(?![A-Za-z])")
_LOWERED = re.compile(r"_(?:\{[^{}]*\}|\w)")
_MATRIX = re.compile(r"([A-Za-z](?:_(?:\w|\{\w+\}))?)\s*\\in\s*\\mathbb\s*\{?\s*R\s*\}?\s*\^\s*\{[^{}]*\\times")


class Names:
    """The words of a document and the names they get, and how its letters are used.

    >>> names = Names(["2BDF / (BD + DF)", "f(x)"])
    >>> names.of("Memory Traffic (Bytes)"), names.of("算力"), names.of("多少"), names.of("多少"), names.of("bytes")
    ('Memory_Traffic_Bytes', 'peak', 'word_1', 'word_1', 'bytes_')
    >>> names.stands_alone("B"), names.stands_alone("f"), names.is_product("tmp")
    (True, False, False)
    """

    def __init__(self, formulas: Iterable[str], spoken: Collection[str] = ()) -> None:
        formulas = list(formulas)
        self.text = "\n".join(formulas)
        self.spoken = frozenset(spoken)  # capitals such as `TP` that the sentences have as a word
        self.abbreviations = ABBREVIATIONS | self.spoken
        self.words: dict[str, str] = {}  # what a word of the document is called
        self.alone: set[str] = set()  # letters that stand by themselves
        self.factors: set[str] = set()  # letters that stand where no bracket follows
        self.runs: set[str] = set()  # letters written together
        self.matrices: set[str] = set()
        for text in formulas:
            self.matrices.update(re.sub(r"[{}]", "", name) for name in _MATRIX.findall(text))
            plain = _LOWERED.sub("_", _MACROS.sub(" ", _UNITS.sub(" ", _WORDS.sub(" ", text))))
            if re.fullmatch(r"\s*[A-Za-z]\s*", plain):
                continue
            self.spoken |= {plain.strip()} & ABBREVIATIONS  # `$CP$` by itself: a name, as in a sentence
            for run in re.finditer(r"([A-Za-z]+)(\s*_)?(\s*\()?", plain):
                self.runs.add(run[1])
                if not run[2]:
                    self.alone.update([run[1]] if len(run[1]) == 1 and not run[3] else [])
                    self.factors.update(run[1][:-1] if run[3] else run[1])

    def of(self, text: str) -> str:
        """Return the name of a word, the same for the same word and another for any other."""
        word = " ".join(text.split())
        if word not in self.words:
            self.words[word] = next(n for n in self._candidates(word) if n not in self.words.values())
        return self.words[word]

    def _candidates(self, word: str) -> Iterable[str]:
        plain = GLOSSARY.get(word) or (re.sub(r"[^A-Za-z0-9]+", "_", word).strip("_") if word.isascii() else "")
        if plain and not plain[0].isdigit() and len(plain) <= 60:
            function = plain in FUNCTIONS and FUNCTIONS[plain].reserved
            reserved = function or plain in KEYWORDS or plain in units() or len(plain) == 1
            yield f"{plain}_" if reserved else plain
        yield from (f"word_{k}" for k in range(1, len(self.words) + 2))

    def stands_alone(self, letter: str) -> bool:
        """Tell whether a letter is a factor somewhere, so that a bracket after it may be one, too."""
        return letter in self.factors and letter not in "fgO"

    def is_product(self, run: str) -> bool:
        """Tell whether small letters written together are factors: each stands in another company as well."""
        others = [set(other) for other in self.runs if other != run]
        return all(any(letter in other for other in others) for letter in run)
