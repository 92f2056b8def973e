"""The one error a user can cause, and the near matches that go with it."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from roofproof.sentences import Sentence, joined

MAX_MESSAGE = 1_000  # characters
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # moves, colours or turns text
DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(1, 10))})
"""Names that are no files on Windows, with any ending."""


def one_line(text: str) -> str:
    r"""Return a name from outside on one line, its control characters spelled: what it prints is no line of ours.

    >>> print(one_line("S2-58\nok S2-59  verified"), one_line("\x1b[31mred"))
    S2-58 ok S2-59 verified \x1b[31mred
    """
    return " ".join(CONTROL.sub(lambda sign: ascii(sign[0])[1:-1], text).split())


class RoofproofError(ValueError):
    """Input that cannot be used, said in one line: what was expected, what came, and the cure.

    >>> raise RoofproofError("unknown chip 'tpu-v5'; did you mean 'tpu-v5e'?")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown chip 'tpu-v5'; did you mean 'tpu-v5e'?

    However long the input, the message is one line of at most a thousand characters:

    >>> len(str(RoofproofError("x" * 10**6)))
    1000

    With gaps in the message and what fills them, `said` is a Sentence, which another language can say, too:

    >>> RoofproofError("size of <name> is given twice", name="D").said.form
    'size of <name> is given twice'
    """

    def __init__(self, message: str = "", /, **parts: object) -> None:
        said = Sentence(message, **parts) if parts else message
        line = " ".join(str(said).splitlines())
        line = line if len(line) <= MAX_MESSAGE else line[: MAX_MESSAGE - 3] + "..."
        super().__init__(line)
        self.said = said if said == line else line

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (type(self), self.args), self.__dict__  # a kind of error may be made of more than its line


def _remade(kind: type[RoofproofError], said: tuple[str, ...]) -> RoofproofError:
    return kind.__new__(kind, *said)


def told(problem: Exception) -> str:
    """Return what is said of an error, of a fault of the engine what it is.

    >>> told(RoofproofError("unknown chip 'tpu-v5'")), str(told(ZeroDivisionError("division by zero")))
    ("unknown chip 'tpu-v5'", "roofproof failed on this claim: ZeroDivisionError: 'division by zero'")
    """
    if isinstance(problem, RoofproofError):
        return problem.said
    why = f"{type(problem).__name__}: {quoted(str(problem), 200)}"
    return Sentence("roofproof failed on this claim: <why>", why=why)


@contextmanager
def explaining() -> Iterator[None]:
    """Go on after a failure to explain what is found: to look for a mistake, a hint or a picture loses no answer.

    >>> with explaining():
    ...     raise ZeroDivisionError
    """
    try:
        yield
    except Exception as problem:
        if not isinstance(problem, RoofproofError):
            from logging import getLogger

            getLogger("roofproof").debug("not explained", exc_info=problem)


class MissingExtra(RoofproofError):
    """What only an extra brings is not installed.

    >>> print(MissingExtra("matplotlib", "plot", "write a .tex file"))
    matplotlib is not installed; cure: pip install 'roofproof[plot]', or write a .tex file
    """

    def __init__(self, package: str, extra: str, otherwise: str = "") -> None:
        cure = f"pip install 'roofproof[{extra}]'"
        short = "<package> is not installed; cure: <cure>"
        long = "<package> is not installed; cure: <cure>, or <otherwise>"
        super().__init__(long if otherwise else short, package=package, cure=cure, otherwise=otherwise)


class WrongType(RoofproofError, TypeError):
    """A thing of a kind that nothing is made of, where an operation, a chip, a size or a formula is expected.

    >>> print(WrongType("op", "an operation or its text", 3, "op('matmul')"))
    op: expected an operation or its text, got int 3; such as op('matmul')
    """

    def __init__(self, where: str, expected: str, got: object, cure: str) -> None:
        came = f"{type(got).__name__} {quoted(got) if isinstance(got, str) else _shown(got)}"
        form = "<where>: expected <expected>, got <came>; such as <cure>"
        super().__init__(form, where=where, expected=expected, came=came, cure=cure)


def _shown(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= 60 else f"{text[:60]}..."


class Undecided(RoofproofError):
    """A question that the engine leaves open, with the reason: outside what it solves or proves.

    >>> issubclass(Undecided, RoofproofError)
    True
    """


class TooManyCases(RoofproofError):
    """A condition with more cases than anybody would read, which its parts may have fewer of.

    >>> issubclass(TooManyCases, RoofproofError)
    True
    """


class MissingFigure(RoofproofError):
    """A figure that a chip lacks: what needs it can be left out, and told.

    >>> lack = MissingFigure("chip 'mine' has no figure 'bf16'", "mine", "bf16")
    >>> str(lack), lack.chip, lack.figure
    ("chip 'mine' has no figure 'bf16'", 'mine', 'bf16')
    """

    def __init__(self, message: str, chip: str, figure: str) -> None:
        super().__init__(message)
        self.chip, self.figure = chip, figure


class Stopped(BaseException):
    """The limit of time is over and the program stops: no verdict, never remembered, and no error of the input.

    >>> issubclass(Stopped, Exception)                 # no handler for errors on the way may take it for one
    False
    """

    @property
    def said(self) -> str:
        """What is told of it: a Sentence where another language can say it, too."""
        return self.args[0] if self.args else ""


def quoted(text: object, limit: int = 60) -> str:
    r"""Return `text` in quotes on one line, cut to `limit` characters, for use in a message.

    >>> quoted("bf16[B,D")
    "'bf16[B,D'"
    >>> quoted("x" * 100, limit=8)
    "'xxxxxxxx...'"
    >>> print(quoted(r"\frac{1}{2}"))                            # as it was typed, not as Python writes it
    '\frac{1}{2}'
    """
    return repr(cut(str(text), limit)).replace("\\\\", "\\")


def cut(text: str, limit: int = 60) -> str:
    """Return the first characters of a text that is too long for a message.

    >>> cut("head" * 100, limit=8)
    'headhead...'
    """
    return text if len(text) <= limit else text[:limit] + "..."


LISTS = {
    "operation": "roofproof show operations",
    "chip": "roofproof show chips",
    "name": "roofproof show",
    "command": "roofproof --help",
}
"""The commands that list what there is of a kind, where it is too much for a message."""


def unknown(kind: str, name: str, known: Iterable[str], of: str = "") -> RoofproofError:
    """Return the error for a name that is not known, with near matches or the list of what is.

    >>> print(unknown("chip", "tpu-v5", ["tpu-v5e", "h100-sxm"]))
    unknown chip 'tpu-v5'; did you mean 'tpu-v5e'?
    >>> print(unknown("dimension", "Z", ["B", "D"]))
    unknown dimension 'Z'; known: B, D
    >>> print(unknown("dimension", "Z", ["B", "D"], of="matmul"))
    unknown dimension of matmul 'Z'; known: B, D
    """
    from difflib import get_close_matches  # only when something already went wrong

    names = sorted(known)
    cutoff = 0.5 if len(name) == 2 and name[1].isdigit() else 0.6  # `l9` is near `l2`
    near = get_close_matches(name.lower(), names, n=3, cutoff=cutoff) or [k for k in names if k.lower() == name.lower()]
    kind = Sentence("<kind> of <whole>", kind=kind, whole=of) if of else kind
    if near:
        meant = joined("<first> or <second>", map(quoted, near))
        return RoofproofError("unknown <kind> <name>; did you mean <meant>?", kind=kind, name=quoted(name), meant=meant)
    if command := LISTS.get(kind) if len(names) > 12 else None:
        form = "unknown <kind> <name>; list them with `<command>`"
        return RoofproofError(form, kind=kind, name=quoted(name), command=command)
    few = names if len(names) <= 12 else [*get_close_matches(name[:100].lower(), names, n=6, cutoff=0), "..."]
    listed = ", ".join(map(cut, few))
    return RoofproofError("unknown <kind> <name>; known: <names>", kind=kind, name=quoted(name), names=listed or "none")


def refuse_unknown(kind: str, name: str, known: Iterable[str], of: str = "") -> None:
    """Raise the error of `unknown` for a name that is not among those known.

    >>> refuse_unknown("chip", "tpu-v5e", ["tpu-v5e", "h100-sxm"])
    >>> refuse_unknown("chip", "tpu-v9", ["h100-sxm"])
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown chip 'tpu-v9'; known: h100-sxm
    """
    names = list(known)
    if name not in names:
        raise unknown(kind, name, names, of)
