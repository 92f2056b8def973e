"""Real numbers as intervals between fractions: exact if rational, otherwise as narrow as requested."""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt


class Undefined(Exception):
    """A division by zero, a root or logarithm outside its domain, or an optimum or solution that does not exist."""


class Unknown(Exception):
    """A case that this evaluator does not support."""


class Imprecise(Exception):
    """More digits are needed to decide."""


@dataclass(frozen=True, slots=True)
class Real:
    """A number between two fractions, which are equal if it is rational."""

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        return self.low == self.high


def real(value: int | Fraction) -> Real:
    return Real(Fraction(value), Fraction(value))


class Arithmetic:
    """Arithmetic to a number of binary digits. With `last`, two values that cannot be distinguished are equal."""

    def __init__(self, bits: int, last: bool = False) -> None:
        self.bits, self.last = bits, last

    def _outward(self, low: Fraction, high: Fraction) -> Real:
        """Widen an interval to endpoints with few digits. An exact value stays exact."""
        return Real(low, high) if low == high else Real(self._short(low, False), self._short(high, True))

    def _short(self, value: Fraction, up: bool) -> Fraction:
        if value == 0 or value.denominator.bit_length() + value.numerator.bit_length() < 2 * self.bits:
            return value
        shift = self.bits + value.denominator.bit_length() - value.numerator.bit_length()
        scaled = value * Fraction(2) ** shift
        return Fraction(-(-scaled).__floor__() if up else scaled.__floor__()) / Fraction(2) ** shift

    def sign(self, a: Real) -> int:
        if a.low > 0:
            return 1
        if a.high < 0:
            return -1
        if a.exact or self.last:
            return 0
        raise Imprecise

    def add(self, a: Real, b: Real) -> Real:
        return self._outward(a.low + b.low, a.high + b.high)

    def negative(self, a: Real) -> Real:
        return Real(-a.high, -a.low)

    def minus(self, a: Real, b: Real) -> Real:
        return self.add(a, self.negative(b))

    def times(self, a: Real, b: Real) -> Real:
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return self._outward(min(ends), max(ends))

    def over(self, a: Real, b: Real) -> Real:
        if self.sign(b) == 0:
            raise Undefined("a division by zero")
        return self.times(a, Real(1 / b.high, 1 / b.low))

    def near(self, a: Real, b: Real, width: Fraction) -> bool:
        """Return whether two numbers are at most `width` apart."""
        if a.high - a.low + b.high - b.low > width / 4 and not self.last:
            raise Imprecise
        return abs(a.low - b.low) <= width

    def compare(self, a: Real, b: Real) -> int:
        return self.sign(Real(a.low - b.high, a.high - b.low))

    def whole_power(self, a: Real, n: int) -> Real:
        if n < 0:
            return self.over(real(1), self.whole_power(a, -n))
        if abs(n) > 4000:
            raise Unknown("a large power")
        if a.exact:
            return real(a.low**n)
        out = real(1)
        for _ in range(n):
            out = self.times(out, a)
        return out

    def root(self, a: Real, n: int = 2) -> Real:
        """Return the n-th root of a nonnegative number."""
        sign = self.sign(a)
        if sign < 0:
            raise Undefined("a root of a negative number")
        if sign == 0:
            return real(0)
        return self._outward(self._root(a.low, n, False), self._root(a.high, n, True))

    def _root(self, a: Fraction, n: int, up: bool) -> Fraction:
        above, below = _whole_root(a.numerator, n), _whole_root(a.denominator, n)
        if above**n == a.numerator and below**n == a.denominator:
            return Fraction(above, below)
        shift = max(0, self.bits + (a.denominator.bit_length() - a.numerator.bit_length()) // n)
        return Fraction(_whole_root(((a.numerator << (n * shift)) // a.denominator), n) + up, 2**shift)

    def power(self, a: Real, e: Real) -> Real:
        """Return a^e. The base must not be negative unless the exponent is an integer."""
        if e.exact and e.low.denominator == 1:
            if e.low < 0 and self.sign(a) == 0:
                raise Undefined("zero to a negative power")
            return self.whole_power(a, int(e.low))
        if self.sign(a) < 0 or (self.sign(a) == 0 and self.sign(e) <= 0):
            raise Undefined("a power of what is not positive")
        if self.sign(a) == 0:
            return real(0)
        if e.exact and e.low.denominator <= 64:
            return self.whole_power(self.root(a, e.low.denominator), e.low.numerator)
        return self.two_to(self.times(e, self.log2(a)))

    def log2(self, a: Real) -> Real:
        if self.sign(a) <= 0:
            raise Undefined("a logarithm of what is not positive")
        low = self._log2(a.low)
        return low if a.exact else self._outward(low.low, self._log2(a.high).high)

    def _log2(self, a: Fraction) -> Real:
        whole = a.numerator.bit_length() - a.denominator.bit_length()
        while Fraction(2) ** whole > a:
            whole -= 1
        while Fraction(2) ** (whole + 1) <= a:
            whole += 1
        rest = a / Fraction(2) ** whole  # from 1 to 2
        if rest == 1:
            return real(whole)
        wide = 2 * self.bits + 20
        low = (rest.numerator << wide) // rest.denominator
        high, digits = low + 1, 0
        for k in range(1, self.bits):  # each squaring gives one binary digit of the logarithm
            low, high = (low * low) >> wide, ((high * high) >> wide) + 1
            if low >= 2 << wide:
                digits, low, high = digits * 2 + 1, low >> 1, (high >> 1) + 1
            elif high < 2 << wide:
                digits *= 2
            else:
                return Real(whole + Fraction(digits, 2 ** (k - 1)), whole + Fraction(digits + 1, 2 ** (k - 1)))
        return Real(whole + Fraction(digits, 2 ** (self.bits - 1)), whole + Fraction(digits + 1, 2 ** (self.bits - 1)))

    def two_to(self, e: Real) -> Real:
        return self._outward(self._two_to(e.low).low, self._two_to(e.high).high)

    def _two_to(self, e: Fraction) -> Real:
        whole = e.__floor__()
        if abs(whole) > 100_000:
            raise Unknown("a large power")
        rest, out, base = e - whole, real(1), real(2)
        for _ in range(self.bits):
            if rest == 0:
                break
            base, rest = self.root(base), rest * 2
            if rest >= 1:
                out, rest = self.times(out, base), rest - 1
        if rest:  # the remaining factor is less than the last root
            out = Real(out.low, self.times(out, base).high)
        return self.times(out, real(Fraction(2) ** whole))

    def floor(self, a: Real) -> Real:
        if a.low.__floor__() == a.high.__floor__():
            return real(a.low.__floor__())
        if self.last:  # a whole number, to the available precision
            return real(a.high.__floor__())
        raise Imprecise

    def ceil(self, a: Real) -> Real:
        return self.negative(self.floor(self.negative(a)))

    def absolute(self, a: Real) -> Real:
        if a.low >= 0:
            return a
        return self.negative(a) if a.high <= 0 else Real(Fraction(0), max(-a.low, a.high))

    def least(self, values: list[Real]) -> Real:
        return Real(min(v.low for v in values), min(v.high for v in values))

    def greatest(self, values: list[Real]) -> Real:
        return Real(max(v.low for v in values), max(v.high for v in values))


def _whole_root(a: int, n: int) -> int:
    """Return the n-th root of a natural number, rounded down."""
    if n == 2:
        return isqrt(a)
    if a < 2:
        return a
    x = 1 << -(-a.bit_length() // n)
    while True:
        y = ((n - 1) * x + a // x ** (n - 1)) // n
        if y >= x:
            return x
        x = y
