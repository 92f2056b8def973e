"""Names of unfinished files: each tells its process, so that the next one removes what a killed one left."""

from __future__ import annotations

import glob
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

_PROCESS = re.compile(r"([0-9]{1,20})-")


def unfinished(folder: Path, start: str) -> str:
    """Return the prefix of unfinished files, after removing those that killed processes left in a folder.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     Path(home, ".a.md.999999999-x").touch()                       # no process has this number
    ...     unfinished(Path(home), ".a.md.") == f".a.md.{os.getpid()}-", os.listdir(home)
    (True, [])
    """
    for path in folder.glob(f"{glob.escape(start)}*"):
        process = _PROCESS.match(path.name, len(start))
        if process and not _runs(int(process[1])):
            with suppress(OSError):  # of another account, or gone: it stays
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return own(start)


def own(start: str) -> str:
    """Return the prefix of this process's unfinished files, with nothing removed.

    >>> own(".a.md.") == f".a.md.{os.getpid()}-"
    True
    """
    return f"{start}{os.getpid()}-"


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # of somebody else
    return True
