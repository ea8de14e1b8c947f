# SPDX-License-Identifier: Apache-2.0
"""The registry of items and what they share: sizes of a run, folders, the numbers of the paper."""
from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paper.program import Program

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

#: Pages in the order of the index: file, title, what it is about.
PAGES = {
    "scenes": ("Scenes", "The figures of single scenes: sliding, spinning, tipping, standing."),
    "performance": ("Performance", "Milliseconds and iterations, scene by scene."),
    "convergence": ("Convergence", "Residuals of the outer iteration, its budget and its step size."),
    "best": ("The scheme at its best", "Step sizes above the formula, every reading of what is left open, and a measured step size."),
    "controls": ("Controls", "What the inner solver, the step size rule, the warm start and the precision change."),
    "implicit": ("Beyond the paper: implicit coupling", "Newton's treatment of the coupling against splitting, by size."),
    "stability": ("Beyond the paper: what stands", "Least friction of arches and card houses; slopes of heaps."),
    "differences": ("Differences", "What the paper leaves open, what was chosen, and what does not hold here."),
}


@dataclass
class Context:
    """Where things are and how large they may be."""

    program: Program
    docs: Path
    results: Path
    quick: bool = False
    published: dict[str, Any] = field(default_factory=lambda: json.loads((HERE / "published.json").read_text()))

    def size(self, full: Any, quick: Any) -> Any:
        return quick if self.quick else full

    def numbers(self, name: str) -> dict[str, Any] | None:
        """What another item has collected, if it has."""
        file = self.results / f"{name}.json"
        return json.loads(file.read_text())["data"] if file.exists() else None

    def picture(self, name: str) -> Path:
        self.docs.mkdir(parents=True, exist_ok=True)
        return self.docs / f"{name}.png"


@dataclass
class Item:
    """One section of a page. An item without `collect` has no numbers of its own and is written from those of the others."""

    name: str
    page: str
    title: str
    label: str  #: in the paper; empty for what goes beyond it
    collect: Callable[[Context], dict[str, Any]] | None
    write: Callable[[Context, dict[str, Any]], str]


REGISTRY: dict[str, Item] = {}


def item(name: str, page: str, title: str, label: str = "") -> Callable[[type], type]:
    """Registers a class with the static methods `collect`, if it measures, and `write`."""

    def add(cls: type) -> type:
        assert page in PAGES and name not in REGISTRY
        REGISTRY[name] = Item(name, page, title, label, getattr(cls, "collect", None), cls.write)  # type: ignore[attr-defined]
        return cls

    return add
