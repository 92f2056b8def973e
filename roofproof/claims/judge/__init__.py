"""Judging: what the engine finds about a statement somebody else makes.

judge                which kind of statement a claim is, what the engine finds about it, how far that is known
verdict              a verdict: what the engine finds about one claim, how it is known, and what goes with it
case                 one claim under judgement: what its words mean, its domain, and what it rests on
domain               the values a statement is about; from its words to the kernel's formulas
in_regime            claims in a regime: limits, and statements that hold where some symbols are large
far_out              truth in a regime: for every fixed value of what does not grow, from some bound on
residues             limits of what is rounded, along each residue
rounding             what agrees to the digits printed only: values, factors of formulas, and thresholds
by_signs             claims about names that may be zero or negative, sign by sign
quantified           claims with `exists` and `for all`: by a witness, or by a point at which there is none
witnesses            values that may do for `exists t`: roots, what lies between and beside them
as_written           that what SymPy worked with is what a claim says, as it is written
read_back            a claim as it was read, and the theorems of its verdict, in the claim language
preconditions        sizes at which an operation does not exist: nothing is said of it there
definedness          where a claim is not defined: what it divides by, takes a root or a logarithm of
decide_formula       is a statement true for all values of its domain? Proved, refuted at a point, or left open
decide_condition     deciding a formula where it is defined, as it is written; by how logarithms rise, where it has some
by_logarithm         a condition with logarithms of a name: solved for it, proved as thresholds are, or refuted
monotone_logarithms  a statement with logarithms and powers as it is written: by points, how these rise, and slopes
side_conditions      the weakest simple side condition under which a refuted statement is true
regions              whether a condition is worth naming: a region of what is given, and false outside
corrections          the right answer beside a wrong or approximate one
readings             how one part of a claim may be meant: a list, of which the first that is known is the verdict
words                the words that have to be found: what is found of a call is held to what its word means
solved               words that solve a condition: threshold, solve
integers             words that ask for an integer: smallest, largest
integer_search       integers found by exact evaluation, where rounding functions keep a condition from being solved
limits               words about limits and sums: limit, sum, degree
optima               words that ask for the best: argmin, argmax, minimum, maximum
behaviour            words about how a function behaves: increasing, decreasing, independent
memory_bounds        the traffic of a product with a memory: lower_bound, best_tile
obligations          what a claim divides by and takes roots and logarithms of, as it is written
steps                the steps behind a verdict, line by line
"""
