# SPDX-License-Identifier: Apache-2.0
"""The tables of `repose bench` and `bench_micro` inside a page.

Whatever stands between the two lines
  <!-- table: NAME INDEX -->
  <!-- end of table -->
becomes table INDEX (from 0) of bench/results/NAME.json, with its stamp. The table `goals 0` is made by goals.py from several
files. A quick run is refused; the stamp says so where a run was stopped before its end. micro.json has two tables: 0 is CPU ns per contact, 1 is CPU
us per call, by kernel and scene.
"""
import json
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parent))
import goals  # noqa: E402
from provenance import joint_stamp, origin_of, stamp  # noqa: E402

SPOT = re.compile(r"(<!-- table: (\w+) (\d+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def load(results, name):
    """A full run, or None where there is no file."""
    file = results / f"{name}.json"
    if not file.exists():
        return None
    document = json.loads(file.read_text(encoding="utf-8"))
    if document.get("quick", False):
        raise SystemExit(f"{file.name}: quick: expected a full run, got a quick one")
    return document


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def markdown(table):
    return line(table["columns"]) + line(["---"] * len(table["columns"])) + "".join(line(cells) for cells in table["text"])


def micro_table(document, index):
    """Kernels down, scenes across; the least of the repetitions counts."""
    best, scenes, kernels = {}, [], []
    for run in (run for run in document["runs"] if "contacts" in run):
        kernel, scene = run["name"].split("/")[:2]
        scenes += [scene] if scene not in scenes else []
        kernels += [kernel] if kernel not in kernels else []
        value = run["cpu_ns"] / 1e3 if index == 1 else run["cpu_ns"] / run["contacts"]
        best[kernel, scene] = min(value, best.get((kernel, scene), value))
    text = [[k] + [f"{best[k, s]:.3g}" if (k, s) in best else "-" for s in scenes] for k in kernels]
    return {"columns": ["kernel"] + scenes, "text": text}


def table_text(name, index, results, page):
    if name == "goals":
        documents = {needed: load(results, needed) for needed in goals.SOURCES}
        origins = {results / f"{file}.json": origin_of(found, f"{file}.json") for file, found in documents.items() if found}
        return markdown(goals.table(documents)) + "\n" + joint_stamp(origins, page)
    document = load(results, name)
    if document is None:
        raise SystemExit(f"{page}: table {name} {index}: expected {results / f'{name}.json'}, got no such file")
    table = micro_table(document, index) if name == "micro" else document["tables"][index]
    origin = origin_of(document, f"{name}.json")
    if not document.get("complete", True):
        origin = origin | {"note": f"**incomplete**: the run was stopped after {len(table['text'])} rows"}
    return markdown(table) + "\n" + stamp(origin, results / f"{name}.json", page)


def filled(text, results, page):
    """`text`, which is that of `page`, with its tables made anew."""
    return SPOT.sub(lambda found: found[1] + table_text(found[2], int(found[3]), results, page) + found[4], text)
