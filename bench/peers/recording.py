# SPDX-License-Identifier: Apache-2.0
"""An engine's trajectory as a Repose recording: `repose view ours.h5 theirs.h5` shows both, `repose check` judges both.

Contacts and certificates are there for engines that show their impulses at every step; the others have motion only, and
their certificates stay empty (zero contacts), which says nothing about them.
"""
import json

import numpy as np

import score
from simulation import CONTACT_FIELDS


def contact_tables(arrays, steps):
    """How many contacts each step has, and their tables; none unless every frame was sampled and is a single step."""
    complete = len(arrays["sampled"]) == steps and steps > 0 and np.array_equal(arrays["before_position"], arrays["position"][:-1])
    if not complete:
        empty = np.zeros(0)
        return np.zeros(steps), {name: empty for name in CONTACT_FIELDS}
    return arrays["sampled"][:, 1].astype(float), {name: arrays[f"contact_{name}"] for name in CONTACT_FIELDS}


def tables(scene, arrays):
    steps, dt = len(arrays["position"]) - 1, scene["dt"]
    masses = score.Masses(scene)
    states = [{name: arrays[name][k] for name in ("position", "quaternion", "velocity", "angular_velocity")}
              for k in range(steps)]
    free = [score.free_motion(masses, state)[:2] for state in states]
    counts, contacts = contact_tables(arrays, steps)
    body = np.stack([contacts["body_a"], contacts["body_b"]], axis=-1)
    found = {"time": dt * np.arange(steps + 1), "position": arrays["position"], "quaternion": arrays["quaternion"],
             "velocity": arrays["velocity"], "angular_velocity": arrays["angular_velocity"],
             "free_velocity": np.array([v for v, _ in free]), "free_spin": np.array([w for _, w in free]),
             "ms": arrays["ms"][:steps], "contacts": counts, "body": body, "contact_position": contacts["position"],
             "normal": contacts["normal"], "mu": contacts["mu"], "bias": -np.asarray(contacts["target"]),
             "impulse": contacts["impulse"]}
    return {name: np.ascontiguousarray(values, dtype=float).ravel() for name, values in found.items()}


def write(file, scene, arrays, settings):
    """`settings` say who made the run; they are shown beside it."""
    import repose
    from repose import _core

    model = repose.Model.from_json(json.dumps(scene))
    _core.write_recording(model, file, tables(scene, arrays), settings=json.dumps(settings))
