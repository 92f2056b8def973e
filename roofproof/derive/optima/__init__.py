"""Optima: the least and the greatest value, and where it is taken.

extremum        what a search for a minimum or maximum comes to
constraints     the domain of an optimum: equations solved for one unknown each, bounds on the one that is left
sign_chart      the chart of a function of one positive unknown: on which intervals it falls, stays level or rises
optimum_search  the least value of a function of one unknown
stationary      where the slope of a function with roots of sums or logarithms may be zero: places to look at
posynomials     posynomials in several unknowns: the weighted AM-GM inequality gives the minimum in closed form
optima          minima and maxima over positive unknowns in closed form, with exhaustive cases on the parameters
integer_optima  the best integer: neighbours of the real optimum compared exactly
monotone        how an expression depends on one positive symbol: rising, falling, not at all
"""
