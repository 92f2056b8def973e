"""The value of a single call in the claim language: the known statement `call = value` with its `domain`."""

from __future__ import annotations

from collections.abc import Mapping

from roofproof.claims.judge.words import table
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import MEANINGS
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.conditions import read_conditions
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_value
from roofproof.formula.tree import Call
from roofproof.hardware import Chip, any_chip
from roofproof.ops import Operation, parse_operation
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByDefinition, Known
from roofproof.proofs.statement import Statement


def value(
    text: str,
    given: str = "",
    *,
    let: Mapping[str, str] = {},
    ops: Mapping[str, str | Operation] = {},
    chips: Mapping[str, str | Chip] = {},
    regime: str | Regime | None = None,
) -> Known:
    """Return the proved value of a call in the claim language, with the domain on which it has one.

    >>> known = value("solve(x + a == 3, x)")                                        # x = 3 - a, where that is positive
    >>> known.statement.says, known.trust
    ('solve(x + a == 3, x) = 3 + -1*a where 3 > a', 'kernel')
    >>> [part.statement.says for part in known.warrant.parts][:1]
    ['x = 3 - a']
    >>> value("smallest(n, n^2 > 50)").statement.says                               # 7^2 = 49
    'smallest(n, n^2 > 50) = 8'

    `ops` and `chips` define names used in the call, in addition to those that come with the package. `given` and `let`
    are as in a claim. Raises RoofproofError for a text that is not a call, and for a call without a value.
    """
    names = {*let}
    env = Environment(
        given=read_conditions(given, names),
        let={name: read_value(said, names) for name, said in let.items()},
        ops={name: parse_operation(o) if isinstance(o, str) else o for name, o in ops.items()},
        chips={name: any_chip(c) if isinstance(c, str) else c for name, c in chips.items()},
        functions=table(),
        regime=Regime(regime) if isinstance(regime, str) else regime,
    )
    node = read_value(text, names)
    env.check(node)
    if (found := env.proved_value(node)) is not None:
        return found.known

    if not isinstance(node, Call) or node.function not in MEANINGS:
        raise RoofproofError("<text> is not a function with a value, such as solve(2 x == 6, x)", text=quoted(text))
    defined = env.terms.term(node)
    return Known(
        Statement("", (), Formula("=", Term("v", to_text(node)), defined), "value"),
        ByDefinition(defined, env.terms.definitions),
    )
