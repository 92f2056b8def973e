"""Answers in words: each kind of answer is phrased here, once, for every format.

threshold   what is derived of an operation: demands, intensity, limit, ridge point, threshold, times, proof
steps       a proof line by line, with the reason for each line
comparison  one operation on many chips
bound       what no schedule can beat with a memory, and the tile that comes near
objects     what a notebook shows of objects of Python
"""
