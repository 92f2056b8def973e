"""Changes that make a recorded answer wrong, which the comparison must report."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator

from meaning import TRUST, impossible, same_statement

Change = tuple[str, dict]
EXCHANGED = {"above": "below", "below": "above", "never": "always", "always": "never", "between": "outside"}
SIGNS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def changes(answer: dict, source: random.Random) -> Iterator[Change]:
    """Yield many wrong versions of an answer, each with its name and one change."""
    fields = answer.get("fields") or {}
    yield "exit status", answer | {"code": "crash"}
    if any(field.startswith("limit ") for field in fields):
        yield "a limit added", answer | {"fields": fields | {"limit Q -> oo of memory": "999"}}
    verdicts = [field for field in fields if field.endswith(" verdict")]
    if verdicts and answer["code"] in (0, 1):
        both = fields | {verdicts[-1]: "something else"}
        yield "a verdict behind an exit status", {**answer, "code": 1 - answer["code"], "fields": both}
    for field, a in fields.items():
        rest = {name: b for name, b in fields.items() if name != field}
        if a is not None:
            yield f"{field}: missing", answer | {"fields": rest}
        if field.startswith("limit ") and a is not None:
            yield f"{field}: another regime", answer | {"fields": rest | {"limit nonsense": a}}
        if field.startswith("wrong answers of "):
            key = fields.get(field.replace("wrong answers", "keys"))
            yield f"{field}: the key among them", answer | {"fields": fields | {field: [*a, *(key or ["1"])]}}
            continue
        for name, b in wrong(field, a, source):
            yield f"{field}: {name}", answer | {"fields": fields | {field: b}}


def wrong(field: str, a: object, source: random.Random) -> Iterator[tuple[str, object]]:
    """Yield wrong values for a field."""
    if field == "trust" or field.endswith((" trust", ": trust")):
        if a in TRUST[1:]:
            yield "weaker", TRUST[TRUST.index(a) - 1]
    elif field == "cases":
        yield from wrong_cases(a or [], source)
    elif field == "unproved":
        yield "more", a + 1
    elif field.startswith("count of "):
        if a:
            yield "less", a - 1
    elif field == "curves":
        if a:
            yield "one dropped", a[1:]
            yield "one higher", [*a[:-1], [[x, 1.01 * y] for x, y in a[-1]]]
    elif isinstance(a, bool):
        yield "the contrary", not a
    elif isinstance(a, int | float):
        yield "another number", a + 1
    elif isinstance(a, str):
        other = "7" if a.endswith("oo") else f"{a} + 1"
        yield "another", "something else" if re.search("(verdict|grade)$", field) else other
        if re.search(r"\d", a) and not re.match(r"(?i)m(ax|in)\(", a):  # one side of a max or min may never decide
            yield "a number more by one", more(a, source)
    elif isinstance(a, dict) and a:
        name = source.choice(sorted(a))
        yield from ((how, a | {name: b}) for how, b in wrong(name, a[name], source))
    elif isinstance(a, list) and a and not isinstance(a[0], dict):
        k = source.randrange(len(a))
        rest = a[:k] + a[k + 1 :]
        if field != "statements" or not any(same_statement(a[k], other, "dropped") for other in rest):
            yield "one dropped", rest
        for how, b in wrong("", a[k], source):
            yield f"one {how}", [*a[:k], b, *a[k + 1 :]]


def wrong_cases(cases: list[dict], source: random.Random) -> Iterator[tuple[str, list]]:
    """Yield lists of cases with one of them changed."""
    for k, case in enumerate(cases):
        when, at = case.get("when"), case.get("at")
        if impossible(when):  # its content does not matter
            continue
        changed = []
        if case["kind"] in EXCHANGED:
            changed.append(("kind", {"kind": EXCHANGED[case["kind"]]}))
        if isinstance(at, str):
            changed += [("bound", {"at": more(at, source)}), ("bound doubled", {"at": f"2*({at}) + 1"})]
        if at is not None:
            changed.append(("strictness", {"strict": not case.get("strict", True)}))
        if when not in (None, "True"):
            changed.append(("condition denied", {"when": f"~({when})"}))
            changed.append(("sign", {"when": re.sub("<=|>=|<|>", lambda m: SIGNS[m[0]], when, count=1)}))
            if not re.search("[&|]", when):  # one of several conditions may follow from the others
                changed.append(("condition", {"when": more(when, source)}))
        for name, change in changed:
            if case | change != case:
                yield name, [*cases[:k], case | change, *cases[k + 1 :]]
    if len(cases) > 1:
        k = source.randrange(len(cases))
        if not impossible(cases[k].get("when")):
            yield "one dropped", cases[:k] + cases[k + 1 :]
        yield "one twice", [*cases, copy.deepcopy(cases[0]) | {"when": "True"}]


def more(text: str, source: random.Random) -> str:
    """Return a text with one of its integers increased by one."""
    found = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", text))
    if not found:
        return f"{text} + 1"
    m = source.choice(found)
    return f"{text[: m.start()]}{int(m[0]) + 1}{text[m.end() :]}"
