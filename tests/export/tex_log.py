"""What a log of TeX tells of the pages."""

import re


def faults(log: str, most: float = 2.0) -> list[str]:
    r"""Return what is wrong with the pages, from the log: boxes that stick out, glyphs that no font has.

    >>> faults("Overfull \\hbox (3.1pt too wide) in paragraph\nOverfull \\hbox (0.4pt too wide) in alignment")
    ['Overfull \\hbox (3.1pt too wide) in paragraph']
    """
    wide = [m[0] for m in re.finditer(r"Overfull \\[hv]box \(([0-9.]+)pt too .*", log) if float(m[1]) > most]
    return wide + [m[0] for m in re.finditer(r"Missing character: .*", log)]
