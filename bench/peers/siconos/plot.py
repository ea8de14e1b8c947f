#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Performance profiles (Dolan and Moré) of bench_siconos.   plot.py [siconos.json] [--out FOLDER]

Writes siconos-profiles.{png,svg}, families of solvers with their best configuration for each problem, and
siconos-configurations.{png,svg}, every configuration by itself, one panel a family.
A curve is the share of problems that a solver solves within τ times the time of the quickest solver of that problem.
"""
import argparse
import json
import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullLocator, PercentFormatter  # noqa: E402

OURS, BEST = "Repose", "Siconos, best of all"
INK, PALE = "#1a1a1a", "#8a8a8a"
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b58900", "#7b3294", "#8c564b", "#2f4b7c", "#a05195",
           "#665191", "#ff7c43"]
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


def spread(wanted, gap):
    """Heights near the wanted ones, in the same order, at least `gap` apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    heights = [wanted[i] for i in order]
    for _ in range(500):
        moved = False
        for k in range(len(heights) - 1):
            lack = gap - (heights[k + 1] - heights[k])
            if lack > 1e-6:
                heights[k] -= lack / 2
                heights[k + 1] += lack / 2
                moved = True
        low = min(heights)
        if low < 0:
            heights = [h if h > 0 else 0.0 for h in heights]
        if not moved:
            break
    result = [0.0] * len(wanted)
    for k, i in enumerate(order):
        result[i] = heights[k]
    return result


def last_tau(all_times, quickest):
    ratios = [t / q for times in all_times for t, q in zip(times, quickest) if math.isfinite(t)]
    return 10 ** math.ceil(math.log10(max(ratios + [10.0])))


def subtitle(document):
    count = len(document["problems"])
    return (f"{count} public problems, solved: r_c and nat ≤ {document['tolerance']:.0e}, at most {document['cap_s']:g} s, "
            f"CPU time of one thread, cold start")


def plot_families(document, times, folder):
    peers = {family: best_of(rows.values()) for family, rows in times.items() if family != OURS}
    curves = dict(sorted(peers.items(), key=lambda item: -solved(item[1])))
    everyone = [*peers.values()] + ([best_of(times[OURS].values())] if OURS in times else [])
    quickest = best_of(everyone)
    tau_end = last_tau(everyone, quickest)
    figure, axis = plt.subplots(figsize=(10.5, 6.2))
    prepare(axis, tau_end)
    labels = []
    for index, (family, row) in enumerate(curves.items()):
        colour, dash = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
        end = draw(axis, row, quickest, tau_end, color=colour, linewidth=1.5, linestyle=dash)
        labels.append((end, f"{family}  {solved(row)}", colour, "normal"))
    best = best_of(peers.values())
    end = draw(axis, best, quickest, tau_end, color=PALE, linewidth=3.0)
    labels.append((end, f"{BEST}  {solved(best)}", "#5a5a5a", "bold"))
    if OURS in times:
        ours = best_of(times[OURS].values())
        end = draw(axis, ours, quickest, tau_end, color=INK, linewidth=3.2)
        labels.append((end + 1e-4, f"Repose auto  {solved(ours)}", INK, "bold"))
    heights = spread([label[0] for label in labels], 0.045)
    for (end, text, colour, weight), height in zip(labels, heights):
        axis.annotate(text, xy=(1.0, end / 1.02), xytext=(1.035, height / 1.02), xycoords="axes fraction",
                      textcoords="axes fraction", color=colour, weight=weight, va="center", fontsize=9.5, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 0})
    axis.set_xlabel("τ: time over that of the quickest solver of the problem")
    axis.set_ylabel("share of problems solved within τ")
    figure.suptitle("Exact Coulomb friction: Repose and the solvers of Siconos", x=0.07, ha="left", weight="bold", fontsize=13)
    axis.set_title(subtitle(document) + "\nEach family with its best configuration for each problem; behind the name: problems solved",
                   loc="left", fontsize=9, color="#5a5a5a", pad=10)
    figure.subplots_adjust(left=0.07, right=0.78, top=0.85, bottom=0.09)
    save(figure, folder / "siconos-profiles")


def plot_configurations(document, times, folder):
    families = [family for family in times if family != OURS]
    every = [row for rows in times.values() for row in rows.values()]
    quickest = best_of(every)
    tau_end = last_tau(every, quickest)
    columns = 3
    lines = math.ceil(len(families) / columns)
    figure, axes = plt.subplots(lines, columns, figsize=(13, 3.1 * lines + 0.9), sharex=True, sharey=True, squeeze=False)
    for axis in axes.flat[len(families):]:
        axis.set_visible(False)
    for index, (axis, family) in enumerate(zip(axes.flat, families)):
        prepare(axis, tau_end)
        axis.set_title(family, loc="left", fontsize=10.5, weight="bold")
        if OURS in times:
            draw(axis, best_of(times[OURS].values()), quickest, tau_end, color="#c8c8c8", linewidth=2.5, zorder=1)
        rows = sorted(times[family].items(), key=lambda item: -solved(item[1]))
        for number, (name, row) in enumerate(rows):
            label = name.removeprefix(family).strip(" ,:") or "default"
            draw(axis, row, quickest, tau_end, color=COLOURS[number % len(COLOURS)], linewidth=1.4,
                 linestyle=DASHES[number % len(DASHES)], label=f"{label}  {solved(row)}")
        axis.legend(loc="upper left", fontsize=7.3, frameon=True, framealpha=0.85, edgecolor="none", handlelength=2.2,
                    borderpad=0.2, labelspacing=0.25)
        axis.tick_params(labelbottom=index + columns >= len(families), labelleft=index % columns == 0)
    figure.supxlabel("τ: time over that of the quickest solver of the problem", fontsize=10, y=0.004)
    figure.suptitle("Every configuration of Siconos (grey: Repose auto)", x=0.045, ha="left", weight="bold", fontsize=13)
    figure.text(0.045, 1 - 0.55 / figure.get_figheight(), subtitle(document) + "; behind the name: problems solved", fontsize=9,
                color="#5a5a5a")
    figure.subplots_adjust(left=0.045, right=0.985, top=1 - 0.95 / figure.get_figheight(), bottom=0.5 / figure.get_figheight(),
                           hspace=0.24, wspace=0.06)
    save(figure, folder / "siconos-configurations")


def save(figure, stem):
    for ending in ("png", "svg"):
        figure.savefig(f"{stem}.{ending}", dpi=150)
        print(f"written: {stem}.{ending}")
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description="Performance profiles of bench_siconos.")
    parser.add_argument("results", nargs="?", default="bench/results/siconos.json", type=Path)
    parser.add_argument("--out", type=Path, help="folder of the figures; default: beside the results")
    arguments = parser.parse_args()
    document = json.loads(arguments.results.read_text(encoding="utf-8"))
    if not document["problems"]:
        raise SystemExit(f"{arguments.results}: no problems in it")
    times = read_times(document)
    folder = arguments.out or arguments.results.parent
    folder.mkdir(parents=True, exist_ok=True)
    plot_families(document, times, folder)
    plot_configurations(document, times, folder)


if __name__ == "__main__":
    main()
