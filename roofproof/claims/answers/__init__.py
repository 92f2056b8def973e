"""Student answers: parsing and grading.

question          a question to a student, and its key, the right answer
plain_text        normalization of a typed answer: LaTeX, full-width signs, superscripts, groups of digits
numerals          numbers spelled out in Chinese or English, converted to digits
intervals         an interval as a bound
clauses           the clauses of an answer: statement, condition, otherwise (also from cases and tables)
tokens            the words, numbers and signs of an answer, with their meanings
parsed            a parsed answer: a relation and values, with the digits as written
reading           the parser of answers, which rejects unknown words
assumed           conditions in an answer that hold for all sizes of the operation
unsolved          an inequality that is not solved for the unknown, converted to a bound
evaluated_answer  an evaluated answer: a relation and a value in the units of the question
readings          the ways in which an answer can agree with the key, strongest first
grade             the grade of an answer, with the mistake that explains it
feedback          hints for a wrong answer: factors, missing terms, both sides at a point
proved            the proofs behind the key of a question
worked            a derivation of the key in a few lines, as a teacher writes it
"""
