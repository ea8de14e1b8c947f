# SPDX-License-Identifier: Apache-2.0
"""How steep is a heap of cubes? A sweep over friction and seeds on all cores.   angle_of_repose.py [OUT.png]

Results are kept in a folder: a sweep that is stopped goes on where it was.
"""
import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import repose


def slope(run: repose.Run) -> float:
    """Degrees, from the heap's height and radius: mean height of a cone is a quarter, mean radius half of it."""
    centres = np.array([body["position"] for body in run.final])
    radius = np.linalg.norm(centres[:, :2] - centres[:, :2].mean(axis=0), axis=1).mean() * 2
    return math.degrees(math.atan2(4 * (centres[:, 2].mean() - centres[:, 2].min()), radius))


def main(out: str, count: int = 60, time: float = 4.0, seeds: int = 3, folder: str | None = "out/repose-sweep") -> np.ndarray:
    friction = np.array([0.1, 0.3, 0.5, 0.8])
    result = repose.sweep("pile", {"mu": friction, "seed": range(1, seeds + 1)}, count=count, time=time, measure=slope,
                          folder=folder)
    degrees = result.array(lambda value: value)
    for mu, row in zip(friction, degrees):
        print(f"μ {mu:.1f}: {row.mean():5.1f}° (± {row.std():.1f}°)")
    plt.errorbar(friction, degrees.mean(axis=1), degrees.std(axis=1), marker="o", capsize=4)
    plt.xlabel("friction coefficient")
    plt.ylabel("slope of the heap, degrees")
    plt.savefig(out, dpi=100)
    return degrees


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "repose.png")
