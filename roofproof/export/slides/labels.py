"""The words of slides by label."""

from roofproof.export.explain.threshold import STATUS

LABELS = {
    "known-kernel": "Derived, and proved by the proof checker.",
    "known-model": "Counted from the operation as it is stated.",
    "known-figure": "Computed exactly from the specs of the chip.",
    "known-smt": "Derived, and shown by z3.",
    "unit-flops": " FLOPs",
    "unit-bytes": " bytes",
    **STATUS,
}
