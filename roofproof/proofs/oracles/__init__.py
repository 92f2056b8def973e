"""Oracles: answers from outside the kernel.

smt            z3 for statements beyond the kernel's tactics: real arithmetic, with denominators cleared
intervals      rational bounds on the value of a term, to any precision
root_bound     the least distance from zero of a nonzero value made with roots
leading_terms  limits of powers, logarithms and exponentials, by series expansion
slopes         minima by the slope: a function that falls before a point and rises after it is least there
points         formulas at points, with rational or irrational values for the names
near_bounds    points next to the numbers that a name is compared with
ratios         exact values of terms and formulas at points, in integers
sampling       formulas at exact rational points: counterexamples, witnesses, and checks that are not proofs
"""
