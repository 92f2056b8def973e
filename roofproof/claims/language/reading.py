"""Reading propositions: text to tree, by a grammar; nothing is evaluated."""

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, UnexpectedInput

import roofproof.ops
from roofproof.claims.language.lexer import classified
from roofproof.claims.language.nodes import Node, is_proposition
from roofproof.claims.language.transformer import TreeBuilder
from roofproof.formula.tokens import check_text, error_at
from roofproof.ops.notation.expression import build, syntax_error

SIGNS = "≈≤≥≠⇒⇔⟹⟺≫∞∧∨¬∃∀µμπ"


def read_proposition(text: str, declared: Collection[str] = (), letters: bool = False) -> Node:
    """Return the tree of a proposition.

    >>> tree = read_proposition("intensity(mm) > R <=> B > 240")
    >>> type(tree).__name__, [m.relations for m in tree.members]
    ('Equivalence', [('>',), ('>',)])

    `declared` are names that are in use; they win over units of the same spelling. With `letters`, `2 s` is two
    seconds where nothing is named s; whoever asks for it looks at the other texts.
    Raises RoofproofError with the column for anything else.
    """
    node: Node = read_tokens(text, lexed(text, "a proposition"), declared, letters=letters)
    if not is_proposition(node):
        raise error_at(0, "expected a proposition such as 'B > 240', got a value")
    return node


def read_expression(text: str, declared: Collection[str] = (), letters: bool = False) -> Node:
    """Return the tree of a value, such as `let` names.

    >>> read_expression("peak / 2")
    Quotient(above=Name(name='peak'), below=Number(value=Fraction(2, 1), text='2'))

    Raises RoofproofError with the column for anything else, a proposition included.
    """
    node: Node = read_tokens(text, lexed(text, "an expression"), declared, letters=letters)
    if is_proposition(node):
        raise error_at(0, "expected an expression, got a proposition")
    return node


def lexed(text: str, what: str) -> list[Token]:
    """Return the tokens of a text, after it was checked for size, nesting and signs."""
    check_text(text, what)
    try:
        tokens = _parser().parse_interactive(text, start="start").lexer_thread.lex(None)  # `lex` builds one anew
        return [Token.new_borrow_pos("NAME", "pi", t) if t.type == "PI" else t for t in tokens]
    except UnexpectedInput as problem:
        raise syntax_error(text, problem, what) from None


def read_tokens(
    text: str,
    tokens: list[Token],
    declared: Collection[str] = (),
    start: str = "start",
    plain: bool = False,
    letters: bool = False,
) -> Any:
    """Parse tokens, whose offsets are into `text`.

    `start` is "start" for a proposition or a value, "given" for conditions; `plain` takes every word for a name.
    """
    tokens, doubts = classified(tokens, declared, start == "given", plain, letters)
    parser = _parser().parse_interactive(start=start)
    builder = TreeBuilder(text, doubts)
    built, refused = None, None
    try:
        for token in tokens:
            parser.feed_token(token)
        built = build(parser.feed_eof(tokens[-1] if tokens else None), builder)
    except UnexpectedInput as problem:
        refused = syntax_error(text, problem, "the text")
        if getattr(problem, "token", "") == ":" and text[: problem.token.start_pos].rstrip()[-1:].isalpha():
            said = "':' has no meaning here; an operation with options goes into quotes, as in flops(\"matmul:fp8\")"
            refused = error_at(problem.token.start_pos, said)
    if doubts:
        raise min(doubts, key=lambda doubt: doubt[0])[2]
    if refused:
        raise refused
    return built


@cache
def _parser() -> Lark:
    return Lark.open(
        "proposition.lark",
        rel_to=__file__,
        import_paths=[str(Path(roofproof.ops.__file__).parent / "notation")],
        parser="lalr",
        lexer="basic",
        start=["start", "given", "retyped"],
        propagate_positions=True,
        maybe_placeholders=False,
    )
