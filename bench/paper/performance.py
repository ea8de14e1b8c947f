# SPDX-License-Identifier: Apache-2.0
"""Milliseconds and iteration counts: tab:perf, tab:perf-full, tab:perf-large, tab:perf-gpu."""
from __future__ import annotations

import json
from typing import Any

from paper.items import ROOT, Context, item
from paper.program import Run
from paper.schemes import ARCH, CARDS, DEFAULT, paper_mode, statistics
from paper.text import metres, percent, power, short, table
from provenance import origin_of, stamp

DEVICE = ROOT / "bench/results/paper_gpu.json"  #: of bench/gpu/paper_table.py, where it was run
PAGE = ROOT / "docs/paper/performance.md"  #: where the link to DEVICE stands, wherever this run writes
ON_DEVICE = ("Repose", "MuJoCo-Warp", "Kamino")

#: Row of tab:perf-full: scene, parameters, seconds, sweeps of the inner solver.
ROWS: dict[str, tuple[str, dict[str, Any], float, int]] = {
    "backspin": ("backspin", {}, 130 / 60, 10),
    "incline μ 0.5": ("incline", {"mu": 0.5}, 2.0, 10),
    "incline μ 0.4": ("incline", {"mu": 0.4}, 2.0, 10),
    "painlevé μ 0.5": ("tipping-box", {"mu": 0.5}, 4.0, 10),
    "painlevé μ 0.55": ("tipping-box", {"mu": 0.55}, 4.0, 10),
    "turntable μ 0.5 ω 2": ("turntable", {"mu": 0.5, "speed": 2}, 8.0, 10),
    "turntable μ 0.5 ω 5": ("turntable", {"mu": 0.5, "speed": 5}, 8.0, 10),
    "turntable μ 0.2 ω 2": ("turntable", {"mu": 0.2, "speed": 2}, 8.0, 10),
    "turntable μ 0.2 ω 5": ("turntable", {"mu": 0.2, "speed": 5}, 8.0, 10),
    "house of cards": ("cards", {**CARDS, "projectiles": True}, 10.0, 10),
    "masonry arch": ("arch", {**ARCH, "projectiles": True}, 10.0, 30),
}
#: Row of tab:perf-large; the paper's scheme is sampled over the first seconds, which the table says.
LARGE: dict[str, tuple[str, dict[str, Any], float, float, int]] = {
    "arch, 101 stones": ("arch", {**ARCH, "stones": 101}, 20.0, 3.0, 30),
    "house of cards, 10 levels": ("cards", {**CARDS, "levels": 10}, 10.0, 3.0, 10),
}


def counts(pair: list[float]) -> str:
    return f"{pair[0]:g} / {pair[1]:g}"


@item("tab-perf-full", "performance", "Every scene: milliseconds and iterations", "tab:perf-full")
class PerfFull:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        wanted = []
        for scene, parameters, seconds, sweeps in ROWS.values():
            time = f"--time {context.size(seconds, 0.4):.6g}"
            wanted += [Run.of(scene, f"{paper_mode(sweeps)} {time}", **parameters),
                       Run.of(scene, f"{DEFAULT} {time}", **parameters)]
        done = context.program.runs(wanted)
        return {name: {"fbf": statistics(done[2 * k]), "auto": statistics(done[2 * k + 1]),
                       "command": wanted[2 * k].command()} for k, name in enumerate(ROWS)}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        paper = context.published["tab:perf-full"]
        rows = []
        for name, ours in data.items():
            fbf, auto, theirs = ours["fbf"], ours["auto"], paper[name]
            rows.append([name, theirs["contacts"], f"{fbf['contacts']:g}", f"{auto['contacts']:g}", theirs["ms"],
                         short(fbf["ms"], 2), short(auto["ms"], 2), counts(theirs["outer"]), counts(fbf["outer"]),
                         counts(auto["outer"]), theirs["inner"], percent(fbf["share"]), power(fbf["median"]),
                         percent(auto["solved"])])
        return (
            table(["scene", "n_c paper", "fbf", "auto", "ms paper", "fbf", "auto", "outer paper", "fbf", "auto",
                   "inner sweeps", "fbf: r_c ≤ 1e-6", "fbf: median r_c", "auto: solved to 1e-8"], rows)
            + "\n\nMean time per step, median / 95th percentile of the outer iterations, median of the contacts over all steps "
            "of the run. n_c depends on who finds the contacts and on the margin; compare structure, not counts. The card "
            "house is the four-level data-set layout under four projectiles at 6.7 s, the arch the 25-stone data-set arch "
            "as shipped, with gaps, under five projectiles at 5 s; 10 s each. `auto` takes 0 outer iterations where the last "
            "step's impulses are still right. Its mean includes the steps under fire, which are its slowest; so does fbf's. `fbf` has "
            "the step size of the paper's formula, with which it needs all of its 200 iterations on the last two scenes; with larger steps: "
            "[the scheme at its best](best.md).\n\n"
            f"The command behind a row, here the arch with `fbf`: `{data['masonry arch']['command']}`.")


@item("tab-perf", "performance", "The two contact-rich scenes", "tab:perf")
class Perf:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        full = PerfFull.collect(context)
        return {name: full[name] for name in ("house of cards", "masonry arch")}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        paper = context.published["tab:perf"]
        rows = [[name, paper[name]["contacts"], f"{ours['fbf']['contacts']:g}", paper[name]["outer"],
                 f"{ours['fbf']['outer'][0]:g}", f"{ours['auto']['outer'][0]:g}", paper[name]["ms"], short(ours["fbf"]["ms"]),
                 short(ours["auto"]["ms"]), paper[name]["mujoco"], paper[name]["kamino"]] for name, ours in data.items()]
        return (table(["scene", "n_c paper", "ours", "outer paper", "fbf", "auto", "ms paper", "fbf", "auto",
                       "MuJoCo (paper)", "Kamino (paper)"], rows)
                + "\n\nThe last two columns are the paper's factors over its own time. The same scenes in other engines, measured here: "
                "[docs/peers](../peers/index.md).")


@item("tab-perf-large", "performance", "Large scenes", "tab:perf-large")
class PerfLarge:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        wanted = []
        for scene, parameters, seconds, sampled, sweeps in LARGE.values():
            wanted += [Run.of(scene, f"{paper_mode(sweeps)} --time {context.size(sampled, 0.05)}", **parameters),
                       Run.of(scene, f"{DEFAULT} --time {context.size(seconds, 0.05)}", **parameters)]
        done = context.program.runs(wanted)
        return {name: {"fbf": statistics(done[2 * k]), "auto": statistics(done[2 * k + 1])} for k, name in enumerate(LARGE)}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        paper = context.published["tab:perf-large"]
        rows = [[name, paper[name]["ms"], short(o["fbf"]["ms"]), short(o["auto"]["ms"]), f"{o['fbf']['contacts']:g}",
                 o["fbf"]["steps"], percent(o["fbf"]["share"]), power(o["fbf"]["median"]), metres(o["fbf"]["drop"]),
                 o["auto"]["steps"], percent(o["auto"]["solved"]), metres(o["auto"]["drop"]), paper[name]["mujoco"],
                 paper[name]["kamino"]] for name, o in data.items()]
        return (table(["scene", "ms paper", "fbf", "auto", "n_c", "fbf: steps run", "r_c ≤ 1e-6", "median r_c",
                       "largest displacement", "auto: steps run", "solved to 1e-8", "largest displacement",
                       "MuJoCo (paper)", "Kamino (paper)"], rows)
                + "\n\n`fbf` is sampled over the first 3 s, in which the structures fall together and settle; nothing is "
                "extrapolated; it has the step size of the paper's formula. `auto` runs 20 s (arch) and 10 s (cards). Displacements include the settling from the data "
                "set's gaps.")


@item("tab-perf-gpu", "performance", "GPU", "tab:perf-gpu")
class PerfGpu:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        scenes = {"card, 5 levels": ("cards", {**CARDS, "levels": 5}), "card, 10 levels": ("cards", {**CARDS, "levels": 10}),
                  "arch, 25 stones": ("arch", ARCH), "arch, 101 stones": ("arch", {**ARCH, "stones": 101})}
        time = f"{DEFAULT} --time {context.size(10.0, 0.05)}"
        done = context.program.runs(Run.of(scene, time, **parameters) for scene, parameters in scenes.values())
        return {name: statistics(run) for name, run in zip(scenes, done)}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        paper = context.published["tab:perf-gpu"]
        document = json.loads(DEVICE.read_text(encoding="utf-8")) if DEVICE.exists() else {"rows": []}
        rows = [[name, paper[name]["fbf"], paper[name]["mujoco"], paper[name]["kamino"],
                 *(on_device(document["rows"], engine, name) for engine in ON_DEVICE), short(ours["ms"]), metres(ours["drop"]),
                 percent(ours["solved"])] for name, ours in data.items()]
        absent = [engine for engine in ON_DEVICE if not any(row["engine"] == engine for row in document["rows"])]
        return (table(["scene", "FBF, ms (paper, RTX 3090)", "MuJoCo (paper)", "Kamino (paper)", *(f"{e} on a GPU, ms" for e in ON_DEVICE),
                       "auto on one CPU core, ms", "largest displacement", "solved to 1e-8"], rows)
                + "\n\nMean time of a step over 10 s from the data set's layout with gaps; the paper's words for the outcome are its own. "
                "The last three columns are `auto` on one core; displacements include the settling. "
                + (f"**Not measured on a device: {', '.join(absent)}**. " if absent else "")
                + "Ours on a GPU is a batch of so many worlds at once ([batches](../gpu.md) has what a world may hold): "
                "its kernels are made for thousands of them, and one alone says little of that. `bench/gpu/paper_table.py` measures "
                "these columns and keeps them; the paper's GPU times lie above its CPU times."
                + (f"\n\n{stamp(origin_of(document, DEVICE.name), DEVICE, PAGE).strip()}" if document["rows"] else ""))


ALL_STEPS = 600  #: of 10 s


def on_device(rows: list[dict[str, Any]], engine: str, title: str) -> str:
    """Every number of worlds that was run, what was refused, or that nothing was."""
    found = [row for row in rows if row["engine"] == engine and row["scene"] == title]
    said = []
    for row in found:
        if "failed" in row:
            said.append(f"refused: {row['failed']}")
            continue
        many = f", {short(row['ms_per_step'] / row['worlds'])} each of {row['worlds']} worlds" if row["worlds"] > 1 else ""
        solved = f", solved {percent(row['solved_share'])}" if "solved_share" in row else ""
        if row.get("finished_share"):
            solved += f", {percent(row['finished_share'])} of the steps finished by the host"
        if "own_tolerance_share" in row:
            solved += f", within its own tolerance at the end: {'yes' if row['own_tolerance_share'] == 1 else 'no'}"
        if row["steps"] < ALL_STEPS:
            solved += f", first {row['steps']} of {ALL_STEPS} steps"
        said.append(f"{short(row['ms_per_step'])}{many} (moved {metres(row['moved'])}{solved})")
    return "; ".join(dict.fromkeys(said)) or "not measured"
