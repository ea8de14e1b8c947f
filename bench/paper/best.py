# SPDX-License-Identifier: Apache-2.0
"""The paper's scheme at its best: step sizes above its formula, every reading of what it leaves open, and a measured step size."""
from __future__ import annotations

from typing import Any

from paper import draw
from paper.convergence import SCENES
from paper.items import Context, item
from paper.performance import ROWS
from paper.program import Run
from paper.schemes import TOLERANCE, paper_mode, statistics
from paper.text import percent, power, table

SAFETY = (0.5, 1, 2, 5, 10, 20, 50, 100)
#: What an implementation of the paper may do where Repose does otherwise, one by one and together.
READINGS = {
    "none of them": "",
    "λ̂_max by ten products": "--power-products 10",
    "start untested": "--test-every 1",
    "tested every 5 iterations": "--test-every 5",
    "last iterate": "--answer last",
    "single precision": "--storage single",
    "all of them": "--power-products 10 --test-every 5 --answer last --storage single",
}
#: s of the sweep: the arch with its first second under fire, the cards settled and at rest.
SECONDS = {"house of cards": 4.0, "masonry arch": 6.0}
SWEPT = ("none of them", "all of them")  #: over all c_γ and with the measured step; the others at ONE
ONE = 5
MEASURED = "measured"


def rule_options(rule: str) -> str:
    return "--step-rule measured" if rule == MEASURED else f"--safety {rule}"


def cells() -> list[tuple[str, str]]:
    """Step rule (a c_γ, or the measured rule) and reading of every run."""
    return [(rule, reading) for rule in (*(f"{c:g}" for c in SAFETY), MEASURED) for reading in READINGS
            if reading in SWEPT or rule == f"{ONE:g}"]


def run_of(context: Context, name: str, rule: str, reading: str, seconds: float) -> Run:
    scene, parameters, _, sweeps = ROWS[name]
    options = f"{paper_mode(sweeps)} {rule_options(rule)} {READINGS[reading]} --time {context.size(seconds, 0.4):g}"
    return Run.of(scene, options, **parameters)


def best_cell(rows: dict[str, dict[str, Any]]) -> tuple[str, str]:
    """The c_γ and reading with the largest share; of equal ones the first. The measured rule does not take part."""
    tuned = [(rule, reading) for rule, row in rows.items() if rule != MEASURED for reading in row if row[reading]["ended"] == "done"]
    return max(tuned, key=lambda cell: rows[cell[0]][cell[1]]["share"])


def shown(rule: str, reading: str) -> str:
    step = "measured step" if rule == MEASURED else f"c_γ {rule}"
    return step if reading == SWEPT[0] else f"{step}, {reading}"


@item("step-study", "best", "The step size, and what the paper leaves open", "tab:convergence, eq:gamma_safe")
class StepStudy:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        chosen = cells()[:context.size(None, 1)] + context.size([], [(MEASURED, SWEPT[0]), ("100", SWEPT[0])])
        wanted = {(name, *cell): run_of(context, name, *cell, SECONDS[name]) for name in SCENES for cell in chosen}
        data: dict[str, Any] = {name: {} for name in SCENES}
        for (name, rule, reading), run in zip(wanted, context.program.runs(wanted.values())):
            data[name].setdefault(rule, {})[reading] = statistics(run)
        return data

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        draw_study(context, data)
        lengths = ", ".join(f"{name} {seconds:g} s" for name, seconds in SECONDS.items())
        return (summary(context, {name: {column: {"rule": rule, "reading": reading, **found[rule][reading]}
                                         for column, (rule, reading) in columns(found).items()} for name, found in data.items()})
                + f"\n\nThe two contact-rich scenes of tab:convergence, their first seconds: {lengths} (the arch with its first second under "
                "fire, the cards without fire); at most 200 outers, r_c with the paper's scales. *As written*: c_γ = 0.5, λ̂_max accurate, "
                "start and every iterate tested, the best one returned. *At its best*: the c_γ and the reading with the largest share of "
                "the runs below, chosen per scene with hindsight. *Measured step*: [the other step rule of "
                "`fbf`](../algorithms/fbf.md#the-measured-step), nothing chosen; and the same with all readings below.\n\n"
                "### Over c_γ\n\n![share of steps and median residual over c_γ](step-study.png)\n\n" + sweep_table(data)
                + "\n\nThe test ρ ≤ θ is live throughout. *None* and *all of them*: the readings of the next table.\n\n"
                "### What the paper leaves open, one by one\n\n" + reading_table(data)
                + "\n\nShare of steps at r_c ≤ 1e-6 / median r_c. Ten products fall short of λ_max, and γ grows by as much. *Start untested*: "
                "at least one iteration per step. *Tested every 5*: the paper's counts (tab:perf-full) are multiples of five, 0 apart. "
                "*Single precision*: λ, λ̄, B and c are rounded when they are stored; sums are double, and so is the judge. Baumgarte's "
                "velocity bias in the normal part of v_f (sec:implementation) is not among them: the paper gives no constants for it.")


@item("step-study-whole", "best", "The same over the whole run", "tab:convergence")
class StepStudyWhole:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        """Four cells as long as tab:convergence; the best one is that of the sweep."""
        sweep = context.numbers("step-study") or StepStudy.collect(context)
        chosen = {(name, column): cell for name in sweep for column, cell in columns(sweep[name]).items()}
        done = context.program.runs(run_of(context, name, *cell, ROWS[name][2]) for (name, _), cell in chosen.items())
        found: dict[str, Any] = {name: {} for name in sweep}
        for ((name, column), (rule, reading)), run in zip(chosen.items(), done):
            found[name][column] = {"rule": rule, "reading": reading, **statistics(run)}
        return found

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        return summary(context, data) + "\n\n10 s as in tab:convergence, the impacts included. *At its best* is the cell chosen above."


def columns(rows: dict[str, dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """The cells of the summary. Tiny studies lack the last one."""
    found = {"as written": ("0.5", SWEPT[0]), "at its best": best_cell(rows), "measured step": (MEASURED, SWEPT[0]),
             "measured step, all readings": (MEASURED, "all of them")}
    return {column: (rule, reading) for column, (rule, reading) in found.items() if reading in rows[rule]}


def summary(context: Context, data: dict[str, Any]) -> str:
    paper, outers = context.published["tab:convergence"], context.published["tab:perf"]
    heads = list(next(iter(data.values())))
    rows: list[list[Any]] = []
    for name, found in data.items():
        cells = [found[head] for head in heads]
        rows.append([f"{name}: steps at r_c ≤ 1e-6", *(percent(c["share"]) for c in cells), percent(paper[name]["share"])])
        rows.append([f"{name}: median r_c", *(power(c["median"]) for c in cells), power(paper[name]["median"])])
        rows.append([f"{name}: median / 95th percentile of outers", *(f"{c['outer'][0]:g} / {c['outer'][1]:g}" for c in cells), outers[name]["outer"]])
        rows.append([f"{name}: settings", *(shown(c["rule"], c["reading"]) for c in cells), None])
    return table(["", *heads, "paper"], rows)


def sweep_table(data: dict[str, Any]) -> str:
    heads = [f"{name}, {reading}: {what}" for name in data for reading in SWEPT for what in ("share", "median r_c")]
    rules = list(next(iter(data.values())))
    rows = []
    for rule in rules:
        row: list[Any] = [rule]
        for found in data.values():
            for reading in SWEPT:
                cell = found.get(rule, {}).get(reading)
                row += [percent(cell["share"]), power(cell["median"])] if cell else [None, None]
        rows.append(row)
    return table(["c_γ", *heads], rows)


def reading_table(data: dict[str, Any]) -> str:
    rules = [rule for rule in (f"{ONE:g}",) if all(rule in found for found in data.values())]
    rows = []
    for reading in READINGS:
        row: list[Any] = [reading]
        for found in data.values():
            for rule in rules:
                cell = found.get(rule, {}).get(reading)
                row.append(f"{percent(cell['share'])} / {power(cell['median'])}" if cell else None)
        rows.append(row)
    return table(["", *(f"{name}, {shown(rule, 'as written')}" for name in data for rule in rules)], rows)


def draw_study(context: Context, data: dict[str, Any]) -> None:
    """Share of steps above, median residual below, over c_γ; level lines need no c_γ."""
    paper = context.published["tab:convergence"]
    figure, grid = draw.axes(len(data), 2, width=4.9, height=2.7, sharex=True)
    looks = dict(zip(SWEPT, (("o-", draw.COLOURS["fbf"]), ("s--", draw.COLOURS["fbf accelerated"]))))
    for k, (name, found) in enumerate(data.items()):
        above, below = grid[0][k], grid[1][k]
        rules = [rule for rule in found if rule != MEASURED]
        for reading, (mark, colour) in looks.items():
            there = [(float(rule), found[rule][reading]) for rule in rules if reading in found[rule]]
            c = [rule for rule, _ in there]
            above.plot(c, [100 * cell["share"] for _, cell in there], mark, ms=4, color=colour, label=reading)
            below.plot(c, [cell["median"] for _, cell in there], mark, ms=4, color=colour, label=reading)
        measured = found[MEASURED][SWEPT[0]]
        above.axhline(100 * measured["share"], color=draw.COLOURS["auto"], label="measured step")
        below.axhline(measured["median"], color=draw.COLOURS["auto"], label="measured step")
        above.axhline(100 * paper[name]["share"], color="k", ls="--", lw=0.9, label="paper")
        below.axhline(paper[name]["median"], color="k", ls="--", lw=0.9, label="paper")
        above.set(xscale="log", ylim=(0, 100), ylabel="% of steps at $r_c$ ≤ 1e-6", title=name)
        below.set(yscale="log", xlabel="$c_γ$", ylabel="median $r_c$")
        below.axhline(TOLERANCE, color="k", lw=0.8, ls=":")
        below.set_xticks(SAFETY, [f"{c:g}" for c in SAFETY])
        below.minorticks_off()
    draw.legend_below(figure, grid[0][0])
    draw.save(figure, context.picture("step-study"))
