# SPDX-License-Identifier: Apache-2.0
"""Long runs of structures that stand: every step certified, drift after settling, memory.   soak.py [--share X] [--json FILE]

Each scene runs for SETTLING steps, then for the rest. Drift is the largest distance of a mass centre from where it was after
settling; memory is the resident set after a tenth of the steps and at the end.
"""
import argparse
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import repose

sys.path.append(str(Path(__file__).resolve().parents[1]))
import provenance  # noqa: E402

SETTLING, CHUNK = 1000, 10_000
SCENES = {"incline": (repose.scenes.incline, {"mu": 0.6}, 1_000_000), "stack": (repose.scenes.stack, {}, 1_000_000),
          "cards-4": (repose.scenes.cards, {"levels": 4}, 1_000_000),
          "arch-25": (repose.scenes.arch, {"stones": 25}, 1_000_000),
          "arch-101": (repose.scenes.arch, {"stones": 101}, 100_000)}
LIMIT = 1e-9  # m


def memory_mib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def soak(name, share):
    make, parameters, steps = SCENES[name]
    steps = int(steps * share)
    model = make(**parameters)
    data = repose.Data(model)
    repose.step(model, data, n=SETTLING)
    settled = np.array(data.position)
    worst = drift = 0.0
    early, start = memory_mib(), time.process_time()
    for done in range(0, steps, CHUNK):
        report = repose.step(model, data, n=min(CHUNK, steps - done))
        worst = max(worst, report.certificate.r_c, report.certificate.nat)
        drift = max(drift, float(np.max(np.linalg.norm(data.position - settled, axis=1))))
        if done + CHUNK <= max(steps // 10, CHUNK):
            early = memory_mib()
    return {"scene": name, "steps": steps, "unsolved": data.unsolved_steps, "accepted": data.accepted_steps,
            "worst": worst, "drift": drift, "memory_early_mib": early, "memory_end_mib": memory_mib(),
            "us_per_step": 1e6 * (time.process_time() - start) / steps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1, help="of the steps, for a quick look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also keep the numbers")
    given = parser.parse_args()
    rows, text = [], []
    for name in SCENES:
        row = soak(name, given.share)
        rows.append(row)
        text.append([name, f"{row['steps']:,}".replace(",", " "), str(row["unsolved"] + row["accepted"]),
                     f"{row['worst']:.0e}", f"{row['drift']:.1e}", f"{row['memory_early_mib']:.1f}",
                     f"{row['memory_end_mib']:.1f}", f"{row['us_per_step']:.1f}"])
        print("  ".join(text[-1]), flush=True)
    columns = ["scene", "steps", "not solved", "largest residual seen", "drift, m", "MiB after a tenth", "MiB at the end",
               "CPU µs a step"]
    if given.json:
        document = {"benchmark": "soak", "provenance": provenance.ask(), "quick": given.share < 1, "complete": True,
                    "tables": [{"title": "Long runs at rest", "columns": columns, "rows": rows, "text": text}],
                    "notes": []}
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return any(row["unsolved"] + row["accepted"] > 0 or row["drift"] > LIMIT for row in rows)


if __name__ == "__main__":
    sys.exit(main())
