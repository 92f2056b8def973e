"""Optima: minima and maxima, and the points where they are attained.

extremum        the result of a search for a minimum or maximum
constraints     the domain of an optimum: equations, each solved for one unknown, and bounds on the remaining one
sign_chart      the chart of a function of one positive unknown: the intervals on which it falls, is constant or rises
optimum_search  the minimum of a function of one unknown
stationary      candidate points where the slope of a function with roots of sums or logarithms may be zero
posynomials     posynomials in several unknowns: the weighted AM-GM inequality gives the minimum in closed form
optima          minima and maxima over positive unknowns in closed form, with exhaustive cases on the parameters
integer_optima  the best integer: neighbours of the real optimum, compared exactly
monotone        dependence of an expression on one positive symbol: increasing, decreasing or independent
"""
