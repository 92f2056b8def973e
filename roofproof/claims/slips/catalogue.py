"""The catalogue of slips: every slip of the files listed here, the likeliest first."""

from importlib import import_module

from roofproof.claims.slips.slip import Slip

LIKELIEST_FIRST: tuple[tuple[str, str], ...] = (  # the file of a slip, and its name
    ("chips", "sparse-peak"),
    ("chips", "wrong-format"),
    ("chips", "sku"),
    ("chips", "directions"),
    ("operations", "bytes-per-element"),
    ("operations", "write-back"),
    ("operations", "multiply-add"),
    ("operations", "footprint-for-traffic"),
    ("values", "heads"),
    ("values", "layers"),
    ("values", "ratio-for-share"),
    ("values", "share-added-to-ratio"),
    ("formulas", "strictness"),
    ("values", "off-by-one"),
    ("values", "bits-for-bytes"),
    ("values", "unit-prefix"),
    ("values", "binary-prefix"),
    ("formulas", "limit-outside-regime"),
    ("values", "halved-twice"),
)


def _listed(file: str, name: str) -> Slip:
    slips: tuple[Slip, ...] = import_module(f"roofproof.claims.slips.{file}").SLIPS
    return next(s for s in slips if s.name == name)


CATALOGUE: dict[str, Slip] = {name: _listed(file, name) for file, name in LIKELIEST_FIRST}
