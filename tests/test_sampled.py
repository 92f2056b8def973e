"""The usual run has a case of every law and about a dozen cases of a large law. The other cases are slow."""

import sys
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent


def collected(
    request: pytest.FixtureRequest, cases: list[pytest.Mark | None], form: str, part: str | None = None
) -> list[SimpleNamespace]:
    """Return the cases of a law after collection. Each has one mark, or none."""
    [shared] = (
        p for p in request.config.pluginmanager.get_plugins() if getattr(p, "__file__", "") == str(ROOT / "conftest.py")
    )
    items = []
    for k, mark in enumerate(cases):
        marks = {mark.name: mark} if mark else {}
        add = lambda name, marks=marks: marks.setdefault(name, name)  # noqa: E731
        path = ROOT / form.partition("::")[0]
        items.append(SimpleNamespace(nodeid=form.format(k), path=path, add_marker=add, marks=marks))
        items[-1].get_closest_marker = marks.get
        items[-1].place = k
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    shared.pytest_collection_modifyitems(SimpleNamespace(getoption=lambda name: part, hook=hook), items)
    return items


def kept(request: pytest.FixtureRequest, cases: list[pytest.Mark | None], form: str = "a.py::law[{}]") -> list[int]:
    """Return the indices of the cases of a law that stay in the usual run."""
    return [item.place for item in collected(request, cases, form) if not {"slow", "long"} & {*item.marks}]


def test_parts_of_the_slow_cases_have_each_of_them_once(request) -> None:
    parts = [collected(request, [None] * 100, "a.py::law[{}]", f"{k}/3") for k in (1, 2, 3)]
    slow = [[item.place for item in part if "slow" in item.marks] for part in parts]
    usual = [[item.place for item in part if "slow" not in item.marks] for part in parts]
    assert usual == [kept(request, [None] * 100)] * 3
    assert sorted(chain(*slow)) == sorted({*range(100)} - {*usual[0]})
    assert max(map(len, slow)) - min(map(len, slow)) < 2


@pytest.mark.parametrize(
    ("count", "found"), [(1, 1), (2, 2), (12, 12), (13, 5), (36, 12), (37, 8), (61, 9), (240, 12), (1000, 12)]
)
def test_of_many_cases_about_a_dozen_stay_the_first_among_them(request, count: int, found: int) -> None:
    places = kept(request, [None] * count)
    assert len(places) == found and places[0] == 0
    assert {k % 2 for k in places} == {0, 1} or count == 1  # names in both languages stay


def test_a_law_may_say_one_in_how_many(request) -> None:
    assert kept(request, [pytest.mark.sampled(3).mark] * 10) == [0, 3, 6, 9]


def test_the_claims_of_a_book_are_one_law(request) -> None:
    assert kept(request, [None] * 61, "a.claims.toml::claim-{}") == kept(request, [None] * 61)


def test_a_case_that_is_slow_anyway_is_not_the_one_that_stays(request) -> None:
    assert kept(request, [pytest.mark.slow.mark, pytest.mark.long.mark, *[None] * 3]) == [2, 3, 4]
    assert kept(request, [pytest.mark.slow.mark, *[None] * 30])[0] == 1


def test_what_is_compiled_is_kept_for_the_next_run() -> None:
    """No collected module forbids bytecode files: each run would rewrite the asserts of every file again."""
    assert not sys.dont_write_bytecode
