# SPDX-License-Identifier: Apache-2.0
"""Repose itself, through the same door as the others."""
import json
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
import simulation  # noqa: E402


class Repose:
    def __init__(self, scene, setting):
        import repose

        self.repose = repose
        self.version = repose.__version__
        self.model = repose.Model.from_json(json.dumps(scene))
        self.data = repose.Data(self.model, outer=setting["outer"], tol=setting.get("tol", 1e-8))
        self.dt = float(scene["dt"])

        moves = np.array([simulation.is_dynamic(body) for body in scene["bodies"]])
        self.side = 0.5 * (moves[:, None].astype(int) - moves[None, :])  # of bodies a, b

    @property
    def facts(self):
        """Steps within its own tolerance, by its own certificate; and that bodies turn freely after the impulses."""
        d = self.data
        return {"own_tolerance_share": 1.0 - (d.unsolved_steps + d.accepted_steps) / max(1, d.steps), "free_rotation": True}

    def step(self):
        self.repose.step(self.model, self.data)

    def state(self):
        d = self.data
        return d.frame_position, d.quaternion, d.velocity, d.angular_velocity

    def contacts(self):
        """A gap may close within the step: gap/h is added to the normal free velocity. Where one body alone moves, the
        impulse acts on its own surface, half a gap from the point between the two (docs/world.md)."""
        c = self.data.contacts
        body_a, body_b = c["body"].T
        shift = -self.side[body_a, body_b] * c["gap"]
        return {"body_a": body_a, "body_b": body_b, "position": c["position"] + shift[:, None] * c["normal"],
                "normal": c["normal"], "mu": c["friction"], "impulse": c["impulse"],
                "target": -np.maximum(c["gap"], 0.0) / self.dt}


if __name__ == "__main__":
    simulation.limit_threads()
    simulation.main(Repose)
