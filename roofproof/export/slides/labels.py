"""The words of slides that are looked up by a name."""

STATUS = {
    "kernel": "proved by the proof kernel",
    "smt": "shown by z3, an oracle, not by the proof kernel",
    "algebra": "worked out by exact algebra, not proved by the proof kernel",
    "sampled": "sampled only, not proved",
}
LABELS = {
    "known-kernel": "Derived, and proved by the proof kernel.",
    "known-model": "Counted from the operation as it is stated.",
    "known-figure": "Worked out exactly from the figures of the chip.",
    "known-smt": "Derived, and shown by z3.",
    "unit-flops": " FLOPs",
    "unit-bytes": " bytes",
    **STATUS,
}
