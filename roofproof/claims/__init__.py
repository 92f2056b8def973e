"""Claims: parsing and verifying statements about operations and chips, and explaining the wrong ones.

language/   the claim language: propositions, assumptions, claims files
meaning     the functions of the claim language that have a definition, such as `intensity`
resolve     the meaning of a word in a claim: a name, a product of names, a unit, a count, a chip or an operation
draft       the formulas of a chapter, in Markdown or TeX, as draft claims
judge/      the verdict on a claim, its proof, and the right answer to a wrong claim
printed     numbers as printed, and their comparison with exact values
mistakes/   common mistakes, and the search for the one that explains a wrong claim or answer
answers/    student answers, graded as claims
values      the value of a single call: the known statement `call = value` with its `domain`
results     the results of the claims in claims files, and how many there are of each kind
verifying   verification of claims files, claim by claim and in order
in_definitions  claims about operations and chips in terms of Coq definitions
verdict_cache  verdicts as stored data, whose proofs are checked again on loading
textbooks/  the claims files that come with the package (TOML)
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
