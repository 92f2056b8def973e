"""Claims in the sentences of a document: Markdown, MyST, reStructuredText and LaTeX.

written   where claims stand in a page, what they say, and what its head says for all of them
judging   each held to the engine, and the numbers of its sentence to the claim
latex     the package for LaTeX and the file of values that it reads
"""
