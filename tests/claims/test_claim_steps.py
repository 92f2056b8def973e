"""The steps behind verdicts, as `verify --steps` prints them: every kind of verdict, both languages, JSON."""

import json
from pathlib import Path

import pytest
from set_out import steps_lines

from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.steps import claim_steps
from roofproof.claims.language.book import book_from_text
from roofproof.cli import main
from roofproof.proofs.steps.step import Steps

CHIP = (
    '[chips.q1]\nint8 = "3.94e14 FLOP/s"\nhbm = "8.1e11 B/s"\n[ops]\nmm8 = "x:int8[B,D], w:int8[D,F] -> z:int8[B,F]"\n'
)
FORMS = [
    (
        'says = "argmin(T, X) == sqrt(A/C)"\nlet = { T = "A/X + C*X" }',
        [
            "the optimum, step by step: argmin(T, X)",
            "C*X + A/X - 2*sqrt(A)*sqrt(C) = (sqrt(A) - X*sqrt(C))^2/X the difference, factored",
            "(sqrt(A) - X*sqrt(C))^2/X >= 0 no factor of it is negative",
            "C*X + A/X >= 2*sqrt(A)*sqrt(C) so this is a bound",
            "C*X + A/X = 2*sqrt(A)*sqrt(C) at X = sqrt(A)/sqrt(C)",
        ],
    ),
    (
        'says = "flops(matmul) == B D F"',
        ["flops(matmul) = 2*B*D*F what it stands for", "2 > 1 substitute B = 1, D = 1, F = 1"],
    ),
    ('says = "x^2 >= 2 x"\ngiven = "x >= 2"', ["x*(x - 2) >= 0 the signs in this case", "<=> x^2 >= 2*x"]),
    (
        'says = "C/P > M/W <=> C/M > P/W"',
        ["C/P > M/W suppose this", "<=> C > M*P/W multiply by P > 0", "<=> C/M > P/W hence, as all of it is positive"],
    ),
    (
        'says = "intensity(matmul) > 240 => B > 240"',
        ["<=> B*D*F > 240*B*D + 240*B*F + 240*D*F multiply by", "=> B > 240 hence, as all of it is positive"],
    ),
    (
        'says = "argmin(K u + 3 F/u, u) == sqrt(3 F/K)"',  # 3 F = (sqrt(3) sqrt(F))^2
        ["(u*sqrt(K) - sqrt(3)*sqrt(F))^2/u the difference, factored", "at u = sqrt(3)*sqrt(F)/sqrt(K)"],
    ),
    ('says = "minimum(5 x + 7/x, x) == 2 sqrt(35)"', ["5*(x - sqrt(35)/5)^2/x >= 0 no factor of it is negative"]),
    ('says = "limit(intensity(dot), N) == 1/2"', ["(1/2 - f)/f = 2/(2*N - 1) relative error of 1/2, exactly"]),
    ('says = "limit(X/(X - 1), X) == 1"', ["f = 1/(1 - 1/X) divide above and below by X", "(f - 1)/f = 1/X"]),
    ('says = "limit(intensity(flash-attention), L) == oo"', ["f -> oo hence, as L -> oo"]),
    ('says = "intensity(matmul) -> B"\nregime = "D, F >> B"', ["f -> B hence, as D, F >> B", "relative error of B"]),
    ('says = "ridge(q1, int8) ~= 486 FLOP/B"', ["(486 - 39400/81)/(39400/81) = -17/19700 relative error of 486"]),
    (
        'says = "compute_bound(mm8, q1) <=> B > 243"\nregime = "D, F >> B"',
        ["the threshold, step by step: compute_bound(mm8, q1)", "substitute R = 39400/81", "<=> never by these signs"],
    ),
    (
        'says = "smallest(B, compute_bound(mm8, q1)) == 276"\nlet = { D = "4096", F = "4096" }',
        ["<=> B >= 276 B is a whole number", "smallest(B, compute_bound(mm8, q1)) = 276"],
    ),
    ('says = "exists t: t^2 == x"', ["no step-by-step proof: this kind of claim has no derivation"]),
]


def told(text: str, lang: str = "en") -> tuple[str, list[Steps]]:
    [claim] = book_from_text(f'{CHIP}[[claim]]\nid = "a"\n{text}').claims
    found = list(claim_steps(claim, judge(claim)))
    lines = [" ".join(line.split()) for line in steps_lines(found, lang)]
    return "\n".join(lines), [made for made in found if isinstance(made, Steps)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "lines"), FORMS)
def test_the_steps_behind_a_claim(text: str, lines: list[str]) -> None:
    said, found = told(text)
    place = 0
    for line in lines:
        assert line in said[place:], said
        place = said.index(line, place)
    assert {k.trust for made in found for k in made.known} <= {"kernel", "model"}
    chinese, _ = told(text, "zh")
    assert len(chinese.splitlines()) == len(said.splitlines())
    assert not any(word in chinese for word in ("step by step", "put in", "not told", " so,", "divide"))


def test_verify_prints_them_under_the_verdict_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "a.claims.toml"
    book.write_text('[[claim]]\nid = "a"\nsays = "2 > 1"\n')
    assert main(["verify", str(book), "--steps"]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[3:5] == ["     the claim, step by step: 2 > 1", "       2 > 1    both sides computed"]
    main(["verify", str(book), "--steps", "--json", "--only", "a"])
    [claim] = json.loads(capsys.readouterr().out)["claims"]
    assert claim["steps"][0]["lines"][0]["says"] == "2 > 1"
    main(["verify", str(book), "--json", "--only", "a"])
    assert "steps" not in json.loads(capsys.readouterr().out)["claims"][0]
