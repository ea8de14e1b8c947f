# SPDX-License-Identifier: Apache-2.0
"""The exact law beside the relaxed one that most engines solve: a sliding cube lifts off.   exact_and_relaxed.py [OUT.png]"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import repose


def heights(outer: str, steps: int = 60) -> tuple[np.ndarray, float]:
    """Height of a cube thrown along the floor above its rest, m, and the worst distance from the exact law."""
    model = repose.scenes.launched_cube()
    data = repose.Data(model, outer=outer)
    cube = model.body_kinds.index("dynamic")
    start, z, worst = data.position[cube, 2], [], 0.0
    for _ in range(steps):
        repose.step(model, data)
        z.append(data.position[cube, 2] - start)
        worst = max(worst, data.certificate.worst)
    return np.array(z), worst


def main(out: str) -> dict[str, float]:
    lift = {}
    for outer, label in (("auto", "exact"), ("relaxed", "relaxed")):
        z, worst = heights(outer)
        lift[label] = float(z.max())
        print(f"{label:8s} lifts off by {z.max() * 1e3:9.5f} mm; distance from the law {worst:.1e}")
        plt.plot(z * 1e3, label=label)
    plt.xlabel("step")
    plt.ylabel("height above the floor, mm")
    plt.legend()
    plt.savefig(out, dpi=100)
    return lift


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "relaxed.png")
