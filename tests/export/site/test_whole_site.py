"""The atlas of the whole library, as `roofproof site` writes it: its CPU time and its size."""

import gzip
import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.site.runtime import npm_files
from roofproof.export.site.site import write_site
from roofproof.export.site.studies import OperationStudy
from roofproof.hardware import chip_names
from roofproof.ops import entries

LATE: list[str] = []


def watched(studies: Iterator[OperationStudy], total: int) -> Iterator[OperationStudy]:
    for each in studies:
        LATE.extend(f"{each.name} {a.unknown}" for v in each.variants for a in v.answers if a.late)
        yield each


@pytest.mark.long
def test_the_atlas_of_the_whole_library(tmp_path: Path) -> None:
    """The site takes at most half an hour of CPU time, and its size is limited as written and as gzipped by servers."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    try:
        npm_files("katex")
    except RoofproofError as problem:
        pytest.skip(str(problem))
    begin, before = perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    cores = os.cpu_count() or 1
    size = write_site(str(tmp_path / "site"), sorted(entries()), chip_names(), workers=cores, progress=watched)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    files = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    packed = sum(len(gzip.compress(path.read_bytes())) for path in files)
    largest = max(files, key=lambda path: path.stat().st_size)
    print(f"{len(files)} files, {size / 1e6:.0f} MB, {packed / 1e6:.1f} MB compressed; ", end="")
    print(f"{perf_counter() - begin:.0f} s, {work:.0f} s of work of {cores} processors; out of time: {LATE}")
    assert size < 200e6
    assert packed < 10e6
    assert largest.stat().st_size < 8e6, largest
    assert not LATE and work < 1800
