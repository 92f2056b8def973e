"""A Sphinx extension that verifies the claims in the sentences of a page when the page is built.

In `conf.py`, set `extensions = ["roofproof.sphinx"]`, and add `myst_parser` for Markdown pages. The extension adds a
role and a directive `claim`, and a role `derived` that prints a value. A wrong claim is reported with its line. The
build fails after all wrong claims are reported.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from roofproof.errors import RoofproofError
from roofproof.pages.judging import JudgedPageClaim, judged_page
from roofproof.pages.written import (
    OPTIONS,
    AnnotatedPage,
    PageClaim,
    language_of,
    of_directive,
    of_role,
    page_from_text,
)

PROBLEMS = "roofproof_problems"  # an attribute of the Sphinx environment: the messages for each page
_log = logging.getLogger(__name__)


def setup(app: Any) -> dict[str, Any]:
    """Register the roles and directives, as Sphinx requires of an extension."""
    app.add_role("claim", ClaimRole("claim"))
    app.add_role("derived", ClaimRole("derived"))
    app.add_directive("claim", ClaimDirective)
    app.add_directive("claim-scope", ScopeDirective)
    app.connect("source-read", _read)
    app.connect("env-purge-doc", lambda app, env, name: _problems(env).pop(name, None))
    app.connect("env-merge-info", lambda app, env, names, other: _problems(env).update(_problems(other)))
    app.connect("build-finished", _finished)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}


def _problems(env: Any) -> dict[str, list[str]]:
    if not hasattr(env, PROBLEMS):
        setattr(env, PROBLEMS, {})
    found: dict[str, list[str]] = getattr(env, PROBLEMS)
    return found


def _read(app: Any, name: str, source: list[str]) -> None:
    """Verify all claims of a page, including those in comments, before Sphinx parses it."""
    path = str(app.env.doc2path(name))
    language = language_of(path)
    page, judged = AnnotatedPage(path, {}, ()), list[JudgedPageClaim]()
    problems = _problems(app.env).setdefault(name, [])
    if language is not None:
        try:
            page = page_from_text(source[0], path, language)
            judged = list(judged_page(page))
        except RoofproofError as problem:
            _tell(problems, str(problem), name, 1)
    for each in judged:
        _tell_of(problems, each, name)
    app.env.temp_data["roofproof"] = page, {_key(each.written): each for each in judged}


def _key(written: PageClaim) -> tuple[str, str, str | None, tuple[tuple[str, str], ...]]:
    return written.kind, written.says, written.shown, tuple(sorted(written.options.items()))


def _tell_of(problems: list[str], each: JudgedPageClaim, name: str) -> None:
    if not each.holds:
        _tell(problems, what_is_wrong(each), name, each.written.line)


def what_is_wrong(each: JudgedPageClaim) -> str:
    """Return one line that says why a claim is wrong, with the right value.

    >>> from roofproof.pages.written import page_from_text
    >>> [found] = judged_page(page_from_text("{claim}`2 + 2 == 5`"))
    >>> what_is_wrong(found)
    "'2 + 2 == 5' is refuted (proved); exactly 4"
    """
    from roofproof.export.explain.verdicts import result_details
    from roofproof.export.to_text import inline_text

    result = each.result
    if result.verdict is None:
        return str(result.problem).removeprefix(f"{result.id}: ")
    how, _, why = inline_text(result_details(result)).removesuffix("(expected verified)").strip().partition("; ")
    return f"{result.says!r} is {result.kind} ({how})" + (f"; {why}" if why else "")


def _tell(problems: list[str], said: str, name: str, line: int) -> None:
    problems.append(f"{name}:{line}: {said}")
    _log.warning("claim: %s", said, location=(name, line), type="roofproof", subtype="claim")


def _found(env: Any, written: PageClaim) -> JudgedPageClaim:
    """Return the verdict on a claim. One in an included file is verified here, in the scope of the page."""
    page, judged = env.temp_data.get("roofproof", (AnnotatedPage(env.docname, {}, ()), {}))
    if _key(written) not in judged:
        [each] = judged_page(AnnotatedPage(page.file, page.scope, (written,)))
        _tell_of(_problems(env).setdefault(env.docname, []), each, env.docname)
        judged[_key(written)] = each
    found: JudgedPageClaim = judged[_key(written)]
    return found


def _shown(each: JudgedPageClaim, text: str) -> list[nodes.Node]:
    if each.written.shown == "" and each.written.kind == "claim":
        return []
    classes = ["claim", f"claim-{each.result.kind}"]
    if each.written.kind == "claim" and each.written.shown is None:
        return [nodes.literal(text, each.shown, classes=classes)]
    return [nodes.inline(text, each.shown, classes=classes)]


class ClaimRole(SphinxRole):
    """The roles `claim` and `derived`, which mark text within a sentence."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the nodes that the page shows in place of the role."""
        written = of_role(self.kind, self.text, self.lineno)
        return _shown(_found(self.env, written), self.rawtext), []


class ClaimDirective(SphinxDirective):
    """The directive `claim`, a claim in its own paragraph with its assumptions as options."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = dict.fromkeys(OPTIONS, directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """Return a paragraph with the claim, or no nodes if it is hidden."""
        options = {name: (value or "").strip() for name, value in self.options.items()}
        written = of_directive([*self.arguments, *self.content], options, self.lineno)
        shown = _shown(_found(self.env, written), self.block_text)
        return [nodes.paragraph("", "", *shown)] if shown else []


class ScopeDirective(SphinxDirective):
    """The directive `claim-scope`, options for all claims of a page. `_read` has parsed it, and it shows nothing."""

    has_content = True
    option_spec = dict.fromkeys(OPTIONS, directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """Return no nodes."""
        return []


def _finished(app: Any, problem: Exception | None) -> None:
    """Fail the build if any claim is wrong, including claims on unchanged pages that were not read again."""
    wrong = [said for name in sorted(_problems(app.env)) for said in _problems(app.env)[name]] if app.env else []
    if wrong and problem is None:
        app.statuscode = 1
        _log.error("%d of the claims do not hold:\n%s", len(wrong), "\n".join(wrong))
