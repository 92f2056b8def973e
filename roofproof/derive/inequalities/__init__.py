"""What conditions on one positive unknown, with symbolic positive parameters, come to.

cases     exhaustive, disjoint cases, each with a threshold
integers  the integers in a solution: the smallest or largest, exactly, and those that meet what has no closed form
"""
