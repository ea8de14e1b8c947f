# SPDX-License-Identifier: Apache-2.0
"""Fixed step sizes against the adaptive rule: tab:gamma and fig:gamma."""
from __future__ import annotations

from typing import Any

import numpy as np

from paper import draw
from paper.items import Context, item
from paper.program import Run
from paper.schemes import ARCH, CARDS, TOLERANCE, paper_mode, residuals, statistics
from paper.text import metres, percent, power, table

#: kg; the paper's values, then larger ones: our stones weigh what their volume says, and the useful range lies higher.
FIXED = {"arch": (1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7), "cards": (0.1, 0.5, 2.4, 7.5, 30, 300)}
SECONDS = 4.0


@item("tab-gamma", "convergence", "Fixed step size against the adaptive rule", "tab:gamma, fig:gamma")
class Gamma:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        wanted: dict[tuple[str, str], Run] = {}
        time = f"--time {context.size(SECONDS, 0.05)}"
        for name, (scene, parameters, sweeps) in {"arch": ("arch", ARCH, 30), "cards": ("cards", CARDS, 10)}.items():
            for gamma in FIXED[name][:context.size(None, 1)]:
                wanted[name, f"{gamma:g}"] = Run.of(scene, f"{paper_mode(sweeps)} --gamma {gamma:g} {time}", **parameters)
            wanted[name, "adaptive"] = Run.of(scene, f"{paper_mode(sweeps)} {time}", **parameters)
        rows: dict[str, Any] = {"arch": {}, "cards": {}}
        for (name, gamma), run in zip(wanted, context.program.runs(wanted.values())):
            rows[name][gamma] = {**statistics(run), "r_c": [float(f"{x:.3g}") for x in residuals(run)]}
        for name, sequence in (("arch", "catenary"), ("cards", "cards")):
            record = context.program.solve(context.program.generate(sequence, 1), paper_mode())[0]
            rows[name]["safe"] = record["gamma"]
        return rows

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        paper = {name: {f"{row[0]:g}" if isinstance(row[0], (int, float)) else row[0]: row[1:] for row in rows}
                 for name, rows in context.published["tab:gamma"].items()}
        figure, (places,) = draw.axes(2, width=5.2)
        parts = []
        for place, name, title in zip(places, ("arch", "cards"), ("masonry arch", "house of cards")):
            cells = {gamma: row for gamma, row in data[name].items() if gamma != "safe"}
            draw_sweep(place, cells, paper[name], title)
            rows = []
            for gamma, row in cells.items():
                theirs = paper[name].get(gamma)
                drop = metres(theirs[1]) if theirs and len(theirs) > 1 else "–"
                rows.append([gamma, ("NaN" if theirs[0] is None else power(theirs[0])) if theirs else "–", power(row["median"]),
                             percent(row["share"]), f"{row['outer'][0]:g}", drop, metres(row["drop"]), row["steps"], row["ended"]])
            parts.append(f"**{title}**, γ_safe = {data[name]['safe']:.3g} kg (eq:gamma_safe, on the closed structure)\n\n" + table(
                ["γ, kg", "median r_c paper", "fbf", "r_c ≤ 1e-6", "outers", "max drop paper", "ours", "steps", "run ended"], rows))
        draw.save(figure, context.picture("gamma"))
        return ("![gamma sweep](gamma.png)\n\n" + "\n\n".join(parts)
                + f"\n\nFirst {SECONDS:g} s of each run, {paper_mode(30)} on the arch, 10 sweeps on the cards. *Max drop* is the largest "
                "displacement of a stone or card, the settling from the data set's gaps included (`auto`: see "
                "[scenes](scenes.md)). Fixed values switch the test of eq:rho off. A run that broke down is "
                "scored on the steps before.")


def draw_sweep(place: Any, cells: dict[str, Any], paper: dict[str, Any], title: str) -> None:
    """Spread of the residuals per step size; crosses are the paper's medians."""
    for k, (gamma, row) in enumerate(cells.items()):
        values = np.array([x for x in row["r_c"] if x is not None and x > 0])
        if len(values):
            low, middle, high = np.quantile(values, [0.1, 0.5, 0.9])
            place.plot([k, k], [low, high], color=draw.COLOURS["fbf"], lw=6, alpha=0.4, solid_capstyle="butt",
                       label="ours, 10 to 90 %" if k == 0 else None)
            place.plot(k, middle, "o", color=draw.COLOURS["fbf"], label="ours, median" if k == 0 else None)
        if gamma in paper and paper[gamma][0] is not None:
            place.plot(k, paper[gamma][0], "kx", label="paper, median" if k == 0 else None)
    place.axhline(TOLERANCE, color="k", lw=0.8, ls=":")
    place.set_yscale("log")
    place.set_xticks(range(len(cells)), list(cells))
    place.set(xlabel="γ, kg", ylabel="r_c of a step", title=title)
    place.legend(fontsize=7)
