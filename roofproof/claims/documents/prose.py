r"""A formula of a document in the notation of claims; what may be read two ways on paper is refused with both.

On paper `BW` is one name and `BD` a product, `f(x)` a value and `B(x + 1)` a product, `M \times N` a number or a shape.
What a document writes elsewhere settles some of this; the rest is not guessed.
"""

import re
from typing import Any

from roofproof.claims.documents.labels import LARGE, unlabelled
from roofproof.claims.documents.names import Names
from roofproof.claims.language.latex import Writer
from roofproof.claims.language.latex_macros import CALLED, PREFIXED, refuse_words, settled
from roofproof.claims.language.latex_parts import WHERE, WORDS, text_of
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.tokens import Token, error_at
from roofproof.formula.units import unit_of

_RUN = re.compile(r"(?<![A-Za-z])(?!(?:max|min|floor|ceil|sqrt)\s*\()[A-Za-z]{2,}")
_BY_SIGN = re.compile(r"(?<![A-Za-z\\0-9_{^])([A-Za-z]+)\s*(?:\*|×|\\cdot|\\times)\s*([A-Za-z]+)(?![A-Za-z0-9_^(])")
_BRACKETED = re.compile(r"[0-9](?:\s|~|\\[ ,;:])*\($")  # after a number
_BOLD = ("mathbf", "boldsymbol", "vec", "bm")
GROWTH = ("O", "o", "Theta", "Omega")
_MU = re.compile(r"\\mu(?![A-Za-z])(?!\s*(?:s(?![A-Za-z])|\\(?:text|mathrm)))")
_PER = re.compile(r"([kMGTPE]?) ?(?i:flops?) ?(?:/|(?i:per)) ?(?:(B|字节|(?i:bytes?))|s|秒|(?i:sec|seconds?))")
UNITS = {"毫秒": "ms", "微秒": "us", "秒": "second", "字节": "byte", "字节/秒": "B/s", "比特": "bit"}
_UPRIGHT = ("s", "h", "B", "b", "J", "W")  # letters that stand upright as units
_DUE = ("name", "number", ")", "power", "unit"), ("name", "number", "(")


class OrderOfGrowth(RoofproofError):
    """A formula that tells how something grows, `T = O(n)`, which is no value."""


class Prose(Writer):
    """Writes a statement of a document: its words get names, its runs of letters are products where they must be."""

    def __init__(self, source: str, names: Names) -> None:
        super().__init__(source, frozenset())
        self.names = names
        self.micro = "s" not in names.alone and not _MU.search(names.text)
        if one := sorted((run for run in names.abbreviations if self._one_name(run)), key=len, reverse=True):
            named = rf"(?<![A-Za-z])(?:{'|'.join(one)})(?![A-Za-z])"
            self.piece = re.compile(f"{named}|{Writer.piece.pattern}", re.DOTALL)

    def _one_name(self, run: str) -> bool:
        told = run in self.names.spoken or f"{run}_" in self.source
        return told or not any(letter in self.names.alone for letter in run)

    def nodes(self, nodes: list[Any]) -> None:
        one_name = lambda run: run in self.names.abbreviations and self._one_name(run)  # noqa: E731
        super().nodes(unlabelled(nodes, one_name, self.micro, "M" not in self.names.factors))

    def chars(self, text: str, start: int, mark: str) -> str:
        refuse_words(self.source, text, start, self.declared)
        for found in _RUN.finditer(re.sub(r"[0-9.]+[eE][+-]?[0-9]+", lambda m: " " * len(m[0]), text)):
            self.settle(found[0], text[found.end() :].lstrip()[:1], start + found.start())
        return super().chars(text, start, mark)

    def settle(self, run: str, after: str, at: int) -> None:
        """Refuse letters that may be one name as well as a product."""
        both = f"{quoted(run)} may be one name or a product of letters"
        if run in self.names.abbreviations:
            if not self._one_name(run):
                raise error_at(at, f"{both}; write \\text{{{run}}} or {' '.join(run)}")
        elif PREFIXED.fullmatch(run) and not set(run) <= self.names.alone:
            raise error_at(
                at, f"{quoted(run)} may be a unit or a product of letters; write \\text{{{run}}} or {' '.join(run)}"
            )
        elif after == "_" and (run.isupper() or re.match(r"_(?:\{\\?\w{2}|\\)", self.source[at + len(run) :])):
            raise error_at(at, f"{both}, here with a subscript; write \\text{{{run}}} or {' '.join(run)}")
        elif len(run) > 2 and run.islower() and not self.names.is_product(run):
            raise error_at(at, f"{both}; write \\text{{{run}}} or {' '.join(run)}")

    def subscript(self, node: Any) -> str:
        inside = node.nodelist if type(node).__name__ == "LatexGroupNode" else [node]
        text = text_of(inside[0]) if len(inside) == 1 else ""
        return self.names.of(text) if text and not re.fullmatch(r"\w+", text, re.ASCII) else super().subscript(node)

    def lower(self, word: str, start: int, end: int) -> None:
        whole = self.pieces[-1][0].rstrip() if self.pieces else ""
        if whole in self.words:
            self.pieces[-1] = (whole.rstrip("_"), *self.pieces[-1][1:])  # FLOPs_ is called so for its unit alone
            self.extend(f"_{word}", end)
            self.words.add(self.pieces[-1][0].rstrip())
        elif "_" in whole and self.named():
            self.extend(f"_{word}", end)  # a label beside what stands below already
        else:
            super().lower(word, start, end)

    def macro(self, node: Any, start: int, end: int) -> None:
        if node.macroname in _BOLD:
            raise error_at(start, "a vector or a matrix; expected a formula of numbers")
        if node.macroname == "mathcal" and node.latex_verbatim().strip("} ")[-1:] in GROWTH:
            return self.write(start, end, "O ")
        super().macro(node, start, end)

    def unit_here(self, text: str, start: int) -> str:
        """Return the unit that words are where they stand, as in `240 \\text{ flops per Byte}` or `4 \\text{ 字节}`."""
        text = UNITS.get(text, text)
        if (unit_of(text) is None or "FLOPS" in text) and (found := _PER.fullmatch(text)):
            text = f"{found[1]}FLOPs/{'byte' if found[2] else 's'}"
        return super().unit_here(text, start)

    def word(self, node: Any, start: int, end: int) -> None:
        text = text_of(node)
        if text in LARGE and re.search(r"[0-9)]$", self.last()):
            while self.pieces[-1][0].isspace():
                self.pieces.pop()
            number = re.fullmatch(r"[0-9.]+", self.pieces[-1][0])
            return self.write(start, end, f"e{LARGE[text]}" if number else f" * 10^{LARGE[text]}")
        unit = text and self.source[end : end + 1] not in ("_", "(") and self.unit_here(text, start)
        if text in ARITHMETIC or text in WHERE or unit or node.macroname not in WORDS:
            return super().word(node, start, end)
        if not text or not any(sign.isalnum() for sign in text):
            raise error_at(start, f"{quoted(node.latex_verbatim())} is no word")
        if unit_of(text) is not None and _BRACKETED.search(self.source[:start]) and self.source[end : end + 1] == ")":
            raise error_at(start, f"{quoted(text)} may be a unit or a factor; write a unit without brackets")
        if PREFIXED.fullmatch(text) and self.source[end : end + 1] not in ("_", "("):
            raise error_at(start, f"{quoted(text)} is a unit; it stands after a number or a name")
        if text in _UPRIGHT and self.source[end : end + 1] not in ("_", "("):
            raise error_at(start, f"{quoted(text)} may be a unit or a name; write a name without \\{node.macroname}")
        name = self.names.of(text)
        self.words.add(name)
        self.write(start, end, f"{name} ")

    def settled(self) -> list[Token]:
        """Return the tokens, the calls of words as names; refuse words beside values, shapes and matrices."""
        if (shape := _BY_SIGN.search(self.source)) and len(shape[1] + shape[2]) > 2 and not self._known(shape):
            raise error_at(
                shape.start(), f"{quoted(shape[0])} may be a product of letters, of names, or a shape; write one"
            )
        tokens = self.applied(self.tokens())
        held = sorted({t.text for t in tokens if t.kind == "name"} & self.names.matrices)
        if len(held) > 1:
            raise error_at(0, f"{' and '.join(held)} are matrices in this document; expected numbers")
        for k, token in enumerate(tokens):
            if token.kind == "name" and token.text in self.words:
                beside = (tokens[k - 1].kind if k else "") in _DUE[0]
                if beside or (tokens[k + 1].kind if k + 1 < len(tokens) else "") in _DUE[1]:
                    raise error_at(token.at, f"words beside a value: {quoted(token.text)}; write what joins them")
        return settled(tokens, ())

    def _known(self, shape: re.Match[str]) -> bool:
        return all(len(run) == 1 or run in self.names.abbreviations for run in shape.groups())

    def applied(self, tokens: list[Token]) -> list[Token]:
        """Return tokens with `intensity(matmul)` and `T(n)` as one name each."""
        found: list[Token] = []
        k = 0
        while k < len(tokens):
            token, word = tokens[k], tokens[k].text
            k += 1
            function = word in FUNCTIONS or word in CALLED  # what words are called by is never one of them
            if token.kind == "name" and not function and [t.kind for t in tokens[k : k + 1]] == ["("]:
                if word in GROWTH:
                    raise OrderOfGrowth(f"'{word}(...)' is an order of growth; expected a value")
                spoken, letter = word in self.words, word[0]
                near = token.end == tokens[k].at or spoken
                of = tokens[k + 1].text
                one = [t.kind for t in tokens[k : k + 3]] == ["(", "name", ")"]
                if one and (spoken or of in self.words or (near and not self.names.stands_alone(letter))):
                    name = f"{word}_of_{of}"
                    self.words.add(name)
                    found.append(token._replace(text=name))
                    k += 3
                    continue
                if spoken:
                    raise error_at(token.at, f"{quoted(word)} is not known as a function")
                if near and not self.names.stands_alone(letter):
                    both = f"'{word}(...)' may be a value of {word} or a product"
                    raise error_at(token.at, f"{both}; write '{word} \\cdot (...)' for the product")
            found.append(token)
        return found
