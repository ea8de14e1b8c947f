# SPDX-License-Identifier: Apache-2.0
"""MuJoCo-Warp (single precision) on the CPU. The settings and their reasons: docs/peers/settings.md."""
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
import mjcf  # noqa: E402
import simulation  # noqa: E402

OVERLAP = {"cards": 2e-5, "arch": 5e-4, "stack": 5e-4, "incline": 1e-4}  # m, as in mjcf.py, for single precision


class MuJoCoWarp:
    def __init__(self, scene, setting):
        import mujoco
        import mujoco_warp
        import warp

        warp.config.quiet = True
        warp.init()
        self.warp, self.mjw, self.scene = warp, mujoco_warp, scene
        self.version = __import__("importlib.metadata", fromlist=["version"]).version("mujoco-warp")
        option = {"cone": "elliptic", "solver": "Newton", "impratio": repr(float(setting["impratio"])), "iterations": "100",
                  "tolerance": "1e-8"}
        text = mjcf.translate(scene, option, {"multiccd": "enable"}, OVERLAP)
        host = mujoco.MjModel.from_xml_string(text)
        self.moving = np.array([k for k, b in enumerate(scene["bodies"]) if simulation.is_dynamic(b)])
        ids = np.array([host.body(f"body{k}").id for k in range(len(scene["bodies"]))])
        self.dofs = host.body_dofadr[ids[self.moving]]
        self.coordinates = host.jnt_qposadr[host.body_jntadr[ids[self.moving]]]
        self.start = simulation.start_state(scene)
        data = mujoco.MjData(host)
        for k, dof in zip(self.moving, self.dofs):
            q, v, w = (values[k] for values in self.start[1:])
            data.qvel[dof:dof + 6] = np.concatenate([v, simulation.rotate(q * [1, -1, -1, -1], w)])
        mujoco.mj_forward(host, data)
        capacity = 64 + 12 * len(scene["bodies"])  # contacts: twice what these scenes have
        with warp.ScopedDevice("cpu"):
            self.model = mujoco_warp.put_model(host)
            self.data = mujoco_warp.put_data(host, data, nconmax=capacity, njmax=3 * capacity)
        self.dt, self.geom_body = float(scene["dt"]), host.geom_bodyid
        self.scene_index = np.full(host.nbody, -1)
        self.scene_index[ids] = np.arange(len(ids))
        self.first = self.data.qpos.numpy().copy(), self.data.qvel.numpy().copy()

    def warm_up(self):
        self.step()
        self.data.qpos.assign(self.first[0])
        self.data.qvel.assign(self.first[1])
        self.data.time.zero_()
        self.data.qacc_warmstart.zero_()

    def step(self):
        with self.warp.ScopedDevice("cpu"):
            self.mjw.step(self.model, self.data)

    def state(self):
        position, quaternion, velocity, spin = (values.copy() for values in self.start)
        qpos, qvel = self.data.qpos.numpy()[0].astype(float), self.data.qvel.numpy()[0].astype(float)
        k, q, v = self.moving, self.coordinates[:, None], self.dofs[:, None]
        position[k] = qpos[q + np.arange(3)]
        quaternion[k] = qpos[q + np.arange(3, 7)]
        spin[k] = simulation.rotate(quaternion[k], qvel[v + np.arange(3, 6)])
        centres = np.array([self.scene["bodies"][i]["mass"]["centre"] for i in k])
        velocity[k] = qvel[v + np.arange(3)] + np.cross(spin[k], simulation.rotate(quaternion[k], centres))
        return position, quaternion, velocity, spin

    def contacts(self):
        """As for native MuJoCo: forces times the time step, the spring's own yield left to it in the normal direction."""
        d, found = self.data, self.data.contact
        n = int(d.nacon.numpy()[0])
        address = found.efc_address.numpy()[:n, 0]
        rows = np.flatnonzero(address >= 0)
        address = address[rows]
        force, aref, vel, stiffness = (getattr(d.efc, name).numpy()[0].astype(float) for name in ("force", "aref", "vel", "D"))
        frame = found.frame.numpy()[rows].reshape(-1, 3, 3).astype(float)
        local = force[address[:, None] + np.arange(3)]
        bodies = self.scene_index[self.geom_body[found.geom.numpy()[rows]]].reshape(-1, 2)
        target = vel[address] + self.dt * (aref[address] - local[:, 0] / stiffness[address])
        return {"body_a": bodies[:, 0], "body_b": bodies[:, 1], "position": found.pos.numpy()[rows].astype(float),
                "normal": frame[:, 0], "mu": found.friction.numpy()[rows, 0].astype(float),
                "impulse": self.dt * np.einsum("ni,nij->nj", local, frame), "target": target}


if __name__ == "__main__":
    simulation.limit_threads()
    simulation.main(MuJoCoWarp)
