"""PyTorch's own FLOP formulas equal the derived ones, or differ by the factor that the errata page gives."""

import doctest

import pytest

from examples import flop_counter
from roofproof.audit.audits import audit
from roofproof.ops import parse_operation
from roofproof.symbols import dimension

pytestmark = pytest.mark.frameworks
pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
C, L = dimension("C"), dimension("L")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("formula", "operation", "ratio"),
    [
        ("mm", "matmul", 1),
        ("bmm", "batched-matmul", 1),
        ("convolution", "convolution", 1),
        ("attention", "flash-attention", 1),
        ("attention", "causal-attention", 2 * L / (L + 1)),
        ("depthwise_gradient", "depthwise-convolution", C),
    ],
)
def test_what_pytorch_counts_over_what_is_derived(formula, operation, ratio):
    found = audit(getattr(flop_counter, formula), parse_operation(operation))
    assert found.same == (ratio == 1) and (found.ratio - ratio).simplify() == 0


def test_the_examples_of_the_file() -> None:
    assert doctest.testmod(flop_counter).failed == 0
