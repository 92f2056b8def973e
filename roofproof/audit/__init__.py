"""Audit: user-written Python formulas compared with roofproof's derivation.

audits            the audit of a Python function: its closed form, compared with the derived one
size_constraints  the sizes that an operation allows, and points moved to these sizes
tracing           symbolic execution of a Python function with comparisons and divisions, with exact decimals
                  for its float constants
whole_numbers     calls of a function at integers, twice each, which must agree with its closed form
remote_function   a function in a child process, seen from the parent: its values and its traced expressions
answering         the answers of that child process
closed_forms      the closed form of a function of sizes, from symbolic execution or from its exact values
formulas          formulas given as text in Python's arithmetic, parsed and never run, as functions of sizes
guard             a list of formulas in a file, each with an expected verdict
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
