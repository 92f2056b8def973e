"""The MCP server for AI agents: tools of the Model Context Protocol over standard input and output.

tools              the tools. Each returns an answer as text and as data
answering_process  the child process that answers questions, without access to files and with a time limit
server             the server, with one MCP tool for each function in `tools`
"""
