"""Common mistakes, each with its effect on a calculation and an explanation for students.

catalogue      the catalogue of mistakes, the likeliest first: explanation, effect, an example of each (TOML)
chips          mistakes in the specs of a chip
operations     mistakes in the counts of an operation
links          mistakes about communication between chips
formulas       mistakes in the statement itself, such as a reversed inequality
values         mistakes that change the right value of any quantity
search         the search for the mistake that explains a wrong result: single mistakes first, then pairs
of_claims      the search for the mistake in a refuted claim
of_answers     the search for the mistake in a wrong answer
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
