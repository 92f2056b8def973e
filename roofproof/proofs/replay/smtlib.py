"""What was proved, as SMT-LIB 2 files that any solver can replay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roofproof.errors import RoofproofError, quoted

if TYPE_CHECKING:
    from roofproof.proofs.provers.critical_size import ProvedThreshold


def write_statements(proved: ProvedThreshold, directory: str) -> list[Path]:
    """Write one file an statement; a solver that answers `unsat` to it has proved the statement.

    >>> from tempfile import TemporaryDirectory
    >>> from roofproof import op, threshold
    >>> with TemporaryDirectory() as home:
    ...     [path.name for path in write_statements(threshold(op("split-matmul"), None, "D"), home)]
    ['01.smt2']

    Raises RoofproofError for a directory that cannot be written.
    """
    if not directory or "\0" in directory:
        raise RoofproofError(f"cannot write {quoted(directory)}: it is no name; name a folder")
    home = Path(directory)
    written = []
    try:
        home.mkdir(parents=True, exist_ok=True)
        for k, proof in enumerate(proved.solved, 1):
            path = home / f"{k:02}.smt2"
            path.write_text(f"; {proof.statement.says}\n{proof.statement.smtlib()}\n", encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise RoofproofError(f"cannot write {quoted(directory)}: {error.strerror}; name a folder") from None
    return written
