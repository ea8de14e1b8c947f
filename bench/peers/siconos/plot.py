#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Performance profiles (Dolan and Moré) of bench_siconos.   plot.py [siconos.json] [--out FOLDER] [--page FOLDER]

Writes siconos-profiles.{png,svg}, families of solvers with their best configuration for each problem, and
siconos-configurations.{png,svg}, every configuration by itself, one panel a family.
A curve is the share of problems that a solver solves within τ times the time of the quickest solver of that problem.
--page puts the first figure into the folder of the page as well. The text of the page is made by report.py.
"""
import argparse
import json
import math
import shutil
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullLocator, PercentFormatter  # noqa: E402

LARGEST_TAU = 1e4
PANELS = [("NSN-AC",), ("NSN-FB", "NSN-NM"), ("PPA",), ("NSGS",), ("ADMM",), ("VI-EG", "VI-FPP"), ("ACLM",),
          ("DSFP", "TFP", "PFP", "SOCLCP", "one contact")]
OURS, BEST = "Repose", "Siconos, best of all"
INK, PALE = "#1a1a1a", "#8a8a8a"
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b58900", "#7b3294", "#8c564b", "#2f4b7c", "#a05195",
           "#665191", "#ff7c43", "#7f7f7f"]
DASHES = ["-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5))]

plt.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 10, "axes.edgecolor": PALE, "axes.labelcolor": INK, "text.color": INK,
    "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none",
    "axes.grid": True, "grid.color": "#e6e6e6", "grid.linewidth": 0.7, "axes.axisbelow": True,
})


def read_times(document):
    """times[family][configuration] = list over the problems of ms, infinite where it was not solved."""
    problems = document["problems"]
    times = {}
    for index, problem in enumerate(problems):
        for result in problem["results"]:
            row = times.setdefault(result["family"], {}).setdefault(result["configuration"], [math.inf] * len(problems))
            if result["status"] == "solved" and result["ms"] is not None:
                row[index] = result["ms"]
    return times


def best_of(rows):
    return [min(values) for values in zip(*rows)]


def profile(times, quickest):
    """Corners (τ, share) of the staircase, beginning at τ = 1."""
    ratios = sorted(t / q for t, q in zip(times, quickest) if math.isfinite(t))
    taus, shares = [1.0], [0.0]
    for count, ratio in enumerate(ratios, 1):
        taus.append(max(ratio, 1.0))
        shares.append(count / len(times))
    return taus, shares


def solved(times):
    return sum(map(math.isfinite, times))


def draw(axis, times, quickest, tau_end, **style):
    taus, shares = profile(times, quickest)
    axis.step(taus + [tau_end], shares + [shares[-1]], where="post", solid_joinstyle="round", **style)
    return shares[-1]


def prepare(axis, tau_end):
    axis.set_xscale("log")
    axis.set_xlim(1, tau_end)
    axis.set_ylim(0, 1.02)
    axis.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda tau, _: f"{tau:g}" if tau < 1e4 else f"$10^{{{math.log10(tau):.0f}}}$"))
    axis.xaxis.set_minor_locator(NullLocator())


def last_tau(all_times, quickest):
    ratios = [t / q for times in all_times for t, q in zip(times, quickest) if math.isfinite(t)]
    return min(10 ** math.ceil(math.log10(max(ratios + [10.0]))), LARGEST_TAU)


def standing(times, quickest):
    """Sorting key: most problems solved first, then the quickest."""
    logs = [math.log(t / q) for t, q in zip(times, quickest) if math.isfinite(t)]
    return -len(logs), sum(logs) / max(len(logs), 1)


def subtitle(document):
    count = len(document["problems"])
    return (f"{count} public problems, solved: r_c and nat ≤ {document['tolerance']:.0e}, at most {document['cap_s']:g} s, "
            f"CPU time of one thread, cold start")


def plot_families(document, times, folder):
    peers = {family: best_of(rows.values()) for family, rows in times.items() if family != OURS}
    ours = best_of(times[OURS].values())
    quickest = best_of([*peers.values(), ours])
    tau_end = last_tau([*peers.values(), ours], quickest)
    figure, axis = plt.subplots(figsize=(10.5, 6.0))
    prepare(axis, tau_end)
    best = best_of(peers.values())
    draw(axis, ours, quickest, tau_end, color=INK, linewidth=3.4, zorder=5, label=f"Repose auto   {solved(ours)}")
    draw(axis, best, quickest, tau_end, color="#a9a9a9", linewidth=3.4, zorder=4, label=f"{BEST}   {solved(best)}")
    ranked = sorted(peers.items(), key=lambda item: standing(item[1], quickest))
    for index, (family, row) in enumerate(ranked):
        draw(axis, row, quickest, tau_end, color=COLOURS[index % len(COLOURS)], linewidth=1.6,
             linestyle=DASHES[index % len(DASHES)], label=f"{family}   {solved(row)}")
    legend = axis.legend(loc="upper left", bbox_to_anchor=(1.015, 1.0), frameon=False, fontsize=10, handlelength=3.2,
                         labelspacing=0.65, title="solver, problems solved", alignment="left", borderaxespad=0)
    for text in legend.get_texts()[:2]:
        text.set_weight("bold")
    axis.set_xlabel("τ: time over that of the quickest solver of the problem")
    axis.set_ylabel("share of problems solved within τ")
    figure.text(0.075, 0.945, "Exact Coulomb friction: Repose and the solvers of Siconos", weight="bold", fontsize=13.5)
    axis.set_title(subtitle(document) + ".\nEach family of Siconos with its best configuration for each problem.",
                   loc="left", fontsize=9, color="#5a5a5a", pad=10)
    figure.subplots_adjust(left=0.075, right=0.75, top=0.85, bottom=0.095)
    save(figure, folder / "siconos-profiles")


def plot_configurations(document, times, folder):
    every = [row for rows in times.values() for row in rows.values()]
    quickest = best_of(every)
    tau_end = last_tau(every, quickest)
    panels = [panel for panel in PANELS if any(family in times for family in panel)]
    figure, axes = plt.subplots(2, math.ceil(len(panels) / 2), figsize=(16, 8.2), sharex=True, sharey=True, squeeze=False)
    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    for axis, panel in zip(axes.flat, panels):
        prepare(axis, tau_end)
        axis.set_title(", ".join(panel), loc="left", fontsize=10.5, weight="bold")
        draw(axis, best_of(times[OURS].values()), quickest, tau_end, color="#c8c8c8", linewidth=3, zorder=1)
        rows = [item for family in panel for item in times.get(family, {}).items()]
        for number, (name, row) in enumerate(sorted(rows, key=lambda item: standing(item[1], quickest))):
            label = (name.removeprefix(panel[0]).strip() if len(panel) == 1 else name) or "default"
            draw(axis, row, quickest, tau_end, color=COLOURS[number % len(COLOURS)], linewidth=1.5,
                 linestyle=DASHES[number % len(DASHES)], label=f"{label}   {solved(row)}")
        axis.legend(loc="lower right", fontsize=8, frameon=True, framealpha=0.9, edgecolor="none", handlelength=2.4,
                    borderpad=0.3, labelspacing=0.3)
    figure.supxlabel("τ: time over that of the quickest solver of the problem", fontsize=10, y=0.012)
    figure.text(0.04, 0.958, "Every configuration of Siconos (grey: Repose auto)", weight="bold", fontsize=13.5)
    figure.text(0.04, 0.93, subtitle(document) + "; behind the name: problems solved", fontsize=9, color="#5a5a5a")
    figure.subplots_adjust(left=0.04, right=0.99, top=0.88, bottom=0.075, hspace=0.16, wspace=0.1)
    save(figure, folder / "siconos-configurations")


def save(figure, stem):
    for ending in ("png", "svg"):
        figure.savefig(f"{stem}.{ending}", dpi=150)
        print(f"written: {stem}.{ending}")
    plt.close(figure)


def draw_all(document, folder, page_folder=None):
    times = read_times(document)
    plot_families(document, times, folder)
    plot_configurations(document, times, folder)
    if page_folder:
        shutil.copy(folder / "siconos-profiles.png", page_folder)


def main():
    parser = argparse.ArgumentParser(description="Performance profiles of bench_siconos.")
    parser.add_argument("results", nargs="?", default="bench/results/siconos.json", type=Path)
    parser.add_argument("--out", type=Path, help="folder of the figures; default: beside the results")
    parser.add_argument("--page", type=Path, help="folder of the page")
    arguments = parser.parse_args()
    document = json.loads(arguments.results.read_text(encoding="utf-8"))
    if not document["problems"]:
        raise SystemExit(f"{arguments.results}: no problems in it")
    folder = arguments.out or arguments.results.parent
    folder.mkdir(parents=True, exist_ok=True)
    draw_all(document, folder, arguments.page)


if __name__ == "__main__":
    main()
