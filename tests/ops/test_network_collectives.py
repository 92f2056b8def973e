"""Laws of the collectives over every topology, their limits, and errors."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer, Rational, floor, simplify

from roofproof.derive.roofline.communication import alpha_beta
from roofproof.errors import RoofproofError
from roofproof.ops import parse_operation, repeat, then
from roofproof.ops.network import (
    BidirectionalRing,
    FullMesh,
    Hierarchical,
    Line,
    Ring,
    Switch,
    Torus,
    all_gather,
    all_reduce,
    all_to_all,
    point_to_point,
    reduce_scatter,
)
from roofproof.symbols import dimension, quantity

n, V, W, t = dimension("n"), quantity("V"), quantity("W"), quantity("t")
FLAT = [Ring(), BidirectionalRing(), Line(), FullMesh(), Switch(), Switch(algorithm="ring"), Ring(lanes=3)]
KINDS = [all_gather, reduce_scatter, all_reduce, all_to_all]
topologies = st.sampled_from(FLAT)
kinds = st.sampled_from(KINDS)
counts = st.integers(1, 64)
amounts = st.fractions(0, 10**6).map(lambda x: Rational(x.numerator, x.denominator))
times = st.sampled_from(["bandwidth", "latency", "lower", "upper"])


def at(expr, rate=7, hop=3):
    """Return a time with numbers for the symbols of links."""
    return expr.subs({s: rate if s.name.startswith("W") else hop for s in expr.free_symbols})


@given(topologies, counts, amounts)
def test_all_reduce_is_reduce_scatter_then_all_gather(over, count, size):
    whole, first, second = (kind(count, size, over) for kind in (all_reduce, reduce_scatter, all_gather))
    assert whole.demand["ici"] == first.demand["ici"] + second.demand["ici"]
    assert simplify(whole.upper - first.upper - second.upper) == 0


@given(topologies, kinds)
def test_one_chip_costs_nothing(over, kind):
    alone = kind(1, V, over)
    assert alone.upper == 0 and alone.lower == 0
    assert alone.operation().demands == {}


@given(topologies, kinds, counts, times, amounts, amounts)
def test_more_bytes_never_take_less_time(over, kind, count, which, one, other):
    less, more = sorted((one, other))
    assert at(getattr(kind(count, less, over), which)) <= at(getattr(kind(count, more, over), which))


@given(st.sampled_from([Ring(), BidirectionalRing(), Line(), Switch()]),
       st.sampled_from([all_gather, reduce_scatter, all_reduce]), counts, times)  # fmt: skip
def test_more_chips_on_the_same_links_never_take_less_time(over, kind, count, which):
    fewer, more = kind(count, 5, over), kind(count + 1, 5, over)
    assert at(getattr(fewer, which)) <= at(getattr(more, which))


@given(topologies, kinds, counts, amounts)
def test_the_bounds_are_within_a_factor_of_two(over, kind, count, size):
    collective = kind(count, size, over)
    assert at(collective.lower) <= at(collective.upper) <= 2 * at(collective.lower)


@given(topologies, kinds, st.integers(2, 64), st.fractions(Rational(1, 10), 10**6))
def test_bandwidth_and_latency_meet_at_the_crossover(over, kind, count, size):
    collective = kind(count, V, over)
    there = collective.bandwidth.subs(V, collective.crossover)
    assert simplify(there - collective.latency) == 0


@pytest.mark.parametrize("over", FLAT, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_agree_with_symbols(over, kind):
    symbolic = kind(n, V, over)
    for count in range(2, 12):
        assert simplify(symbolic.demand["ici"].subs(n, count) - kind(count, V, over).demand["ici"]) == 0
        assert simplify(symbolic.latency.subs(n, count) - kind(count, V, over).latency) == 0


def test_symbols_say_what_they_assume():
    assert [str(c) for c in all_gather(over=FullMesh()).conditions] == ["n >= 2"]
    pods = Hierarchical(inner=Ring("nvlink"), outer=Ring("dcn"), node=8)
    assert [str(c) for c in all_gather(over=pods).conditions] == ["Eq(Mod(n, 8), 0)"]


def test_the_formulas_as_the_sources_have_them():
    assert all_gather().upper == (n - 1) / n * V / W + (n - 1) * t  # Thakur et al., 4.1, ring
    assert simplify(all_reduce().upper - (2 * (n - 1) / n * V / W + 2 * (n - 1) * t)) == 0  # Patarasuk, Yuan
    both = BidirectionalRing()
    assert all_gather(over=both).limit == {"ici": V / 2}  # V over both directions: V/(2 W)
    assert all_to_all(over=both).limit == {"ici": V / 8}  # a quarter of it
    assert all_to_all(over=both).demand == {"ici": V * floor(n**2 / 4) / (2 * n**2)}
    assert all_reduce(over=Switch("nvlink")).limit == {"nvlink": 2 * V}
    assert all_to_all(over=Switch("nvlink")).demand == {"nvlink": V * (n - 1) / n**2}
    assert all_gather(over=FullMesh()).limit == {"ici": 0}  # the links grow with the chips
    assert all_gather(over=Torus(sizes=("a", "a"))).demand["ici"].subs(dimension("a"), 4) == Rational(15, 64) * V
    assert point_to_point(hops=4).latency == 4 * t


def test_links_of_a_chip():
    eight = Integer(8)
    torus = Torus(sizes=(2, 4))
    assert [x.links(eight) for x in (Ring(), BidirectionalRing(), Line(), FullMesh(), Switch(), torus)] == [
        1, 2, 2, 7, 1, 4,
    ]  # fmt: skip
    assert Hierarchical(node=4).links(eight) == 2


def test_latency_over_two_links_keeps_them_apart():
    pods = Hierarchical(inner=Switch("nvlink", 8), outer=Switch("infiniband"), node=8)
    found = all_reduce(64, V, pods)
    assert found.demand == {"nvlink": 7 * V / 4, "infiniband": 7 * V / 32}
    assert {s.name for s in found.upper.free_symbols} == {
        "V", "W_nvlink", "W_infiniband", "t_nvlink", "t_infiniband",
    }  # fmt: skip
    assert all_reduce(8, V, pods).demand == {"nvlink": 7 * V / 4}  # inside one node


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: all_gather(16, V, Switch("nvlink", 8)), "16 chips; switch over nvlink joins at most 8"),
        (lambda: all_gather(8, V, Torus(sizes=(4, 4))),
         "a torus of 4 x 4 has 16 chips, not 8; use `along` for a part of it"),
        (lambda: Torus(), "a torus needs the sizes of its axes, as in Torus('ici', sizes=(4, 4))"),
        (lambda: Torus(sizes=(4, 4), chips=8), "a torus of 4 x 4 has 16 chips, not 8"),
        (lambda: Torus(sizes=(4, 4)).along(0, 5), "5 chips along an axis of 4; torus of 4 x 4 over ici is 4 x 4"),
        (lambda: all_gather(6, V, Switch(algorithm="recursive")),
         "6 chips: recursion needs a power of two; use the direct or ring algorithm"),
        (lambda: Switch(algorithm="rign"), "unknown algorithm 'rign'; did you mean 'ring'?"),
        (lambda: all_gather(12, V, Hierarchical(node=8)), "12 chips fill no whole number of nodes of 8"),
        (lambda: Hierarchical(inner=Ring(), outer=Ring()),
         "inner and outer network are both 'ici'; give each its own link"),
        (lambda: all_gather(0), "chips: expected a positive integer, got '0'"),
        (lambda: all_gather(2.5), "chips: expected a positive integer, got '2.5'"),
        (lambda: all_gather(2, -1), "bytes: expected an exact amount from 0, got '-1'"),
        (lambda: all_gather(2, 0.5), "bytes: expected an exact amount from 0, got '0.5'"),
        (lambda: all_gather(2, "2 V"), "bytes: expected a name, a number or an expression, got '2 V'"),
        (lambda: all_gather(4).limit, "all-gather over 4 chips has no limit in n; leave n a symbol"),
        (lambda: Ring("ICI"),
         "'ICI': expected a memory level or a link in lower-case letters, digits and dashes, such as 'ici'"),
        (lambda: Ring(chips=0), "ring over ici: chips '0' is not a positive integer"),
        (lambda: Ring(chips=8).axes({"X": Integer(4)}),
         "mesh X=4 is a part of a ring of 8, and in one direction a part does not close; use all 8 chips or a "
         "bidirectional ring"),
    ],
)  # fmt: skip
def test_what_is_refused(make, message):
    with pytest.raises(RoofproofError, match="^" + re.escape(message) + "$"):
        make()


def test_collectives_one_after_another_add_their_steps():
    both = then(reduce_scatter().operation(), all_gather().operation())
    whole = all_reduce().operation()
    assert both.hops == whole.hops and simplify(alpha_beta(both) - alpha_beta(whole)) == 0
    layers = repeat(whole, "N")
    assert simplify(alpha_beta(layers) - dimension("N") * alpha_beta(whole)) == 0
    with pytest.raises(RoofproofError, match="roofproof counts starts only for a single collective"):
        alpha_beta(then(whole, parse_operation("matmul")))
