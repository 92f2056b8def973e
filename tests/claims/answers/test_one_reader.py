"""The mathematics of an answer is that of a claim: the same text is the same tree, whatever is drawn."""

from hypothesis import given
from hypothesis import strategies as st

from roofproof.claims.answers.reading import read_answer, read_condition
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import Call, Comparison, Name, Number, Op, Tree

NAMES = ("B", "D", "F", "hd")
leaves = st.sampled_from(NAMES).map(Name) | st.sampled_from((2, 3, 48, 4096)).map(lambda n: Number(n, str(n)))


def _larger(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    joined = st.builds(Op, st.sampled_from("+*"), several)
    quotient = st.builds(lambda above, below: Op("/", (above, below)), parts, parts)
    power = st.builds(lambda base, exponent: Op("^", (Name(base), Number(exponent, str(exponent)))),
                      st.sampled_from(NAMES), st.integers(2, 4))  # fmt: skip
    called = st.builds(Call, st.sampled_from(("max", "min")), several)
    return joined | quotient | power | called | st.builds(lambda x: Op("-", (x,)), st.sampled_from(NAMES).map(Name))


values = st.recursive(leaves, _larger, max_leaves=8)


@given(values)
def test_the_value_of_an_answer_is_that_of_a_claim(tree: Tree) -> None:
    text = to_text(tree)
    assert read_answer(text, NAMES, "flops").value.node == read_value(text, NAMES)


@given(values, st.sampled_from(("<", "<=", ">", ">=")), values)
def test_the_condition_of_an_answer_is_that_of_a_claim(left: Tree, relation: str, right: Tree) -> None:
    text = to_text(Comparison((left, right), (relation,)))
    assert read_condition(text, NAMES) == read_statement(text, NAMES)
