"""The mistakes people make, each with what it does to a calculation and how to say it to a student.

catalogue      the catalogue of slips, the likeliest first: words for a student, what each does, who makes it (TOML)
chips          slips in taking figures from a chip
operations     slips in counting an operation
links          slips about what crosses from chip to chip
formulas       slips in the statement itself: what the author may have meant
values         slips that turn the right value into the wrong one, whatever it is the value of
numbers_first  what fails at sizes met at once is not judged at all
diagnosis      which slip reproduces a refuted claim: single slips first, then pairs; "none fits" rather than a guess
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
