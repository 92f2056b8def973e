from roofproof.export.plots.achieving import achieved as achieved
from roofproof.export.plots.addplot import PREAMBLE as PREAMBLE
from roofproof.export.plots.critical import threshold_curve as threshold_curve
from roofproof.export.plots.figure import Figure as Figure
from roofproof.export.plots.maps import regions as regions
from roofproof.export.plots.memories import size_map as size_map, slope as slope
from roofproof.export.plots.rooflines import roofline as roofline
from roofproof.export.plots.timing import times as times
