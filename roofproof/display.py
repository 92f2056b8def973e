"""What a notebook shows of an object: a base class that asks the room which draws, when something is shown."""


class Displayed:
    """An object that a notebook shows as a formula or a table.

    >>> from roofproof import intensity, op
    >>> print(intensity(op("matmul"))._repr_latex_())          # 2BDF / (2BD + 2DF + 2BF)
    $\\displaystyle I = \\frac{BDF}{BD + BF + DF}\\ \\text{FLOP/B}$
    """

    __slots__ = ()

    def _repr_latex_(self) -> str | None:
        from roofproof.export.notebook import in_latex  # late: no room below knows the one that draws

        return in_latex(self)

    def _repr_html_(self) -> str | None:
        from roofproof.export.notebook import in_html

        return in_html(self)
