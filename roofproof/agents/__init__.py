"""The engine for agents: tools over standard input and output, by the Model Context Protocol.

tools    what a model may ask, each an answer in words and as data
asked    the process in which it is worked out, which reads no file, and the limit of time that ends it
server   the server: one tool of the protocol for each
"""
