"""What an operation moves, on slides: its tensors in one line, and the table of their bytes."""

import sympy

from roofproof.derive.inequalities.cases import substitute
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.leaves import is_letter
from roofproof.export.latex.measure import width
from roofproof.export.outline import Row
from roofproof.export.slides.deck_context import LINE, DeckContext, first
from roofproof.export.slides.model import Display, Inline, Math, Table
from roofproof.export.slides.tex import given
from roofproof.ops import Operation
from roofproof.ops.tensor import Tensor
from roofproof.proofs.known import Known
from roofproof.proofs.provers.roofline import counts, divided

MOST = 7  # tensors that a table shows one by one
WIDE = 12.0  # em that a formula in a table may take
FEW = 4  # tensors that the set-up shows in one line


def signature(op: Operation) -> Display | str:
    """Return the tensors, from what goes in to what comes out, where they fit a line."""
    sides = [[rf"{_name(t)}\colon \text{{{t.dtype}}}[{_shape(t)}]" for t in some] for some in (op.reads, op.writes)]
    line = r",\quad ".join(sides[0]) + r"\ \to\ " + r",\quad ".join(sides[1])
    return Display((given(line),)) if all(sides) and len(op.tensors) <= FEW and width(line) < LINE else ""


def _name(t: Tensor) -> str:
    return symbol(t.name) if is_letter(t.name) else rf"\text{{{escape(t.name)}}}"


def _shape(t: Tensor) -> str:
    return ", ".join(latex(size, inline=True) for size in t.shape)


def moved(deck: DeckContext) -> Table:
    """Return the table of the tensors, those that move most one by one, and of the bytes over links."""
    op, words, rest = deck.op, deck.words, smaller(deck)
    rows = [_tensor(deck, row) for row in deck.outline.rows("read", "write") if row not in rest]
    if rest:
        amount = divided("bytes of smaller tensors", sympy.Add(*(row.value for row in rest)), sympy.Integer(1), {})
        rows.append((words("<count> smaller tensors", count=len(rest)), (), (), (), _amount(deck, amount)))
    for row in deck.outline.rows("over"):
        rows.append((words("over <link>", link=row.about), (), (), (), _amount(deck, row.known[0])))
    total = bool(op.tensors) and len(rows) > 1 and set(op.traffic) <= {"memory"}
    total = total and width(deck.style.latex(op.bytes(), inline=True)) < 2 * WIDE  # else the next slide has it
    if total:
        rows.append((words("total"), (), (), (), _amount(deck, bytes_over(op, "memory"))))
    header = tuple(words(name) for name in ("tensor", "shape", "format", "moved", "bytes"))
    if not op.tensors:  # bytes over links alone have no shape
        return Table((words("moved"), words("bytes")), tuple((row[0], row[4]) for row in rows), "ll")
    return Table(header, tuple(rows), "lllll", total)


def smaller(deck: DeckContext) -> list[Row]:
    """Return the tensors that the table does not show one by one, the smallest at the sizes."""
    every = deck.outline.rows("read", "write")
    largest = sorted(every, key=lambda row: -substitute(row.value, deck.study.full_sizes))[:MOST]
    return [row for row in every if row not in largest] if len(every) > MOST + 1 else []


def _tensor(deck: DeckContext, row: Row) -> tuple[Inline, ...]:
    t = row.about
    name: Inline = (Math(given(_name(t))),) if is_letter(t.name) else (t.name,)
    times: Inline = () if t.times == 1 else (" ", Math(given(rf"\times {deck.style.latex(t.times, inline=True)}")))
    shape = Math(given(f"[{_shape(t)}]"))
    return name, (shape, *times), (t.dtype,), deck.words(row.key), _amount(deck, row.known[0])


def bytes_over(op: Operation, channel: str) -> Known:
    """Return the bytes that an operation moves over a channel.

    >>> from roofproof import op
    >>> bytes_over(op("matmul"), "memory").statement.says
    'bytes over memory = 2*B*D + 2*B*F + 2*D*F'
    """
    every = [row for row in counts(op) if row.key in ("read", "write", "over", "total")]
    [known] = next((row for row in reversed(every) if row.about == channel), every[0]).known
    return known


def _amount(deck: DeckContext, known: Known) -> Inline:
    amount = first(known)
    if width(deck.style.latex(amount, inline=True)) > WIDE and amount.is_Add and len(amount.args) > 4:
        return deck.words("a sum of <count> terms", count=len(amount.args))
    return (deck.math(known, first),)
