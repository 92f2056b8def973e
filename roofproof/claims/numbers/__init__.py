"""Numbers in claims: as they are printed, and as they are.

printed             numbers as they stand in a claim, and whether an exact value agrees with them
significant_digits  numbers as printed: does an exact value agree with the digits somebody wrote?
claimed_side        which side of an equation is what somebody states, and which is to be worked out
exact_text          exact values as text that a person reads, with a decimal beside a fraction
"""
