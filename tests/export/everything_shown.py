"""What an answer shows, in any form, held against the tree of known statements: numbers by value, formulas by meaning.

A formula is taken for its value at one point that its names alone decide, in exact fractions as long as there are
any: two formulas with the same value there are the same. The tree counts by what its statements say, goals and
assumptions with all their parts, and not by what they carry along for the eye.
"""

import ast
import contextlib
import math
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from html import unescape
from typing import Any

import sympy
from formula_values import OPERATIONS, of_ast, of_polynomial, of_sympy, real_roots, value

from roofproof.claims.language import read_latex, to_sympy
from roofproof.errors import RoofproofError
from roofproof.export.latex.escaping import escape
from roofproof.proofs.kernel.clearing import without_divisors
from roofproof.proofs.kernel.terms import substitute, variables
from roofproof.proofs.known import Known, Model

NUMBER = r"\d+(?:\.\d+)?(?:e-?\d+)?"
UNITS = {"": 1, "s": 1, "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9)}
NO_FORMULA = r"FLOP/s|FLOP/B|(?<=[\de] )B/s|demand / supply"  # units, and a slash between words
# What stands beside the numbers and formulas: units, and words that are in no table.
WORDS = set(["FLOP", "FLOPs", "B", "s", "ms", "us", "ns", "default", "oo", "qty", "hbm"])
SIGNS = r"<=>|->|<=|>=|\s=\s|\s<\s|\s>\s|≈|:\s|;|\s\s+|,\s|\|"
RELATIONS = r"\\iff\b|\\mid\b|&?=|\\to\b|\\sim|\\geq|\\leq|\\gg|>|<|\\colon|&|\\quad|\\qquad|\\\\|;|,\\ "


def mark(number: Any) -> str:
    """Return a value to twelve digits, which is what values are compared by."""
    return f"{number:.12g}" if isinstance(number, complex) else f"{float(number):.12g}"


class Tree:
    """The values of all terms of some statements."""

    def __init__(self, known: Iterable[Known], given: Iterable[sympy.Basic] = (), names: Iterable[str] = ()) -> None:
        from roofproof.proofs.translate import with_functions

        self.marks: set[str] = set()
        self.numbers: set[Fraction] = set()
        self.names = set(names)
        self.texts: set[str] = set()
        for each in known:
            roots = roots_named(each.statement.assumptions)
            self.names.update(roots)  # names of the proof alone: shown, they are worth nothing
            for formula in (each.statement.goal, *each.statement.assumptions, *each.statement.positive()):
                self.take(substitute(each.statement.spelled_out(formula), roots))
            if isinstance(each.warrant, Model):
                self.texts.add(each.warrant.convention)
        for condition in given:
            for part in sympy.preorder_traversal(condition):
                if isinstance(part, sympy.Expr) and not part.has(sympy.Mod):
                    self.take(with_functions(part))

    def take(self, term: Any) -> Any:
        """Keep the values of a term or a formula and of all its parts; return that of a term."""
        head, *parts = term
        if head == "v":
            self.names.add(parts[0])
            return self.keep(value(parts[0]))
        if head == "q":
            self.numbers.add(Fraction(*parts))
            return self.keep(Fraction(*parts))
        if head == "^":
            return self.keep(self.take(parts[0]) ** parts[1])
        if head == "tends":
            self.take(parts[0]), self.take(parts[2])
            return None
        found = [self.take(part) for part in parts if isinstance(part, tuple)]
        if head not in OPERATIONS:
            return None
        if len(found) > 1 and head == "+":
            self.partial(found)
        number = self.keep(OPERATIONS[head](*found))
        if number is not None and not variables(term):
            self.numbers.add(Fraction(number))
        return number

    def keep(self, number: Any) -> Any:
        if number is not None:
            self.marks.add(mark(number))
        return number

    def partial(self, terms: list[Any]) -> None:
        """A sum is told term by term, and broken over lines between any two."""
        for start in range(len(terms)):
            total = Fraction(0)
            for term in terms[start:]:
                total += term
                self.marks.add(mark(total))

    def has(self, number: Any) -> bool:
        return number is None or mark(number) in self.marks or mark(-number) in self.marks

    def rounds(self, text: str, about: bool = False, unit: str = "") -> bool:
        """Tell whether some number in the tree is this one, in full or, with a point in it, to five digits."""
        shown = Fraction(text) * UNITS.get(unit, 1)
        if shown in self.numbers:
            return True
        near = [n for n in self.numbers if n > 0 and about and abs(n - shown) * 10**4 < n]
        return any(abs(n - shown) * 2 <= Fraction(10) ** (math.floor(math.log10(n)) - 4) for n in near)


class Shown:
    """What a text shows that is not in a tree; `wrong` lists it."""

    def __init__(self, tree: Tree, names: Iterable[str] = ()) -> None:
        self.tree = tree
        texts = sorted({*names, *tree.texts} - {""}, key=len, reverse=True)
        self.removed = [t for t in texts if len(t) > 2]
        self.wrong: list[str] = []
        self.short: dict[str, Any] = {}
        self.untold: set[str] = set()  # names on slides for what has too many terms
        self.roots: dict[str, str] = {}  # how a root is told that stands as a fraction in what is read
        self.checked = 0

    def number(self, text: str, about: bool = False, unit: str = "") -> None:
        self.checked += 1
        if not self.tree.rounds(text, about, unit):
            self.wrong.append(f"{text} {unit}".strip())

    def meaning(self, number: Any, text: str) -> None:
        self.checked += 1
        if not self.tree.has(number):
            for fraction, root in self.roots.items():
                text = text.replace(fraction, root)
            self.wrong.append(text)

    def with_roots(self, text: str, fraction: str) -> str:
        """Return a text with roots of polynomials, which `=` and commas would part, as fractions near them."""

        def near(found: re.Match[str]) -> str:
            roots, which = of_polynomial(found["of"]), found["which"]
            at = int(which or 1) - (found["name"] != "CRootOf")
            if roots is None or not 0 <= at < len(roots) or (which is None and len(roots) > 1):
                self.wrong.append(f"not read: {found[0]}")
                return " "
            made = fraction % roots[at].as_integer_ratio()
            self.roots[made] = found[0]
            return made

        return re.sub(ROOT, near, text)

    def record(self, found: Any, key: str = "") -> None:
        """Look at all that JSON holds, but what says where a figure is from and how long it took."""
        if isinstance(found, dict):
            for name, each in found.items():
                if name not in ("seconds", "source", "convention", "unit", "regime", "says", "shape"):
                    self.record(each, name)
        elif isinstance(found, list):
            for each in found:
                self.record(each, key)
        elif isinstance(found, int) and not isinstance(found, bool):
            self.number(str(found))
        elif isinstance(found, str):
            self.plain(found)

    def plain(self, text: str) -> None:
        """Look at text: what stands between words, signs of relation and commas is a formula or a number."""
        text = self.with_roots(text, "(%d/%d)")
        for name in self.removed:
            text = re.sub(rf"(?<![\w]){re.escape(name)}(?!\w)", " § ", text)
        text = re.sub(NO_FORMULA, " § ", text)
        for about, number, unit in re.findall(rf"(≈ )?(?<![\w.])({NUMBER}) (ms|us|ns)\b", text):
            self.number(number, bool(about), unit)
        text = re.sub(rf"(?<![\w.]){NUMBER} (ms|us|ns)\b", " § ", text)
        for piece in re.split(r"§|×|->|=>|>=|<=|>>|[=<>~;:|@\[\]\n]|\s\s+|\s+s\b", text.replace("≈ ", "§≈")):
            self.piece(piece)

    def piece(self, piece: str) -> None:
        names = "|".join(map(re.escape, self.tree.names))
        words = rf"(?<![\w])(?!(?:{names})\b)[A-Za-z][\w-]*[A-Za-z0-9]?(?!\w|\()"
        for part in split_outside(re.sub(words, " § ", piece)):
            for each in split_outside(balanced(part.strip(" .'\"$"))):
                self.formula(balanced(each.strip()))

    def formula(self, text: str) -> None:
        if not re.search(r"[\d*/]", text):
            return
        if re.fullmatch(f"≈?{NUMBER}", text):
            return self.number(text.lstrip("≈"), "." in text or "≈" in text)
        try:
            tree = ast.parse(text.replace("^", "**"), mode="eval").body
            self.walk(tree, text)
        except (SyntaxError, KeyError, TypeError):
            self.wrong.append(f"not read: {text}")
        return None

    def walk(self, node: ast.expr, text: str) -> None:
        if isinstance(node, ast.Call) and node.func.id in ("Eq", "Ne", "Mod", "And", "Or", "Not"):  # type: ignore[attr-defined]
            for each in node.args:
                self.walk(each, text)
        elif not (isinstance(node, ast.Constant) and node.value == 0):
            self.meaning(of_ast(node), text)

    def latex(self, text: str) -> None:
        """Look at LaTeX: formulas between dollar signs and on display, and the words around them."""
        text = subscripts(text.replace("[2.5ex]", ""))
        for name in self.removed:
            text = re.sub(rf"(_\{{[^{{}}]*\}})|{re.escape(escape(name))}", lambda found: found[1] or " ", text)
        text = re.sub(rf"(?<!\\)%.*|\\(?:begin|end)\{{(?:tabular|longtable)\}}(?:{GROUP})?", " ", text)
        display = re.compile(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", re.DOTALL)
        text = display.sub(lambda m: f"${unbroken(m[1])}$", text)
        text = re.sub(r"\\\[(.*?)\\\]", r"$\1$", text, flags=re.DOTALL)
        parts = re.split(r"(?<!\\)\$", textual(text))
        self.define(parts[1::2])
        for i, part in enumerate(parts):
            if i % 2 == 0:
                part = re.sub(r"\\(?!qty|num)[a-zA-Z]+\*?|[{}&]", " ", re.sub(QUANTITY, self.quantity, part))
                self.plain(part)
            else:
                self.math(part)

    def html(self, text: str) -> None:
        """Look at HTML: text in its cells, formulas between dollar signs."""
        for i, part in enumerate(re.split(r"(?<!\\)\$", text.replace("[2.5ex]", ""))):
            if i % 2:
                self.math(unescape(part))
            else:
                self.plain(unescape(re.sub(r"<[^<>]*>", "  ", part)))

    def markdown(self, text: str) -> None:
        """Look at Markdown: a formula on display and a table."""
        formula, _, rest = text.replace("[2.5ex]", "").removeprefix("$$").partition("$$")
        self.math(formula)
        self.plain(rest.replace("---", " "))

    def beamer(self, text: str) -> None:
        """Look at a deck in LaTeX, slide by slide; not at a figure, which has a law of its own."""
        for frame in re.findall(r"\\begin\{frame\}(\{.*?)\\end\{frame\}", text, re.DOTALL):
            if "tikzpicture" not in frame:
                self.latex(self.slide(re.sub(LAYOUT, " ", frame)))

    def marp(self, text: str) -> None:
        """Look at a deck in Markdown, after its front matter."""
        for slide in text.split("\n---\n")[1:]:
            self.marp_slide(slide)

    def marp_slide(self, text: str) -> None:
        """Look at one slide in Markdown."""
        body = self.slide(re.sub(LAYOUT, " ", text)).replace("$$", "$").replace("**", " ").replace("---", " ")
        body = textual(body)
        parts = re.split(r"(?<!\\)\$", body)
        self.define(parts[1::2])
        for i, part in enumerate(parts):
            self.math(part) if i % 2 else self.plain(re.sub(r"\\(\W)", r"\1", part))

    def slide(self, text: str) -> str:
        """Return formulas of slides without units, a sum on one line, and names for parts told as such."""
        self.untold |= set(re.findall(r"(?m)^([A-Z]) &= \\text\{a sum of", text))
        self.short = {}  # each slide tells its own
        text = re.sub(COUNTS, " ", text).replace("[0.6ex]", "").replace("[2.5ex]", "").replace("\\\\\n&\\quad", " ")
        text = re.sub(r"(?m)^&\\rlap\{(.*)\}( ?\\\\)?$", r"\1\2", text).replace(r"\small\color{note}", "")
        text = re.sub(r"\\overset\{[^{}]*\}\{([^{}]*)\}|\\quad \(\d+\)", r"\1", text)  # the number of a line
        while found := re.search(FURTHER, text):  # a name for short, over several lines
            text = f"{text[: found.start()]}{found[1]} {found[3]}{found[2]}{text[found.end() :]}"
        text = re.sub(r"(?m)^&\\qquad ([A-Z]\S*) = (.*) && \\text\{for short\}", r"\1 &= \2 && \\text{for short}", text)
        text = re.sub(r"([\d.]+)\\,(?:\\text\{(ms|us|ns|s)\}|\\mu\\text\{s\})", _seconds, text)
        text = re.sub(r"\\[, ]\\text\{[A-Za-z]+/[A-Za-z]+\}", "", text)
        text = re.sub(r"(\\text\{\w+\})\[([^\]]*)\]", r"\1 ; \2 ; ", text)
        text = re.sub(rf"\\frac\{{\\text\{{bytes\}}\}}({GROUP})", r"\1", text).replace(r"$\times ", "$")
        return re.sub(r"(?m)^([A-HJ-QSU-Z](?:'|_\d)?) &= (.*?)( ?\\\\)?$", r"\1 &= \2 && \\text{for short}\3", text)

    def quantity(self, found: re.Match[str]) -> str:
        about, unit = bool(found["about"]) or "." in found["number"], found["unit"]
        self.number(found["number"], about, unit if unit in UNITS else "")
        return " "

    def math(self, text: str) -> None:
        text = self.with_roots(text, r"\frac{%d}{%d}")
        text = re.sub(QUANTITY.replace("qty|num", "qty"), self.quantity, text)
        text = re.sub(r"(?<!\\)\\[, ]", " ", text).replace(r"\approx", "§≈")
        text = re.sub(r"([+-])\s*\\\\\s*&?\s*(?:\\quad)?", r"\1 ", text)
        text = re.sub(r"\\(?:begin|end)\{\w+\*?\}|\\displaystyle|\\left\b|\\right\b", " ", text)
        text = re.sub(r"\\text\{((?:[^{}]|\{[^{}]*\})*)\}", " § ", subscripts(text))
        for piece in re.split(rf"§|{RELATIONS}", text):
            for each in split_outside(piece.strip(" .,[]")):
                self.tex(balanced(each.strip(" .,[]")))

    def read(self, text: str) -> Any:
        """Return the value of a formula in LaTeX."""
        names = {*self.tree.names, *self.short}
        found = to_sympy(read_latex(text, declared=names), lambda name: sympy.Symbol(name, positive=True))
        return of_sympy(found, self.short)

    def define(self, formulas: Iterable[str]) -> None:
        """Keep what the names stand for that parts were given to make a formula fit."""
        formulas = [self.with_roots(each, r"\frac{%d}{%d}") for each in formulas]
        for _ in range(6):
            for name, body in re.findall(SHORT, "\n".join(formulas), re.MULTILINE):
                with contextlib.suppress(RoofproofError, KeyError):
                    self.short[name] = self.read(body)

    def tex(self, text: str) -> None:
        if not re.search(r"\d|[a-zA-Z]{2}|\\frac|/|^[PQUWGHJKMYZ]$", text) or re.search(SIGN, text):
            return None
        if self.untold & set(re.findall("[A-Z]", text)):
            return None
        text = re.sub(rf"({NUMBER}) \\times 10\^\{{(-?\d+)\}}", r"\1e\2", text)
        about, text = "≈" in text, text.lstrip("≈ ")
        if found := re.fullmatch(rf"(?:\\num\{{)?({NUMBER})\}}?", text):
            return self.number(found[1], about or "." in text)
        try:
            self.meaning(self.read(text), text)
        except (RoofproofError, TypeError, KeyError) as problem:
            self.wrong.append(f"not read: {text}: {problem}")
        return None


SIGN = r"\\lvert|\\varepsilon|\\lim|^[IT]_|^\\infty"  # stands for what a formula beside it says
SHORT = r"(?:^|\\\\)\s*([A-Z](?:'|_\d|_\{\d+\})?) &= ((?:(?!&&)[^\n])*)\s*&&\s*\\text\{for short"
GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
LAYOUT = (
    r"\\begin\{(?:fitted|whole|itemize|tabular)\}(?:\[[\d.]+\]|\{@\{\}[lcr]+@\{\}\})?"
    r"|\\whole(?=\{)|<!-- _class: size-\d+ -->"
    r"|\\renewcommand\{\\arraystretch\}\{1\.\d\}|\\setlength\{\\itemsep\}\{1\.2ex\}"
)
FURTHER = r"(?m)^(&\\qquad [A-Z]\S* = .*?)( && \\text\{for short\}) ?\\\\\n&\\qquad \\quad (.*?)(?= ?\\\\$|$)"
COUNTS = r"\d+ lines, too many|a sum of \d+ terms|\d+ smaller tensors|\d+ cases, too long"  # of what is left out
ROOT = (
    r"(?:\\operatorname\{)?\b(?P<name>root|CRootOf)\}?(?:\\left)?\("
    r"(?P<of>[^()=,]*)(?: = 0)?(?:, (?P<which>\d+))?(?:\\right)?\)"
)
QUANTITY = r"(?P<about>\\approx\s*)?\\(?:qty|num)\{(?P<number>[^{}]*)\}(?:\{(?P<unit>[^{}]*)\})?"


def roots_named(assumptions: Iterable[Any]) -> dict[str, Any]:
    """Return what the names stand for that assumptions make roots of polynomials: p(x) = 0, low <= x <= high."""
    found: dict[str, Any] = {}
    lows = {f[1]: Fraction(*f[2][1:]) for f in assumptions if f[0] == ">=" and f[1][0] == "v" and f[2][0] == "q"}
    highs = {f[2]: Fraction(*f[1][1:]) for f in assumptions if f[0] == ">=" and f[2][0] == "v" and f[1][0] == "q"}
    for head, *sides in assumptions:
        if head == "=" and sides[1] == ("q", 0, 1) and len(names := variables(sides[0])) == 1:
            x = ("v", *names)
            if x in lows and x in highs:
                terms = without_divisors(sides[0]).items()
                roots = real_roots((power[0][1] if power else 0, factor) for power, factor in terms)
                [root] = [r for r in roots if lows[x] <= r <= highs[x]]
                found[x[1]] = ("q", *root.as_integer_ratio())
    return found


def subscripts(text: str) -> str:
    """Return LaTeX with the words in subscripts of formulas as parts of names, not as text."""
    return re.sub(r"([A-Z]_\{)\\text\{([^{}]*)\}\}", r"\1\2}", text)


def _seconds(found: re.Match[str]) -> str:
    return rf"\qty{{{found[1]}}}{{{found[2] or 'us'}}}"


def unbroken(rows: str) -> str:
    """Return rows of `align*` with those that go on joined, and their reasons after them."""
    made: list[list[str]] = []
    for row in re.split(r"\\\\\n", rows):
        formula, _, why = row.strip().partition("&&")
        if made and formula.strip().startswith(r"&\quad"):
            made[-1][0] += " " + formula.strip().removeprefix(r"&\quad")
            made[-1][1] += " " + why
        elif made and not formula.strip(" &"):
            made[-1][1] += " " + why
        else:
            made.append([formula, why])
    return r" \\ ".join(f"{formula} && {why}" for formula, why in made)


def textual(text: str) -> str:
    """Return LaTeX with the formulas inside `\\text{...}` taken out of it, in front of it."""
    pattern = re.compile(r"\\text\{((?:[^{}$]|\{[^{}$]*\})*)\$([^$]*)\$")
    while found := pattern.search(text):
        text = text[: found.start()] + f"; {found[2]}; " + r"\text{" + found[1] + " " + text[found.end() :]
    return text


def split_outside(text: str) -> Iterator[str]:
    """Split at marks, and at commas, `and`, `or`, `&` outside of brackets."""
    depth, start = 0, 0
    for i, sign in enumerate(text):
        depth = max(0, depth + (sign == "(") - (sign == ")"))
        if sign == "§" or (sign in ",&" and depth == 0):
            yield text[start:i]
            start, depth = i + 1, 0
    yield text[start:]


def balanced(text: str) -> str:
    """Return a text without brackets at its ends that nothing answers."""
    while text.count("(") < text.count(")") and text.endswith(")"):
        text = text[:-1].rstrip(" ,")
    while text.count("(") > text.count(")") and text.startswith("("):
        text = text[1:].lstrip()
    return text.strip()
