"""Proofs: a small kernel, the search for its proofs, z3 as an oracle, exact sampling.

statement     a claim as a formula of the kernel, with its assumptions
known         a statement with its warrant, checked on construction
derivation    known statements in the order of an answer
kernel/       the trusted core: the only place that makes a Theorem
powers        powers of numbers over the smallest base
assumptions   facts about names: which are positive, and which denote a number
translate     from SymPy expressions and conditions to the terms of the kernel, and back
oracles/      answers from outside the kernel: solvers, and exact points
search/       finds proofs for the kernel (a bug here can lose an answer, but never make one wrong)
asymptotics/  statements for all sufficiently large sizes in a regime, decided and proved at once
provers/      one file for each kind of answer that is proved
steps/        proofs for people to read, line by line
replay/       proofs exported for other programs to check again
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
