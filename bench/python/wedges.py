# SPDX-License-Identifier: Apache-2.0
"""Leaning plates: kinematic plates close on a body until they leave it too little room; how much does a step gain?

    python bench/python/wedges.py [--runs 150] [--seed 1] [--processes 1] [--json FILE]

Angles of 0 to 45 degrees in both plates, about one axis or several, closing speeds, missing room, friction, shapes and sizes are
drawn at random. The gain is StepReport.energy_rise in units of the body's weight times half an edge and its kinetic energy before the step. Decision 031 has the rule.
"""
from __future__ import annotations

import argparse
import json
import math
import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

VOLUME = {"cube": 8, "cylinder": 2 * math.pi, "sphere": 4 / 3 * math.pi, "capsule": 10 / 3 * math.pi}  # with half an edge of 1
STEPS = 60
GRAVITY = 9.81


def quaternion(rotation: np.ndarray) -> list[float]:
    """Of a rotation vector."""
    angle = float(np.linalg.norm(rotation))
    return [math.cos(angle / 2), *(0.5 * np.sinc(angle / (2 * math.pi)) * rotation)]


def draw(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    degrees = random.uniform(0, 45)
    axes = [[0, 1, 0], [0, 0, 1], random.normal(size=3)][random.integers(3)]
    return {"seed": seed, "degrees": degrees, "axis": (np.array(axes) / np.linalg.norm(axes)).tolist(), "both": bool(random.integers(4)),
            "lack": 10 ** random.uniform(math.log10(0.005), math.log10(0.2)), "speed": 10 ** random.uniform(-1, 1), "mu": float(random.choice([0, 0.1, 0.5, 1])),
            "shape": str(random.choice(list(VOLUME))), "edge": 10 ** random.uniform(-2, 0)}


def body(shape: str, half: float) -> dict[str, Any]:
    return {"cube": {"type": "box", "half": [half] * 3}, "sphere": {"type": "sphere", "radius": half},
            "cylinder": {"type": "cylinder", "radius": half, "half_length": half},
            "capsule": {"type": "capsule", "radius": half, "half_length": half}}[shape]


def wedge(run: dict[str, Any]) -> dict[str, Any]:
    """Lengths in edges of the body, speeds in edges a second; the plates have half extents of half and two edges."""
    edge = run["edge"]
    reach = 2 * math.sin(math.radians(run["degrees"]))
    far = 1 + 0.02 + reach
    seconds = (0.02 + reach + run["lack"]) / run["speed"]
    plates = []
    for side in (-1, 1):
        tilt = side * math.radians(run["degrees"]) if run["both"] or side > 0 else 0.0
        turn = quaternion(tilt * np.array(run["axis"]))
        ends = [[side * edge * x, 0, 0] for x in (far, far - run["speed"] * seconds)]
        plates.append({"name": f"plate {side}", "kind": "kinematic", "position": ends[0], "rotation": turn,
                       "shapes": [{"type": "box", "half": [edge * 0.5, edge * 2, edge * 2]}],
                       "motion": {"type": "table", "poses": [{"time": t, "position": at, "rotation": turn} for t, at in zip((0, seconds), ends)]}})
    return {"repose_scene": 1, "name": "wedge", "dt": 1 / 60, "margin": 0.2 * edge, "slop": 1e-3 * edge, "materials": [{"name": "m", "friction": run["mu"]}],
            "bodies": [*plates, {"name": "body", "position": [0, 0, 0], "shapes": [body(run["shape"], edge / 2)]}]}


def gain(run: dict[str, Any]) -> dict[str, Any]:
    import repose

    warnings.filterwarnings("ignore")
    model = repose.Model.from_json(json.dumps(wedge(run)))
    data = repose.Data(model)
    unit = 1000 * VOLUME[run["shape"]] * (run["edge"] / 2) ** 3 * GRAVITY * run["edge"] / 2
    worst, unsolved, moved, ended = 0.0, 0, 0.0, "done"
    for _ in range(STEPS):
        try:
            repose.step(model, data)
        except Exception as error:  # a step that is not taken: stated, and none is lost
            ended = str(error)
            break
        kinetic = 0.5 * float(np.sum(data.velocity[2] ** 2)) * unit / (GRAVITY * run["edge"] / 2)
        worst = max(worst, data.report.energy_rise / (unit + moved))
        moved = kinetic
        unsolved += data.report.status != "solved"
    return {**run, "gain": worst, "not_solved": unsolved, "ended": ended}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    runs = [draw(options.seed * 100000 + k) for k in range(options.runs)]
    with ProcessPoolExecutor(options.processes) as pool:
        found = sorted(pool.map(gain, runs), key=lambda run: -run["gain"])
    for run in found[:8]:
        print(f"gain {run['gain']:.3g}: " + ", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in run.items() if k != "gain"))
    gains = np.array([run["gain"] for run in found])
    print(f"{len(found)} runs of {STEPS} steps: worst {gains.max():.3g}, above 0.5: {(gains > 0.5).sum()}, above 0.05: {(gains > 0.05).sum()}, "
          f"median {np.median(gains):.1e}, broken down {sum(run['ended'] != 'done' for run in found)}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
