"""Verification of claims: the verdict on a statement, and the proof behind it.

judge                the entry point: verifies a claim part by part and returns its verdict
verdict              the verdict on one claim, with its proofs and its details
case                 one claim under verification: its environment, its domain, and the evidence so far
domain               the domain of a statement, and the translation of conditions to formulas
in_regime            claims in a regime: limits, and statements that hold if some symbols are large
far_out              truth in a regime: for every fixed value of the names that do not grow, beyond some bound
residues             limits of expressions with rounding, along each residue class
rounding             agreement to the printed digits only: values, factors of formulas, and thresholds
by_signs             claims about names that may be zero or negative, verified sign by sign
quantified           claims with `exists` and `for all`, decided by a witness or by a point without one
witnesses            candidate values for `exists t`: roots, and values between and next to them
as_written           proofs that the values used by SymPy equal the claim as written
read_back            a parsed claim in the claim language, with the theorems of its verdict
preconditions        sizes at which an operation does not exist, about which a claim says nothing
definedness          where a claim is undefined: zero divisors, and roots and logarithms outside their domain
decide_formula       whether a statement is true on its whole domain: proved, refuted at a point, or open
decide_condition     whether a formula as written holds where it is defined, also with logarithms and powers
by_logarithm         conditions with logarithms of a name: solved for the name, then proved or refuted
monotone_logarithms  statements with logarithms and powers: decided by points, monotonicity and slopes
side_conditions      the weakest simple side condition under which a refuted statement is true
regions              whether a condition is worth stating: it leaves a region, and the statement fails outside
corrections          the right answer next to a wrong or approximate one
readings             the possible readings of one part of a claim, strongest first
words                functions whose values are searched for, and the check of each value against its meaning
solved               the functions threshold and solve
integers             the functions smallest and largest
integer_search       integers found by exact evaluation, for conditions with rounding functions
limits               the functions limit, sum and degree
optima               the functions argmin, argmax, minimum and maximum
behaviour            the functions increasing, decreasing and independent
memory_bounds        the functions lower_bound and best_tile: the traffic of a product with a given memory
obligations          conditions for the divisors, roots and logarithms of a claim, as written
steps                the steps behind a verdict, line by line
"""
