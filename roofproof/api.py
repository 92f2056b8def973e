"""The public Python functions, which accept text, roofproof objects and SymPy symbols.

You can pass an operation as an Operation or as text, and a chip as a Chip, a name, a file or specs. A size is a name or
a symbol, and a formula is text or a SymPy expression. Text is parsed by roofproof's grammars and never evaluated.
Each function imports its modules when it is called, so that `import roofproof` stays fast.
"""

from __future__ import annotations

import os
from operator import index

from roofproof.arguments import checked
from roofproof.errors import RoofproofError, WrongType, quoted, refuse_unknown

TYPE_CHECKING = False  # importing typing would slow down the start of short commands
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from fractions import Fraction
    from typing import Any, TypeAlias

    import sympy

    from roofproof.amounts import Amount
    from roofproof.bounds import Bound
    from roofproof.claims import Grade
    from roofproof.claims.judge.verdict import Verdict
    from roofproof.claims.results import Result
    from roofproof.derive import Intensity, Limit, Regime, Sweep
    from roofproof.derive.roofline.share import Share
    from roofproof.hardware import Chip
    from roofproof.ops import Operation
    from roofproof.proofs import ProvedThreshold
    from roofproof.times.records import Record

    AnOperation: TypeAlias = "Operation | str"
    AChip: TypeAlias = "Chip | str"
    AnAmount: TypeAlias = "sympy.Expr | Fraction | int | float | str | Intensity | Amount"
    AName: TypeAlias = "str | sympy.Symbol"
    Sizes: TypeAlias = "Mapping[str, int] | Mapping[sympy.Symbol, int] | str"


@checked
def op(text: AnOperation) -> Operation:
    """Return the operation that a text describes: a library name, an einsum, expressions, or FILE.json:decode.

    >>> op("matmul").flops, op("bf16[N], bf16[N] -> []").flops
    (2*B*D*F, 2*N)
    """
    from roofproof.ops import Operation, parse_operation

    if isinstance(text, Operation):
        return text
    if not isinstance(text, str):
        raise WrongType("op", "an operation or its text", text, "'matmul' or 'bf16[B,D], bf16[D,F] -> bf16[B,F]'")
    return parse_operation(text)


def chip(text: AChip) -> Chip:
    """Return the chip that a text describes: NAME, NAME@VARIANT, FILE.toml, or a list of specs.

    >>> chip("v5e").name, str(chip("bf16=197 TFLOP/s, hbm=819 GB/s").rate("bf16"))
    ('tpu-v5e', 'bf16 = 1.97e14 FLOP/s')
    """
    from roofproof.hardware import Chip, any_chip

    if isinstance(text, Chip):
        return text
    if not isinstance(text, str):
        raise WrongType("chip", "a chip or its text", text, "'tpu-v5e' or 'bf16=197 TFLOP/s, hbm=819 GB/s'")
    return any_chip(text)


@checked
def threshold(
    op: AnOperation,
    chip: AChip | None,
    for_: AName,
    at: Sizes | None = None,
    regime: Regime | str | None = None,
    multiple_of: int = 1,
    oracle: str = "z3",
    share: str | Fraction | None = None,
    corner: str | None = None,
) -> ProvedThreshold:
    """Return the sizes at which an operation is compute-bound on a chip, or reaches a share of the peak, proved.

    >>> threshold("matmul", "tpu-v5e", "B", at={"D": 4096, "F": 4096}).integer     # B > 272.55
    273
    >>> print(threshold("matmul", "tpu-v5e", "B", at="D=4096,F=4096"))
    B > 197000*D*F/(819*D*F - 197000*D - 197000*F)    when 1/D + 1/F < 819/197000
    never                                             otherwise
    at D = 4096, F = 4096: B > 50432000/185039 ≈ 272.55; smallest integer B = 273
    proved by kernel
    >>> threshold("matmul", None, "B")                                           # R: the ridge point of any chip
    B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
    never                          otherwise
    proved by kernel
    >>> threshold("matmul", "h100-sxm", "B", at="D=4096,F=4096", share="80 %").integer        # I >= 316.52
    375
    >>> threshold("matmul:fp64", "h100-sxm", "B", at="D=4096,F=4096").integer    # on the matrix unit, 66.9 TFLOP/s
    84

    With `share`, the answer leaves out start-up times and uses the chip's calibrated rates. With `corner`, it uses
    the specs as they are.
    """
    from roofproof.derive import Regime
    from roofproof.proofs.provers.critical_size import threshold_given

    if not isinstance(regime, str | Regime | None):
        raise WrongType("regime", "a regime or its text", regime, "'D, F >> B' or 'N -> oo'")
    multiple_of = _whole("multiple_of", multiple_of)
    on = None if chip is None else _chip(chip)
    if corner is not None and share is None:
        raise RoofproofError("--corner requires --share")
    kept = None if share is None else _share(_for(op, on), on, share, corner)
    *_, found = threshold_given(_for(op, on), on, _name(for_), _sizes(at), regime, multiple_of, oracle, kept)
    return found


def _share(op: Operation, chip: Chip | None, share: str | Fraction, corner: str | None) -> Share:
    from fractions import Fraction

    from roofproof.derive.roofline.keeping import share_of
    from roofproof.derive.roofline.share import share_from

    if not isinstance(share, str | Fraction):
        raise WrongType("share", "a share as text or a Fraction", share, "'0.8'")
    return share_of(op, chip, share_from(share) if isinstance(share, str) else share, corner)


@checked
def intensity(op: AnOperation, channel: str = "memory") -> Intensity:
    """Return the arithmetic intensity in lowest terms: FLOPs per byte over a memory level or link.

    >>> intensity("matmul")                                    # 2BDF / (2BD + 2DF + 2BF)
    I = B*D*F/(B*D + B*F + D*F)
    """
    from dataclasses import replace

    from roofproof.derive import intensity as derived
    from roofproof.proofs.provers.roofline import cancelled

    counted = _op(op)
    found = derived(counted, channel)
    return replace(found, known=(cancelled(counted.flops, counted.bytes(channel), found.value, channel),))


@checked
def limit(of: AnOperation | Intensity | Amount | sympy.Expr, regime: Regime | str) -> Limit:
    """Return the proved limit of a formula in a regime, with the exact error of using it in place of the formula.

    >>> limit("B*D/(B+D)", "D -> oo")                          # B / (1 + B/D)
    B*D/(B + D) -> B as D -> oo
    >>> limit(intensity("matmul"), "D, F >> B").relative_error   # 1/(1 + B/D + B/F) of B
    B/F + B/D
    >>> limit("dot", "N -> oo").value                          # of the intensity (2N - 1)/(4N)
    1/2

    Names are positive and real. A formula may use the functions of the claim language, as in `flops(matmul)`.
    """
    from roofproof.derive import Regime
    from roofproof.derive import limit as derived

    if not isinstance(regime, str | Regime):
        raise WrongType("limit", "a regime or its text", regime, "'D, F >> B' or 'N -> oo'")
    said = regime if isinstance(regime, Regime) else Regime(regime)
    return derived(_formula(of, {*said.growing, *said.fixed}), said)


@checked
def ridge(chip: AChip, compute: str, channel: str = "memory") -> sympy.Rational:
    """Return the ridge point of a chip, peak divided by bandwidth, in FLOP/B.

    >>> ridge("bf16=200 TFLOP/s, hbm=800 GB/s", "bf16")
    250
    """
    from roofproof.derive import ridge as derived

    return derived(_chip(chip), compute, channel)


@checked
def time(op: AnOperation, chip: AChip, *, at: Sizes | None = None) -> dict[str, Amount]:
    """Return the seconds that each compute unit, memory level and link takes by itself.

    >>> lower("matmul", "bf16=2 FLOP/s, hbm=1 B/s").at(B=1, D=2, F=3)          # max(12/2, 22/1)
    22
    >>> time("flops bf16 = 6; bytes memory = 4", "bf16=2 FLOP/s, hbm=1 B/s")
    {'bf16': 3, 'memory': 4}
    """
    from roofproof.derive import time as derived

    made = _for(op, _chip(chip))
    return _put_in(made, derived(made, _chip(chip)), at)


def _put_in(op: Operation, times: Mapping[str, sympy.Expr], at: Sizes | None) -> dict[str, Amount]:
    """Return times with some sizes of an operation substituted."""
    from roofproof.amounts import Amount

    sizes, dims = _sizes(at), {s.name for s in op.dims}
    for name in sizes:
        refuse_unknown("size", name, dims)
    given = {name: {s.name: sizes[s.name] for s in t.free_symbols if s.name in sizes} for name, t in times.items()}
    return {name: Amount(t).at(given[name]) for name, t in times.items()}


@checked
def lower(op: AnOperation, chip: AChip, *, at: Sizes | None = None) -> Amount:
    """Return the seconds if everything overlaps and caches are cold: the longest time counts.

    >>> lower("flops bf16 = 6; bytes memory = 4", "bf16=2 FLOP/s, hbm=1 B/s")     # max(6/2, 4/1)
    4
    """
    from roofproof.derive import lower as derived

    made = _for(op, _chip(chip))
    return _put_in(made, {"": derived(made, _chip(chip))}, at)[""]


@checked
def upper(op: AnOperation, chip: AChip, *, at: Sizes | None = None) -> Amount:
    """Return the seconds without any overlap: the sum of all times.

    >>> upper("flops bf16 = 6; bytes memory = 4", "bf16=2 FLOP/s, hbm=1 B/s")     # 6/2 + 4/1
    7
    """
    from roofproof.derive import upper as derived

    made = _for(op, _chip(chip))
    return _put_in(made, {"": derived(made, _chip(chip))}, at)[""]


@checked
def sequential(op: AnOperation, chip: AChip, *, at: Sizes | None = None) -> Amount:
    """Return the seconds if the parts run one after another, with overlap only within each part.

    >>> from roofproof.ops import then
    >>> both = then(op("flops bf16 = 6; bytes memory = 1"), op("bytes memory = 4"))
    >>> sequential(both, "bf16=2 FLOP/s, hbm=1 B/s")           # max(6/2, 1/1) + 4/1
    7
    """
    from roofproof.derive import sequential as derived

    made = _for(op, _chip(chip))
    return _put_in(made, {"": derived(made, _chip(chip))}, at)[""]


@checked
def attainable(peak: AnAmount, bandwidth: AnAmount, intensity: AnAmount) -> Amount:
    """Return the roofline min(peak, I * bandwidth), in FLOP/s.

    >>> attainable("1.2 TFLOP/s", "48 GB/s", 15)               # 15 * 48e9
    720000000000
    """
    from roofproof.amounts import Amount
    from roofproof.derive import attainable as derived

    found = derived(_amount("peak", peak), _amount("bandwidth", bandwidth), _amount("intensity", intensity))
    return Amount(found)


@checked
def bound(
    op: AnOperation,
    chip: AChip | None = None,
    memory: int | str | None = None,
    *,
    level: str | None = None,
    at: Sizes | None = None,
    relax: bool = False,
) -> Bound:
    """Return a lower bound on the bytes that any schedule of a product moves, the best tile, and the three regions.

    >>> found = bound("matmul", chip="h100-sxm", level="smem")
    >>> found.lower[0].value, found.tile.sides                 # 2 B D F/sqrt(S) elements, S = M/2, of 2 bytes
    (4*sqrt(2)*B*D*F/sqrt(M) - 2*M, {B: sqrt(2*M + 4)/2 - 1, F: sqrt(2*M + 4)/2 - 1})
    >>> found.regions.never_below, found.region, found.integer_sides               # 2 (340^2 + 2 340) <= 233472
    (8*R**2, 'no schedule', {B: 340, F: 340})
    >>> bound("matmul", memory="4 KiB").integer_sides
    {B: 44, F: 44}
    """
    from fractions import Fraction

    from roofproof.bounds import bound as derived
    from roofproof.hardware.quantities import parse_quantity

    size = parse_quantity(memory, "B") if isinstance(memory, str) else memory
    if not isinstance(size, Fraction | None):
        size = _whole("memory", memory)
    return derived(_op(op), size, None if chip is None else _chip(chip), level, _sizes(at), relax)


@checked
def minimum_time(
    op: AnOperation,
    chip: AChip,
    at: Sizes | None = None,
    *,
    measured: str | None = None,
    caches: str | None = None,
    tf32: bool = True,
    as_written: bool = False,
) -> Record:
    """Return the minimum time of an operation on a chip, with the verdict on a measured time.

    >>> found = minimum_time("matmul", "h100-sxm", at="B=512,D=4096,F=4096", measured="24 us")      # 2BDF / 989e12
    >>> round(float(found.seconds) * 1e6, 2), found.binds, found.verdicts[0].verdict
    (17.37, 'bf16', 'possible')
    >>> print(str(found).splitlines()[0].partition("; measured ")[2])
    24 us = 1.382 x minimum: possible

    `caches`, `tf32` and `as_written` are as in `minimum_times`, which takes many problems and tables of times.
    """
    from roofproof.times.problems import Problem
    from roofproof.times.records import minimum_time_records as recorded
    from roofproof.times.tables import own_time

    made, on = _op(op), _chip(chip)
    table = None if measured is None else own_time(measured)
    if measured is not None and table is None:
        raise WrongType("measured", "a time with its unit", measured, "'14 us'")
    [record] = recorded([Problem(made.name, made)], on, _caches(caches), table, _sizes(at), tf32, as_written)
    if record.error:
        raise RoofproofError("<problem>", problem=record.error)
    return record


def _caches(kind: str | None) -> str:
    from roofproof.derive.roofline.floors import COLD, WARM

    if kind is not None:
        refuse_unknown("kind of caches", kind, (COLD, WARM))
    return kind or ""


@checked
def minimum_times(
    what: AnOperation | os.PathLike[str] | Iterable[AnOperation | os.PathLike[str]],
    chip: AChip,
    at: Sizes | None = None,
    *,
    times: str | os.PathLike[str] | None = None,
    caches: str | None = None,
    tf32: bool = True,
    as_written: bool = False,
    shapes: str = "",
    where: str = "",
) -> tuple[Record, ...]:
    """Return the minimum time of each problem on a chip, with verdicts on measured times, in the given order.

    >>> [found] = minimum_times("matmul:fp16", "h100-sxm", at={"B": 16, "D": 4096, "F": 4096})    # 33816576 B/3.35 TB/s
    >>> found.seconds, found.binds, found.trust
    (Fraction(33024, 3271484375), 'memory', 'kernel')

    A problem is an operation, its text, or a path: a problem file, `FILE.py:NAME` with `shapes` and `where`, a folder,
    or a manifest. `times` is a table of times, and `caches` is "cold" or "warm". By default the minimum assumes cold
    caches, and a time is impossible only if warm caches exclude it too. A problem that cannot be used has an `error`.
    """
    from roofproof.ops import Operation
    from roofproof.times.problems import Problem, read_problems
    from roofproof.times.records import minimum_time_records as recorded
    from roofproof.times.tables import read_times

    on, kind = _chip(chip), _caches(caches)
    if not isinstance(times, str | os.PathLike | None):
        raise WrongType("times", "the path of a table of times", times, "'times.csv'")
    one = isinstance(what, str | os.PathLike | Operation)
    if not one and not hasattr(what, "__iter__"):
        raise WrongType("time", "operations, texts or paths", what, "'matmul' or 'problems/'")
    found: list[Problem] = []
    for each in [what] if one else what:  # type: ignore[union-attr]
        if isinstance(each, Operation):
            found.append(Problem(each.name, each))
        elif isinstance(each, str | os.PathLike):
            found += read_problems([os.fspath(each)], shapes, where)
        else:
            raise WrongType("time", "operations, texts or paths", each, "'matmul' or 'problems/'")
    table = None if times is None else read_times(os.fspath(times)).on(on)
    return tuple(recorded(found, on, kind, table, _sizes(at), tf32, as_written))


@checked
def sweep(
    op: AnOperation,
    over: Mapping[str, Any],
    chips: AChip | Iterable[AChip] = (),
    quantities: Sequence[str] | None = None,
    at: Sizes | None = None,
) -> Sweep:
    """Return quantities of an operation for every combination of sizes, on each of several chips.

    >>> next(sweep("dot", {"N": range(1, 4)}).slabs())["flops"]                   # 2N - 1
    array([1., 3., 5.])
    """
    from roofproof.derive import sweep as derived

    return derived(_op(op), _by_name("over", over), _chips(chips), _texts("quantities", quantities), _sizes(at))


@checked
def evaluate(
    what: AnOperation | sympy.Expr | Amount,
    sizes: Mapping[str, Any] | str,
    quantity: str | None = None,
    chips: AChip | Iterable[AChip] | None = None,
) -> Any:
    """Evaluate a formula, or a quantity of an operation, for arrays of sizes.

    >>> evaluate("matmul", {"B": [1, 1024], "D": 1024, "F": 1024}, "intensity").round(2)     # 1/(1/B + 1/D + 1/F)
    array([  1.  , 341.33])
    >>> evaluate("matmul", "B=1024,D=1024,F=1024", "flops")
    array(2.14748365e+09)
    """
    from roofproof.amounts import Amount
    from roofproof.derive import evaluate as derived

    on = None if chips is None else _one(chips) or _chips(chips)
    given = _sizes(sizes) if isinstance(sizes, str) else _by_name("sizes", sizes)
    asked = what.value if isinstance(what, Amount) else what
    return derived(_op(asked) if isinstance(asked, str) else asked, given, quantity, on)


@checked
def verify(
    *books: str | os.PathLike[str], only: Iterable[str] = (), workers: int | str | None = 1
) -> tuple[Result, ...]:
    """Return the result of every claim in claims files and annotated pages, in the given order.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     path = Path(home) / "small.claims.toml"
    ...     _ = path.write_text('[[claim]]\\nid = "third"\\nsays = "1/3 < 0.34"')
    ...     [(found.id, found.kind, found.as_expected) for found in verify(path)]
    [('third', 'verified', True)]
    """
    from dataclasses import replace

    from roofproof.claims import verify as judged
    from roofproof.claims.verifying import is_sentence, read

    for book in books:
        if not isinstance(book, str | os.PathLike):
            raise WrongType("verify", "the path of a claims file", book, "'chapter.claims.toml'")
        if is_sentence(os.fspath(book)):
            problem = "verify: expected the path of a claims file, got the sentence <says>; call judge(<says>)"
            raise RoofproofError(problem, says=quoted(os.fspath(book)))
    if not isinstance(workers, str | None):
        workers = _whole("workers", workers)
    paths = [os.fspath(book) for book in books]
    wanted = _texts("only", only) or ()
    texts: Sequence[str] = paths
    pages: Sequence[str] = ()
    if not all(path.endswith((".toml", ".csv")) for path in paths):
        from roofproof.pages.judging import judged_file
        from roofproof.pages.written import books_and_pages

        texts, pages = books_and_pages(paths)
    if pages and wanted:
        raise RoofproofError("only needs a claims file; claims of a page have no id")
    said = {path: {claim.id: claim for claim in read(path).claims} for path in texts}
    results = judged(texts, wanted, workers) if texts else ()
    found = [replace(each, claim=said[each.file].get(each.id)) for each in results]
    found += [replace(each.result, claim=each.claim) for path in dict.fromkeys(pages) for each in judged_file(path)]
    found.sort(key=lambda each: paths.index(each.file))
    if len(paths) == 1 and any(each.is_file for each in found):
        raise RoofproofError(found[0].problem)
    return tuple(found)


@checked
def judge(says: str, given: str = "", regime: str = "") -> Verdict:
    """Return the verdict on one claim, with its proof in `derivation`.

    >>> judge("intensity(matmul) ~= B", regime="D, F >> B").kind
    'approximate'
    >>> judge("2 x <= x^2 + 1", given="x > 0").trust                             # (x - 1)^2 >= 0
    'kernel'
    """
    from dataclasses import replace
    from json import dumps

    from roofproof.claims.judge.judge import judge_with_slip
    from roofproof.claims.language.book import Claim, book_from_text

    rows = {"says": says, "given": given, "regime": regime}
    said = "\n".join(f"{name} = {dumps(text, ensure_ascii=False)}" for name, text in rows.items() if text)
    [claim] = book_from_text(f'[[claim]]\nid = "claim"\n{said}').claims
    if not isinstance(claim, Claim):  # drop the file and the claim id from the message: there are none
        raise RoofproofError(getattr(claim.message, "parts", {}).get("why", claim.message))
    return replace(judge_with_slip(claim), says=says)


@checked
def check(
    op: AnOperation,
    chip: AChip | None = None,
    for_: AName | None = None,
    answer: str = "",
    *,
    at: Sizes | None = None,
    regime: str | None = None,
    asks: str = "",
    tolerance: str = "digits",
) -> Grade:
    """Grade a student's answer, given in words, plain text or LaTeX.

    >>> check("matmul", "tpu-v5e", "B", "B > 240", regime="D, F >> B", asks="rule").grade     # 240.54
    'right'
    >>> check("matmul", answer="2BDF", asks="flops").grade
    'right'
    """
    from dataclasses import replace

    from roofproof.claims import Question, grade

    on, name = None if chip is None else _chip(chip), None if for_ is None else _name(for_)
    asked = Question(_for(_op(op), on), on, name, regime, _sizes(at), asks, tolerance)
    return replace(grade(asked, answer), asked=asked, text=answer)


_op, _chip = op, chip  # some parameters have the same names


def _for(given: AnOperation, on: Chip | None) -> Operation:
    """Return an operation whose unspecified formats and compute units are ones that the chip supports."""
    from roofproof.derive.roofline.own_format import for_chip, with_units

    if isinstance(given, str):
        return for_chip(given, on)
    return _op(given) if on is None else with_units(_op(given), on)


def _one(given: AChip | Iterable[AChip]) -> Chip | None:
    from roofproof.hardware import Chip

    return _chip(given) if isinstance(given, str | Chip) else None


def _chips(given: AChip | Iterable[AChip]) -> list[Chip]:
    one = _one(given)
    if one is not None:
        return [one]
    if not hasattr(given, "__iter__"):
        raise WrongType("chips", "chips or their texts", given, "['tpu-v5e', 'h100-sxm']")
    return [_chip(each) for each in given]


def _name(thing: object) -> str:
    """Return the name of a size."""
    name = getattr(thing, "name", thing)
    if not isinstance(name, str):
        raise WrongType("size", "a name or a symbol", thing, "'B'")
    return name


def _sizes(at: Sizes | None) -> dict[str, int]:
    """Return sizes by name, from a mapping or from `D=4096, F=4096`."""
    if at is None:
        return {}
    if isinstance(at, str):
        from roofproof.ops.notation.sizes import sizes_from

        return sizes_from([at])
    if not hasattr(at, "items"):
        raise WrongType("at", "sizes by name", at, "at={'D': 4096, 'F': 4096}")
    out: dict[str, int] = {}
    for given, size in at.items():
        if (name := _name(given)) in out:
            raise RoofproofError("size of <name> is given twice", name=name)
        out[name] = _whole(f"size {name}", size)
    return out


def _whole(what: str, number: object, such: str = "4096") -> int:
    """Return a positive integer as an int, from an integer of Python, NumPy or SymPy."""
    try:
        found = None if isinstance(number, bool) else index(number)  # type: ignore[arg-type]
    except TypeError:
        found = None
    if found is None or found < 1:
        raise WrongType(what, "a positive integer", number, such)
    return found


def _amount(what: str, thing: object) -> sympy.Expr:
    """Return a rate or an intensity as an expression, and parse text as a quantity or a formula."""
    import sympy

    from roofproof.derive import Intensity
    from roofproof.hardware.quantities import parse_quantity

    unit = {"peak": "FLOP/s", "bandwidth": "B/s"}.get(what)
    if isinstance(thing, str | Intensity):
        return sympy.Rational(parse_quantity(thing, unit)) if unit and isinstance(thing, str) else _formula(thing)
    try:
        found = sympy.sympify(thing, strict=True)
    except (sympy.SympifyError, TypeError):
        found = None
    if (
        found in (sympy.nan, sympy.oo)
        or isinstance(thing, bool)
        or not isinstance(found, sympy.Expr)
        or found.is_positive is False
    ):
        raise WrongType(what, "a positive number, a formula or text", thing, "'819 GB/s'" if unit else "'B/2'")
    return found


def _by_name(what: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arrays of sizes by name."""
    if not hasattr(given, "items"):
        raise WrongType(what, "sizes by name", given, f"{what}={{'B': [1, 1024]}}")
    return {_name(name): sizes for name, sizes in given.items()}


def _texts(what: str, given: Iterable[str] | None) -> list[str] | None:
    """Return texts as a list, but refuse a single string, because it would be split into its letters."""
    if given is None:
        return None
    found: list[Any] = [None] if isinstance(given, str) or not hasattr(given, "__iter__") else list(given)
    if not all(isinstance(each, str) for each in found):
        raise WrongType(what, "a list of texts", given, f"{what}=['flops']" if what == "quantities" else "['ridge']")
    return found


def _formula(thing: object, sizes: Collection[str] = ()) -> sympy.Expr:
    """Return a formula in positive real names, from text, a SymPy expression, an intensity or an operation."""
    import sympy

    from roofproof.amounts import Amount
    from roofproof.derive import Intensity, intensity
    from roofproof.ops import Operation
    from roofproof.symbols import quantity

    if isinstance(thing, str):
        from roofproof.claims.language import Environment
        from roofproof.formula.plain import letters_in, refuse_prefixes
        from roofproof.formula.reader import read_value
        from roofproof.formula.tokens import tokens
        from roofproof.formula.tree import Name
        from roofproof.ops.library import named

        if named(thing.partition(":")[0].strip()):
            return intensity(op(thing)).value
        refuse_prefixes(words := tokens(thing), sizes)
        read = read_value(thing, letters={*sizes, *letters_in(words)})
        if sizes and isinstance(read, Name) and read.name not in sizes:
            return intensity(op(thing)).value  # not a formula in these sizes: an operation, or an unknown name
        return Environment().to_sympy(read)
    if isinstance(thing, Operation):
        return intensity(thing).value
    if isinstance(thing, Intensity | Amount):
        return thing.value
    if not isinstance(thing, sympy.Expr):
        raise WrongType("formula", "text, an operation or a SymPy expression", thing, "'B*D/(B + D)'")
    if floats := thing.atoms(sympy.Float):
        raise WrongType("formula", "exact numbers", next(iter(floats)), "sympy.Rational(1, 10), or '0.1' as text")
    if thing.has(sympy.oo, -sympy.oo, sympy.zoo, sympy.nan, sympy.I) or not thing.is_commutative:
        raise WrongType("formula", "real numbers, finite", thing, "sympy.Symbol('B')/2")
    names: dict[str, sympy.Symbol] = {}
    for symbol in thing.free_symbols:
        if symbol.is_positive is False:
            raise RoofproofError(f"formula: {symbol} is not positive; names stand for positive sizes and rates")
        if names.setdefault(symbol.name, symbol) != symbol:
            raise RoofproofError(f"formula: two symbols are called {quoted(symbol.name)}; rename one")
    return thing.xreplace({s: quantity(s.name) for s in thing.free_symbols if s.is_positive is None})
