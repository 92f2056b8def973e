"""What every answer has: its proof, its steps, its LaTeX, its page in a notebook, its record.

The rooms derive answers, and the room `export` puts them into words. It is imported when one is shown, so that a room
knows neither LaTeX nor JSON.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from typing import Any, Self, TypeVar

    T = TypeVar("T")

WORDS, SHOWN = "roofproof.export.explain.objects", "roofproof.export.explain.shown"


class Shown:
    """What a notebook shows as a formula, as a page, or as both.

    >>> from roofproof import chip, op
    >>> op("dot")._repr_latex_().startswith(r"$\\displaystyle"), chip("v5e")._repr_html_().startswith("<p><b>")
    (True, True)
    """

    __slots__ = ()

    words = WORDS  # the module that says how it is shown

    def latex(self) -> str:
        """Return it as a formula for LaTeX, empty where none says it."""
        found: str = _words(self).latex(self)
        return found

    def _repr_latex_(self) -> str | None:
        found = self.latex()
        return rf"$\displaystyle {found}$" if found else None

    def _repr_html_(self) -> str | None:
        found: str | None = _words(self).html(self)
        return found


def _words(thing: Shown) -> Any:
    """Return the functions that show a thing, after its own module has added to them."""
    import_module(thing.words)
    return import_module(SHOWN)


class Parts(tuple["T", ...] if TYPE_CHECKING else tuple):  # type: ignore[misc]
    """What an answer rests on, or its steps: a tuple that prints how many there are and the first.

    >>> Parts((1, 2, 3)), Parts((1,))
    ((1, ... of 3), (1,))
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({self[0]!r}, ... of {len(self)})" if len(self) > 1 else super().__repr__()

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "()"


class Answer(Shown):
    """An answer with what it rests on. `cases` and `integer` are None, and `steps` is empty, where it has none.

    >>> from roofproof import threshold
    >>> found = threshold("matmul", "tpu-v5e", "B", at={"D": 4096, "F": 4096})
    >>> found.integer, found.trust, [steps.key for steps in found.steps]
    (273, 'kernel', ['limit', 'threshold', 'sizes'])
    """

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # it never changes, and only a proof makes a theorem

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError(f"{type(self).__name__} is not stored, as no theorem is: store its to_dict()")

    def __str__(self) -> str:
        found: str = _words(self).text(self)
        return found

    @property
    def derivation(self) -> Any:
        """The known statements that the answer rests on, each with its warrant."""
        raise NotImplementedError

    @property
    def known(self) -> tuple[Any, ...]:
        """The same statements, as a tuple."""
        return Parts(self.derivation)

    @property
    def cases(self) -> Any:
        """The cases of a threshold."""
        return None

    @property
    def integer(self) -> int | None:
        """The integer answer at the sizes given."""
        return None

    @property
    def steps(self) -> tuple[Any, ...]:
        """The proof line by line, with the reason for each."""
        return Parts(_words(self).steps(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as a JSON record: every expression an exact string."""
        found: dict[str, Any] = _words(self).record(self)
        return found
