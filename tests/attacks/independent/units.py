"""A table of units, typed again from the definitions. Nothing here comes from the package."""

from fractions import Fraction

Dimension = tuple[Fraction, ...]
BASES = ("FLOP", "byte", "s", "element", "token", "cycle", "J")


def _base(name: str) -> Dimension:
    return tuple(Fraction(int(b == name)) for b in BASES)


PLAIN: Dimension = tuple(Fraction(0) for _ in BASES)
SI = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
SMALL = {"m": Fraction(1, 10**3), "u": Fraction(1, 10**6), "µ": Fraction(1, 10**6), "μ": Fraction(1, 10**6),
         "n": Fraction(1, 10**9), "p": Fraction(1, 10**12)}  # fmt: skip
BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}


def product(a: Dimension, b: Dimension, power: Fraction | int = 1) -> Dimension:
    return tuple(x + power * y for x, y in zip(a, b, strict=True))


def _table() -> dict[str, tuple[Fraction, Dimension]]:
    rate = product(_base("FLOP"), _base("s"), -1)
    watt = product(_base("J"), _base("s"), -1)
    hertz = product(PLAIN, _base("s"), -1)
    found: dict[str, tuple[Fraction, Dimension]] = {"%": (Fraction(1, 100), PLAIN)}
    for prefix, factor in SI.items():
        for word in ("FLOP", "FLOPs", "OP", "OPs"):
            found[prefix + word] = (Fraction(factor), _base("FLOP"))
        for word in ("FLOPS", "OPS"):
            found[prefix + word] = (Fraction(factor), rate)
    for prefix, factor in (SI | BINARY).items():
        for word in ("B", "byte", "bytes"):
            found[prefix + word] = (Fraction(factor), _base("byte"))
        for word in ("b", "bit", "bits"):
            if prefix or word != "b":
                found[prefix + word] = (Fraction(factor, 8), _base("byte"))
    for prefix, factor in (SI | SMALL).items():
        found[prefix + "s"] = (Fraction(factor), _base("s"))
        found[prefix + "J"] = (Fraction(factor), _base("J"))
        found[prefix + "W"] = (Fraction(factor), watt)
        found[prefix + "Hz"] = (Fraction(factor), hertz)
    seconds = {"second": 1, "seconds": 1, "minute": 60, "minutes": 60, "min": 60, "hour": 3600, "hours": 3600,
               "day": 86400, "days": 86400}  # fmt: skip
    found |= {word: (Fraction(n), _base("s")) for word, n in seconds.items()}
    for word in ("element", "token", "cycle"):
        found[word] = found[word + "s"] = (Fraction(1), _base(word))
    return found


UNITS = _table()
LETTERS = {"B", "s", "b", "J", "W", "h"}  # names by themselves, units within a quotient such as B/s or FLOP/B


def unit(word: str) -> tuple[Fraction, Dimension] | None:
    """Return (factor, dimension) of a unit or a quotient of two, or None. A single letter is a name."""
    above, slash, below = word.partition("/")
    if not slash:
        return None if word in LETTERS else UNITS.get(word)
    if above not in UNITS or below not in UNITS:
        return None
    (p, top), (q, bottom) = UNITS[above], UNITS[below]
    return p / q, product(top, bottom, -1)
