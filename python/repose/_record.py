# SPDX-License-Identifier: Apache-2.0
"""Recordings as arrays."""
from __future__ import annotations

import html
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from repose import _core

if TYPE_CHECKING:
    import pandas


def _table(values: npt.ArrayLike, field: str, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"{field}: expected {shape}, got shape {array.shape}")
    return array


def _spins(quaternion: npt.NDArray[np.float64], time: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Angular velocities (rad/s, world axes) that lead from each rotation to the next; the last two are alike."""
    spins = np.zeros((*quaternion.shape[:2], 3))
    if len(time) < 2:
        return spins
    (w0, v0), (w1, v1) = ((q[..., :1], q[..., 1:]) for q in (quaternion[:-1], quaternion[1:]))
    turn = w0 * v1 - w1 * v0 - np.cross(v1, v0)
    cosine = w0 * w1 + (v0 * v1).sum(axis=2, keepdims=True)
    turn, cosine = np.where(cosine < 0, -turn, turn), np.abs(cosine)
    sine = np.linalg.norm(turn, axis=2, keepdims=True)
    angle = 2 * np.arctan2(sine, cosine)
    spins[:-1] = turn * np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 0) / np.diff(time)[:, None, None]
    spins[-1] = spins[-2]
    return spins


def write_recording(path: str | os.PathLike[str], model: _core.Model, time: npt.ArrayLike, position: npt.ArrayLike,
                    quaternion: npt.ArrayLike, *, velocity: npt.ArrayLike | None = None,
                    angular_velocity: npt.ArrayLike | None = None, present: npt.ArrayLike | None = None,
                    program: str = "") -> None:
    """Writes poses that another program has found as a recording, to be seen, compared and exported like our own.

    It has no contacts and no certificates. `model` has the bodies and shapes, T states of B bodies in its order.

    Parameters
    ----------
    time : (T,) s, ascending.
    position : (T, B, 3) m: origins of the bodies' frames (as data.frame_position, not mass centres).
    quaternion : (T, B, 4), (w, x, y, z).
    velocity : (T, B, 3) m/s of the mass centres; None takes differences of the frames' positions.
    angular_velocity : (T, B, 3) rad/s, world axes; None takes differences.
    present : (T, B), zero where a body is not in the scene; None: as at the model's start.
    program : who made them, for the page.
    """
    times = np.ascontiguousarray(time, dtype=np.float64)
    if times.ndim != 1 or len(times) == 0:
        raise ValueError(f"time: expected (T,) with at least one state, got shape {times.shape}")
    shape = (len(times), model.nbody)
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ValueError("time: expected ascending times, got values that are not finite or do not ascend")
    places, turns = _table(position, "position", (*shape, 3)), _table(quaternion, "quaternion", (*shape, 4))
    size = np.linalg.norm(turns, axis=2, keepdims=True)
    turns = np.divide(turns, size, out=np.zeros_like(turns), where=size > 0)  # zeros are refused by name later
    if velocity is None:
        rates = np.zeros((*shape, 3))
        if len(times) > 1:
            rates[:-1] = np.diff(places, axis=0) / np.diff(times)[:, None, None]
            rates[-1] = rates[-2]
    else:
        rates = _table(velocity, "velocity", (*shape, 3))
    spins = _spins(turns, times) if angular_velocity is None else _table(angular_velocity, "angular_velocity", (*shape, 3))
    there = None if present is None else np.ascontiguousarray(_table(present, "present", shape) != 0, dtype=np.uint8)
    tables = {"time": times, "position": places, "quaternion": turns, "velocity": rates, "angular_velocity": spins}
    _core.write_poses(model, os.fspath(path), {name: np.ascontiguousarray(values).ravel() for name, values in tables.items()},
                      there, json.dumps({"program": program} if program else {}))


#: Larger pages make notebooks slow; they belong into a file.
LARGEST_PAGE = 100_000_000


class Page:
    """The viewer with a recording in it. A notebook shows it as an output, in a frame of its own."""

    def __init__(self, text: str, *, width: str = "100%", height: int = 480) -> None:
        self.text = text  #: the page; works from a file, too
        self.width = width
        self.height = height

    def _repr_html_(self) -> str:
        """A frame that holds the page: nothing is fetched, and the notebook keeps it."""
        return (f'<iframe title="Repose viewer" srcdoc="{html.escape(self.text)}" '
                f'style="width: {html.escape(self.width)}; height: {self.height}px; border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<repose.Page of {len(self.text) / 1e6:.1f} MB>"


class Recording(_core.Recording):
    """A recorded run (``repose run --record`` or ``repose.run(record=...)``), finished or still growing."""

    def __repr__(self) -> str:
        return f"<repose.Recording of '{self.scene}': {len(self)} steps of {self.dt:g} s, {len(self.body_names)} bodies>"

    def to_numpy(self) -> dict[str, npt.NDArray[Any]]:
        """All numbers as arrays, T steps and B bodies.

        States, rows 0 … T: time (T+1,) s; position (T+1, B, 3) of the mass centres, frame_position, velocity m/s,
        angular_velocity rad/s; quaternion (T+1, B, 4); present (T+1, B). Steps, rows 0 … T-1: r_c, nat, energy J,
        energy_rise J, penetration m, ms, contacts, open, stick, slip, outer_iterations, status (0 solved, 4 accepted,
        1 unsolved), each (T,).
        """
        return {**self._states(), **self._steps()}

    def to_pandas(self) -> pandas.DataFrame:
        """One row per step: its end time and the numbers of the step. Needs pandas."""
        import pandas

        steps = self._steps()
        return pandas.DataFrame({"time": self._states()["time"][1:], **steps})

    def show(self, compare: Recording | None = None, *, frame: int = 0, theme: str | None = None, width: str = "100%",
             height: int = 480) -> Page:
        """The viewer in a notebook: play, scrub, turn, pick, plot. `compare` stands beside it.

        `frame` is where it begins, `theme` is 'dark' or 'light' (the browser's own otherwise), `width` a CSS length, `height`
        in pixels. Long recordings are for export() and a browser.
        """
        if theme not in (None, "dark", "light"):
            raise ValueError(f"theme: expected 'dark', 'light' or None, got {theme!r}")
        if not 0 <= frame <= len(self):
            raise ValueError(f"frame: expected 0 to {len(self)}, got {frame}")
        if height < 1:
            raise ValueError(f"height: expected >= 1, got {height} pixels")
        text = self._page(compare)
        if len(text) > LARGEST_PAGE:
            raise ValueError(f"show: expected a page of up to {LARGEST_PAGE / 1e6:.0f} MB in a notebook; write it to a file with export('run.html'), got "
                             f"{len(text) / 1e6:.0f} MB")
        start = json.dumps({"frame": frame, **({"theme": theme} if theme else {})})
        mark = '<script type="application/json" id="repose-header-0">'
        return Page(text.replace(mark, f'<script type="application/json" id="repose-start">{start}</script>\n{mark}', 1),
                    width=width, height=height)
