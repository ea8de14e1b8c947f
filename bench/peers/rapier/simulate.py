# SPDX-License-Identifier: Apache-2.0
"""Rapier (Rust, single precision): starts the program of this folder and reads what it leaves behind."""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("description")
    for name in ("--setting", "--steps", "--seconds", "--every", "--out"):
        parser.add_argument(name, required=name != "--every")
    options = parser.parse_args()
    scene = json.loads(Path(options.description).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "states"
        done = subprocess.run([options.program, options.description, options.setting, options.steps, options.seconds,
                               str(raw)], capture_output=True, text=True)
        if done.returncode:
            print(json.dumps({"ended": "failed", "why": (done.stderr.strip().splitlines() or ["no reason given"])[-1]}))
            sys.exit(0)
        rows = np.fromfile(raw).reshape(-1, 1 + 13 * len(scene["bodies"]))
    states = rows[:, 1:].reshape(len(rows), -1, 13)
    good = np.isfinite(states).all(axis=(1, 2))
    count = len(rows) if good.all() else int(np.argmin(good))
    states = states[:count]
    np.savez(options.out, position=states[:, :, :3], quaternion=states[:, :, 3:7], velocity=states[:, :, 7:10],
             angular_velocity=states[:, :, 10:], ms=rows[1:count, 0], sampled=np.zeros((0, 2), dtype=int))
    wanted = int(options.steps)
    ended = "broke down" if count < len(rows) else "done" if count == wanted + 1 else "budget"
    print(json.dumps({"ended": ended, "steps": count - 1, "steps_wanted": wanted, "version": done.stdout.strip(),
                      "substeps": int(json.loads(options.setting).get("substeps", 1))}))


if __name__ == "__main__":
    main()
