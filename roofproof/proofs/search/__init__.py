"""The search for proofs: nothing here is trusted; what is found is checked by the kernel.

tactics              finding proofs for the kernel
polynomials          polynomials of the kernel in FLINT; comparisons without fractions and what is positive anyway
handelman            sums of products that contradict each other (Handelman, Krivine), by FLINT and a linear program
short_proofs         what takes no search: equal normal forms, signs of differences, truth tables
small_refutations    contradictions among few facts, seen from signs of coefficients, beside a root, above bounds
equations            equations that say what a name, a root or a maximum is, put into other comparisons
extrema              equal maxima: each part of one is bounded by a part of the other
lemmas               theorems proved for all values, used where a maximum, a minimum or a square root occurs
logarithms           logarithms of products as sums, powers of sums as products; log2(x) > 3 as x > 8
logarithm_lemmas     logarithms and powers compared by what stands inside, numbers beside powers of two
equivalence          a theorem about one form of a formula, carried over to another form of it
restated             a theorem about values, carried over to definitions of them, within maxima as well
whole_proofs         the long search over positive numbers, some of them whole: squares, lemmas, from both sides
divisor_exclusion    no integer in a range divides a size
integer_lemmas       what is true of whole numbers only
roundings            roundings beside each other: equal, a whole number apart, or never less
radicals             radicals as named positive variables, roots of products as products of roots
squares              comparisons with one square root, squared, and goals of such
squared_points       points where such comparisons hold, by their squares, and beside which comparisons change
factored_difference  why f(x) >= f(s): the gap is (x - s) or (x - s)^2 times something positive
interval_proofs      polynomial inequalities in one unknown between two rational ends, proved by the kernel
irrational_points    where the two sides of a comparison meet: points with one irrational coordinate
weighted_means       a weighted sum is at least its geometric mean, one square for each part
"""
