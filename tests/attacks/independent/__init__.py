"""A second evaluator of the claim language, independent of the package: its own parser, units and numbers.

numbers      real numbers as intervals between fractions, as narrow as requested
units        the table of units, typed again from the definitions
reading      parser from text to a tree
operations   demands of an operation and rates of a chip
rational     quotients of polynomials in one unknown, and their zeros
evaluator    value or truth of a tree at one point
analysis     functions over many points: limit, solve, argmin, increasing ...
agreement    comparison of printed digits with a value
claims       a claim from TOML, its domain, and points near its bounds and far out in its regime
opinion      check of a verdict
"""
