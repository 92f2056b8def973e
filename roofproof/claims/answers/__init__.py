"""Answers: what a student says, graded.

question    a question to a student, and its key: what is asked of an operation, worked out by the engine
plain_text  an answer as people type it, made plain: LaTeX, full-width signs, superscripts, groups of digits
numerals    numbers in Chinese characters, written in digits
intervals   an interval as the bound that it states
clauses     the clauses of an answer: what it says, when, and what otherwise; cases and tables
tokens      the words, numbers and signs of an answer, and what each means
parsed      what an answer says once it is read: a relation and values, with the digits written
reading     reading an answer: which relation it states, and to what; a word unknown is refused
assumed     what an answer says of the sizes that the operation has anyway
unsolved    an inequality that is not solved for the unknown, as the bound that it comes to
said        what an answer comes to in the units of what is asked
readings    how it may be the key: the first of a list that is known is what the answer is worth
grade       an answer, graded, with the slip that explains it
feedback    what can be said beside a grade: factors, missing terms, both sides at a point
proved      what the key of a question rests on
worked      the derivation of a question, as a teacher writes it: a few lines, each known, the last of them the key
"""
