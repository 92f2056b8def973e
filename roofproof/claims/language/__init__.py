"""The language of claims: propositions, assumptions, books; read by grammars, never evaluated as code.

book          textbooks: TOML files of claims
claims        a claim of a textbook: read, checked, and ready to be judged; or why it cannot be used
givens        what a claim assumes: the domain of each name, and conditions between them
environment   what the words of a claim stand for: symbols, values, operations, chips, and functions
reading       reading propositions: text to tree, by a grammar; nothing is evaluated
lexer         what a word is: a function, a unit, a keyword or a name
transformer   rules of the grammar turned into nodes; what is due where is checked here, with the column
nodes         the tree of a proposition: small frozen nodes, each with the span of text it was read from
functions     the functions of the language: one line each; what they take, what they are, what dimension they have
units         units that may follow a number: a closed list of spellings that cannot be mistaken for symbols
dimensions    dimensions of values: contradictions between units, figures of chips and what operations amount to
printing      printing a tree as text that reads back as the same tree
latex         answers in LaTeX: `B > \frac{R}{1 - R(1/D + 1/F)}`, as the same tree that plain text gives
latex_tokens  tokens of an answer in LaTeX settled
latex_parts   parts of LaTeX as pylatexenc gives it: the rows of an environment, the words inside `\text{...}`
sympy_form    trees turned into SymPy expressions and conditions, exactly and with nothing decided on the way
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofproof._lazy import attach

if TYPE_CHECKING:
    from roofproof.claims.language.book import Book as Book
    from roofproof.claims.language.book import read_book as read_book
    from roofproof.claims.language.claims import Claim as Claim
    from roofproof.claims.language.claims import Unusable as Unusable
    from roofproof.claims.language.dimensions import dimension_of as dimension_of
    from roofproof.claims.language.environment import Environment as Environment
    from roofproof.claims.language.givens import Domain as Domain
    from roofproof.claims.language.givens import Given as Given
    from roofproof.claims.language.givens import read_given as read_given
    from roofproof.claims.language.latex import read_latex as read_latex
    from roofproof.claims.language.printing import to_text as to_text
    from roofproof.claims.language.reading import read_expression as read_expression
    from roofproof.claims.language.reading import read_proposition as read_proposition
    from roofproof.claims.language.sympy_form import to_boolean as to_boolean
    from roofproof.claims.language.sympy_form import to_relation as to_relation
    from roofproof.claims.language.sympy_form import to_sympy as to_sympy

__getattr__, __all__ = attach(
    __name__,
    {
        "book": "Book read_book",
        "claims": "Claim Unusable",
        "dimensions": "dimension_of",
        "environment": "Environment",
        "givens": "Domain Given read_given",
        "latex": "read_latex",
        "printing": "to_text",
        "reading": "read_expression read_proposition",
        "sympy_form": "to_boolean to_relation to_sympy",
    },
)
