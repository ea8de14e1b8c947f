# SPDX-License-Identifier: Apache-2.0
"""The law and the motion of a recording, checked with NumPy and h5py alone.

    python python/check_recording.py arch.h5

Nothing of Repose is imported. For every step this computes from poses, masses, points, normals and impulses: the
residuals r_c and nat of the worst island, the velocities after the impulses, the centres after the motion, and the displacements that removed
overlap with the residual of what pushed.
docs/certificate.md has the definitions, docs/recording.md the tables.
"""
import sys

import h5py
import numpy as np


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def turn_of(q, p):
    """Rotation vector from p to q."""
    v = q[0] * -p[1:] + p[0] * q[1:] + np.cross(q[1:], -p[1:])
    w = q[0] * p[0] + q[1:] @ p[1:]
    s = np.linalg.norm(v)
    return 2 * np.arctan2(s, abs(w)) / s * np.sign(w or 1) * v if s > 0 else v


def onto_cone(x, mu):
    t = np.hypot(x[0], x[1])
    if t <= mu * x[2]:
        return x
    if mu * t <= -x[2]:
        return np.zeros(3)
    n = (x[2] + mu * t) / (1 + mu * mu)
    return np.array([mu * n / t * x[0], mu * n / t * x[1], n])


class Blocks:
    """Rows of contacts and joints against the 6 velocities of every body, with their sets."""

    def __init__(self):
        self.rows, self.bias, self.mu, self.bounds = [], [], [], []
        self.soft, self.start, self.found, self.ends = [], [], [], []

    def add(self, **values):
        for name, value in values.items():
            getattr(self, name).append(value)

    def onto_set(self, i, x):
        return onto_cone(x, self.mu[i]) if self.bounds[i] is None else np.clip(x, *self.bounds[i])

    def augmented(self, i, v):
        return v + np.array([0, 0, self.mu[i] * np.hypot(v[0], v[1])]) if self.bounds[i] is None else v

    def beyond_dual(self, i, v):
        if self.bounds[i] is None:
            return onto_cone(-v, self.mu[i])
        lower, upper = self.bounds[i]
        return np.where((np.isinf(upper) & (v < 0)) | (np.isinf(lower) & (v > 0)), v, 0)

    def pairing(self, i, v, x):
        if self.bounds[i] is None:
            return v @ x
        lower, upper = (np.where(np.isinf(b), 0, b) for b in self.bounds[i])
        has_lower, has_upper = (~np.isinf(b) for b in self.bounds[i])
        bound = np.where(v > 0, np.where(has_lower, lower, upper), np.where(has_upper, upper, lower))
        return v @ (x - bound)

    def residuals(self, mine, u_free, inverse):
        """r_c and nat of the blocks `mine`."""
        J = np.concatenate([self.rows[i] for i in mine]).reshape(3 * len(mine), -1)
        C = np.diag(np.concatenate([self.soft[i] for i in mine]))
        W = J @ inverse @ J.T + C
        v_free = J @ u_free + np.concatenate([self.bias[i] for i in mine])
        found, start = (np.concatenate([x[i] for i in mine]) for x in (self.found, self.start))
        v, v0 = (W @ x + v_free for x in (found, start))
        sums = np.zeros(4)
        start_speed = 0.0
        for k, i in enumerate(mine):
            own = slice(3 * k, 3 * k + 3)
            u, x = self.augmented(i, v[own]), found[own]
            live = 3 if self.bounds[i] is None else max(1, np.sum(self.bounds[i][0] < self.bounds[i][1]))
            rho = np.trace(W[own, own]) / live
            sums += [np.sum((x - self.onto_set(i, x)) ** 2), np.sum(self.beyond_dual(i, u) ** 2),
                     self.pairing(i, u, x), np.sum((x - self.onto_set(i, x - u / rho)) ** 2)]
            start_speed += np.sum(self.augmented(i, v0[own]) ** 2)
        free = np.linalg.norm(v_free) / max(np.linalg.eigvalsh(0.5 * (W + W.T))[-1], 1e-300)
        impulse = max(np.linalg.norm(found), free, 1e-150)
        scale = max(impulse, np.linalg.norm(start))
        speed = max(np.sqrt(start_speed), np.linalg.norm(v_free), 1e-150)
        r_c = max(np.sqrt(sums[0]) / scale, np.sqrt(sums[1]) / speed, abs(sums[2]) / (scale * speed))
        return r_c, np.sqrt(sums[3]) / impulse


def turned(turn, q):
    """The quaternion q after a rotation vector."""
    angle = np.linalg.norm(turn)
    w, v = np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * turn
    p = np.concatenate([[w * q[0] - v @ q[1:]], w * q[1:] + q[0] * v + np.cross(v, q[1:])])
    return p / np.linalg.norm(p)


def frame_of(nrm):
    """(t1, t2, n), as docs/recording.md defines them."""
    s = np.copysign(1, nrm[2])
    c = -1 / (s + nrm[2])
    return np.array([[1 + s * nrm[0] ** 2 * c, s * nrm[0] * nrm[1] * c, -s * nrm[0]],
                     [nrm[0] * nrm[1] * c, s + nrm[1] ** 2 * c, -nrm[1]], nrm])


def inverse_masses(f, quaternion, moves):
    """M⁻¹ of all bodies that move, zero along what is held, and their inertia."""
    held, mass = f["/bodies/fixed_dof"][:], f["/bodies/mass"][:]
    moments, axes = f["/bodies/principal_inertia"][:], f["/bodies/principal_axes"][:]
    inverse = np.zeros((6 * len(mass), 6 * len(mass)))
    for b in np.flatnonzero(moves):
        R = rotation(quaternion[b]) @ rotation(axes[b])
        inertia = R @ np.diag(moments[b]) @ R.T
        free = np.flatnonzero(held[b, 3:] == 0)
        inverse[6 * b:6 * b + 3, 6 * b:6 * b + 3] = np.diag(np.where(held[b, :3], 0, 1 / mass[b]))
        inverse[np.ix_(6 * b + 3 + free, 6 * b + 3 + free)] = np.linalg.inv(inertia[np.ix_(free, free)])
    return inverse


def check_pushes(f, k, centre, quaternion, moves):
    """Displaces centres and quaternions by what removed overlap in step k; returns the largest
    max(r_c, nat) of its problems, NaN without such tables. They are contact problems without friction."""
    if "/pushes" not in f:
        return np.nan
    first, count = f["/steps/first_push"][k], f["/steps/pushes"][k]
    keys, values = f["/pushes/key"][first:first + count], f["/pushes/values"][first:first + count]
    worst, n = 0.0, len(moves)
    for problem in dict.fromkeys(map(tuple, keys[:, :2])):
        inverse, blocks = inverse_masses(f, quaternion, moves), Blocks()
        for key, x in zip(keys, values):
            if tuple(key[:2]) != problem:
                continue
            frame, rows = frame_of(x[3:6]), np.zeros((3, 6 * n))
            for body, sign in ((key[2], -1), (key[3], 1)):
                if moves[body]:
                    rows[:, 6 * body:6 * body + 6] = sign * np.hstack([frame, np.cross(x[:3] - centre[body], frame)])
            found = np.array([0, 0, x[8]])
            blocks.add(rows=rows, bias=np.array([0, 0, x[6] + x[7]]), mu=0, bounds=None, soft=np.zeros(3), start=found,
                       found=found, ends=(key[2], key[3]))
        worst = max(worst, *blocks.residuals(range(len(blocks.rows)), np.zeros(6 * n), inverse))
        moved = (inverse @ sum(rows.T @ x for rows, x in zip(blocks.rows, blocks.found))).reshape(n, 6)
        for b in np.flatnonzero(moves):
            centre[b] += moved[b, :3]
            quaternion[b] = turned(moved[b, 3:], quaternion[b])
    return worst


def check_step(f, k):
    """r_c, nat, velocity error (share of the largest speed), motion error of centres (m), and the residual of what
    removed overlap and the error of its displacements of centres (m) of step k."""
    h, kind, mass = f["/scene/dt"][0], f["/bodies/kind"][:], f["/bodies/mass"][:]
    centre, quaternion = f["/states/centre"][k].copy(), f["/states/quaternion"][k].copy()
    after = {name: f["/states/" + name][k + 1] for name in ("centre", "quaternion", "velocity", "present")}
    shift = np.zeros_like(centre)
    first, count = f["/steps/first_term"][k], f["/steps/terms"][k]
    for (what, b), x in zip(f["/terms/key"][first:first + count], f["/terms/values"][first:first + count]):
        if what == 1:
            shift[b] = x[:3]
        if what == 2:
            centre[b], quaternion[b] = x[:3], x[3:7]
    n, moves = len(mass), (kind == 1) & (after["present"] != 0)
    u_free = np.concatenate([f["/steps/free_velocity"][k], f["/steps/free_angular_velocity"][k]], axis=1).reshape(-1)
    inverse = inverse_masses(f, quaternion, moves)
    blocks = Blocks()
    first, count = f["/steps/first_contact"][k], f["/steps/contacts"][k]
    table = {name: f["/contacts/" + name][first:first + count] for name in
             ("body", "position", "normal", "gap", "friction", "bias", "impulse_start", "impulse")}
    for i in range(count):
        (a, b), nrm, point = table["body"][i], table["normal"][i], table["position"][i]
        frame = frame_of(nrm)
        half = 0 if moves[a] and moves[b] else 0.5 * table["gap"][i] * nrm
        arms = {a: point - half - centre[a], b: point + half - centre[b]}
        rows, bias = np.zeros((3, 6 * n)), np.array([0, 0, table["bias"][i]])
        for body, other, sign in ((a, b, -1), (b, a, 1)):
            if moves[body]:
                rows[:, 6 * body:6 * body + 6] = sign * np.hstack([frame, np.cross(arms[body], frame)])
            elif kind[body] == 2:  # takes the other body's centre along
                turn = rotation(after["quaternion"][body]) @ rotation(quaternion[body]).T
                moved = after["centre"][body] + turn @ (centre[other] - centre[body]) - centre[other]
                spin = turn_of(after["quaternion"][body], quaternion[body])
                bias = bias + sign * frame @ (moved + np.cross(spin, arms[other])) / h
        blocks.add(rows=rows, bias=bias, mu=table["friction"][i], bounds=None, soft=np.zeros(3),
                   start=table["impulse_start"][i], found=table["impulse"][i], ends=(a, b))
    if "/blocks" in f:
        first, count = f["/steps/first_block"][k], f["/steps/blocks"][k]
        others, next_other = {}, 0
        if "/joints/other" in f:
            next_other = f["/steps/first_other"][k]
            for joint, body in f["/joints/other"]:
                others.setdefault(joint, []).append(body)
        for i in range(first, first + count):
            rows, x = np.zeros((3, 6 * n)), f["/blocks/rows"][i]
            ends = list(zip(f["/blocks/body"][i], (x[:18], x[18:])))
            for body in others.get(f["/blocks/key"][i][0], ()):  # of a coupling over more than two bodies
                ends.append((body, f["/blocks/other_rows"][next_other]))
                next_other += 1
            for body, own in ends:
                if body >= 0:
                    rows[:, 6 * body:6 * body + 6] += np.hstack([own[:9].reshape(3, 3), own[9:].reshape(3, 3)])
            bounds = f["/blocks/bounds"][i]
            blocks.add(rows=rows, bias=f["/blocks/bias"][i], mu=0, bounds=(bounds[:3], bounds[3:]),
                       soft=f["/blocks/compliance"][i], start=f["/blocks/impulse_start"][i],
                       found=f["/blocks/impulse"][i], ends=[body for body, _ in ends])
    root = list(range(n))

    def find(b):
        while root[b] != b:
            b = root[b]
        return b

    islands = {}
    moving = [[b for b in ends if b >= 0 and moves[b]] for ends in blocks.ends]
    for ends in moving:
        for b in ends[1:]:
            root[find(ends[0])] = find(b)
    for i, ends in enumerate(moving):
        islands.setdefault(find(ends[0]), []).append(i)
    scores = np.array([blocks.residuals(mine, u_free, inverse) for mine in islands.values()]).reshape(-1, 2)
    push = sum((rows.T @ x for rows, x in zip(blocks.rows, blocks.found)), np.zeros(6 * n))
    u = (u_free + inverse @ push).reshape(n, 6)
    speed = max([np.abs(u_free).max(), np.abs(u[:, :3]).max(), 1e-150])
    errors, motion = [0.0], [0.0]
    for b in np.flatnonzero(moves):
        errors.append(np.linalg.norm(after["velocity"][b] - u[b, :3]))
        motion.append(np.linalg.norm(after["centre"][b] - centre[b] - h * after["velocity"][b] - shift[b]))
    # Undoing the displacement that is stored leaves the poses from which the pushes have to lead to it.
    start = after["quaternion"].copy()
    first, count = f["/steps/first_term"][k], f["/steps/terms"][k]
    for (what, b), x in zip(f["/terms/key"][first:first + count], f["/terms/values"][first:first + count]):
        if what == 1:
            start[b] = turned(-x[3:6], start[b])
    pushed = after["centre"] - shift
    residual = check_pushes(f, k, pushed, start, moves)
    apart = np.abs(pushed - after["centre"])[moves]
    joints = "/joints" in f or "/blocks" in f
    return (*(scores.max(axis=0) if len(scores) else (0, 0)), max(errors) / speed, max(motion), residual,
            0 if joints or np.isnan(residual) else apart.max(initial=0))


def main(path):
    with h5py.File(path, "r", swmr=True) as f:
        steps = len(f["/steps/status"])
        results = np.array([check_step(f, k) for k in range(steps)]).reshape(-1, 6)
        worst, tolerance = results.max(axis=0), f["/tolerance"][0]
    print(f"{steps} steps: r_c {worst[0]:.1e}, nat {worst[1]:.1e}, velocities {worst[2]:.1e}, centres {worst[3]:.1e} m")
    if worst[4] > 0:
        print(f"removal of overlap: residual {worst[4]:.1e}, centres {worst[5]:.1e} m")
    return 0 if worst[0] <= tolerance and worst[1] <= tolerance else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
