"""Every tree prints as text that reads back as the same tree, with brackets where the parser needs them."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from roofproof.formula.printing import to_text
from roofproof.formula.reader import read
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Number,
    Op,
    Quantified,
    Quantity,
    Reference,
    Tree,
    flat,
    is_op,
)
from roofproof.formula.units import unit_of

NUMBERS = ["2", "3.5", "8.20e11", "10", "0.1", "1000"]
NAMES = ["a", "B", "D", "d_k", "s", "J", "GPUs", "tokens", "rate", "peak_", "T_math", "xs"]
UNITS = ["GB", "FLOP/s", "%", "ms", "byte", "GB/s", "FLOP/B", "hours", "pJ"]
RELATIONS = ["==", "!=", "<", "<=", ">", ">=", "~="]

numbers = st.sampled_from(NUMBERS).map(lambda text: Number(Fraction(text), text))
names = st.sampled_from(NAMES).map(Name)
units = st.sampled_from(UNITS).map(lambda text: unit_of(text))
operation = st.sampled_from(["mm", "matmul:x=fp8", "bf16[N], bf16[N] -> []"]).map(lambda text: Reference("op", text))
exponents = st.one_of(st.sampled_from(["2", "3"]).map(lambda t: Number(Fraction(t), t)), names)


def measured(amount: Tree) -> st.SearchStrategy[Tree]:
    return units.map(lambda unit: Quantity(amount, unit))


def larger(values: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    """Return values made of values. Sums and products are flat, as the parser makes them."""
    several = st.lists(values, min_size=2, max_size=4)
    return st.one_of(
        several.map(lambda parts: flat("+", parts)),
        several.map(lambda parts: flat("*", parts)),
        values.map(lambda part: Op("-", (part,))),
        st.tuples(values, values).map(lambda pair: Op("/", pair)),
        st.tuples(values, exponents).map(lambda pair: Op("^", pair)),
        st.tuples(values, exponents.map(lambda e: Op("-", (e,)))).map(lambda pair: Op("^", pair)),
        values.flatmap(measured),
        st.sampled_from(["sqrt", "floor", "abs", "log2"]).flatmap(lambda f: values.map(lambda v: Call(f, (v,)))),
        several.map(lambda parts: Call("max", tuple(parts))),
        st.tuples(values, names, several).map(lambda t: Call("argmin", (t[0], t[1], Op("set", tuple(t[2]))))),
    )


leaves = st.one_of(
    numbers, names, numbers.flatmap(measured), st.just(Constant("oo")), operation.map(lambda o: Call("flops", (o,)))
)
values = st.recursive(leaves, larger, max_leaves=8)
compared = st.lists(st.tuples(st.sampled_from(RELATIONS), values), min_size=1, max_size=2).flatmap(
    lambda rest: values.map(lambda first: Comparison((first, *(v for _, v in rest)), tuple(r for r, _ in rest)))
)


def joined(statements: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    several = st.lists(statements, min_size=2, max_size=3)
    return st.one_of(
        several.map(lambda parts: flat("and", parts)),
        several.map(lambda parts: flat("or", parts)),
        several.map(lambda parts: Op("<=>", tuple(parts))),
        st.tuples(statements, statements).map(lambda pair: Op("=>", pair)),
        statements.map(lambda part: Op("not", (part,))),
        st.tuples(statements, names)
        .map(lambda t: Call("smallest", (t[1], t[0])))
        .map(lambda c: Comparison((c, c), ("<",))),
    )


statements = st.recursive(compared, joined, max_leaves=4)
bound = st.tuples(st.sampled_from(["exists", "for all"]), st.sampled_from([("n",), ("n", "m")]), statements).map(
    lambda t: Quantified(t[0], t[1], ("integer",), t[2])
)


@given(st.one_of(values, statements, bound))
def test_a_tree_that_is_printed_is_read_as_the_same_tree(tree: Tree) -> None:
    text = to_text(tree)
    assert read(text, NAMES) == tree, text
    assert to_text(read(text, NAMES)) == text


def test_a_bracket_stands_only_where_it_is_needed() -> None:
    for text in (
        "2 B D",
        "a / (B D)",
        "(a + B) D^2",
        "-a^2",
        "(-a)^2",
        "a - (B - D)",
        "1/2 GB",
        "(a / 2) GB",
        "not a > B",
    ):
        assert to_text(read(text)) == text
    assert is_op(read("a b c"), "*") and read("a (b c)") == read("a b c")
