"""The words between formulas, in the languages that are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from roofproof.errors import unknown
from roofproof.export.latex.escaping import escape

LANGUAGES = ("en", "zh")

# What is between < and > is put in; $...$ is mathematics; everything else is text.
_SAID: Mapping[str, tuple[str, str]] = {
    "when": ("when", "当"), "and": ("and", "且"), "or": ("or", "或"), "not": ("not", "非"),
    "otherwise": ("otherwise", "否则"), "never": ("never", "永不"), "always": ("always", "总是"),
    "colon": (": ", "："), "comma": (", ", "，"), "list": (", ", "、"), "semicolon": ("; ", "；"), "stop": (".", "。"),
    # what a derivation is about
    "title": ("<op> on <chip>, solved for <x>", "<op> 在 <chip> 上，对 <x> 求解"),
    "title-chip": ("<op> on <chip>", "<op> 在 <chip> 上"),
    "title-unknown": ("<op>, solved for <x>", "<op>，对 <x> 求解"),
    "given": ("Given", "已知"), "derivation": ("Derivation", "推导"), "threshold": ("Threshold", "临界值"),
    "figures": ("The figures of other sources", "其他来源的参数"), "times": ("Times", "时间"),
    "status": ("Proof status", "证明状态"),
    # reasons beside the lines
    "read": ("read <tensor>", "读入 <tensor>"), "write": ("write <tensor>", "写回 <tensor>"),
    "times-each": ("<times> times", "共 <times> 遍"), "over": ("over <channel>", "经 <channel>"),
    "tensors": ("<count> tensors, listed below", "<count> 个张量，见下表"), "in-all": ("in all", "合计"),
    "lowest-terms": ("FLOPs / bytes, in lowest terms", "FLOPs / bytes，约到最简"),
    "lowest-terms-over": (
        "FLOPs / bytes over <channel>, in lowest terms", "FLOPs / 经 <channel> 的 bytes，约到最简"
    ),
    "as": ("as <regime>", "当 <regime>"), "exactly": ("exactly", "精确成立"),
    "neglected": ("relative error of <value>, exact", "取 <value> 的相对误差，精确值"),
    "neglected-that": ("relative error of that, exact", "其相对误差，精确值"),
    "after": ("Counted as in <source>.", "计数依据：<source>。"),
    "start": ("From FLOPs and bytes to the arithmetic intensity:", "由运算量与字节数求算术强度："),
    "counted": ("Counted: <convention>.", "计数约定：<convention>。"),
    "grows": ("how it grows, as <regime>", "增长方式，当 <regime>"),
    "no-error": ("no error at all", "没有误差"), "where": ("where <condition>", "其中 <condition>"),
    "ridge": ("peak over bandwidth, in FLOP/B", "峰值算力除以带宽，单位 FLOP/B"),
    "ridge-over": ("peak over bandwidth of <channel>, in FLOP/B", "峰值算力除以 <channel> 带宽，单位 FLOP/B"),
    "short": ("for short", "简记"),
    # sentences
    "compute-bound": ("Compute-bound exactly when <condition>, that is, when", "计算受限当且仅当 <condition>，即"),
    "with": ("With <values>:", "代入 <values>："),
    "where-list": ("where", "其中"),
    "rule": ("Rule of thumb (<regime>): <answer>.", "经验法则（<regime>）：<answer>。"),
    "point": ("At <sizes>: <answer>.", "当 <sizes> 时：<answer>。"),
    "smallest": ("<answer>; the smallest integer is <x>", "<answer>；最小整数为 <x>"),
    "largest": ("<answer>; the largest integer is <x>", "<answer>；最大整数为 <x>"),
    "smallest-multiple": ("<answer>; the smallest multiple of <step> is <x>", "<answer>；<step> 的最小倍数为 <x>"),
    "largest-multiple": ("<answer>; the largest multiple of <step> is <x>", "<answer>；<step> 的最大倍数为 <x>"),
    "never-why": (
        "Never compute-bound on this chip: <bound> whatever the sizes, and <ridge>.",
        "在该芯片上永不计算受限：无论尺寸如何都有 <bound>，而 <ridge>。",
    ),
    "never-plain": (
        "Never compute-bound on this chip: with <ridges>, no size is enough.",
        "在该芯片上永不计算受限：<ridges>，没有任何尺寸满足条件。",
    ),
    "never-there": ("never, since <condition> fails", "永不，因为 <condition> 不成立"),
    "no-flops": (
        "No FLOPs are done, so no size makes it compute-bound: its intensity is 0.",
        "没有浮点运算，因此任何尺寸都不会使其计算受限：算术强度为 0。",
    ),
    "warning": ("Mind: the order of growth matters; <limits>.", "注意：增长次序有影响：<limits>。"),
    "assumed": ("Assumed: <conditions>.", "前提：<conditions>。"),
    "divides": ("<part> divides <whole>", "<part> 整除 <whole>"),
    "free": ("It depends on <names> in no way.", "与 <names> 无关。"),
    "lower": ("at least: everything overlaps", "下界：完全重叠"),
    "upper": ("at most: nothing overlaps", "上界：完全不重叠"),
    "demand-supply": ("demand over supply", "需求除以供给"),
    "sizes": ("At <sizes>:", "当 <sizes> 时："),
    "by-rule": ("By the rule of thumb (<regime>), not exact:", "按经验法则（<regime>），并非精确值："),
    "one-proof": (
        "One proof, in which the ridge point is a symbol, serves every chip: <trust>.",
        "临界强度在证明中取为符号，一次证明适用于所有芯片：<trust>。",
    ),
    "open": ("depends on the sizes", "取决于尺寸"),
    # status
    "for-all": ("For all <names>:", "对所有 <names>："),
    "each-case": ("each case holds exactly where it is stated", "每种情形恰在所述条件下成立"),
    "exhaustive": ("the cases are exhaustive and exclude each other", "各情形穷尽且互斥"),
    "limit-holds": ("the limit <value> and its error", "极限 <value> 及其误差"),
    "kernel": ("proved by the kernel", "由内核证明"),
    "smt": ("shown by z3, an oracle, not by the kernel", "由 z3（外部求解器）判定，非内核证明"),
    "sampled": ("sampled only: not proved", "仅抽样检验：未证明"),
    "undecided": ("undecided", "未判定"),
    "rests-on": ("It rests on", "依据"),
    # heads of tables
    "tensor": ("tensor", "张量"), "shape": ("shape", "形状"), "format": ("format", "格式"), "moved": ("moved", "搬运"),
    "bytes": ("bytes", "字节"), "figure": ("figure", "参数"), "value": ("value", "数值"), "source": ("source", "来源"),
    "known": ("known from", "依据"), "chip": ("chip", "芯片"), "peak": ("peak", "峰值"),
    "bandwidth": ("bandwidth", "带宽"), "smallest-head": ("integer", "整数"), "exact": ("exact", "精确值"),
    "reads": ("read", "读入"), "writes": ("written", "写回"), "operation": ("operation", "算子"),
    "ridge-head": ("ridge point", "临界强度"), "no-figure": ("no figure", "无此参数"),
    "answer": ("critical size", "临界值"),
}  # fmt: skip


def words(lang: str) -> Mapping[str, str]:
    """Return the words of a language by what they mean.

    >>> words("en")["never"], words("zh")["never"]
    ('never', '永不')

    Raises RoofproofError for a language that is not written.
    """
    if lang not in LANGUAGES:
        raise unknown("language", lang, LANGUAGES)
    return _table(LANGUAGES.index(lang))


@cache
def _table(place: int) -> Mapping[str, str]:
    return {key: said[place] for key, said in _SAID.items()}


def say(lang: str, key: str, **parts: str) -> str:
    """Return a sentence with its gaps filled; what is filled in is TeX already.

    >>> say("en", "as", regime="$D > B$")
    'as $D > B$'
    """
    return re.sub(r"<([a-z]+)>", lambda gap: parts[gap[1]], words(lang)[key])


def convention(text: str, lang: str) -> str:
    """Return how an operation is counted, as text for TeX; in Chinese where the library's words are known.

    >>> convention("2 FLOPs per multiply-add", "zh")
    '每次乘加 2 FLOP'
    """
    if lang == "en" or not text:
        return escape(text)
    from roofproof.export.slides.model import Math
    from roofproof.export.slides.terms import Words

    counted = Words(lang).counted(text)
    return "".join(f"${part.tex}$" if isinstance(part, Math) else escape(str(part)) for part in counted)


def status(text: str, lang: str) -> str:
    """Return how a figure is known, as text for TeX.

    >>> status("vendor docs", "en"), status("vendor docs", "zh")
    ('vendor docs', '厂商文档')
    """
    if lang != "en":
        from roofproof.export.slides.terms import Words

        key = text.replace(" ", "-")
        if key in Words(lang):
            return escape(Words(lang).text(key))
    return escape(text)
