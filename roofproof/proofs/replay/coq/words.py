"""Terms and formulas in Coq's notation, with the definitions of library/Meaning.v, as theorems state them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.replay.certificate import LONG

Names = Mapping[Any, str]  # names of variables, and of the terms and formulas that have a name
SUM, PRODUCT, POWER, ATOM = range(4)  # precedence of operators, loosest first
CALLS = {"max": "Rmax", "min": "Rmin", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "log2": "log2",
         "power": "Rpower"}  # fmt: skip
TAKEN = frozenset(
    (
        *(
            "as",
            "at",
            "by",
            "cofix",
            "else",
            "end",
            "exists",
            "exists2",
            "fix",
            "for",
            "forall",
            "fun",
            "if",
            "IF",
            "in",
        ),
        *("let", "match", "mod", "Prop", "return", "Set", "SProp", "then", "Type", "using", "where", "with", "_"),
        *("real", "integer", "intensity", "ridge", "compute_bound", "seconds", "eps", "M", "Rabs", "IZR", "env"),
    )
) | frozenset(CALLS.values())
OWN = re.compile(
    r"[hu]_?\d+|(formulas|steps|hypotheses|goal|checked|theorem)_\d+|x_|points_|size_\d+|(flops|peak|bytes|bandwidth)\w*"
)


def coq_names(names: Iterable[str]) -> dict[str, str]:
    """Return a distinct, valid Coq name for each name.

    >>> coq_names(["B", "s_x", "if", "B'", "N·M", "β"])
    {'B': 'B', 's_x': 's_x', 'if': '_if', "B'": "B'", 'N·M': 'N_M', 'β': 'β'}
    """
    made: dict[str, str] = {}
    taken = set(TAKEN)
    for name in names:
        plain = re.sub(r"[^\w']|^(?=[\d'])", "_", name) or "_"
        while plain in taken or OWN.fullmatch(plain):
            plain = f"_{plain}"  # in front, as no generated name begins with one
        made[name] = plain
        taken.add(plain)
    return made


def term(t: Term, names: Names, holds: int = SUM) -> str:
    """Return a term in Coq's notation. A term that has a name is written by its name.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> term(Term("*", Term("q", -1, 2), Term("+", x, y), Term("^", x, 2)), {"x": "x", "y": "y"})
    '(-1) / 2 * (x + y) * x ^ 2'
    """
    if t in names:
        return _held(names[t], POWER if " " in names[t] else ATOM, holds)
    match t:
        case ("v", name):
            return names[name]
        case ("q", p, q):
            whole = numeral(p)
            return whole if q == 1 else _held(f"{whole} / {numeral(q)}", PRODUCT, holds)
        case ("+" | "*" as op, *parts):
            if len(parts) < 2:
                return term(parts[0], names, holds) if parts else "0" if op == "+" else "1"
            own, sign = (SUM, " + ") if op == "+" else (PRODUCT, " * ")
            first, *others = parts
            return _held(sign.join([term(first, names, own), *(term(p, names, own + 1) for p in others)]), own, holds)
        case ("/", a, b):
            return _held(f"{term(a, names, PRODUCT)} / {term(b, names, POWER)}", PRODUCT, holds)
        case ("^", a, n):
            return _held(f"{term(a, names, ATOM)} ^ {n}", POWER, holds)
        case ("max" | "min" as head, first, *others):
            made = term(first, names, ATOM if others else holds)
            for k, other in enumerate(others, 1):
                made = f"{CALLS[head]} {made} {term(other, names, ATOM)}"
                made = _held(made, POWER, holds if k == len(others) else ATOM)
            return made
        case (head, *parts):
            return _held(" ".join([CALLS[head], *(term(p, names, ATOM) for p in parts)]), POWER, holds)
    raise ValueError(f"not a term: {t!r}")


def numeral(n: int) -> str:
    """Return an integer in Coq's notation: in hexadecimal if it is too long for Python's decimals.

    >>> numeral(-12)
    '(-12)'
    """
    text = hex(n) if n.bit_length() > LONG else str(n)
    return f"({text})" if n < 0 else text


def _held(text: str, own: int, needed: int) -> str:
    return f"({text})" if own < needed else text


def formula(f: Formula, names: Names) -> str:
    """Return a formula in Coq's notation.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> formula(("=>", (">", x, one), ("and", (">=", x, one), ("int", x))), {"x": "x"})
    '(x > 1) -> ((x >= 1) /\\\\ (integer x))'
    """
    if f in names:
        return names[f]
    match f:
        case (">" | ">=" | "=" as relation, a, b):
            return f"{term(a, names)} {relation} {term(b, names)}"
        case ("int", a):
            return f"integer {term(a, names, ATOM)}"
        case ("tends", a, growing, b):
            # the bound follows each name directly, as the definition in Meaning.v unfolds
            inner = "".join(f"forall {names[n]} : real, {names[n]} > M -> " for n in growing)
            close = f"Rabs ({term(a, names)} - {term(b, names, PRODUCT)}) < eps"
            return f"forall eps : real, eps > 0 -> exists M : real, {inner}{close}"
        case ("true",) | ("and",):
            return "True"
        case ("false",) | ("or",):
            return "False"
        case ("not", g):
            return f"~ ({formula(g, names)})"
        case ("and" | "or" | "=>" | "<=>" as op, *parts):
            if len(parts) == 1:
                return formula(parts[0], names)
            sign = {"and": r" /\ ", "or": r" \/ ", "=>": " -> ", "<=>": " <-> "}[op]
            return sign.join(f"({formula(p, names)})" for p in parts)
    raise ValueError(f"not a formula: {f!r}")


def comment(text: str) -> str:
    """Return a text that is safe inside a Coq comment.

    >>> comment('a (* b *) "c')
    "a ( * b * ) 'c"
    """
    return " ".join(text.replace("(*", "( *").replace("*)", "* )").replace('"', "'").split())


def listed(items: Iterable[Any], joined: str = "; ") -> str:
    """Return a list in Coq's notation.

    >>> listed([1, 2])
    '[1; 2]'
    """
    return f"[{joined.join(map(str, items))}]"
