"""Formulas: text and LaTeX to one tree and back; units, dimensions and conditions. Nothing here knows of operations.

tree          nine kinds of nodes, with the heads of the proof kernel
tokens        text to tokens; what is refused before anything is parsed
reader        tokens to one tree, by one table of operators
latex         LaTeX to the same tokens, with offsets into the LaTeX
tex           LaTeX taken apart, whatever it says, into signs, groups and macros
conditions    what names stand for and satisfy: one language of conditions
plain         plain arithmetic of sizes, as operations have it
tensors       tensors: number format, indices, axes of a mesh
to_sympy      trees to SymPy, exact and bounded
printing      a tree as text that reads back as the same tree, by the same table
functions     the functions of the language: what they take, what they are, what dimension they have
magnitudes    prefixes and words for powers of ten, and exact numbers as text with them
dimensions    dimensions of values: contradictions between units
units         units that may follow a number: one table
"""
