"""Compare the solver with other programs on the corpus, in one run: solved problems, right answers, and times.

    python -m benchmarks.solver [--seconds 5] [--only NAME...] [--picture benchmarks/solver] [--json FILE]

Times are processor time, which other load on the machine changes little. For programs in this process they are the
minimum of several runs, each with SymPy's cache cleared (`again`: not cleared). roofproof's own caches are cleared in
both. A program that starts a process runs once, and its start counts.
A problem counts as solved if the answer is explicit in the unknown. The answer is right if it equals the condition at
exact points (see check.py). QEPCAD and z3 eliminate the unknown, which answers another question: for which parameters
a solution exists.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import platform
import sys
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import sympy

from benchmarks.check import explicit, right_existence, right_optimum, right_solution, right_value
from benchmarks.corpus import Problem, problems
from benchmarks.elimination import z3_at
from benchmarks.exact import holds
from benchmarks.running import NoAnswer, cpu_seconds
from benchmarks.tools import TOOLS, Tool, as_condition, roofproof
from roofproof.errors import RoofproofError

REPEATS, ENOUGH = 7, 1.5  # maximum number of runs, and seconds after which no further run starts
GROUPS = ("linear", "quadratic", "degree 3, 4", "limits", "optima")


@dataclass(frozen=True)
class Result:
    """The result of one program on one problem."""

    tool: str
    problem: str
    group: str
    solved: bool
    right: bool
    new: float  # seconds, with SymPy's cache cleared
    again: float  # seconds, with SymPy's cache kept
    trust: str = ""
    note: str = ""


def group_of(problem: Problem) -> str:
    if problem.kind == "limit":
        return "limits"
    if problem.kind in ("minimum", "maximum"):
        return "optima"
    return GROUPS[min(max(problem.degree, 1), 3) - 1]


def forget() -> None:
    """Clear the caches of roofproof, so that each run solves and proves a problem anew."""
    from roofproof.derive.algebra import polynomial
    from roofproof.proofs import translate
    from roofproof.proofs.kernel import terms
    from roofproof.proofs.provers import statements
    from roofproof.proofs.search import roots

    remembered: tuple[Any, ...] = (
        statements.possible, roots.root_product, terms._fraction_of, terms._variables, polynomial._known_over,
        translate.to_term, translate.with_functions, translate.to_formula, translate.to_expr, translate.to_condition,
    )  # fmt: skip
    for function in remembered:
        function.cache_clear()


def measure(tool: Tool, problem: Problem, seconds: int) -> Result:
    """Run a program on a problem, and check its answer."""
    group = group_of(problem)
    least = {"new": float("inf"), "again": float("inf")}
    for way in least:
        spent = 0.0
        for _ in range(1 if tool.process else REPEATS):
            forget()
            if way == "new":
                sympy.core.cache.clear_cache()
            start = cpu_seconds()
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    answer = tool.run(problem, seconds)
            except (NoAnswer, RoofproofError, ArithmeticError, ValueError) as why:
                taken = cpu_seconds() - start
                return Result(tool.name, problem.name, group, False, False, taken, taken, note=str(why)[:80])
            taken = cpu_seconds() - start
            least[way], spent = min(least[way], taken), spent + taken
            if spent > ENOUGH:
                break
        if tool.process:
            least["again"] = least["new"]
            break
    trust = ""
    if tool.name == "roofproof, proved":
        answer, trust = answer
    solved, right = judged(tool, problem, answer)
    return Result(tool.name, problem.name, group, solved, right, least["new"], least["again"], trust)


def judged(tool: Tool, problem: Problem, answer: Any) -> tuple[bool, bool]:
    """Return whether an answer is explicit, and whether it is right."""
    if tool.asks == "existence":
        said = (lambda point: z3_at(answer, point)) if tool.name.startswith("z3") else lambda p: holds(answer, p)
        return True, right_existence(problem, said)
    if problem.kind == "limit":
        wanted = roofproof(problem, 10)
        return True, right_value(problem, answer, wanted)
    if problem.kind in ("minimum", "maximum"):
        return bool(answer), right_optimum(problem, answer)
    answer = as_condition(answer) if tool.name.startswith("roofproof") else answer
    if not explicit(answer, problem.unknown):
        return False, False
    return True, right_solution(problem, answer)


def table(results: list[Result], names: list[str]) -> str:
    """Return the comparison as a Markdown table: solved, right and median times for each group and program."""
    lines = ["| program | problems | solved | right | median ms | slowest ms | median ms, again |",
             "|---|---:|---:|---:|---:|---:|---:|"]  # fmt: skip
    for group in (*GROUPS, "all"):
        for name in names:
            mine = [r for r in results if r.tool == name and group in (r.group, "all")]
            if not mine:
                continue
            good = [r for r in mine if r.right]
            times = [f"{1000 * f:.2f}" for f in (
                median(r.new for r in good), max(r.new for r in good), median(r.again for r in good)
            )] if good else ["", "", ""]  # fmt: skip
            solved = sum(r.solved for r in mine)
            lines.append(f"| {name}: {group} | {len(mine)} | {solved} | {len(good)} | {' | '.join(times)} |")
    return "\n".join(lines)


def ratios(results: list[Result], names: list[str]) -> str:
    """Return how many times longer each program takes than roofproof without and with proofs, where it is right."""
    by = {(r.tool, r.problem): r for r in results}
    lines = ["| program | right on | times as long as solving | as solving and proving |", "|---|---:|---:|---:|"]
    for name in names[2:]:
        cells = []
        shared = [r for r in results if r.tool == name and r.right]
        for ours in names[:2]:
            pairs = [r.new / by[ours, r.problem].new for r in shared if (ours, r.problem) in by]
            cells.append(f"{median(pairs):.1f} (least {min(pairs):.1f})" if pairs else "")
        lines.append(f"| {name} | {len(shared)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def equality() -> float:
    """Return the minimum time of one comparison of two intensities, in seconds."""
    from roofproof.derive.roofline.intensities import equal
    from roofproof.formula.to_sympy import parse_expression

    a, b = parse_expression("2 B D F/(2 B D + 2 D F + 2 B F)"), parse_expression("1/(1/B + 1/D + 1/F)")
    best = float("inf")
    for _ in range(20):
        start = cpu_seconds()
        for _ in range(200):
            equal(a, b)
        best = min(best, (cpu_seconds() - start) / 200)
    return best


def picture(results: list[Result], names: list[str], path: str) -> None:
    """Plot how many problems each program answers right within a given time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7.5, 4.5))
    for name in names:
        times = sorted(1000 * r.new for r in results if r.tool == name and r.right)
        existence = next(t for t in TOOLS if t.name == name).asks == "existence"
        label = f"{name}: only whether there is one" if existence else name
        axes.step(times, range(1, len(times) + 1), where="post", label=label, linestyle=":" if existence else "-")
    axes.set(xscale="log", xlabel="processor time a problem (ms)", ylabel="problems answered right")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8, loc="center right")
    figure.tight_layout()
    for kind in ("svg", "png"):
        figure.savefig(f"{path}.{kind}", dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=5, help="limit for one problem")
    parser.add_argument("--only", nargs="*", default=[], help="names of problems")
    parser.add_argument("--picture", help="path without ending; needs matplotlib")
    parser.add_argument("--json", help="file for every single result")
    options = parser.parse_args()
    chosen = [p for p in problems() if not options.only or p.name in options.only]
    tools = [t for t in TOOLS if t.available()]
    results = []
    for tool in tools:
        for problem in chosen:
            if problem.kind in tool.kinds:
                results.append(measure(tool, problem, options.seconds))
                print(f"{tool.name}: {problem.name}{' ' * 40}", end="\r", file=sys.stderr)
    names = [t.name for t in tools]
    print(f"{len(chosen)} problems; Python {platform.python_version()}, {platform.machine()}")
    for tool in TOOLS:
        if tool not in tools:
            print(f"{tool.name}: not installed")
    print(f"\n{table(results, names)}\n\n{ratios(results, names)}\n")
    print(f"equality of two intensities: {1000 * equality():.3f} ms\n")
    for result in results:
        if result.tool.startswith("roofproof") and not result.right:
            print(f"{result.tool}: {result.problem}: {result.note or 'wrong'}")
    trust: dict[str, int] = {}
    for result in results:
        if result.trust:
            trust[result.trust] = trust.get(result.trust, 0) + 1
    print(f"proved: {trust}")
    if options.picture:
        picture(results, names, options.picture)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([asdict(r) for r in results], file, indent=1)


if __name__ == "__main__":
    main()
