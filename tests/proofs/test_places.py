"""A store reads at most the requested bytes, works in a read-only folder, and removes the oldest entries first."""

import os
from pathlib import Path

import pytest

from roofproof.proofs.replay.store_folder import Folder

NAMES = [f"{'0' * 32}/{k:032}.json" for k in range(3)]


@pytest.fixture
def store(tmp_path):
    made = Folder(str(tmp_path / "store"))
    for k, name in enumerate(NAMES):
        assert made.write(name, b"12345") == ""
        os.utime(tmp_path / "store" / name, (k, k))
    return made


def test_an_entry_is_read_no_further_than_asked(store):
    assert store.read(NAMES[0], 3) == b"123" and store.read("none.json", 3) is None


def test_a_store_that_may_only_be_read_is_read(store, monkeypatch):
    def read_only(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "utime", read_only)
    assert store.read(NAMES[0], 100) == b"12345"


@pytest.mark.parametrize(("most", "left"), [(15, NAMES), (14, NAMES[1:]), (5, NAMES[2:]), (4, [])])
def test_what_was_not_used_for_longest_goes_first(store, most, left):
    store.trim(most)
    assert [str(p.relative_to(store.home)) for p in sorted(Path(store.home).glob("*/*"))] == left
