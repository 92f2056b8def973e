"""The meaning of an answer: its formulas at exact points, its cases at sizes on and next to each bound."""

from __future__ import annotations

import ast
import functools
import math
import operator
import random
import re
from fractions import Fraction

import sympy

TRUST = ["undecided", "model", "sampled", "algebra", "smt", "kernel"]  # from the weakest
CONSTANTS = {"oo": sympy.oo, "pi": sympy.pi, "true": sympy.true, "false": sympy.false}
NAMES = {
    **dict.fromkeys(("Max", "max"), sympy.Max),
    **dict.fromkeys(("Min", "min"), sympy.Min),
    **dict.fromkeys(("ceil", "ceiling"), sympy.ceiling),
    **dict.fromkeys(("abs", "Abs"), sympy.Abs),
    **dict.fromkeys(("log", "ln"), sympy.log),
    "log2": lambda x: sympy.log(x, 2),
    "exp2": lambda x: power(2, x),
    "exp": sympy.exp,
    "sign": sympy.sign,
    "floor": sympy.floor,
    "sqrt": sympy.sqrt,
    "cbrt": sympy.cbrt,
    "root": sympy.root,
    "Mod": sympy.Mod,
    "And": sympy.And,
    "Or": sympy.Or,
    "Not": sympy.Not,
    "Eq": sympy.Eq,
    "Ne": sympy.Ne,
    "Piecewise": sympy.Piecewise,
}
WORDS = {*NAMES, *CONSTANTS, "CRootOf", "True", "False", "and", "or", "not"}
EXACT = {
    "Max": max,
    "max": max,
    "Min": min,
    "min": min,
    "floor": math.floor,
    "ceil": math.ceil,
    "ceiling": math.ceil,
    "Abs": abs,
    "abs": abs,
}
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
}
RELATIONS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: sympy.Eq,
    ast.NotEq: sympy.Ne,
}


def value(text: str, at: dict[str, Fraction]) -> sympy.Basic:
    """Return the value of a printed formula at a point, exactly if it is rational. A name without a value is 7."""
    return basic(worth(parsed(text), at))


@functools.lru_cache(20_000)
def parsed(text: str) -> ast.expr:
    return ast.parse(text.replace("^", "**").replace("'", "_prime").strip(), mode="eval").body


def basic(x: object) -> sympy.Basic:
    return sympy.Rational(x.numerator, x.denominator) if isinstance(x, Fraction) else sympy.sympify(x, strict=True)


def power(a: object, b: object) -> object:
    if abs(b) > 4096:
        raise ValueError("too long a number to write out")
    return a**b


def worth(node: ast.expr, at: dict) -> object:
    """Return a Fraction, or a SymPy value if it is not rational. Only these forms are read, and no code is run."""
    match node:
        case ast.Constant(value=bool() as known):
            return sympy.true if known else sympy.false
        case ast.Constant(value=int() as known):
            return Fraction(known)
        case ast.Constant(value=float() as known):
            return Fraction(repr(known))
        case ast.Name(id=name):
            if name in CONSTANTS:
                return CONSTANTS[name]
            return at.get(name.replace("_prime", "'"), at.get(name, Fraction(7)))
        case ast.Tuple(elts=parts):
            return sympy.Tuple(*(basic(worth(p, at)) for p in parts))
        case ast.Call(func=ast.Name(id="CRootOf"), args=[polynomial, ast.Constant(value=int() as k)]):
            x = sympy.Symbol("x")
            return sympy.CRootOf(basic(worth(polynomial, {"x": x})), k)
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]):
            given = [worth(p, at) for p in parts]
            if name in EXACT and all(isinstance(g, Fraction) for g in given):
                return Fraction(EXACT[name](*given))
            return NAMES[name](*map(basic, given))
        case ast.UnaryOp(op=sign, operand=part):
            inner = worth(part, at)
            if isinstance(sign, ast.Invert | ast.Not):
                return sympy.Not(inner)
            return inner if isinstance(sign, ast.UAdd) else -inner
        case ast.BinOp(left=left, op=sign, right=right):
            a, b = worth(left, at), worth(right, at)
            if isinstance(sign, ast.BitAnd | ast.BitOr):
                return (sympy.And if isinstance(sign, ast.BitAnd) else sympy.Or)(a, b)
            whole = isinstance(b, Fraction) and b.denominator == 1 and abs(b) < 4096
            if not (isinstance(a, Fraction) and isinstance(b, Fraction)) or (isinstance(sign, ast.Pow) and not whole):
                a, b = basic(a), basic(b)
            elif isinstance(sign, ast.Pow):
                b = int(b)
            return power(a, b) if isinstance(sign, ast.Pow) else ARITHMETIC[type(sign)](a, b)
        case ast.BoolOp(op=sign, values=parts):
            return (sympy.And if isinstance(sign, ast.And) else sympy.Or)(*(worth(p, at) for p in parts))
        case ast.Compare(left=left, ops=signs, comparators=parts):
            sides = [worth(p, at) for p in (left, *parts)]
            if not all(isinstance(side, Fraction) for side in sides):
                sides = [basic(side) for side in sides]
            found = [RELATIONS[type(s)](a, b) for s, a, b in zip(signs, sides, sides[1:], strict=False)]
            return sympy.And(*map(basic, found))
    raise ValueError(f"not a formula: {ast.dump(node)}")


def points(texts: list[str], seed: str, count: int) -> list[dict[str, Fraction]]:
    """Return sizes for the names of formulas: of any magnitude, small, or all but one close to each other."""
    names = sorted({w for t in texts for w in re.findall(r"[A-Za-z_]\w*'?", t)} - WORDS)
    source, made = random.Random(seed), []
    for k in range(count):
        at = {n: size(source, (40, 15, 3, 10, 1, 200, 2, 10)[k % 8]) for n in names}
        if k % 4 == 3 and names:
            near = source.randint(2, 5000)
            at |= {n: Fraction(near + source.randint(0, 2)) for n in names}
            at[source.choice(names)] = size(source, 30)
        made.append(at)
    return made


def size(source: random.Random, most: int) -> Fraction:
    """Return a random size: just above a power of two, or anywhere between two powers."""
    bits = source.randint(0, most)
    return (
        Fraction(2**bits + source.randint(0, 3))
        if source.random() < 0.5
        else Fraction(source.randint(2**bits, 2 ** (bits + 1)))
    )


def same_number(a: object, b: object) -> bool:
    """Return whether two numbers are equal, however written, with 9 digits for floats."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    try:
        if isinstance(a, float) or isinstance(b, float):
            return abs(float(Fraction(a)) - float(Fraction(b))) <= 1e-9 * abs(float(Fraction(a)))
        return Fraction(a) == Fraction(b)
    except (TypeError, ValueError, ZeroDivisionError):
        return False


SPELLED = {"max": "Max", "min": "Min", "ceil": "ceiling", "abs": "Abs", "^": "**"}


def spelled(text: str) -> str:
    """Return a text with powers and functions spelled as in the recorded answers."""
    return re.sub(r"\b(?:max|min|ceil|abs)(?=\()|\^", lambda found: SPELLED[found[0]], text)


RELATION = re.compile(r"<=>|<=|>=|==|!=|->|>>|~=|[<>=≥≤≈;]|\bwhen\b|\botherwise\b")


def same_statement(a: str, b: str, seed: str) -> bool:
    """Return whether two statements, such as `B > 240 when D > 3`, have the same relations and equal formulas."""
    if spelled(a) == spelled(b) or same_number(a, b):
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
    for at in points([a, b], seed, 40):
        try:
            x, y = value(a, at), value(b, at)
        except Exception:
            continue
        if x != y and not (x.is_number and y.is_number and abs(sympy.N(x - y, 30)) <= abs(sympy.N(y, 30)) / 10**25):
            return False
        seen += 1
    return seen >= 10


def active(cases: list[dict], at: dict[str, Fraction]) -> list[int]:
    """Return the cases that hold at a point: exactly one, if the cases are exhaustive and do not overlap."""
    held = []
    for k, case in enumerate(cases):
        when = value(case["when"], at) if case.get("when") not in (None, "True") else sympy.true
        if when not in (sympy.true, sympy.false):
            raise ValueError("the condition is open")
        if when == sympy.true:
            held.append(k)
    return held


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
    """Return whether two lists of cases agree at points. A case that no point meets must be in both lists."""
    if a == b:
        return True
    if not (isinstance(a, list) and isinstance(b, list) and a and b):
        return False
    if len(a) == len(b) and any(other_sign(x, y, seed) for x, y in zip(a, b, strict=True)):
        return False
    texts = [str(v) for c in (*a, *b) for v in c.values() if v is not None] + [unknown]
    names, source = list(points(texts, seed, 1)[0]), random.Random(seed)
    atoms = sorted({atom for c in (*a, *b) for atom in conditions(str(c.get("when")))})
    near = [at for atom in atoms for at in edges(atom, names, source)]
    seen, met = 0, set()
    every = {*((0, k) for k in range(len(a))), *((1, k) for k in range(len(b)))}
    for turn in range(400 + len(near)):
        most = source.choice([3, 6, 10, 15, 30])
        at = near[turn] if turn < len(near) else {n: size(source, most) for n in names}
        if turn >= len(near) and turn % 2 and atoms:
            at = edge(source.choice(atoms), at, source) or at
        try:
            held = active(a, at), active(b, at)
            here = {(side, k) for side in (0, 1) for k in held[side]}
            if turn >= len(near) and seen >= count and here <= met and turn >= len(near) + (120 if atoms else 60):
                if turn >= len(near) + 200 or met == every:
                    break
                continue
            if len(held[0]) != len(held[1]):
                return False  # a gap, or cases that overlap
            one, other = (cases[k[0]] if k else None for cases, k in zip((a, b), held, strict=True))
            if not agree(one, other, at, unknown):
                return False
            seen, met = seen + 1, met | here
        except Exception:
            continue
    rest = {(side, k) for side, k in every - met if not impossible((a, b)[side][k].get("when"))}
    if any(not any(same_case((a, b)[side][k], c, seed) for c in (b, a)[side]) for side, k in rest):
        return False
    if rest and len(a) != len(b):
        return False
    return seen >= count // 3 or (len(a) == len(b) and all(same_case(x, y, seed) for x, y in zip(a, b, strict=True)))


def agree(one: dict | None, other: dict | None, at: dict[str, Fraction], unknown: str) -> bool:
    """Return whether two cases agree at the sizes next to their bounds and at the bounds themselves."""
    bounds = [e for case in (one, other) for e in ends(case, at) if e.is_extended_real and e.is_finite]
    whole = {sympy.Integer(int(sympy.floor(e)) + d) for e in bounds for d in (-1, 0, 1, 2)} | {
        sympy.Integer(int(at[unknown]))
    }
    return all(says(one, x, at) == says(other, x, at) for x in (*whole, *bounds) if x > 0)


def same_case(a: dict, b: dict, seed: str) -> bool:
    """Return whether two cases are the same as written, except for the form of their formulas."""
    if a["kind"] != b["kind"] or a.get("strict") != b.get("strict") or not same_ends(a.get("at"), b.get("at"), seed):
        return False
    one, other = unbracketed(str(a.get("when"))), unbracketed(str(b.get("when")))
    if LOGIC.findall(one) != LOGIC.findall(other):
        return False
    return one == other or same_statement(LOGIC.sub(";", one), LOGIC.sub(";", other), seed)


def other_sign(a: dict, b: dict, seed: str) -> bool:
    """Return whether two conditions differ only in the sign of a relation, such as `<=` and `<`."""
    one, other = unbracketed(str(a.get("when"))), unbracketed(str(b.get("when")))
    signs = RELATION.findall(one), RELATION.findall(other)
    if signs[0] == signs[1] or len(signs[0]) != len(signs[1]) or LOGIC.findall(one) != LOGIC.findall(other):
        return False
    return same_statement(LOGIC.sub(";", RELATION.sub(";", one)), LOGIC.sub(";", RELATION.sub(";", other)), seed)


LOGIC = re.compile("[&|~]")


def conditions(when: str) -> list[str]:
    """Return the inequalities of a condition. An equation counts as an inequality with the same boundary."""
    plain = re.sub(r"(?:Eq|Ne)\(([^,()]*(?:\([^()]*\)[^,()]*)*), ([^()]*(?:\([^()]*\)[^()]*)*)\)", r"(\1 < \2)", when)
    return [atom for atom in LOGIC.split(unbracketed(plain)) if re.search("[<>]", atom)]


def edges(atom: str, names: list[str], source: random.Random) -> list[dict[str, Fraction]]:
    """Return points on and near the boundary of `left < right`, with fractional sizes if nothing in it rounds."""
    found = []
    for most in (2, 4, 8, 12, 12, 16, 16, 20, 20, 30):
        at = edge(atom, {n: size(source, most) for n in names}, source, exact=not re.search("floor|ceil|Mod", atom))
        found += at if isinstance(at, list) else []
    return found


def unbracketed(when: str) -> str:
    """Return a condition without the brackets around its parts: `(a < b) & (c > d)` -> `a < b & c > d`."""
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


def edge(atom: str, at: dict[str, Fraction], source: random.Random, exact: bool = False):
    """Return a point near the boundary of `left < right`, found by bisecting one size, or None if there is none.

    If `exact`, return all of these points: on the boundary, if it is a ratio of integers, and next to it.
    """
    left, right = re.split("<=|>=|<|>", atom)[:2]
    names = [n for n in at if re.search(rf"(?<![A-Za-z_]){re.escape(n)}(?![\w'])", atom)]
    source.shuffle(names)
    difference = lambda p: value(f"({left}) - ({right})", p)  # noqa: E731
    side = lambda p: difference(p) > 0  # noqa: E731
    for n in names:
        low, high = at | {n: Fraction(1)}, at | {n: Fraction(2**48)}
        try:
            first = side(low)
            if first == side(high):
                continue
            for _ in range(110 if exact else 60):
                middle = at | {n: (low[n] + high[n]) / 2 if exact else Fraction(int(low[n] + high[n]) // 2)}
                if middle[n] in (low[n], high[n]):
                    break
                low, high = (middle, high) if side(middle) == first else (low, middle)
            if exact:
                near = [high[n].limit_denominator(10**k) for k in (1, 3, 6, 9, 12)]
                on = next((x for x in near if difference(at | {n: x}) == 0), high[n])
                return [at | {n: x} for x in (on, on * (1 - Fraction(1, 10**9)), on * (1 + Fraction(1, 10**9)))]
        except Exception:
            continue
        return source.choice([low, high])
    return None


def impossible(when: object) -> bool:
    """Return whether z3 shows that a condition holds for no sizes of at least 1, or False if z3 cannot tell."""
    import z3

    text = str(when)
    if when is None or text == "True" or re.search(r"sqrt|log|floor|ceil|Max|Min|Mod|root|exp", text):
        return False
    names = {n: z3.Real(n) for n in set(re.findall(r"[A-Za-z_]\w*'?", text)) - {"True", "False"}}
    solver = z3.Solver()
    solver.set("rlimit", 2_000_000)
    try:
        solver.add(*[v >= 1 for n, v in names.items()], in_z3(value(text, {n: sympy.Symbol(n) for n in names}), names))
    except Exception:
        return False
    return solver.check() == z3.unsat


def in_z3(e: object, names: dict):
    import z3

    if e is True or e == sympy.true:
        return z3.BoolVal(True)
    if e is False or e == sympy.false:
        return z3.BoolVal(False)
    parts = [in_z3(x, names) for x in e.args]
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


def same_ends(a: object, b: object, seed: str) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same_ends(x, y, seed) for x, y in zip(a, b, strict=False))
    return a == b or same_formula(a, b, seed)
