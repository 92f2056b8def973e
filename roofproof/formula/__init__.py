"""Formulas: text and LaTeX to one tree and back, units, dimensions and conditions. Independent of operations.

tree          nine kinds of nodes, with the heads of the proof checker
tokens        text to tokens, with the checks before parsing
reader        tokens to one tree, by one table of operators
latex         LaTeX to the same tokens, with offsets into the LaTeX
tex           LaTeX split into signs, groups and macros, whatever it means
conditions    assumptions about names: one language of conditions
plain         plain arithmetic of sizes, for operations
tensors       tensors: number format, indices, axes of a mesh
to_sympy      trees to SymPy, exact and bounded
printing      a tree to text that reads back as the same tree, by the same table
functions     the functions of the language: their arguments, kind and dimension
logarithm     the binary logarithm and its inverse as terms of their own
magnitudes    prefixes and words for powers of ten, and exact numbers with them as text
dimensions    dimensions of values, and contradictions between units
units         units that may follow a number, in one table
"""
