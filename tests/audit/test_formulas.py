"""Formulas as text: read exactly, judged like a function, and never run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof import op
from roofproof.audit import audit
from roofproof.audit.formulas import formula, manifest
from roofproof.errors import RoofproofError

SIZES = st.integers(1, 10**6)


@given(B=SIZES, D=SIZES, F=SIZES)
def test_a_text_has_the_value_that_python_gives_it(B, D, F):
    text = "int(10*B*D/3) + (B + 127) // 128 * D % 7 + max(B, D, F) - min(B, ceil(D / F)) + (F if bias else 0)"
    due = 10 * B * D // 3 + (B + 127) // 128 * D % 7 + max(B, D, F) - min(B, -(-D // F)) + F
    assert formula(text, B="B", D="D", F="F", bias=True)(B=B, D=D, F=F) == due


def test_a_formula_is_judged_like_a_function():
    theirs = formula("(2*M*N + N) * elem_bytes", M="B", N="D", elem_bytes=2)
    assert audit(theirs, op("rms-norm"), "bytes").verdict == "equal"
    grouped = formula("(num_experts*3*f*d + 2*t*d) * 2", num_experts="E", f="F", d="D", t="B")
    assert audit(grouped, op("mixture-of-experts:touched=least"), "bytes").verdict == "different"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B.shape[0]", "formula: 'B.shape' is no arithmetic of sizes"),
        ("__import__('os')", "unknown name of a formula '__import__'; known: B, D"),
        ("int('os')", "formula: \"int('os')\" is no arithmetic of sizes"),
        ("B**D", "formula: power 'D': expected a whole number up to 16"),
        ("2**9**9", "formula: power '387420489': expected a whole number up to 16"),
        ("B * G", "unknown name of a formula 'G'; known: B, D"),
        ("B if B - D else 0", "formula: what an `if` asks has to be given as a number, 0 where it is false"),
        ("2 B", "formula '2 B': expected arithmetic of sizes, as Python writes it"),
        ("(" * 999, "formula '(((("),
        ("((9**16)**16)**16", "formula: '((9 ** 16) ** 16) ** 16': a number of more than 4096 bits"),
        ("1e-400", "formula: '1e-400': expected a number from 1e-300 to 1e300"),
        ("0e99999999999", "formula: '0e99999999999': expected a number from 1e-300 to 1e300"),
        ("B / (1 - 1.0)", "formula: 'B / (1 - 1.0)' divides by zero"),
        ("log2(0)", "formula: 'log2(0)' has no value"),
        ("int(1, 2)", "formula: 'int(1, 2)' is no arithmetic of sizes"),
    ],
)
def test_what_is_no_arithmetic_of_sizes_is_refused(text, message):
    with pytest.raises(RoofproofError) as caught:
        formula(text, B="B", D="D")
    assert str(caught.value).startswith(message)


def test_a_number_is_the_decimal_that_is_written():
    assert str(formula("0.1234567890123456789 * 10**16 * 1000 + 0.0")()) == "1234567890123456789"


def test_a_manifest_is_read_where_it_has_both_texts(tmp_path):
    pytest.importorskip("yaml", reason="PyYAML is not installed; cure: pip install pyyaml")
    path = tmp_path / "ops.yaml"
    path.write_text("A: {roofline: {flops: '2*M', bytes: '4*M'}}\nB: {roofline: {func: x.y}}\nC: 3\n")
    assert manifest(str(path)) == {"A": {"flops": "2*M", "bytes": "4*M"}}
    path.write_text("- [")
    with pytest.raises(RoofproofError, match="no YAML: "):
        manifest(str(path))
