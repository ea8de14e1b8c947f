# SPDX-License-Identifier: Apache-2.0
"""The four scenes of the paper's table of GPU times (tab:perf-gpu) on a CUDA device: ours, MuJoCo-Warp, Kamino.

    paper_table.py [--engine NAME]... [--scene TITLE]... [--worlds N]... [--seconds S] [--device cuda] [--scenes FOLDER] >> LINES
    paper_table.py --store bench/results/paper_gpu.json [--commit build/commit.txt] [--note "NVIDIA H200"] LINES

One JSON object a line: mean wall time of a step over S simulated seconds from the paper's start (a layout with gaps), the largest
displacement of a mass centre in the first world, and for ours the share of steps solved to 1e-8. What an engine refuses is a line, too.
--store keeps the lines, the last one of each engine, scene and number of worlds, for docs/paper/performance.md, which says "not
measured" of everything else; --commit names the commit where the machine with the device has no repository, --note the device. Ours needs a build with CUDA=1 and build/python on PYTHONPATH, the others the packages of
bench/peers/newton/requirements.txt; `--device cpu` tries it out. Where the package of the device's Python is not at hand, `gpu-check paper`
prints our lines, and with `--scenes FOLDER` the others read what `gpu-check scenes - FOLDER` wrote. `--time-limit T` ends a run after T s
of wall clock; `steps` says how far it came.
"""
import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

BENCH = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH / "peers"), str(BENCH / "peers/newton"), str(BENCH / "gpu")]
#: Title of the paper's row: built-in scene and its parameters, as in bench/paper/performance.py.
SCENES = {"card, 5 levels": ("cards", {"levels": 5, "variant": "dataset"}),
          "card, 10 levels": ("cards", {"levels": 10, "variant": "dataset"}),
          "arch, 25 stones": ("arch", {"stones": 25, "variant": "exploded"}),
          "arch, 101 stones": ("arch", {"stones": 101, "variant": "exploded"})}
SETTINGS = {"MuJoCo-Warp": {"impratio": 100}, "Kamino": {"linear_solver": "LLTB", "rho": 0.1}}
ENGINES = ("Repose", *SETTINGS)


def moved(start, end):
    return float(np.linalg.norm(np.asarray(end, dtype=float) - np.asarray(start, dtype=float), axis=-1).max())


def ours(title, worlds, steps, device):
    import repose

    name, parameters = SCENES[title]
    batch = repose.BatchData(repose.scenes.make(name, **parameters), worlds, device=device)
    start = batch.copy("position")[0]
    begin = time.perf_counter()
    report = batch.step(steps)
    spent = time.perf_counter() - begin
    return {"ms_per_step": 1e3 * spent / steps, "moved": moved(start, batch.copy("position")[0]),
            "solved_share": report.solved / report.steps, "finished_share": report.finished / report.steps}


def described(title, folder):
    """The scene as the peers read it: a file of `gpu-check scenes`, or from our package."""
    name, parameters = SCENES[title]
    if folder:
        import warp_peers

        return warp_peers.scene_of(name, folder / f"paper_{name}_{parameters.get('levels') or parameters['stones']}.json")
    import description
    import repose

    return description.with_masses(json.loads(repose.scenes.make(name, **parameters).to_json())) | {"name": name}


def theirs(engine, title, worlds, steps, device, folder=None, limit=None):
    import warp as wp

    import warp_peers

    scene = described(title, folder)
    with wp.ScopedDevice("cuda:0" if device == "cuda" else device):
        run = warp_peers.ENGINES[engine](scene, SETTINGS[engine], worlds)
        start = run.positions()[0]
        run.step()  # compiles; as the paper leaves out its first step
        wp.synchronize()
        taken, begin = 0, time.perf_counter()
        while taken < steps - 1 and (limit is None or time.perf_counter() - begin < limit):
            for _ in range(min(10, steps - 1 - taken)):
                run.step()
                taken += 1
            wp.synchronize()
        spent = time.perf_counter() - begin
        return {"setting": SETTINGS[engine], "steps": taken + 1, "ms_per_step": 1e3 * spent / taken,
                "moved": moved(start, run.positions()[0])} | run.facts()


def measure(given):
    if not given.scenes:
        import provenance

        print(json.dumps({"provenance": provenance.ask()}), flush=True)
    for engine in given.engine or ENGINES:
        for title in given.scene or SCENES:
            for worlds in given.worlds or [1]:
                steps = round(60 * given.seconds)
                row = {"engine": engine, "scene": title, "worlds": worlds, "steps": steps, "device": given.device}
                try:
                    row |= ours(title, worlds, steps, given.device) if engine == "Repose" else theirs(
                        engine, title, worlds, steps, given.device, given.scenes, given.time_limit)
                except Exception as error:
                    row["failed"] = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
                print(json.dumps(row), flush=True)


def stored(lines, commit=None, note=None):
    """The file of numbers; only rows that ran on a device."""
    found = [json.loads(line) for line in lines if line.startswith("{")]
    origin = next((line["provenance"] for line in reversed(found) if "provenance" in line), None)
    rows = {(row["engine"], row["scene"], row["worlds"]): row for row in found if row.get("device") == "cuda"}
    if origin is None or not rows:
        raise SystemExit("paper_table.py: --store: expected lines with a provenance and rows of a device, got none")
    origin |= ({"commit": commit} if commit else {}) | ({"note": note} if note else {})
    return {"benchmark": "paper_gpu", "provenance": origin, "rows": list(rows.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", nargs="*", type=Path, help="with --store: what was printed")
    parser.add_argument("--engine", action="append", choices=ENGINES, default=[])
    parser.add_argument("--scene", action="append", choices=list(SCENES), default=[])
    parser.add_argument("--worlds", action="append", type=int, default=[], help="repeatable (1)")
    parser.add_argument("--seconds", type=float, default=10.0, help="simulated")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scenes", type=Path, metavar="FOLDER")
    parser.add_argument("--time-limit", type=float, metavar="T", help="of a run, s of wall clock (none)")
    parser.add_argument("--store", type=Path, metavar="FILE")
    parser.add_argument("--commit", type=Path, metavar="FILE", help="with --store: holds the commit of the build")
    parser.add_argument("--note", help="with --store: the device")
    given = parser.parse_args()
    if not given.store:
        return measure(given)
    commit = given.commit.read_text(encoding="utf-8").strip() if given.commit else None
    document = stored([line for file in given.lines for line in file.read_text(encoding="utf-8").splitlines()], commit, given.note)
    given.store.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
