# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in the plane x, y: one description, from which come a Repose model and an accurate solution by another way.

The other way is the equations of motion with multipliers at acceleration level, [M Jᵀ; J 0] [a; −λ] = [f; γ], integrated by SciPy's
DOP853 at 1e-12. Rows that repeat others do no harm there: the system is solved by least squares.
"""
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp

import repose

GRAVITY = 9.81


@dataclass
class Body:
    mass: float
    inertia: float  # about the mass centre, kg m²
    centre: tuple
    angle: float = 0.0
    spin: float | None = None  # rad/s at the start; None: what the joints make of the others


def rod(mass, start, end, **options):
    """A uniform rod between two points."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    d = end - start
    return Body(mass, mass * (d @ d) / 12, tuple((start + end) / 2), float(np.arctan2(d[1], d[0])), **options)


@dataclass
class Planar:
    """`hinges`: (body a or −1, body b, point); `slides`: (body, direction). force(q, v) gives (n, 3): two forces at the mass
    centre and a torque for each body, besides gravity; q and v are (n, 3) too."""
    bodies: list
    hinges: list = field(default_factory=list)
    slides: list = field(default_factory=list)
    gravity: float = GRAVITY
    force: object = None

    def __post_init__(self):
        self.mass = np.array([[b.mass, b.mass, b.inertia] for b in self.bodies])
        self.start = np.array([[*b.centre, b.angle] for b in self.bodies])
        self.arms = [(a, b, None if a < 0 else self._arm(a, p), self._arm(b, p), np.asarray(p, float)) for a, b, p in self.hinges]
        self.speed = self._first_velocities()

    def _arm(self, body, point):
        x, y, angle = self.start[body]
        return turned(np.asarray(point, float) - (x, y), -angle)

    def _first_velocities(self):
        """Those that the joints allow and that have the given spins."""
        rows, _, _ = self.constraints(self.start, np.zeros_like(self.start))
        given = [(k, b.spin) for k, b in enumerate(self.bodies) if b.spin is not None]
        unit = np.zeros((len(given), self.start.size))
        for row, (k, _) in enumerate(given):
            unit[row, 3 * k + 2] = 1
        right = np.concatenate([np.zeros(len(rows)), [spin for _, spin in given]])
        return np.linalg.lstsq(np.vstack([rows, unit]), right, rcond=1e-10)[0].reshape(-1, 3)

    def constraints(self, q, v):
        """J, the right-hand side γ of J a = γ, and g."""
        rows, gamma, g = [], [], []
        for a, b, arm_a, arm_b, point in self.arms:
            block, right, error = np.zeros((2, q.size)), np.zeros(2), -point if a < 0 else np.zeros(2)
            for body, arm, sign in ((a, arm_a, -1), (b, arm_b, 1)):
                if body < 0:
                    continue
                r = turned(arm, q[body, 2])
                block[:, 3 * body: 3 * body + 3] = sign * np.array([[1, 0, -r[1]], [0, 1, r[0]]])
                right += sign * v[body, 2] ** 2 * r
                error = error + sign * (q[body, :2] + r)
            rows.append(block), gamma.append(right), g.append(error)
        for body, direction in self.slides:
            normal = turned(np.asarray(direction, float), np.pi / 2)
            block = np.zeros((2, q.size))
            block[0, 3 * body: 3 * body + 2], block[1, 3 * body + 2] = normal, 1
            away = q[body] - self.start[body]
            rows.append(block), gamma.append(np.zeros(2)), g.append(np.array([normal @ away[:2], away[2]]))
        return np.vstack(rows), np.concatenate(gamma), np.concatenate(g)

    def loads(self, q, v):
        f = self.mass * (0, -self.gravity, 0)
        return f if self.force is None else f + self.force(q, v)

    def acceleration(self, q, v):
        rows, gamma, _ = self.constraints(q, v)
        m, f = self.mass.ravel(), self.loads(q, v).ravel()
        # In units of √M, the acceleration is the free one plus the smallest change that obeys the rows.
        scaled = rows / np.sqrt(m)
        change = np.linalg.lstsq(scaled, gamma - rows @ (f / m), rcond=1e-10)[0]
        return ((f + np.sqrt(m) * change) / m).reshape(q.shape)

    def reference(self, time):
        """q at that time, and how far its constraints are off."""
        n = self.start.size

        def slope(_, state):
            q, v = state[:n].reshape(-1, 3), state[n:].reshape(-1, 3)
            return np.concatenate([state[n:], self.acceleration(q, v).ravel()])

        found = solve_ivp(slope, (0, time), np.concatenate([self.start.ravel(), self.speed.ravel()]), method="DOP853",
                          rtol=1e-12, atol=1e-12 * np.abs(self.start).max())
        q = found.y[:n, -1].reshape(-1, 3)
        return q, float(np.abs(self.constraints(q, np.zeros_like(q))[2]).max())

    def model(self, dt, staggered=False):
        """The same for Repose. `staggered`: velocities of the time −dt/2, where those of semi-implicit Euler belong."""
        b = repose.ModelBuilder("mechanism", dt=dt, gravity=(0, -self.gravity, 0))
        v = self.speed - 0.5 * dt * self.acceleration(self.start, self.speed) if staggered else self.speed
        for k, body in enumerate(self.bodies):
            half = body.angle / 2
            b.add_body((*body.centre, 0), (np.cos(half), 0, 0, np.sin(half)), mass=body.mass, inertia=(body.inertia,) * 3,
                       velocity=(*v[k, :2], 0), angular_velocity=(0, 0, v[k, 2]))
        for a, k, point in self.hinges:
            b.add_joint("hinge", a, k, (*point, 0), (0, 0, 1))
        for k, direction in self.slides:
            b.add_joint("slide", -1, k, (*self.bodies[k].centre, 0), (*direction, 0))
        return b.finalize()


def turned(vector, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


class Angles:
    """Angles about z of all bodies, whole turns counted."""

    def __init__(self, start):
        self.angle = np.array(start, float)

    def follow(self, quaternion):
        now = 2 * np.arctan2(quaternion[:, 3], quaternion[:, 0])
        self.angle = now + 2 * np.pi * np.round((self.angle - now) / (2 * np.pi))
        return self.angle


def run(planar, dt, time, staggered=False):
    """The data at that time, its largest joint error and q (n, 3)."""
    model = planar.model(dt, staggered)
    data = repose.Data(model, tol=1e-10)
    steps, worst, angles = round(time / dt), 0.0, Angles(planar.start[:, 2])
    for _ in range(steps):
        if planar.force is not None:
            q = np.column_stack([data.position[:, :2], angles.angle])
            v = np.column_stack([data.velocity[:, :2], data.angular_velocity[:, 2]])
            load = planar.force(q, v)
            data.force[:, :2], data.torque[:, 2] = load[:, :2], load[:, 2]
        report = repose.step(model, data)
        worst = max(worst, report.joint_error)
        angles.follow(data.quaternion)
    return data, worst, np.column_stack([data.position[:, :2], angles.angle])
