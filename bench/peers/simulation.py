# SPDX-License-Identifier: Apache-2.0
"""What every engine's adapter shares: reading the description, the clock, the budget, the file it leaves behind.

An adapter is a class with
    __init__(scene, setting)    builds the engine's model; not timed
    step()                      one frame of scene["dt"]; CPU time of the whole process is taken around it
    substeps, step(n)           engines that show impulses and take several steps a frame: how many, and n of them alone
    state()                     (frame position (B, 3), quaternion w first (B, 4), velocity of the mass centre (B, 3),
                                angular velocity in world axes (B, 3)) of all bodies, fixed ones included
    contacts()                  the impulses of the last step, see CONTACT_FIELDS, or None
    version                     of the engine
It needs NumPy and its engine, nothing of Repose: it runs in the engine's own environment.
"""
import argparse
import json
import os
import sys
import time
import traceback

import numpy as np

# Of one step: body_a, body_b (index in the scene; a fixed one counts too), position (n, 3) m, normal (n, 3) from a to b,
# mu (n,), impulse (n, 3) N s on b in world axes, target (n,) m/s: the normal velocity at which the engine's own rule
# leaves the contact alone (0 for touching bodies, negative while a gap may close, positive to push overlap out).
# All are those of the last one of a frame's steps, which began in the state that a trace keeps as `before`.
CONTACT_FIELDS = ("body_a", "body_b", "position", "normal", "mu", "impulse", "target")
STATE_FIELDS = ("position", "quaternion", "velocity", "angular_velocity")


def is_dynamic(body):
    return body.get("kind", "dynamic") == "dynamic"


def friction_of(scene):
    return float(scene["materials"][0]["friction"])


def start_state(scene):
    bodies = scene["bodies"]
    return (np.array([b.get("position", [0, 0, 0]) for b in bodies], dtype=float),
            np.array([b.get("rotation", [1, 0, 0, 0]) for b in bodies], dtype=float),
            np.array([b.get("velocity", [0, 0, 0]) for b in bodies], dtype=float),
            np.array([b.get("angular_velocity", [0, 0, 0]) for b in bodies], dtype=float))


def rotate(q, v):
    """v turned by the quaternion q (w first); both may be arrays of rows."""
    w, u = q[..., :1], q[..., 1:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def body_edge(body):
    """Longest edge of a body, m."""
    shape = body["shapes"][0]
    if shape["type"] == "box":
        return 2 * max(shape["half"])
    if shape["type"] == "sphere":
        return 2 * shape["radius"]
    if shape["type"] in ("capsule", "cylinder"):
        return 2 * (shape["half_length"] + shape["radius"] * (shape["type"] == "capsule"))
    return float(np.ptp(np.array(shape["vertices"]), axis=0).max())


def grown(shape, by):
    """The shape with its surface moved out by about `by` metres: engines that see no contact in exact touch would let every
    body fall for one step, and upper ones longer than lower ones."""
    if shape["type"] == "box":
        return dict(shape, half=[h + by for h in shape["half"]])
    if shape["type"] == "hull":
        middle = [sum(v[k] for v in shape["vertices"]) / len(shape["vertices"]) for k in range(3)]
        reach = min(max(abs(v[k] - middle[k]) for v in shape["vertices"]) for k in range(3))
        scale = 1 + by / reach
        return dict(shape, vertices=[[middle[k] + scale * (v[k] - middle[k]) for k in range(3)] for v in shape["vertices"]])
    return shape


def limit_threads():
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = "1"


class Trace:
    """States, times and sampled impulses of a run."""

    def __init__(self, scene, every):
        self.states = {name: [] for name in STATE_FIELDS}
        self.ms, self.contact_count, self.sampled, self.every = [], [], [], every
        self.samples = {name: [] for name in CONTACT_FIELDS}
        self.before = {name: [] for name in STATE_FIELDS}

    def add_state(self, state):
        for name, values in zip(STATE_FIELDS, state):
            self.states[name].append(np.array(values, dtype=float))

    def add_contacts(self, step, before, contacts):
        if contacts is None:
            return
        before = contacts.get("before") or before  # engines that collide elsewhere than at the start of a step say where
        for name, values in zip(STATE_FIELDS, before or [self.states[name][-2] for name in STATE_FIELDS]):
            self.before[name].append(np.array(values, dtype=float))
        self.sampled.append((step, len(contacts["mu"])))
        for name in CONTACT_FIELDS:
            self.samples[name].append(np.asarray(contacts[name]))

    def arrays(self):
        found = {name: np.array(rows) for name, rows in self.states.items()}
        found["ms"] = np.array(self.ms)
        found["sampled"] = np.array(self.sampled, dtype=int).reshape(-1, 2)
        for name in CONTACT_FIELDS:
            if self.sampled:
                found[f"contact_{name}"] = np.concatenate(self.samples[name])
        for name in STATE_FIELDS if self.sampled else ():
            found[f"before_{name}"] = np.array(self.before[name])
        return found


def finite(state):
    return all(np.isfinite(values).all() for values in state)


def timed(step, *arguments):
    begin = time.process_time_ns()
    step(*arguments)
    return 1e-6 * (time.process_time_ns() - begin)


def frame(engine, sampled):
    """CPU milliseconds of one frame, and the state in which its last step began where that is not the frame's start."""
    substeps = getattr(engine, "substeps", 1)
    if substeps == 1 or not sampled:
        return timed(engine.step), None
    ms = timed(engine.step, substeps - 1)
    before = [np.array(values, dtype=float) for values in engine.state()]  # a state may be a view of what moves on
    return ms + timed(engine.step, 1), before


def cpu_seconds(call, *arguments):
    """What it returns, and how long it took."""
    begin = time.process_time()
    return call(*arguments), time.process_time() - begin


def simulate(adapter, scene, setting, steps, seconds, every):
    """Steps until the end, the budget in CPU seconds, or numbers that are not finite."""
    engine, build = cpu_seconds(adapter, scene, setting)
    trace, ended, shows = Trace(scene, every), "done", hasattr(engine, "contacts")
    trace.add_state(engine.state())
    if hasattr(engine, "warm_up"):  # just-in-time compilers: one step on the side, then back to the start
        build += cpu_seconds(engine.warm_up)[1]
    clock = time.process_time()
    for k in range(steps):
        sampled = shows and every > 0 and k % every == every - 1
        ms, before = frame(engine, sampled)
        trace.ms.append(ms)
        state = engine.state()
        if not finite(state):
            ended = "broke down"
            break
        trace.add_state(state)
        if sampled:
            trace.add_contacts(k, before, engine.contacts())
        if time.process_time() - clock > seconds:
            ended = "budget" if k + 1 < steps else "done"
            break
    if shows and every and not trace.sampled and getattr(engine, "substeps", 1) == 1 and ended != "broke down":
        trace.add_contacts(k, None, engine.contacts())  # a short run shows its last step
    facts = {"ended": ended, "steps": len(trace.states["position"]) - 1, "steps_wanted": steps,
             "build_seconds": build, "version": str(engine.version), "substeps": int(setting.get("substeps", 1))}
    facts.update(getattr(engine, "facts", {}))
    return facts, trace.arrays()


def main(adapter):
    """adapter.py DESCRIPTION --setting JSON --steps N --seconds S --every N --out FILE.npz; the last line is JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("description")
    parser.add_argument("--setting", default="{}", help="JSON object")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=60, help="budget in CPU seconds for the steps")
    parser.add_argument("--every", type=int, default=10, help="keep the impulses of every Nth step; 0: of none")
    parser.add_argument("--out", required=True, help="states, times and impulses as .npz")
    options = parser.parse_args()
    with open(options.description, encoding="utf-8") as file:
        scene = json.load(file)
    try:
        facts, arrays = simulate(adapter, scene, json.loads(options.setting), options.steps, options.seconds, options.every)
    except ImportError as error:
        print(json.dumps({"ended": "missing", "why": str(error)}))
        sys.exit(0)
    except Exception as error:  # an engine may refuse a scene: a result, said in the table
        traceback.print_exc()
        print(json.dumps({"ended": "failed", "why": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}))
        sys.exit(0)
    np.savez(options.out, **arrays)
    print(json.dumps(facts))
