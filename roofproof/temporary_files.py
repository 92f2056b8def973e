"""Names of unfinished files, which contain a process id, so that a later run can remove those of a killed one."""

from __future__ import annotations

import glob
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

_PROCESS = re.compile(r"([0-9]{1,20})-")


def unfinished(folder: Path, start: str) -> str:
    """Remove the unfinished files that killed processes left in a folder, and return the prefix for new ones.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     Path(home, ".a.md.999999999-x").touch()                       # no process has this number
    ...     unfinished(Path(home), ".a.md.") == f".a.md.{os.getpid()}-", os.listdir(home)
    (True, [])
    """
    for path in folder.glob(f"{glob.escape(start)}*"):
        process = _PROCESS.match(path.name, len(start))
        if process and not _runs(int(process[1])):
            with suppress(OSError):  # another account owns it, or it is gone
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return own(start)


def own(start: str) -> str:
    """Return the prefix of this process's unfinished files, without removing any files.

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
        return True  # another account owns the process
    return True
