"""Steps: proofs that people read, line by line; each line is a known statement of its own.

lines       what a line says: a relation, several that hold together, or where the unknown lies
step        a line with the reason for it, from a closed list, checked when made; lines in order, and their cases
reasons     what each reason claims beyond that the line follows, and proving both: a conversion, told as a step
rules       why a line follows from what its reason claims, proved once with letters
collecting  from `I > R` to one side of the unknown: what all cases share
bounding    from there to the bound, in one case
conversions all lines from a condition to its cases, whose theorems are those of the cases
logarithms  from a logarithm of the unknown to the unknown, by powers of two
thresholds  all steps of a proved threshold, from `I > R` to the bound with the figures of a chip
numbers     from there to the number at the sizes given, and the integer answer
limits      to a limit, and to the relative error of taking it
answer      all of these for one answer, in order; what is not told says why
"""
