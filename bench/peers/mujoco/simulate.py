# SPDX-License-Identifier: Apache-2.0
"""Native MuJoCo (C, double) through its Python package. The settings and their reasons: docs/peers/settings.md."""
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
import mjcf  # noqa: E402
import simulation  # noqa: E402


class MuJoCo:
    def __init__(self, scene, setting):
        import mujoco

        self.mujoco, self.version, self.scene = mujoco, mujoco.__version__, scene
        self.cone = setting.get("cone", "elliptic")
        option = {"cone": self.cone, "solver": "Newton", "impratio": repr(float(setting["impratio"])),
                  "noslip_iterations": str(setting.get("noslip", 0)), "iterations": "100", "tolerance": "1e-8"}
        self.substeps = int(setting.get("substeps", 1))
        scene = dict(scene, dt=scene["dt"] / self.substeps)
        geom = {"solimp": setting["solimp"]} if "solimp" in setting else {}
        overlap = mjcf.OVERLAP_STIFF if geom else mjcf.OVERLAP
        overlap = {family: by / self.substeps for family, by in overlap.items()}  # shorter steps sink less
        self.model = mujoco.MjModel.from_xml_string(mjcf.translate(scene, option, {"multiccd": "enable"}, overlap, geom))
        self.data = mujoco.MjData(self.model)
        self.ids = np.array([self.model.body(f"body{k}").id for k in range(len(scene["bodies"]))])
        self.scene_index = np.full(self.model.nbody, -1)
        self.scene_index[self.ids] = np.arange(len(self.ids))
        self.moving = np.array([k for k, b in enumerate(scene["bodies"]) if simulation.is_dynamic(b)])
        self.dofs = self.model.body_dofadr[self.ids[self.moving]]
        self.coordinates = self.model.jnt_qposadr[self.model.body_jntadr[self.ids[self.moving]]]
        self.start = simulation.start_state(scene)
        for k, dof in zip(self.moving, self.dofs):
            # A free joint turns about the frame's origin: linear velocity there, spin in the body's own axes.
            self.data.qvel[dof:dof + 6] = np.concatenate(self.joint_velocity(k))

    def joint_velocity(self, k):
        _, q, v, w = (values[k] for values in self.start)
        arm = simulation.rotate(q, np.array(self.scene["bodies"][k]["mass"]["centre"]))
        return v - np.cross(w, arm), simulation.rotate(q * [1, -1, -1, -1], w)

    def step(self, substeps=None):
        self.mujoco.mj_step(self.model, self.data, substeps or self.substeps)

    def state(self):
        position, quaternion, velocity, spin = (values.copy() for values in self.start)
        k, q, v = self.moving, self.coordinates[:, None], self.dofs[:, None]
        position[k] = self.data.qpos[q + np.arange(3)]
        quaternion[k] = self.data.qpos[q + np.arange(3, 7)]
        spin[k] = simulation.rotate(quaternion[k], self.data.qvel[v + np.arange(3, 6)])
        centres = np.array([self.scene["bodies"][i]["mass"]["centre"] for i in k])
        velocity[k] = self.data.qvel[v + np.arange(3)] + np.cross(spin[k], simulation.rotate(quaternion[k], centres))
        return position, quaternion, velocity, spin

    def contacts(self):
        """Impulses of the last step as mj_step used them: its forces times its time step."""
        d, h, found = self.data, self.model.opt.timestep, self.data.contact
        rows = np.flatnonzero(found.efc_address[:d.ncon] >= 0)
        frame = found.frame[rows].reshape(-1, 3, 3)  # rows: normal from the first body to the second, two tangents
        mu = found.friction[rows, 0]
        force, target = (self.elliptic if self.cone == "elliptic" else self.pyramidal)(found.efc_address[rows], mu, h)
        bodies = self.scene_index[self.model.geom_bodyid[found.geom[rows]]].reshape(-1, 2)
        return {"body_a": bodies[:, 0], "body_b": bodies[:, 1], "position": found.pos[rows], "normal": frame[:, 0],
                "mu": mu, "impulse": h * np.einsum("ni,nij->nj", force, frame), "target": target}

    def targets(self, rows, h):
        """Contacts are springs by design: what the spring of its own model yields is its rule."""
        d = self.data
        return d.efc_vel[rows] + h * (d.efc_aref[rows] - d.efc_R[rows] * d.efc_force[rows])

    def elliptic(self, address, _, h):
        """Forces (normal, two tangents); only in the normal direction may its springs yield, as friction that creeps is not
        Coulomb's."""
        return self.data.efc_force[address[:, None] + np.arange(3)], self.targets(address, h)

    def pyramidal(self, address, mu, h):
        """Four edges n ± μ t: normal velocities are the mean of theirs, tangents cancel."""
        edges = address[:, None] + np.arange(4)
        f = self.data.efc_force[edges]
        return np.stack([f.sum(axis=1), mu * (f[:, 0] - f[:, 1]), mu * (f[:, 2] - f[:, 3])], axis=1), self.targets(edges, h).mean(axis=1)


if __name__ == "__main__":
    simulation.limit_threads()
    simulation.main(MuJoCo)
