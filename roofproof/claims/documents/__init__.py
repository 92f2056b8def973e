"""Documents: the formulas of a chapter in Markdown or TeX, read as claims or refused with the reason.

places    where formulas stand in a document: the text of each, its line, and what follows it
names     names of the claim language for the words and letters of a document
prose     a formula written in the notation of claims; what may be read two ways on paper is refused
by_cases  a value that is told case by case
reading   what a formula states: claims, definitions, regimes
sentences the sentence around a formula: a condition in its words is one of what it states
draft     a chapter as a book of draft claims, with the places, and what could not be read
"""
