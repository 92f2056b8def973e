"""Solutions of conditions on one positive unknown with symbolic positive parameters.

cases     exhaustive, disjoint cases, each with a threshold
integers  the integers in a solution: the smallest or largest, exactly, found by a search if there is no closed form
"""
