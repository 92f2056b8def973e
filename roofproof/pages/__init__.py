"""Claims in the sentences of a document: Markdown, MyST, reStructuredText and LaTeX.

written   a parser for the claims in a page and for the settings in its front matter
judging   the verdict on each claim of a page, and a check of the numbers in its sentence
latex     the LaTeX package and the file of values that it reads
"""
