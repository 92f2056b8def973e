"""The search for proofs. Nothing here is trusted: the proof checker verifies every proof that is found.

Each row of a truth table is refuted by the cheapest method that works. Uses are given in parentheses.

tactics        goals as rows of truth tables, and the signs of divisors; tries certificates and lemmas in order
certificates   contradictions among facts: from two facts (most rows), signs and eliminations (quantified claims),
               substituted bounds (limits of convolutions), or a linear program over facts, squares and products;
               polynomials between two ends (optima over integers), and weighted means (traffic bounds)
polynomials    kernel polynomials in FLINT, comparisons cleared of fractions and positive factors, and definitions of
               names, roots and maxima substituted into other comparisons (optima, maxima with one value)
lemmas         general theorems about order, maxima, minima and square roots; equal maxima, part by part (counts)
short_proofs   proofs without search: normal forms, comparisons that differ by a positive factor, truth tables
equivalence    transfers a theorem to another form of its formula, comparison by comparison (claims as written,
               definitions, also inside maxima)
logarithms     monotonicity, products as sums, and bounds of numbers by powers (claims with logarithms, fft)
integers       strict bounds sharpened by one, roundings, divisors of sizes, and the long search (integer sizes)
roots          roots as named positive variables, and roots of products (optima)
squares        comparisons with one root, squared (shares that include the startup time)
points         points where formulas hold: at squares, near sign changes, at roots (counterexamples)
"""
