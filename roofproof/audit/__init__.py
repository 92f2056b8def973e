"""Audit: somebody's Python function compared with the derivation.

audits        auditing somebody's formula in Python: its closed form found, and compared with a derivation
existing      sizes that an operation has: points moved to them, and what a function may take for granted there
tracing       symbols sent through a Python function that compares and divides, with its float constants taken
              exactly
whole_numbers a function at real whole numbers, twice each: what was said of it must be what it returns there
elsewhere     a function in a process of its own, which answers what it is asked with values and expressions
answering     what that process answers
closed_forms  the closed form of somebody's function of sizes: from symbols sent through it, or from its exact values
formulas      formulas that others write as text in Python's arithmetic, read and never run, as functions of sizes
guard         a list of formulas in a file, each held to the derivation and to what is expected of it
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
