# SPDX-License-Identifier: Apache-2.0
"""Keeps a run of bench_micro as a file of numbers.   store.py GOOGLE_BENCHMARK.json bench/results/micro.json

Of what google-benchmark writes, single runs stay: their name, CPU time and contacts. The name of the host does not.
"""
import json
import sys
from pathlib import Path


def numbers(raw):
    runs = []
    for run in raw["benchmarks"]:
        if run.get("run_type") == "iteration":
            scale = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}[run["time_unit"]]
            kept = {"name": run["name"], "iterations": run["iterations"], "cpu_ns": run["cpu_time"] * scale}
            runs.append(kept | ({"contacts": run["contacts"]} if "per_contact" in run else {}))
    return {"benchmark": "micro", "provenance": json.loads(raw["context"]["provenance"]), "runs": runs}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    document = numbers(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    Path(sys.argv[2]).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
