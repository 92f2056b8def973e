"""From a JAX function to a program.

entry         tracing of the function, with its arguments made and its outputs named
sizes         conversion between JAX and SymPy sizes
walk          conversion of a jaxpr to steps: views resolved, calls inlined
indices       recognition of slices that JAX writes as gathers
contractions  the order of einsums of three or more operands
loops         scans, loops that count, branches
collectives   shard_map and communication between chips
pallas        kernels: traffic of blocks, on-chip memory
references    the body of a kernel
handlers      the handler of each primitive that is not a plain step
"""
