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
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        friction, seeds = context.size(FRICTION, (0.5,)), context.size((1, 2, 3, 4, 5), (1,))
        count, seconds = context.size(100, 5), context.size(4.0, 0.2)
        wanted = {(mu, seed): Run.of("pile", f"--outer auto --time {seconds}", mu=mu, seed=seed, count=count)
                  for mu in friction for seed in seeds}
        data: dict[str, Any] = {"mu": list(friction), "count": count, "seconds": seconds, "degrees": {}, "solved": {}, "speed": {}}
        for (mu, _), run in zip(wanted, context.program.runs(wanted.values())):
            key = f"{mu:g}"
            data["degrees"].setdefault(key, []).append(slope(run.summary))
            data["solved"].setdefault(key, []).append(run.summary["residual"]["solved_share"])
            data["speed"].setdefault(key, []).append(float(np.median([b["last_second_speed"] for b in run.summary["final"]])))
        return data

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        figure, ((place,),) = draw.axes(1, width=5.4)
        mean = [np.mean(data["degrees"][f"{mu:g}"]) for mu in data["mu"]]
        for mu in data["mu"]:
            place.plot([mu] * len(data["degrees"][f"{mu:g}"]), data["degrees"][f"{mu:g}"], ".", color="#999999")
        place.plot(data["mu"], mean, "o-", color=draw.COLOURS["auto"], label="heap of cubes, mean over seeds")
        dense = np.linspace(0, max(data["mu"]), 50)
        place.plot(dense, np.degrees(np.arctan(dense)), "--", color=draw.COLOURS["closed form"], label="arctan μ: one block on a slope")
        place.set(xlabel="friction coefficient μ", ylabel="slope of the heap, degrees")
        place.legend(fontsize=7)
        draw.save(figure, context.picture("angle-of-repose"))
        rows = [[f"{mu:g}", f"{m:.1f}", f"{np.ptp(data['degrees'][f'{mu:g}']):.1f}", f"{math.degrees(math.atan(mu)):.1f}",
                 percent(float(np.mean(data["solved"][f"{mu:g}"]))), f"{np.median(data['speed'][f'{mu:g}']):.1e}"]
                for mu, m in zip(data["mu"], mean)]
        return ("![angle of repose](angle-of-repose.png)\n\n"
                + table(["μ", "slope, degrees (mean)", "spread over seeds", "arctan μ", "steps solved to 1e-8", "median speed at the end, m/s"], rows)
                + f"\n\n{data['count']} cubes of 0.2 m poured onto a plane with the same μ, {data['seconds']:g} s, "
                f"{len(data['degrees'][str(data['mu'][0])])} seeds. The slope is that of the cone with the same mean height and mean distance from "
                "the axis. These are small heaps of cubes dropped as a loose column: the spread between seeds is as large as the trend, so "
                "this is no material's angle of repose. What can be read: at small μ the slope follows arctan μ, beyond μ ≈ 0.3 friction no "
                "longer sets it.")
