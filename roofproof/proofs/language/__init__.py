"""The language of claims: propositions, assumptions, books; read by grammars, never evaluated as code."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofproof.proofs.language.book import Book as Book
    from roofproof.proofs.language.book import read_book as read_book
    from roofproof.proofs.language.claims import Claim as Claim
    from roofproof.proofs.language.claims import Unusable as Unusable
    from roofproof.proofs.language.dimensions import dimension_of as dimension_of
    from roofproof.proofs.language.environment import Environment as Environment
    from roofproof.proofs.language.givens import Domain as Domain
    from roofproof.proofs.language.givens import Given as Given
    from roofproof.proofs.language.givens import read_given as read_given
    from roofproof.proofs.language.latex import read_latex as read_latex
    from roofproof.proofs.language.printing import to_text as to_text
    from roofproof.proofs.language.reading import read_expression as read_expression
    from roofproof.proofs.language.reading import read_proposition as read_proposition
    from roofproof.proofs.language.sympy_form import to_boolean as to_boolean
    from roofproof.proofs.language.sympy_form import to_relation as to_relation
    from roofproof.proofs.language.sympy_form import to_sympy as to_sympy

_HOME = {
    "Book": "book",
    "Claim": "claims",
    "Domain": "givens",
    "Environment": "environment",
    "Given": "givens",
    "Unusable": "claims",
    "dimension_of": "dimensions",
    "read_book": "book",
    "read_expression": "reading",
    "read_given": "givens",
    "read_latex": "latex",
    "read_proposition": "reading",
    "to_boolean": "sympy_form",
    "to_relation": "sympy_form",
    "to_sympy": "sympy_form",
    "to_text": "printing",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
