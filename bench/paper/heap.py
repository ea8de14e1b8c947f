# SPDX-License-Identifier: Apache-2.0
"""Beyond the paper: how steep a heap of cubes lies, against friction."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from paper import draw
from paper.items import Context, item
from paper.program import Run
from paper.text import percent, table

FRICTION = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


def slope(summary: dict[str, Any]) -> float:
    """Degrees. Of a cone, the mean height is a quarter of its height, the mean distance from the axis half of its radius."""
    centres = np.array([body["position"] for body in summary["final"]])
    radius = 2 * np.linalg.norm(centres[:, :2] - centres[:, :2].mean(axis=0), axis=1).mean()
    return math.degrees(math.atan2(4 * (centres[:, 2].mean() - centres[:, 2].min()), radius))


@item("angle-of-repose", "stability", "Angle of repose of a heap")
class AngleOfRepose:
    SIZES = {60: (1, 2, 3), 100: (1, 2, 3, 4, 5)}  # cubes: seeds

    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        friction, sizes = context.size(FRICTION, (0.5,)), context.size(AngleOfRepose.SIZES, {5: (1,)})
        seconds = context.size(4.0, 0.2)
        wanted = {(count, mu, seed): Run.of("pile", f"--outer auto --time {seconds}", mu=mu, seed=seed, count=count)
                  for count, seeds in sizes.items() for mu in friction for seed in seeds}
        heaps: dict[str, Any] = {str(count): {} for count in sizes}
        for (count, mu, _), run in zip(wanted, context.program.runs(wanted.values())):
            cell = heaps[str(count)].setdefault(f"{mu:g}", {"degrees": [], "solved": [], "speed": []})
            cell["degrees"].append(slope(run.summary))
            cell["solved"].append(run.summary["residual"]["solved_share"])
            cell["speed"].append(float(np.median([body["last_second_speed"] for body in run.summary["final"]])))
        return {"mu": list(friction), "seconds": seconds, "heaps": heaps}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        figure, ((place,),) = draw.axes(1, width=5.4)
        rows = []
        for (count, cells), colour in zip(data["heaps"].items(), ("#E69F00", "#0072B2")):
            for mu in data["mu"]:
                cell = cells[f"{mu:g}"]
                place.plot([mu] * len(cell["degrees"]), cell["degrees"], ".", ms=4, color=colour, alpha=0.4)
                rows.append([count, len(cell["degrees"]), f"{mu:g}", f"{np.mean(cell['degrees']):.1f}",
                             f"{min(cell['degrees']):.1f} … {max(cell['degrees']):.1f}", f"{math.degrees(math.atan(mu)):.1f}",
                             percent(float(np.mean(cell["solved"]))), f"{np.median(cell['speed']):.1e}"])
            mean = [np.mean(cells[f"{mu:g}"]["degrees"]) for mu in data["mu"]]
            place.plot(data["mu"], mean, "o-", ms=4, color=colour, label=f"{count} cubes, mean over seeds")
        dense = np.linspace(0, max(data["mu"]), 50)
        place.plot(dense, np.degrees(np.arctan(dense)), "--", color=draw.COLOURS["closed form"], label="arctan μ: one block on a slope")
        place.set(xlabel="friction coefficient μ", ylabel="slope of the heap, degrees")
        place.legend(fontsize=7)
        draw.save(figure, context.picture("angle-of-repose"))
        return ("![angle of repose](angle-of-repose.png)\n\n"
                + table(["cubes", "seeds", "μ", "slope, degrees (mean)", "least … largest", "arctan μ", "steps solved to 1e-8",
                         "median speed at the end, m/s"], rows)
                + f"\n\nCubes of 0.2 m poured onto a plane with the same μ, {data['seconds']:g} s. The slope is that of the cone with the "
                "same mean height and mean distance from the axis. **This study is inconclusive.** Cubes that land flat stand in "
                "columns at any μ and make the heaps steep where friction is least; sizes disagree and seeds scatter by half of the value. "
                "These heaps are too small and too square to give an angle of repose.")
