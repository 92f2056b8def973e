"""The engine for editors, by the Language Server Protocol: claim files, and claims in the sentences of pages.

answers  what an editor is told: what is wrong at which line, the value under the cursor, what may stand there
server   the server over standard input and output
"""
