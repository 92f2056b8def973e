"""The mistakes people make, each with what it does to a calculation and how to say it to a student.

catalogue      the catalogue of slips, the likeliest first: words for a student, what each does, who makes it (TOML)
chips          slips in taking figures from a chip
operations     slips in counting an operation
links          slips about what crosses from chip to chip
formulas       slips in the statement itself: what the author may have meant
values         slips that turn the right value into the wrong one, whatever it is the value of
search         the one search for the slip behind what is wrong: single slips first, then pairs
of_claims      what a slip makes of a claim that is refuted
of_answers     what a slip makes of a question that was answered wrongly
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
