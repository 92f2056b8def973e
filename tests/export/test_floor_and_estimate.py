"""Every output with a time distinguishes its floor from its estimate, with the same terms."""

import math
from pathlib import Path

import pytest
from set_out import derivation, rendered

from roofproof.cli import main
from roofproof.export.outline import Outline, outline
from roofproof.export.record import record
from roofproof.hardware import chip
from roofproof.ops import parse_operation

SIZES = {"B": 64, "D": 4096, "F": 4096}


def on(name: str) -> Outline:
    return outline(parse_operation("matmul"), chip(name), None, SIZES)


@pytest.mark.parametrize(("name", "of"), [("h100-sxm", "fp16"), ("h200-sxm", "h100-sxm, fp16"), ("tpu-v5e", None)])
def test_floor_and_estimate_are_told_apart(name: str, of: str | None) -> None:
    text = rendered(on(name), "en")
    chinese = rendered(on(name), "zh")
    assert "  max     " in text and "  最大  " in chinese
    assert not any(word in text + chinese for word in ("lower", "upper", "下界", "上界"))
    assert ("estimate, not proved" in text) == ("估计（未经证明" in chinese) == (of is not None)
    if of:
        assert f"borrowed: they are those of {of}\n" in text
        assert text.index("  max     ") < text.index("estimate, not proved") < text.index("time ≈ ")


def test_the_estimate_comes_to_its_formula() -> None:
    """The estimate equals t0 + sqrt((F/(e P))^2 + (Q/(d W))^2), computed here in floats."""
    found = record(parse_operation("matmul"), chip("h100-sxm"), None, SIZES, 0)["time"]
    flops, moved = 2 * 64 * 4096**2, 2 * (2 * 64 * 4096 + 4096**2)
    by_hand = 5.91e-6 + math.hypot(flops / (0.743 * 989e12), moved / (0.924 * 3.35e12))  # float: by hand
    [row] = on("h100-sxm").rows("estimated")
    assert float(row.value) == pytest.approx(by_hand) and found["estimate"]["seconds"] == str(row.value)  # float: shown
    assert found["floor"] == found["lower"] and "trust" not in found["estimate"]
    assert "estimate" not in record(parse_operation("matmul"), chip("tpu-v5e"), None, SIZES, 0)["time"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_latex_has_the_estimate_after_the_floor(lang: str) -> None:
    tex = derivation(parse_operation("matmul"), chip("h100-sxm"), None, SIZES, lang=lang)
    estimate = {"en": "estimate, not proved", "zh": "估计（未经证明"}[lang]
    estimated = r"$\qty{5.91}{\micro\second} + \sqrt"
    assert tex.index(r"T_{\text{max}} \approx") < tex.lower().index(estimate) < tex.index(estimated)
    assert r"T_{\text{lower}}" not in tex and r"T_{\text{upper}}" not in tex


@pytest.mark.parametrize(("status", "said"), [("vendor docs", "datasheet roof"), ("measured", "roof, as measured")])
def test_a_measured_roof_is_no_floor(
    status: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = {"fp16": "24 TFLOP/s", "hbm": "1 TB/s"}
    lines = [
        f'[{name}]\ndefault = {{ value = "{v}", status = "{status}", source = "s" }}' for name, v in figures.items()
    ]
    (tmp_path / "mine.toml").write_text("\n".join(["title = 'mine'", *lines]), encoding="utf-8")
    (tmp_path / "t.csv").write_text("m,n,k,us\n256,256,256,10\n", encoding="utf-8")
    asked = ["time", "--measured", str(tmp_path / "t.csv"), "--chip", str(tmp_path / "mine.toml"), "--cold"]
    assert main([*asked, "--plot", str(tmp_path / "p.svg")]) == 0
    assert ("minimum time" in capsys.readouterr().out) == (status != "measured")
    assert said in (tmp_path / "p.svg").read_text(encoding="utf-8")
