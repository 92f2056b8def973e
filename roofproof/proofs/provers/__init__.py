"""Provers: one file for each kind of answer.

thresholds        proving what `derive` found
critical_size     the main job: an operation and a chip go in, a derived and proved threshold comes out
specialize        theorems with numbers put in for some of their variables
rule_of_thumb     what a threshold comes to in a regime, over all its comparisons
times             how long an operation takes on a chip, where each resource takes longest, the faster collective
optimum_proofs    proving minima and maxima
optimum_stages    bounds by one unknown after the other: each stage a kernel theorem, joined by transitivity
slope_proofs      proving least values, and comparisons of one variable, by the sign of a slope
optimum_refuted   an exact point at which a claimed minimum fails
discrete_proofs   proving that an integer is the best: exact values, and monotone gaps between them
monotone_proofs   proving how an expression depends on a symbol: f(x + h) > f(x) for h > 0, which needs no derivative
"""
