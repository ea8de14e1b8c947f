# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in space and along one axis, with their known answers."""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import repose

GRAVITY = 9.81


def advance(model, time):
    """The data at that time and its largest joint error."""
    data, worst = repose.Data(model, tol=1e-10), 0.0
    for _ in range(round(time / model.dt)):
        worst = max(worst, repose.step(model, data).joint_error)
    return data, worst


def quaternion(axis, angle):
    return (np.cos(angle / 2), *(np.sin(angle / 2) * np.asarray(axis, float)))


def pendulum_period(amplitude, inertia_over_torque):
    return 4 * np.sqrt(inertia_over_torque) * ellipk(np.sin(amplitude / 2) ** 2)


class Top:
    """A symmetric top on a ball joint in steady precession: A Ω² cos θ − C ω Ω + m g l = 0 for the moment A about axes across
    at the point, C about its own, and its spin ω about its own axis."""
    mass, arm, across, own, spin, tilt = 2.0, 0.3, 0.02, 0.03, 100.0, 0.5

    def __init__(self):
        about_point = self.across + self.mass * self.arm**2
        b, c = self.own * self.spin, self.mass * GRAVITY * self.arm
        a = about_point * np.cos(self.tilt)
        self.precession = 2 * c / (b + np.sqrt(b * b - 4 * a * c))  # the slow one

    def model(self, dt):
        axis = np.array([np.sin(self.tilt), 0, np.cos(self.tilt)])
        # ω is the whole spin about the top's axis: Ω cos θ is in it.
        omega = self.precession * np.array([0, 0, 1.0]) + (self.spin - self.precession * np.cos(self.tilt)) * axis
        b = repose.ModelBuilder("top", dt=dt)
        body = b.add_body(tuple(self.arm * axis), quaternion((0, 1, 0), self.tilt), mass=self.mass,
                          inertia=(self.across, self.across, self.own), angular_velocity=tuple(omega),
                          velocity=tuple(np.cross(omega, self.arm * axis)))
        b.add_joint("ball", -1, body, (0, 0, 0))
        return b.finalize()

    def error(self, dt, time=2.0):
        """Distance of the mass centre from where steady precession takes it, m."""
        data, worst = advance(self.model(dt), time)
        angle = self.precession * time
        goal = self.arm * np.array([np.sin(self.tilt) * np.cos(angle), np.sin(self.tilt) * np.sin(angle), np.cos(self.tilt)])
        return float(np.linalg.norm(data.position[0] - goal)), worst, data


class Governor:
    """A flyball governor: two arms with balls on hinges at the top of a free shaft, a sleeve that slides on it, and massless
    rods (distance joints) between balls and sleeve. Coordinates: angle ψ of the shaft, α of the arms from the vertical."""
    ball, radius_moment, sleeve, length, shaft = 1.0, 0.002, 2.0, 0.3, 0.01

    def inertia(self, alpha):
        """About the shaft, its slope, of α, and its slope."""
        m, j, big, l = self.ball, self.radius_moment, self.sleeve, self.length
        about = 2 * (m * (l * np.sin(alpha)) ** 2 + j) + 2 * self.shaft
        own = 2 * (m * l * l + j) + big * (2 * l * np.sin(alpha)) ** 2
        return about, 4 * m * l * l * np.sin(alpha) * np.cos(alpha), own, 8 * big * l * l * np.sin(alpha) * np.cos(alpha)

    def steady(self, alpha):
        """ω of Porter's governor: ω² = (m + M) g / (m l cos α)."""
        return np.sqrt((self.ball + self.sleeve) * GRAVITY / (self.ball * self.length * np.cos(alpha)))

    def reference(self, alpha, omega, time):
        """ψ, α at that time: Lagrange's equations by DOP853. The momentum about the shaft is a constant."""
        momentum = self.inertia(alpha)[0] * omega
        lift = 2 * (self.ball + self.sleeve) * GRAVITY * self.length

        def slope(_, s):
            about, about_slope, own, own_slope = self.inertia(s[1])
            turn = momentum / about
            return [turn, s[2], (0.5 * about_slope * turn**2 - 0.5 * own_slope * s[2] ** 2 - lift * np.sin(s[1])) / own]

        return solve_ivp(slope, (0, time), [0, alpha, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[:2, -1]

    def model(self, dt, alpha, omega):
        b = repose.ModelBuilder("governor", dt=dt)
        j, l, turn = self.radius_moment, self.length, (0, 0, omega)
        shaft = b.add_body((0, 0, 0), mass=1, inertia=(self.shaft,) * 3, angular_velocity=turn)
        sleeve = b.add_body((0, 0, -2 * l * np.cos(alpha)), mass=self.sleeve, inertia=(self.shaft,) * 3, angular_velocity=turn)
        b.add_joint("hinge", -1, shaft, (0, 0, 0), (0, 0, 1))
        b.add_joint("slide", shaft, sleeve, (0, 0, -2 * l * np.cos(alpha)), (0, 0, 1))
        for side in (1, -1):
            at = np.array([side * l * np.sin(alpha), 0, -l * np.cos(alpha)])
            ball = b.add_body(tuple(at), mass=self.ball, inertia=(j, j, j), angular_velocity=turn,
                              velocity=tuple(np.cross(turn, at)))
            b.add_joint("hinge", shaft, ball, (0, 0, 0), (0, 1, 0))
            b.add_distance(ball, sleeve, tuple(at), (0, 0, -2 * l * np.cos(alpha)))
        return b.finalize()

    def error(self, dt, alpha=0.7, share=0.8, time=1.0):
        """Of the balls, m. `share` of the steady speed: the balls swing."""
        omega = share * self.steady(alpha)
        data, worst = advance(self.model(dt, alpha, omega), time)
        psi, end = self.reference(alpha, omega, time)
        goal = self.length * np.array([np.sin(end) * np.cos(psi), np.sin(end) * np.sin(psi), -np.cos(end)])
        return float(np.linalg.norm(data.position[2] - goal)), worst, data


class Bricard:
    """Six hinges at corners of a cube, joined by rods of 1 m and 1 kg along its edges, each hinge across both of its rods: a loop
    with more rows than freedom, which can move all the same (Bricard's trihedral linkage). One rod is fixed. Here the motion
    is solved in the angles of the hinges: the closure leaves one direction, and the energy gives the speed along it."""
    corners = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], float)
    gravity = np.array([0, 0, -GRAVITY])

    def __init__(self):
        edges = np.roll(self.corners, -1, axis=0) - self.corners  # rod k from corner k to k + 1
        self.axes = np.array([np.cross(edges[k - 1], edges[k]) for k in range(6)])
        self.tensors = [np.eye(3) / 12 - np.outer(e, e) / 12 + 1e-3 * np.eye(3) for e in edges]  # kg m², thick by 1e-3

    def poses(self, angles):
        """Rotation and mass centre of the five rods that move, then what the loop is off by: rod 5 is the fixed one."""
        turn, point, found = np.eye(3), self.corners[0], []
        for k in range(5):
            turn = turn @ rotation(self.axes[k], angles[k])
            step = self.corners[k + 1] - self.corners[k]
            found.append((turn, point + turn @ (0.5 * step)))
            point = point + turn @ step
        turn = turn @ rotation(self.axes[5], angles[5])
        off = np.concatenate([point - self.corners[5], [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]])
        return found, off

    def motion(self, angles):
        """The direction in which the loop can move (that of the first angle is 1), kinetic energy at unit speed, potential
        energy."""
        found, _ = self.poses(angles)
        twists, turn, point = [], np.eye(3), self.corners[0]
        for k in range(6):  # twist of a unit rate of hinge k about the origin
            axis = turn @ self.axes[k]
            twists.append(np.concatenate([axis, np.cross(point, axis)]))
            if k < 5:
                turn = found[k][0]
                point = found[k][1] + turn @ (0.5 * (self.corners[k + 1] - self.corners[k]))
        twists = np.array(twists)
        direction = np.linalg.svd(twists.T)[2][-1]
        direction = direction / direction[0]
        kinetic = potential = 0.0
        for k, (turn, centre) in enumerate(found):
            total = direction[: k + 1] @ twists[: k + 1]
            v = total[3:] + np.cross(total[:3], centre)
            kinetic += 0.5 * (v @ v + total[:3] @ (turn @ self.tensors[k] @ turn.T) @ total[:3])
            potential -= self.gravity @ centre
        return direction, kinetic, potential

    def reference(self, speed, time):
        """The angles at that time by the energy integral: it holds while the motion does not turn round."""
        direction, kinetic, potential = self.motion(np.zeros(6))
        energy = kinetic * speed**2 + potential

        def slope(_, angles):
            direction, kinetic, potential = self.motion(angles)
            return np.sign(speed) * direction * np.sqrt((energy - potential) / kinetic)

        return solve_ivp(slope, (0, time), np.zeros(6), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]

    def model(self, dt, speed):
        direction, _, _ = self.motion(np.zeros(6))
        b = repose.ModelBuilder("bricard", dt=dt)
        omega, v_point = np.zeros(3), np.zeros(3)
        for k in range(5):
            step = self.corners[k + 1] - self.corners[k]
            omega = omega + speed * direction[k] * self.axes[k]
            middle = self.corners[k] + 0.5 * step
            b.add_body(tuple(middle), mass=1.0, inertia=tuple(np.diag(self.tensors[k])), angular_velocity=tuple(omega),
                       velocity=tuple(v_point + np.cross(omega, 0.5 * step)))
            v_point = v_point + np.cross(omega, step)
        for k in range(6):
            b.add_joint("hinge", k - 1 if 0 < k < 5 else -1, min(k, 4), tuple(self.corners[k]), tuple(self.axes[k]))
        return b.finalize()

    def error(self, dt, speed=-2.0, time=0.3):
        data, worst = advance(self.model(dt, speed), time)
        goal = [centre for _, centre in self.poses(self.reference(speed, time))[0]]
        return float(np.abs(data.position - goal).max()), worst, data


def rotation(axis, angle):
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
