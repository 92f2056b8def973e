"""The search for proofs: nothing here is trusted; what is found is checked by the kernel.

A row of a truth table is refuted by what costs least first. After the colon stands what a file decides.

tactics        goals as rows of truth tables, the signs of divisors; asks for certificates and lemmas in order
certificates   contradictions among facts: two of them, most rows; signs and eliminations: quantified claims; bounds put
               in: limits of convolutions; a linear program of facts, squares and products. Polynomials between two
               ends: optima over integers; weighted means: bounds of traffic
polynomials    polynomials of the kernel in FLINT, comparisons without fractions and plain factors; what a name, a root
               or a maximum is, put into other comparisons: optima, maxima of one value
lemmas         theorems in letters on order, maxima, minima and square roots; equal maxima, part by part: counts
short_proofs   no search at all: normal forms, one comparison from another by a positive factor, truth tables
equivalence    a theorem carried over to another form of its formula, comparison by comparison: claims as written, and
               definitions, within maxima as well
logarithms     a function that keeps order, products as sums, numbers beside powers: claims of logarithms, fft
integers       a strict bound moves by one, roundings, divisors of sizes, and the long search by these: whole sizes
roots          roots as named positive variables: optima, and roots of products
squares        a comparison with one root, squared: shares that count the start
points         points where formulas hold, among squares, beside changes, at roots: counterexamples
"""
