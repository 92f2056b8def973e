#!/usr/bin/env python3
"""Record what roofproof answers to a corpus of questions, compare with what was recorded, or test the comparison.

    python tests/answers/record.py record NAME ...       ask questions/NAME.jsonl, write recorded/NAME.jsonl
    python tests/answers/record.py compare [NAME ...]    all of them if none is named
    python tests/answers/record.py selftest [NAME ...]   make each answer wrong in some ways; each must be reported

    --workers N    ask in N processes; the output is the same for each N
    --part K/N     ask the K-th of N parts of the questions
    --only PREFIX  ask the questions whose names begin so

A question is a line {"id", "args", "files"?, "lines"?}: it is asked through the command line's `main`, in an empty
folder. Or it is {"id", "call", "args"}: `call` names a function in CALLS of surface.py, which takes `args` by keyword
and returns a flat dict of fields. With "needs", a list of modules, a question is asked only where these are installed;
the others are counted.

Answers are compared by meaning, not by text: formulas at exact points; cases at sizes on, beside and far from each
bound, where a size that no case covers counts; regimes with their limits; verdicts, grades, mistakes, integers and exit
status as they are. A word of trust may become stronger, never weaker or missing. An exception, a process that ends, a
missing field or too few comparable points is a difference. Wording, order and layout are free.

An intended difference is listed in differences.toml by question and field, with the old and the new value:

    [[difference]]
    id    = "lib/lu/N/h100-sxm"
    field = "integer"
    old   = "1773"
    new   = "480"
    why   = "fp64 as in every other command"

An entry that is not met is an error, too. This program knows nothing of the inside of the package.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib.util
import io
import json
import multiprocessing
import multiprocessing.connection
import os
import random
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import sympy

HERE = Path(__file__).resolve().parent
UNIT = r"(?: ?(?:[kMGTP]?i?B(?:/s)?|[kMGTP]?FLOP(?:/s|/B)?|[mun]?s|%)(?![\w/]))?"
NUMBER = re.compile(r"never|always|[<>]=?|(?<![\w.])\d[\d,]*\.?\d*(?:e[+-]?\d+)?" + UNIT)
LIMIT = 600  # seconds a question may take

TRUST = [
    "undecided",
    "model",
    "sampled",
    "algebra",
    "smt",
    "kernel",
]  # from weakest, as proofs/known.py orders the proved ones
NAMES = {
    "Max": sympy.Max,
    "Min": sympy.Min,
    "max": sympy.Max,
    "min": sympy.Min,
    "ceil": sympy.ceiling,
    "ceiling": sympy.ceiling,
    "floor": sympy.floor,
    "log2": lambda x: sympy.log(x, 2),
    "exp2": lambda x: 2**x,
    "Mod": sympy.Mod,
    "And": sympy.And,
    "Or": sympy.Or,
    "Not": sympy.Not,
    "Piecewise": sympy.Piecewise,
    "sqrt": sympy.sqrt,
    "Eq": sympy.Eq,
    "Ne": sympy.Ne,
    "True": sympy.true,
    "False": sympy.false,
    "oo": sympy.oo,
    "abs": sympy.Abs,
    "Abs": sympy.Abs,
    "log": sympy.log,
    "and": sympy.And,
    "or": sympy.Or,
    "pi": sympy.pi,
}


# --- asking ----------------------------------------------------------------------------------------


def ask(question: dict) -> dict:
    """Return a question's answer: its exit status and the fields that are compared."""
    try:
        return call(question) if "call" in question else command(question)
    except Exception as fault:  # a traceback is an answer, too, and never the right one
        return {"code": "crash", "why": type(fault).__name__}


def call(question: dict) -> dict:
    """Ask a function of surface.py."""
    sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []
    from surface import CALLS

    return {"code": 0, "fields": json.loads(json.dumps(CALLS[question["call"]](**question.get("args", {}))))}


def command(question: dict) -> dict:
    """Run one question through `roofproof.cli.main`."""
    from roofproof.cli import main

    out, err, before = io.StringIO(), io.StringIO(), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name, text in question.get("files", {}).items():
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    code = main(list(question["args"])) or 0
                except SystemExit as stop:
                    code = stop.code if isinstance(stop.code, int) else 2
        finally:
            os.chdir(before)
    if "internal" in err.getvalue().lower() or "engine failed" in err.getvalue() + out.getvalue():
        code = "crash"
    try:
        found = json.loads(out.getvalue())
    except ValueError:
        found = None
    fields = kept(found)
    if code == 2:  # why it was refused: the words of the question that the message takes up
        fields["refused for"] = cited(question, err.getvalue() + out.getvalue())
    for pattern in question.get("lines", []):  # of commands without JSON: the numbers of the lines it is found in
        fields[f"line {pattern}"] = [numbers(x) for x in out.getvalue().splitlines() if re.search(pattern, x)][:40]
    return {"code": code, "fields": fields}


def numbers(line: str) -> list[str]:
    """The numbers of a line with their units, its relations, and never or always."""
    return NUMBER.findall(line)


def cited(question: dict, message: str) -> list[str]:
    """Options and quoted words of a message: what is refused, whatever the wording."""
    asked = " ".join(question["args"]) + " ".join(question.get("files", {}).values())
    return sorted(
        {w for w in re.findall(r"--[a-z-]+|'([^']+)'", message) if w and w in asked}
        | set(re.findall(r"--[a-z][a-z-]+", message))
    )


def regime(text: object) -> str:
    """A regime with its sizes in order."""
    return " >> ".join(", ".join(sorted(p.strip() for p in part.split(","))) for part in str(text).split(">>"))


def kept(found: object) -> dict:
    """The fields that are compared of an answer in JSON, flat: name -> value."""
    fields: dict = {}
    if isinstance(found, list):
        for k, row in enumerate(found):
            fields |= {f"{k} {name}": v for name, v in kept(row).items()}
    if not isinstance(found, dict):
        return fields
    if isinstance(found.get("claims"), list):
        for c in found["claims"]:
            for key in ("verdict", "trust", "slip", "as_expected"):
                fields[f"{c['id']} {key}"] = c.get(key)
            fields[f"{c['id']} has a condition"] = c.get("condition") is not None
            fields[f"{c['id']} has a counterexample"] = c.get("counterexample") is not None
            fields[f"{c['id']} condition"], fields[f"{c['id']} error bound"] = c.get("condition"), c.get("error_bound")
            fields[f"{c['id']} exact"] = c.get("exact")
        return fields
    if "grade" in found:
        return {k: found.get(k) for k in ("grade", "slip", "trust", "right")}
    for key in (
        "flops",
        "bytes",
        "intensity",
        "ridge",
        "exact_flops",
        "floor_s",
        "form",
        "binds",
        "compulsory",
        "equal",
        "ratio",
        "points",
        "below_floor",
        "median_error",
    ):
        if key in found:
            fields[key] = found[key]
    for limit in found.get("limits") or []:
        name = f"limit {regime(limit.get('regime'))} of {limit.get('channel')}"
        fields |= {
            name: limit.get("value"),
            f"{name}: relative error": limit.get("relative_error"),
            f"{name}: trust": limit.get("trust"),
            f"{name}: rule": limit.get("rule"),
        }
    for name in ("ridges", "assuming"):
        if name in found:
            fields[name] = found[name]
    for tensor in found.get("tensors") or []:
        fields[f"tensor {tensor.get('name')}"] = tensor.get("bytes")
    for name in ("lower", "upper", "sequence", "floor"):
        if name in (found.get("time") or {}):
            fields[f"time: {name}"] = found["time"][name]
    for name, value in (found.get("engines") or {}).items():
        fields[f"engine {name}"] = value
    for name, value in ((found.get("time") or {}).get("resources") or {}).items():
        fields[f"time {name}"] = value
    if isinstance(found.get("threshold"), dict):
        t = found["threshold"]
        fields |= {
            "cases": t.get("cases"),
            "unknown": t.get("for"),
            "integer": t.get("integer_at_point"),
            "trust": t.get("trust"),
            "at point": t.get("at_point") and [t["at_point"]],
        }
        fields["unproved"] = sum(p.get("trust") != "kernel" for p in found.get("proved") or [])
    if "bounds" in found:
        fields["bounds"] = [b.get("bytes") for b in found["bounds"]]
        fields["tile"] = (found.get("tile") or {}).get("bytes")
    if "atlas" in found:
        for row in found["atlas"]:
            name = " ".join(
                str(row.get(k)) for k in ("op", "chip", "format", "dtype", "for", "unknown") if row.get(k) is not None
            )
            fields[f"{name} integer"], fields[f"{name} trust"] = (
                row.get("integer") or row.get("integer_at_point"),
                row.get("trust"),
            )
    for v in found.get("verdicts") or []:
        fields[f"verdict of {v.get('time_s')}"] = v.get("verdict")
    if "error" in found:
        fields["error"] = True
    return fields


# --- meaning ---------------------------------------------------------------------------------------


def value(text: str, at: dict[str, Fraction]) -> sympy.Basic:
    """A formula printed by roofproof, at a point, exactly where it is rational."""
    words = set(re.findall(r"[A-Za-z_]\w*'?", text)) - set(NAMES)
    scope = NAMES | {
        w: sympy.Rational(at[w].numerator, at[w].denominator) if w in at else sympy.Integer(7) for w in words
    }
    return sympy.sympify(text.replace("^", "**"), locals=scope)


def points(texts: list[str], seed: str, count: int) -> list[dict[str, Fraction]]:
    names = sorted({w for t in texts for w in re.findall(r"[A-Za-z_]\w*", t)} - set(NAMES))
    source = random.Random(seed)
    return [{n: size(source, 15 if k % 2 else 40) for n in names} for k in range(count)]


def size(source: random.Random, most: int) -> Fraction:
    """A size: a power of two and its neighbours, or any number of so many bits."""
    bits = source.randint(0, most)
    return (
        Fraction(2**bits + source.randint(0, 3))
        if source.random() < 0.5
        else Fraction(source.randint(2**bits, 2 ** (bits + 1)))
    )


def same_number(a: object, b: object) -> bool:
    """Two numbers, however written; floats to 9 digits."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    try:
        if isinstance(a, float) or isinstance(b, float):
            return abs(float(Fraction(a)) - float(Fraction(b))) <= 1e-9 * abs(float(Fraction(a)))
        return Fraction(a) == Fraction(b)
    except (TypeError, ValueError, ZeroDivisionError):
        return False


RELATION = re.compile(r"<=|>=|==|!=|<|>|≥|≤|≈|~=|when|;|otherwise")


def same_statement(a: str, b: str, seed: str) -> bool:
    """Two statements such as `B > 240 when D > 3; never otherwise`: the same signs, and equal formulas between them."""
    if a == b or same_number(a, b):
        return True
    one, other = ([re.sub(r"\s+", " ", p).strip() for p in RELATION.split(t)] for t in (a, b))
    return RELATION.findall(a) == RELATION.findall(b) and all(
        x == y or same_formula(x, y, seed) for x, y in zip(one, other, strict=False)
    )


def same_formula(a: object, b: object, seed: str) -> bool:
    if a == b or same_number(a, b):
        return True
    if not isinstance(a, str) or not isinstance(b, str):
        return False
    seen = 0
    for at in points([a, b], seed, 16):
        try:
            x, y = value(a, at), value(b, at)
        except Exception:
            continue
        if x != y and not (
            getattr(x, "is_number", False) and getattr(y, "is_number", False) and sympy.simplify(x - y) == 0
        ):
            return False
        seen += 1
    return seen >= 6


def active(cases: list[dict], at: dict[str, Fraction]) -> dict | None:
    """The case whose condition holds at a point; None where no case covers it."""
    for case in cases:
        when = value(case["when"], at) if case.get("when") not in (None, "True") else sympy.true
        if when == sympy.true:
            return case
        if when != sympy.false:
            raise ValueError("the condition is open")
    return None


def ends(case: dict | None, at: dict[str, Fraction]) -> list[sympy.Basic]:
    found = case.get("at") if case else None
    return [value(str(e), at) for e in (found if isinstance(found, list) else [found]) if e is not None]


def says(case: dict | None, x: sympy.Integer, at: dict[str, Fraction]) -> object:
    if case is None:
        return "not covered"
    kind, strict = case["kind"], case.get("strict", True)
    if kind in ("always", "never"):
        return kind == "always"
    bounds = ends(case, at)
    if kind == "above":
        return bool(x > bounds[0] if strict else x >= bounds[0])
    if kind == "below":
        return bool(x < bounds[0] if strict else x <= bounds[0])
    if kind == "between":
        return bool(bounds[0] < x and x < bounds[1]) if strict else bool(bounds[0] <= x and x <= bounds[1])
    if kind == "outside":
        return bool(x < bounds[0] or x > bounds[1]) if strict else bool(x <= bounds[0] or x >= bounds[1])
    return (kind, *map(str, bounds))


def same_cases(a: object, b: object, unknown: str, seed: str, count: int = 24) -> bool:
    """Whether two lists of cases say the same, at points; a case that no point meets must stand on both sides."""
    if a == b:
        return True
    if not (isinstance(a, list) and isinstance(b, list) and a and b):
        return False
    texts = [str(v) for c in (*a, *b) for v in c.values() if v is not None] + [unknown]
    names, source = list(points(texts, seed, 1)[0]), random.Random(seed)
    atoms = sorted(
        {
            atom
            for c in (*a, *b)
            for atom in re.findall(r"[^&|~]+", unbracketed(str(c.get("when"))))
            if re.search("[<>]", atom)
        }
    )
    seen, met = 0, set()
    every = {*((0, k) for k in range(len(a))), *((1, k) for k in range(len(b)))}
    for turn in range(400):
        most = source.choice([3, 6, 10, 15, 30])
        at = {n: size(source, most) for n in names}
        if turn % 2 and atoms:
            at = edge(source.choice(atoms), at, source) or at
        try:
            one, other = active(a, at), active(b, at)
            here = {
                (s, k)
                for s, (cases, case) in enumerate(((a, one), (b, other)))
                for k, c in enumerate(cases)
                if c is case
            }
            if seen >= count and here <= met and (turn >= 120 if atoms else turn >= 60):
                if turn >= 200 or met == every:
                    break
                continue
            sizes = {at[unknown]}
            reals = [e for case in (one, other) for e in ends(case, at) if e.is_extended_real and e.is_finite]
            for case in (one, other):
                for e in ends(case, at):
                    if e.is_extended_real and e.is_finite:
                        sizes |= {Fraction(int(sympy.floor(e)) + d) for d in (-1, 0, 1, 2)}
            if any(
                says(one, sympy.Integer(int(x)), at) != says(other, sympy.Integer(int(x)), at) for x in sizes if x >= 1
            ):
                return False
            if any(says(one, x, at) != says(other, x, at) for x in reals if x > 0):  # the bound itself: strictness
                return False
            seen, met = seen + 1, met | here
        except Exception:
            continue
    rest = {(side, k) for side, k in every - met if not impossible((a, b)[side][k].get("when"))}
    for side, k in rest:
        case = (a, b)[side][k]
        if not any(
            case["kind"] == c["kind"]
            and case.get("strict") == c.get("strict")
            and _same_ends(case.get("at"), c.get("at"), seed)
            for c in (b, a)[side]
        ):
            return False
    if rest and len(a) != len(b):
        return False
    return seen >= count // 3 or (
        len(a) == len(b)
        and all(
            _same_ends(x.get("at"), y.get("at"), seed) and x["kind"] == y["kind"] for x, y in zip(a, b, strict=False)
        )
    )


def unbracketed(when: str) -> str:
    """A condition without the brackets around its parts: `(a < b) & (c > d)` -> `a < b & c > d`."""
    _depth, out = 0, []
    stack: list[bool] = []
    for k, sign in enumerate(when):
        if sign == "(":
            end, level = k, 0
            for end in range(k, len(when)):
                level += {"(": 1, ")": -1}.get(when[end], 0)
                if not level:
                    break
            stack.append(bool(re.search("[<>&|]", when[k:end])))
            if stack[-1]:
                continue
        elif sign == ")" and stack and stack.pop():
            continue
        out.append(sign)
    return "".join(out)


def edge(atom: str, at: dict[str, Fraction], source: random.Random) -> dict[str, Fraction] | None:
    """A point close to where `left < right` turns, by halving one size that decides it; None where none is found."""
    left, right = re.split("<=|>=|<|>", atom)[:2]
    names = [n for n in at if re.search(rf"(?<![A-Za-z_]){re.escape(n)}(?![\w'])", atom)]
    source.shuffle(names)

    def side(p):
        return value(f"({left}) - ({right})", p) > 0

    for n in names:
        low, high = at | {n: Fraction(1)}, at | {n: Fraction(2**48)}
        try:
            first = side(low)
            if first == side(high):
                continue
            for _ in range(60):
                middle = at | {n: Fraction(int(low[n] + high[n]) // 2)}
                if middle[n] in (low[n], high[n]):
                    break
                low, high = (middle, high) if side(middle) == first else (low, middle)
        except Exception:
            continue
        return source.choice([low, high])
    return None


def impossible(when: object) -> bool:
    """Whether z3 shows that a condition holds for no positive sizes; False where it cannot tell."""
    import z3

    text = str(when)
    if when is None or text == "True" or re.search(r"sqrt|log|floor|ceil|Max|Min|Mod|root|exp", text):
        return False
    names = {n: z3.Real(n) for n in set(re.findall(r"[A-Za-z_]\w*'?", text)) - {"True", "False"}}
    solver = z3.Solver()
    solver.set("rlimit", 2_000_000)
    try:
        solver.add(
            *[v >= 1 for n, v in names.items()],
            _z3(sympy.sympify(text.replace("^", "**"), locals={n: sympy.Symbol(n) for n in names}), names),
        )
    except Exception:
        return False
    return solver.check() == z3.unsat


def _z3(e: object, names: dict):
    import z3

    if e is True or e == sympy.true:
        return z3.BoolVal(True)
    if e is False or e == sympy.false:
        return z3.BoolVal(False)
    parts = [_z3(x, names) for x in e.args]
    if e.is_Symbol:
        return names[e.name]
    if e.is_Rational:
        return z3.RealVal(f"{e.p}/{e.q}")
    if isinstance(e, sympy.And):
        return z3.And(parts)
    if isinstance(e, sympy.Or):
        return z3.Or(parts)
    if isinstance(e, sympy.Not):
        return z3.Not(parts[0])
    if e.is_Add:
        return z3.Sum(parts)
    if e.is_Mul:
        return z3.Product(parts)
    if e.is_Pow and e.exp.is_Integer:
        base = parts[0]
        power = z3.Product([base] * abs(int(e.exp)))
        return power if e.exp > 0 else 1 / power
    return {
        "<": lambda x, y: x < y,
        "<=": lambda x, y: x <= y,
        ">": lambda x, y: x > y,
        ">=": lambda x, y: x >= y,
        "==": lambda x, y: x == y,
        "!=": lambda x, y: x != y,
    }[e.rel_op](*parts)


def _same_ends(a: object, b: object, seed: str) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same_ends(x, y, seed) for x, y in zip(a, b, strict=False))
    return a == b or same_formula(a, b, seed)


def differences(question: dict, old: dict, new: dict) -> list[tuple[str, str, str]]:
    """(field, old value, new value) of everything that differs in meaning."""
    was, now = old.get("fields") or {}, new.get("fields") or {}
    found, seed = [], question["id"]
    if old["code"] != new["code"]:
        found.append(("exit status", str(old["code"]), str(new["code"])))
        if "crash" in (old["code"], new["code"]) or not was or not now:
            return found
    for field in [*was, *(f for f in now if f not in was)]:
        a, b = was.get(field), now.get(field)
        if field not in was:
            same = b is None or b is False
        elif field not in now:
            same = a is None
        elif field in ("cases", "at point") or field.endswith(": rule"):
            same = same_cases(a, b, was.get("unknown") or "", seed)
        elif field == "unproved":
            same = isinstance(b, int) and b <= a
        elif field == "trust" or field.endswith((" trust", ": trust")):
            same = (
                a == b or (a is None and b in TRUST) or (a in TRUST and b in TRUST and TRUST.index(b) > TRUST.index(a))
            )
        elif (
            field.endswith((" exact", " condition", " error bound")) and not field.endswith(" has a condition")
        ) or field in ("right", "form"):  # a value may be written otherwise; that it is there counts
            same = a == b or (isinstance(a, str) and isinstance(b, str) and same_statement(a, b, seed))
        elif isinstance(a, str) and isinstance(b, str) and not re.search(r"(verdict|grade|slip|unknown|binds)$", field):
            same = a == b or same_formula(a, b, seed)
        elif isinstance(a, list) and isinstance(b, list) and field in ("bounds",):
            same = len(a) == len(b) and all(same_formula(x, y, seed) for x, y in zip(a, b, strict=False))
        elif isinstance(a, dict) and isinstance(b, dict):
            same = a.keys() == b.keys() and all(same_formula(a[k], b[k], seed) for k in a)
        else:
            same = a == b or same_number(a, b)
        if not same:
            found.append((field, json.dumps(a, ensure_ascii=False), json.dumps(b, ensure_ascii=False)))
    return found


# --- the comparison, tested ------------------------------------------------------------------------


def changes(answer: dict) -> list[tuple[str, dict]]:
    """A dozen ways to make a recorded answer wrong."""
    made = []

    def make(name: str, edit) -> None:
        changed = copy.deepcopy(answer)
        if edit(changed) is not False:
            made.append((name, changed))

    fields = answer.get("fields") or {}
    make("exit status", lambda c: c.__setitem__("code", "crash"))
    cases = fields.get("cases")
    if cases:
        make("no cases", lambda c: c["fields"].__setitem__("cases", []))
        if len(cases) > 1:
            make("last case dropped", lambda c: c["fields"]["cases"].pop())
        if any(k["kind"] in ("above", "below") for k in cases):

            def double(c):
                for k in c["fields"]["cases"]:
                    if k["kind"] in ("above", "below"):
                        k["at"] = f"2*({k['at']}) + 1"

            make("bounds doubled", double)
            make(
                "above and below exchanged",
                lambda c: (
                    [
                        k.__setitem__("kind", {"above": "below", "below": "above"}.get(k["kind"], k["kind"]))
                        for k in c["fields"]["cases"]
                    ]
                    and None
                ),
            )
        make(
            "never and always exchanged",
            lambda c: (
                None
                if [
                    k.__setitem__("kind", {"never": "always", "always": "never"}[k["kind"]])
                    for k in c["fields"]["cases"]
                    if k["kind"] in ("never", "always")
                ]
                else False
            ),
        )
    if cases:
        if any(k.get("at") is not None for k in cases):

            def strictness(c):
                for k in c["fields"]["cases"]:
                    if k.get("at") is not None:
                        k["strict"] = not k.get("strict", True)

            make("strictness", strictness)
        if cases[0].get("when") not in (None, "True"):
            make(
                "first condition denied",
                lambda c: c["fields"]["cases"][0].__setitem__("when", f"~({cases[0]['when']})"),
            )
    if any(f.startswith("limit ") for f in fields):
        make("a limit added", lambda c: c["fields"].__setitem__("limit Q -> oo of memory", "999"))
    verdicts = [f for f in fields if f.endswith(" verdict")]
    if verdicts and answer["code"] in (0, 1):
        make(
            "a verdict behind an exit status",
            lambda c: c.__setitem__("code", 1 - c["code"]) or c["fields"].__setitem__(verdicts[-1], "something else"),
        )
    for field, a in fields.items():
        if field == "refused for":
            make("refused for another reason", lambda c: c["fields"].__setitem__("refused for", ["--other"]))
        elif (field == "right" and a is not None) or (field.endswith(" exact") and a is not None):
            make(f"{field} replaced", lambda c, f=field: c["fields"].__setitem__(f, "Q > 7"))
        elif field == "trust" or field.endswith(" trust"):
            if a in TRUST[1:]:
                make(f"{field} missing", lambda c, f=field: c["fields"].__setitem__(f, None))
                make(f"{field} weaker", lambda c, f=field, x=a: c["fields"].__setitem__(f, TRUST[TRUST.index(x) - 1]))
        elif field == "integer" and isinstance(a, int):
            make("integer plus one", lambda c: c["fields"].__setitem__("integer", c["fields"]["integer"] + 1))
        elif re.search(r"(verdict|grade)$", field):
            make(f"{field} changed", lambda c, f=field: c["fields"].__setitem__(f, "something else"))
        elif field.startswith("limit ") and isinstance(a, str):
            make(
                f"{field}: another regime",
                lambda c, f=field: c["fields"].__setitem__("limit nonsense", c["fields"].pop(f)),
            )
        elif isinstance(a, str) and field in ("flops", "bytes", "intensity", "ridge", "form"):
            make(
                f"{field} doubled",
                lambda c, f=field, x=a: c["fields"].__setitem__(f, f"2*({x}) + 1") if x != "0" else False,
            )
    return made


def made_wrong(pair: tuple[dict, dict]) -> list[tuple[str, bool]] | dict:
    """Each change of an answer, and whether it is reported: at most six, drawn by the question's name."""
    question, answer = pair
    wrong, told = changes(answer), []
    for name, changed in random.Random(question["id"]).sample(wrong, min(6, len(wrong))):
        seen = differences(question, answer, changed)
        told.append((name, len(seen) > ("behind" in name)))
    return told


def selftest(questions: list[dict], recorded: dict[str, dict], workers: int) -> list[str]:
    """One line for each change that is not reported."""
    missed, made = [], 0
    there = [(q, recorded[q["id"]]) for q in questions if q["id"] in recorded]
    for (q, _), found in zip(there, in_order(made_wrong, there, workers), strict=True):
        made += len(found)
        missed += (
            [f"{q['id']}: {name}" for name, seen in found if not seen]
            if isinstance(found, list)
            else [f"{q['id']}: {found['why']}"]
        )
    print(f"{made} changes, {len(missed)} not reported")
    return missed


# --- many questions --------------------------------------------------------------------------------


def in_order(task, items: list, workers: int) -> Iterator:
    """Yield task(item) of each item in order, from processes of their own; of a process that ends or stalls, a crash.

    Each process takes one item at a time, so that what ends one costs one answer.
    """
    waiting, done, busy, free = list(range(len(items)))[::-1], {}, {}, []
    for k in range(len(items)):
        while k not in done:
            while waiting and len(busy) < workers:
                here, process = free.pop() if free else start(task)
                here.send(items[waiting[-1]])
                busy[here] = (waiting.pop(), process)
            ready = multiprocessing.connection.wait(list(busy), timeout=LIMIT)
            for here in ready or list(busy):
                at, process = busy.pop(here)
                try:
                    done[at] = here.recv() if ready else {"code": "crash", "why": f"no answer in {LIMIT} s"}
                    if not ready:
                        raise EOFError
                    free.append((here, process))
                except EOFError:
                    process.kill()
                    done.setdefault(at, {"code": "crash", "why": "the process ended"})
        yield done.pop(k)
    for here, process in free:
        here.close()
        process.kill()


def start(task) -> tuple:
    """A process that answers what is sent to it, and the connection to it."""
    forked = multiprocessing.get_context("fork")
    here, there = forked.Pipe()
    process = forked.Process(target=serve, args=(task, here, there))
    process.start()
    there.close()
    return here, process


def serve(task, far, here) -> None:
    far.close()
    with contextlib.suppress(EOFError):
        while True:
            here.send(task(here.recv()))


def read(kind: str, name: str) -> list[dict]:
    """The lines of questions/NAME.jsonl or recorded/NAME.jsonl."""
    return [json.loads(x) for x in (HERE / kind / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def names() -> list[str]:
    return sorted(p.stem for p in (HERE / "questions").glob("*.jsonl"))


def in_part(question: dict, part: int, parts: int) -> bool:
    return int(hashlib.sha256(question["id"].encode()).hexdigest(), 16) % parts == part - 1


def missing(question: dict) -> list[str]:
    """The modules that a question needs and that are not installed."""
    return [m for m in question.get("needs", []) if importlib.util.find_spec(m) is None]


def meant() -> dict[tuple[str, str], dict]:
    """The intended differences, by question and field."""
    listed = HERE / "differences.toml"
    rows = tomllib.loads(listed.read_text(encoding="utf-8")).get("difference", []) if listed.exists() else []
    return {(d["id"], d["field"]): d for d in rows}


def asked_and_compared(pair: tuple[dict, dict]) -> list[tuple[str, str, str]] | dict:
    return differences(*pair, ask(pair[0]))


def compare(questions: list[dict], recorded: dict[str, dict], workers: int) -> list[str]:
    """One line for each difference that is not meant and for each that is meant and not met."""
    told, listed, met = [], meant(), set()
    there = [q for q in questions if not missing(q)]
    if not set(recorded) >= {q["id"] for q in questions}:
        told += [f"{q['id']}: no recorded answer" for q in questions if q["id"] not in recorded]
        there = [q for q in there if q["id"] in recorded]
    for q, found in zip(
        there, in_order(asked_and_compared, [(q, recorded[q["id"]]) for q in there], workers), strict=True
    ):
        for field, old, new in (
            [("exit status", str(recorded[q["id"]]["code"]), found["why"])] if isinstance(found, dict) else found
        ):
            d = listed.get((q["id"], field))
            if d and str(d["old"]) in (old, old.strip('"')) and str(d["new"]) in (new, new.strip('"')):
                met.add((q["id"], field))
            else:
                told.append(f"{q['id']}: {field}: {old[:300]} -> {new[:300]}")
    here = {q["id"] for q in there}
    unmet = [k for k in listed if k not in met and k[0] in here]
    told += [f"{i}: {field}: listed as a difference, and is none (or another)" for i, field in unmet]
    skipped = len(questions) - len(there)
    print(
        f"{len(there)} answers: {len(told)} differences, {len(met)} as meant; {skipped} not asked, for want of a module"
    )
    return told


def main() -> int:
    import argparse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare", "selftest"])
    parser.add_argument("name", nargs="*", choices=[*names(), []])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    bad = False
    for name in options.name or names():
        every = read("questions", name)
        chosen = [q for q in every if q["id"].startswith(options.only) and in_part(q, part, parts)]
        if options.action == "record":
            known = (
                {r["id"]: r for r in read("recorded", name)} if (HERE / "recorded" / f"{name}.jsonl").exists() else {}
            )
            for q, answer in zip(chosen, in_order(ask, chosen, options.workers), strict=True):
                known[q["id"]] = {"id": q["id"], **answer}
            lines = [json.dumps(known[q["id"]], ensure_ascii=False, sort_keys=True) for q in every if q["id"] in known]
            (HERE / "recorded").mkdir(exist_ok=True)
            (HERE / "recorded" / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(f"{name}: {len(chosen)} recorded")
            continue
        recorded = {r["id"]: r for r in read("recorded", name)}
        if stray := set(recorded) - {q["id"] for q in every}:
            bad = True
            print(f"{name}: {len(stray)} answers without a question: {sorted(stray)[:5]}")
        print(f"{name}: ", end="", flush=True)
        told = (selftest if options.action == "selftest" else compare)(chosen, recorded, options.workers)
        print(*told, sep="\n", end="\n" if told else "", flush=True)
        bad |= bool(told)
    ids = [(d["id"]) for d in map(dict, meant().values())]
    if lost := sorted(set(ids) - {q["id"] for n in names() for q in read("questions", n)}):
        bad = True
        print(f"differences.toml names questions that are not asked: {lost[:5]}")
    return int(bad)


if __name__ == "__main__":
    raise SystemExit(main())
