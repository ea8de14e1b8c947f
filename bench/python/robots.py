# SPDX-License-Identifier: Apache-2.0
"""Public robots under the controls of their first keyframe, beside MuJoCo on the same file.   robots.py [--json FILE]

CPU time of the thread per step after two seconds, in turns of both engines; the best turn counts. MuJoCo has elliptic cones and
impratio 100, and its own time step is that of the file, as here. `moving`: every control changes in every step by a sine of a
twentieth of its range. The files are those of REPOSE_DATA (../shared/data), folder menagerie.

Chains of ball joints that swing from the horizontal, and square nets of balls held by their upper corners, of several sizes, by
Repose alone: how the time of a step grows with the links.
"""
import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

import mujoco
import numpy as np
import repose

sys.path.append(str(Path(__file__).resolve().parents[1]))
import provenance  # noqa: E402

DATA = Path(os.environ.get("REPOSE_DATA", Path(__file__).resolve().parents[3] / "shared/data")) / "menagerie"
ROBOTS = {"Robotiq 2F-85": "robotiq_2f85/scene.xml", "Cassie": "agility_cassie/scene.xml",
          "Shadow Hand": "shadow_hand/scene_right.xml", "Barkour": "google_barkour_vb/scene.xml",
          "iiwa 14": "kuka_iiwa_14/scene.xml"}
SETTLE, STEPS, TURNS = 2.0, 200, 7
CHAINS, NETS = (25, 50, 100, 200), (4, 5, 7, 10)
GROWTH_SETTLE, GROWTH_STEPS, GROWTH_TURNS = 40, 20, 3


class Repose:
    def __init__(self, file):
        self.model = repose.Model.from_file(str(file))
        self.data = repose.Data(self.model)
        if self.model.key_names:
            self.data.reset(self.model.key_names[0])
        self.dt, self.start = self.model.dt, np.array(self.data.ctrl)

    def run(self, controls):
        for u in controls:
            self.data.ctrl[:] = u
            repose.step(self.model, self.data)

    def contacts(self):
        return len(self.data.contacts)


class MuJoCo:
    def __init__(self, file):
        self.model = mujoco.MjModel.from_xml_path(str(file))
        self.model.opt.cone, self.model.opt.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 100
        self.data = mujoco.MjData(self.model)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        self.start = np.array(self.data.ctrl)

    def run(self, controls):
        for u in controls:
            self.data.ctrl[:] = u
            mujoco.mj_step(self.model, self.data)

    def contacts(self):
        return self.data.ncon


def measure(name, moving):
    file = DATA / ROBOTS[name]
    ours, theirs = Repose(file), MuJoCo(file)
    span = theirs.model.actuator_ctrlrange
    width = 0.05 * np.where(np.isfinite(span).all(axis=1), span[:, 1] - span[:, 0], 0)

    def controls(engine, first, count):
        phase = np.sin(2 * np.pi * (first + np.arange(count))[:, None] * ours.dt)
        return engine.start + (width * phase if moving else np.zeros((count, len(width))))

    settle, best = int(SETTLE / ours.dt), {}
    for engine in (ours, theirs):
        engine.run(controls(engine, 0, settle))
    for turn in range(TURNS):
        for engine in (ours, theirs):
            given = controls(engine, settle + turn * STEPS, STEPS)
            start = time.thread_time()
            engine.run(given)
            spent = (time.thread_time() - start) / STEPS
            best[engine] = min(best.get(engine, spent), spent)
    return {"robot": name, "mode": "moving" if moving else "holding", "dt": ours.dt, "contacts": ours.contacts(),
            "mujoco_contacts": theirs.contacts(), "ms": 1e3 * best[ours], "mujoco_ms": 1e3 * best[theirs],
            "ratio": best[ours] / best[theirs], "not_solved": ours.data.unsolved_steps + ours.data.accepted_steps}


def chain(count):
    """Links of 0.2 m, the first hung up, all in a horizontal line."""
    b = repose.ModelBuilder("chain", dt=1e-3)
    for k in range(count):
        b.add_body((0.2 * k + 0.1, 0, 0), mass=0.1, inertia=(1e-4, 4e-4, 4e-4))
        b.add_joint("ball", k - 1, k, (0.2 * k, 0, 0), damping=1e-3)
    return b.finalize(), count


def net(side, fold=0.2):
    """side × side balls of 10 g, each 0.1 m from its neighbours by massless bars, which hang from two corners.

    The bars across are folded by `fold` rad up and down in turns, so that the corners are 2 % nearer than the bars between
    them are long. Without slack the upper edge is a straight line of bars between two fixed points, which cannot give way
    and needs infinite forces to bear any weight: no scheme can hold it (docs/decisions/033).
    """
    b = repose.ModelBuilder("net", dt=1e-3)
    across, up = 0.1 * np.cos(fold), 0.05 * np.sin(fold)
    place = [(across * x, 0.1 * y, up * (-1) ** x) for y in range(side) for x in range(side)]
    for p in place:
        b.add_body(p, mass=0.01, inertia=(1e-6, 1e-6, 1e-6))
    for k in range(side * side):
        for other in [k + 1] * ((k + 1) % side > 0) + [k + side] * (k + side < side * side):
            b.add_distance(k, other, place[k], place[other])
    for corner in (0, side - 1):
        b.add_joint("ball", -1, corner, place[corner])
    return b.finalize(), side * side


def growth(kind, make, sizes):
    """CPU time of a step after 40 steps for all sizes by turns, the best turn of each, and the exponent fitted to them."""
    models = [make(size) for size in sizes]
    runs = [(model, repose.Data(model), links) for model, links in models]
    for model, data, _ in runs:
        repose.step(model, data, GROWTH_SETTLE)
    best = [np.inf] * len(runs)
    for _ in range(GROWTH_TURNS):
        for k, (model, data, _) in enumerate(runs):
            start = time.thread_time()
            repose.step(model, data, GROWTH_STEPS)
            best[k] = min(best[k], (time.thread_time() - start) / GROWTH_STEPS)
    links = [links for _, _, links in runs]
    exponent = float(np.polyfit(np.log(links), np.log(best), 1)[0])
    return {"mechanism": kind, "links": links, "ms": [1e3 * t for t in best], "exponent": exponent,
            "not_solved": [d.unsolved_steps + d.accepted_steps for _, d, _ in runs]}


def growth_table():
    rows = [growth("chain", chain, CHAINS), growth("net", net, NETS)]
    text = [[r["mechanism"], str(n), f"{ms:.3f}", f"{1e3 * ms / n:.2f}", f"{r['exponent']:.2f}", str(unsolved)]
            for r in rows for n, ms, unsolved in zip(r["links"], r["ms"], r["not_solved"])]
    for row in text:
        print("  ".join(row))
    columns = ["mechanism", "links", "ms a step", "µs a link", "exponent", "not solved"]
    return {"title": "Chains and nets", "columns": columns, "rows": rows, "text": text}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also keep the numbers")
    given = parser.parse_args()
    if not DATA.is_dir():
        print(f"{DATA}: expected the robots, got no such folder (REPOSE_DATA names another)")
        return 1
    rows = [measure(name, moving) for name in ROBOTS for moving in (False, True)]
    text = [[r["robot"], r["mode"], f"{r['contacts']}, {r['mujoco_contacts']}", f"{r['ms']:.3f}", f"{r['mujoco_ms']:.3f}",
             f"{r['ratio']:.2f}", str(r["not_solved"])] for r in rows]
    for row in text:
        print("  ".join(row))
    print("geometric mean of the ratios", round(statistics.geometric_mean(r["ratio"] for r in rows), 2))
    more = growth_table()
    if given.json:
        columns = ["robot", "controls", "contacts, MuJoCo's", "ms a step", "MuJoCo, ms", "ratio", "not solved"]
        document = {"benchmark": "robots", "provenance": provenance.ask(), "quick": False, "complete": True,
                    "tables": [{"title": "Robots beside MuJoCo", "columns": columns, "rows": rows, "text": text}, more],
                    "notes": []}
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
