"""Oracles: answers from outside the kernel.

smt       z3 as an oracle for what the kernel's tactics do not reach: real arithmetic, denominators cleared
sampling  formulas at exact rational points: counterexamples, witnesses, and checks that are not proofs
"""
