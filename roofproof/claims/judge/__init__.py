"""Judging a claim.

readings        how one part of a claim may be meant: a list, of which the first that is known is the verdict
words           the words that have to be found: what is found of a call is held to what its word means
solved          words that solve a condition: threshold, solve
integers        words that ask for an integer: smallest, largest
integer_search  integers found by exact evaluation, where rounding functions keep a condition from being solved
limits          words about limits and sums: limit, sum, degree
optima          words that ask for the best: argmin, argmax, minimum, maximum
behaviour       words about how a function behaves: increasing, decreasing, independent
memory_bounds   the traffic of a product with a memory: lower_bound, best_tile
"""
