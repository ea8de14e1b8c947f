# SPDX-License-Identifier: Apache-2.0
"""Contact problems of the scenes, stored as FCLIB files and given to Siconos through bench/peers/siconos.

Siconos solves contact problems and has no collision detection, so it gets those of Repose: of the first step, and of one
step in which every body was kicked by up to 1 cm/s; the larger scenes only the latter, the harder one.
"""
import json
import os
import subprocess
from pathlib import Path

import numpy as np

from description import describe

ROOT = Path(__file__).resolve().parent.parent.parent
# The wall is left out: the best of Siconos takes half a second there, and trying all configurations that long takes minutes.
SCENES = {"cards-4": (False, True), "arch-25": (False, True), "cards-5": (True,), "cards-10": (True,), "arch-101": (True,)}
KICK = 1e-2  # m/s


def store(scene, kicked, file):
    import repose

    model = repose.Model.from_json(json.dumps(describe(scene)))
    data = repose.Data(model)
    if kicked:
        random = np.random.default_rng(1)
        moving = [k for k, kind in enumerate(model.body_kinds) if kind == "dynamic"]
        data.velocity[moving] += random.uniform(-KICK, KICK, (len(moving), 3))
    repose.step(model, data)
    data.contact_problem().save(file)


def configuration(result):
    return result["configuration"]


def problem_row(problem):
    ours = next(r for r in problem["results"] if r["family"] == "Repose")
    others = {configuration(r) for r in problem["results"] if r["family"] != "Repose"}
    solved = {configuration(r) for r in problem["results"] if r["family"] != "Repose" and r["status"] == "solved"}
    best = problem.get("best_peer")
    return {"file": problem["file"], "contacts": problem["contacts"], "repose_r_c": ours["r_c"],
            "repose_ms": best["repose_ms"] if best else ours["ms"],
            "best": {"configuration": best["configuration"], "ms": best["peer_ms"]} if best else None,
            "configurations": len(others), "solved_configurations": len(solved)}


def program(install):
    """bench_siconos where it is built; None where it cannot be."""
    found = ROOT / "build/bin/bench_siconos"
    if not found.exists() and install:  # the library may be missing, or have come after the build folder
        for command in ([str(ROOT / "scripts/setup"), "bench"], ["cmake", str(ROOT / "build")],
                        ["cmake", "--build", str(ROOT / "build"), "--target", "bench_siconos"]):
            subprocess.run(command, capture_output=True)
    return found if found.exists() else None


def run(folder, cap, install, say):
    """{"version", "problems": [...]} or {"why"} where Siconos is not there."""
    contest = program(install)
    if contest is None:
        return {"why": "bench_siconos is not built (repose bench peers --install --peer siconos; needs libsiconos-numerics-dev)"}
    files = []
    for scene, kicks in SCENES.items():
        for kicked in kicks:
            files.append(folder / f"{scene}-{'kicked' if kicked else 'first'}.hdf5")
            store(scene, kicked, files[-1])
    version = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "libsiconos-numerics-dev"], capture_output=True, text=True)
    say(f"siconos: {len(files)} stored problems, {cap:g} s a solve")
    done = subprocess.run([str(contest), "--cap", str(cap), "--budget", "0.2", "--out", str(folder), "--siconos-version",
                           version.stdout.strip() or "unknown", *map(str, files)],
                          capture_output=True, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    results = folder / "siconos.json"
    if not results.exists():
        return {"why": (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]}
    found = json.loads(results.read_text(encoding="utf-8"))
    return {"version": found["siconos"], "tolerance": found["tolerance"], "cap_s": found["cap_s"],
            "problems": [problem_row(p) for p in found["problems"]]}
