"""The files that hold the operations known by name. This list is the only one."""

FAMILIES: tuple[str, ...] = (
    "elementwise",
    "reductions",
    "softmax",
    "normalization",
    "position",
    "linear_algebra",
    "tiled",
    "convolution",
    "classic",
    "attention",
    "transformer",
    "language_model",
    "training",
    "network",
)
