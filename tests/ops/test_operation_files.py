"""An operation in a TOML file equals the same operation in any other notation, or gives a one-line error."""

import re
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import expand

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.ops import entries, fuse, parse_operation, repeat
from roofproof.ops.notation.where import contradictory, read_where, with_conditions
from roofproof.ops.operation import Operation, one_kernel
from roofproof.symbols import dimension

PACKAGE = Path(__file__).parents[2] / "roofproof" / "ops"
SAMPLES = ["matmul", "matmul:w=int4/g128:bf16@bf16", "dot:fp64-vector", "causal-attention", "rms-norm",
           "layer-norm", "tiled-matmul", "stencil7", "mixture-of-experts:touched=most",
           "sharded-matmul:n=4", "all-gather"]  # fmt: skip


def text(amount: object) -> str:
    return f'"{amount}"'


def as_file(op: Operation) -> str:
    """Return an operation as the text of a file, with amounts as SymPy prints them, which the grammar reads."""
    rows = ["[reads]"]
    for section, tensors in (("reads", op.reads), ("writes", op.writes)):
        rows += [f"[{section}]"] * (section == "writes")
        for t in tensors:
            shape = f"{t.dtype}[{', '.join(map(str, t.shape))}]"
            rows.append(f'"{t.name}" = {{ shape = {text(shape)}, times = {text(t.times)} }}')
    for section, demand in (("flops", op.compute), ("bytes", op.traffic), ("footprint", op.footprint)):
        rows += [f"[{section}]", *(f"{name} = {text(amount)}" for name, amount in demand.items())]
    rows += ["[sizes]", *(f"{size} = {text(f'{role.name} = {role.usual}')}" for size, role in op.roles.items())]
    return "\n".join(rows)


@pytest.mark.parametrize("name", SAMPLES)
def test_an_operation_of_the_library_written_as_a_file_is_the_same(name, tmp_path):
    op = parse_operation(name)
    (tmp_path / "own.toml").write_text(as_file(op))
    own = parse_operation(str(tmp_path / "own.toml"))
    for one, other in ((own.demands, op.demands), (own.tensors, op.tensors), (own.footprint, op.footprint)):
        assert str(one) == str(other)  # V of a collective is a real number in the library
    assert {n: (r.name, r.usual) for n, r in own.roles.items()} == {n: (r.name, r.usual) for n, r in op.roles.items()}


TABLES = re.findall(
    r"^\[\w+\.([\w-]+)\]\n(.*?)(?=^\[|\Z)", (PACKAGE / "library.toml").read_text(encoding="utf-8"), re.M | re.S
)


@pytest.mark.parametrize(("name", "table"), TABLES, ids=[name for name, _ in TABLES])
def test_a_table_of_the_library_is_a_file_of_a_user(name, table, tmp_path):
    """The two are equal with any choice of formats, compute unit and other arguments."""
    (tmp_path / "own.toml").write_text(f'name = "{name}"\n{table}', encoding="utf-8")
    entry = entries()[name]
    chosen = ["", ":fp32", *(f":{name}=int8" for name in entry.formats)]
    chosen += ["@fp64-vector"] if "compute" in entry.arguments else []
    for words in chosen:
        own, ours = parse_operation(f"{tmp_path / 'own.toml'}{words.replace('@', ':@')}"), parse_operation(name + words)
        assert (own.kernels, own.conditions, own.dims) == (ours.kernels, ours.conditions, ours.dims), words
        assert (own.convention, own.source, own.roles) == (ours.convention, ours.source, ours.roles), words


@cache
def single() -> list[str]:
    return sorted(n for n, e in entries().items() if len((op := e()).writes) == 1 and not op.parts)


@given(st.data())
def test_any_operation_is_fused_with_what_reads_its_result_by_its_name(data):
    """Renaming a tensor changes only its name, and the tensor between two fused operations moves no bytes."""
    name = data.draw(st.sampled_from(single()))
    first = parse_operation(name)
    [out] = first.writes
    renamed = parse_operation(f"{name}:{out.name} as between")
    assert renamed.demands == first.demands and renamed.writes == (replace(out, name="between"),)
    if out.name in {t.name for t in first.reads} or first.footprint:
        return  # in place, or in blocks
    copy = one_kernel("copy", reads=(replace(out, name="between", times=1),), writes=(replace(out, times=1),))
    both = fuse(renamed, copy)
    assert expand(both.bytes() - (first.bytes() - out.traffic + out.bytes)) == 0


def test_op_and_steps_are_the_algebra(tmp_path):
    up, down = "x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]", "h:bf16[B,F], v:bf16[F,D] -> y:bf16[B,D]"
    path = tmp_path / "own.toml"
    path.write_text(f'steps = ["{up}", "{down}"]')
    apart = parse_operation(str(path))
    path.write_text(f'steps = ["{up}", "{down}"]\nfused = true\n[flops]\nexp = "B F"')
    fused = parse_operation(str(path))
    B, F = map(dimension, "BF")
    assert apart.bytes() - fused.bytes() == 4 * B * F  # h written and read, 2 bytes each
    assert (len(apart.parts), fused.parts, fused.compute["exp"]) == (2, (), B * F)
    path.write_text('op = "matmul"\n[bytes]\nici = "2 B F"')
    assert parse_operation(str(path)).demands == {**parse_operation("matmul").demands, "ici": 2 * B * F}


def test_files_name_files_from_their_own_folder(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.toml").write_text('[flops]\nbf16 = "2 B D"\n[sizes]\nB = "batch"')
    (tmp_path / "outer.toml").write_text('steps = ["inner/a.toml: D=8", "inner/a.toml; D: width"]')
    assert str(parse_operation(str(tmp_path / "outer.toml")).flops) == "2*B*D + 16*B"
    for said in ("loop.toml", "loop.toml; B: batch"):
        (tmp_path / "loop.toml").write_text(f'op = "{said}"')
        with pytest.raises(RoofproofError) as problem:
            parse_operation(str(tmp_path / "loop.toml"))
        assert str(problem.value) == "loop.toml, line 1: op: loop.toml refers to itself, through loop.toml"
    (tmp_path / "there.toml").write_text('op = "back.toml"')
    (tmp_path / "back.toml").write_text('op = "there.toml"')
    with pytest.raises(RoofproofError, match=r"there\.toml refers to itself, through there\.toml, back\.toml$"):
        parse_operation(str(tmp_path / "there.toml"))
    for k in range(12):
        (tmp_path / f"chain{k}.toml").write_text(f'op = "chain{k + 1}.toml"')
    with pytest.raises(RoofproofError, match="more than 8 files that name one another"):
        parse_operation(str(tmp_path / "chain0.toml"))


@pytest.mark.parametrize("unit", ["MB", "GiB", "us", "ms", "TFLOP", "bytes", "kHz"])
def test_a_unit_is_no_size(unit):
    for text in (f"flops bf16 = 2 B; bytes hbm = 16 {unit} + B", f"flops bf16 = 3 B {unit}; bytes hbm = B"):
        with pytest.raises(RoofproofError, match=f"'{unit}' is a unit; an amount is a number of FLOPs or bytes"):
            parse_operation(text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", 'own.toml: nothing is computed or moved; expected op = "...", or one of the tables'),
        ("flops = 3", "own.toml, line 1: flops must be a table; got '3'"),
        ('[flop]\nbf16 = "1"', "own.toml, line 1: unknown key 'flop'; did you mean 'flops' or"),
        ('[flops]\nbf16 = "B - 2"', "own.toml, line 2: flops.bf16: column 1: amount = B - 2 is not known to be"),
        ('[flops]\nbf16 = 2.5', "own.toml, line 2: flops.bf16: expected text in quotes"),
        ('[flops]\nbf61 = "B"', "own.toml, line 2: flops.bf61: unknown number format 'bf61'"),
        ('[reads]\nx = "bf16(B)"', "own.toml, line 2: reads.x: column 5: unexpected '('; expected '['"),
        ('[reads]\nx = "word[B]"', "own.toml, line 2: reads.x: 'word[B]': expected FORMAT[SIZES], such as bf16[B,D]"),
        ('[reads]\nx = { of = "bf16[B]" }', "own.toml, line 2: reads.x: unknown key of a tensor 'of'"),
        ('[reads]\nx = "bf16[B-1]"', "own.toml, line 2: reads.x: tensor 'x': dimension 'B - 1' is not"),
        ('op = "matmull"', "own.toml, line 1: op: unknown operation 'matmull'; did you mean 'matmul'"),
        ('op = "dot"\nsteps = ["dot"]', "own.toml, line 2: steps: use only one of op and steps"),
        ('op = "dot"\nfused = true', 'own.toml, line 2: fused: expected two steps or more, as in steps = '),
        ('steps = ["dot", "dot"]\n[flops]\nbf16 = "B"', "own.toml, line 2: flops: steps in sequence"),
        ('op = "dot"\nwhere = "M even"', "own.toml, line 2: where: no size 'M' in 'own'; its sizes are N"),
        ('op = "dot"\n[sizes]\nN = "batsch"', "own.toml, line 3: sizes.N: unknown role 'batsch'"),
        ('op = "__import__(\'os\')"', "own.toml, line 1: op: unknown operation"),
        ('op = "dot"\n[bytes]\nl9 = "N"', "own.toml, line 3: bytes.l9: unknown memory level or link 'l9'; did you me"),
        ('op = "dot"\n[bytes]\nnvlnk = "N"', "own.toml, line 3: bytes.nvlnk: unknown memory level or link 'nvlnk'"),
        ('op = "dot"\n[bytes]\nnosuch = "N"', "own.toml, line 3: bytes.nosuch: unknown memory level or link 'nosuch'"),
        ('op = "dot"\n[footprint]\nici = "N"', "own.toml, line 3: footprint.ici: unknown memory level 'ici'"),
        ("op = 'dot", "own.toml, end of file: not TOML"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_with_its_line(content, said, tmp_path, capsys):
    path = tmp_path / "own.toml"
    path.write_text(content)
    assert main(["derive", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.removeprefix("roofproof: ").startswith(said) and err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (": c=fp8", "unknown tensor of own 'c'; known: x"),
        (": x=fp9", "unknown number format 'fp9'"),
        (": fp8", "'fp8' is neither TENSOR=FORMAT nor SIZE=NUMBER, such as w=fp8 or D=4096"),
        (": x=fp8, x=int8", "x is given twice"),
        (": N=0", "size 'N=0': expected NAME=POSITIVE INTEGER"),
    ],
)
def test_words_behind_a_file_are_checked(words, said, tmp_path):
    (tmp_path / "own.toml").write_text('[reads]\nx = "bf16[N]"')
    with pytest.raises(RoofproofError) as problem:
        parse_operation(f"{tmp_path}/own.toml{words}")
    assert said in str(problem.value)


PAIRS = '[flops]\nbf16 = "4 d (L W - W (W - 1)/2)"\n[bytes]\nhbm = "8 L d"\n'  # a window that is cut off at the start


def test_an_amount_may_be_positive_by_its_conditions_alone(tmp_path):
    file = tmp_path / "window.toml"
    file.write_text(f'where = "W <= L"\n{PAIRS}', "utf-8")
    made = parse_operation(str(file))
    L, W, d = map(dimension, "LWd")
    assert made.conditions == (W <= L,)
    for w in range(1, 6):  # key by key: the first w - 1 queries see fewer keys
        assert made.flops.subs({L: 5, W: w, d: 1}) == 4 * sum(min(w, q + 1) for q in range(5))
    for where in ("L <= W", "W >= 2", ""):
        file.write_text(f'where = "{where}"\n{PAIRS}', "utf-8")
        with pytest.raises(RoofproofError, match="is not known to be positive"):
            parse_operation(str(file))


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 5))
def test_sizes_that_are_defined_are_put_in(factor, B, D):
    """The demands under F = factor D are those at that number."""
    op = parse_operation("matmul:w=int8")
    made = with_conditions(op, f"F = {factor} D")
    at = {dimension(n): size for n, size in (("B", B), ("D", D), ("F", factor * D))}
    for name, amount in op.demands.items():
        assert made.demands[name].subs(at) == amount.subs(at)


@pytest.mark.parametrize(
    ("text_", "said"),
    [
        ("F = G*D; G = F", "--where: the definition of F uses F; remove the cycle"),
        ("F = 2 D; F = 3 D", "--where: 'F = 2 D; F = 3 D' holds for no sizes"),
        ("D F = 3; D F > B; B = 4", "--where: the conditions contradict each other: D*F = 3; D*F > 4"),
        ("3 < 2", "--where: '3 < 2' holds for no sizes"),
        ("B > D; B < D", "--where: the conditions contradict each other: B > D; B < D"),
        ("B > D; D > F; B even; F > B", "--where: the conditions contradict each other: B > D; D > F; F > B"),
        ("B even; D even; B odd", "--where: the conditions contradict each other: 2 | B; B odd"),
        ("128 divides D; D < 128", "--where: the conditions contradict each other: 128 | D; D < 128"),
        ("D = 2 F; B > D; B < F", "--where: the conditions contradict each other: B > 2*F; B < F"),
        ("B D > F; F > B D", "--where: the conditions contradict each other: B*D > F; F > B*D"),
        ("B > D^2; D > B", "--where: the conditions contradict each other: B > D**2; D > B"),
        ("Q even", "--where: no size 'Q' in 'matmul'; its sizes are B, D, F"),
        ("Q = 3", "--where: no size 'Q' in 'matmul'; its sizes are B, D, F"),
        ("F", "--where: column 1: 'F' is not a condition"),
        ("None = 3", "--where: 'None' cannot name a size"),
    ],
)
def test_conditions_that_cannot_be_used_are_refused(text_, said):
    with pytest.raises(RoofproofError) as problem:
        with_conditions(parse_operation("matmul"), text_)
    assert str(problem.value).startswith(said)


SIDES = st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(-3, 3))


@given(st.lists(st.tuples(SIDES, st.sampled_from(["<", "<=", ">", ">="])), min_size=1, max_size=4))
def test_conditions_that_some_sizes_meet_are_not_refused(sides):
    """Conditions that some B and D up to 12 meet are not reported as contradictory."""
    B, D = map(dimension, "BD")
    conditions = [sympy.Rel(a * B + b * D, sympy.Integer(c), sign, evaluate=False) for (a, b, c), sign in sides]
    found = contradictory(conditions)
    assert all(c in conditions for c in found)
    met = product(range(1, 13), repeat=2)
    assert not found or not any(all(c.subs({B: m, D: n}).doit() for c in conditions) for m, n in met)


def test_a_file_and_the_command_may_contradict_each_other(tmp_path, capsys):
    (tmp_path / "own.toml").write_text('where = "B > D"\n[reads]\nx = "bf16[B,D]"\n[flops]\nbf16 = "B D"\n')
    words = ["derive", str(tmp_path / "own.toml"), "--where", "B < D"]
    assert main(words) == main([*words, "--lang", "zh"]) == 2
    assert capsys.readouterr().err == (
        "roofproof: --where: the conditions contradict each other: B > D; B < D\n"
        "roofproof: --where：条件互相矛盾：B > D; B < D\n"
    )


def test_a_size_defined_by_a_division_is_whole():
    k = with_conditions(parse_operation("matmul"), "F = D/h")
    assert [str(c) for c in k.conditions] == ["Eq(Mod(D, h), 0)"]
    assert read_where("") == ((), {}, ()) and with_conditions(repeat(parse_operation("dot"), "L"), "L >= 2").conditions


def test_every_command_takes_a_file(tmp_path, capsys):
    own = str(Path("examples/operations/scan.toml"))
    (tmp_path / "book.claims.toml").write_text(
        f'[textbook]\ntitle = "t"\n[ops]\nscan = "{own}"\n[[claim]]\nid = "a"\nsays = "intensity(scan) == 1/2"\n'
    )
    (tmp_path / "bank.toml").write_text(f'[[exercise]]\nid = "s"\ntext = "?"\nop = "{own}"\nasks = "intensity"\n')
    (tmp_path / "floors.toml").write_text(f'[[problem]]\nop = "{Path(own).resolve()}"\nat = "B=1,L=64,D=8,N=16"\n')
    sizes = ["--at", "B=1,L=64,D=8,N=16"]
    for words in (
        ["derive", own, *sizes],
        ["derive", "--as", "table", own, "--for", "B", "--chip", "h100-sxm"],
        ["derive", "--as", "list", own, "--chip", "h100-sxm", "--for", "N"],
        ["grade", "--op", own, "--answer", "1/2"],
        ["sweep", own, "--over", "B=1:2", "--at", "L=4,D=4,N=4", "--quantity", "intensity"],
        ["verify", str(tmp_path / "book.claims.toml")],
        ["exercises", str(tmp_path / "bank.toml"), "--to", "gift", "-o", str(tmp_path / "out")],
        ["time", own, "--chip", "h100-sxm", *sizes],
        ["time", str(tmp_path / "floors.toml"), "--chip", "h100-sxm"],
    ):
        assert main(words) == 0, words
        assert "scan" in "".join(capsys.readouterr()) or words[0] in (
            "derive",
            "time",
            "grade",
            "sweep",
            "verify",
            "exercises",
        )
