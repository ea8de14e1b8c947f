#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the tables of `repose bench` into a page.   tables.py RESULTS PAGE...

RESULTS is the folder of NAME.json files. Whatever stands between the two lines
  <!-- table: NAME INDEX -->
  <!-- end of table -->
of a page becomes table INDEX (from 0) of NAME.json; a run that has not finished, or was a quick one, is refused, and a
table whose file is not there stays as it is.
micro.json, which google-benchmark writes, has two: 0 is CPU ns per contact, 1 is CPU us per call, by kernel and scene.
"""
import json
import re
import sys
from pathlib import Path

SPOT = re.compile(r"(<!-- table: (\w+) (\d+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def load(results, name):
    document = json.loads((results / f"{name}.json").read_text(encoding="utf-8"))
    if not document["complete"] or document["quick"]:
        raise SystemExit(f"{name}.json: not a complete run")
    return document


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def markdown(table):
    rule = ["---"] * len(table["columns"])
    return line(table["columns"]) + line(rule) + "".join(line(cells) for cells in table["text"])


def micro_table(path, index):
    """Kernels down, scenes across; the least of the repetitions counts."""
    runs = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
    best, scenes, kernels = {}, [], []
    for run in (run for run in runs if "per_contact" in run and run.get("run_type") == "iteration"):
        kernel, scene = run["name"].split("/")[:2]
        scenes += [scene] if scene not in scenes else []
        kernels += [kernel] if kernel not in kernels else []
        value = run["cpu_time"] / 1e3 if index == 1 else run["cpu_time"] / run["contacts"]
        best[kernel, scene] = min(value, best.get((kernel, scene), value))
    text = [[k] + [f"{best[k, s]:.3g}" if (k, s) in best else "-" for s in scenes] for k in kernels]
    return {"columns": ["kernel"] + scenes, "text": text}


def filled(text, results):
    def table(found):
        if not (results / f"{found[2]}.json").exists():
            return found[0]
        if found[2] == "micro":
            return found[1] + markdown(micro_table(results / "micro.json", int(found[3]))) + found[4]
        document = load(results, found[2])
        return found[1] + markdown(document["tables"][int(found[3])]) + found[4]
    return SPOT.sub(table, text)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    for page in map(Path, sys.argv[2:]):
        page.write_text(filled(page.read_text(encoding="utf-8"), Path(sys.argv[1])), encoding="utf-8")
