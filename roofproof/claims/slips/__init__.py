"""The mistakes people make, each with what it does to a calculation and how to say it to a student.

slip        a slip: its name, words for a student, what it does, and a claim whose author makes it
catalogue   the catalogue of slips: every slip of the files listed here, the likeliest first
chips       slips in taking figures from a chip
operations  slips in counting an operation
formulas    slips in the statement itself: what the author may have meant
values      slips that turn the right value into the wrong one, whatever it is the value of
diagnosis   which slip reproduces a wrong answer: single slips first, then pairs; "none fits" rather than a guess
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
