"""The words of the figures in each language; names and units stay as they are."""

from __future__ import annotations

from roofproof.errors import unknown

LANGUAGES = ("en", "zh")

_WORDS = {
    "roofline": ("Roofline", "Roofline（屋顶线）模型"),
    "intensity": ("arithmetic intensity (FLOP/B)", "算术强度 (FLOP/B)"),
    "attainable": ("attainable FLOP/s", "可达算力 (FLOP/s)"),
    "achieved": ("achieved", "实际可达算力"),
    "achieved-title": ("Achieved FLOP/s", "实际可达算力"),
    "peak": ("peak", "峰值算力"),
    "threshold": ("Where it is compute-bound", "何时计算受限"),
    "compute-bound": ("compute-bound", "计算受限"),
    "bandwidth-bound": ("bandwidth-bound", "带宽受限"),
    "memory-bound": ("memory-bound", "访存受限"),
    "both": ("bandwidth-bound under both", "两种带宽下均带宽受限"),
    "all": ("bandwidth-bound under all", "各种带宽下均带宽受限"),
    "one": ("under one", "仅一种带宽受限"),
    "some": ("under some", "部分带宽受限"),
    "colon": (": ", "："),
    "never": ("never", "永不计算受限"),
    "never-short": ("never", "永不"),
    "always": ("always compute-bound", "总是计算受限"),
    "longest": ("What takes longest", "何种资源是瓶颈"),
    "time": ("Time", "时间"),
    "memory": ("memory", "内存"),
    "seconds": ("time (s)", "时间 (s)"),
    "upper": ("upper: nothing overlaps", "上界：完全不重叠"),
    "lower": ("lower: all overlap", "下界：完全重叠"),
    "ridge": ("ridge", "拐点"),
}


class Words:
    """The words of one language.

    >>> Words("zh")["intensity"], Words("en")["never"]
    ('算术强度 (FLOP/B)', 'never')

    Raises RoofproofError for a language that there is none for.
    """

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise unknown("language", language, LANGUAGES)
        self.language = language

    def __getitem__(self, key: str) -> str:
        return _WORDS[key][LANGUAGES.index(self.language)]

    def bound_by(self, resource: str) -> str:
        """Return what an operation is called that waits for a link."""
        return f"{resource} 通信受限" if self.language == "zh" else f"{resource}-bound"

    def title(self, key: str, subject: str) -> str:
        """Return a title: what is shown, and of what."""
        return f"{self[key]}{self['colon']}{subject}"
