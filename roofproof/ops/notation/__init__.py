"""Notations for operations, all parsed by the formula reader.

parse           the entry point for any text that names an operation
typed_einsum    operations in typed einsum notation: `bf16[B,D], int8[D,F] -> bf16[B,F]`
contraction     products of several tensors, two at a time in the order written
layout          tensors laid out over a mesh, and the notation for their products
demands         operations written as their demands: `flops bf16 = B D F; bytes ici = 2 B F`
operation_file  operations in TOML files
where           conditions on the sizes of an operation
passes          passes of a published model: `config.json:decode`
sizes           sizes of dimensions: `D=4096,F=8k`
at_sizes        substitution of sizes in formulas
"""
