"""From code to an operation: a JAX function or a PyTorch module traced with symbolic sizes.

shapes        the shapes of arguments, and conditions on sizes, as text
dtypes        formats by the names that the frameworks have for them
program       what a trace comes to: buffers, arrays, equations, loops
ordering      which of two sizes is smaller
updates       which buffers are updated in place
dead          what nobody needs: steps, turns of loops, parts of what is laid side by side
parts         which places of operands a step takes for some of its result
floor         what is certainly read and computed, whatever values are
addresses     arithmetic that only says where elements lie
traffic       the three models of what a program moves
operation     the operation, and its rows by lines of the code
layers        any number of layers that Python unrolls, from one, two and more of them
registry      rules that a user adds
load          a function of a file
hugging_face  the module that Hugging Face has for a configuration
elsewhere     the same, and reference problems of benchmarks, in a process of its own, where it can reach nothing
serialize   an operation as data, from one process to the other
arguments     dictionaries, named tuples and lists of arrays from their dotted names
sizes         what is known of sizes under conditions
names         one name for what the two frameworks call differently
work          what a step comes to, and the engine of elementwise arithmetic
rules         what each operation computes and moves, in either framework
choices       the same of those whose operands are chosen by values
convolutions  how often a weight meets an element of the input
problems      whatever goes wrong, in one line with the place in the user's code
result        what a trace comes to
jaxpr         the front end for JAX
aten          the front end for PyTorch
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
