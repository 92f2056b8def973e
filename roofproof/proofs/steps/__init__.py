"""Steps: proofs for readers, line by line. Each line is a proved statement of its own.

lines       the content of a line: a relation, several relations, or a bound on the unknown
step        a line and its reason, from a closed list and checked when made; also sequences of lines, and their cases
logarithms  steps from a logarithm of the unknown to the unknown, by powers of two
thresholds  the solver's steps from `I > R` to the bound with the specs of a chip
numbers     steps from there to the threshold at the given sizes, and to the integer answer
limits      steps to a limit, and to its relative error
optima      steps to a minimum or maximum
answer      all the steps of one answer, in order, or the reason why there are none
"""
