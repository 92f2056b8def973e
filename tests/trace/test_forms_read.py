"""Flips, pads, rolls, strides, joins and convolutions read each address that they use once, and no other."""

import random

import pytest
from functions import jax

from roofproof import trace

pytestmark = pytest.mark.frameworks
np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
jnp = jax.numpy
FEW, MANY = 14, 1000
FORMS = ("slice", "slice", "swap", "split", "flip", "roll", "pad", "expand", "join", "windows")
INDEX = {torch: 8, jnp: 4}  # bytes of an index


def forms(dice, shape, strided, taken):
    """Return a random sequence of forms (such as slices and flips) of an array of this shape."""
    found, shape = [], list(shape)
    for k in range(0 if taken else dice.randint(1, 4)):
        form = dice.choice((*FORMS, *(["strided"] * 2 if strided and k == 0 else [])))
        axis = dice.randrange(len(shape))
        n = shape[axis]
        cut = (start := dice.randrange(n), dice.randint(start + 1, n))
        if form == "slice":
            step = dice.choice([1, 1, 2, 3])
            found.append((form, axis, *cut, step))
            shape[axis] = -(-(cut[1] - cut[0]) // step)
        elif form == "swap" and len(shape) > 1:
            found.append((form, axis, other := (axis + 1) % len(shape)))
            shape[axis], shape[other] = shape[other], n
        elif form == "split" and shape[-1] % 2 == 0:
            shape = [*shape[:-1], shape[-1] // 2, 2]
            found.append((form, tuple(shape)))
        elif form == "flip":
            found.append((form, axis))
        elif form == "roll":
            found.append((form, dice.randint(-2, n), axis))
        elif form == "pad":
            sides = tuple((dice.randint(0, 2), dice.randint(0, 2)) if dice.random() < 0.6 else (0, 0) for _ in shape)
            found.append((form, sides))
            shape = [m + sum(side) for m, side in zip(shape, sides, strict=True)]
        elif form == "expand" and len(shape) < 4:
            shape = [dice.randint(2, 3), *shape]
            found.append((form, tuple(shape)))
        elif form == "join":
            other = (start := dice.randrange(n), dice.randint(start + 1, n))
            found.append((form, axis, cut, other))
            shape[axis] = cut[1] - cut[0] + other[1] - other[0]
        elif form == "windows" and len(shape) == 3:
            found.append(
                (form, shape[1], dice.randint(1, min(3, shape[2])), dice.choice([1, 2, 3, 4]), dice.choice([0, 0, 1]))
            )
            return found
        elif form == "strided":
            left, sizes, steps = int(np.prod(shape)) - 1, [], []
            offset = dice.randint(0, left)
            left -= offset
            for _ in range(dice.randint(1, 3)):
                step = dice.randint(0, 4)
                many = dice.randint(1, min(4, left // step + 1 if step else 4))
                left -= step * (many - 1)
                sizes, steps = [*sizes, many], [*steps, step]
            shape = sizes
            found.append((form, tuple(sizes), tuple(steps), offset))
    if taken:
        axis = dice.randrange(len(shape))
        found.append(("take", axis, [dice.randrange(shape[axis]) for _ in range(dice.randint(1, 4))]))
    return found


def seen(library, x, found):
    """Return an array after the forms. A NumPy array holds addresses, with -1 for padding."""
    for form, *how in found:
        if form in ("slice", "join"):
            axis, *cuts = how
            cuts = [slice(*cuts)] if form == "slice" else [slice(*cut) for cut in cuts]
            parts = [x[(*[slice(None)] * axis, cut)] for cut in cuts]
            x = (
                parts[0]
                if form == "slice"
                else torch.cat(parts, axis)
                if library is torch
                else library.concatenate(parts, axis)
            )
        elif form == "swap":
            x = x.swapaxes(*how)
        elif form == "split":
            x = x.reshape(*how)
        elif form in ("flip", "roll"):
            x = getattr(library, form)(x, *(how if library is not torch or form == "roll" else [how]))
        elif form == "pad" and library is torch:
            x = torch.nn.functional.pad(x, [n for side in reversed(how[0]) for n in side])
        elif form == "pad":
            x = library.pad(x, *how, constant_values=-1 if library is np else 0)
        elif form == "expand":
            x = library.broadcast_to(x, *how)
        elif form == "windows":
            channels, taps, step, side = how
            if library is np:
                padded = np.pad(x, ((0, 0), (0, 0), (side, side)), constant_values=-1)
                starts = range(0, padded.shape[2] - taps + 1, step)
                x = np.concatenate([padded[:, :, k : k + taps].ravel() for k in starts])
            elif library is torch:
                x = torch.conv1d(x, torch.ones(1, channels, taps, device=x.device), stride=step, padding=side)
            else:
                x = jax.lax.conv_general_dilated(x, jnp.ones((1, channels, taps)), (step,), [(side, side)])
        elif form == "strided" and library is torch:
            x = x.as_strided(*how)
        elif form == "strided":
            sizes, steps, offset = how
            x = x.ravel()[offset + sum(k * step for k, step in zip(np.indices(sizes), steps, strict=True))]
        else:
            axis, places = how
            x = x[(*[slice(None)] * axis, places)] if library is torch else library.take(x, np.array(places), axis)
    return x


def programs(library, seed, many, *, taken=False):
    """Yield (shape, sequences of forms that are summed, number of addresses in their results)."""
    dice = random.Random(seed)
    for _ in range(many):
        shape = [dice.choice([2, 3, 4, 6, 8]) for _ in range(dice.randint(1, 3))]
        found = [forms(dice, shape, library is torch, taken) for _ in range(dice.randint(1, 3))]
        places = np.arange(np.prod(shape)).reshape(shape)
        addresses = {int(n) for each in found for n in np.asarray(seen(np, places, each)).ravel()} - {-1}
        yield shape, found, len(addresses)


def traced(library, shape, found, **how):
    front = trace.torch if library is torch else trace.jax
    whole = f"x:fp32[{','.join(map(str, shape))}]"
    return front(lambda x: sum(seen(library, x, each).sum() for each in found), whole, **how).bytes()


def check(library, seed, many):
    for shape, found, addresses in programs(library, seed, many):
        counted, exact = traced(library, shape, found), 4 * addresses + 4  # one sum is written
        assert counted >= exact, (shape, found)
        assert counted == exact or any("windows" in form or "join" in form for each in found for form in each), found


def check_taken(library, seed, many):
    """Check that the bytes chosen by indices lie between the `least` count and the `fused` count."""
    for shape, found, addresses in programs(library, seed, many, taken=True):
        indices = INDEX[library] * sum(len(each[-1][2]) for each in found)
        least, most = (traced(library, shape, found, traffic=model) for model in ("least", "fused"))
        assert least <= 4 * addresses + 4 + indices and 4 * addresses + 4 <= most, (shape, found)


@pytest.mark.parametrize("library", [torch, jnp])
def test_each_address_of_random_forms_moves_once(library):
    check(library, 1, FEW)
    check_taken(library, 2, FEW // 2)


@pytest.mark.long
@pytest.mark.parametrize("library", [torch, jnp])
def test_each_address_of_many_random_forms_moves_once(library):
    check(library, 3, MANY)
    check_taken(library, 4, MANY // 2)


def test_windows_read_what_they_have_in_them():
    """Only places inside windows are read: a quarter of an image at stride 2, two of 3 places at stride 3."""
    functional, shape = torch.nn.functional, "x:fp32[2,4,9,12]"
    image, weights = 4 * 2 * 4, 4 * 4 * 8
    thin = trace.torch(lambda x, w: functional.conv2d(x, w, stride=2), f"{shape}, w:fp32[8,4,1,1]")
    assert thin.bytes() == image * 5 * 6 + weights + 4 * 2 * 8 * 5 * 6
    apart = trace.torch(lambda x: functional.max_pool2d(x, 2, 3), shape)
    assert apart.bytes() == image * (3 * 2) * (4 * 2) + image * 3 * 4
    behind = trace.torch(lambda x: functional.avg_pool2d(x, 2), shape)
    assert behind.bytes() == image * 8 * 12 + image * 4 * 6
    wide = trace.torch(lambda x: functional.conv2d(x, torch.ones(1, 4, 2, 2), stride=3, padding=1), shape)
    assert wide.bytes() < image * 9 * 12


def test_what_indices_choose_may_be_the_same():
    """At least one row of a table is read, and at most one row per token."""
    table = "tokens:int64[B], table:fp32[V,D]"
    models = [
        trace.torch(torch.nn.functional.embedding, "input:int64[30], weight:fp32[50,16]", traffic=model).bytes()
        for model in ("least", "fused")
    ]
    taken, made = 30 * 8, 30 * 16 * 4
    assert models == [taken + made + 16 * 4, taken + made + 30 * 16 * 4]
    said = trace.jax(lambda tokens, table: table[tokens], table, traffic="least", where="V >= 2").convention
    assert "traffic least: each input read once, what one index chooses" in said
    assert "traffic fused" in trace.jax(lambda x: x + 1, "x:fp32[B]", traffic="least").convention
