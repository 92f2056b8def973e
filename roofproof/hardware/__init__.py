"""Chips: exact rational figures, each with unit, convention, status and source; one TOML file a chip."""

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from roofproof.hardware.catalog import (
        any_chip,
        chip,
        chip_from_figures,
        chip_from_text,
        chip_names,
        load_chip,
        search,
    )
    from roofproof.hardware.chips import Chip
    from roofproof.hardware.rate import STATUSES, Rate
    from roofproof.hardware.table import browse, chip_table, chips_table
    from roofproof.hardware.units import parse_quantity, read_quantity

__all__ = [
    "STATUSES", "Chip", "Rate", "any_chip", "browse", "chip", "chip_from_figures", "chip_from_text",
    "chip_names", "chip_table", "chips_table", "load_chip", "parse_quantity", "read_quantity", "search",
]  # fmt: skip

_HOME = {
    "Chip": "chips",
    "Rate": "rate",
    "STATUSES": "rate",
    "browse": "table",
    "chip_table": "table",
    "chips_table": "table",
    "parse_quantity": "units",
    "read_quantity": "units",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'catalog')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
