# SPDX-License-Identifier: Apache-2.0
"""A hand, a gripper and a quadruped that hold still, beside MuJoCo on the same files.   grasp.py [--json FILE] [--objects N]

Hand: the Shadow hand closes around an object that stands on a pedestal, its forearm is lifted by 0.1 m and held for 5 s. Objects are
boxes, cylinders, spheres, capsules and hulls of random sizes, 50 to 300 g, friction 0.8. Slip is by how much the object's origin
moves in the palm's frame during the hold, and during its last 3 s, when the fingers have come to rest; an object counts as held when it is still less than 5 cm from where it was in the palm
when the lift began. Gripper: a cube of 1 kg between two plates with 15 N each and friction 0.5, for 60 s. Quadruped: Barkour under the controls of its first
keyframe for 60 s; drift is the largest displacement of its torso in the last 50 s. MuJoCo runs with its defaults and with elliptic
cones and impratio 100, all with the same step. The files are those of REPOSE_DATA (../shared/data), folder menagerie.
"""
import argparse
import json
import os
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import repose
from scipy.spatial import ConvexHull

sys.path.append(str(Path(__file__).resolve().parents[1]))
import provenance  # noqa: E402

DATA = Path(os.environ.get("REPOSE_DATA", Path(__file__).resolve().parents[3] / "shared/data")) / "menagerie"
DT, LIFT, CLOSED, LIFTED, SETTLED, END = 0.002, 0.1, 1.5, 2.5, 4.5, 7.5  # s, m
SHAPES = ("box", "cylinder", "sphere", "capsule", "hull")
#: Fingers and thumb open and closed, rad; wrist and the fingers' spread stay at 0.
CLOSE = {"J3": 1.4, "J0": 2.2, "THJ5": 0.3, "THJ4": 1.2, "THJ2": 0.5, "THJ1": 0.9}


class Repose:
    name = "Repose"

    def __init__(self, file, key=None):
        self.model = repose.Model.from_file(str(file)).replace(dt=DT)
        self.data = repose.Data(self.model)
        if key:
            self.data.reset(key)
        self.names, self.actuators = list(self.model.body_names), self.model.actuator_names

    def run(self, ctrl, steps):
        self.data.ctrl[:] = ctrl
        repose.step(self.model, self.data, steps)

    def pose(self, body):
        k = self.names.index(body)
        return np.array(self.data.frame_position[k]), matrix(self.data.quaternion[k])

    def not_solved(self):
        return self.data.unsolved_steps + self.data.accepted_steps


class MuJoCo:
    def __init__(self, file, key=None, exact=False):
        self.name = "MuJoCo, elliptic, impratio 100" if exact else "MuJoCo, default"
        self.model = mujoco.MjModel.from_xml_path(str(file))
        self.model.opt.timestep = DT
        self.model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC if exact else mujoco.mjtCone.mjCONE_PYRAMIDAL
        self.model.opt.impratio = 100 if exact else 1
        self.data = mujoco.MjData(self.model)
        if key:
            mujoco.mj_resetDataKeyframe(self.model, self.data, self.model.key(key).id)
        self.actuators = [self.model.actuator(k).name for k in range(self.model.nu)]
        mujoco.mj_forward(self.model, self.data)

    def run(self, ctrl, steps):
        self.data.ctrl[:] = ctrl
        for _ in range(steps):
            mujoco.mj_step(self.model, self.data)

    def pose(self, body):
        found = self.data.body(body)
        return np.array(found.xpos), np.array(found.xmat).reshape(3, 3)

    def not_solved(self):
        return None


def engines(file, key=None):
    return [Repose(file, key), MuJoCo(file, key, exact=True), MuJoCo(file, key)]


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def random_object(seed, folder):
    """Attributes of the geom, half height and half depth, and the vertices of a hull."""
    draw = np.random.default_rng(seed)
    kind, radius, half = SHAPES[seed % len(SHAPES)], draw.uniform(0.022, 0.034), draw.uniform(0.045, 0.06)
    geom = {"mass": f"{draw.uniform(0.05, 0.3):.4f}", "friction": "0.8", "priority": "1", "contype": "3", "conaffinity": "3"}
    if kind == "box":
        return kind, geom | {"type": "box", "size": f"{draw.uniform(0.02, 0.034):.4f} {radius:.4f} {half:.4f}"}, half, radius
    if kind == "sphere":
        radius = draw.uniform(0.028, 0.038)
        return kind, geom | {"type": "sphere", "size": f"{radius:.4f}"}, radius, radius
    if kind in ("cylinder", "capsule"):
        length = half if kind == "cylinder" else half - radius
        return kind, geom | {"type": kind, "size": f"{radius:.4f} {length:.4f}"}, half, radius
    points = draw.normal(size=(24, 3))
    points = points / np.linalg.norm(points, axis=1)[:, None] * (radius, radius, half)
    points = np.vstack([points, [(x, y, z) for z in (-half, half) for x in (-0.012, 0.012) for y in (-0.012, 0.012)]])
    hull = ConvexHull(points)
    lines = [f"v {x} {y} {z}" for x, y, z in points]
    for face, normal in zip(hull.simplices, hull.equations):
        a, b, c = points[face]
        order = face if np.cross(b - a, c - a) @ normal[:3] > 0 else face[::-1]
        lines.append("f " + " ".join(str(k + 1) for k in order))
    (folder / "hull.obj").write_text("\n".join(lines) + "\n", encoding="ascii")
    return kind, geom | {"type": "mesh", "mesh": "hull"}, half, radius


def hand_file(seed, folder):
    """The hand on its side, palm to +y and thumb up, on a vertical slide with a servo, an object before its palm."""
    tree = ET.parse(DATA / "shadow_hand/right_hand.xml")
    root = tree.getroot()
    root.find("compiler").set("meshdir", str((DATA / "shadow_hand/assets").resolve()))
    kind, geom, half, depth = random_object(seed, folder)
    if kind == "hull":
        ET.SubElement(root.find("asset"), "mesh", name="hull", file=str(folder / "hull.obj"))
    world = root.find("worldbody")
    forearm = world.find("body")
    forearm.set("quat", "0.5 0.5 0.5 0.5")  # that of the file, turned by −90° about x
    forearm.set("pos", "0 0 0.3")
    up = matrix((0.5, 0.5, 0.5, 0.5)).T @ (0, 0, 1)
    forearm.insert(0, ET.Element("joint", name="lift", type="slide", axis=" ".join(f"{a:g}" for a in np.round(up, 12)),
                                 damping="0", armature="0", frictionloss="0", range="-1 1"))
    ET.SubElement(root.find("actuator"), "position", name="lift", joint="lift", kp="20000", kv="1500", ctrlrange="-1 1", forcerange="-500 500")
    at = f"0.33 {0.024 + depth:.4f} 0.3"
    body = ET.SubElement(world, "body", name="object", pos=at)
    ET.SubElement(body, "freejoint")
    ET.SubElement(body, "geom", geom)
    pedestal = ET.SubElement(world, "body", name="pedestal", pos=f"0.33 {0.024 + depth:.4f} {0.3 - half - 0.02:.4f}")
    ET.SubElement(pedestal, "geom", type="box", size="0.03 0.03 0.02", contype="2", conaffinity="2")
    file = folder / "hand.xml"
    tree.write(file)
    return kind, file


def hand_run(engine):
    """What became of the object: distance from its place in the palm at the lift's begin, slip in the hold and its last 3 s, m."""
    goal = np.array([next((v for k, v in CLOSE.items() if name.endswith(k)), 0.0) for name in engine.actuators])
    thumb = np.array([name.endswith("THJ4") for name in engine.actuators])
    lift = np.array([name == "lift" for name in engine.actuators])
    every, places = 5, {}

    def place():
        (p, turn), (q, _) = engine.pose("rh_palm"), engine.pose("object")
        return turn.T @ (q - p)

    for k in range(0, round(END / DT), every):
        t = k * DT
        share = np.clip((t - 0.4) / 0.8, 0, 1)
        for moment in (CLOSED, LIFTED, SETTLED):
            if abs(t - moment) < 0.5 * every * DT:
                places[moment] = place()
        ctrl = np.where(thumb, goal * min(1, t / 0.3), goal * share)
        engine.run(np.where(lift, LIFT * np.clip((t - CLOSED) / (LIFTED - CLOSED), 0, 1), ctrl), every)
    end = place()
    return [float(np.linalg.norm(end - places[moment])) for moment in (CLOSED, LIFTED, SETTLED)]


def shown(slip):
    """In mm; what is more than 5 cm away has been dropped."""
    return f"{1e3 * slip:.1e}" if slip < 0.05 else "dropped"


def hand_table(count):
    rows, text = [], []
    for seed in range(count):
        with tempfile.TemporaryDirectory() as folder:
            kind, file = hand_file(seed, Path(folder))
            row = {"seed": seed, "object": kind}
            for engine in engines(file):
                moved, slip, late = hand_run(engine)
                row[engine.name] = {"held": moved < 0.05, "moved": moved, "slip": slip, "late": late,
                                    "not_solved": engine.not_solved()}
        rows.append(row)
        cells = [row[name] for name in ("Repose", "MuJoCo, elliptic, impratio 100", "MuJoCo, default")]
        slips = [shown(c["slip"]) if c["held"] else "dropped" for c in cells]
        late = shown(cells[0]["late"]) if cells[0]["held"] else ""
        text.append([str(seed), kind, slips[0], late, *slips[1:], str(cells[0]["not_solved"])])
        print("  ".join(text[-1]), flush=True)
    columns = ["seed", "object", "slip, mm", "in the last 3 s", "MuJoCo, elliptic, impratio 100", "MuJoCo, default",
               "steps not solved"]
    return {"title": "Shadow hand", "columns": columns, "rows": rows, "text": text}


GRIPPER = """<mujoco><compiler autolimits="true"/><option timestep="0.002"/><worldbody>
<body name="cube" pos="0 0 1"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="1" friction="0.5"/></body>
<body name="left" pos="-0.0601 0 1"><joint name="left" type="slide" axis="1 0 0"/>
  <geom type="box" size="0.01 0.04 0.04" mass="0.5" friction="0.5"/></body>
<body name="right" pos="0.0601 0 1"><joint name="right" type="slide" axis="-1 0 0"/>
  <geom type="box" size="0.01 0.04 0.04" mass="0.5" friction="0.5"/></body>
</worldbody><actuator><motor name="left" joint="left"/><motor name="right" joint="right"/></actuator></mujoco>"""


def still_rows():
    """The gripper and Barkour, 60 s each."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "gripper.xml"
        file.write_text(GRIPPER, encoding="ascii")
        for engine in engines(file):
            engine.run([15, 15], round(0.2 / DT))
            start = engine.pose("cube")[0]
            engine.run([15, 15], round(60 / DT))
            yield engine, "two plates hold 1 kg, 60 s", np.linalg.norm(engine.pose("cube")[0] - start)
    for engine in engines(DATA / "google_barkour_vb/scene.xml", "home"):
        ctrl = np.array(engine.data.ctrl)
        engine.run(ctrl, round(10 / DT))
        start, worst = engine.pose("torso")[0], 0.0
        for _ in range(50):
            engine.run(ctrl, round(1 / DT))
            worst = max(worst, np.linalg.norm(engine.pose("torso")[0] - start))
        yield engine, "Barkour stands, last 50 of 60 s", worst


def still_table():
    rows, text = {}, []
    for engine, what, drift in still_rows():
        row = rows.setdefault(what, {"case": what})
        row[engine.name] = float(drift)
        if engine.name == "Repose":
            row["not_solved"] = engine.not_solved()
    for row in rows.values():
        text.append([row["case"], *[shown(row[name]) for name in ("Repose", "MuJoCo, elliptic, impratio 100", "MuJoCo, default")],
                     str(row["not_solved"])])
        print("  ".join(text[-1]), flush=True)
    columns = ["case", "drift, mm", "MuJoCo, elliptic, impratio 100", "MuJoCo, default", "steps not solved"]
    return {"title": "Holding still", "columns": columns, "rows": list(rows.values()), "text": text}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also keep the numbers")
    parser.add_argument("--objects", type=int, default=20, help="for a quick look")
    given = parser.parse_args()
    if not DATA.is_dir():
        print(f"{DATA}: expected the robots, got no such folder (REPOSE_DATA names another)")
        return 1
    tables = [still_table(), hand_table(given.objects)]
    if given.json:
        document = {"benchmark": "grasp", "provenance": provenance.ask(), "quick": given.objects < 20, "complete": True,
                    "tables": tables, "notes": []}
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
