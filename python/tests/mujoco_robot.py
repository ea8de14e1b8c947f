# SPDX-License-Identifier: Apache-2.0
"""The same robot in Repose and in MuJoCo, for comparisons of accelerations."""
import json

import mujoco
import numpy as np

import repose


class Robot:
    """The same robot in both programs. Repose's state is the one that counts; MuJoCo takes it over."""

    def __init__(self, path, seed, peer=None, **options):
        self.random = np.random.default_rng(seed)
        self.scene = json.loads(repose.load(path, **options).to_json())
        for body in self.scene["bodies"]:
            for shape in body.get("shapes", []):
                shape["mask"] = 0
        for joint in self.scene["joints"]:
            for coordinate in joint.get("coordinates", []):
                coordinate.pop("lower", None), coordinate.pop("upper", None)
        self.peer = peer or mujoco.MjModel.from_xml_path(str(path))
        if self.peer.nu == 0:
            self.scene["actuators"] = []
        flags = mujoco.mjtDisableBit
        self.peer.opt.disableflags |= flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT
        self.peer.opt.tolerance, self.peer.opt.iterations = 0, 200
        self.peer.dof_solref[:] = self.peer.tendon_solref_fri[:] = -1, -1e9  # dry friction that is as good as rigid: it slides with all of its force
        self.forward = mujoco.MjData(self.peer)
        names = [body["name"] for body in self.scene["bodies"]]
        self.peer_names = self.names_of_bodies()
        self.bodies = [names.index(self.root_name(b)) if self.moves(b) else None for b in range(self.peer.nbody)]

    def moves(self, b):
        return self.peer.body_weldid[b] != 0

    def names_of_bodies(self):
        """MuJoCo's bodies by Repose's names: those without one have their number."""
        return [self.peer.body(b).name or f"body-{b}" for b in range(self.peer.nbody)]

    def root_name(self, b):
        return self.peer_names[self.peer.body_weldid[b]]

    def data(self, h):
        self.scene["dt"] = h
        self.model = repose.Model.from_json(json.dumps(self.scene))
        return repose.Data(self.model, tol=1e-12)

    def move(self, seconds=0.2):
        """Moves the mechanism under random controls, so that loops stay closed: state (nbody, 13) and controls."""
        data = self.data(0.001)
        ctrl = np.array([self.random.uniform(*np.clip([a.get("control_lower", -1), a.get("control_upper", 1)], -1, 1))
                         for a in self.scene["actuators"]])
        for _ in range(int(seconds / 0.001)):
            data.ctrl = ctrl
            repose.step(self.model, data)
        self.ctrl = ctrl
        self.take_over(data)
        self.close_loops()
        self.qpos = self.forward.qpos.copy()
        # Angles count whole turns, and two sets of three angles give the same pose: fresh data starts from these.
        values = dict(zip(self.model.joint_names, data.joint_position))
        for joint in self.scene["joints"]:
            for coordinate in joint.get("coordinates", []):
                coordinate["start"] = values.get(coordinate.get("name", joint.get("name")), 0)

    def close_loops(self):
        """Newton's method on the equalities, to rounding."""
        m, d = self.peer, self.forward
        for _ in range(10):
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)
            rows, _ = self.loops()
            if len(rows):
                mujoco.mj_integratePos(m, d.qpos, -np.linalg.pinv(rows, rcond=1e-10) @ self.gaps(), 1)

    def gaps(self):
        m, d = self.peer, self.forward
        all_gaps = []
        for e in range(m.neq):
            one, two = m.eq_obj1id[e], m.eq_obj2id[e]
            if m.eq_type[e] == mujoco.mjtEq.mjEQ_CONNECT:
                ends = [d.xpos[b] + d.xmat[b].reshape(3, 3) @ m.eq_data[e, 3 * k:3 * k + 3] for k, b in enumerate((one, two))]
                all_gaps.append(ends[0] - ends[1])
            else:
                q = [d.qpos[m.jnt_qposadr[j]] - m.qpos0[m.jnt_qposadr[j]] for j in (one, two)]
                all_gaps.append([q[0] - np.polynomial.Polynomial(m.eq_data[e, :5])(q[1])])
        return np.concatenate(all_gaps)

    def place(self, data):
        """Repose's poses from MuJoCo's."""
        m, d = self.peer, self.forward
        d.qpos[:] = self.qpos
        mujoco.mj_kinematics(m, d)
        for b in range(1, m.nbody):
            if self.bodies[b] is not None and m.body_weldid[b] == b:
                k = self.bodies[b]
                data.position[k] = d.xpos[b] + d.xmat[b].reshape(3, 3) @ self.model.centre[k]
                data.quaternion[k] = d.xquat[b]

    def take_over(self, data):
        """MuJoCo's qpos from Repose's poses."""
        d, m = self.forward, self.peer
        q = dict(zip(self.model.joint_names, data.joint_position))
        frames = {self.model.body_names[b]: (data.frame_position[b], data.quaternion[b]) for b in range(self.model.nbody)}
        for j in range(m.njnt):
            at = m.jnt_qposadr[j]
            body = self.peer_names[m.jnt_bodyid[j]]
            if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                d.qpos[at:at + 3], d.qpos[at + 3:at + 7] = frames[body]
            elif m.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL:
                parent = frames[self.peer_names[m.body_parentid[m.jnt_bodyid[j]]]][1]
                rest = np.zeros(4)
                mujoco.mju_mulQuat(rest, parent, m.body_quat[m.jnt_bodyid[j]])
                mujoco.mju_negQuat(rest, rest.copy())
                mujoco.mju_mulQuat(d.qpos[at:at + 4], rest, frames[body][1])
            else:
                d.qpos[at] = q[m.joint(j).name]
        d.ctrl[:] = self.ctrl

    def mass_matrix(self):
        full = np.zeros((self.peer.nv, self.peer.nv))
        mujoco.mj_fullM(self.peer, self.forward, full)
        return full

    def loops(self):
        """Rows of the equalities and their derivative along the motion times it: J, J' v."""
        m, d = self.peer, self.forward
        rows, rates = [], []
        for e in range(m.neq):
            if m.eq_type[e] == mujoco.mjtEq.mjEQ_CONNECT:
                both = []
                for k, body in enumerate((m.eq_obj1id[e], m.eq_obj2id[e])):
                    point = d.xpos[body] + d.xmat[body].reshape(3, 3) @ m.eq_data[e, 3 * k:3 * k + 3]
                    jac, dot = np.zeros((3, m.nv)), np.zeros((3, m.nv))
                    mujoco.mj_jac(m, d, jac, None, point, body)
                    mujoco.mj_jacDot(m, d, dot, None, point, body)
                    both.append((jac, dot @ d.qvel))
                rows.append(both[0][0] - both[1][0])
                rates.append(both[0][1] - both[1][1])
            else:
                assert m.eq_type[e] == mujoco.mjtEq.mjEQ_JOINT
                curve = np.polynomial.Polynomial(m.eq_data[e, :5])
                second = m.eq_obj2id[e]
                q, dof = d.qpos[m.jnt_qposadr[second]] - m.qpos0[m.jnt_qposadr[second]], m.jnt_dofadr[second]
                row = np.zeros((1, m.nv))
                row[0, m.jnt_dofadr[m.eq_obj1id[e]]] = 1
                row[0, dof] = -curve.deriv()(q)
                rows.append(row)
                rates.append([-curve.deriv(2)(q) * d.qvel[dof] ** 2])
        return np.vstack([*rows, np.zeros((0, m.nv))]), np.concatenate([*rates, np.zeros(0)])

    def constrained(self, M, force, rows, rates):
        """a with M a = force + rowsᵀ λ, rows a = −rates; rows may depend on each other."""
        n, k = M.shape[0], rows.shape[0]
        system = np.block([[M, rows.T], [rows, np.zeros((k, k))]])
        scale = 1 / np.sqrt(np.concatenate([np.diag(M), np.full(k, 1.0)]))
        x = np.linalg.lstsq(system * scale[:, None] * scale, scale * np.concatenate([force, -rates]), rcond=1e-14)[0]
        return (scale * x)[:n]

    def velocities(self, data):
        """qvel nearest to Repose's velocities, in the metric of the masses, with rotors and closed loops.

        The velocities of a step carry its positions from constraint to constraint and are not tangential at its end.
        """
        m, d = self.peer, self.forward
        self.take_over(data)
        mujoco.mj_forward(m, d)
        momentum = np.zeros(m.nv)
        for b in range(1, m.nbody):
            if self.bodies[b] is None:
                continue
            linear, angular = np.zeros((3, m.nv)), np.zeros((3, m.nv))
            mujoco.mj_jacBodyCom(m, d, linear, angular, b)
            k = self.bodies[b]
            spin = data.angular_velocity[k]
            velocity = data.velocity[k] + np.cross(spin, d.xipos[b] - data.position[k])
            axes = d.ximat[b].reshape(3, 3)
            momentum += linear.T @ (m.body_mass[b] * velocity) + angular.T @ (axes @ (m.body_inertia[b] * (axes.T @ spin)))
        rates = dict(zip(self.model.joint_names, data.joint_velocity))
        for j in range(m.njnt):
            if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE or m.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE:
                dof = m.jnt_dofadr[j]
                momentum[dof] += m.dof_armature[dof] * rates[m.joint(j).name]
        for t, row in enumerate(self.tendon_rows()):
            if m.tendon_armature[t] > 0:
                momentum += m.tendon_armature[t] * rates[m.tendon(t).name] * row
        rows, _ = self.loops()
        return self.constrained(self.mass_matrix(), momentum, rows, np.zeros(rows.shape[0]))

    def tendon_rows(self):
        """Derivatives of the tendons' lengths."""
        m, d = self.peer, self.forward
        rows = np.zeros((m.ntendon, m.nv))
        for t in range(m.ntendon):
            part = slice(m.ten_J_rowadr[t], m.ten_J_rowadr[t] + m.ten_J_rownnz[t])
            rows[t, m.ten_J_colind[part]] = d.ten_J[part]
        return rows

    def set_velocities(self, data, qvel):
        m, d = self.peer, self.forward
        for b in range(1, m.nbody):
            if self.bodies[b] is None or m.body_weldid[b] != b:
                continue
            k, v = self.bodies[b], np.zeros(6)
            linear, angular = np.zeros((3, m.nv)), np.zeros((3, m.nv))
            mujoco.mj_jac(m, d, linear, angular, data.position[k], b)
            data.velocity[k], data.angular_velocity[k] = linear @ qvel, angular @ qvel

    def expected(self):
        """MuJoCo's acceleration with rigid equalities and dry friction that slides."""
        m, d = self.peer, self.forward
        mujoco.mj_forward(m, d)
        force = d.qfrc_passive + d.qfrc_actuator - d.qfrc_bias - m.dof_frictionloss * np.sign(d.qvel)
        force -= self.tendon_rows().T @ (m.tendon_frictionloss * np.sign(d.ten_velocity))
        return self.constrained(self.mass_matrix(), force, *self.loops())

    def fastest_rate(self, qvel):
        """How fast dampers and servos change velocities, 1/s."""
        d, m = self.forward, self.peer
        at, slopes = self.expected(), np.zeros((m.nv, m.nv))
        for k in range(m.nv):
            d.qvel[k] += 1e-6
            slopes[:, k] = (self.expected() - at) / 1e-6
            d.qvel[:] = qvel
        return np.abs(np.linalg.eigvals(slopes)).max()

    def found(self, qvel, h):
        data = self.data(h)
        self.place(data)
        self.forward.qvel[:] = qvel
        mujoco.mj_forward(self.peer, self.forward)
        self.set_velocities(data, qvel)
        data.ctrl = self.ctrl
        report = repose.step(self.model, data)
        assert report.solved
        return (self.velocities(data) - qvel) / h

    def compare(self):
        """The acceleration that is wanted and the one that is found, in a state with random velocities."""
        m, d = self.peer, self.forward
        mujoco.mj_forward(m, d)
        rows, _ = self.loops()
        qvel = self.constrained(self.mass_matrix(), self.mass_matrix() @ self.random.normal(size=m.nv), rows, np.zeros(len(rows)))
        d.qvel[:] = qvel
        wanted = self.expected()
        if m.neq == 0:  # MuJoCo's own answer, where no equality of its is soft
            assert np.abs(d.qacc - wanted).max() <= 1e-7 * np.abs(wanted).max()
        h = min(3e-4 / self.fastest_rate(qvel), 1e-6)  # shorter steps would show the rounding of velocities
        # Differences are of first order in h: three of them give third order.
        return wanted, (8 * self.found(qvel, h) - 6 * self.found(qvel, 2 * h) + self.found(qvel, 4 * h)) / 3
