"""Notation: every way to write an operation, read by the reader of formulas.

parse           one entry for whatever names an operation
typed_einsum    operations in typed einsum notation: `bf16[B,D], int8[D,F] -> bf16[B,F]`
contraction     a product of several tensors, two at a time in the order written
layout          tensors laid out over a mesh, and the notation for their products
demands         an operation written as its demands: `flops bf16 = B D F; bytes ici = 2 B F`
operation_file  an operation as a TOML file
where           conditions on the sizes of an operation
passes          a pass of a published model: `config.json:decode`
sizes           sizes of dimensions: `D=4096,F=8k`
at_sizes        formulas at sizes
logarithm       the binary logarithm as a term of its own, exact at powers of two
"""
