"""Oracles: answers from outside the kernel.

smt            z3 as an oracle for what the kernel's tactics do not reach: real arithmetic, denominators cleared
intervals      rational numbers below and above the value of a term, as close as need be
root_bound     how far from zero a value made with roots must lie if it is not zero
leading_terms  limits on the scale of powers, logarithms and exponentials, by the expansion that finds them
slopes         a least value by the slope: what falls before a place and rises after it is least there
points         formulas at points: exact and irrational numbers put in for names
beside         points beside the numbers that a name is compared with
ratios         exact values of terms and formulas at points, in integers
sampling       formulas at exact rational points: counterexamples, witnesses, and checks that are not proofs
"""
