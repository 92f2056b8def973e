"""Atlas: one theorem, many chips.

rows      the thresholds of many operations on many chips, each solved and proved once, with a symbolic ridge point
on_chips  one threshold on many chips, for tables and slides: their ridge points and sizes put in
tables    the atlas as plain rows: worked out here or by processes side by side, each part within a limit of time
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
