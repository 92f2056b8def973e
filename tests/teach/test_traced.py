"""An exercise about a function of a file: the key is that of what is traced, and no code is needed after that."""

import os
from pathlib import Path

import pytest

from roofproof.claims.answers.grade import grade
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.teach import bank, variants

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GATED = 'op = "gated.py:gated"\nshapes = "x:bf16[B,D], w_gate:bf16[D,F], w_up:bf16[D,F], w_down:bf16[F,D]"'
MODULE = 'op = "gated_module.py:Gated"\nshapes = "d=D, f=F, x:bf16[B,D]"'
CUT = 'op = "cut.py:cut"\nshapes = "x:fp32[N]"'


def exercise(folder: Path, asked: str):
    for name in ("gated.py", "gated_module.py"):
        (folder / name).write_bytes((EXAMPLES / name).read_bytes())
    (folder / "cut.py").write_text("import torch\n\ndef cut(x):\n    return torch.narrow(x, 0, 0, 3) * 2\n")
    path = folder / "bank.toml"
    path.write_text(f'[[exercise]]\nid = "q"\ntext = "How many bytes?"\n{asked}\n')
    return bank(str(path), [str(path.parent / f"{name}.py") for name in ("gated", "gated_module", "cut")]).exercises[0]


@pytest.fixture
def frameworks():
    for name in ("jax", "torch"):
        pytest.importorskip(name, reason=f"{name} is not installed; cure: pip install 'roofproof[{name}]'")


@pytest.mark.slow
@pytest.mark.frameworks
@pytest.mark.usefixtures("frameworks")
@pytest.mark.parametrize(
    ("asked", "key"), [(GATED, "4 B D + 6 D F"), (MODULE, "4 B D + 6 D F + 2 D + 4*F")], ids=["jax", "torch"]
)
def test_the_key_is_what_the_function_moves(tmp_path, asked, key):
    one = exercise(tmp_path, f'{asked}\nasks = "bytes"\nat = {{ F = 64 }}')
    for file in tmp_path.glob("*.py"):
        os.remove(file)
    (made,) = variants(one)
    assert grade(made.asked, key.replace("F", "64")).grade == "right"
    assert made.distractors


@pytest.mark.sampled(9)
@pytest.mark.frameworks
@pytest.mark.usefixtures("frameworks")
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ('op = "gated.py:gate"', "unknown function of gated.py 'gate'; did you mean 'gated'?"),
        ('op = "gated.py:gated"', "gated.py:4: no shape of the parameter 'x'; add x:bf16[...] to the shapes"),
        (GATED.replace("B,", "{B},"), "a function is traced once, so there is no gap in its shapes; give sizes by at"),
        (CUT, "what is counted holds where N >= 3; give numbers for sizes"),
        (f'{GATED}\ntraffic = "some"', "unknown traffic model 'some'"),
    ],
)  # fmt: skip
def test_what_cannot_be_traced_is_refused_with_its_line(tmp_path, asked, message):
    with pytest.raises(RoofproofError) as problem:
        exercise(tmp_path, f'{asked}\nasks = "bytes"')
    assert str(problem.value).startswith(f"{tmp_path / 'bank.toml'}, line 1: {message}")


def test_shapes_are_those_of_a_function(tmp_path):
    with pytest.raises(RoofproofError, match="line 1: shapes goes with a function, op = "):
        exercise(tmp_path, 'op = "matmul"\nshapes = "x:bf16[B]"\nasks = "bytes"')


@pytest.mark.frameworks
@pytest.mark.usefixtures("frameworks")
def test_text_that_is_read_in_another_way_is_refused(tmp_path, monkeypatch):
    """The text is read back before it is a key: here by a reader that drops what is moved."""
    from roofproof.ops import parse_operation
    from roofproof.teach import traced

    monkeypatch.setattr(
        traced, "parse_operation", lambda text: parse_operation(text.partition("; bytes")[0] + "; bytes memory = B")
    )
    with pytest.raises(RoofproofError, match="what is counted is read in another way as text: 'flops bf16 = 6"):
        exercise(tmp_path, f'{GATED}\nasks = "bytes"')


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "is code, which a bank does not run; to run it, name its file: --code "),
        ("zh", "是代码，题库不运行代码；要运行它，请指明其文件：--code "),
    ],
)
@pytest.mark.parametrize("named", ["evil.py", "{there}/evil.py", "../there/evil.py"])
def test_a_bank_that_is_handed_on_runs_no_code(tmp_path, capsys, named, lang, said):
    there = tmp_path / "there"
    there.mkdir()
    (there / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef f(x): return x\n")
    (there / "bank.toml").write_text(
        f'[[exercise]]\nid = "q"\ntext = "?"\nop="{named.format(there=there)}:f"\nshapes = "x:bf16[N]"\nasks = "flops"'
    )
    (there / "gated.py").touch()
    asked = ["exercises", str(there / "bank.toml"), "--to=gift", f"-o={tmp_path / 'out'}", f"--lang={lang}"]
    assert main([*asked, f"--code={there / 'gated.py'}"]) == 2
    assert said in capsys.readouterr().err
    course = f'[course]\ntitle = "A // B"\nsubtitle = "A // B"\nexercises = ["{there / "bank.toml"}"]\n'
    (there / "course.toml").write_text(f'{course}[[slide]]\ntitle = "A // B"\nsay = {{ en = "A", zh = "A" }}\n')
    assert main(["slides", f"--course={there / 'course.toml'}", "--part=exercises", f"-o={tmp_path / 'a.tex'}"]) == 2
    assert "is code, which a bank does not run" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


@pytest.mark.frameworks
@pytest.mark.usefixtures("frameworks")
def test_code_that_the_command_names_is_run(tmp_path):
    (tmp_path / "gated.py").write_bytes((EXAMPLES / "gated.py").read_bytes())
    (tmp_path / "bank.toml").write_text(f'[[exercise]]\nid = "q"\ntext = "Bytes?"\n{GATED}\nasks = "bytes"\n')
    asked = ["exercises", str(tmp_path / "bank.toml"), "--to=gift", f"-o={tmp_path / 'out'}"]
    assert main([*asked, f"--code={tmp_path / 'gated.py'}"]) == 0
