"""How often one claim changes the representation of a formula: calls of whatever turns one into another, part by part.

    python -m benchmarks.representations ["CLAIM"]

A value that is asked for again and remembered does not count: nothing is turned into anything.
"""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType
from typing import Any

CLAIM = "compute_bound(matmul, tpu-v5e) <=> B > 243"
CHANGES = {  # file, function: from what to what
    ("proofs/translate.py", "_term"): "SymPy to term",
    ("proofs/translate.py", "to_expr"): "term to SymPy",
    ("proofs/translate.py", "to_formula"): "SymPy to formula",
    ("proofs/translate.py", "to_condition"): "formula to SymPy",
    ("derive/algebra/polynomial.py", "_quotient"): "SymPy to FLINT",
    ("derive/algebra/polynomial.py", "_monomial"): "FLINT to SymPy",
    ("proofs/kernel/terms.py", "_normal"): "term to polynomial",
    ("proofs/search/handelman.py", "poly"): "polynomial to FLINT",
    ("proofs/search/handelman.py", "term"): "FLINT to term",
    ("claims/language/kernel_form.py", "term"): "tree to term",
    ("claims/language/sympy_form.py", "value"): "tree to SymPy",
}


def changes(claim: str) -> Counter[str]:
    """Return how often each change was made while a claim was judged, in a process that has judged none before."""
    from roofproof import judge

    found = Counter[str]()
    places = {name for _, name in CHANGES}

    def called(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (name := frame.f_code.co_name) in places:
            path = frame.f_code.co_filename
            for (file, function), change in CHANGES.items():
                if function == name and path.endswith(f"roofproof/{file}"):
                    found[change] += 1

    sys.setprofile(called)
    try:
        judge(claim)
    finally:
        sys.setprofile(None)
    return found


def main() -> None:
    found = changes(*(sys.argv[1:2] or [CLAIM]))
    width = max(map(len, found))
    for change, count in found.most_common():
        print(f"{change:{width}} {count:6,}")
    print(f"{'all':{width}} {sum(found.values()):6,}")


if __name__ == "__main__":
    main()
