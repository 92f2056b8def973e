"""Commands with parallel work: workers print the same as one process, and a killed worker loses nothing."""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofproof import chip, op, parallel, sweep
from roofproof.cli import main
from roofproof.commands.shared import with_progress
from roofproof.errors import RoofproofError
from roofproof.parallel import parallel_map, workers_from

BOOK = "\n".join(f'[[claim]]\nid = "c{i}"\nsays = "{i} a + {i + 1} b <= {i + 1} (a + b)"' for i in range(13))
QUESTIONS = '[[question]]\nid = "q"\nop = "matmul"\nasks = "flops"\n'
BANK = "\n".join(
    f'[[exercise]]\nid = "{asks}"\ntext = "How many, of N = {{n}}?"\nop = "dot"\nasks = "{asks}"\n'
    f'at = {{ N = "{{n}}" }}\nvary = {{ n = [8, 64] }}'
    for asks in ("flops", "bytes")
)
COMMANDS = {
    "verify": ["verify", "book.toml", "--json"],
    "check": ["grade", "--answers", "answers.csv", "--exercises", "questions.toml", "-o", "grades.csv"],
    "atlas": ["derive", "--as", "list", "dot:bf16", "fft", "--chip", "tpu-v5e", "--at", "N=64"],
    "floors": ["floors", *("matmul:fp16", "matmul:bf16", "matmul:int8") * 3, "--chip", "h100-sxm", "--json"],
    "exercises": ["exercises", "bank.toml", "--variants", "2", "--to", "gift", "-o", "bank"],
    "sweep": ["sweep", "dot", "--over", "N=1:600000", "--quantity", "flops", "-o", "s.npz"],
}
TABLE = [
    "sweep",
    "matmul",
    "--chip",
    "tpu-v5e",
    "--at",
    "D=4096",
    "--over",
    "B=64:128:64",
    "--over",
    "F=1024:2048:1024",
]
WRITTEN = {"check": "grades.csv", "exercises": "bank/gift.txt", "sweep": "s.npz"}


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """Yield the address of a running cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="needs Dask; cure: pip install -e '.[test]'")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", memory_limit=0
    ) as cluster:
        yield cluster.scheduler_address


def ran(name: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, bytes]:
    """Return the status of a command, its output without the seconds taken, and the file it writes."""
    status = main([*COMMANDS[name], *options])
    out, err = capsys.readouterr()
    if name == "verify":
        out = json.dumps([claim | {"seconds": 0} for claim in json.loads(out)["claims"]])
    written = Path(WRITTEN[name]) if name in WRITTEN else None
    return status, out + err, b"" if written is None else written.read_bytes()


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder with the input files of the commands."""
    monkeypatch.chdir(tmp_path)
    Path("book.toml").write_text(BOOK)
    Path("questions.toml").write_text(QUESTIONS)
    Path("bank.toml").write_text(BANK)
    Path("answers.csv").write_text("question,answer\n" + "".join(f"q,{k} B D F\n" for k in range(60)))


@pytest.mark.sampled(3)
@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("name", COMMANDS)
def test_processes_print_what_one_process_prints(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    alone = ran(name, capsys, "--workers", "1")
    assert alone[0] == 0
    assert ran(name, capsys, "--workers", "2") == alone


@pytest.mark.sampled(3)
@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_cluster_prints_what_one_process_prints(
    name: str, scheduler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(name, capsys, "--workers", scheduler) == ran(name, capsys, "--workers", "1")


def test_a_cluster_sweeps_what_one_process_sweeps(scheduler: str, tmp_path: Path) -> None:
    """A cluster gives the same slabs, with a smaller last one, and the same table."""
    chips, sizes = [chip("tpu-v5e"), chip("h100-sxm")], {"B": range(64, 77), "F": range(1024, 9216, 1024)}
    found = sweep(op("matmul"), sizes, chips, ["attainable"], {"D": 64})
    alone, shared = list(found.slabs(slab=10)), list(found.slabs(scheduler, slab=10))
    assert len(alone) == len(shared) == 21
    for one, other in zip(alone, shared, strict=True):
        assert all((one[name] == other[name]).all() for name in found.columns)
    for name, workers in ("alone", "1"), ("shared", scheduler):
        assert main([*TABLE, "-o", f"{tmp_path}/{name}.csv", "--workers", workers]) == 0
    assert (tmp_path / "shared.csv").read_text() == (tmp_path / "alone.csv").read_text()


def once_killed(flag: str, k: int) -> int:
    if k == 5 and not os.path.exists(flag):
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return k * k


def killed(_: object, k: int) -> int:
    if k == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return k


def broken(_: object, k: int) -> int:
    raise RoofproofError(f"{k} is broken")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("on", ["2", "cluster"])
def test_a_worker_that_is_killed_costs_its_part_alone(on: str, scheduler: str, tmp_path: Path) -> None:
    flag, workers = tmp_path / "killed", workers_from(scheduler if on == "cluster" else on)
    assert list(parallel_map(once_killed, str(flag), range(12), workers, 2)) == [k * k for k in range(12)]
    assert flag.exists()
    with pytest.raises(RoofproofError, match="0 is broken"):
        list(parallel_map(broken, None, range(12), workers, 2))


def test_a_part_that_ends_every_process_is_told() -> None:
    with pytest.raises(RoofproofError, match="a part of the work ended 3 processes, one after another"):
        list(parallel_map(killed, None, range(12), 2))


def test_progress_starts_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another thread, workers would not be copies of the process, and would import everything again."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    before = set(threading.enumerate())
    for _ in with_progress([1], "parts"):
        assert set(threading.enumerate()) == before


def test_what_waits_is_bounded_and_workers_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "AHEAD", 2)
    taken: list[int] = []

    class Tasks(list[int]):
        def __getitem__(self, place: object) -> list[int]:  # type: ignore[override]
            taken.append(place.start)  # type: ignore[attr-defined]
            return super().__getitem__(place)  # type: ignore[index, return-value]

    found = parallel_map(pow, 2, Tasks(range(50)), 2)
    assert next(found) == 1
    assert max(taken) < 10
    found.close()


@pytest.mark.parametrize("text", ["0", "many", "257", "-1", "threads:", "1e3", "２"])
def test_who_works_is_told_in_one_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "--as", "list", "dot", "--workers", text]) == 2
    due = f"roofproof: workers '{text}': expected 1 to 256 processes, threads:N or tcp://HOST:PORT\n"
    assert capsys.readouterr().err == due


def test_a_cluster_without_dask_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    assert main(["derive", "--as", "list", "dot", "fft", "--chip", "tpu-v5e", "--workers", "tcp://127.0.0.1:9"]) == 2
    assert capsys.readouterr().err == "roofproof: Dask is not installed; cure: pip install 'roofproof[dask]'\n"
