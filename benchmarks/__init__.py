"""Benchmarks of the solver: a corpus of problems, exact checks of answers, and other programs to compare with."""
