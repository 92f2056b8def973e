"""What conditions on one positive unknown, with symbolic positive parameters, come to.

cases          exhaustive, disjoint cases, each with a threshold
logarithms     an unknown that occurs in a binary logarithm: powers of two for its bounds
integers       the integers in a solution: the smallest or largest, exactly
whole_numbers  which whole numbers meet a condition that has no closed form
"""
