"""The language of claims: statements, assumptions, claims files; read by formula/, never evaluated as code.

book          textbooks: TOML files of claims; a claim, read and ready to be judged, or why it cannot be used
assumed_sizes what the operations of a claim assume of their sizes: hypotheses of the claim, as if they stood in `given`
environment   what the words of a claim stand for: symbols, values, operations, chips, and functions
latex         answers in LaTeX: `B > \frac{R}{1 - R(1/D + 1/F)}`, as the same tree that plain text gives
latex_macros  LaTeX taken apart: what each macro and word stands for, and what is refused
latex_parts   parts of LaTeX: rows and columns, sums and limits, the words inside `\text{...}`
kernel_form   trees turned into the kernel's formulas and back, with nothing in between that could cancel
sympy_form    trees turned into SymPy expressions and conditions, exactly and with nothing decided on the way
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
