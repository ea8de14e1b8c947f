#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages in docs/ that show measured numbers, from the numbers in bench/results. Runs no benchmark.

    pages.py [--check] [benchmarks] [peers] [paper]

writes these groups of pages (all without a name), with their figures as far as those come from the same numbers. --check writes
nothing: it compares the text of the pages with what this would write, and says where they differ. `benchmarks` needs nothing
but Python, `peers` numpy, `paper` and the figures matplotlib too (the project's .venv).
"""
import argparse
import difflib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCH, RESULTS, DOCS = ROOT / "bench", ROOT / "bench/results", ROOT / "docs"
sys.path[:0] = [str(BENCH), str(BENCH / "suite"), str(BENCH / "peers"), str(BENCH / "peers/siconos")]


def read(path):
    return path.read_text(encoding="utf-8")


def benchmark_pages():
    import report
    import tables

    results = RESULTS / "siconos.json"
    for page in [*sorted((DOCS / "benchmarks").glob("*.md")), DOCS / "gpu.md", DOCS / "joints.md", DOCS / "reliability.md"]:
        text = tables.filled(read(page), RESULTS, page)
        yield page, report.filled(text, json.loads(read(results)), results, page) if report.BEGIN in text else text


def benchmark_figures():
    import plot

    document = json.loads(read(RESULTS / "siconos.json"))
    plot.draw_all(document, RESULTS, DOCS / "benchmarks")


def peer_pages():
    import page

    results = RESULTS / "peers.json"
    document = page.load(results)
    yield from page.texts(document, results, DOCS / "peers").items()
    yield ROOT / "README.md", page.fill(read(ROOT / "README.md"), document, results, ROOT / "README.md")


def peer_figures():
    import charts
    import page

    charts.draw(page.load(RESULTS / "peers.json"), DOCS / "peers")


def paper_pages(saving=False):
    from paper import catalogue, draw, pages  # noqa: F401
    from paper.items import PAGES, Context
    from paper.program import Program

    draw.saving = saving
    context = Context(Program(ROOT / "build/bin/repose", ROOT / "out/paper"), DOCS / "paper", RESULTS / "paper")
    for name in (*PAGES, "index"):
        yield DOCS / f"paper/{name}.md", pages.page_text(context, name)


def paper_figures():
    """They are drawn while the pages are written."""
    for _ in paper_pages(saving=True):
        pass


GROUPS = {"benchmarks": (benchmark_pages, benchmark_figures), "peers": (peer_pages, peer_figures), "paper": (paper_pages, paper_figures)}


def differences(found):
    """Lines that tell where pages differ from their text, given pairs of a page and its text."""
    for page, text in found:
        old = read(page) if page.exists() else ""
        if old != text:
            name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
            changes = difflib.unified_diff(old.splitlines(), text.splitlines(), f"{name} (stored)", f"{name} (generated)", "", "", 0, "")
            yield from list(changes)[:12]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--check", action="store_true", help="compare; write nothing")
    parser.add_argument("--no-figures", action="store_true", help="write the text alone")
    given = parser.parse_args()
    for name in given.groups:
        if name not in GROUPS:
            parser.error(f"GROUP: expected one of {', '.join(GROUPS)}, got '{name}'")
    faults = []
    for name in given.groups or GROUPS:
        make_pages, make_figures = GROUPS[name]
        found = list(make_pages())
        if given.check:
            faults += differences(found)
            continue
        for page, text in found:
            page.write_text(text, encoding="utf-8")
        if not given.no_figures:
            make_figures()
    if faults:
        print(*faults, "run scripts/bench --pages", sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
