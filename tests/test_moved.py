"""What version 0.1 offered is found where it stood, with a warning; what has no successor says what to use."""

import importlib
import re
import subprocess
import sys

import pytest

from roofproof import _moved

# The names that its rooms offered and that stand elsewhere, or nowhere, today.
LANGUAGE = [
    "Book", "Claim", "Domain", "Environment", "Given", "Unusable", "dimension_of", "read_book", "read_expression",
    "read_given", "read_latex", "read_proposition", "to_boolean", "to_relation", "to_sympy", "to_text",
]  # fmt: skip
OFFERED = {
    "roofproof.derive": ["Capacity"],
    "roofproof.proofs.language": LANGUAGE,
    "roofproof.proofs.language.functions": ["FUNCTIONS"],
    "roofproof.proofs.slips": ["CATALOGUE", "Slip", "diagnose"],
}


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m.startswith(tuple(_moved.MODULES))]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize("module", OFFERED)
def test_an_old_path_leads_to_what_it_offered_and_warns(module: str) -> None:
    with pytest.warns(DeprecationWarning, match=r"^roofproof\.[a-zA-Z.]+ is roofproof\.[a-zA-Z.]+ now$") as told:
        home = importlib.import_module(module)
        for name in OFFERED[module]:
            assert getattr(home, name) is not None
    assert {w.filename for w in told} <= {__file__, importlib.__file__}


def test_a_module_found_by_its_old_path_is_the_one_of_today() -> None:
    from roofproof.claims import slips

    with pytest.warns(DeprecationWarning):
        assert importlib.import_module("roofproof.proofs.slips") is slips
    assert slips.__name__ == slips.__spec__.name == "roofproof.claims.slips"


@pytest.mark.parametrize(("room", "name"), _moved.REPLACED)
def test_what_has_no_successor_says_what_to_use(room: str, name: str) -> None:
    message = f"module '{room}' has no attribute '{name}'; {_moved.REPLACED[room, name]}"
    with pytest.raises(AttributeError, match=f"^{re.escape(message)}$"):
        getattr(importlib.import_module(room), name)
    for used in re.findall(r"roofproof(?:\.\w+)+", message.partition("; ")[2]):
        home, _, attribute = used.rpartition(".")
        assert hasattr(importlib.import_module(home), attribute)


def test_a_name_nobody_knew_is_not_found() -> None:
    with pytest.raises(AttributeError, match=r"^module 'roofproof.derive' has no attribute 'Nothing'$"):
        _ = importlib.import_module("roofproof.derive").Nothing
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'roofproof.nothing'$"):
        importlib.import_module("roofproof.nothing")


def test_the_package_itself_uses_no_old_path() -> None:
    start = "import roofproof.export, roofproof.claims.slips, roofproof.ops.library; roofproof.threshold"
    done = subprocess.run([sys.executable, "-W", "error::DeprecationWarning:roofproof", "-c", start])
    assert done.returncode == 0
