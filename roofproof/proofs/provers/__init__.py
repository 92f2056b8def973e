"""Provers: one file for each kind of answer.

thresholds        proofs of the thresholds that `derive` finds
critical_size     the main entry point: derive and prove the threshold of an operation on a chip
specialize        theorems with numbers substituted for some of their variables
rule_of_thumb     the threshold in the limit of a regime, over all its comparisons
times             the time of an operation on a chip, where each resource takes longest, the faster collective
optimum_proofs    proofs of minima and maxima
optimum_stages    bounds for one unknown after another: each stage a kernel theorem, joined by transitivity
slope_proofs      proofs of minima, and of comparisons in one variable, by the sign of a slope
optimum_refuted   search for an exact point at which a claimed minimum fails
discrete_proofs   proofs that an integer is the best: exact values, and monotone gaps between them
monotone_proofs   proofs of how an expression depends on a symbol: f(x + h) > f(x) for h > 0, without derivatives
"""
