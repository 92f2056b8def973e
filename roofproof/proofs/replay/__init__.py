"""Replay: what was proved, checked again by other programs.

smtlib  what was proved, as SMT-LIB 2 files that any solver can replay
"""
