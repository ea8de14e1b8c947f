# SPDX-License-Identifier: Apache-2.0
"""Engines that are not called from Python: starts the program after --program and reads the states it leaves behind.

The program gets DESCRIPTION SETTING STEPS SECONDS OUT and prints the engine's version. OUT becomes doubles: per state, starting
with the first, the CPU milliseconds of the step that led to it, then 13 numbers per body (position of its frame, quaternion
w first, velocity of the mass centre, angular velocity).
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def read(raw, bodies):
    """Arrays of a trace, up to the first state that is not finite; how many states there were."""
    rows = np.fromfile(raw).reshape(-1, 1 + 13 * bodies)
    states = rows[:, 1:].reshape(len(rows), -1, 13)
    good = np.isfinite(states).all(axis=(1, 2))
    count = len(rows) if good.all() else int(np.argmin(good))
    states = states[:count]
    return {"position": states[:, :, :3], "quaternion": states[:, :, 3:7], "velocity": states[:, :, 7:10],
            "angular_velocity": states[:, :, 10:], "ms": rows[1:count, 0], "sampled": np.zeros((0, 2), dtype=int)}, len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, action="append", help="repeatable: the program and its first arguments")
    parser.add_argument("description")
    for name in ("--setting", "--steps", "--seconds", "--every", "--out"):
        parser.add_argument(name, required=name != "--every")
    options = parser.parse_args()
    scene = json.loads(Path(options.description).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "states"
        done = subprocess.run([*options.program, options.description, options.setting, options.steps, options.seconds,
                               str(raw)], capture_output=True, text=True)
        if done.returncode:
            print(json.dumps({"ended": "failed", "why": (done.stderr.strip().splitlines() or ["no reason given"])[-1]}))
            sys.exit(0)
        arrays, written = read(raw, len(scene["bodies"]))
    count, wanted = len(arrays["position"]), int(options.steps)
    np.savez(options.out, **arrays)
    ended = "broke down" if count < written else "done" if count == wanted + 1 else "budget"
    print(json.dumps({"ended": ended, "steps": count - 1, "steps_wanted": wanted, "version": done.stdout.strip(),
                      "substeps": int(json.loads(options.setting).get("substeps", 1))}))


if __name__ == "__main__":
    main()
