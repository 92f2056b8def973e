"""The energies in the chip files follow from the specs that they cite."""

from fractions import Fraction

import sympy

from roofproof.derive.roofline.energy import balance, energy
from roofproof.hardware import chip, chip_names
from roofproof.ops import parse_operation
from roofproof.symbols import dimension


def test_the_energy_of_a_byte_is_that_of_the_memory_and_of_a_flop_at_most_that_of_the_board() -> None:
    """A byte costs eight times the published energy per bit. A FLOP costs the board power over the peak, rounded up."""
    bits = {"HBM2E": Fraction(6), "HBM2": Fraction("3.92"), "GDDR6": Fraction("7.5"), "GDDR6X": Fraction("7.25")}
    told = [one for name in chip_names() if (one := chip(name)).trait("energy-hbm")]
    assert len(told) >= 15
    for one in told:
        byte = one.trait("energy-hbm")
        assert byte is not None and byte.value == 8 * bits[byte.convention.partition(":")[0]] / 10**12, one.name
        power = one.trait("tdp")
        for rate in one.compute:
            each = one.trait(f"energy-{rate.resource}")
            if each is not None:
                assert power is not None and each.status == "derived"
                assert 1 <= each.value * rate.value / power.value < Fraction("1.001"), (one.name, rate.resource)
                assert balance(one, rate.resource) == sympy.Rational(byte.value / each.value)
                work = parse_operation(f"flops {rate.resource} = 3 N; bytes memory = 5 N")
                joules = 3 * each.value + 5 * byte.value
                assert energy(work, one) == sympy.Rational(joules) * dimension("N")
