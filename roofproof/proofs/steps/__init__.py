"""Steps: proofs that people read, line by line; each line is a known statement of its own.

lines       what a line says: a relation, several that hold together, or where the unknown lies
step        a line with the reason for it, from a closed list, checked when made; lines in order, and their cases
reasons     that a line follows and what its reason claims, proved where no solver tells it
logarithms  from a logarithm of the unknown to the unknown, by powers of two
thresholds  what the solver tells of its way, from `I > R` to the bound with the figures of a chip
numbers     from there to the number at the sizes given, and the integer answer
limits      to a limit, and to the relative error of taking it
answer      all of these for one answer, in order; what is not told says why
"""
