"""Laws of the claim language: printed text reads back equal, and any text gives a tree or an error."""

import tomllib
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from roofproof.claims.language import Claim, Environment
from roofproof.claims.language.book import book_from_text
from roofproof.errors import RoofproofError
from roofproof.formula.conditions import read_conditions
from roofproof.formula.dimensions import dimension_of
from roofproof.formula.latex import read_latex
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import Tree

EXAMPLE = (Path(__file__).parents[1] / "data" / "example.claims.toml").read_text(encoding="utf-8")
SAYS = [claim["says"] for claim in tomllib.loads(EXAMPLE)["claim"] if claim["says"]]

ATOMS = ["a", "B", "d_k", "R", "s", "ms", "2", "8.20e11", "0.1", "3 GB", "33.3 %", "10^9 FLOP/s", "oo",
         "flops(mm)", "ridge(tpu-v5e, bf16)", "intensity('bf16[N], bf16[N] -> []')", "2 B D", "min(a, 3)"]  # fmt: skip


def values() -> st.SearchStrategy[str]:
    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        two = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", " "]), inner)
        return st.one_of(
            two.map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
            st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"{t[0]} {t[1]} {t[2]}"),
            st.tuples(st.sampled_from(["a", "R", "x2"]), inner).map(lambda t: f"{t[0]} ({t[1]}) {t[0]}"),
            inner.map(lambda t: f"-({t})"),
            inner.map(lambda t: f"- -{t}"),
            st.tuples(inner, st.sampled_from(["2", "-1", "(1/2)", "n", "²"])).map(
                lambda t: f"({t[0]})" + (t[1] if t[1] == "²" else "^" + t[1])
            ),
            inner.map(lambda t: f"2^({t})"),
            st.tuples(st.sampled_from(["sqrt", "floor", "abs", "√"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
            inner.map(lambda t: f"argmin({t}, X, {{1, 2}})"),
        )

    return st.recursive(st.sampled_from(ATOMS), larger, max_leaves=8)


def propositions() -> st.SearchStrategy[str]:
    compared = st.tuples(values(), st.sampled_from(["==", "!=", "<", "<=", "~=", ">", ">=", "->"]), values())
    chained = st.tuples(values(), values(), values()).map(" < ".join)
    leaf = st.one_of(compared.map(" ".join), chained, st.just("compound_x > 1 and increasing(T, X)"))
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["and", "or", "=>", "<=>"]), inner).map(
                lambda t: f"({t[0]}) {t[1]} {t[2]}"
            ),
            st.tuples(inner, st.sampled_from(["and", "or", "=>", "<=>"]), inner).map(
                lambda t: f"{t[0]} {t[1]} ({t[2]})"
            ),
            inner.map(lambda t: f"not ({t})"),
            inner.map(lambda t: f"smallest(n, {t}) == 3"),
        ),
        max_leaves=5,
    )


def read_or_refuse(read: object, text: str) -> Tree | None:
    try:
        return read(text)  # type: ignore[operator,no-any-return]
    except RoofproofError as problem:
        assert "\n" not in str(problem)
        return None


@given(values())
def test_a_printed_value_reads_back_equal(text: str) -> None:
    tree = read_or_refuse(read_value, text)
    if tree is not None:
        assert read_value(to_text(tree)) == tree


@given(propositions())
def test_a_printed_proposition_reads_back_equal(text: str) -> None:
    tree = read_or_refuse(read_statement, text)
    if tree is not None:
        printed = to_text(tree)
        assert read_statement(printed) == tree
        assert to_text(read_statement(printed)) == printed


@given(propositions())
@example("2^(2^(8.20e11 + a)) > 1")  # 2^(8.20e11) is never evaluated
@settings(max_examples=60)
def test_the_value_stays_the_same(text: str) -> None:
    """Printing changes no value: both texts give the same condition, or the same error."""

    def said(tree: Tree) -> str:
        try:
            dimension_of(tree)
            return str(Environment(functions={}).to_boolean(tree))
        except RoofproofError as problem:
            return str(problem).partition(": ")[2][:12]

    tree = read_or_refuse(read_statement, text)
    if tree is not None:
        assert said(tree) == said(read_statement(to_text(tree)))


@given(st.sampled_from(SAYS), st.data())
def test_a_mutated_claim_gives_a_tree_or_one_line(says: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(says)))
        end = min(len(says), at + data.draw(st.integers(0, 3)))
        new = data.draw(
            st.sampled_from(["", " ", "(", ")", "{", '"', "/", "2", "B", "^", "and ", "->", "=", ",", "%", "é"])
        )
        says = says[:at] + new + says[end:]
    tree = read_or_refuse(read_statement, says)
    if tree is not None:
        assert read_statement(to_text(tree)) == tree
        read_or_refuse(lambda _: dimension_of(tree), says)


@given(st.text(alphabet="abB12 .e+-*/^()²√,<>=~&|\"'{}[]%@;→∞sqrtmaxflopsGB_\\$", max_size=40))
def test_any_text_gives_a_tree_or_one_line(text: str) -> None:
    for read in (read_statement, read_value, read_conditions, read_latex):
        read_or_refuse(read, text)


@given(st.text(max_size=60))
def test_any_unicode_gives_a_tree_or_one_line(text: str) -> None:
    for read in (read_statement, read_value, read_conditions, read_latex):
        read_or_refuse(read, text)


@given(st.integers(0, len(EXAMPLE)), st.integers(0, 20), st.text(alphabet='[]{}="\n.abc1', max_size=5))
@settings(max_examples=60)
def test_a_mutated_book_is_read_or_refused_in_one_line(at: int, length: int, new: str) -> None:
    try:
        book = book_from_text(EXAMPLE[:at] + new + EXAMPLE[at + length :], "b.toml")
    except RoofproofError as problem:
        assert "\n" not in str(problem)
        return
    assert all(isinstance(claim, Claim) or claim.message.startswith("b.toml: claim ") for claim in book.claims)
    assert sum(isinstance(claim, Claim) for claim in book.claims) >= len(book.claims) - 13  # those that name mm
