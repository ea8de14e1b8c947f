# SPDX-License-Identifier: Apache-2.0
"""One look for all figures, and grids of pictures drawn by the viewer."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

#: One colour per scheme, the same in every figure (Okabe and Ito: safe for colour-blind readers).
COLOURS = {"auto": "#0072B2", "newton": "#56B4E9", "fbf": "#D55E00", "fbf accelerated": "#E69F00",
           "fbf c_γ 5": "#CC79A7", "fbf c_γ 5 accelerated": "#8C564B", "picard": "#009E73", "nsgs": "#7F7F7F",
           "padmm": "#BCBD22", "staggered": "#17BECF", "relaxed": "#000000", "closed form": "#999999", "paper": "#000000"}
plt.rcParams.update({"figure.dpi": 110, "font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True,
                     "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False,
                     "svg.hashsalt": "repose", "savefig.bbox": "tight"})


def axes(columns: int = 1, rows: int = 1, width: float = 4.6, height: float = 3.2, **keys: Any) -> tuple[Any, Any]:
    figure, grid = plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False,
                                layout="constrained", **keys)
    return figure, grid


#: Whether `save` writes: to compare the text of the pages, no picture is needed.
saving = True


def save(figure: Any, file: Path) -> None:
    """Metadata would differ from run to run."""
    if saving:
        figure.savefig(file, metadata={"Software": None})
    plt.close(figure)


def picture_grid(pictures: Sequence[Sequence[Path]], rows: Sequence[str], columns: Sequence[str], file: Path,
                 width: float = 3.3) -> None:
    """Rows of pictures with names at the left and above."""
    first = plt.imread(pictures[0][0])
    height = width * first.shape[0] / first.shape[1]
    figure, grid = plt.subplots(len(pictures), len(pictures[0]), squeeze=False,
                                figsize=(width * len(pictures[0]) + 0.25, height * len(pictures) + 0.25), layout="constrained")
    for i, line in enumerate(pictures):
        for j, picture in enumerate(line):
            place = grid[i][j]
            place.imshow(plt.imread(picture)[:, :, :3], interpolation="antialiased")
            place.set(xticks=[], yticks=[])
            place.grid(False)
            for edge in place.spines.values():
                edge.set_visible(False)
            if i == 0:
                place.set_title(columns[j], fontsize=9)
            if j == 0 and rows[i]:
                place.set_ylabel(rows[i], fontsize=9)
    save(figure, file)


def legend_below(figure: Any, place: Any) -> None:
    """One legend for all panels, below them."""
    handles, labels = place.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8)


def log_histogram(place: Any, values: np.ndarray, label: str, colour: str) -> None:
    """Share of values per tenth of a decade."""
    values = values[np.isfinite(values) & (values > 0)]
    if len(values) == 0:
        return
    bins = np.arange(-17, 2, 0.2)
    place.hist(np.log10(values), bins=bins, weights=np.full(len(values), 100 / len(values)), histtype="stepfilled",
               alpha=0.45, color=colour, label=label)


def decades(place: Any) -> None:
    """An axis of exponents reads as powers of ten."""
    place.xaxis.set_major_formatter(lambda x, _: f"$10^{{{x:g}}}$")
