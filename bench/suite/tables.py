#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the tables of `repose bench` into a page.   tables.py RESULTS PAGE...

RESULTS is the folder of NAME.json files. Whatever stands between the two lines
  <!-- table: NAME INDEX -->
  <!-- end of table -->
of a page becomes table INDEX (from 0) of NAME.json; a run that has not finished, or was a quick one, is refused.
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


def filled(text, results):
    def table(found):
        document = load(results, found[2])
        return found[1] + markdown(document["tables"][int(found[3])]) + found[4]
    return SPOT.sub(table, text)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    for page in map(Path, sys.argv[2:]):
        page.write_text(filled(page.read_text(encoding="utf-8"), Path(sys.argv[1])), encoding="utf-8")
