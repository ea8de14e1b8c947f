# SPDX-License-Identifier: Apache-2.0
"""Genesis on the CPU: elliptic cones with its Signorini contact. The settings and their reasons: docs/peers/settings.md."""
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
import simulation  # noqa: E402

# m, by which every surface is moved out, by substeps: in exact touch it sees no contact and every body falls for a step
OVERLAP = {1: 5e-4, 4: 5e-5}


def write_obj(path, vertices):
    """Convex hull as triangles that face outward."""
    from scipy.spatial import ConvexHull

    points = np.array(vertices, dtype=float)
    hull = ConvexHull(points)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    for (a, b, c), plane in zip(hull.simplices, hull.equations):
        if np.cross(points[b] - points[a], points[c] - points[a]) @ plane[:3] < 0:
            b, c = c, b
        lines.append(f"f {a + 1} {b + 1} {c + 1}")
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


class Genesis:
    def __init__(self, scene, setting):
        import genesis

        self.version, self.scene = genesis.__version__, scene
        genesis.init(backend=genesis.cpu, precision=setting.get("precision", "32"), logging_level="error", seed=1)
        count = len(scene["bodies"])
        self.world = genesis.Scene(
            show_viewer=False,
            sim_options=genesis.options.SimOptions(dt=scene["dt"], substeps=setting.get("substeps", 1),
                                                   gravity=tuple(scene["gravity"])),
            rigid_options=genesis.options.RigidOptions(
                friction_cone=genesis.friction_cone.elliptic,
                contact_resolution=getattr(genesis.contact_resolution, setting["contact"]),
                max_collision_pairs=max(150, 12 * count), iterations=100, constraint_timeconst=None))
        several = sum(simulation.is_dynamic(b) for b in scene["bodies"]) > 1
        self.overlap = OVERLAP[setting.get("substeps", 1)] if several else 0.0
        self.folder = tempfile.TemporaryDirectory()
        material = genesis.materials.Rigid(rho=1000.0, friction=simulation.friction_of(scene))
        self.entities = [self.world.add_entity(self.morph(genesis, k, body), material=material)
                         for k, body in enumerate(scene["bodies"])]
        self.world.build()
        self.start = simulation.start_state(scene)
        self.moving = [k for k, b in enumerate(scene["bodies"]) if simulation.is_dynamic(b)]
        self.links = [self.entities[k].links[0].idx for k in self.moving]
        self.set_velocities()

    def set_velocities(self):
        for k in self.moving:
            if self.start[2][k].any() or self.start[3][k].any():
                spin = simulation.rotate(self.start[1][k] * [1, -1, -1, -1], self.start[3][k])  # as in MuJoCo: own axes
                self.entities[k].set_dofs_velocity(np.concatenate([self.start[2][k], spin]).astype(np.float32))

    def morph(self, genesis, index, body):
        shape, fixed = simulation.grown(body["shapes"][0], self.overlap), not simulation.is_dynamic(body)
        pose = {"pos": tuple(body.get("position", [0, 0, 0])), "quat": tuple(body.get("rotation", [1, 0, 0, 0]))}
        if shape["type"] == "plane":
            normal = simulation.rotate(np.array(pose["quat"], dtype=float), np.array([0.0, 0, 1]))
            return genesis.morphs.Plane(pos=pose["pos"], normal=tuple(normal))
        if shape["type"] == "box":
            return genesis.morphs.Box(size=tuple(2 * h for h in shape["half"]), fixed=fixed, **pose)
        if shape["type"] == "sphere":
            return genesis.morphs.Sphere(radius=shape["radius"], fixed=fixed, **pose)
        path = os.path.join(self.folder.name, f"hull{index}.obj")
        write_obj(path, shape["vertices"])
        return genesis.morphs.Mesh(file=path, fixed=fixed, convexify=True, decimate=False, file_meshes_are_zup=True, **pose)

    def warm_up(self):
        self.world.step()
        self.world.reset()
        self.set_velocities()

    def step(self):
        self.world.step()

    def state(self):
        solver = self.world.rigid_solver
        position, quaternion, velocity, spin = (values.copy() for values in self.start)
        for values, found in ((position, solver.get_links_pos()), (quaternion, solver.get_links_quat()),
                              (velocity, solver.get_links_vel()), (spin, solver.get_links_ang())):
            values[self.moving] = np.asarray(found, dtype=float)[self.links]
        return position, quaternion, velocity, spin


if __name__ == "__main__":
    simulation.limit_threads()
    simulation.main(Genesis)
