# SPDX-License-Identifier: Apache-2.0
"""Plots of solves and recordings. Needs matplotlib; every function draws on `ax` (the current axes by default)."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from repose import _core
from repose._record import Recording


def residual_history(solutions: _core.Solution | Mapping[str, _core.Solution], *, measure: str = "worst", ax: Any = None) -> Any:
    """Residual over outer iterations, one line per solution (a mapping's keys are the labels).

    `measure` is a field of repose.HISTORY, or "worst" for max(r_c, nat).
    """
    ax = ax or plt.gca()
    named = solutions if isinstance(solutions, Mapping) else {solutions.outer: solutions}
    for label, solution in named.items():
        rows = solution.history
        height = np.maximum(rows["r_c"], rows["nat"]) if measure == "worst" else rows[measure]
        ax.loglog(np.maximum(rows["iteration"], 1), height, marker=".", label=label)
    ax.set(xlabel="outer iteration", ylabel="max(r_c, nat)" if measure == "worst" else measure)
    ax.legend()
    return ax


def energy(recording: Recording, *, ax: Any = None) -> Any:
    """Energy (J) over time (s)."""
    ax = ax or plt.gca()
    arrays = recording.to_numpy()
    ax.plot(arrays["time"][1:], arrays["energy"])
    ax.set(xlabel="time, s", ylabel="energy, J")
    return ax


def phases(recording: Recording, *, ax: Any = None) -> Any:
    """How many contacts stick, slip and are open, over time (s)."""
    ax = ax or plt.gca()
    arrays = recording.to_numpy()
    modes = ("stick", "slip", "open")
    ax.stackplot(arrays["time"][1:], *(arrays[m] for m in modes), labels=modes, step="post")
    ax.set(xlabel="time, s", ylabel="contacts")
    ax.legend(loc="upper right")
    return ax


def forces(data: _core.Data, *, plane: str = "xz", scale: float | None = None, ax: Any = None) -> Any:
    """Contact forces of the last step on the second bodies as arrows, seen in a plane ("xz", "xy" or "yz").

    `scale` in N per m of arrow; None fits the largest to a tenth of the scene.
    """
    ax = ax or plt.gca()
    axes = ["xyz".index(letter) for letter in plane]
    contacts = data.contacts
    at, force = contacts["position"][:, axes], contacts["impulse"][:, axes] / data.model.dt
    if len(contacts) and scale is None:
        size = max(float(np.ptp(data.position[:, axes], axis=0).max()), float(np.ptp(at, axis=0).max()))
        scale = float(np.linalg.norm(force, axis=1).max()) / (0.1 * size or 1.0)
    slips = contacts["mode"] == 2
    for chosen, colour, label in ((~slips, "tab:blue", "stick or open"), (slips, "tab:red", "slip")):
        if chosen.any():
            ax.quiver(*at[chosen].T, *force[chosen].T, angles="xy", scale_units="xy", scale=scale or 1.0, color=colour,
                      label=label, width=0.004)
    ax.set(xlabel=f"{plane[0]}, m", ylabel=f"{plane[1]}, m", aspect="equal")
    if len(contacts):
        ax.legend()
    return ax
