"""Teaching: exercises whose keys are derived and proved, in as many variants as a class needs.

exercise     an exercise: its text, what is asked of an operation, and the parameters that vary
written      a text as its author wrote it: words, marks, formulas and gaps
formulas     formulas in TeX, checked and their gaps filled
bank_file    a bank of exercises, read from TOML
traced       what a function of a file computes and moves, as text
variants     an exercise with its parameters filled in: by a seed, with a key worth asking for
distractors  wrong answers that a known slip gives, each proved different from the key
"""

from roofproof.teach.bank_file import bank
from roofproof.teach.exercise import Bank, Exercise
from roofproof.teach.variants import Variant, variants

__all__ = ["Bank", "Exercise", "Variant", "bank", "variants"]
