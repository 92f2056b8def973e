"""The entry of a claim in a store depends on the files read for it, their folder, and the versions."""

import json
import os
from pathlib import Path

import pytest

from roofproof.claims import verifying
from roofproof.cli import main
from roofproof.proofs.replay import store as store_file
from roofproof.proofs.replay.store import opened


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("ROOFPROOF_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    opened.cache_clear()


def run():
    """Return the verdict on each claim, and whether it was judged again or proved again from the store."""
    return [(r.kind, r.kept) for r in verifying.verify(["book.toml"], workers=1, store="store")]


CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 512, "intermediate_size": 1024,
    "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 8, "vocab_size": 1000,
    "torch_dtype": "bfloat16", "hidden_act": "silu", "tie_word_embeddings": False,
}  # fmt: skip
OF_A_MODEL = """
[ops]
p = "model.json:prefill"
[[claim]]
id = "a"
says = "flops(p) == 1024000 B + 10487808 B L + 2048 B L^2"
"""


def test_what_another_file_held_is_part_of_the_question():
    Path("model.json").write_text(json.dumps(CONFIG))
    Path("book.toml").write_text(OF_A_MODEL, "utf-8")
    assert run() == [("verified", "anew")]
    assert run() == [("verified", "again")]
    Path("model.json").write_text(json.dumps(CONFIG | {"vocab_size": 2000}))
    assert run() == [("refuted", "anew")]
    Path("model.json").unlink()
    assert run() == [("unusable", "")]


def test_a_relative_path_in_a_book_is_that_of_the_folder_where_it_is_read(monkeypatch):
    Path("book.toml").write_text(OF_A_MODEL, "utf-8")
    Path("model.json").write_text(json.dumps(CONFIG))
    store = os.path.abspath("store")
    assert main(["verify", "book.toml", "--store", store]) == 0
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    Path("book.toml").write_text(OF_A_MODEL, "utf-8")
    Path("model.json").write_text(json.dumps(CONFIG | {"vocab_size": 2000}))
    assert main(["verify", "book.toml", "--store", store]) == 1


def test_a_file_that_changes_while_a_claim_is_judged_is_not_kept(monkeypatch):
    Path("model.json").write_text(json.dumps(CONFIG))
    Path("book.toml").write_text(OF_A_MODEL, "utf-8")
    real = verifying.judge_with_slip

    def while_it_changes(claim):
        Path("model.json").write_text(json.dumps(CONFIG | {"vocab_size": 3000}))
        return real(claim)

    monkeypatch.setattr(verifying, "judge_with_slip", while_it_changes)
    run()
    assert list(Path("store").glob("*/*.json")) == []


def test_the_version_names_what_texts_are_read_with(monkeypatch):
    before = store_file.version()
    for name in store_file.SOLVER_PACKAGES:
        monkeypatch.setattr(store_file, "installed", lambda names, own=name: ["0" if n == own else "1" for n in names])
        store_file.version.cache_clear()
        assert store_file.version() != before
    monkeypatch.undo()
    store_file.version.cache_clear()
    assert store_file.version() == before and {"z3-solver", "sympy"} < {*store_file.SOLVER_PACKAGES}
