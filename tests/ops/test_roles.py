"""Each size has a role, declared in the library or given by its letter, which sets regimes and usual sizes."""

import pytest
import sympy

from roofproof import op
from roofproof.cli import main
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.critical_size import default_regime
from roofproof.errors import RoofproofError
from roofproof.hardware import chip
from roofproof.ops import at, entries, fuse, tile
from roofproof.ops.roles import declared, role_of, roles, usual_sizes

STAY = {
    "layers", "heads", "groups", "heads a group", "head width", "state width", "latent width", "rotary width", "rank",
    "experts", "experts a token", "window", "block", "chunk", "group", "kernel width", "image side", "sweeps",
    "nonzeros a row", "selected", "bins", "chips",
}  # fmt: skip


def test_the_table_of_roles() -> None:
    assert {name for name, each in roles().items() if not each.grows} == STAY
    for name, each in roles().items():
        assert 1 <= each.least <= each.usual <= each.most, name
        assert each.in_language("zh") != each.in_language("en") == name
    assert len({each.in_language("zh") for each in roles().values()}) == len(roles())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", entries())
def test_every_operation_of_the_library_declares_a_role_for_each_of_its_sizes(name: str) -> None:
    made = entries()[name]()
    missing = [s.name for s in made.dims if s.name not in made.roles]
    assert not missing, f"{name}: give Entry(..., sizes='{missing[0]}: ROLE'), a role of roofproof/ops/roles.toml"
    usual = usual_sizes(made)
    for size, role in made.roles.items():
        assert role.least <= role.usual <= role.most, (name, size)
    there = {s: usual[s.name] for s in made.dims}
    assert not [c for c in made.conditions if c.xreplace(there) == sympy.false]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", entries())
def test_by_themselves_only_sizes_grow_that_may(name: str) -> None:
    made = entries()[name]()
    for size in made.dims:
        regime = default_regime(made, size.name)
        for growing in regime.growing if regime else ():
            assert role_of(made, growing).name not in STAY, (name, size, regime)


@pytest.mark.parametrize(
    ("name", "unknown", "regime"),
    [
        ("matmul", "B", "D, F >> B"),
        ("decode-attention", "S", "S -> oo"),
        ("decode-attention", "B", "S >> B"),
        ("decode-attention", "r", "S >> r"),
        ("latent-attention", "S", "S -> oo"),
        ("latent-attention", "B", "S >> B"),
        ("attention-core", "L", "L -> oo"),
        ("attention", "L", "d >> L"),
        ("lora", "B", "D, F >> B"),
        ("tiled-matmul", "b", "D >> b"),
        ("linear-attention", "k", None),
        ("ssd", "c", None),
        ("bf16[m,k], bf16[k,n] -> bf16[m,n]", "m", "k, n >> m"),
        ("bf16[h,L,k], bf16[h,S,k] -> bf16[h,L,S]", "L", "S >> L"),
        ("bf16[h,L,k], bf16[h,S,k] -> bf16[h,L,S]; k: width", "L", "k, S >> L"),
        ("bf16[B,D], bf16[D,F] -> bf16[B,F]; F: head width", "B", "D >> B"),
    ],
)
def test_the_default_regime_follows_from_the_roles(name: str, unknown: str, regime: str | None) -> None:
    assert default_regime(op(name), unknown) == (None if regime is None else Regime(regime))


def test_roles_go_with_the_sizes() -> None:
    core = op("flash-attention:block=q")
    assert role_of(core, "q").name == "block" and role_of(at(core, L="n"), "n").name == "sequence"
    assert "k" not in at(core, k=64).roles and role_of(at(core, L="k"), "k").name == "head width"
    up, down = op("u:bf16[B,D], v:bf16[D,w] -> h:bf16[B,w]; w: rank"), op("h:bf16[B,w], x:bf16[w,F] -> y:bf16[B,F]")
    assert role_of(fuse(up, down), "w").name == "rank"
    assert role_of(tile(op("matmul"), "vmem", B="i", F="j"), "i").name == "block"
    assert role_of(op("x[B, D_n] * w[D_n, F] -> z[B, F]"), "n").name == "chips"


def test_usual_sizes_are_those_of_the_roles() -> None:
    assert usual_sizes(op("matmul; D: width = 512"), {"F": 8}) == {"B": 256, "D": 512, "F": 8}
    assert usual_sizes(op("lora"))["r"] == roles()["rank"].usual


REFUSED = {
    "L sequence": "role 'L sequence': expected NAME: ROLE, such as L: sequence",
    "L: sequence, L: batch": "the role of L is given twice",
    "L: sequenze": "unknown role 'sequenze'; did you mean 'sequence'?",
}


@pytest.mark.parametrize("text", REFUSED)
def test_roles_that_are_not_understood_are_refused(text: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        declared(text)
    assert str(refused.value) == REFUSED[text]


def test_a_role_of_no_size_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "bf16[B,D], bf16[D,F] -> bf16[B,F]; K: width", "--for", "B"]) == 2
    assert "unknown dimension 'K'; known: B, D, F" in capsys.readouterr().err
    assert main(["derive", "matmul; K width", "--for", "B"]) == 2


DECODE = ["--chip", "h100-sxm", "--for", "S", "--at", "B=8,g=8,r=8,k=128"]


def test_what_stays_by_its_letter_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    scores = "bf16[h,L,k], bf16[h,S,k] -> bf16[h,L,S]"
    said = "by their letters these do not grow: k (head width); declare another role as in '; k: width'\n"
    assert main(["derive", scores, "--for", "L"]) == 0 and said in capsys.readouterr().out
    assert main(["derive", f"{scores}; k: head width", "--for", "L"]) == 0 and said not in capsys.readouterr().out
    assert main(["derive", scores, "--for", "L", "--json"]) == 0
    assert '"by_letter": {\n        "k": "head width"\n      }' in capsys.readouterr().out
    assert main(["derive", scores, "--for", "L", "--latex", "--lang", "zh"]) == 0
    assert "按字母默认不增大：$k$（头宽度）" in capsys.readouterr().out
    assert main(["derive", scores, "--for", "L", "--regime", "k, S >> L"]) == 0
    told = capsys.readouterr().out
    assert said not in told and "compute-bound for L > R when k, S >> L" in told  # a regime that is given is used


def test_no_rule_of_thumb_stands_beside_never(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    """S > 295.22 was once printed, as heads and their groups grow, although 8 heads per group never suffice."""
    assert main(["derive", "decode-attention", *DECODE]) == 0
    told = capsys.readouterr().out
    assert (
        told.startswith("never compute-bound on h100-sxm at B = 8, g = 8, r = 8, k = 128 ")
        and "rule of thumb" not in told
    )
    assert "I -> r as S -> oo" in told
    for sizes, answer in (("B=8,g=8,r=8,k=128", "never"), ("B=8", "depends on the sizes")):
        assert main(["derive", "--as", "table", "decode-attention", *DECODE[:4], "--at", sizes]) == 0
        told = capsys.readouterr().out
        assert told.splitlines()[-1].endswith(answer) and "by the rule of thumb" not in told
    assert main(["grade", "--op", "decode-attention", *DECODE, "--answer", "never"]) == 0
    assert capsys.readouterr().out.startswith("Right.")
    for answer, status in (("S > 295", 1), ("never", 0)):  # if nothing else grows, the exact answer is the rule
        assert main(["grade", "--op", "decode-attention", *DECODE, "--asks", "rule", "--answer", answer]) == status
    assert capsys.readouterr().out.splitlines()[-2:] == ["Right.", "  read as: never"]
    assert main(["slides", "decode-attention", *DECODE, "-o", f"{tmp_path}/deck.tex"]) == 0
    with open(f"{tmp_path}/deck.tex", encoding="utf-8") as deck:
        assert "295.22$" not in "".join(line for line in deck if "S >" in line)


def test_a_regime_that_is_asked_for_is_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "decode-attention", *DECODE, "--regime", "r, k >> S"]) == 0
    assert "rule of thumb (r, k >> S): S > 19780/67" in capsys.readouterr().out


def test_a_table_by_the_rule_leaves_out_chips_where_it_misleads(capsys: pytest.CaptureFixture[str]) -> None:
    """At D = 300 the answer depends on F, and the table says so instead of giving a bound."""
    able = [c for c in ("t4", "h100-sxm", "tpu-v5e") if chip(c)]
    assert (
        main(
            [
                "derive",
                "--as",
                "table",
                "matmul",
                *(x for c in able for x in ("--chip", c)),
                "--for",
                "B",
                "--at",
                "D=300",
            ]
        )
        == 0
    )
    assert "depends on the sizes" in capsys.readouterr().out
