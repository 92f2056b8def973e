"""From code to an operation: a JAX function traced with symbolic sizes.

shapes        the shapes of arguments, and conditions on sizes, as text
program       what a trace comes to: buffers, arrays, equations, loops
ordering      which of two sizes is smaller
updates       which buffers are updated in place; what nobody needs is dropped
addresses     arithmetic that only says where elements lie
traffic       the three models of what a program moves
operation     the operation, and its rows by lines of the code
registry      rules that a user adds
load          a function of a file
jaxpr         the front end for JAX
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
