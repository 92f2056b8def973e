"""Replay: what was proved, checked again by other programs.

smtlib       what was proved, as SMT-LIB 2 files that any solver can replay
certificate  a theorem and all that it rests on, as JSON
recheck      a certificate through the kernel once more, without a search
places       the folder of a store
store        what was proved, each entry sealed
checker      one file that stands alone: proves again what is in a certificate
vocabulary   names for FLOPs, bytes, peak and bandwidth
coq          theorems that Coq checks, by a checker that is proved right in Coq
"""
