"""Teaching: exercises whose keys are derived and proved, in any number of variants, and courses of slides.

exercise     an exercise: its text, its question about an operation, and the parameters that vary
marked_text  the text of an exercise: words, formulas and gaps
formulas     formulas in TeX: checked, with their gaps filled
bank_file    an exercise file in TOML
variants     an exercise with its parameters filled in, chosen by a seed, with a suitable key
distractors  wrong answers that result from common mistakes, each proved different from the key
course       a course: an outline of slides
course_file  a course file in TOML
"""

from roofproof.teach.bank_file import bank
from roofproof.teach.exercise import Bank, Exercise
from roofproof.teach.variants import Variant, variants

__all__ = ["Bank", "Exercise", "Variant", "bank", "variants"]
