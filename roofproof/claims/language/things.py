"""Names of things are no numbers: a chip, an operation or a resource that a claim uses as one is refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from roofproof.claims.language.environment import Environment
from roofproof.errors import quoted
from roofproof.formats import ALIASES, BITS
from roofproof.formula.tokens import error_at
from roofproof.formula.tree import Name, Reference, Tree, introduced_names, is_op, names_in, walk, walk_with_values
from roofproof.hardware import chip_names
from roofproof.hardware.resources import LEVELS, LINKS
from roofproof.sentences import Sentence

LEAST = 4  # letters and digits of a chip that is hardly a name: t4 and a10 are names like t3 and a9
FORMATS = frozenset((*BITS, *ALIASES))
CHANNELS = frozenset((*LEVELS, *LINKS))  # names like others, but where a claim speaks of chips or operations


def refuse_things(node: Tree, names: Collection[str], environment: Environment) -> None:
    """Refuse the name of a chip, an operation or a resource in the place of a number, where nothing introduces it.

    >>> from roofproof.formula.reader import read_statement
    >>> refuse_things(read_statement("intensity(matmul) > tpu-v5e"), (), Environment())
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 21: 'tpu-v5e' is a chip and no number; write what of it is meant, such as \
ridge(tpu-v5e, bf16), or for a name of your own given = 'tpu > 0'
    """
    known = introduced(node, names, environment)
    for part, name, kind, example in _things(node, environment):
        if known.isdisjoint(first := names_in(part)):
            raise error_at(
                part.span[0],
                "<name> is <kind> and no number; write what of it is meant, such as <example>, "
                "or for a name of your own given = '<own> > 0'",
                name=quoted(name), kind=Sentence(kind), example=example.format(name), own=first[0],
            )  # fmt: skip


def introduced(node: Tree, names: Collection[str], environment: Environment) -> set[str]:
    """Return the names that are introduced as numbers: by what is assumed of them alone, by `let` or a regime, as the
    size of an operation, or as what a function is about. `names` are in use elsewhere.

    >>> from roofproof.formula.conditions import read_conditions
    >>> from roofproof.formula.reader import read_statement
    >>> env = Environment(given=read_conditions("hbm > 0; e < x"))
    >>> sorted(introduced(read_statement("flops(dot) > hbm e"), (), env))
    ['N', 'hbm']
    """
    let, given = environment.let, environment.given
    parts = walk_with_values([node, *given.conditions], let)
    alone = {name for condition in given.conditions for name in names_in(condition) if names_in(condition) == (name,)}
    known = {*names} - {*given.names} | {*let, *given.domains, *alone} | introduced_names(parts)
    return known.union(*(sizes(part, environment) for part in parts))


def sizes(node: Tree, environment: Environment) -> Iterator[str]:
    """Yield the names of the sizes of the operations in a node."""
    for part in walk(node):
        if isinstance(part, Reference) and part.kind == "op":
            yield from (s.name for s in environment.operation(part).dims)


def _things(node: Tree, environment: Environment) -> Iterator[tuple[Tree, str, str, str]]:
    """Yield what stands in the place of a number, the thing of that name, its kind, and a number that it has."""
    chips = {*environment.chips, *(name for name in chip_names() if len(name) >= LEAST)}
    references = [part for part in walk(node) if isinstance(part, Reference)]
    operations = {*environment.ops, *(part.text for part in references if part.kind == "op")}
    resources = FORMATS | CHANNELS if references else FORMATS
    for part in walk(node):
        name = part.name if isinstance(part, Name) else _hyphened(part)
        if name in chips:
            yield part, name, "a chip", "ridge({}, bf16)"
        elif name in operations:
            yield part, name, "an operation", "flops({})"
        elif name in resources:
            yield part, name, "a resource", "rate(tpu-v5e, {})"


def _hyphened(node: Tree) -> str:
    """Return the name that a difference of names comes to when it is read as a word: `tpu-v5e`."""
    if not is_op(node, "+") or not all(is_op(term, "-") for term in node.args[1:]):
        return ""
    words = (term.args[0] if is_op(term, "-") else term for term in node.args)
    return "-".join(getattr(word, "name", "") or getattr(word, "text", "") for word in words)
