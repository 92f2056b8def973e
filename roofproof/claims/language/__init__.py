"""The claim language: statements, assumptions, claims files. It is parsed by formula/, never evaluated as code.

book          claims files in TOML: each claim parsed and ready to be verified, or the reason why it cannot be used
assumed_sizes conditions that operations impose on their sizes: hypotheses of a claim, as if they were in `given`
environment   the meaning of the words in a claim: symbols, values, operations, chips, functions
terms         the trees of a claim as terms and formulas of the proof checker
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
