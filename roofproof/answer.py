"""The interface of every answer: its proof, its steps, its LaTeX, its HTML for notebooks, its JSON record.

`export` formats the answers. It is imported only when an answer is shown, so that the packages that derive answers
do not depend on LaTeX or JSON.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # importing typing would slow down the start of short commands
if TYPE_CHECKING:
    from typing import Any, Self, TypeVar

    T = TypeVar("T")

WORDS, SHOWN = "roofproof.export.explain.objects", "roofproof.export.explain.shown"


class Shown:
    """Base class of objects that a notebook shows as a formula, as HTML, or as both.

    >>> from roofproof import chip, op
    >>> op("dot")._repr_latex_().startswith(r"$\\displaystyle"), chip("v5e")._repr_html_().startswith("<p><b>")
    (True, True)
    """

    __slots__ = ()

    words = WORDS  # the module that formats it

    def latex(self) -> str:
        """Return it as a LaTeX formula, empty if no formula can express it."""
        found: str = _words(self).latex(self)
        return found

    def _repr_latex_(self) -> str | None:
        found = self.latex()
        return rf"$\displaystyle {found}$" if found else None

    def _repr_html_(self) -> str | None:
        found: str | None = _words(self).html(self)
        return found


def _words(thing: Shown) -> Any:
    """Return the module that formats an object, after the object's own module has registered its formats."""
    import_module(thing.words)
    return import_module(SHOWN)


class Parts(tuple["T", ...] if TYPE_CHECKING else tuple):  # type: ignore[misc]
    """The facts or the steps of an answer: a tuple that prints only its first item and its length.

    >>> Parts((1, 2, 3)), Parts((1,))
    ((1, ... of 3), (1,))
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({self[0]!r}, ... of {len(self)})" if len(self) > 1 else super().__repr__()

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "()"


class Answer(Shown):
    """An answer with its proof. `cases` and `integer` may be None, and `steps` may be empty.

    >>> from roofproof import threshold
    >>> found = threshold("matmul", "tpu-v5e", "B", at={"D": 4096, "F": 4096})
    >>> found.integer, found.trust, [steps.key for steps in found.steps]
    (273, 'kernel', ['limit', 'threshold', 'sizes'])
    """

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # it is immutable, and only a proof can create a theorem

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError(f"{type(self).__name__} is not stored, as no theorem is: store its to_dict()")

    def __str__(self) -> str:
        found: str = _words(self).text(self)
        return found

    @property
    def derivation(self) -> Any:
        """The facts that the answer depends on, each with its warrant."""
        raise NotImplementedError

    @property
    def known(self) -> tuple[Any, ...]:
        """The same facts, as a tuple."""
        return Parts(self.derivation)

    @property
    def cases(self) -> Any:
        """The cases of a threshold, None for other answers."""
        return None

    @property
    def integer(self) -> int | None:
        """The integer answer at the given sizes, if there is one."""
        return None

    @property
    def steps(self) -> tuple[Any, ...]:
        """The proof line by line, with a reason for each line."""
        return Parts(_words(self).steps(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as a JSON record, with every expression as an exact string."""
        found: dict[str, Any] = _words(self).record(self)
        return found
