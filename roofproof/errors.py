"""The error that invalid input raises, its subclasses, and suggestions of similar names."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from roofproof.sentences import Sentence, joined

MAX_MESSAGE = 1_000  # characters
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # move, color or reverse text
DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(1, 10))})
"""File names that Windows reserves for devices, with any extension."""


def one_line(text: str) -> str:
    r"""Return untrusted text on one line with control characters escaped, so that it cannot fake a line of output.

    >>> print(one_line("S2-58\nok S2-59  verified"), one_line("\x1b[31mred"))
    S2-58 ok S2-59 verified \x1b[31mred
    """
    return " ".join(CONTROL.sub(lambda sign: ascii(sign[0])[1:-1], text).split())


class RoofproofError(ValueError):
    """Invalid input, with a one-line message: the expected input, the actual input, and the cure.

    >>> raise RoofproofError("unknown chip 'tpu-v5'; did you mean 'tpu-v5e'?")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown chip 'tpu-v5'; did you mean 'tpu-v5e'?

    However long the input, the message is one line of at most 1,000 characters:

    >>> len(str(RoofproofError("x" * 10**6)))
    1000

    If you pass a message with gaps and the parts that fill them, `said` is a Sentence, which can be translated:

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
        return _remade, (type(self), self.args), self.__dict__  # a subclass may take more arguments than its message


def _remade(kind: type[RoofproofError], said: tuple[str, ...]) -> RoofproofError:
    return kind.__new__(kind, *said)


def error_message(problem: Exception) -> str:
    """Return the message of an error, or for any other exception one that reports a failure of roofproof.

    >>> error_message(RoofproofError("unknown chip 'tpu-v5'"))
    "unknown chip 'tpu-v5'"
    >>> error_message(ZeroDivisionError("division by zero"))
    "roofproof failed on this claim: ZeroDivisionError: 'division by zero'"
    """
    if isinstance(problem, RoofproofError):
        return problem.said
    why = f"{type(problem).__name__}: {quoted(str(problem), 200)}"
    return Sentence("roofproof failed on this claim: <why>", why=why)


@contextmanager
def explaining() -> Iterator[None]:
    """Suppress errors in a search for an explanation, so that a failed mistake, hint or plot never loses an answer.

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
    """A package that an extra installs is missing.

    >>> print(MissingExtra("matplotlib", "plot", "write a .tex file"))
    matplotlib is not installed; cure: pip install 'roofproof[plot]', or write a .tex file
    """

    def __init__(self, package: str, extra: str, otherwise: str = "") -> None:
        cure = f"pip install 'roofproof[{extra}]'"
        short = "<package> is not installed; cure: <cure>"
        long = "<package> is not installed; cure: <cure>, or <otherwise>"
        super().__init__(long if otherwise else short, package=package, cure=cure, otherwise=otherwise)


class WrongType(RoofproofError, TypeError):
    """An argument of the wrong type, such as a number in place of an operation, a chip or a formula.

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
    """A question that roofproof cannot answer, with the reason.

    >>> issubclass(Undecided, RoofproofError)
    True
    """


class TooManyCases(RoofproofError):
    """A condition with too many cases to read, although its parts may have fewer.

    >>> issubclass(TooManyCases, RoofproofError)
    True
    """


class MissingFigure(RoofproofError):
    """A spec that a chip lacks. The caller can skip the results that need it and report them.

    >>> lack = MissingFigure("chip 'mine' has no figure 'bf16'", "mine", "bf16")
    >>> str(lack), lack.chip, lack.figure
    ("chip 'mine' has no figure 'bf16'", 'mine', 'bf16')
    """

    def __init__(self, message: str, chip: str, figure: str) -> None:
        super().__init__(message)
        self.chip, self.figure = chip, figure


class Stopped(BaseException):
    """The time limit has passed and the program stops. This is not a verdict or an input error, and is never cached.

    >>> issubclass(Stopped, Exception)                 # handlers of errors must not catch it
    False
    """

    @property
    def said(self) -> str:
        """The message: a Sentence if it can be translated."""
        return self.args[0] if self.args else ""


def quoted(text: object, limit: int = 60) -> str:
    r"""Return `text` in quotes on one line, cut to `limit` characters, for use in a message.

    >>> quoted("bf16[B,D")
    "'bf16[B,D'"
    >>> quoted("x" * 100, limit=8)
    "'xxxxxxxx...'"
    >>> print(quoted(r"\frac{1}{2}"))                            # as typed, without doubled backslashes
    '\frac{1}{2}'
    """
    return repr(cut(str(text), limit)).replace("\\\\", "\\")


def cut(text: str, limit: int = 60) -> str:
    """Cut a text to `limit` characters for a message.

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
"""For each kind of name, the command that lists all names, if there are too many for a message."""


def unknown(kind: str, name: str, known: Iterable[str], of: str = "") -> RoofproofError:
    """Return the error for an unknown name, with similar names or a list of the known ones.

    >>> print(unknown("chip", "tpu-v5", ["tpu-v5e", "h100-sxm"]))
    unknown chip 'tpu-v5'; did you mean 'tpu-v5e'?
    >>> print(unknown("dimension", "Z", ["B", "D"]))
    unknown dimension 'Z'; known: B, D
    >>> print(unknown("dimension", "Z", ["B", "D"], of="matmul"))
    unknown dimension of matmul 'Z'; known: B, D
    """
    from difflib import get_close_matches  # imported only for errors

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
    """Raise the error of `unknown` if a name is not among the known ones.

    >>> refuse_unknown("chip", "tpu-v5e", ["tpu-v5e", "h100-sxm"])
    >>> refuse_unknown("chip", "tpu-v9", ["h100-sxm"])
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown chip 'tpu-v9'; known: h100-sxm
    """
    names = list(known)
    if name not in names:
        raise unknown(kind, name, names, of)
