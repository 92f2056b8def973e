"""Certificates of the statements that the proof kernel proved about a threshold, for the separate checker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from roofproof.export.files import write_folder

if TYPE_CHECKING:
    from roofproof.proofs.provers.critical_size import ProvedThreshold


def write_certificates(proved: ProvedThreshold, directory: str) -> list[Path]:
    """Write one file for each statement of the derivation that the proof kernel proved, named by its position.

    >>> from tempfile import TemporaryDirectory
    >>> from roofproof import op, threshold
    >>> from roofproof.proofs.replay.checker import check, show
    >>> with TemporaryDirectory() as home:
    ...     for path in write_certificates(threshold(op("split-matmul"), None, "D"), home):
    ...         print(path.name, show(check(path.read_text())[1]))
    03.json (((B * D * F) / (2 * B * F)) = (1/2 * D))
    04.json (((B * D * F) > (R * (2 * B * F))) <=> (D > (2 * R)))
    05.json ((D > (2 * R)) <=> (D > (2 * R)))

    Raises RoofproofError for a folder that cannot be written, or that contains other files.
    """
    from roofproof.proofs.known import ByKernel
    from roofproof.proofs.replay.certificate import to_json

    files = {}
    for k, known in enumerate(proved.derivation, 1):
        if isinstance(known.warrant, ByKernel):
            text = json.dumps(to_json(known.warrant.theorem, known.statement.says), indent=1)
            files[f"{k:02}.json"] = (f"{text}\n", known.statement.says)
    return write_folder(directory, files)
