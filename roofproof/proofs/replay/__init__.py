"""Replay: proved statements in forms that other programs can check again.

smtlib       proved statements as SMT-LIB 2 files for any SMT solver
certificate  a theorem and its whole proof, as JSON
recheck      replays a certificate through the proof checker, without a search
store_folder the folder of a proof store
store        a cache of proved answers with authenticated entries
checker      an independent, single-file checker of certificates
vocabulary   names for FLOPs, bytes, peak and bandwidth
coq          theorems for Coq, checked by a certificate checker that is proved correct in Coq
"""
