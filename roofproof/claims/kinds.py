"""The kinds of verdict, from what holds as it stands to what does not."""

VERIFIED = "verified"
ROUNDED = "rounded"
APPROXIMATE = "approximate"
CONDITIONAL = "conditional"
UNDECIDED = "undecided"
REFUTED = "refuted"
NOT_CHECKABLE = "not-checkable"
UNUSABLE = "unusable"  # a claim that cannot be judged: no verdict at all
STOPPED = "stopped"  # by a limit of time: none either

KINDS = (VERIFIED, ROUNDED, APPROXIMATE, CONDITIONAL, UNDECIDED, REFUTED, NOT_CHECKABLE)
"""A conjunction gets the last of its parts' kinds."""

HOLDING = (VERIFIED, ROUNDED, APPROXIMATE)
SILENT = (UNDECIDED, NOT_CHECKABLE, UNUSABLE, STOPPED)  # they say nothing about the claim, and so rest on nothing
