"""Random claims about units and printed digits."""

from fractions import Fraction
from random import Random

from forms.draft import Draft, num, one_of, other, text

EIGHTH = Fraction(1, 8)
SIZES = {
    "byte": 1,
    "bytes": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "bit": EIGHTH,
    "kbit": 10**3 * EIGHTH,
    "Gbit": 10**9 * EIGHTH,
    "Gb": 10**9 * EIGHTH,
}
TIMES = {
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
    "minutes": 60,
    "hours": 3600,
    "days": 86400,
}
COUNTS = {"FLOP": 1, "MFLOP": 10**6, "GFLOP": 10**9, "TFLOP": 10**12, "PFLOP": 10**15}


def units(r: Random, broken: bool) -> Draft:
    a, b = num(r, 64), num(r, 64)
    (u, x), (v, y) = r.sample(list(SIZES.items()), 2)
    (s, p), (t, q) = r.sample(list(TIMES.items()), 2)
    c, m = r.choice(list(COUNTS)), r.choice(["kB", "MB", "GB", "TB"])
    if r.random() < 0.12:  # mismatched dimensions
        misfits = [
            f"{a} GB == {b} ms",
            f"{a} GB + {b} ms > 1",
            f"{a} FLOP/s < {b} GB/s",
            f"{a} GB/s * {b} ms == {a} FLOP",
        ]
        return Draft(r.choice(misfits), "unusable")

    def equal(said: str, is_: Fraction, unit: str) -> tuple[str, str]:
        return f"{said} == {text(is_)} * 1 {unit}", f"{said} == {text(other(r, is_))} * 1 {unit}"

    less = x * a < y * b or (x * a == y * b and None)
    sign, turned = ("==", "!=") if less is None else ("<", ">") if less else (">", "<")
    return one_of(
        r,
        broken,
        equal(f"{a} {u}", Fraction(a) * x / y, v),
        equal(f"{a} {s}", Fraction(a) * p / q, t),
        equal(f"{a} GiB / ({b} GB/s)", Fraction(a) * 2**30 / (b * 10**9) * 1000, "ms"),
        equal(f"{a} {c}/{m}", Fraction(COUNTS[c] * a) / SIZES[m], "FLOP/B"),
        equal(f"1/{a + 1} GB", Fraction(10**9, a + 1), "byte"),
        (f"{a} {u} {sign} {b} {v}", f"{a} {u} {turned} {b} {v}"),
        (f"{8 * a} n byte == {64 * a} n bit", f"{8 * a} n byte == {8 * a} n bit"),
        (f"{a} J / ({b} s2) == {a} J / ({b} s2)", f"{a} W == {a * 2} W"),
    )


def exponent(v: Fraction) -> int:
    """Return the exponent of the first digit: 10^exponent <= v < 10^(exponent + 1)."""
    place = 0
    while Fraction(10) ** (place + 1) <= v:
        place += 1
    while Fraction(10) ** place > v:
        place -= 1
    return place


def digits_of(digits: int, unit: Fraction) -> str:
    """Return `digits * unit` as a decimal. The unit is a power of ten."""
    if unit >= 1:
        return str(digits * int(unit))
    places = len(str(unit.denominator)) - 1
    whole, rest = divmod(digits, 10**places)
    return f"{whole}.{rest:0{places}d}"


def _written(r: Random, v: Fraction, broken: bool, cut: bool) -> tuple[str, bool] | None:
    """Return (two to five digits of a value, whether they are right), or None if a trailing zero leaves that open."""
    unit = Fraction(10) ** (exponent(v) - r.randint(2, 5) + 1)
    digits = (v / unit + (0 if cut else Fraction(1, 2))).__floor__() + (r.choice([2, 3, 7, -2, -3]) if broken else 0)
    if digits % 10 == 0 or digits < 10 or digits * unit == v or (cut and unit > 1):
        return None
    return digits_of(digits, unit), not broken


def printed(r: Random, broken: bool) -> Draft:
    """Return a claim that prints a value to two to five digits: rounded, cut off, or wrong."""
    v = Fraction(r.randint(100, 99999), r.randint(7, 997))
    found = _written(r, v, broken, r.random() < 0.4)
    says = f"{v.numerator} / {v.denominator} ~= {found[0]}" if found else f"22 / 7 ~= 3.1{2 if broken else 4}"
    return Draft(says, "false" if broken else "rounded")


def one_digit(r: Random, broken: bool) -> Draft:
    """Return a claim with one digit. It agrees if it is nearest and within 10 %. Trailing zeros do not count."""
    d, scale = r.randint(1, 9), Fraction(10) ** r.choice([-2, -1, 2, 3, 11])
    off = Fraction(r.randint(12, 45), 100) if broken else Fraction(r.randint(1, 9), 100)
    v = d * scale * (1 + r.choice([-1, 1]) * off)
    half = scale / 20 if d == 1 and v < scale else scale / 2  # to one digit 0.94 is 0.9, not 1
    near = abs(v - d * scale) < half or d * scale - v == half  # 95 rounds up
    fits = near and abs(v - d * scale) * 10 <= v
    said = r.choice([f"{d}e11", f"{d * 100}e9", str(d * 10**11)]) if scale == 10**11 else digits_of(d, scale)
    return Draft(f"{v.numerator} / {v.denominator} ~= {said}", "rounded" if fits else "false")


def equals(r: Random, broken: bool) -> Draft:
    """Return a claim with `==`: exact, or a decimal right in all digits (at least two). An integer must be exact."""
    v = Fraction(r.randint(100, 99999), r.randint(7, 997))
    whole = (v + Fraction(1, 2)).__floor__()
    if v.denominator > 1 and r.random() < 0.4:
        return Draft(f"{v.numerator} / {v.denominator} == {whole}", "false")
    if r.random() < 0.3:
        return Draft(f"{num(r, 9)} / 10 + 1 / {r.randint(50, 99)} == 0.{num(r, 9)}", "false")
    unit = Fraction(1, 10 ** r.randint(1, 4))
    digits = (v / unit + Fraction(1, 2)).__floor__() + (r.choice([3, -3, 5]) if broken else 0)
    if digits < 10 or digits * unit == v:
        return Draft("1/3 == 0.33", "rounded")
    return Draft(f"{v.numerator} / {v.denominator} == {digits_of(digits, unit)}", "false" if broken else "rounded")


def quantities(r: Random, broken: bool) -> Draft:
    """Return a claim with printed digits and a unit, values from `let`, or shares in percent."""
    size, rate = r.randint(2, 900), r.randint(11, 999)
    share = r.random() < 0.3
    v = Fraction(size, size + rate) * 100 if share else Fraction(size, rate) * 1000
    found = _written(r, v, broken, False)
    if found is None:
        return Draft("14 GB / (50 GB/s) == 280 ms", "true")
    meant = "false" if broken else "rounded"
    if share:
        return Draft(f"{size} / ({size} + {rate}) ~= {found[0]} %", meant)
    if r.random() < 0.5:
        return Draft(f"T ~= {found[0]} ms", meant, let={"size": f"{size} GB", "T": f"size / ({rate} GB/s)"})
    return Draft(f"{size} GB / ({rate} GB/s) ~= {found[0]} ms", meant)
