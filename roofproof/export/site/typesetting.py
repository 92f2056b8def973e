"""Formulas of pages, set by KaTeX when the site is written, so that reading them needs no JavaScript."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from html import unescape
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from roofproof.errors import RoofproofError

SECONDS = 300  # the time limit for all formulas of a site
_MARKED = re.compile('<span class="tex( large)?">([^<]*)</span>')


def typeset(pages: Mapping[str, str], katex: Mapping[str, bytes]) -> dict[str, str]:
    """Return pages with their formulas set. Without `node` they are unchanged, and the browser sets the formulas.

    `katex` holds the files of its npm package. Raises RoofproofError for a formula that KaTeX rejects.
    """
    formulas = list(dict.fromkeys(found.groups() for text in pages.values() for found in _MARKED.finditer(text)))
    node = shutil.which("node")
    if node is None or not formulas:
        return dict(pages)
    asked = [[unescape(tex), bool(large)] for large, tex in formulas]
    made = dict(zip(formulas, _set(asked, node, katex), strict=True))
    return {path: _MARKED.sub(lambda found: made[found.groups()], text) for path, text in pages.items()}


def _set(formulas: list[list[object]], node: str, katex: Mapping[str, bytes]) -> list[str]:
    with TemporaryDirectory() as home:
        Path(home, "katex.js").write_bytes(katex["dist/katex.min.js"])
        Path(home, "set.cjs").write_bytes((files(__package__) / "assets" / "set.cjs").read_bytes())
        try:
            done = subprocess.run(
                [node, "set.cjs"], cwd=home, input=json.dumps(formulas), capture_output=True, timeout=SECONDS,
                encoding="utf-8",
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RoofproofError(f"node took more than {SECONDS} s for {len(formulas)} formulas") from None
    if done.returncode:
        raise RoofproofError(f"node cannot set the formulas: {' '.join(done.stderr.split())[-300:]}")
    found: list[str] = json.loads(done.stdout)
    return found
