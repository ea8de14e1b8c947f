# SPDX-License-Identifier: Apache-2.0
"""The settings that the tables compare, and what one makes of a run's steps."""
from __future__ import annotations

from typing import Any

import numpy as np

from paper.program import Finished

TOLERANCE = 1e-6  # of the paper


def paper_mode(sweeps: int = 10, outers: int = 200) -> str:
    """The paper's scheme in the paper's settings (sec:stopping, app:performance)."""
    return f"--outer fbf --inner bgs --inner-iterations {sweeps} --max-outer {outers} --tol {TOLERANCE:g} --stop paper"


DEFAULT = "--outer auto"
#: The paper's two contact-rich scenes, as its text and its numbers describe them: settling from a layout with gaps.
CARDS = {"levels": 4, "variant": "dataset"}
ARCH = {"stones": 25, "variant": "exploded"}
#: A c_γ at which the paper's scheme does well on either (docs/paper/best.md); its formula has 0.5.
TUNED = {"cards": 5, "arch": 20}


def column(run: Finished, key: str, steps: int | None = None) -> np.ndarray:
    """One number per step; null (not a number) becomes NaN."""
    rows = run.steps[:steps]
    return np.array([np.nan if row[key] is None else row[key] for row in rows], dtype=float)


def residuals(run: Finished, steps: int | None = None) -> np.ndarray:
    """r_c with the paper's scales, of the steps with contacts."""
    return column(run, "r_c_paper", steps)[column(run, "contacts", steps) > 0]


def statistics(run: Finished, steps: int | None = None) -> dict[str, Any]:
    """What the tables say about a run."""
    outer, contacts = column(run, "outer", steps), column(run, "contacts", steps)
    r_c = residuals(run, steps)
    summary = run.summary
    return {"steps": len(outer), "contacts": float(np.median(contacts)), "outer": quantiles(outer),
            "median": float(np.nanmedian(r_c)) if len(r_c) else 0.0,
            "share": float(np.mean(r_c <= TOLERANCE)) if len(r_c) else 1.0,
            "worst": float(np.nanmax(r_c)) if len(r_c) else 0.0,
            "solved": summary["residual"]["solved_share"], "ended": summary["ended"],
            "ms": summary["ms_per_step"].get("cpu_mean", summary["ms_per_step"]["mean"]),
            "wall_ms": summary["ms_per_step"]["mean"], "drop": largest_displacement(summary)}


def quantiles(values: np.ndarray) -> list[float]:
    """Median and 95th percentile."""
    return [float(np.median(values)), float(np.quantile(values, 0.95, method="inverted_cdf"))] if len(values) else [0.0, 0.0]


def of_structure(name: str) -> bool:
    """Stones and cards, not what is shot at them."""
    return not name.startswith(("projectile", "ground"))


def largest_displacement(summary: dict[str, Any]) -> float:
    """Of any body of the structure over the whole run, m."""
    moved = [body["max_displacement"] for body in summary["final"]
             if of_structure(body["name"]) and body["max_displacement"] is not None]
    return max(moved, default=0.0)
