"""Coq: what was proved, as theorems about real numbers that Coq checks.

library/    definitions (Meaning.v, the one page to read), and a checker of certificates that is proved right in Coq
words       terms and formulas as Coq writes them, in names of its own
data        terms, formulas and certificates as data of the library
theorems    what is known as theorems, each with its proof
files       the files of an answer: theorems, the library, a Makefile
"""
