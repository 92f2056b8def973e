"""Notation: every way to write an operation, and the grammars that read them.

parse            one entry for whatever names an operation
typed_einsum     operations in typed einsum notation: `bf16[B,D], int8[D,F] -> bf16[B,F]`
contraction      a product of several tensors, two at a time in the order written
expression_form  an operation written as its expressions: `flops bf16 = B D F; bytes ici = 2 B F`
expression       arithmetic expressions from outside, built into SymPy node by node
sizes            sizes of dimensions: `D=4096,F=4096`
arithmetic       arithmetic on SymPy expressions, node by node: exact, and bounded so that hostile input stays cheap
logarithm        the binary logarithm as a term of its own, exact at powers of two
layout           tensors laid out over a mesh, and the notation for their products
"""
