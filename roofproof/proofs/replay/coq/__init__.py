"""Coq: proved statements as theorems about real numbers that Coq checks.

library/    definitions (Meaning.v, the one page to read), and a certificate checker that is proved correct in Coq
words       terms and formulas in Coq's notation, with valid Coq names
data        terms, formulas and certificates as data of the library
decided     numeric comparisons that the library can decide
theorems    proved statements as theorems, each with its proof
points      lower bounds on traffic as theorems about point sets and runs
files       the files of an answer: theorems, the library, a Makefile
"""
