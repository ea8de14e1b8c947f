# SPDX-License-Identifier: Apache-2.0
"""Command line of scripts/paper."""
from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import re
import sys
import time
from pathlib import Path

import provenance
from paper import catalogue, pages  # noqa: F401
from paper.items import REGISTRY, ROOT, Context, Item
from paper.program import Program, ProgramError


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/paper",
        description="Regenerates the tables and figures of the paper, with our numbers beside its own, into docs/paper. "
        "Finished items are kept (bench/results/paper) and not repeated while program and sizes are the same.",
        epilog="example: scripts/paper --only tab-gamma --fresh")
    parser.add_argument("--list", action="store_true", help="the items, and which of them are finished")
    parser.add_argument("--only", action="append", metavar="NAME", default=[], help="this item; repeatable")
    parser.add_argument("--fresh", action="store_true", help="repeat what is finished")
    parser.add_argument("--pages", action="store_true", help="write the pages anew from the numbers there are; run nothing")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that everything runs; needs --out")
    parser.add_argument("--out", type=Path, metavar="DIR", help="pages into DIR, numbers into DIR/results")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (2); times are CPU times")
    parser.add_argument("--program", type=Path, default=ROOT / "build/bin/repose", help=argparse.SUPPRESS)
    given = parser.parse_args()
    for name in given.only:
        if name not in [item.name for item in MEASURED]:
            parser.error(f"--only: expected {', '.join(item.name for item in MEASURED)}, got '{name}'")
    if given.quick and not given.out:
        parser.error("--quick: expected --out with it (tiny numbers do not belong into docs/paper), got none")
    if given.jobs < 1:
        parser.error(f"--jobs: expected 1 or more, got {given.jobs}")
    return given


MEASURED = [item for item in REGISTRY.values() if item.collect]


def key_of(context: Context, item: Item) -> str:
    """What a result depends on: the program, how it is collected, the sizes. How it is written about is not part of it."""
    assert item.collect
    source = Path(sys.modules[item.collect.__module__].__file__ or "").read_text()
    for other in REGISTRY.values():
        if other.write.__module__ == item.collect.__module__:
            source = source.replace(inspect.getsource(other.write), "")
    text = f"{context.program.digest} {context.quick} {item.name} {hashlib.sha256(source.encode()).hexdigest()}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def kept(context: Context, item: Item) -> dict | None:
    file = context.results / f"{item.name}.json"
    document = json.loads(file.read_text()) if file.exists() else {}
    return document if document.get("key") == key_of(context, item) else None


def keep(context: Context, item: Item, data: dict, seconds: float) -> None:
    """Complete or not at all."""
    document = {"item": item.name, "label": item.label, "key": key_of(context, item),
                "provenance": provenance.ask(context.program.path), "quick": context.quick, "seconds": round(seconds, 1), "data": data}
    context.results.mkdir(parents=True, exist_ok=True)
    waiting = context.results / f"{item.name}.waiting"
    waiting.write_text(document_text(document))
    waiting.replace(context.results / f"{item.name}.json")


def document_text(document: dict) -> str:
    """JSON, one line per name; lists of numbers stay on one line."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


def say(text: str) -> None:
    print(text, flush=True)


def make_all(context: Context, items: list[Item], fresh: bool) -> int:
    failed = 0
    for number, item in enumerate(items, 1):
        head = f"[{number}/{len(items)}] {item.name:<20}"
        if kept(context, item) and not fresh:
            say(f"{head} kept")
        else:
            start = time.monotonic()
            try:
                assert item.collect
                keep(context, item, item.collect(context), time.monotonic() - start)
                say(f"{head} {time.monotonic() - start:6.1f} s  {item.title}")
            except ProgramError as error:
                say(f"{head} FAILED  {error}")
                failed += 1
        if number == len(items) or items[number].page != item.page:
            pages.write_page(context, item.page)
    pages.write_page(context, "differences")  # it speaks of the other pages' numbers, which may be new
    pages.write_page(context, "index")
    return failed


def show_list(context: Context) -> None:
    for item in MEASURED:
        state = "finished" if kept(context, item) else "-"
        say(f"{item.name:<20} {item.label or 'beyond':<22} {item.page:<12} {state:<9} {item.title}")


def main() -> int:
    given = arguments()
    docs = (given.out or ROOT / "docs/paper").resolve()
    results = docs / "results" if given.out else ROOT / "bench/results/paper"
    cache = docs / "cache" if given.out else ROOT / "out/paper"
    context = Context(Program(given.program.resolve(), cache, given.jobs, given.fresh), docs, results, given.quick)
    if given.list:
        show_list(context)
        return 0
    if given.pages:
        pages.write_all(context)
        return 0
    items = [item for item in MEASURED if not given.only or item.name in given.only]
    try:
        failed = make_all(context, items, given.fresh)
    except KeyboardInterrupt:
        say("stopped; finished items are kept, 'make paper' goes on from here")
        return 130
    say(f"{len(items) - failed} of {len(items)} items in {pages.shown(docs)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
