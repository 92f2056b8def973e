"""The language of claims: statements, assumptions, claims files; read by formula/, never evaluated as code.

book          textbooks: TOML files of claims; a claim, read and ready to be judged, or why it cannot be used
assumed_sizes what the operations of a claim assume of their sizes: hypotheses of the claim, as if they stood in `given`
environment   what the words of a claim stand for: symbols, values, operations, chips, and functions
terms         what the trees of a claim say in the kernel's terms: a word is what it stands for
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
