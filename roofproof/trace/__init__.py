"""Tracing of JAX functions and PyTorch modules with symbolic sizes, from code to an operation.

shapes        argument shapes and conditions on sizes, parsed from text
dtypes        number formats by their names in the frameworks
program       the traced program: buffers, arrays, equations, loops
ordering      the smaller of two sizes
updates       buffers that are updated in place
dead          removal of unused steps, loop iterations and parts of results
parts         the parts of its operands that a step needs for a part of its result
floor         the reads and computation that a program needs whatever its values are
addresses     index arithmetic, which does not count as work
traffic       the four traffic models
operation     the operation of a traced program, with one row per line of code
layers        any number of unrolled layers, from traces with a few of them
registry      rules that users add
load          loading of a function from a file
hugging_face  the Hugging Face module for a model configuration
sandbox       tracing of files and of reference problems in a confined child process
serialize     conversion of an operation to data and back, to pass it between processes
arguments     dictionaries, named tuples and lists of arrays from their dotted names
sizes         known facts about sizes under conditions
names         common names for primitives that the two frameworks name differently
work          the work of a step, and the unit of elementwise arithmetic
rules         the work of each primitive, in either framework
choices       the rules for selections, gathers and scatters
convolutions  the number of pairs of a weight and an input element
problems      one-line errors with the location in the user's code
result        the result of a trace
jaxpr         the front end for JAX
aten          the front end for PyTorch
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
