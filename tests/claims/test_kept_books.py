"""A book that did not change is proved again out of a store without being read; every other one is read."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roofproof.claims import book_cache, verifying
from roofproof.claims.language.book import book_from_text
from roofproof.claims.verdict_cache import known_from, to_data, verdict_from
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.proofs.replay import store as store_file
from roofproof.proofs.replay.store import KEY_BYTES, Store, opened

BOOK = """
[textbook]
title = "Small"
[ops]
mm = "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"
[[claim]]
id = "maximum"
says = "a + b <= 2 max(a, b)"
[[claim]]
id = "limit"
says = "intensity(mm) -> B"
regime = "D, F >> B"
[[claim]]
id = "rounded"
says = "ridge(tpu-v5e, bf16) ~= 240.5"
expect = "rounded"
[[claim]]
id = "方"
says = "x x >= 2 x"
expect = "refuted"
[[claim]]
id = "opinion"
says = "it is fast"
expect = "not-checkable"
reason = "an opinion"
"""
PROVED = 4  # all but the opinion
OTHER = '[[claim]]\nid = "other"\nsays = "x + y > x"\n'
ENGINES = {"sympy", "z3", "pint", "lark", "flint"}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("ROOFPROOF_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("book.toml").write_text(BOOK, "utf-8")
    Path("other.toml").write_text(OTHER, "utf-8")
    opened.cache_clear()


def run(*paths):
    """Return what is found of the claims of books, and which of them were read."""
    results, read = book_cache.verify(paths or ("book.toml",), "store", workers=1)
    return [r.record() | {"seconds": 0, "damaged": r.damaged} for r in results], read


def printed(capsys, *options):
    status = main(["verify", "book.toml", "other.toml", "--workers", "1", *options])
    said = capsys.readouterr()
    return status, said.out, said.err


def whole():
    """Return the entries of whole books: those that no claim has."""
    return [p for p in Path("store").glob("*/*.json") if b'"claims"' in p.read_bytes()]


def test_a_book_that_did_not_change_says_the_same_and_is_not_read(capsys, monkeypatch):
    without = printed(capsys)
    first = printed(capsys, "--store", "store")
    assert len(whole()) == 2
    with monkeypatch.context() as closed:
        closed.setattr(verifying, "verify", lambda *_, **__: pytest.fail("a book was read"))
        second = printed(capsys, "--store", "store")
        chinese = printed(capsys, "--store", "store", "--lang", "zh")
    assert without == (0, first[1], "") and first[:2] == second[:2]
    assert first[2] == "roofproof: store 'store': 0 proved again, 6 judged\n"
    assert second[2] == "roofproof: store 'store': 5 proved again, 1 judged\n"
    assert chinese[1] == printed(capsys, "--lang", "zh")[1]


def test_neither_sympy_nor_a_solver_nor_a_grammar_is_needed():
    run("book.toml", "other.toml")
    command = "['verify', 'book.toml', 'other.toml', '--json', '--store', 'store']"
    code = f"import sys; from roofproof.cli import main; main({command}); sys.exit(len({ENGINES} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "5 proved again" in done.stderr
    assert [c["verdict"] for c in json.loads(done.stdout)["claims"]][:2] == ["verified", "verified"]


@pytest.mark.parametrize(
    "change",
    [
        lambda: Path("book.toml").write_text(BOOK + "# a comment\n", "utf-8"),
        lambda: Path("book.toml").write_text(BOOK.replace("240.5", "240.6"), "utf-8"),
        lambda: Path("book.toml").write_text(BOOK.replace("bf16[D,F]", "int8[D,F]"), "utf-8"),
    ],
    ids=["a comment", "a digit", "an operation"],
)
def test_whatever_changes_in_a_book_it_is_read(change):
    run()
    change()
    after, read = run()
    assert read == ["book.toml"] and after == [
        r.record() | {"seconds": 0, "damaged": False} for r in verifying.verify(["book.toml"], workers=1)
    ]
    assert run() == (after, [])


def test_the_entry_is_that_of_a_path():
    run()
    Path("moved.toml").write_text(BOOK, "utf-8")
    found, read = run("moved.toml")
    assert read == ["moved.toml"] and {r["file"] for r in found} == {"moved.toml"}


# --- damage and forgery ---------------------------------------------------------------------------


def forged():
    for path in whole():
        body = path.read_bytes().partition(b"\n")[2]
        path.write_bytes(b"0" * 64 + b"\n" + body.replace(b'"refuted"', b'"verified"'))


def forged_text():
    """Another verdict below a seal that is that of what stood there."""
    for path in whole():
        path.write_bytes(path.read_bytes().replace(b'"refuted"', b'"verified"'))


def moved():
    """The entry of each book under the name of the other one."""
    one, two = whole()
    contents = one.read_bytes(), two.read_bytes()
    two.write_bytes(contents[0])
    one.write_bytes(contents[1])


def of_a_claim():
    """The entry of a claim, which is sealed well, under the name of a book."""
    claims = [p for p in Path("store").glob("*/*.json") if p not in whole()]
    for path in whole():
        path.write_bytes(claims[0].read_bytes())


def of_another_version():
    real = store_file.version
    store_file.version = lambda: "0" * 32
    try:
        opened.cache_clear()
        run("book.toml", "other.toml")
    finally:
        store_file.version = real
        opened.cache_clear()
    for path in Path("store", "0" * 32).glob("*.json"):
        path.replace(Path("store", real(), path.name))


def of_another_account():
    Path(os.environ["XDG_STATE_HOME"], "roofproof", "store-key").write_bytes(bytes(KEY_BYTES))
    opened.cache_clear()


def emptied():
    for path in whole():
        path.write_bytes(b"")


def cut():
    for path in whole():
        path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "spoil",
    [forged, forged_text, moved, of_a_claim, of_another_version, of_another_account, emptied, cut],
    ids=lambda f: f.__name__,
)
def test_an_entry_that_is_not_as_it_was_written_is_refused_and_the_book_read(spoil):
    paths = "book.toml", "other.toml"
    first, _ = run(*paths)
    spoil()
    found, read = run(*paths)
    assert read == (["book.toml"] if spoil is forged_text else [*paths])  # nothing of the other one is refuted
    assert [r | {"damaged": False} for r in found] == first
    assert {r["file"] for r in found if r["damaged"]} == set(read)
    assert run(*paths) == (first, [])  # and mended


def test_a_broken_entry_is_told(capsys):
    printed(capsys, "--store", "store")
    cut()
    said = (
        "roofproof: store 'store': 5 proved again, 1 judged\nroofproof: store 'store': 2 entries are not as they were"
    )
    assert printed(capsys, "--store", "store")[2].startswith(said)


def test_a_pipe_in_place_of_a_book_or_of_its_entry_is_not_waited_for(capsys):
    run()
    [entry] = whole()
    entry.unlink()
    os.mkfifo(entry)
    assert run()[1] == ["book.toml"]
    Path("book.toml").unlink()
    os.mkfifo("book.toml")
    assert main(["verify", "book.toml", "--store", "store"]) == 2
    assert "a pipe or a device, not a file" in capsys.readouterr().err


def places(j, path=()):
    if isinstance(j, dict):
        for name, part in j.items():
            yield from places(part, (*path, name)) if name not in ("says", "witness", "about", "kind", "claim") else ()
    elif isinstance(j, list):
        for k, part in enumerate(j):
            yield from places(part, (*path, k))
    elif path and j is not None:
        yield path, j


def test_whoever_has_the_key_still_proves_nothing_wrong():
    """Every number, name and sign of the entry of a book changed, as if sealed well: refused, or all of it is true."""
    claims = book_from_text(
        '[[claim]]\nid = "a"\nsays = "x + y > x"\n[[claim]]\nid = "b"\nsays = "x + y > y and 3 > 2"\n'
    ).claims
    text = json.dumps(book_cache.together([to_data(verifying.judge_with_slip(c)) for c in claims]))
    refused = taken = 0
    for path, old in list(places(json.loads(text))):
        for new in [not old] if type(old) is bool else [old + 1, -1] if type(old) is int else ["y", ">", "7"]:
            data = json.loads(text)
            spot = data
            for step in path[:-1]:
                spot = spot[step]
            spot[path[-1]] = new
            try:
                known = known_from(data)
                made = [verdict_from(each, known) for each in data["claims"]]
            except (RoofproofError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                refused += 1
                continue
            taken += 1
            assert all(not k.warrant.check(k.statement) for verdict in made for k in verdict.known)
    assert refused > 3 * taken > 0, (refused, taken)


# --- what is not kept -----------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "more",
    [
        '[[claim]]\nid = "out-of-reach"\nsays = "x^x + 1 > x"\nexpect = "undecided"\n',
        '[[claim]]\nid = "smt"\ngiven = "n integer"\nsays = "floor(floor(n/2)/2) >= floor(n/4)"\n',
        '[[claim]]\nid = "broken"\nsays = "1 +"\n',
        "[[hold]]\nid = 'a'\nop = 'dot'\nchip = 'tpu-v5e'\ntable = '''\nN time[us]\n819000 8\n'''\n",
    ],
    ids=["undecided", "a solver's word", "broken", "a table of times"],
)
def test_a_book_with_what_cannot_be_checked_again_is_read_each_time(more):
    Path("book.toml").write_text(BOOK + more, "utf-8")
    first, second = run(), run()
    assert first == second and second[1] == ["book.toml"] and whole() == []


def test_what_is_wrong_with_an_operation_is_told_each_time(capsys):
    Path("other.toml").write_text('[ops]\nbad = "no-such-operation"\n' + OTHER, "utf-8")
    for _ in range(2):
        status, _, err = printed(capsys, "--store", "store")
        assert status == 2 and "other.toml: ops.bad: unknown operation" in err


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


@pytest.mark.parametrize("extra", ["", '[[claim]]\nid = "open"\nsays = "x^x + 1 > x"\nexpect = "undecided"\n'])
def test_what_another_file_held_is_part_of_the_question(extra):
    """With the extra claim the book has no entry of its own, so that those of its claims are asked."""
    Path("model.json").write_text(json.dumps(CONFIG))
    Path("book.toml").write_text(OF_A_MODEL + extra, "utf-8")
    assert run()[0][0]["verdict"] == "verified"
    assert run()[0][0]["verdict"] == "verified"
    Path("model.json").write_text(json.dumps(CONFIG | {"vocab_size": 2000}))
    changed, read = run()
    assert changed[0]["verdict"] == "refuted" and read == ["book.toml"]
    Path("model.json").unlink()
    assert run()[0][0]["verdict"] == "unusable"


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
    for name in store_file.ENGINES:
        monkeypatch.setattr(store_file, "installed", lambda names, own=name: ["0" if n == own else "1" for n in names])
        store_file.version.cache_clear()
        assert store_file.version() != before
    monkeypatch.undo()
    store_file.version.cache_clear()
    assert store_file.version() == before and {"lark", "pint"} < {*store_file.ENGINES}


def test_an_entry_of_a_book_is_no_larger_than_those_of_its_claims():
    run()
    [entry] = whole()
    claims = sum(p.stat().st_size for p in Path("store").glob("*/*.json")) - entry.stat().st_size
    assert entry.stat().st_size < claims + 600 * len(re.findall("id =", BOOK))


def test_a_full_disk_costs_an_entry_and_no_verdict(monkeypatch):
    monkeypatch.setattr(Store, "put", lambda *_: "No space left on device")
    without = [r.record() | {"seconds": 0, "damaged": False} for r in verifying.verify(["book.toml"], workers=1)]
    assert run() == (without, ["book.toml"]) and run() == (without, ["book.toml"])
