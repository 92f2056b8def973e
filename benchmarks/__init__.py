"""Benchmarks: a corpus of problems, exact checks of answers, comparisons with other programs, and measured costs."""
