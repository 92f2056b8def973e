"""Laws of plain text: every kind of answer is rendered in each language, always in the same way."""

import pytest
from set_out import rendered

from roofproof import chip, op, threshold
from roofproof.cli import main
from roofproof.export.outline import Outline, outline
from roofproof.say import LANGUAGES

POINT = {"D": 4096, "F": 4096}


def answers() -> dict[str, Outline]:
    matmul, on = op("matmul"), chip("tpu-v5e")
    cut, dot = op("data-parallel"), op("dot")
    return {
        "operation": outline(dot, None, None, {}),
        "link": outline(cut, None, None, {}),
        "no bytes": outline(op("flops bf16 = 6 N"), None, None, {}),
        "chip": outline(matmul, on, None, {"B": 256, **POINT}),
        "threshold": outline(matmul, None, threshold(matmul, None, "B"), {}),
        "on a chip": outline(matmul, on, threshold(matmul, on, "B", POINT), POINT),
        "never": outline(dot, on, threshold(dot, on, "N"), {}),
    }


ANSWERS = answers()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("answer", ANSWERS)
def test_every_answer_becomes_text_and_always_the_same(answer: str, lang: str) -> None:
    found = ANSWERS[answer]
    text = rendered(found, lang)
    assert isinstance(text, str) and found.op.name in text
    assert all(line == line.rstrip() for line in text.splitlines())
    assert text == rendered(found, lang)


def test_different_answers_become_different_text() -> None:
    assert len({rendered(found) for found in ANSWERS.values()}) == len(ANSWERS)


def test_the_command_line_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "dot", "--full"]) == 0
    first = "I = (2*N - 1)/(4*N + 2) FLOP/B, which tends to 1/2 as N -> oo [proved]"
    assert capsys.readouterr().out == f"{first}\n\n{rendered(ANSWERS['operation'])}\n"


@pytest.mark.parametrize(("sizes", "told"), [({}, False), ({"B": 64, "D": 4096, "F": 4096}, True)])
def test_times_under_other_figures_are_told_where_there_are_any(sizes: dict[str, int], told: bool) -> None:
    """The other published specs of a chip change its times, which are given only at sizes."""
    text = rendered(outline(op("matmul"), chip("b200"), None, sizes))
    _, _, others = text.partition("with other published specs\n")
    assert others and ("max ≈" in others) == told
