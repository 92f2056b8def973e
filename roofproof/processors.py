"""How many processes or threads can work side by side."""

import os
import sys

ALONE = ("emscripten", "wasi")  # systems that start no process and no thread: a browser, say


def processors() -> int:
    """Return how many processors there are to work side by side, one where no process can be started.

    >>> processors() >= 1
    True
    """
    return 1 if sys.platform in ALONE else os.cpu_count() or 1
