"""Inequalities in one positive unknown, with symbolic positive parameters.

cases       what an inequality in one positive unknown comes to: exhaustive, disjoint cases, each with a threshold
intervals   unions of intervals of positive reals whose endpoints are expressions, compared by sign or by case split
roots       where a polynomial in the unknown has a given sign: factor by factor, by its roots in closed form
logarithms  an unknown that occurs in a binary logarithm: powers of two for its bounds
inequality  conditions on one positive unknown with symbolic positive parameters, solved in closed form
integers    the integers in a solution: the smallest or largest, exactly
"""
