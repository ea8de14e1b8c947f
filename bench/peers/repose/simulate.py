# SPDX-License-Identifier: Apache-2.0
"""Repose itself, through the same door as the others."""
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import simulation  # noqa: E402


class Repose:
    def __init__(self, scene, setting):
        import repose

        self.repose = repose
        self.version = repose.__version__
        self.model = repose.Model.from_json(json.dumps(scene))
        self.data = repose.Data(self.model, outer=setting["outer"], tol=setting.get("tol", 1e-8))
        self.certificates = []
        self.facts = {"certificates": self.certificates}

    def step(self):
        self.repose.step(self.model, self.data)

    def state(self):
        if self.data.time > 0:
            self.certificates.append(self.data.certificate.r_c if self.data.report.contacts else None)
        d = self.data
        return d.frame_position, d.quaternion, d.velocity, d.angular_velocity


if __name__ == "__main__":
    simulation.limit_threads()
    simulation.main(Repose)
