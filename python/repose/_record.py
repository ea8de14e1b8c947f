# SPDX-License-Identifier: Apache-2.0
"""Recordings as arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from repose import _core

if TYPE_CHECKING:
    import pandas


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
