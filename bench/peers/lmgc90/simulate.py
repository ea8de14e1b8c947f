# SPDX-License-Identifier: Apache-2.0
"""LMGC90 (Fortran, double): nonsmooth contact dynamics by nonlinear Gauss-Seidel, through the package compas_lmgc90, of which
only the compiled module is used. The settings and their reasons: docs/peers/settings.md."""
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
import simulation  # noqa: E402

GROUND = (20.0, 20.0, 0.5)  # m, half edges of the block that stands for a plane
ALERT = 1e-3                # m, up to which gap a contact is looked for
THETA = 1.0                 # of its time integration: positions advance by the new velocities, contacts are those of a step's start
LAW = "IQS_CLB_g0"          # Coulomb without restitution; gaps count from those of the start
NAME = "iqsc0"              # five letters of the one contact law


def corners(half):
    return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half


def vertices(shape):
    if shape["type"] == "plane":
        return corners(GROUND) - [0, 0, GROUND[2]]
    if shape["type"] == "box":
        return corners(shape["half"])
    if shape["type"] == "hull":
        return np.array(shape["vertices"], dtype=float)
    raise ValueError(f"shape: type: expected plane, box, hull, got {shape['type']}")


def facets(points):
    """Triangles of the convex hull, indices counted from 1, wound outwards."""
    from scipy.spatial import ConvexHull

    inner, found = points.mean(axis=0), []
    for a, b, c in ConvexHull(points).simplices:
        outwards = np.dot(np.cross(points[b] - points[a], points[c] - points[a]), points[a] - inner) > 0
        found += [a + 1, b + 1, c + 1] if outwards else [a + 1, c + 1, b + 1]
    return [int(k) for k in found]


class Lmgc90:
    def __init__(self, scene, setting):
        from importlib.metadata import version

        from compas_lmgc90 import _lmgc90

        self.version, self.scene, self.result = version("compas_lmgc90"), scene, None
        self.substeps = int(setting.get("substeps", 1))
        self.h, self.mu = scene["dt"] / self.substeps, simulation.friction_of(scene)
        self.start = simulation.start_state(scene)
        if np.any(self.start[2]) or np.any(self.start[3]):
            raise ValueError("velocity: expected bodies at rest, as the package can set none, got some that move")
        self.world = _lmgc90.LMGC90Solver()  # one a process
        self.world.initialize(self.h, THETA, False)
        self.world.add_one_tact_behav(NAME, LAW, [self.mu])
        self.world.set_materials(np.array([float(s.get("density", 1000)) for b in scene["bodies"] for s in b["shapes"]][:1]))
        self.world.set_see_tables(ALERT)
        self.world.set_nb_bodies(len(scene["bodies"]))
        for index, body in enumerate(scene["bodies"]):
            self.add(index, body)
        self.world.close_before_computing()
        first = self.world.get_initial_state()
        self.first = self.now = self.last = self.pose(first.init_bodies, first.init_body_frames)

    def add(self, index, body):
        """Vertices in world axes about their mean; what is fixed is driven with velocity 0."""
        moves, local = simulation.is_dynamic(body), vertices(body["shapes"][0])
        q = np.broadcast_to(np.array(body.get("rotation", [1, 0, 0, 0]), dtype=float), (len(local), 4))
        points = simulation.rotate(q, local) + np.array(body.get("position", [0, 0, 0]), dtype=float)
        middle = points.mean(axis=0)
        self.world.set_one_polyr("s0001", middle.tolist(), facets(points), (points - middle).ravel().tolist(), 0 if moves else 6, 0)
        for dof in range(0 if moves else 6):
            self.world.set_drvdof(index + 1, dof + 1, np.zeros(6), True, False)

    @staticmethod
    def pose(places, frames):
        """Places (B, 3) of its reference points and attitudes (B, 3, 3) with the axes as columns."""
        return np.array(places)[:, :3], np.array(frames).reshape(-1, 3, 3).transpose(0, 2, 1)

    def step(self, substeps=None):
        for _ in range(substeps or self.substeps):
            self.last, self.result = self.now, self.world.compute_one_step()
            self.now = self.pose(self.result.bodies, self.result.body_frames)
        if not len(self.result.interaction_coords):
            raise RuntimeError("no contact found: the package looks for faces against faces only")

    def state(self):
        """It shows poses alone; with its θ of 1 the velocities are their differences over the last step."""
        position, quaternion = self.frame(self.now)
        centres = np.array([b.get("mass", {}).get("centre", [0, 0, 0]) for b in self.scene["bodies"]], dtype=float)
        before, turned = self.frame(self.last)
        velocity = (position + simulation.rotate(quaternion, centres) - before - simulation.rotate(turned, centres)) / self.h
        turn = times(quaternion, turned * [1, -1, -1, -1])
        turn *= np.where(turn[:, :1] < 0, -1.0, 1.0)
        size = np.linalg.norm(turn[:, 1:], axis=1, keepdims=True)
        angle = 2 * np.arctan2(size, turn[:, :1])
        return position, quaternion, velocity, angle / self.h * turn[:, 1:] / np.maximum(size, 1e-300)

    def frame(self, pose):
        """Of the bodies of the description, from how far its own have moved since the start."""
        turn = from_matrix(pose[1] @ self.first[1].transpose(0, 2, 1))
        return pose[0] + simulation.rotate(turn, self.start[0] - self.first[0]), times(turn, self.start[1])

    def contacts(self):
        """Its normals point from the second body of a contact, the antagonist, to the first, on which its forces act."""
        r = self.result
        bodies = np.array(r.interaction_bodies) - 1
        return {"body_a": bodies[:, 1], "body_b": bodies[:, 0], "position": np.array(r.interaction_coords),
                "normal": np.array(r.interaction_normals), "mu": np.full(len(bodies), self.mu),
                "impulse": self.h * np.array(r.interaction_force_global),
                "target": -np.maximum(np.array(r.interaction_gap), 0.0) / self.h}


def times(p, q):
    """Product of quaternions, rows with w first."""
    w = p[:, :1] * q[:, :1] - (p[:, 1:] * q[:, 1:]).sum(axis=1, keepdims=True)
    return np.concatenate([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])], axis=1)


def from_matrix(R):
    """Quaternions, w first, of rotations that are not half turns."""
    w = 0.5 * np.sqrt(np.maximum(1 + np.trace(R, axis1=1, axis2=2), 1e-12))
    u = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1) / (4 * w[:, None])
    q = np.concatenate([w[:, None], u], axis=1)
    return q / np.linalg.norm(q, axis=1, keepdims=True)


if __name__ == "__main__":
    simulation.limit_threads()
    simulation.main(Lmgc90)
