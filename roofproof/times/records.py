"""Records: each problem with its minimum time on a chip and the verdicts on its measured times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Final

from roofproof.answer import Answer, Parts
from roofproof.derive.roofline.floors import ONE_ALGORITHM, Floor
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import Chip
from roofproof.ops.roles import usual_sizes
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import Known, weakest
from roofproof.sentences import Sentence
from roofproof.times.estimates import operation_of
from roofproof.times.problems import Problem, in_own_format, read_problems, said_at
from roofproof.times.tables import OWN_TIME, Times, size_of
from roofproof.times.verdicts import IMPOSSIBLE, FloorAtSizes, Verdict, cut_off, minimum

LABELS: Final = ("problem", "operation", "op")  # columns that name the problem of a time


@dataclass(frozen=True, slots=True, repr=False)
class Record(Answer):
    """A problem with its minimum time on a chip and the verdicts on its times, or the reason why it cannot be used.

    `seconds` is the minimum time at the sizes `at`, and `binds` the limiting resource there. Both are None if a size is
    a symbol. `fits` is whether the tensors fit in memory (None if unknown). `outside` is the reason why the model does
    not apply. `unread` has the reasons why times without a size were skipped.
    """

    words = "roofproof.export.explain.times"
    problem: str
    floor: Floor | None = None
    at: Mapping[str, int] = field(default_factory=dict)
    seconds: Fraction | None = None
    binds: str | None = None
    fits: bool | None = None
    outside: str = ""
    known: tuple[Known, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    error: str = ""
    unread: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", Parts(self.known))

    def __repr__(self) -> str:
        none = self.outside if self.floor is not None and not self.floor.parts else ""
        said = self.error or none or (f"minimum {float(self.seconds):.4g} s" if self.seconds is not None else self.form)
        return f"{self.problem}: {said}"

    @property
    def derivation(self) -> Derivation:
        """The statements behind the minimum time and the verdicts."""
        return Derivation((*self.known, *(verdict.known for verdict in self.verdicts)))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions of the minimum time, in words."""
        return self.floor.assumptions if self.floor is not None else ()

    @property
    def form(self) -> str:
        """The closed form of the minimum time, in seconds."""
        return self.floor.form if self.floor is not None else ""

    @property
    def trust(self) -> str:
        """The weakest trust of the minimum time and the verdicts. A form with only symbols is the model."""
        known = (*self.known, *(verdict.known for verdict in self.verdicts))
        return weakest(known) if known else "model"

    @property
    def impossible(self) -> tuple[Verdict, ...]:
        """The verdicts on impossible times."""
        return tuple(verdict for verdict in self.verdicts if verdict.verdict == IMPOSSIBLE)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as `time --json` prints it."""
        if self.error:
            return {"problem": self.problem, "error": self.error}
        return {
            "problem": self.problem,
            "floor_s": None if self.seconds is None else cut_off(self.seconds),
            "form": self.form,
            "binds": self.binds,
            "assumptions": list(self.assumptions),
            "trust": self.trust,
            "fits": self.fits,
            "at": dict(self.at),
            **({"outside": self.outside} if self.outside else {}),
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            **({"unread": list(self.unread)} if self.unread else {}),
        }


def minimum_time_records(
    found: Iterable[Problem],
    chip: Chip,
    caches: str = "",
    times: Times | None = None,
    at: Mapping[str, int] | None = None,
    tf32: bool = True,
    as_written: bool = False,
) -> Iterator[Record]:
    """Yield a record for each problem: its minimum time on a chip and, with a table of times, the verdicts on them.

    >>> from roofproof.times.problems import read_problems
    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.times.tables import times_from_text
    >>> table = times_from_text("m,n,k,seconds\\n1,2,3,19\\n1,2,3,22\\n", "t.csv")
    >>> product = read_problems(["fp16[m,k], fp16[k,n] -> fp16[m,n]"])
    >>> made = chip_from_text("fp16=24 FLOP/s, hbm=1 B/s")
    >>> [record] = minimum_time_records(product, made, "cold", table)                      # 22 bytes at 1 B/s
    >>> [verdict.verdict for verdict in record.verdicts]
    ['impossible', 'possible']

    A time that only the FLOPs of code exclude is beyond the model, because another program may do fewer. With
    `as_written`, it is impossible. A column `problem`, `operation` or `op` assigns rows to problems. Without one, there
    must be a single problem.
    """
    column, labels = _labels(times)
    names: list[str] = []
    for problem in found:
        names = [*names[:1], problem.name]
        if times is not None:
            refuse_several(times, names)
        rows = None if times is None else times if column is None else _of(problem, times, labels)
        try:
            yield _record(in_own_format(problem, chip), chip, caches, rows, at or {}, tf32, as_written)
        except RoofproofError as error:
            yield Record(problem.name, error=said_at(problem.place, error))


def refuse_several(times: Times, names: Sequence[str]) -> None:
    """Raise RoofproofError for several problems and a table that does not assign its times to them."""
    if len(names) > 1 and _labels(times)[0] is None:
        due = f"a column {LABELS[0]!r} with their names says which time is of which"
        raise RoofproofError(
            "<file>: times of several problems, <names> and <other>; <due>",
            file=times.file,
            names=names[0],
            other=names[1],
            due=due,
        )


def problems_in_table(times: Times) -> list[Problem]:
    """Return the problems that a table names by its columns or by names of built-in operations.

    >>> from roofproof.times.tables import times_from_text
    >>> table = times_from_text("operation,bytes,us\\nadd,64,2\\nmul,64,2\\n", "t.csv")
    >>> [(problem.name, problem.op.bytes()) for problem in problems_in_table(table)]
    [('add', bytes), ('mul', bytes)]
    """
    column, labels = _labels(times)
    try:
        op, _ = operation_of(times)
    except RoofproofError:
        if column is None:
            has = ", ".join(times.sizes) or "no sizes"
            due = "give it as PATH, or in a column 'operation'"
            raise RoofproofError(
                "<file>: which operation was timed? <due>; the table has <has>", file=times.file, due=due, has=has
            ) from None
        return list(read_problems(dict.fromkeys(labels)))
    return [Problem(name, op) for name in (dict.fromkeys(labels) if column is not None else (op.name,))]


def _record(
    problem: Problem, chip: Chip, caches: str, times: Times | None, at: Mapping[str, int], tf32: bool, as_written: bool
) -> Record:
    if problem.op is None:
        return Record(problem.name, error=problem.error)
    made = minimum(problem.op, chip, caches, tf32, as_written, problem.with_all_experts, times)
    held = FloorAtSizes(made)
    sizes = {name: size for name, size in {**at, **problem.at}.items() if name in held.names}
    record: dict[str, Any] = {"at": sizes}
    bare = times.file == OWN_TIME if times is not None else bool(at)
    missing = [name for name in held.names if name not in sizes]
    if bare and missing and set(at) <= set(held.names):
        such = ",".join(f"{name}={size}" for name, size in usual_sizes(problem.op, sizes).items())
        raise RoofproofError("no value for <names>; add --at <such>", names=", ".join(missing), such=such)
    if not made.parts:
        record["outside"] = ONE_ALGORITHM
    elif sizes.keys() >= set(held.names):
        seconds, binds = held.seconds(sizes)
        fits = held.fits(sizes)
        outside = held.outside(sizes)
        known = (held.known(sizes),)
        record |= {"seconds": seconds, "binds": binds, "fits": fits, "outside": outside, "known": known}
    unread: list[str] = []
    verdicts = tuple(_verdicts(held, times, sizes, unread)) if times is not None else ()
    return Record(problem.name, made, verdicts=verdicts, unread=tuple(unread), **record)


def _verdicts(held: FloorAtSizes, times: Times, sizes: Mapping[str, int], unread: list[str]) -> Iterator[Verdict]:
    asked = [name for name in held.names if name not in sizes or name in times.sizes]
    times.refuse_missing(asked, held.floor.op.name)
    columns = {name: times.sizes[name] for name in asked if name in times.sizes}
    labels = {name: times.labels[name] for name in asked if name not in times.sizes}  # not all are integers
    for row, (time, line) in enumerate(zip(times.seconds, times.lines, strict=True)):
        wrong = next((name for name, cells in labels.items() if size_of(cells[row]) is None), None)
        if wrong is not None:
            form = "<file>, line <line>: <name> is <cell>; expected a whole number from 1"
            unread.append(Sentence(form, file=times.file, line=line, name=wrong, cell=quoted(labels[wrong][row])))
            continue
        read = {name: size_of(cells[row]) or 0 for name, cells in labels.items()}
        yield held.verdict(time, {**sizes, **{name: column[row] for name, column in columns.items()}, **read}, line)


def _labels(times: Times | None) -> tuple[str | None, Sequence[str]]:
    """Return the column that names the problem of each time, and its labels. The column is None if there is none."""
    for name in LABELS if times is not None else ():
        assert times is not None
        for column in (times.labels, times.sizes):
            if name in column:
                return name, tuple(map(str, column[name]))
    return None, ()


def _of(problem: Problem, times: Times, labels: Sequence[str]) -> Times:
    """Return the rows that are labeled with the name of a problem or of its file."""
    names = {problem.name, PurePath(problem.name).name, f"{problem.name}.py"}
    return times.rows(i for i, label in enumerate(labels) if label in names or PurePath(label).stem == problem.name)
