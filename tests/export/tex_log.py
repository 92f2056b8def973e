"""Faults of pages in the log of TeX."""

import re


def faults(log: str, most: float = 2.0) -> list[str]:
    r"""Return the overfull boxes and missing glyphs that a log reports.

    >>> faults("Overfull \\hbox (3.1pt too wide) in paragraph\nOverfull \\hbox (0.4pt too wide) in alignment")
    ['Overfull \\hbox (3.1pt too wide) in paragraph']
    """
    wide = [m[0] for m in re.finditer(r"Overfull \\[hv]box \(([0-9.]+)pt too .*", log) if float(m[1]) > most]
    return wide + [m[0] for m in re.finditer(r"Missing character: .*", log)]
