"""Coq encloses values of roots, powers and logarithms, as Python does."""

import pytest
from coq_runner import all_checked, coqc, needs_coq, reads_back

from roofproof.claims import verifying
from roofproof.claims.language.book import book_from_text

VALUES = [("2^n == 8", "n == 3"), ("2^(1/3) x > 2", ""), ("2^(-3/2) < 0.36", ""), ("log2(1000)^2 < 99.4", ""),
          ("log2(3) > 1.5849625007211561", ""), ("max(sqrt(2), log2(3)) < 1.6", ""), ("sqrt(2) sqrt(3) == sqrt(6)", ""),
          ("x^2 == 2 => x > 2", ""), ("exists x: x^2 + x == 1", ""), ("smallest(n, n log2(n) >= 1000) == 141", ""),

          ("argmin(K u + 3 F W/u, u) == sqrt(3 F W/K)", ""), ("floor(log2(1000)) == 9", ""), ("1.5^20 > 3325", ""),
          ("log2(1/8) == -3", ""), ("minimum(q + x, q) == x", ""), ("limit(1/v, v) == 0", ""),
          ("3 > 2 => 36 MB == (140625/4194304) * 1 GiB", ""), ("n > 1 => 2^n == 8", "n == 3"),
          ("2^(-n) < 1", ""), ("log2((4/9)^n) < 0", ""), ("8^n > 4^n", "")]  # fmt: skip


def value_of(says, given=""):
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\ngiven = "{given}"').claims
    return verifying.in_coq(claim, verifying.judge_with_slip(claim))


@pytest.mark.slow
@needs_coq
def test_values_of_roots_powers_and_logarithms_are_proved_again(tmp_path):
    found = [value_of(*case) for case in VALUES]
    for one in found:
        others = sum(k.trust == "algebra" for k in one.known)
        assert reads_back(one) == len(one.known) + len(one.answers) - others
    all_checked([one.page() for one in found], tmp_path)
    text = found[4].page().text
    wrong = text.replace("15849625007211561", "15849625007211562")
    assert wrong != text and coqc(wrong, tmp_path)[0] == 1  # log2(3) = 1.58496250072115618145...


def test_a_value_that_is_left_to_python_is_said_so():
    """Nested roots of equal value, and a power too costly for Coq, become comments in the file."""
    for says in ("sqrt(5 + 2 sqrt(6)) == sqrt(2) + sqrt(3)", "3^(1/61) > 1"):
        made = value_of(says).page()
        assert not made.stated and made.text.count("by kernel, not proved here") == 1
        assert "nothing that Coq proves" in made.text
