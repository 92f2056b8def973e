"""Operations in a store: found again while nothing that they came from has changed, worked out anew where it has."""

import shutil
from pathlib import Path

import pytest

from roofproof.bench.kept import kept
from roofproof.bench.manifest import ProblemSpec
from roofproof.bench.problems import loaded
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.ops import parse_operation
from roofproof.ops.notation.passes import floor_text
from roofproof.proofs.replay.store import opened

FOUND = parse_operation("matmul:fp16"), None
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    opened.cache_clear()
    yield str(tmp_path / "store")
    opened.cache_clear()


def test_an_operation_is_traced_once_until_something_it_came_from_changes(tmp_path, folder):
    home = tmp_path / "problems"
    home.mkdir()
    (home / "1_a.py").write_text("import helper\nfrom package import part\n")
    (home / "helper.py").write_text("import other\n")
    (home / "other.py").write_text("SIZE = 1\n")
    (home / "package").mkdir()
    (home / "package" / "part.py").write_text("SIZE = 1\n")
    (home / "sizes.json").write_text("{}")
    (home / "2_b.py").write_text("")
    count = []

    def again(one):
        before = len(count)
        assert kept(one, folder, lambda: count.append(one) or FOUND) == (FOUND, "")
        return len(count) > before

    one, other = ProblemSpec("1_a", str(home / "1_a.py")), ProblemSpec("2_b", str(home / "2_b.py"))
    assert [again(one), again(one), again(other), again(other)] == [True, False, True, False]
    for name in ("1_a.py", "helper.py", "other.py", "package/part.py", "sizes.json"):
        path = home / name
        path.write_text(path.read_text() + " \n")
        assert again(one) and not again(one), name
        assert again(other) == (name == "sizes.json")  # which either may read
    assert again(ProblemSpec("1_a", one.op, where="B even")) and again(
        ProblemSpec("f", "run", shapes="x:bf16[B]", code="pass")
    )
    for entry in (tmp_path / "store").glob("*/*.json"):
        entry.write_bytes(entry.read_bytes().replace(b"fp16", b"fp32"))
    assert again(one) and again(other)  # an entry that somebody wrote to is no entry


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path, folder, monkeypatch):
    for k in range(4):
        (tmp_path / f"{k}.py").write_text(f"# {k}\n")
    traced = []

    class References:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def traced(self, path, traffic):
            if len(traced) == 2:
                traced.append("")
                raise KeyboardInterrupt
            traced.append(path[-4:])
            return FOUND[0]

    monkeypatch.setattr("roofproof.trace.elsewhere.References", References)
    asked = [ProblemSpec(f"{k}", str(tmp_path / f"{k}.py")) for k in range(4)]
    with pytest.raises(KeyboardInterrupt):
        list(loaded(asked, folder))
    assert [problem.op for problem in loaded(asked, folder)] == [FOUND[0]] * 4
    assert traced == ["0.py", "1.py", "", "2.py", "3.py"]


def test_an_operation_of_files_is_read_once_until_one_of_them_changes(tmp_path, folder, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "models" / "mixtral-8x7b.json", "model.json")
    Path("own.toml").write_text('op = "x:bf16[B,D], w:bf16[D,F] -> y:bf16[B,F]"')
    Path("two.toml").write_text('steps = ["own.toml", "own.toml:x=fp8"]')
    texts = ["model.json:decode", "two.toml", "prefill:gpt-3", "bf16[N] -> bf16[N]"]
    command = ["floors", *texts, "--chip", "h100-sxm", "--where", "B even", "--json"]
    reads = []
    monkeypatch.setattr("roofproof.bench.problems.floor_text", lambda text: reads.append(text) or floor_text(text))

    def read(*more):
        reads.clear()
        code = main([*command, *more])
        return code, capsys.readouterr().out, list(reads)

    code, without, all_of_them = read()
    store = ["--store", folder]
    assert (code, all_of_them) == (0, texts)
    assert read(*store) == (0, without, texts)
    assert read(*store) == (0, without, texts[2:])  # a name and an einsum are read faster than an entry
    for text, name, said, other in ((texts[1], "own.toml", "w:bf16", "w:int8"), (texts[0], "model.json", ": 8", ": 4")):
        Path(name).write_text(Path(name).read_text().replace(said, other))
        before, (code, without, _) = without, read()
        assert code == 0 and without != before
        assert read(*store) == (0, without, [text, *texts[2:]])
    Path("own.toml").unlink()
    assert read(*store)[0] == read()[0] and "own.toml" in read(*store)[1]
    shutil.copytree(".", "elsewhere", ignore=shutil.ignore_patterns("st*"))
    Path("elsewhere/model.json").write_text(Path("model.json").read_text().replace('": 2', '": 1'))
    monkeypatch.chdir("elsewhere")
    code, changed, _ = read()
    assert code == 0 and changed != without
    assert read(*store)[:2] == (0, changed)


def test_what_cannot_be_traced_is_tried_again_and_a_folder_that_is_none_is_refused(tmp_path, folder, capsys):
    (tmp_path / "a.py").write_text("")
    one, count = ProblemSpec("a", str(tmp_path / "a.py")), []

    def fails():
        count.append(one)
        raise RoofproofError("no")

    for _ in range(2):
        with pytest.raises(RoofproofError, match="no"):
            kept(one, folder, fails)
    assert len(count) == 2
    (tmp_path / "file").write_text("")
    assert main(["floors", "matmul", "--chip", "tpu-v5e", "--store", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
