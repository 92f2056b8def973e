"""Proofs: a small kernel, the search for its proofs, z3 as an oracle, exact sampling.

statement     what is claimed, as a formula of the kernel, and what it takes for granted
known         a statement together with what warrants it, checked when made
derivation    known statements in the order of an answer
kernel/       all that has to be trusted: the only place where a Theorem is made
powers        powers of numbers over the smallest base
assumptions   what is known of names: that they are positive, and which one is a number
translate     from SymPy expressions and conditions to the terms of the kernel, and back
oracles/      answers from outside the kernel: solvers, and exact points
search/       finds proofs for the kernel; a failed search can cost an answer, it cannot make one wrong
asymptotics/  what holds far out in a regime, decided and proved at once
provers/      one file for each kind of answer that is proved
steps/        proofs that people read, line by line
replay/       what was proved, for other programs to check again
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
