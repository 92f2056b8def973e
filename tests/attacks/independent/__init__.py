"""A second evaluator of the claim language that imports nothing from the package: its own reading, units and numbers.

numbers      real numbers as intervals between fractions, as narrow as is asked for
units        the table of units, typed afresh from what a unit means
reading      text -> tree
operations   what an operation demands, what a chip supplies
rational     quotients of polynomials in one unknown, and where they are zero
evaluator    the value or the truth of a tree at one point
analysis     functions about a whole line of points: limit, solve, argmin, increasing ...
agreement    whether printed digits agree with a value
claims       a claim from TOML, its domain, points near its bounds and far out in its regime
opinion      whether a verdict is right
"""
