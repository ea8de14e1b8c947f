# SPDX-License-Identifier: Apache-2.0
"""Keeps a run of gpu-check as a file of numbers.   store.py LINES COMMIT_FILE bench/results/gpu.json

LINES is what `gpu-check all` printed, with the lines of warp_peers.py where there are some, or `gpu-check large` for gpu_large.json; COMMIT_FILE the commit.txt of the build folder: the machine with the device may have no
repository.
"""
import json
import sys
from pathlib import Path

COLUMNS = ["scene", "contacts", "threads a world", "worlds", "kick, m/s", "world-steps/s", "Newton steps, factors a step", "solved",
           "finished by the host", "worst", "state, work, KB a world"]


def is_robot(run):
    return run["scene"] in ("gripper", "quadruped")


def rate_of(run):
    """Of the kernels; of the whole call where the host finished steps."""
    return run["device_rate"] if run["finished"] == 0 else run["world_steps_per_second"]


def cells(run):
    solved = "all" if run["solved"] == run["of"] else f"{run['solved']} of {run['of']}"
    kick = ("controls move" if run["kick"] else "controls hold") if is_robot(run) else f"{run['kick']:g}"
    rate = rate_of(run)
    return [run["scene"], f"{run['contacts']:.0f}", str(run["threads"]), str(run["worlds"]), kick, f"{rate / 1e6:.3g} M",
            f"{run['newton']:.1f}, {run['factors']:.1f}", solved, f"{run['finished'] / run['of']:.2g}" if run["finished"] else "0",
            f"{run['worst']:.1g}", f"{run['state_bytes'] / 1024:.1f}, {run['work_bytes'] / 1024:.1f}"]


LARGE = ["problem", "contacts", "tolerance", "sweeps", "residual", "arrays, transfer, sweeps, ms", "device, ms", "sweeps and `auto`, ms",
         "`auto`, ms", "`auto` / device"]


def number(ms):
    return f"{ms:.3g}" if ms < 1000 else f"{ms:.0f}"


def large_cells(run):
    by_auto, finished = run.get("processor"), run.get("finished")
    best = run["device"] if run["solved"] else finished
    solved_by_auto = by_auto and by_auto["status"] == "converged"
    alone = "not run" if not by_auto else number(by_auto["ms"]) if solved_by_auto else f"not in {by_auto['ms'] / 1000:.0f} s"
    return [run["large"], str(run["contacts"]), f"{run['tolerance']:g}", str(run["sweeps"]), f"{run['residual']:.1g}",
            ", ".join(number(run[part]) for part in ("build_ms", "transfer_ms", "sweep_ms")),
            number(run["device"]["ms"]) + ("" if run["solved"] else " (missed)"),
            number(finished["ms"]) if finished else "", alone,
            f"{by_auto['ms'] / best['ms']:.2g}" if best and solved_by_auto else ""]


def large_document(lines, commit):
    origin = next(line["provenance"] for line in lines if "provenance" in line)
    device = origin.pop("device")
    def same(line, name):
        return line[name], line["contacts"], line["tolerance"]

    by_auto = {same(line, "large_processor"): {key: line[key] for key in ("processor", "finished") if key in line}
               for line in lines if "large_processor" in line}
    runs = [line | by_auto.get(same(line, "large"), {}) for line in lines if "large" in line]
    bits = [line for line in lines if line.get("check") == "large bits"]
    equal = "equal" if all(b["unequal"] == 0 for b in bits) else "NOT equal"
    tables = [{"title": f"One problem at a time on {device}, from zero", "columns": LARGE, "rows": runs,
               "text": [large_cells(run) for run in runs]}]
    return {"benchmark": "gpu_large", "provenance": origin | {"commit": commit, "note": f"{device}, nvcc -O3 -fmad=false"},
            "quick": False, "complete": True, "tables": tables,
            "notes": [f"{sum(b['crews'] for b in bits)} crews on {len(bits)} problems against the host: bits {equal}"]
            + [line["note"] for line in lines if set(line) == {"note"}], "bits": bits}


BESIDE = ["scene", "kick, m/s", "Repose", "MuJoCo-Warp", "MuJoCo-Warp, impratio 100", "Kamino"]
PEERS = [("MuJoCo-Warp", {"impratio": 1}), ("MuJoCo-Warp", {"impratio": 100}), ("Kamino", {"linear_solver": "LLTB", "rho": 0.1})]


def beside(runs, peers):
    """World-steps per second of the engines on the scenes and kicks that both have been run on."""
    def rates(scene, kick):
        for engine, setting in PEERS:
            found = [p["world_steps_per_second"] for p in peers
                     if p["engine"] == engine and p["setting"] == setting and p["scene"] == scene and (p.get("kick") or 0) == kick]
            yield f"{found[0] / 1e6:.3g} M" if found else "not run"
    worlds = {p["worlds"] for p in peers}
    both = [run for run in runs if run["worlds"] in worlds and any(p["scene"] == run["scene"] for p in peers) and not is_robot(run)]
    return [[run["scene"], f"{run['kick']:g}", f"{rate_of(run) / 1e6:.3g} M", *rates(run["scene"], run["kick"])] for run in both]


def document(lines, commit):
    if any("large" in line for line in lines):
        return large_document(lines, commit)
    origin = next(line["provenance"] for line in lines if "provenance" in line)
    device = origin.pop("device")
    runs = [line for line in lines if "device_rate" in line]
    bits = [line for line in lines if line.get("check") == "bits"]
    equal = "equal" if all(b["unequal"] == b["unequal_twins"] == 0 for b in bits) else "NOT equal"
    notes = [f"{len(bits)} checks of bits, device against host and twins: {equal}"]
    notes += [line["note"] for line in lines if set(line) == {"note"}]
    tables = [{"title": f"Batches on {device}, tol 1e-8, dt 1/60 s, one run each", "columns": COLUMNS, "rows": runs,
               "text": [cells(run) for run in runs]}]
    peers = [line for line in lines if "engine" in line]
    if peers:
        tables.append({"title": f"Engines on {device}, 4096 worlds", "columns": BESIDE, "rows": peers, "text": beside(runs, peers)})
    return {"benchmark": "gpu", "provenance": origin | {"commit": commit, "note": f"{device}, nvcc -O3 -fmad=false"},
            "quick": False, "complete": True, "tables": tables, "notes": notes, "bits": bits}


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    found = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if line.startswith("{")]
    made = document(found, Path(sys.argv[2]).read_text(encoding="utf-8").strip())
    Path(sys.argv[3]).write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
