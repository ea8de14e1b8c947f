# SPDX-License-Identifier: Apache-2.0
"""How far an engine's own contact impulses are from the exact Coulomb law, by the judge of Repose.

For one step: W = J M⁻¹ Jᵀ and v_f are rebuilt in double precision from the state before it, the contact points, the
normals and the masses of the description. Free motion is gravity and the gyroscopic torque, or a free rotation after the
impulses where an engine says so. v_f is the free velocity at the contact less the engine's own target for the normal
direction, so that v = W λ + v_f is zero where the engine's rule leaves the contact alone: its way of closing gaps or pushing
overlap out is not held against it.

Before anything is scored, free motion + M⁻¹ Jᵀ λ must give back the engine's own new velocities; `mismatch` says how
well, as a share of the largest velocity involved. A step that does not is not scored.
"""
import numpy as np

from simulation import CONTACT_FIELDS, is_dynamic, rotate

ALLOWED_MISMATCH = 1e-3  # single-precision engines reach 1e-4 … 1e-5, double-precision ones 1e-9 and better
LEVELS = (1e-4, 1e-6, 1e-8)  # at which a step counts as solved: r_c and nat within it


def tangents(n):
    """Two unit vectors that complete n (rows)."""
    s = np.where(n[:, 2] >= 0, 1.0, -1.0)
    a = -1 / (s + n[:, 2])
    b = n[:, 0] * n[:, 1] * a
    return (np.stack([1 + s * n[:, 0] ** 2 * a, s * b, -s * n[:, 0]], axis=1),
            np.stack([b, s + n[:, 1] ** 2 * a, -n[:, 1]], axis=1))


class Masses:
    """Inverse masses of a scene's bodies; what is fixed has none."""

    def __init__(self, scene, substeps=1):
        bodies = scene["bodies"]
        self.dynamic = np.array([is_dynamic(b) for b in bodies])
        self.mass = np.array([b["mass"]["mass"] if is_dynamic(b) else np.inf for b in bodies])
        self.inertia = np.array([b["mass"]["inertia"] if is_dynamic(b) else np.eye(3) for b in bodies], dtype=float)
        self.centre = np.array([b["mass"]["centre"] if is_dynamic(b) else [0, 0, 0] for b in bodies], dtype=float)
        self.gravity, self.dt = np.array(scene["gravity"], dtype=float), float(scene["dt"]) / substeps

    def turned(self, quaternion):
        R = np.stack([rotate(quaternion, np.broadcast_to(e, (len(quaternion), 3))) for e in np.eye(3)], axis=2)
        return np.einsum("bij,bjk,blk->bil", R, self.inertia, R)


def free_motion(masses, state, free_rotation=False):
    """Velocities after gravity and the gyroscopic torque, without contacts; world inertia and its inverse."""
    inertia = masses.turned(state["quaternion"])
    inverse = np.linalg.inv(inertia) * masses.dynamic[:, None, None]
    v, w = state["velocity"].copy(), state["angular_velocity"].copy()
    torque = -np.cross(w, np.einsum("bij,bj->bi", inertia, w))
    v[masses.dynamic] += masses.dt * masses.gravity
    if free_rotation:
        return v, w, inertia, inverse
    w += masses.dt * np.einsum("bij,bj->bi", inverse, torque)
    return v, w, inertia, inverse


def jacobian(masses, state, contacts):
    """Rows (t1, t2, n) per contact against 6 velocities per body, sparse."""
    from scipy.sparse import coo_array

    n = np.asarray(contacts["normal"], dtype=float)
    axes = np.stack([*tangents(n), n], axis=1)  # (n, 3, 3)
    count, rows = len(n), 3 * np.arange(len(n))[:, None] + np.arange(3)
    centre = state["position"] + rotate(state["quaternion"], masses.centre)
    entries, r, c = [], [], []
    for side, body in ((-1.0, contacts["body_a"]), (1.0, contacts["body_b"])):
        arm = contacts["position"] - centre[body]
        block = side * np.concatenate([axes, np.cross(arm[:, None, :], axes)], axis=2)  # v·a + (ω × r)·a = ω·(r × a)
        block[~masses.dynamic[body]] = 0
        entries.append(block)
        r.append(np.broadcast_to(rows[:, :, None], block.shape))
        c.append(np.broadcast_to((6 * np.asarray(body))[:, None, None] + np.arange(6), block.shape))
    flat = [np.concatenate(x).ravel() for x in (entries, r, c)]
    return coo_array((flat[0], (flat[1], flat[2])), shape=(3 * count, 6 * len(masses.mass))).tocsr(), axes


def inverse_mass(masses, inverse_inertia):
    from scipy.sparse import block_diag

    blocks = []
    for k, inverse in enumerate(inverse_inertia):
        blocks += [np.eye(3) / masses.mass[k], inverse]
    return block_diag(blocks, format="csr")


def spin_before_turning(masses, inverse, after):
    """Of bodies that turn freely once the impulses have acted: what their angular momentum was in the first attitude."""
    return np.einsum("bij,bjk,bk->bi", inverse, masses.turned(after["quaternion"]), after["angular_velocity"])


def score_step(masses, before, after, contacts, free_rotation=False):
    """{"r_c", "force", "velocity", "gap", "nat", "mismatch", "contacts"}, or only mismatch and contacts. `free_rotation`: the
    engine has no gyroscopic torque; it turns bodies freely after the impulses."""
    import repose

    if len(contacts["mu"]) == 0:
        return {"contacts": 0, "mismatch": 0.0, "r_c": 0.0, "nat": 0.0}
    v, w, inertia, inverse = free_motion(masses, before, free_rotation)
    J, axes = jacobian(masses, before, contacts)
    M_inverse = inverse_mass(masses, inverse)
    impulse = np.einsum("nij,nj->ni", axes, contacts["impulse"])
    u = np.concatenate([v, w], axis=1)
    gained = (M_inverse @ (J.T @ impulse.ravel())).reshape(u.shape)
    moved = masses.dynamic
    spin = spin_before_turning(masses, inverse, after) if free_rotation else after["angular_velocity"]
    new = np.concatenate([after["velocity"], spin], axis=1)
    size = np.cbrt(1.0 / np.linalg.det(inverse[moved] * masses.mass[moved, None, None]))**0.5  # radius of gyration, m
    weight = np.concatenate([np.ones((moved.sum(), 3)), np.repeat(size[:, None], 3, axis=1)], axis=1)
    scale = max(np.abs(weight * x[moved]).max() for x in (u, gained, new))
    found = {"contacts": len(impulse), "mismatch": float(np.abs(weight * (u + gained - new)[moved]).max() / scale)}
    if found["mismatch"] > ALLOWED_MISMATCH:
        return found
    v_free = (J @ u.ravel()).reshape(-1, 3)
    v_free[:, 2] -= contacts["target"]
    problem = repose.problem(J=J, inverse_mass=M_inverse, v_free=v_free, mu=contacts["mu"])
    judged = problem.certify(np.ascontiguousarray(impulse))
    return found | {key: float(getattr(judged, key)) for key in ("r_c", "force", "velocity", "gap", "nat")}


def sampled_steps(arrays):
    """(frame, state before its last step, state after it, contacts of that step)."""
    names, first = ("position", "quaternion", "velocity", "angular_velocity"), 0
    for k, (step, count) in enumerate(arrays["sampled"]):
        rows = slice(first, first + count)
        first += count
        yield (step, {name: arrays[f"before_{name}"][k] for name in names}, {name: arrays[name][step + 1] for name in names},
               {key: arrays[f"contact_{key}"][rows] for key in CONTACT_FIELDS})


def score_run(scene, arrays, until=np.inf, facts=None):
    """The sampled steps that end by the time `until`; None where the engine shows no impulses. `facts`: of the run."""
    if not len(arrays["sampled"]):
        return None
    facts = facts or {}
    masses, turns = Masses(scene, facts.get("substeps", 1)), facts.get("free_rotation", False)
    return summary([score_step(masses, before, after, contacts, turns) for step, before, after, contacts in sampled_steps(arrays)
                    if (step + 1) * scene["dt"] <= until])


def summary(steps):
    touched = [s for s in steps if s["contacts"]]
    scored = [s for s in touched if "r_c" in s]
    result = {"steps": len(touched), "scored": len(scored)}
    if touched:
        result["mismatch"] = {"median": float(np.median([s["mismatch"] for s in touched])),
                              "max": max(s["mismatch"] for s in touched)}
    if scored:
        result["solved"] = {f"{level:g}": sum(max(s["r_c"], s["nat"]) <= level for s in scored) / len(scored) for level in LEVELS}
        result["r_c"] = {"median": float(np.median([s["r_c"] for s in scored])), "max": max(s["r_c"] for s in scored)}
        result["nat"] = {"median": float(np.median([s["nat"] for s in scored])), "max": max(s["nat"] for s in scored)}
    return result
