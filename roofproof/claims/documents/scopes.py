"""Where what is told of a name holds: in its section and those inside it, in its exercise alone."""

import re
from bisect import bisect_right
from dataclasses import dataclass

_RANKS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6}
_EXERCISE = 10
_TASK = r"(?:exercises?|questions?|problems?|examples?|worked example|练习题?|习题|例题?|示例|问题|思考题|题目?|作业)"
_MARKS = re.compile(
    r"^(?P<hashes>#{1,6})[ \t]+(?P<title>[^\n]*)"
    r"|^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:\*\*|__|\\textbf\{)\s*(?:<[^>]*>)?\s*"
    rf"(?P<task>{_TASK})\s*(?:[0-9一二三四五六七八九十]|[:：\[（(])"
    rf"|\\(?P<command>part|chapter|(?:sub)*section|paragraph)\b"
    rf"|\\begin\{{(?P<begin>{_TASK})\*?\}}|\\end\{{(?P<end>{_TASK})\*?\}}"
    rf"|^:{{3,}}\s*\{{?(?P<fence>{_TASK})\b",
    re.MULTILINE | re.IGNORECASE,
)
_TITLE = re.compile(rf"\W*{_TASK}\b\W*[0-9一二三四五六七八九十]", re.IGNORECASE)

Scope = tuple[int, ...]
"""The section with those that it lies in, by where each begins; one is inside another if it begins with that."""


@dataclass(frozen=True, slots=True)
class Scopes:
    """The sections and exercises of a document.

    >>> text = "x\\n# A\\ny\\n## B\\n**Exercise 1.** z\\n**Exercise 2.** u\\n# C\\nv"
    >>> [len(Scopes.of(text).at(text.index(sign))) for sign in "xyzuv"]
    [0, 1, 3, 3, 1]
    """

    starts: tuple[int, ...]
    paths: tuple[Scope, ...]

    @classmethod
    def of(cls, text: str) -> "Scopes":
        starts: list[int] = [0]
        paths: list[Scope] = [()]
        stack: list[tuple[int, int]] = []
        for found in _MARKS.finditer(text):
            hashes, command = found["hashes"], (found["command"] or "").lower()
            if hashes:
                rank = _EXERCISE if _TITLE.match(found["title"]) else len(hashes)
            else:
                rank = _RANKS[command] if command else _EXERCISE
            stack = [(r, at) for r, at in stack if r < rank]
            if not found["end"]:
                stack.append((rank, found.start()))
            starts.append(found.start())
            paths.append(tuple(at for _, at in stack))
        return cls(tuple(starts), tuple(paths))

    def at(self, place: int) -> Scope:
        """Return the scope of a place."""
        return self.paths[bisect_right(self.starts, place) - 1]


def inside(scope: Scope, other: Scope) -> bool:
    """Tell whether a scope lies in another, or is it.

    >>> inside((2, 8), (2,)), inside((2,), (2, 8)), inside((2, 8), (49,))
    (True, False, False)
    """
    return scope[: len(other)] == other
