"""From a PyTorch module or function to a program.

entry       the module is called once with tensors that have no values; what comes out is named
modules     the module made, where it is a class; its parameters named
sizes       sizes of PyTorch and of SymPy, made into each other; what was decided about them
record      the operators that are called, as steps; storages as buffers
rules       what each operator computes and moves
products    convolutions
attention   scaled_dot_product_attention, kept as one step, and its gradient
"""
