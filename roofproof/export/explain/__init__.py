"""Answers in words: each kind of answer is phrased here, once, for every format.

threshold   what is derived of an operation: demands, intensity, limit, ridge point, threshold, times, proof
steps       a proof line by line, with the reason for each line
comparison  one operation on many chips
bound       what no schedule can beat with a memory, and the tile that comes near
faster      where a collective takes less time than another
grade       the grade of an answer: what it is worth, where to look, the solution
grades      many grades, by question and by mistake
mistakes    the mistakes of the catalogue
worked      the derivation of a question, and two hints
verdicts    verdicts on claims, and the errata report of a book
audits      a function beside what is derived
traced      the lines of traced code
library     the operations and the models that are known by name
objects     what a notebook shows of objects of Python
"""
