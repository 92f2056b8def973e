"""Text: answers for the terminal and for files.

formatting   exact numbers for the eye: a few digits, marked as rounded where they are
atlas        the atlas as text: one symbolic threshold, and under it every chip with its ridge points and its number
audits       the outcome of an audit as text
verdicts     verdicts as text: a line a claim, a summary, and a report that one can read
answer       the verdict on a student's answer, in words a student understands
catalog      the operations and the language models of the library as lists one can browse
"""
