"""Words: what stands between formulas, in every language, from one table.

catalogue  the words of one language: terms of the field, and the sentences of slides, documents and figures
"""
