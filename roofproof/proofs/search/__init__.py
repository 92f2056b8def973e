"""The search for proofs: nothing here is trusted; what is found is checked by the kernel.

A row of a truth table is refuted by what costs least first. After the colon stands what a file decides.

tactics              goals as rows of truth tables, the signs of divisors; asks the three below in order
handelman            two facts that contradict each other, most rows; a linear program of facts, squares and products
small_refutations    eliminations: trust of quantified claims, and mistakes sought to the end within their steps;
                     bounds put in: limits of convolutions; beside a root: thresholds of degree three
equations            what a name, a root or a maximum is, put into other comparisons: optima, maxima of one value
polynomials          polynomials of the kernel in FLINT, comparisons without fractions and plain factors
lemmas               theorems in letters on order, maxima, minima and square roots
short_proofs         no search at all: normal forms, one comparison from another by a positive factor, truth tables
equivalence          a theorem carried over to another form of its formula, comparison by comparison: bridges of claims
restated             a theorem about values, carried over to definitions of them, within maxima as well
whole_proofs         the long search over positive numbers, some of them whole: squares, lemmas, from both sides
extrema              equal maxima, part by part: counts of operations at sizes
logarithm_lemmas     a function that keeps order, products as sums, numbers beside powers: claims of logarithms, fft
logarithms           the same of conditions in SymPy, for the judge of claims
integer_lemmas       a strict bound moves by one, roundings lie within one: claims of whole sizes
roundings            roundings of roundings, and by whole numbers: nested ceilings
divisor_exclusion    no integer in a range divides a size: integer answers of several sizes
radicals             roots as named positive variables: optima, and roots of products
squares              a comparison with one root, squared: shares that count the start
squared_points       points where such comparisons hold, and beside changes: counterexamples
irrational_points    points with one irrational coordinate: counterexamples at roots
factored_difference  f(x) - f(s) as a square times something positive: optima
interval_proofs      polynomials between two rational ends: optima over integers
weighted_means       a weighted sum is at least its geometric mean: bounds of traffic, claims of means
"""
