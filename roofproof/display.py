"""What a notebook shows of our objects: formatters by the names of types, so that no type knows who draws it.

`import roofproof` in a notebook is enough; `%load_ext roofproof` does the same where it was imported before.
"""

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from typing import Any

SHOWN = (  # where a type is, and its name
    ("roofproof.ops.operation", "Operation"),
    ("roofproof.hardware.chips", "Chip"),
    ("roofproof.proofs.derivation", "Derivation"),
    ("roofproof.derive.inequalities.cases", "Cases"),
    ("roofproof.derive.limits.limits", "Limit"),
    ("roofproof.derive.roofline.critical_size", "CriticalSize"),
    ("roofproof.derive.roofline.intensities", "Intensity"),
    ("roofproof.proofs.provers.critical_size", "ProvedThreshold"),
    ("roofproof.claims.judge.verdict", "Verdict"),
    ("roofproof.claims.judge.verdict", "Report"),
    ("roofproof.claims.answers.grade", "Grade"),
)


def in_latex(thing: object) -> str | None:
    """Return the formula that a notebook shows, None where there is none.

    >>> from roofproof import intensity, op
    >>> print(in_latex(intensity(op("matmul"))))               # 2BDF / (2BD + 2DF + 2BF)
    $\\displaystyle I = \\frac{BDF}{BD + BF + DF}\\ \\text{FLOP/B}$
    """
    from roofproof.export.explain.objects import formula  # late: importing the package must stay fast
    from roofproof.export.to_latex import between_dollars

    return between_dollars(formula(thing))


def in_html(thing: object) -> str | None:
    """Return the page that a notebook shows, None where the formula says all; what comes from outside is escaped.

    >>> from roofproof import chip
    >>> in_html(chip("bf16=197 TFLOP/s, hbm=819 GB/s")).startswith("<p><b>")
    True
    """
    from roofproof.export.explain.objects import page
    from roofproof.export.to_html import InNotebook, to_html

    said = page(thing)
    if said is None:
        return None
    return str(to_html(said, page=InNotebook))


def register(shell: "Any") -> None:
    """Tell IPython's shell how our types are shown; it imports none of them."""
    for kind, shown in (("text/latex", in_latex), ("text/html", in_html)):
        for module, name in SHOWN:
            shell.display_formatter.formatters[kind].for_type_by_name(module, name, shown)
