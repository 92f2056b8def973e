"""Texts of claims, of tests and random ones have their recorded trees, or a listed difference."""

import json
import lzma
import tomllib
from pathlib import Path

from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read, read_statement, read_value
from roofproof.formula.tree import Call, Comparison, Constant, Name, Number, Op, Quantified, Quantity, Reference, Tree

RECORDED = Path(__file__).parent / "recorded"
READERS = {"p": read_statement, "e": read_value}


def as_list(tree: Tree) -> list[object]:
    """Return a tree in its recorded form."""
    match tree:
        case Number(value=value, text=text):
            return ["n", str(value), text]
        case Quantity(amount=amount, unit=unit):
            return ["q", as_list(amount), unit.text]
        case Constant(name=name):
            return ["c", name]
        case Name(name=name):
            return ["v", name]
        case Op(head=head, args=args):
            return [head, *map(as_list, args)]
        case Call(function=function, arguments=arguments):
            return ["call", function, *map(as_list, arguments)]
        case Reference(kind=kind, text=text):
            return ["ref", kind, text]
        case Comparison(operands=operands, relations=relations):
            return ["cmp", [*relations], *map(as_list, operands)]
        case Quantified(quantifier=quantifier, names=names, kinds=kinds, body=body):
            return ["Q", quantifier, [*names], [*kinds], as_list(body)]
    raise AssertionError(tree)


def test_recorded_texts_have_their_trees_or_a_listed_difference() -> None:
    listed = tomllib.loads((RECORDED / "differences.toml").read_text("utf-8"))["difference"]
    due = {text: now for difference in listed for text, now in difference["now"]}
    differ = {}
    with lzma.open(RECORDED / "trees.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            kind, text, declared, measures, tree = json.loads(line)
            try:
                found = READERS.get(kind, read)(text, declared, measures=bool(measures))
                new, shown = as_list(found), to_text(found)
            except RoofproofError as problem:
                new, shown = None, str(problem)
            if new != tree:
                differ[text] = shown
    assert differ == due
