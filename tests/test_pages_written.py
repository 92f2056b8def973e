"""The pages generated from the package are up to date."""

import commands
import library
import pytest


@pytest.mark.parametrize("writer", [commands, library], ids=lambda each: each.__name__)
def test_the_page_is_what_its_writer_gives(writer: object) -> None:
    assert writer.PAGE.read_text(encoding="utf-8") == writer.page(), f"python docs/{writer.__name__}.py writes it again"
