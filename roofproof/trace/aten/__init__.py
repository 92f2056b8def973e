"""From a PyTorch module or function to a program.

entry       tracing: the module is called once with tensors without values, and its outputs are named
modules     construction of a module from its class, and the names of its parameters
sizes       conversion between PyTorch and SymPy sizes, and decisions about them
record      called operators as steps, storages as buffers
attention   scaled_dot_product_attention and its gradient, each kept as one step
recurrent   recurrent layers, each direction kept as one step
reference   reference problems of kernel benchmarks
"""
