"""The wheel, built through the source archive like a release, installed alone and run from another folder."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

from roofproof.hardware import chip_names
from roofproof.ops import model_names

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command that sees neither the tree nor the Python settings of this environment."""
    clean = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}}
    return subprocess.run([str(c) for c in command], cwd=cwd, env=clean, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with the installed backend, so that no network is needed."""
    dist = tmp_path_factory.mktemp("dist")
    built = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, ROOT)
    assert built.returncode == 0, built.stdout + built.stderr
    assert len(list(dist.glob("*.tar.gz"))) == 1
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a fresh environment with the wheel. A path in a .pth file gives it the dependencies of this one."""
    home = tmp_path_factory.mktemp("fresh") / "env"
    venv.create(home, with_pip=False, symlinks=True)
    into = ["--python", str(home / "bin" / "python")]
    done = run(sys.executable, "-m", "pip", *into, "install", "-q", "--no-index", "--no-deps", wheel)
    assert done.returncode == 0, done.stdout + done.stderr
    (packages,) = home.glob("lib/python*/site-packages")
    # A plain path: .pth files in it, such as that of an editable roofproof, are not followed.
    lent = (p for p in sys.path if p.endswith("-packages"))
    (packages / "lent.pth").write_text("\n".join(lent), encoding="utf-8")
    return home


def package_files() -> set[str]:
    """Return the files of the tree under roofproof/, as paths from its root."""
    files = (p for p in (ROOT / "roofproof").rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(ROOT).as_posix() for p in files}


def test_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    names = {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n}
    assert names == package_files()
    assert "roofproof/py.typed" in names


def test_two_builds_are_alike(wheel: Path, tmp_path: Path) -> None:
    """Two builds are equal byte for byte, so that anybody can compare the published wheel with its source."""
    built = run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, ROOT)
    assert built.returncode == 0, built.stdout + built.stderr
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_index_can_show_the_description(wheel: Path) -> None:
    done = run(sys.executable, "-m", "twine", "check", "--strict", *wheel.parent.iterdir())
    assert done.returncode == 0, done.stdout + done.stderr


def test_source_archive_holds_what_the_repository_does(wheel: Path) -> None:
    """The archive has every tracked file, as the tests read them, except the links at the root."""
    listed = run("git", "ls-files", "-z", cwd=ROOT)
    if listed.returncode != 0:
        pytest.skip(f"the tree is no repository: {listed.stderr.strip()}")
    tracked = {name for name in listed.stdout.split("\0") if name and not (ROOT / name).is_symlink()}
    (archive,) = wheel.parent.glob("*.tar.gz")
    with tarfile.open(archive) as held:
        assert {name.partition("/")[2] for name in held.getnames()} == tracked | {"PKG-INFO"}


def test_wheel_holds_every_kind_of_data_file(wheel: Path) -> None:
    """The kinds are named one by one, so that a folder missing from both the tree and the wheel is noticed."""
    data = {PurePosixPath(n) for n in zipfile.ZipFile(wheel).namelist() if not n.endswith(".py")}
    held = Counter(str(n.parent / f"*{n.suffix}") for n in data if n.parts[0] == "roofproof" and n.suffix)
    assert held["roofproof/hardware/data/*.toml"] == len(chip_names()) >= 62
    assert held["roofproof/ops/models/*.toml"] == len(model_names()) >= 10
    assert held["roofproof/claims/textbooks/*.toml"] >= 5
    assert [n for n in data if n.suffix == ".md"] == [PurePosixPath("roofproof/agents/skill.md")]  # pages are in docs/


def test_wheel_puts_nothing_generic_in_site_packages(installed: Path) -> None:
    (packages,) = installed.glob("lib/python*/site-packages")
    tops = {p.name for p in packages.iterdir() if not p.name.endswith(".dist-info")}
    assert tops - {"__pycache__"} == {"roofproof", "lent.pth"}
    commands = {p.name for p in (installed / "bin").iterdir() if "python" not in p.name.lower()}
    assert {c for c in commands if not c.lower().startswith("activate")} == {"roofproof"}


def test_licence_travels_with_the_wheel(wheel: Path) -> None:
    assert any(n.endswith(".dist-info/licenses/LICENSE") for n in zipfile.ZipFile(wheel).namelist())


def test_command_of_the_wheel_lists_chips(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "bin" / "roofproof", "show", "chips", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "tpu-v5e" in done.stdout
    assert not list(tmp_path.iterdir())


def test_command_of_the_wheel_does_the_main_job(installed: Path, tmp_path: Path) -> None:
    command = ["derive", "matmul", "--chip", "tpu-v5e", "--for", "B", "--at", "D=4096,F=4096", "--json"]
    done = run(installed / "bin" / "roofproof", *command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    # 2 B D F / (2 B D + 2 D F + 2 B F) > 1.97e14 / 8.19e11 at D = F = 4096 from B = 273 on
    found = json.loads(done.stdout)
    assert (found["ridge"], found["threshold"]["integer_at_point"]) == ("197000/819", 273)
    assert found["threshold"]["trust"] == "kernel"
    assert not list(tmp_path.iterdir())


def test_command_of_the_wheel_reads_each_notation(installed: Path, tmp_path: Path) -> None:
    """The grammars are data files: for the einsum, the expressions, and chip specs in text."""
    for op in ["bf16[B,D], int8[D,F] -> bf16[B,F]", "flops bf16 = 2 B D F; bytes hbm = 2 B D + D F + 2 B F"]:
        command = ["derive", op, "--chip", "bf16=197 TFLOP/s, hbm=0.82 TB/s", "--for", "B", "--at", "D=4096,F=4096"]
        done = run(installed / "bin" / "roofproof", *command, "--json", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["threshold"]["integer_at_point"] == 137


def test_command_of_the_wheel_knows_every_model(installed: Path, tmp_path: Path) -> None:
    for name, shown in {"llama-2-7b": "6738415616", "deepseek-v3": "latent attention"}.items():
        done = run(installed / "bin" / "roofproof", "show", name, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert shown in done.stdout


def test_command_of_the_wheel_infers_collectives(installed: Path, tmp_path: Path) -> None:
    code = "from roofproof.ops.network import sharded_einsum as s; print(s('A[I_X, J] -> A[I, J]').communications[0])"
    done = run(installed / "bin" / "python", "-c", code, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "all-gather" in done.stdout


def test_the_wheel_is_what_runs(installed: Path, tmp_path: Path) -> None:
    code = "import roofproof; print(roofproof.__file__)"
    done = run(installed / "bin" / "python", "-c", code, cwd=tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(installed), done.stderr
