# SPDX-License-Identifier: Apache-2.0
"""Recordings as arrays."""
from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from repose import _core

if TYPE_CHECKING:
    import pandas


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

    def to_numpy(self) -> dict[str, npt.NDArray[Any]]:
        """All numbers as arrays, T steps and B bodies.

        States, rows 0 … T: time (T+1,) s; position (T+1, B, 3) of the mass centres, frame_position, velocity m/s,
        angular_velocity rad/s; quaternion (T+1, B, 4); present (T+1, B). Steps, rows 0 … T-1: r_c, nat, energy J,
        energy_rise J, penetration m, ms, contacts, open, stick, slip, outer_iterations, each (T,).
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
            raise ValueError(f"theme: found {theme!r}, allowed 'dark', 'light' or None")
        if not 0 <= frame <= len(self):
            raise ValueError(f"frame: found {frame}, allowed 0 to {len(self)}")
        if height < 1:
            raise ValueError(f"height: found {height} pixels, allowed >= 1")
        text = self._page(compare)
        if len(text) > LARGEST_PAGE:
            raise ValueError(f"show: found a page of {len(text) / 1e6:.0f} MB, allowed up to {LARGEST_PAGE / 1e6:.0f} MB in a "
                             "notebook; write it to a file with export('run.html')")
        start = json.dumps({"frame": frame, **({"theme": theme} if theme else {})})
        mark = '<script type="application/json" id="repose-header-0">'
        return Page(text.replace(mark, f'<script type="application/json" id="repose-start">{start}</script>\n{mark}', 1),
                    width=width, height=height)
