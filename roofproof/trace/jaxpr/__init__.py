"""From a JAX function to a program.

entry         the function is traced: its arguments made, what comes out named, problems told in one line
sizes         sizes of JAX and of SymPy, made into each other
walk          a jaxpr opened: views resolved, calls done in place
rules         what each primitive computes and moves
contractions  the order of einsums of three operands and more
convolutions  their sizes, padding and spreading
loops         scans, loops that count, branches
collectives   shard_map and what passes between chips
pallas        kernels: blocks that move again, what lies on chip
references    the body of a kernel
handlers      which of these deals with which primitive
"""
