"""Numbers in claims: as they are printed, and as they are.

significant_digits  numbers as printed in a claim: does an exact value agree with the digits somebody wrote?
claimed_side        which side of an equation is what somebody states, and which is to be worked out
exact_text          exact values as text that a person reads, with a decimal beside a fraction
"""
