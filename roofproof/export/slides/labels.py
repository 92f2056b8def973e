"""The words of slides that are looked up by a name."""

STATUS = {
    "kernel": "proved by the proof checker",
    "smt": "shown by z3, an oracle, not by the proof checker",
    "algebra": "computed by exact algebra, not proved by the proof checker",
    "sampled": "sampled only, not proved",
}
LABELS = {
    "known-kernel": "Derived, and proved by the proof checker.",
    "known-model": "Counted from the operation as it is stated.",
    "known-figure": "Computed exactly from the specs of the chip.",
    "known-smt": "Derived, and shown by z3.",
    "unit-flops": " FLOPs",
    "unit-bytes": " bytes",
    **STATUS,
}
