# SPDX-License-Identifier: Apache-2.0
"""Impacts, dry friction and a screw, with the closed forms that they obey."""
import numpy as np
from scipy.optimize import brentq

import repose
from textbook.planar import rod

GRAVITY = 9.81


def cradle(gap, dt=1e-3, time=1.0, restitution=1.0, count=5, speed=1.0):
    """Velocities of equal balls in a row, `gap` m apart, after the first has hit the second with `speed`."""
    b = repose.ModelBuilder("cradle", dt=dt, gravity=(0, 0, 0))
    steel = b.add_material("steel", friction=0, restitution=restitution)
    for k in range(count):
        away = -0.05 if k == 0 else 0.0
        ball = b.add_body((k * (0.1 + gap) + away, 0, 0), velocity=(speed if k == 0 else 0, 0, 0))
        b.add_shape_sphere(ball, 0.05, material=steel, density=1000)
        b.add_joint("slide", -1, ball, (0, 0, 0), (1, 0, 0))
    model = b.finalize()
    data = repose.Data(model)
    repose.step(model, data, round(time / dt))
    return np.array(data.velocity[:, 0]), data


def cradle_at_once(restitution, count=5):
    """Newton's law for all contacts of a step together: only the first pair approaches, the struck balls go on as one."""
    # v₁ + (n − 1) v = 1 and v − v₁ = e.
    rest = (1 + restitution) / count
    return np.array([rest - restitution, *[rest] * (count - 1)])


def cradle_one_by_one(restitution, count=5):
    """Impacts of pairs one after the other, from the first pair on: each ball passes (1 + e)/2 of its speed on and keeps
    (1 − e)/2. With e = 1 all balls but the last are at rest."""
    v, speed = [], 1.0
    for _ in range(count - 1):
        v.append(speed * (1 - restitution) / 2)
        speed *= (1 + restitution) / 2
    return np.array([*v, speed])


class BallScrew:
    """A nut that turns as it moves: a force F along the axis gives the acceleration F / (m + I/p²) for p metres per radian."""
    mass, inertia, pitch, force = 3.0, 0.004, 0.02 / (2 * np.pi), 50.0

    def error(self, dt, time=1.0):
        """Of the distance, relative to that of semi-implicit Euler's sum, a t (t + dt)/2, and of the exact a t²/2."""
        b = repose.ModelBuilder("ball screw", dt=dt, gravity=(0, 0, 0))
        nut = b.add_body((0, 0, 0), mass=self.mass, inertia=(self.inertia,) * 3, force=(0, 0, self.force))
        b.add_joint("screw", -1, nut, (0, 0, 0), (0, 0, 1), pitch=self.pitch)
        model = b.finalize()
        data, worst = repose.Data(model, tol=1e-12), 0.0
        for _ in range(round(time / dt)):
            worst = max(worst, repose.step(model, data).joint_error)
        a = self.force / (self.mass + self.inertia / self.pitch**2)
        z, angle = data.position[0, 2], data.joint_position[0]
        return {"sum": abs(z / (a * time * (time + dt) / 2) - 1), "exact": abs(z - a * time**2 / 2),
                "thread": abs(z - self.pitch * angle), "joint_error": worst, "data": data}


class FrictionPendulum:
    """A rod of 1 m and 1 kg with a constant friction torque: each swing loses its work, and the rod stops for good where the
    weight's torque at a turning point is no larger than friction."""
    start, share = 1.0, 0.11  # rad; of the torque of the horizontal rod
    torque = 1.0 * GRAVITY * 0.5

    def stop(self):
        """The angle of rest and the number of swings until then."""
        angle, swings = self.start, 0
        while np.sin(abs(angle)) > self.share:
            a = abs(angle)
            # the next turning point on the other side, perhaps still on this side of the vertical
            angle = -np.sign(angle) * brentq(lambda x: np.cos(x) - np.cos(a) - self.share * (a + x), -a + 1e-9, a - 1e-9)
            swings += 1
        return angle, swings

    def run(self, dt, time=8.0):
        """Angle at the end, the time of the last step that moved, and by how much the rod moved in the last second."""
        body = rod(1, (0, 0), (np.sin(self.start), -np.cos(self.start)))
        b = repose.ModelBuilder("dry friction", dt=dt, gravity=(0, -GRAVITY, 0))
        k = b.add_body((*body.centre, 0), (np.cos(body.angle / 2), 0, 0, np.sin(body.angle / 2)), mass=body.mass,
                       inertia=(body.inertia,) * 3)
        b.add_joint("hinge", -1, k, (0, 0, 0), (0, 0, 1), friction=self.share * self.torque)
        model = b.finalize()
        data, moved, angles = repose.Data(model), 0.0, []
        for _ in range(round(time / dt)):
            repose.step(model, data)
            angles.append(data.joint_position[0])
            if len(angles) > 1 and abs(angles[-1] - angles[-2]) > 1e-9:
                moved = data.time
        late = np.array(angles[-round(1 / dt):])
        return self.start + angles[-1], moved, float(np.ptp(late)), data
