"""Numbers in claims: as they are printed, and as they are.

printed             what of a claim, a chapter or an answer is a number as it is printed: mantissa, powers of ten, unit
significant_digits  does an exact value agree with the digits somebody printed?
claimed_side        which side of an equation is what somebody states, and which is to be worked out
exact_text          exact values as text that a person reads, with a decimal beside a fraction
"""
