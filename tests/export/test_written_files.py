"""Written files: the umask sets their permissions, and symbolic links are followed and kept."""

import os
import stat
from pathlib import Path

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.files import write_atomically

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o027, 0o002])
def test_a_file_is_made_as_the_umask_says(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_atomically(str(tmp_path / "a.md"), "# A")
    finally:
        os.umask(before)
    assert mode(tmp_path / "a.md") == 0o666 & ~mask


def test_a_file_that_is_there_stays_as_private_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch(0o600)
    write_atomically(str(tmp_path / "a.md"), "# A")
    assert mode(tmp_path / "a.md") == 0o600


@pytest.mark.parametrize("there", [True, False])
def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path, there: bool) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    if there:
        (elsewhere / "real.md").write_text("old")
    (home / "a.md").symlink_to(Path("..", "elsewhere", "real.md"))
    write_atomically(str(home / "a.md"), "# A")
    assert (home / "a.md").is_symlink() and (elsewhere / "real.md").read_text() == "# A"
    assert [p.name for p in (*home.iterdir(), *elsewhere.iterdir())] == ["a.md", "real.md"]


def test_a_link_to_a_device_or_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("/dev/null")
    (tmp_path / "b").symlink_to("b")
    for name in "ab":
        with pytest.raises(RoofproofError, match="cannot write"):
            write_atomically(str(tmp_path / name), "# A")
    assert (tmp_path / "a").is_symlink() and (tmp_path / "b").is_symlink()
