"""Collectives simulated chunk by chunk, in exact fractions: the data must arrive at the right place and time.

`Wires` models a network: a directed link sends one message at a time, in the order of its queue, for size/W seconds.
The message arrives t seconds later. The simulation uses no formula of the package.
"""

import heapq
import itertools
from fractions import Fraction

import pytest
from sympy import Rational

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

W, T, V = Fraction(7), Fraction(3), Fraction(5)
COUNTS = range(2, 10)


class Wires:
    """Messages in flight. `receive` returns the messages a chip sends on: priority, link, to, size, message."""

    def __init__(self, rate=W, hop=T):
        self.rate, self.hop = rate, hop
        self.free = {}
        self.queues = {}
        self.events = []
        self.order = itertools.count()
        self.carried = {}

    def run(self, initial, receive):
        for send in initial:
            self.put(Fraction(0), *send)
        end = Fraction(0)
        self.serve_all(Fraction(0))
        while self.events:
            now = self.events[0][0]
            while self.events and self.events[0][0] == now:
                _, _, to, message = heapq.heappop(self.events)
                if to is not None:
                    end = now
                    for send in receive(to, message):
                        self.put(now, *send)
            self.serve_all(now)
        return end

    def put(self, now, priority, link, to, size, message):
        heapq.heappush(self.queues.setdefault(link, []), (priority, next(self.order), to, size, message))

    def serve_all(self, now):
        for link, queue in self.queues.items():
            if queue and self.free.get(link, Fraction(0)) <= now:
                _, _, to, size, message = heapq.heappop(queue)
                done = now + size / self.rate
                self.free[link] = done
                self.carried[link] = self.carried.get(link, 0) + size
                heapq.heappush(self.events, (done, next(self.order), None, None))  # the link is free again
                heapq.heappush(self.events, (done + self.hop, next(self.order), to, message))


def expected(collective, rate=W, hop=T):
    """Return the upper bound on the time of a collective at numbers, as a Fraction."""
    values = {"W": Rational(rate.numerator, rate.denominator), "t": Rational(hop.numerator, hop.denominator)}
    at = {s: values[s.name] for s in collective.upper.free_symbols}
    exact = collective.upper.subs(at)
    assert exact.is_Rational
    return Fraction(int(exact.p), int(exact.q))


def v(value=V):
    return Rational(value.numerator, value.denominator)


def routes(kind, n):
    """Return the direction of each lane, and a function that gives the part of a chunk carried on each hop.

    On an even ring with two directions, the last hop carries half a chunk from each side.
    """
    if kind == "ring":
        return {0: 1}, lambda chip, lane: [Fraction(1)] * (n - 1)
    if kind == "both":
        whole = [Fraction(1)] * ((n - 1) // 2)
        return {0: 1, 1: -1}, lambda chip, lane: whole + ([Fraction(1, 2)] if n % 2 == 0 else [])
    return {0: 1, 1: -1}, lambda chip, lane: [Fraction(1)] * (n - 1 - chip if lane == 0 else chip)


TOPOLOGIES = {"ring": Ring(), "both": BidirectionalRing(), "line": Line()}


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("kind", TOPOLOGIES)
def test_all_gather_by_passing_chunks_on(kind, n):
    lanes, journey = routes(kind, n)
    chunk = V / n
    held = [{(i, half) for half in (0, 1)} for i in range(n)]

    def send(chip, lane, home, hop):
        parts = journey(home, lane)
        if hop < len(parts):
            yield 0, (chip, lane), (chip + lanes[lane]) % n, parts[hop] * chunk, (lane, home, hop, parts[hop])

    def receive(chip, message):
        lane, home, hop, part = message
        held[chip] |= {(home, 0), (home, 1)} if part == 1 else {(home, lane)}
        return send(chip, lane, home, hop + 1)

    wires = Wires()
    took = wires.run([m for i in range(n) for lane in lanes for m in send(i, lane, i, 0)], receive)
    assert all(h == {(i, half) for i in range(n) for half in (0, 1)} for h in held)
    formula = all_gather(n, v(), TOPOLOGIES[kind])
    assert took == expected(formula)
    assert max(wires.carried.values()) == formula.demand["ici"]


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("kind", TOPOLOGIES)
def test_reduce_scatter_by_adding_on_the_way(kind, n):
    """Chunk c travels to chip c, and each chip on the way adds its own part, as in a gather run backwards."""
    lanes, journey = routes(kind, n)
    chunk = V / n
    got = [[set(), set()] for _ in range(n)]  # for chunk c at chip c: the chips whose parts it has, for each half
    for c in range(n):
        got[c] = [{c}, {c}]

    def start():
        for c in range(n):
            for lane, step in lanes.items():
                parts = journey(c, lane)  # the gather from c, which runs backwards from its last hop
                if parts:
                    far = (c + step * len(parts)) % n
                    yield (
                        -len(parts),
                        (far, lane),
                        (far - step) % n,
                        parts[-1] * chunk,
                        (lane, c, len(parts) - 1, {far}),
                    )

    def receive(chip, message):
        lane, c, left, whose = message
        parts = journey(c, lane)
        if left == 0:
            assert chip == c
            halves = (lane,) if parts[0] != 1 else (0, 1)
            for half in halves:
                # if this lane carries only a half, the far chip's part is in that half only
                mine = whose if parts[-1] == 1 or half == lane else whose - {(c + lanes[lane] * len(parts)) % n}
                assert not (got[c][half] & mine), "a part was added twice"
                got[c][half] |= mine
            return
        yield (
            0, (chip, lane), (chip - lanes[lane]) % n, parts[left - 1] * chunk, (lane, c, left - 1, whose | {chip}),
        )  # fmt: skip

    took = Wires().run(list(start()), receive)
    assert all(half == set(range(n)) for halves in got for half in halves)
    assert took == expected(reduce_scatter(n, v(), TOPOLOGIES[kind]))
    twice = took + expected(all_gather(n, v(), TOPOLOGIES[kind]))
    assert twice == expected(all_reduce(n, v(), TOPOLOGIES[kind]))


def step_by_step(steps, rate=W, hop=T):
    """Return the time of synchronous steps. Each takes a hop and the transfer on the busiest link."""
    return sum((hop + max(loads.values()) / rate for loads in steps), Fraction(0))


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("kind", ["ring", "both"])
def test_all_to_all_step_by_step(kind, n):
    """In each step, every block that has not arrived takes one hop."""
    block = V / n**2
    going = []
    for i, j in itertools.permutations(range(n), 2):
        ahead = (j - i) % n
        if kind == "ring" or 2 * ahead < n:
            going.append([i, j, 1, Fraction(1)])
        elif 2 * ahead > n:
            going.append([i, j, -1, Fraction(1)])
        else:
            going += [[i, j, 1, Fraction(1, 2)], [i, j, -1, Fraction(1, 2)]]
    arrived, steps = {}, []
    while going:
        loads = {}
        for entry in going:
            loads[entry[0], entry[2]] = loads.get((entry[0], entry[2]), 0) + entry[3] * block
            entry[0] = (entry[0] + entry[2]) % n
        steps.append(loads)
        for here, j, _, part in going:
            if here == j:
                arrived[j] = arrived.get(j, 0) + part
        going = [entry for entry in going if entry[0] != entry[1]]
    assert arrived == dict.fromkeys(range(n), n - 1)
    assert step_by_step(steps) == expected(all_to_all(n, v(), TOPOLOGIES[kind]))


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("kind", TOPOLOGIES)
def test_all_to_all_with_queues_lies_between_the_bounds(kind, n):
    """Blocks with the longest way go first. Without latency, links never idle. Without bytes, only hops count."""
    block = V / n**2

    def play(size, hop):
        arrived = [0] * n

        def way(here, j):
            ahead = (j - here) % n
            if kind == "line":
                return 1 if j > here else -1
            return 1 if kind == "ring" or 2 * ahead <= n else -1

        def send(here, j, lane, part):
            left = (j - here) * lane % n
            yield -left, (here, lane), (here + lane) % n, size * part, (j, lane, part)

        def receive(here, message):
            j, lane, part = message
            if here == j:
                arrived[j] += part
                return ()
            return send(here, j, lane, part)

        initial = []
        for i, j in itertools.permutations(range(n), 2):
            if kind == "both" and 2 * ((j - i) % n) == n:
                initial += [m for lane in (1, -1) for m in send(i, j, lane, Fraction(1, 2))]
            else:
                initial += send(i, j, way(i, j), Fraction(1))
        took = Wires(hop=hop).run(initial, receive)
        assert arrived == [n - 1] * n
        return took

    formula = all_to_all(n, v(), TOPOLOGIES[kind])
    bandwidth, hops = expected(formula, hop=Fraction(0)), expected(formula) - expected(formula, hop=Fraction(0))
    assert play(block, Fraction(0)) == bandwidth
    assert play(Fraction(0), T) == hops
    assert max(bandwidth, hops) <= play(block, T) <= bandwidth + hops


@pytest.mark.parametrize("n", COUNTS)
def test_full_mesh_and_switch_send_to_all_at_once(n):
    def receive(chip, message):
        held[chip].add(message)
        return ()

    for topology, wire in [(FullMesh(), lambda i, j: (i, j)), (Switch(), lambda i, j: i)]:
        for formula, size in [(all_gather, V / n), (all_to_all, V / n**2)]:
            held = [set() for _ in range(n)]
            # In round k, chip i sends to chip i + k, so each port receives one message at a time.
            sends = [(k, wire(i, (i + k) % n), (i + k) % n, size, i) for k in range(1, n) for i in range(n)]
            took = Wires().run(sends, receive)
            assert all(held[i] == set(range(n)) - {i} for i in range(n))
            assert took == expected(formula(n, v(), topology))


@pytest.mark.parametrize("n", [2, 4, 8])
def test_recursive_doubling_over_a_switch(n):
    held, steps, distance = [{i} for i in range(n)], [], 1
    while distance < n:
        steps.append({i: len(held[i]) * V / n for i in range(n)})
        held = [held[i] | held[i ^ distance] for i in range(n)]
        distance *= 2
    assert all(h == set(range(n)) for h in held)
    assert step_by_step(steps) == expected(all_gather(n, v(), Switch(algorithm="recursive")))


@pytest.mark.parametrize("side", range(2, 6))
@pytest.mark.parametrize(("axes", "wrap"), [(1, True), (2, True), (3, True), (2, False)])
def test_torus_gather_takes_the_axes_in_turn(axes, side, wrap):
    """Part p of the array is gathered along axis p, then p + 1, ..., so each axis has one part in each phase."""
    n = side**axes
    chips = list(itertools.product(range(side), repeat=axes))
    held = {c: {(c, p) for p in range(axes)} for c in chips}
    time = Fraction(0)
    for phase in range(axes):
        before = {c: set(h) for c, h in held.items()}
        busiest = Fraction(0)
        for p in range(axes):
            axis = (p + phase) % axes
            for c in chips:
                mates = [(*c[:axis], k, *c[axis + 1 :]) for k in range(side)]
                held[c] |= {piece for m in mates for piece in before[m] if piece[1] == p}
            pieces = sum(piece[1] == p for piece in before[chips[0]])
            whole = side * pieces * V / n / axes  # bytes that the ring along this axis gathers
            ring = all_gather(side, v(whole), BidirectionalRing() if wrap else Line())
            busiest = max(busiest, expected(ring))
        time += busiest
    everything = {(c, p) for c in chips for p in range(axes)}
    assert all(h == everything for h in held.values())
    assert time == expected(all_gather(None, v(), Torus(sizes=(side,) * axes, wrap=wrap)))


@pytest.mark.parametrize(("node", "nodes"), [(2, 2), (4, 3), (3, 5), (8, 4)])
def test_a_hierarchy_of_equal_rings_moves_what_one_ring_moves(node, nodes):
    pods = Hierarchical(inner=Ring("nvlink"), outer=Ring("dcn"), node=node)
    n = node * nodes
    assert sum(all_gather(n, v(), pods).demand.values()) == all_gather(n, v()).demand["ici"]
    # Phase 1: chips at the same place gather over nodes. Phase 2: each node gathers. Then every chip has everything.
    held = {(a, b): {(a, b)} for a in range(nodes) for b in range(node)}
    outside = {(a, b): {(k, b) for k in range(nodes)} for a, b in held}
    ended = {(a, b): set().union(*(outside[a, k] for k in range(node))) for a, b in held}
    assert all(e == set(held) for e in ended.values())
    assert len(outside[0, 0]) * V / n * (nodes - 1) / nodes == all_gather(n, v(), pods).demand["dcn"]


@pytest.mark.parametrize("hops", range(1, 6))
def test_point_to_point_in_ever_finer_pieces(hops):
    formula = expected(point_to_point(v(), hops))

    def took(pieces):
        def receive(chip, message):
            return [] if chip == hops else [(0, chip, chip + 1, V / pieces, message)]

        return Wires().run([(0, 0, 1, V / pieces, k) for k in range(pieces)], receive)

    assert took(1) == formula + (hops - 1) * V / W  # stored and forwarded whole
    assert took(64) - formula == (hops - 1) * V / W / 64  # the excess over the formula shrinks with the size of a piece


def phase(blocks, whereto):
    """Move every block by one phase, and return the new places and the number of blocks sent per pair of chips."""
    moved, sent = {}, {}
    for block, here in blocks.items():
        there = whereto(here, block)
        moved[block] = there
        if there != here:
            sent[here, there] = sent.get((here, there), 0) + 1
    return moved, sent


@pytest.mark.parametrize("sides", [(2, 2), (3, 3), (4, 4), (4, 2), (2, 5)])
def test_torus_all_to_all_goes_axis_by_axis(sides):
    """The two halves of a block take the axes in opposite orders, and all rings along an axis do the same exchange."""
    chips = list(itertools.product(*map(range, sides)))
    n = len(chips)
    carried = [Fraction(0), Fraction(0)]  # by the busiest link of each axis, in both phases together
    for first in (0, 1):
        blocks = {(i, j): i for i in chips for j in chips}
        for axis in (first, 1 - first):
            blocks, sent = phase(blocks, lambda at, b, a=axis: tuple(b[1][d] if d == a else at[d] for d in (0, 1)))
            [each] = set(sent.values())  # the same to every other chip of the ring: an all-to-all
            ring = all_to_all(sides[axis], v(sides[axis] ** 2 * each * V / n**2 / 2), BidirectionalRing())
            carried[axis] += Fraction(int(ring.demand["ici"].p), int(ring.demand["ici"].q))
        assert all(place == j for (_, j), place in blocks.items())
    assert max(carried) == all_to_all(None, v(), Torus(sizes=sides)).demand["ici"]


@pytest.mark.parametrize(("node", "nodes"), [(2, 2), (4, 3), (3, 5)])
def test_all_to_all_between_nodes_and_within(node, nodes):
    """Blocks move to the right node without changing their place, and then each node distributes them."""
    chips = list(itertools.product(range(nodes), range(node)))
    n = len(chips)
    blocks = {(i, j): i for i in chips for j in chips}
    blocks, outside = phase(blocks, lambda at, b: (b[1][0], at[1]))
    blocks, inside = phase(blocks, lambda at, b: b[1])
    assert all(place == j for (_, j), place in blocks.items())
    formula = all_to_all(n, v(), Hierarchical(inner=Switch("nvlink"), outer=Switch("dcn"), node=node))
    for link, sent in (("dcn", outside), ("nvlink", inside)):
        leaving = {}
        for (here, _), count in sent.items():
            leaving[here] = leaving.get(here, 0) + count
        assert max(leaving.values()) * V / n**2 == formula.demand[link]
