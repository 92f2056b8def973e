from roofproof.trace.aten.entry import trace_module
from roofproof.trace.jaxpr.entry import trace
from roofproof.trace.operation import Row as Row, Traced as Traced
from roofproof.trace.registry import rule as rule

jax = trace
torch = trace_module
