# SPDX-License-Identifier: Apache-2.0
"""Public robots under the controls of their first keyframe, beside MuJoCo on the same file.   robots.py [--json FILE]

CPU time of the thread per step after two seconds, in turns of both engines; the best turn counts. MuJoCo has elliptic cones and
impratio 100, and its own time step is that of the file, as here. `moving`: every control changes in every step by a sine of a
twentieth of its range. The files are those of REPOSE_DATA (../shared/data), folder menagerie.
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
    if given.json:
        columns = ["robot", "controls", "contacts, MuJoCo's", "ms a step", "MuJoCo, ms", "ratio", "not solved"]
        document = {"benchmark": "robots", "provenance": provenance.ask(), "quick": False, "complete": True,
                    "tables": [{"title": "Robots beside MuJoCo", "columns": columns, "rows": rows, "text": text}],
                    "notes": []}
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
