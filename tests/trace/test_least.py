"""A floor accuses no run: of random programs with random values nothing less is read, or computed, than it says."""

import inspect
import random

import pytest
from functions import jnp

from roofproof import trace

np = pytest.importorskip("numpy")
pytestmark = pytest.mark.frameworks
torch = pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
N, D = 6, 4


class Needed:
    """An array each of whose elements is the set of what it takes: addresses that are read, and results of exp."""

    def __init__(self, sets):
        self.sets, self.shape = sets, sets.shape

    def __getitem__(self, key):
        return Needed(self.sets[key])

    def __mul__(self, number):
        return self

    def __add__(self, other):
        return Needed(union(self.sets, other.sets))

    def sum(self, axis):
        return Needed(np.frompyfunc(lambda a, b: a | b, 2, 1).reduce(self.sets, axis))


union = np.frompyfunc(lambda a, b: a | b, 2, 1)


class Counting:
    """What a program calls of a framework, lazily: of a selection only what is chosen is needed."""

    made = 0

    def exp(self, x):
        self.made += 1
        ids = np.arange(x.sets.size).reshape(x.shape)
        return Needed(np.frompyfunc(lambda s, k: s | {("exp", self.made, k)}, 2, 1)(x.sets, ids))

    def where(self, mask, x, y):
        others = np.full(mask.shape, frozenset()) if isinstance(y, float) else y.sets
        return Needed(np.where(np.broadcast_to(mask, x.shape), x.sets, others))


def programs(seed, many):
    """Yield steps on a list that begins with x[N, D]; each adds an array of D columns; and how many rows there are."""
    dice = random.Random(seed)
    for _ in range(many):
        steps, rows = [], [N]
        for _ in range(dice.randint(1, 6)):
            k = dice.randrange(len(rows))
            kind = dice.choice(["exp", "exp", "taken", "taken", "masked", "where", "slice", "twice", "mean", "put"])
            if kind == "taken":
                many_rows = dice.randint(1, N)
                extra = [dice.choice([0, dice.randrange(rows[k])]) for _ in range(many_rows)]
            elif kind in ("masked", "where"):
                extra, many_rows = [[dice.random() < dice.choice([0, 0.5, 1]) for _ in range(D)]] * rows[k], rows[k]
            else:
                extra, many_rows = dice.randrange(rows[k]), rows[k]
                many_rows = rows[k] - extra if kind == "slice" else many_rows
            steps.append((kind, k, dice.choice([i for i, n in enumerate(rows) if n == rows[k]]), extra))
            rows.append(many_rows)
        yield steps


def done(lib, steps, x, chosen):
    """Do the steps; `chosen` are indices and masks."""
    arrays, chosen = [x], iter(chosen)
    for kind, k, other, extra in steps:
        a, b = arrays[k], arrays[other]
        if kind == "exp":
            made = lib.exp(a)
        elif kind == "taken":
            made = a[next(chosen)]
        elif kind == "masked":
            made = lib.where(next(chosen), a, 0.0)
        elif kind == "where":
            made = lib.where(next(chosen), a, b)
        elif kind == "slice":
            made = a[extra:]
        elif kind == "twice":
            made = a + b
        elif kind == "mean":
            made = a + a.sum(0)[None] * 0.5
        else:
            made = a * 2.0
        arrays.append(made)
    return arrays[-1], arrays[-2].sum(0)


def check(library, seed, many):
    front = trace.torch if library is torch else trace.jax
    for steps in programs(seed, many):
        values = [(kind, extra) for kind, _, _, extra in steps if kind in ("taken", "masked", "where")]
        chosen = [np.array(extra) for _, extra in values]
        addresses = np.frompyfunc(lambda k: frozenset({k}), 1, 1)(np.arange(N * D).reshape(N, D))
        ends = done(Counting(), steps, Needed(addresses), chosen)
        needed = frozenset().union(*(s for end in ends for s in end.sets.ravel()))
        exps = sum(isinstance(one, tuple) for one in needed)
        shapes = [f"x:fp32[{N},{D}]"]
        shapes += [
            f"k{i}:{'int32' if kind == 'taken' else 'bool'}[{','.join(map(str, array.shape))}]"
            for i, ((kind, _), array) in enumerate(zip(values, chosen, strict=True))
        ]
        named = ["x", *(f"k{i}" for i in range(len(values)))]

        def program(steps=steps, **given):
            return done(library, steps, given.pop("x"), given.values())

        program.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in named])
        op = front(program, ", ".join(shapes), traffic="least")
        read = sum(tensor.bytes * tensor.times for tensor in op.reads if tensor.name == "x")
        assert read <= 4 * (len(needed) - exps), (seed, steps)
        assert op.compute.get("exp", 0) <= exps, (seed, steps)


@pytest.mark.parametrize("library", [torch, jnp])
def test_no_values_of_a_random_program_need_less(library):
    check(library, 1, 25)


@pytest.mark.long
@pytest.mark.parametrize("library", [torch, jnp])
def test_no_values_of_many_random_programs_need_less(library):
    check(library, 2, 1000)
