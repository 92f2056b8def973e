"""Claims files: the example that fixes the format, and everything that makes a claim or a file unusable."""

import time
from pathlib import Path

import pytest

from roofproof.claims.language import Claim, Unusable, read_book, to_boolean
from roofproof.claims.language.book import Book, _ClaimsFileParser, book_from_text
from roofproof.claims.verifying import verify
from roofproof.errors import RoofproofError
from roofproof.formula.to_sympy import to_value
from roofproof.formula.tree import Call, Comparison, Name, Number, Op, Quantity, Reference, Tree

EXAMPLE = Path(__file__).parents[1] / "data" / "example.claims.toml"


def shape(node: Tree) -> str:
    """Return a tree as a list in prefix notation."""
    match node:
        case Number(text=text) | Name(name=text):
            return text
        case Quantity(amount=amount, unit=unit):
            return f"{shape(amount)}[{unit.text}]"
        case Reference(kind=kind, text=text):
            return f"{kind}:{text}"
        case Comparison(operands=operands, relations=relations):
            return f"({' '.join([*relations, *map(shape, operands)])})"
        case Call(function=function, arguments=arguments):
            return f"({' '.join([function, *map(shape, arguments)])})"
        case Op(head=head, args=args):
            return f"({' '.join([head, *map(shape, args)])})"
    raise TypeError(f"no shape of {node!r}")


RULE = "(> B (/ (* R D F) (+ (* D F) (- (* R (+ D F))))))"
SHAPES = {
    "flops": "(== (flops op:mm) (* 2 B D F))",
    "bytes": "(== (bytes op:mm8) (+ (* 2 B D) (* D F) (* 2 B F)))",
    "limit": "(-> (intensity op:dotp) (/ 1 2))",
    "rule": "(~= (intensity op:mm) B)",
    "threshold": f"(<=> (> (intensity op:mm) R) {RULE})",
    "threshold-without-condition": f"(<=> (> (intensity op:mm) R) {RULE})",
    "rule-is-not-enough": "(=> (> B R) (> (intensity op:mm) R))",
    "rule-is-necessary": "(=> (> (intensity op:mm) R) (> B R))",
    "ridge": "(== (ridge chip:edge resource:fp16) 25[FLOP/B])",
    "bound-by-memory": "(== (attainable chip:edge resource:fp16 15[FLOP/B]) 720[GFLOP/s])",
    "printed-digits": "(~= R 240)",
    "integers-agree": "(<=> (> D (/ (* 2 P) W)) (> D 8755))",
    "forgot-the-bytes": "(== (intensity op:mm) (/ (* 2 B D F) (+ (* B D) (* D F) (* B F))))",
    "overlap": "(<= (+ a b c) (* 3 (max a b c)))",
    "optimum": "(and (== (argmin T X) (sqrt (/ C A))) (== (minimum T X) (* 2 (sqrt (* A C)))))",
    "optimum-among": "(== (argmin T X (set 1 2 4 8 16)) 8)",
    "smallest-integer": "(== (smallest n (<= (/ 14e9 (* n 50e9)) 0.1)) 3)",
    "largest-integer": "(== (largest n (<= (* 7 n) 100)) 14)",
    "solve": "(== (solve (== (sqrt (/ (* B F) N)) (/ (* B F) (* N a))) B) (/ (* N (^ a 2)) F))",
    "series": "(== (sum (+ L i) i 1 t) (+ (* L t) (/ (* t (+ t 1)) 2)))",
    "middle-of-the-line": "(== (ceil (/ (+ n (- 1)) 2)) (floor (/ n 2)))",
    "behaviour": (
        "(and (increasing share L) (independent (* (/ (intensity op:mm) (flops op:mm)) (bytes op:mm)) B) "
        "(== (degree (/ (sqrt (* B F)) N) B) (/ 1 2)))"
    ),
    "einsum": "(== (flops op:f32[i,j,k], f32[k,l] -> f32[i,j,l]) (* 2 i j k l))",
    "chain": "(< < < (/ 1 3) b a 58[%])",
    "units": "(== (/ 14[GB] 50[GB/s]) 280[ms])",
    "opinion": "",
}


@pytest.fixture(scope="module")
def example() -> Book:
    return read_book(EXAMPLE)


def test_the_example_is_read_whole(example: Book) -> None:
    claims = {c.id: c for c in example.claims if isinstance(c, Claim)}
    assert len(claims) == len(example.claims)
    assert not example.problems
    assert {i: shape(c.proposition) if c.proposition else "" for i, c in claims.items()} == SHAPES
    assert {i: c.expect for i, c in claims.items() if c.expect} == {
        "rule": "approximate", "threshold-without-condition": "conditional", "rule-is-not-enough": "refuted",
        "printed-digits": "rounded", "forgot-the-bytes": "refuted", "opinion": "not-checkable",
    }  # fmt: skip
    assert claims["forgot-the-bytes"].slip == "bytes-per-element"
    assert claims["opinion"].reason == "a matter of taste"
    assert [shape(c) for c in claims["threshold"].given.conditions] == ["(> (* D F) (* R (+ D F)))"]
    assert claims["integers-agree"].given.domain("D").integer
    assert claims["overlap"].given.domain("a").sign == "nonnegative"
    assert {k: shape(v) for k, v in claims["printed-digits"].let.items()} == {
        "peak": "1.97e14", "hbm": "8.2e11", "R": "(/ peak hbm)",
    }  # fmt: skip
    assert str(claims["rule"].regime) == "Regime('D, F >> B')"


@pytest.mark.parametrize(
    "name", ["flops", "bytes", "ridge", "bound-by-memory", "units", "einsum"], ids=str
)  # claims that the direct functions decide
def test_direct_functions_agree_with_the_example(example: Book, name: str) -> None:
    claim = next(c for c in example.claims if c.id == name)
    assert isinstance(claim, Claim) and claim.proposition is not None
    left, right = (claim.environment.to_sympy(side) for side in claim.proposition.parts)
    assert (left - right).expand() == 0


def one(text: str) -> str:
    """Return the message of the first claim of a file with one more claim, which is sound."""
    book = book_from_text(text + '\n[[claim]]\nid = "sound"\nsays = "1 + 1 == 2"\n', "b.toml")
    first, last = book.claims[0], book.claims[-1]
    assert isinstance(last, Claim)
    assert isinstance(first, Unusable), first
    assert "\n" not in first.message
    return first.message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ('says = "B >"', "says: column 4: the text is incomplete"),
        ('says = ""', 'says is empty; expected a proposition, or expect = "not-checkable" with a reason'),
        ('says = "B > 1"\nsayz = "x"', "unknown field 'sayz'; did you mean 'says'?"),
        ('says = "B > 1"\nexpect = "verfied"', "unknown verdict 'verfied'; did you mean 'verified'?"),
        ("says = 3", "says must be text in quotes; got '3'"),
        ("says = 3.5", "says must be text in quotes; got '3.5'"),
        ('expect = "not-checkable"', 'a claim that is not checkable needs a reason, as in reason = "an opinion"'),
        ('says = "B > 1"\nregime = "big"',
         "regime: regime 'big': expected symbols that grow, such as 'D, F >> B' or 'N -> oo'"),
        ('says = "B > 1"\ngiven = "B >"', "given: column 4: the text is incomplete"),
        ('says = "B > 1"\nlet = { x = "x + 1" }', "let x: the definition of x uses x; remove the cycle"),
        ('says = "B > 1"\nlet = { x = "y", y = "1" }', "let x: y is used before it is defined"),
        ('says = "B > 1"\nlet = { max = "1" }', "let max: 'max' is a function of the language; choose another name"),
        ('says = "B > 1"\nlet = { time = "1" }', "let time: 'time' is a function of the language; choose another name"),
        ('says = "B > 1"\nlet = { x = "1 <" }', "let x: column 4: the text is incomplete"),
        ('says = "B > 1"\nlet = { x = "1 < 2" }', "let x: column 1: expected an expression, got a proposition"),
        ('says = "B > 1"\nlet = { x = true }', "let x: a value is text in quotes, such as '1.97e14', or a number"),
        ('says = "B > 1"\nlet = { "x y" = "1" }',
         "let x y: 'x y' is not a name; names are ASCII letters, digits and underscores"),
        ('says = "B > 1"\nlet = 3', 'let must be a table of at most 200 values, as in let = { R = "P / W" }'),
        ('says = "B > 1"\nslip = "Bytes Per"', "mistake 'Bytes Per' is not a name; expected one such as "
         "'bytes-per-element'"),
        ('says = "ridge(tpu-v5, bf16) > 1"',
         "says: column 7: unknown chip 'tpu-v5'; did you mean 'tpu-v5e' or 'tpu-v5p'?"),
        ('says = "ridge(tpu-v5e, bf61) > 1"', "says: column 16: unknown resource 'bf61'; did you mean 'bf16'?"),
        ('says = "flops(matmull) > 1"', "says: column 7: unknown operation 'matmull'; did you mean "),
        ('says = "14 GB == 3 ms"', "says: column 1: '14 GB' (byte) and '3 ms' (s) cannot be compared"),
        ('says = "x == 3 ms"\nlet = { x = "14 GB" }',
         "says: column 1: 'x' (byte) and '3 ms' (s) cannot be compared"),
        ('says = "В > 1"', "says: column 1: 'В' is CYRILLIC CAPITAL LETTER VE; names are ASCII letters"),
        ('says = "9**9**9**9 > 1"', "says: column 7: the exponent '387420489' exceeds 64"),
        ('says = "import_module(3) == 1"', "says: column 1: unknown function 'import_module'; for a product write"),
    ],
)  # fmt: skip
def test_an_unusable_claim_does_not_stop_the_rest(fields: str, message: str) -> None:
    found = one(f'[[claim]]\nid = "x-1"\n{fields}')
    assert found.startswith(f"b.toml: claim 'x-1': {message}")
    if not message.endswith((" ", "letters", "write")):
        assert found == f"b.toml: claim 'x-1': {message}"


def test_ids() -> None:
    assert one('[[claim]]\nsays = "B > 1"') == (
        'b.toml: claim number 1: id is missing; every claim has one, as in id = "rule"'
    )
    twice = '[[claim]]\nid = "a"\nsays = "1 == 1"\n' * 2
    book = book_from_text(twice, "b.toml")
    assert isinstance(book.claims[0], Claim)
    assert book.claims[1] == Unusable("a", "b.toml: claim 'a': duplicate id; ids must be unique")


def test_a_broken_operation_or_chip_makes_only_its_claims_unusable() -> None:
    book = book_from_text(
        """
[chips.c]
hbm = "819 GB"
[ops]
bad = "bf16[B,D"
[let]
v = "1 +"
[[claim]]
id = "a"
says = "flops(bad) == 1"
[[claim]]
id = "b"
says = "ridge(c, bf16) == 1"
[[claim]]
id = "c"
says = "v == 1"
[[claim]]
id = "d"
says = "1 == 1"
""",
        "b.toml",
    )
    assert [p.split(":")[1] for p in book.problems] == [" chips.c", " ops.bad", " let.v"]
    assert [type(c).__name__ for c in book.claims] == ["Unusable"] * 3 + ["Claim"]
    assert "bad cannot be used: in 'bf16[B,D': column 5" in book.claims[0].message  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id = \nx = 1", "b.toml, line 1, column 6: not TOML: invalid value"),
        ("[[claim]]\nid = 'a'\nid = 'b'\n", "b.toml, line 3, column 9: a name is given twice"),
        ("[claims]", "b.toml: unknown part of a textbook 'claims'; did you mean 'claim'?"),
        ("[textbook]\nauthor = 'x'", "b.toml: [textbook]: unknown field 'author'; known: note, source, title"),
        ("[claim]\nid = 'a'", "b.toml: claims are tables that begin with [[claim]]"),
        ("chips = 3", "b.toml: chips must be a table"),
        ("x = " + "[" * 30_000, "b.toml: nested too deeply"),
        (".".join(["a"] * 10_000) + " = 1", "b.toml, line 1: more than 50 names joined by dots"),
        ("x = " + "9" * 10_000, "b.toml: not TOML: a number or a date that cannot be read"),
        ("x = '" + "9" * 50_000 + "'", "b.toml, line 1: 50006 characters; the limit is 40000"),
    ],
)
def test_an_unusable_book(text: str, message: str) -> None:
    start = time.thread_time()
    with pytest.raises(RoofproofError) as caught:
        book_from_text(text, "b.toml")
    assert str(caught.value) == message
    assert time.thread_time() - start < 2


def test_files(tmp_path: Path) -> None:
    big = tmp_path / "big.toml"
    big.write_bytes(b"# padding\n" * 1_700_000)
    start = time.thread_time()
    with pytest.raises(RoofproofError, match="larger than 16 MiB; split the claims file"):
        read_book(big)
    assert time.thread_time() - start < 2
    big.write_bytes(b"id = '\xff'")
    with pytest.raises(RoofproofError, match="line 1: not UTF-8 text"):
        read_book(big)
    with pytest.raises(RoofproofError, match="cannot read"):
        read_book(tmp_path)


def test_a_claim_of_nothing_but_huge_formulas_is_refused() -> None:
    values = "\n".join(f'v{i} = "{"a+" * 4_900}a"' for i in range(31))
    [claim] = book_from_text(f"[[claim]]\nid = 'c'\nsays = 'v1 > 1'\n[claim.let]\n{values}", "b.toml").claims
    assert claim == Unusable("c", "b.toml: claim 'c': more than 300000 characters of formulas in one claim")


def test_claims_are_read_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.toml"
    path.write_text("\n".join(f"[[claim]]\nid = 'c{i}'\nsays = '{i} < {i + 1}'" for i in range(6_000)))
    read: list[str] = []
    one = _ClaimsFileParser._claim
    monkeypatch.setattr(
        _ClaimsFileParser, "_claim", lambda self, name, fields: read.append(name) or one(self, name, fields)
    )
    results = verify([str(path)], workers=1)
    assert [next(results).id, next(results).id] == ["c0", "c1"] and read == ["c0", "c1"]
    read.clear()
    assert [r.id for r in verify([str(path)], only=["c5999"])] == ["c5999"] == read


def test_floats_in_let_keep_their_digits() -> None:
    book = book_from_text('[[claim]]\nid = "a"\nsays = "R ~= 240"\nlet = { R = 2.40e2, n = 1_000 }\n')
    claim = book.claims[0]
    assert isinstance(claim, Claim)
    assert {k: shape(v) for k, v in claim.let.items()} == {"R": "2.40e2", "n": "1000"}


def test_let_stands_for_dimensions_of_operations() -> None:
    book = book_from_text('[[claim]]\nid = "a"\nsays = "flops(matmul) == 2"\nlet = { B = "1", D = "2^12" }\n')
    claim = book.claims[0]
    assert isinstance(claim, Claim) and claim.proposition is not None
    assert str(claim.environment.to_sympy(claim.proposition.parts[0])) == "8192*F"


def test_translation_decides_nothing() -> None:
    from roofproof.formula.reader import read_statement, read_value

    said = {
        "x > -1 and not x < 2": "(x > -1) & ~(x < 2)",
        "x < 1 and x >= 1": "(x < 1) & (x >= 1)",
        "x > 1 => x > 1": "Implies(x > 1, x > 1)",
        "1 < 2": "1 < 2",
        "a < b < c": "(a < b) & (b < c)",
    }
    assert {text: str(to_boolean(read_statement(text))) for text in said} == said
    assert str(to_value(read_value("2^n floor(x) + log2(8)"))) == "2**n*floor(x) + 3"
    for text, message in [
        ("1 / (x - x)", "column 6: division by zero"),
        ("oo - oo", "column 1: the value is not defined (division by zero, or infinity less infinity)"),
        ("flops(matmul)", "column 1: flops is not available here"),
        ("3^2^7", "column 3: the exponent '128' exceeds 64"),
    ]:
        with pytest.raises(RoofproofError) as caught:
            to_value(read_value(text))
        assert str(caught.value) == message
