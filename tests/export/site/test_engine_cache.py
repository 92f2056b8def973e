"""The bytecode cache: only bundles stored by this account are used, and all others are rebuilt."""

from pathlib import Path

import pytest

from roofproof.export.site import packing, runtime


def test_a_bundle_that_somebody_else_put_there_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = []
    monkeypatch.setattr(packing, "_by_node", lambda *given: made.append(given) or b"ours")
    interpreter = {"pyodide.asm.wasm": b"wasm"}

    def compiled(source: bytes) -> bytes:
        return packing._compiled(interpreter, {"a.py": source}, kept=True)

    for _ in range(2):
        assert compiled(b"1") == b"ours"
    assert len(made) == 1  # the second came from the cache
    [kept] = (tmp_path / "cache" / "roofproof").iterdir()
    whole = kept.read_bytes()
    for evil in (b"evil", whole[: runtime.SEAL] + b"evil", b"", whole[:-1]):
        kept.write_bytes(evil)
        assert compiled(b"1") == b"ours"
    assert kept.read_bytes() == whole  # and the cache is repaired
    compiled(b"2")
    [other] = {*(tmp_path / "cache" / "roofproof").iterdir()} - {kept}
    other.write_bytes(whole)  # under another name, it is the wrong bundle
    made.clear()
    compiled(b"2")
    assert len(made) == 1
