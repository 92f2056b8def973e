from roofproof.hardware.catalog import any_chip as any_chip, chip as chip, chip_from_figures as chip_from_figures
from roofproof.hardware.catalog import chip_from_text as chip_from_text, chip_names as chip_names
from roofproof.hardware.catalog import load_chip as load_chip, search as search
from roofproof.hardware.chips import Chip as Chip
from roofproof.hardware.figure import STATUSES as STATUSES, Figure as Figure
from roofproof.hardware.table import browse as browse, chip_table as chip_table, chips_table as chips_table
from roofproof.hardware.quantities import parse_quantity as parse_quantity, read_quantity as read_quantity
