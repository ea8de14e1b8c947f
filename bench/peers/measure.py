# SPDX-License-Identifier: Apache-2.0
"""What a trajectory says about an engine: one set of measures for all of them.

moved       largest displacement of any body's mass centre from its start, at any time, m
sink        largest fall of a mass centre along the normal of the ground within the first second, m
creep       largest mean speed of a body over the last second that was simulated, m/s
lift        largest rise of a mass centre along the normal of the ground it started on, m
gives way   structures: when a body has first moved by a quarter of its longest edge, s; null: it stands
error       single bodies: against the closed form, stepped as the engine steps
overlap     moving scenes: deepest overlap of two bodies, as a share of the thinner one
rise        moving scenes: largest rise of kinetic and potential energy above an earlier value, as a share of all that is lost
"""
import json

import numpy as np

from description import MOVING
from simulation import body_edge, friction_of, is_dynamic, rotate

GIVES_WAY = 0.25  # share of a body's longest edge


def mass_centres(scene, arrays):
    local = np.array([b.get("mass", {}).get("centre", [0, 0, 0]) for b in scene["bodies"]], dtype=float)
    q = arrays["quaternion"]
    return arrays["position"] + rotate(q, np.broadcast_to(local, q.shape[:2] + (3,)))


def ground_normal(scene):
    """Of the first plane."""
    for body in scene["bodies"]:
        if any(s["type"] == "plane" for s in body["shapes"]):
            return rotate(np.array(body.get("rotation", [1, 0, 0, 0]), dtype=float), np.array([0.0, 0, 1]))
    return np.array([0.0, 0, 1])


def common(scene, arrays):
    moving = [k for k, b in enumerate(scene["bodies"]) if is_dynamic(b)]
    path = mass_centres(scene, arrays)[:, moving]
    away = path - path[0]
    distance = np.linalg.norm(away, axis=2)
    last = min(len(path) - 1, round(1 / scene["dt"]))
    creep = np.linalg.norm(path[-1] - path[-1 - last], axis=1).max() / max(last * scene["dt"], 1e-300) if last else 0.0
    edges = np.array([body_edge(scene["bodies"][k]) for k in moving])
    over = np.flatnonzero((distance > GIVES_WAY * edges).any(axis=1))
    height = away @ ground_normal(scene)
    first = height[:1 + round(1 / scene["dt"])]
    return {"moved": float(distance.max()), "sink": float(-first.min()), "creep": float(creep), "lift": float(height.max()),
            "gives_way": float(over[0] * scene["dt"]) if len(over) else None}, path


def energies(scene, arrays):
    """Kinetic and potential energy of all moving bodies, one number a state, J."""
    moving = [k for k, b in enumerate(scene["bodies"]) if is_dynamic(b)]
    mass = np.array([scene["bodies"][k]["mass"]["mass"] for k in moving])
    inertia = np.array([scene["bodies"][k]["mass"]["inertia"] for k in moving], dtype=float)
    q = arrays["quaternion"][:, moving]
    spin = rotate(q * [1, -1, -1, -1], arrays["angular_velocity"][:, moving])  # in the bodies' own axes
    kinetic = 0.5 * (arrays["velocity"][:, moving] ** 2).sum(axis=2) @ mass + 0.5 * np.einsum("tbi,bij,tbj->t", spin, inertia, spin)
    return kinetic - mass_centres(scene, arrays)[:, moving] @ np.array(scene["gravity"], dtype=float) @ mass


def energy_rise(energy):
    lost = energy[0] - energy.min()
    return float((energy - np.minimum.accumulate(energy)).max() / lost) if lost > 0 else 0.0


def overlap_shares(scene, arrays, every):
    """Deepest overlap of every Nth state, for all engines by the collision detection of Repose on the described shapes."""
    import repose

    still = dict(scene, gravity=[0, 0, 0], recovery=0.0, dt=1e-6 * scene["dt"])  # nothing moves, so nothing is to be solved
    data = repose.Data(repose.Model.from_json(json.dumps(still)), warm_start=False)
    centres, found = mass_centres(scene, arrays), []
    for k in range(0, len(centres), every):
        data.position, data.quaternion = centres[k], arrays["quaternion"][k]
        data.velocity, data.angular_velocity = 0.0, 0.0
        repose.step(data.model, data)
        found.append(data.report.overlap_share)
    return np.array(found)


OVERLAP_EVERY = 3  # frames


def in_motion(scene, arrays):
    energy = energies(scene, arrays)
    turned = 2 * np.arccos(np.clip(np.abs((arrays["quaternion"][-1] * arrays["quaternion"][0]).sum(axis=1)), 0, 1))
    return {"overlap": float(overlap_shares(scene, arrays, OVERLAP_EVERY).max()), "rise": energy_rise(energy),
            "lost": float(energy[0] - energy[-1]), "toppled": int((turned > np.pi / 4).sum()), "gives_way": None}


def tilt_degrees(arrays, k):
    """Largest angle between a body's axes and where they started."""
    q = arrays["quaternion"][:, k]
    return float(np.degrees(2 * np.arccos(np.clip(np.abs(q @ q[0]), 0, 1)).max()))


def sliding_distance(speed, deceleration, h, steps):
    """A point under Coulomb friction, stepped by semi-implicit Euler: velocity first, it stops within a step."""
    x = 0.0
    for _ in range(steps):
        speed = max(0.0, speed - h * deceleration)
        x += h * speed
    return x


def slides_until(scene):
    """When the exact body stops sliding, s: the law is judged until then, as a body at rest or rolling proves little."""
    moving = next(b for b in scene["bodies"] if is_dynamic(b))
    mu, g = friction_of(scene), -scene["gravity"][2]
    if scene["name"].startswith("launched"):
        return float(np.linalg.norm(moving["velocity"]) / (mu * g))
    if scene["name"].startswith("backspin"):
        slip = moving["velocity"][0] - moving["shapes"][0]["radius"] * moving["angular_velocity"][1]
        return float(2 / 7 * slip / (mu * g))
    return float("inf")


def single(scene, arrays, path, substeps):
    """Closed forms of the scenes with one body. `substeps` of the engine enter its own discrete reference."""
    mu, g, h = friction_of(scene), -scene["gravity"][2], scene["dt"] / substeps
    steps = (len(path) - 1) * substeps
    moving = next(k for k, b in enumerate(scene["bodies"]) if is_dynamic(b))
    name = scene["name"].split("-")[0]
    if name == "incline":
        slope = np.arctan(0.5)
        a = max(0.0, g * (np.sin(slope) - mu * np.cos(slope)))
        a = 0.0 if mu >= 0.5 else a
        down = np.array([np.cos(slope), 0, -np.sin(slope)])
        return {"reference": a * h * h * steps * (steps + 1) / 2, "value": float((path[-1, 0] - path[0, 0]) @ down),
                "unit": "m", "tilt": tilt_degrees(arrays, moving)}
    if name == "launched":
        v = np.linalg.norm(scene["bodies"][moving]["velocity"])
        return {"reference": sliding_distance(v, mu * g, h, steps), "value": float(path[-1, 0, 0] - path[0, 0, 0]),
                "unit": "m", "tilt": tilt_degrees(arrays, moving)}
    if name == "backspin":
        body = scene["bodies"][moving]
        r, v, w = body["shapes"][0]["radius"], body["velocity"][0], body["angular_velocity"][1]
        return {"reference": (5 * v + 2 * r * w) / 7, "value": float(arrays["velocity"][-1, moving, 0]), "unit": "m/s"}
    return {}


def timing(ms):
    """The first step is left out where there are others: some engines set up or compile in it."""
    ms = np.sort(ms[1:] if len(ms) > 1 else ms)
    return {"median": float(np.median(ms)), "mean": float(np.mean(ms)), "p95": float(ms[min(len(ms) - 1, int(0.95 * len(ms)))]),
            "first": float(ms[0]) if len(ms) == 1 else None, "steps": len(ms)}


def measure(scene, arrays, substeps=1):
    found, path = common(scene, arrays)
    if scene["name"] in MOVING:
        found |= in_motion(scene, arrays)
    closed = single(scene, arrays, path, substeps)
    if closed:
        found |= {"closed_form": closed | {"error": closed["value"] - closed["reference"]}, "gives_way": None}
    return found | {"ms": timing(arrays["ms"]), "time": (len(path) - 1) * scene["dt"]}
