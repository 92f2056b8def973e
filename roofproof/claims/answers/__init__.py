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
sameness    whether an answer is the right one: a theorem, exact numbers, or a point at which it is not
unsolved    an inequality that is not solved for the unknown, as the bound that it comes to
grading     the grade of an answer: what was read, held to the key, with what is known of the two
edits       slips made in the derivation, each where it changes what the question rests on; two made together
plausible   which of them may give an answer, at sizes picked for it, before any is derived again
grade       an answer, graded, with the slip that explains it
feedback    what can be said beside a grade: factors, missing terms, both sides at a point
proved      what the key of a question rests on
worked      the derivation of a question, as a teacher writes it: a few lines, each known, the last of them the key
"""
