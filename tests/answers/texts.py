"""Readers of the formulas and numbers that roofproof prints: steps, LaTeX, plots, tables, banks, drafts, proofs."""

from __future__ import annotations

import ast
import csv
import html
import io
import itertools
import math
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from kept import numbers
from meaning import RELATION, parsed, spelled

UNITS = re.compile(r"(?<=\d) ?(?:[kMGTP]?FLOPs?/(?:s|B)|[kMGTP]?i?B(?:/s)?|[mµun]?s|FLOPs|%)(?![\w/*])")
PROSE = (ast.In, ast.NotIn, ast.Is, ast.IsNot, ast.Attribute, ast.IfExp, ast.Lambda, ast.Subscript, ast.List, ast.Dict)
SPLIT = re.compile(r"\s{2,}|; |: |, so | when | and | where |<=>|^\s*case |:$")


def statement(text: str) -> str | None:
    """Return a formula, or formulas joined by relations, in uniform spacing. Return None for prose or one word."""
    text = UNITS.sub("", text).strip().rstrip(",.:")
    sides, signs = [s.strip() for s in RELATION.split(text)], RELATION.findall(text)
    if signs and not sides[0]:
        sides, signs = sides[1:], signs[1:]
    if not signs and not (re.search(r"[-+*/^]", text) and re.search("[A-Za-z]", text)):
        return None
    if re.fullmatch(r"[a-z]\w+(-\w+)+", text) or not all(map(is_formula, sides)):
        return None
    return " ".join(x for pair in zip(sides, [*signs, ""], strict=True) for x in pair).strip()


def is_formula(text: str) -> bool:
    try:
        return not any(isinstance(node, PROSE) for node in ast.walk(parsed(text)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False


def steps(text: str) -> list[str]:
    """Return the statements of a derivation in plain text."""
    text = spelled(text)
    return distinct(part for line in text.splitlines()[1:] for part in SPLIT.split(line))


def distinct(parts: Iterable[str]) -> list[str]:
    return sorted({said for part in parts if (said := statement(part))})


# --- LaTeX -----------------------------------------------------------------------------------------

GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\})*)\}"
SPACES = re.compile(
    r"\\[,;:! ]|\\(?:q?quad|displaystyle|left|right|middle|[bB]ig[lr]?|small|large|boldmath|limits)(?![a-zA-Z])|~"
)
SIGNS = {
    **{"to": " -> ", "gg": " >> ", "approx": " ≈ ", "sim": " ~= ", "cdot": " * ", "times": " * ", "infty": " oo "},
    **{"ge": " >= ", "geq": " >= ", "le": " <= ", "leq": " <= ", "ne": " != ", "neq": " != "},
    **{"iff": " @ ", "Longleftrightarrow": " @ ", "Leftrightarrow": " @ ", "varepsilon": " eps "},
    **{"lfloor": " floor( ", "lceil": " ceil( ", "lvert": " abs( ", "rfloor": " ) ", "rceil": " ) ", "rvert": " ) "},
    **{"max": " max", "min": " min", "ln": " log"},
}


def latex(text: str) -> list[str]:
    """Return the statements in the formulas of a LaTeX text."""
    text = re.sub(r"(?<!\\)%[^\n]*", "", text)
    text = re.sub(r"\\(?:side|wide)" + GROUP, r"\1", text)  # the side of a line that TeX may break
    text = re.sub(r"\\(?:text|mathrm|operatorname|mbox|intertext|why)\*?" + GROUP, lambda m: word(m[1]), text)
    shown = re.findall(
        r"\\begin\{(?:align|equation|gather|multline)\*?\}(.*?)\\end\{(?:align|equation|gather|multline)", text, re.S
    )
    shown += re.findall(r"\\\[(.*?)\\\]", text, re.S)
    inline = re.findall(r"(?<![\\$])\$\$?([^$]+)\$", re.sub(r"\\\$", "", text))
    return distinct(
        plain(part)
        for block in (*shown, *inline)
        for part in re.split(r"\\\\(?:\[[^\]]*\])?|&&|\\tabularnewline|\\newline|\\qquad|,\s*$|\n\s*\n|@", rows(block))
    )


def rows(block: str) -> str:
    block = re.sub(r"\\(?:begin|end)\{(?:cases|aligned|split|array|alignedat)\}(?:\{[^{}]*\})?", r" @ ", block)
    return re.sub(r"(?<!&)&(?!&)\s*(?=\\?[-+]|\\quad)", " ", block)


def word(text: str) -> str:
    """Return the replacement for words in a formula: a name if they are one, or else the end of the formula."""
    text = text.strip()
    return (
        f" \\name{{{text}}} "
        if re.fullmatch(r"[A-Za-z]\w*", text) and text not in ("when", "otherwise", "and", "or", "if", "for", "as")
        else " @ "
    )


def plain(text: str) -> str:
    """Return a LaTeX formula in the notation of roofproof."""
    text = re.sub(r"(?<!\\)&", " ", SPACES.sub(" ", text))
    text = re.sub(r"\\(?:num)" + GROUP, r" \1 ", text)
    text = re.sub(r"\\(?:qty|SI)" + GROUP + GROUP, r" \1 ", text)
    for _ in range(8):
        before = text
        text = re.sub(r"\\[dt]?frac" + GROUP + GROUP, r"((\1)/(\2))", text)
        text = re.sub(r"\\[dt]?frac\s*(\w)\s*(\w)", r"((\1)/(\2))", text)
        text = re.sub(r"\\sqrt\[(\d+)\]" + GROUP, r" root(\2, \1) ", text)
        text = re.sub(r"\\sqrt" + GROUP, r" sqrt(\1) ", text)
        text = re.sub(r"\^" + GROUP, r"^(\1)", text)
        if text == before:
            break
    text = re.sub(r"\\log_(?:\{2\}|2)", " log2 ", text)
    text = re.sub(r"([A-Za-z])_(?:\{(\w+)\}|(\w))", r" \\name{\1_\2\3} ", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: SIGNS.get(m[1], m[0] if m[1] == "name" else " @@ "), text)
    out: list[str] = []
    for token in re.findall(
        r"\\name\{(\w+)\}|(\d[\d.]*(?:e[+-]?\d+)?|floor|ceil|abs|log2|log|sqrt|root|max|min|eps|oo|[A-Za-z]'?|->|>>|[<>=!~]=|[^\s])",
        text,
    ):
        token = token[0] or token[1]
        if token in "{}":
            token = "(" if token == "{" else ")"
        if out and re.match(r"[\w(]", token) and re.match(r"[\w)']", out[-1][-1]) and out[-1] not in FUNCTIONS:
            out.append("*")
        out += ["(", token, ")"] if out and out[-1] in FUNCTIONS and token != "(" else [token]
    return " ".join(out)


FUNCTIONS = {"floor", "ceil", "abs", "log2", "log", "sqrt", "root", "max", "min"}


# --- numbers ---------------------------------------------------------------------------------------


def table(text: str) -> dict[str, list]:
    """Return the columns of a CSV table by name, with numbers as printed."""
    found = list(csv.DictReader(io.StringIO(text)))
    return {f"column {name}": [row[name] for row in found] for name in (found[0] if found else {})}


def grades(text: str) -> dict[str, str]:
    """Return the grade of each answer in a table, and the mistake that explains it."""
    rows = list(csv.DictReader(io.StringIO(text)))
    return {f"{row['answer']} {name}": row[name] for row in rows for name in ("grade", "slip")}


def labels(text: str) -> dict[str, list]:
    """Return the numbers next to the curves of a pgfplots plot."""
    found = map(numbers, re.findall(r"axis cs:[^)]*\)\s*\{(.*)\}", text))
    return {"labels": sorted(filter(None, found))}


def curves(text: str) -> list[list[list[float]]]:
    """Return the curves and points of a pgfplots plot, each as its corners."""
    drawn = re.findall(r"\\addplot([^;]*?)coordinates\s*\{([^}]*)\}", text)
    lines = [points for how, points in drawn if "fill=" not in how] or [points for _, points in drawn]
    found = [[list(map(float, p)) for p in re.findall(r"\(([-+.\deE]+),([-+.\deE]+)\)", points)] for points in lines]
    return distinct_lists([[float(f"{v:.5g}") for v in p] for p in corners(points)] for points in found)


def distinct_lists(lists: Iterable[list]) -> list[list]:
    return sorted(k for k, _ in itertools.groupby(sorted(lists)))


def place(point: list[float]) -> tuple[float, float]:
    return tuple(math.log10(v) if v > 0 else -400.0 for v in point)


def off(point: list[float], a: list[float], b: list[float]) -> float:
    """Return the distance of a point from the line from a to b, in powers of ten."""
    (x, y), (x1, y1), (x2, y2) = place(point), place(a), place(b)
    length = (x2 - x1) ** 2 + (y2 - y1) ** 2
    t = max(0.0, min(1.0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length)) if length else 0.0
    return math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1))


def corners(points: list[list[float]]) -> list[list[float]]:
    if len(points) < 3:
        return points
    far, at = max((off(p, points[0], points[-1]), k) for k, p in enumerate(points[1:-1], 1))
    return [points[0], points[-1]] if far < 3e-4 else [*corners(points[: at + 1])[:-1], *corners(points[at:])]


def same_curves(a: list, b: list) -> bool:
    """Return whether there are as many curves, with the corners of each within a thousandth of the other's lines."""

    def on(one: list, other: list) -> bool:
        lines = list(itertools.pairwise(other)) or [(p, p) for p in other]
        return bool(lines) and all(min(off(p, *line) for line in lines) < 1e-3 for p in one)

    rest = list(b)
    for curve in a:
        match = next((c for c in rest if c == curve or (on(curve, c) and on(c, curve))), None)
        if match is None:
            return False
        rest.remove(match)
    return not rest


# --- files -----------------------------------------------------------------------------------------


def bank(text: str) -> dict[str, list[str]]:
    """Return the key and the wrong answers of each exercise of a bank in Moodle's GIFT format."""
    fields = {}
    for name, body in re.findall(r"^::(.*?)::(.*?)^\}", text, re.M | re.S):
        body = body[body.index("{\n") if "{\n" in body else 0 :].split("####")[0]
        told = [html.unescape(re.sub(r"\\(.)", r"\1", x)) for x in body.splitlines()]
        right = [x for x in told if x.startswith("=") or re.match(r"~%\d", x)]
        fields[f"keys of {name}"] = sorted(map(answer, right))
        fields[f"wrong answers of {name}"] = sorted(answer(x) for x in told if x.startswith("~") and x not in right)
    return fields


def answer(line: str) -> str:
    """Return the answer on a line such as `~%50%2*N#a remark`."""
    text = re.sub(r"^[=~](%[-\d.]+%)?", "", line).split("#")[0].strip()
    return re.sub(r"\\\((.*?)\\\)", lambda formula: _typed(formula[1]), text)


def _typed(tex: str) -> str:
    """Return a TeX formula as a student would type it."""
    tex = tex.replace(r"\gt", ">").replace(r"\lt", "<")
    return "us" if tex.strip() == r"\mu\text{s}" else re.sub(r"\\,\\mu\\text\{s\}", " us", plain(tex)).strip()


def draft(text: str) -> dict[str, list]:
    """Return the statements of the claims in a draft, with the lines they come from."""
    claims = tomllib.loads(text).get("claim", [])
    return {
        "says": [c.get("says") for c in claims],
        "lines": sorted(
            int(c["source"].rpartition(":")[2]) for c in claims if re.search(r":\d+$", c.get("source", ""))
        ),
    }


def proofs(folder: Path) -> dict[str, int]:
    """Return the numbers of theorems, SMT-LIB files and certificates in a folder."""
    sources = [
        p.read_text(encoding="utf-8") for p in folder.rglob("*.v") if "library" not in p.parts and p.stem != "All"
    ]
    return {
        "count of theorems": sum(len(re.findall(r"^\s*(?:Theorem|Lemma|Corollary)\b", s, re.M)) for s in sources),
        "count of queries": sum(1 for _ in folder.rglob("*.smt2")),
        "count of certificates": sum(1 for _ in folder.rglob("*.json")),
    }
