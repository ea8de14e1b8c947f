# SPDX-License-Identifier: Apache-2.0
"""Kamino, the hard-contact solver of Newton (single precision, PADMM), on the CPU. Reasons: docs/peers/settings.md."""
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
import simulation  # noqa: E402

GAP = 2e-3  # m: contacts are seen this early; the default of 0.1 m fills the matrices with contacts that never act


def capacity_of(scene):
    """Kamino sizes dense matrices by it: too little drops contacts, too much is slow. Twelve a body covers these scenes."""
    return 8 + 12 * sum(simulation.is_dynamic(b) for b in scene["bodies"])


class Kamino:
    def __init__(self, scene, setting):
        import newton
        import warp

        warp.config.quiet = True
        warp.init()
        self.warp, self.version, self.scene, self.newton = warp, newton.__version__, scene, newton
        self.start, self.dt = simulation.start_state(scene), float(scene["dt"])
        with warp.ScopedDevice("cpu"):
            self.build(newton, setting)

    def transform(self, body):
        q = body.get("rotation", [1, 0, 0, 0])
        return self.warp.transform(body.get("position", [0, 0, 0]), (q[1], q[2], q[3], q[0]))

    def add_shape(self, builder, index, shape, pose, config):
        if shape["type"] == "plane":
            builder.add_shape_plane(None, xform=pose, width=0.0, length=0.0, body=index, cfg=config)
        elif shape["type"] == "box":
            hx, hy, hz = shape["half"]
            builder.add_shape_box(index, xform=pose, hx=hx, hy=hy, hz=hz, cfg=config)
        elif shape["type"] == "sphere":
            builder.add_shape_sphere(index, xform=pose, radius=shape["radius"], cfg=config)
        else:
            import scipy.spatial

            points = np.array(shape["vertices"])
            hull = scipy.spatial.ConvexHull(points)
            triangles = hull.simplices.copy()
            outward = np.einsum("ij,ij->i", np.cross(points[triangles[:, 1]] - points[triangles[:, 0]],
                                                     points[triangles[:, 2]] - points[triangles[:, 0]]), hull.equations[:, :3])
            triangles[outward < 0] = triangles[outward < 0][:, ::-1]
            mesh = self.newton.Mesh(points.astype(np.float32), triangles.ravel().astype(np.int32))
            builder.add_shape_convex_hull(index, xform=pose, mesh=mesh, cfg=config)

    def build(self, newton, setting):
        wp, scene = self.warp, self.scene
        builder = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=tuple(scene["gravity"]))
        builder.rigid_gap = GAP
        config = newton.ModelBuilder.ShapeConfig(mu=simulation.friction_of(scene), restitution=0.0, density=0.0, gap=GAP,
                                                 mu_torsional=0.0, mu_rolling=0.0)
        newton.solvers.SolverKamino.register_custom_attributes(builder)
        self.moving, self.index = [], {}
        for k, body in enumerate(scene["bodies"]):
            if simulation.is_dynamic(body):
                mass = body["mass"]
                self.index[k] = builder.add_body(xform=self.transform(body), mass=mass["mass"], com=mass["centre"],
                                                 inertia=wp.mat33(np.array(mass["inertia"], dtype=np.float32)),
                                                 lock_inertia=True)
                self.moving.append(k)
                self.add_shape(builder, self.index[k], body["shapes"][0], None, config)
            else:
                self.add_shape(builder, -1, body["shapes"][0], self.transform(body), config)
        self.moving = np.array(self.moving)
        model = self.model = builder.finalize()
        model.rigid_contact_max = capacity_of(scene)
        Config = newton.solvers.SolverKamino.Config
        options = Config.from_model(model)
        options.dynamics.linear_solver_type = setting["linear_solver"]
        options.dynamics.cull_speculative_contacts = False
        options.padmm.rho_0 = setting.get("rho", 0.1)
        self.solver = newton.solvers.SolverKamino(model, config=options)
        self.gamma, self.delta = options.constraints.gamma, options.constraints.delta
        self.pipeline = newton.CollisionPipeline(model, rigid_contact_max=model.rigid_contact_max, contact_matching="sticky"
                                                 if setting.get("sticky") else "disabled")
        self.contact_buffer = self.pipeline.contacts()
        self.states = [model.state(), model.state()]
        self.control = model.control()
        twists = np.zeros((model.body_count, 6), dtype=np.float32)
        for k, body in self.index.items():
            twists[body] = np.concatenate([self.start[2][k], self.start[3][k]])
        for state in self.states:
            state.body_qd.assign(twists)
            state.joint_qd.assign(twists.ravel())
        self.status_steps, self.solved_steps = 0, 0

    @property
    def facts(self):
        return {"own_tolerance_share": self.solved_steps / max(1, self.status_steps)}

    def warm_up(self):
        kept = [a.numpy().copy() for s in self.states for a in (s.body_q, s.body_qd, s.joint_q, s.joint_qd)]
        self.step()
        self.states.reverse()
        arrays = [a for s in self.states for a in (s.body_q, s.body_qd, s.joint_q, s.joint_qd)]
        for array, values in zip(arrays, kept):
            array.assign(values)
        self.solver.reset(self.states[0], config=self.newton.solvers.SolverKamino.ResetConfig.preserve())
        for array, values in zip(arrays, kept):
            array.assign(values)
        self.status_steps = self.solved_steps = 0

    def step(self):
        with self.warp.ScopedDevice("cpu"):
            a, b = self.states
            self.pipeline.collide(a, self.contact_buffer)
            self.solver.step(a, b, self.control, self.contact_buffer, self.dt)
            self.states = [b, a]

    def state(self):
        self.status_steps += 1
        self.solved_steps += int(bool(self.solver.status.numpy()["converged"][0]))
        position, quaternion, velocity, spin = (values.copy() for values in self.start)
        q, u = self.states[0].body_q.numpy().astype(float), self.states[0].body_qd.numpy().astype(float)
        rows = [self.index[k] for k in self.moving]
        position[self.moving] = q[rows, :3]
        quaternion[self.moving] = q[rows][:, [6, 3, 4, 5]]
        velocity[self.moving], spin[self.moving] = u[rows, :3], u[rows, 3:]
        return position, quaternion, velocity, spin

    def contacts(self):
        """Its reactions are forces in the contact's frame, whose third axis is the normal from body A to body B."""
        found = self.solver._contacts_kamino
        n = int(found.model_active_contacts.numpy()[0])
        frame = found.frame.numpy()[:n].astype(float)[:, [3, 0, 1, 2]]
        axes = np.stack([simulation.rotate(frame, np.broadcast_to(e, (n, 3))) for e in np.eye(3)], axis=1)
        reaction = found.reaction.numpy()[:n].astype(float)
        gap = found.gapfunc.numpy()[:n, 3].astype(float)
        bodies = found.bid_AB.numpy()[:n]
        scene_of = np.full(self.model.body_count + 1, 0)  # the last entry, index -1, is the first fixed body
        for k, body in self.index.items():
            scene_of[body] = k
        scene_of[-1] = next(k for k, b in enumerate(self.scene["bodies"]) if not simulation.is_dynamic(b))
        gap = np.sign(gap) * np.maximum(0, np.abs(gap) - self.delta)
        bias = (self.gamma * np.minimum(0, gap) + np.maximum(0, gap)) / self.dt
        middle = 0.5 * (found.position_A.numpy()[:n] + found.position_B.numpy()[:n]).astype(float)
        return {"body_a": scene_of[bodies[:, 0]], "body_b": scene_of[bodies[:, 1]], "position": middle, "normal": axes[:, 2],
                "mu": found.material.numpy()[:n, 0].astype(float),
                "impulse": self.dt * np.einsum("ni,nij->nj", reaction, axes), "target": -bias}


if __name__ == "__main__":
    simulation.limit_threads()
    simulation.main(Kamino)
