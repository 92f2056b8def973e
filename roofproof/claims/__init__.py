"""Claims: what others say, read, judged, and explained where it is wrong.

language/   the language of claims: propositions, assumptions, books
draft       the formulas of a chapter, in Markdown or TeX, as draft claims
judge/      what the engine finds about a claim, how it is known, and the right answer beside a wrong one
numbers/    numbers as printed, and exact values held against them
mistakes/   the mistakes people make, and which of them explains a wrong claim or answer
answers/    the answer of a student, judged as the claim that it is
values      the value of one word, asked for by itself: the known statement `call = value` where `domain`
results     what is found of the claims of books: a result each, and how many there are of each kind
verifying   books verified: every claim judged, in the order of the book
in_definitions  what a claim says of operations and chips, in definitions of Coq
verdict_cache  verdicts as a store keeps them, and back, all that they rest on checked again
textbooks/  the books of claims that come with the package (TOML)
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
