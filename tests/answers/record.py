#!/usr/bin/env python3
"""Record roofproof's answers to a corpus of questions, compare answers with the record, or test the comparison.

    python tests/answers/record.py record NAME ...       ask questions/NAME.jsonl, write recorded/NAME.jsonl
    python tests/answers/record.py compare [NAME ...]    all of them if none is named
    python tests/answers/record.py selftest [NAME ...]   check that changes that make an answer wrong are reported

    --workers N    ask in N processes (the output does not depend on N)
    --part K/N     ask the K-th of N parts of the questions
    --only PREFIX  ask the questions whose names begin with PREFIX
    --toml         print the differences as entries of differences.toml, without a reason

A question is a line {"id", "args", "files"?, "before"?, "lines"?, "keep"?, "all"?, "also"?}. It calls `main` of the
command line in an empty folder, after the commands of "before". "keep" names the text to read back: {"latex":
"deck.tex"}. "all" also compares other published specs, shares and energy, and "also" lists further fields of the JSON.
A question may also be {"id", "call", "args"}: `call` names a function in CALLS of surface.py, which takes `args` by
keyword and returns a flat dict of fields. "needs" is a list of modules. If one is not installed, the question is
counted, but not asked.

Answers are compared by meaning, not by text. Formulas are compared at exact points, and cases at sizes on, next to and
far from each bound. A size that no case covers counts. Regimes are compared with their limits, and verdicts, grades,
mistakes, integers and exit status as they are. A trust level may become stronger, never weaker or missing. An
exception, a process that ends, a missing field or too few comparable points is a difference. Wording, order and layout
are free.

An intended difference is listed in differences.toml by question and field, with the old and the new value:

    [[difference]]
    id    = "lib/lu/N/h100-sxm"
    field = "integer"
    old   = "1773"
    new   = "480"
    why   = "fp64 as in every other command"

A long value is given as its beginning and a digest, as `compare` prints it. An entry that does not occur, or has no
reason, is an error, too. This program does not depend on the internals of the package.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import multiprocessing
import multiprocessing.connection
import os
import random
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import texts
from kept import further, kept, leaves, numbers
from meaning import TRUST, same_cases, same_formula, same_number, same_statement
from wrong import changes

HERE = Path(__file__).resolve().parent
LIMIT = 600  # seconds a question may take

# --- asking ----------------------------------------------------------------------------------------


def ask(question: dict) -> dict:
    """Return the answer to a question: its exit status and the fields that are compared."""
    try:
        return call(question) if "call" in question else command(question)
    except Exception as fault:  # a traceback is an answer, too, and never a right one
        return {"code": "crash", "why": type(fault).__name__}


def call(question: dict) -> dict:
    """Call a function of surface.py."""
    sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []
    from surface import CALLS

    return {"code": 0, "fields": json.loads(json.dumps(CALLS[question["call"]](**question.get("args", {}))))}


def command(question: dict) -> dict:
    """Run one question through `roofproof.cli.main`."""
    from roofproof.cli import main

    out, err, before = io.StringIO(), io.StringIO(), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name, text in question.get("files", {}).items():
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    for args in question.get("before", []):
                        main(args)
                    out.truncate(out.seek(0))
                    code = main(list(question["args"])) or 0
                except SystemExit as stop:
                    code = stop.code if isinstance(stop.code, int) else 2
            fields = printed(question.get("keep", {}), out.getvalue()) if code in (0, 1) else {}
        finally:
            os.chdir(before)
    if "internal" in err.getvalue().lower() or "engine failed" in err.getvalue() + out.getvalue():
        code = "crash"
    with contextlib.suppress(ValueError):
        found = json.loads(out.getvalue())
        fields |= kept(found) | (further(found) if question.get("all") else {})
        for name in question.get("also", []):
            fields |= leaves(name, found.get(name))
    if code == 2:  # why it was refused: the words of the question that the message cites
        fields["refused for"] = cited(question, err.getvalue() + out.getvalue())
    if any("\n" in said.rstrip("\n") for said in err.getvalue().split("\nroofproof: ")):
        fields["a message of several lines"] = True
    for pattern in question.get("lines", []):  # for commands without JSON: the numbers of the matching lines
        fields[f"line {pattern}"] = [numbers(x) for x in out.getvalue().splitlines() if re.search(pattern, x)][:40]
    return {"code": code, "fields": fields}


READERS = {
    "steps": lambda text: {"statements": texts.steps(text)},
    "latex": lambda text: {"statements": texts.latex(text)},
    "plot": lambda text: {"curves": texts.curves(text)},
    "table": texts.table,
    "grades": texts.grades,
    "labels": texts.labels,
    "bank": texts.bank,
    "draft": texts.draft,
}


def printed(keep: dict[str, str], text: str) -> dict:
    """Return the fields read back from each named file, from the printed text, or from a folder of proofs."""
    fields: dict = {}
    for how, name in keep.items():
        if how == "proofs":
            fields |= texts.proofs(Path(name))
        else:
            fields |= READERS[how](Path(name).read_text(encoding="utf-8") if name else text)
    return fields


def cited(question: dict, message: str) -> list[str]:
    """Return the options and quoted words of a message, which identify the rejected text in any wording."""
    asked = " ".join(question["args"]) + " ".join(question.get("files", {}).values())
    return sorted(
        {w for w in re.findall(r"--[a-z-]+|'([^']+)'", message) if w and w in asked}
        | set(re.findall(r"--[a-z][a-z-]+", message))
    )


# --- comparing -------------------------------------------------------------------------------------


def same_cell(a: str, b: str) -> bool:
    """Return whether two cells of a table have the same text, or numbers equal to nine digits."""
    try:
        return a == b or abs(float(a) - float(b)) <= 1e-9 * abs(float(a))
    except ValueError:
        return False


def same_set(a: list, b: object, seed: str) -> bool:
    """Return whether two lists contain the same formulas or statements, however written."""
    if not isinstance(b, list):
        return False
    alike = lambda x, y: same_statement(x, y, seed) or (words(x) == words(y) and same_numbers(x, y))  # noqa: E731
    within = lambda one, other: all(x in other or any(alike(x, y) for y in other) for x in one)  # noqa: E731
    return within([x for x in a if x not in b], b) and within([x for x in b if x not in a], a)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d]+", text)


def same_numbers(a: str, b: str) -> bool:
    """Return whether two texts differ only in how their numbers are written."""
    one, other = re.findall(r"\d[\d.]*", a), re.findall(r"\d[\d.]*", b)
    alike = re.sub(r"[\d.\s]", "", a) == re.sub(r"[\d.\s]", "", b)
    return alike and len(one) == len(other) and all(map(same_number, one, other))


def differences(question: dict, old: dict, new: dict) -> list[tuple[str, str, str]]:
    """Return (field, old value, new value) for everything that differs in meaning."""
    was, now = old.get("fields") or {}, new.get("fields") or {}
    found, seed = [], question["id"]
    if old["code"] != new["code"]:
        found.append(("exit status", str(old["code"]), str(new["code"])))
        if "crash" in (old["code"], new["code"]) or not was or not now:
            return found
    for field in [*was, *(f for f in now if f not in was)]:
        a, b = was.get(field), now.get(field)
        if field not in was:
            same = b is None or b is False
        elif field not in now:
            same = a is None
        elif field in ("cases", "at point") or field.endswith(": rule"):
            same = same_cases(a, b, was.get("unknown") or "", seed)
        elif field == "statements":
            same = same_set(a, b, seed)
        elif field == "curves":
            same = isinstance(b, list) and texts.same_curves(a, b)
        elif field.startswith("column "):
            same = isinstance(b, list) and len(a) == len(b) and all(map(same_cell, a, b))
        elif field.startswith("wrong answers of "):  # any mistakes may be offered, but none may be the key
            keys = was.get(field.replace("wrong answers", "keys"), [])
            same = isinstance(b, list) and not any(
                key == x or (x.isascii() and same_set([key], [x], seed)) for key in keys for x in b
            )
        elif field.startswith("keys of ") or field == "says":
            same = isinstance(b, list) and len(a) == len(b) and same_set(a, b, seed)
        elif field.startswith("count of "):
            same = isinstance(b, int) and b >= a
        elif field == "unproved":
            same = isinstance(b, int) and b <= a
        elif field == "trust" or field.endswith((" trust", ": trust")):
            same = (
                a == b or (a is None and b in TRUST) or (a in TRUST and b in TRUST and TRUST.index(b) > TRUST.index(a))
            )
        elif (
            field.endswith((" exact", " condition", " error bound")) and not field.endswith(" has a condition")
        ) or field in ("right", "form"):  # the form of a value is free, but the value must be there
            same = a == b or (isinstance(a, str) and isinstance(b, str) and same_statement(a, b, seed))
        elif isinstance(a, str) and isinstance(b, str) and not re.search(r"(verdict|grade|slip|unknown|binds)$", field):
            same = a == b or same_formula(a, b, seed)
        elif isinstance(a, list) and isinstance(b, list) and field in ("bounds",):
            same = len(a) == len(b) and all(same_formula(x, y, seed) for x, y in zip(a, b, strict=False))
        elif isinstance(a, dict) and isinstance(b, dict):
            same = a.keys() == b.keys() and all(same_formula(a[k], b[k], seed) for k in a)
        else:
            same = a == b or same_number(a, b)
        if not same:
            found.append((field, *(json.dumps(v, ensure_ascii=False, sort_keys=True) for v in (a, b))))
    return found


# --- the comparison, tested ------------------------------------------------------------------------


def made_wrong(pair: tuple[dict, dict]) -> list[tuple[str, bool]] | dict:
    """Make an answer wrong in at most eight ways, drawn by the question's name. Return whether each is reported."""
    question, answer = pair
    source, told = random.Random(question["id"]), []
    wrong = list(changes(answer, source))
    for name, changed in source.sample(wrong, min(8, len(wrong))):
        seen = differences(question, answer, changed)
        told.append((name, len(seen) > ("behind" in name)))
    return told


def selftest(questions: list[dict], recorded: dict[str, dict], workers: int) -> list[str]:
    """Return one line for each change that is not reported."""
    missed, made = [], 0
    there = [(q, recorded[q["id"]]) for q in questions if q["id"] in recorded]
    for (q, _), found in zip(there, in_order(made_wrong, there, workers), strict=True):
        made += len(found)
        missed += (
            [f"{q['id']}: {name}" for name, seen in found if not seen]
            if isinstance(found, list)
            else [f"{q['id']}: {found['why']}"]
        )
    print(f"{made} changes, {len(missed)} not reported")
    return missed


# --- many questions --------------------------------------------------------------------------------


def in_order(task, items: list, workers: int) -> Iterator:
    """Yield task(item) for each item in order, from worker processes, and a crash if one ends or stalls.

    Each process takes one item at a time, so that a process that ends costs only one answer.
    """
    waiting, done, busy, free = list(range(len(items)))[::-1], {}, {}, []
    for k in range(len(items)):
        while k not in done:
            while waiting and len(busy) < workers:
                here, process = free.pop() if free else start(task)
                here.send(items[waiting[-1]])
                busy[here] = (waiting.pop(), process)
            ready = multiprocessing.connection.wait(list(busy), timeout=LIMIT)
            for here in ready or list(busy):
                at, process = busy.pop(here)
                try:
                    done[at] = here.recv() if ready else {"code": "crash", "why": f"no answer in {LIMIT} s"}
                    if not ready:
                        raise EOFError
                    free.append((here, process))
                except EOFError:
                    process.kill()
                    done.setdefault(at, {"code": "crash", "why": "the process ended"})
        yield done.pop(k)
    for here, process in free:
        here.close()
        process.kill()


def start(task) -> tuple:
    """Start a process that answers each item sent to it. Return the connection to it and the process."""
    forked = multiprocessing.get_context("fork")
    here, there = forked.Pipe()
    process = forked.Process(target=serve, args=(task, here, there))
    process.start()
    there.close()
    return here, process


def serve(task, far, here) -> None:
    far.close()
    with contextlib.suppress(EOFError, OSError):  # the parent has gone
        while True:
            here.send(task(here.recv()))


def read(kind: str, name: str) -> list[dict]:
    """Return the lines of questions/NAME.jsonl or recorded/NAME.jsonl."""
    return [json.loads(x) for x in (HERE / kind / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def names() -> list[str]:
    return sorted(p.stem for p in (HERE / "questions").glob("*.jsonl"))


def ids(questions: list[dict]) -> list[str]:
    return [q["id"] for q in questions]


def in_part(question: dict, part: int, parts: int) -> bool:
    return int(hashlib.sha256(question["id"].encode()).hexdigest(), 16) % parts == part - 1


def missing(question: dict) -> list[str]:
    """Return the modules that a question needs and that are not installed."""
    return [m for m in question.get("needs", []) if importlib.util.find_spec(m) is None]


def meant() -> dict[tuple[str, str], dict]:
    """Return the intended differences, by question and field."""
    listed = HERE / "differences.toml"
    rows = tomllib.loads(listed.read_text(encoding="utf-8")).get("difference", []) if listed.exists() else []
    return {(d["id"], d["field"]): d for d in rows}


def compared(pair: tuple[dict, dict]) -> list[tuple[str, str, str]] | dict:
    return differences(*pair, ask(pair[0]))


def short(value: str) -> str:
    """Return a value as it is printed: a long one as its beginning and a digest."""
    return value if len(value) <= 300 else f"{value[:200]} ... {hashlib.sha256(value.encode()).hexdigest()[:16]}"


def is_meant(listed: dict | None, old: str, new: str) -> bool:
    """Return whether a difference is listed with both its values and a reason."""
    told = [(str(listed[key]), value) for key, value in (("old", old), ("new", new))] if listed else []
    return bool(listed and listed.get("why")) and all(t in (v, v.strip('"'), short(v)) for t, v in told)


def compare(questions: list[dict], recorded: dict[str, dict], workers: int, as_toml: bool = False) -> list[str]:
    """Return one line for each unintended difference, and for each intended one that does not occur."""
    listed, met = meant(), set()
    told = [f"{q['id']}: no recorded answer" for q in questions if q["id"] not in recorded]
    there = [q for q in questions if q["id"] in recorded and not missing(q)]
    for q, found in zip(there, in_order(compared, [(q, recorded[q["id"]]) for q in there], workers), strict=True):
        if isinstance(found, dict):  # the process ended, or stalled
            found = [("exit status", str(recorded[q["id"]]["code"]), found["why"])]
        for field, old, new in found:
            if is_meant(listed.get((q["id"], field)), old, new):
                met.add((q["id"], field))
            elif as_toml:
                entry = {"id": q["id"], "field": field, "old": short(old), "new": short(new), "why": ""}
                lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items())
                told.append("\n".join(["[[difference]]", *lines, ""]))
            else:
                told.append(f"{q['id']}: {field}: {short(old)} -> {short(new)}")
    here = {q["id"] for q in there}
    unmet = [k for k in listed if k not in met and k[0] in here]
    told += [f"{i}: {field}: listed as a difference, and is none, or another, or lacks a reason" for i, field in unmet]
    left = len(questions) - len(there)
    print(f"{len(there)} answers: {len(told)} differences, {len(met)} as meant; {left} not asked, for want of a module")
    return told


def main() -> int:
    import argparse

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare", "selftest"])
    parser.add_argument("name", nargs="*", choices=[*names(), []])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--only", default="")
    parser.add_argument("--toml", action="store_true")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    bad = False
    for name in options.name or names():
        every = read("questions", name)
        chosen = [q for q in every if q["id"].startswith(options.only) and in_part(q, part, parts)]
        if options.action == "record":
            file = HERE / "recorded" / f"{name}.jsonl"
            known = {r["id"]: r for r in read("recorded", name)} if file.exists() else {}
            for k, (q, found) in enumerate(zip(chosen, in_order(ask, chosen, options.workers), strict=True), 1):
                known[q["id"]] = {"id": q["id"], **found}
                if k % 200 == 0 or k == len(chosen):  # keep these answers even if the run stops
                    told = [json.dumps(known[i], ensure_ascii=False, sort_keys=True) for i in ids(every) if i in known]
                    file.write_text("\n".join(told) + "\n", encoding="utf-8")
            print(f"{name}: {len(chosen)} recorded")
            continue
        recorded = {r["id"]: r for r in read("recorded", name)}
        if stray := set(recorded) - {q["id"] for q in every}:
            bad = True
            print(f"{name}: {len(stray)} answers without a question: {sorted(stray)[:5]}")
        print(f"{name}: ", end="", flush=True)
        if options.action == "selftest":
            told = selftest(chosen, recorded, options.workers)
        else:
            told = compare(chosen, recorded, options.workers, options.toml)
        print(*told, sep="\n", end="\n" if told else "", flush=True)
        bad |= bool(told)
    known = {i for name in names() for i in ids(read("questions", name))}
    if lost := sorted({i for i, _ in meant()} - known):
        bad = True
        print(f"differences.toml names questions that are not asked: {lost[:5]}")
    return int(bad)


if __name__ == "__main__":
    raise SystemExit(main())
