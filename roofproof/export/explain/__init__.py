"""Answers in words: each kind of answer is worded here once, for every output format.

threshold   the derivation of an operation: demands, intensity, limit, ridge point, threshold, times, proofs
steps       a proof line by line, with the reason for each line
comparison  one operation on many chips
bound       lower bounds on the traffic for a given memory, and the best tile
faster      the sizes at which one collective is faster than another
grade       feedback on a student's answer: the grade, hints, the solution
grades      many grades, by question and by mistake
mistakes    the mistakes of the catalogue
worked      the worked solution of a question, and two hints
verdicts    verdicts on claims, and the errata report of a claims file
audits      the formula of a function compared with the derived one
traced      the lines of traced code
library     the built-in operations and models
objects     Python objects as notebooks show them
"""
