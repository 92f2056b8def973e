r"""Tokens of an answer in LaTeX settled: words that are called, brackets that LaTeX leaves out, `D_1` for D1."""

import re
from collections.abc import Collection

from lark import Token

from roofproof.claims.language.functions import ARITHMETIC
from roofproof.errors import quoted
from roofproof.ops.notation.arithmetic import error_at

GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu",
    "xi", "pi", "rho", "sigma", "tau", "phi", "varphi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda",
    "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega",
]  # fmt: skip

PREFIXED = re.compile(
    r"(?:[kMGTPE]i?(?:B|b|bits?|[bB]ytes?|[bB]ps)|[kMGTPE](?:FLOPs?|FLOPS|OPs?|OPS|Hz|J|W)|[munpµμ]s|[munp]J)(?:/[A-Za-z/]+)?"
)
"""Words that are units and never names: `GB/s`, `ms`."""
CALLED = {"log_2": "log2", "ln": "log"}
"""What takes what follows without brackets, and the name of its function."""


def settled(tokens: list[Token], declared: Collection[str], words: Collection[str] = ()) -> list[Token]:
    r"""Return the tokens with words settled: only arithmetic is known, `\log_2` is called, `D_1` may declare D1.

    `words` were written as words: with a bracket right after it, such a word is a function that is called.
    """
    found: list[Token] = []
    closing: list[int] = []  # places before which a bracket that is not written closes
    for place, token in enumerate(tokens):
        found += [_bracket(")", token) for _ in range(closing.count(place))]
        if token.type == "NAME":
            if token in ("time", "sum", "limit") and token in words:
                raise error_at(
                    token.start_pos or 0, "<token> is not known in LaTeX; write it as plain text", token=quoted(token)
                )
            if token == "log" or re.match("log_(?!2$)", token):
                raise error_at(token.start_pos or 0, r"'\log' is read with its base alone; write '\log_2'")
            if token == "mu" and found and found[-1].type == "NUMBER" and tokens[place + 1 : place + 2] == ["s"]:
                said = "a unit, or a product of letters? write '\\text{us}' or '\\mu \\cdot s'"
                raise error_at(token.start_pos or 0, said)
            called = place + 1 < len(tokens) and tokens[place + 1].type == "LPAR"
            if token in words and called and token not in declared and token not in ARITHMETIC:
                raise error_at(token.start_pos or 0, "<token> is not known as a function", token=quoted(token))
            kinds = [t.type for t in tokens[place + 1 : place + 4]]
            if (len(token) == 1 or token in GREEK) and token not in declared and kinds == ["LPAR", "NAME", "RPAR"]:
                of = tokens[place + 2]
                both = f"'{token}({of})' may be {token} at {of} or a product"
                told = f"{both}; write '{token} \\cdot {of}' for the product"
                if token.end_pos == tokens[place + 1].start_pos:
                    raise error_at(token.start_pos or 0, told)
            joined = token.replace("_", "")
            if token in CALLED:
                found.append(Token.new_borrow_pos("NAME", CALLED[token], token))
                if place + 1 < len(tokens) and tokens[place + 1].type != "LPAR":
                    found.append(_bracket("(", tokens[place + 1]))
                    closing.append(_argument_end(tokens, place + 1, f"\\{token}"))
                continue
            if token not in declared and joined in declared and re.fullmatch("[A-Za-z]_[0-9]+", token):
                token = Token.new_borrow_pos("NAME", joined, token)
        found.append(token)
    return found + [_bracket(")", tokens[-1]) for _ in range(closing.count(len(tokens)))]


def _bracket(sign: str, near: Token) -> Token:
    return Token.new_borrow_pos("LPAR" if sign == "(" else "RPAR", sign, near)


def _argument_end(tokens: list[Token], start: int, name: str) -> int:
    """Return the place after `x`, `2x`, `x^2` or `x^(...)`, what a function takes without brackets."""
    end = start + 1
    if tokens[start].type == "NUMBER" and end < len(tokens) and tokens[end].type == "NAME":
        end += 1
    if end < len(tokens) and tokens[end].type == "CARET":
        end += 1
        depth = 0
        while end < len(tokens):
            depth += (tokens[end].type == "LPAR") - (tokens[end].type == "RPAR")
            end += 1
            if depth <= 0:
                break
    if end < len(tokens) and tokens[end].type == "NAME" and tokens[end] not in CALLED:  # of one name or of both?
        said = "two readings after <name>; put brackets around what it is of"
        raise error_at(tokens[start].start_pos or 0, said, name=f"'{name}'")
    return end
