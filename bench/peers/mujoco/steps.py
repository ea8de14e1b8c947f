# SPDX-License-Identifier: Apache-2.0
"""Times MuJoCo's mj_step on a native Repose scene and prints one JSON line.

    steps.py SCENE.json [--settle N] [--steps N] [--kick V] [--impact] [--cone NAME] [--impratio X] [--limit S] [--thickness FILE]

MuJoCo gets its best settings for standing structures: elliptic cones, Newton's method, impratio 100, multi-point contacts
between hulls (the default from 4.0 on). Times are CPU time of the calling thread for mj_step alone. --thickness names a JSON list
with the smallest width of every body in m (0: none); overlaps are then given as shares of the thinner body's width.
"""
import argparse
import json
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

OVERLAP = 1e-4  # m: contacts act from this distance on; in exact touch half of them would be missed at the start
FAR_AWAY = 1e4  # m: where bodies wait that have not appeared yet


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def geom_of(shape, assets, friction):
    kinds = {"plane": "plane", "sphere": "sphere", "box": "box", "capsule": "capsule", "cylinder": "cylinder",
             "hull": "mesh"}
    if shape["type"] not in kinds:
        sys.exit(f"steps.py: shape type '{shape['type']}' is not translated")
    geom = {"type": kinds[shape["type"]], "friction": numbers([friction, 0, 0]), "margin": repr(OVERLAP),
            "pos": numbers(shape.get("position", [0, 0, 0])), "quat": numbers(shape.get("rotation", [1, 0, 0, 0])), "density": repr(float(shape.get("density", 1000)))}
    if shape["type"] == "plane":
        geom["size"] = "0 0 1"
    elif shape["type"] == "sphere":
        geom["size"] = numbers([shape["radius"]])
    elif shape["type"] == "box":
        geom["size"] = numbers(shape["half"])
    elif shape["type"] in ("capsule", "cylinder"):
        geom["size"] = numbers([shape["radius"], shape["half_length"]])
    else:
        geom["mesh"] = f"mesh{len(assets)}"
        ET.SubElement(assets, "mesh", name=geom["mesh"], vertex=numbers(x for v in shape["vertices"] for x in v))
    return geom


def translate(scene, impratio, cone="elliptic"):
    """The scene as MJCF. Every body of these scenes has one friction coefficient, which MuJoCo's maximum rule keeps."""
    root = ET.Element("mujoco")
    ET.SubElement(root, "option", timestep=repr(scene["dt"]), gravity=numbers(scene["gravity"]), cone=cone,
                  solver="Newton", impratio=repr(impratio))
    # The default arena drops contacts of large piles. Pages that are not touched cost nothing.
    ET.SubElement(root, "size", memory="4G" if len(scene["bodies"]) > 200 else "256M")
    assets, world = ET.SubElement(root, "asset"), ET.SubElement(root, "worldbody")
    materials = scene.get("materials", [{"friction": 0.5}])
    names = {m.get("name"): m for m in materials}
    for index, body in enumerate(scene["bodies"]):
        moves = body.get("kind", "dynamic") == "dynamic"
        position = list(body.get("position", [0, 0, 0]))
        waits = not body.get("present", True)
        if waits:
            position[2] += FAR_AWAY * (1 + index)
        node = ET.SubElement(world, "body", name=f"body{index}", pos=numbers(position),
                             quat=numbers(body.get("rotation", [1, 0, 0, 0])), gravcomp="1" if waits else "0")
        if moves:
            ET.SubElement(node, "freejoint")
        for shape in body.get("shapes", []):
            key = shape.get("material", 0)
            material = names[key] if isinstance(key, str) else materials[key]
            ET.SubElement(node, "geom", **geom_of(shape, assets, material.get("friction", 0.5)))
    return ET.tostring(root, encoding="unicode")


class Run:
    def __init__(self, scene, impratio, cone="elliptic", thickness=()):
        import mujoco
        self.mujoco, self.scene = mujoco, scene
        self.model = mujoco.MjModel.from_xml_string(translate(scene, impratio, cone))
        self.data = mujoco.MjData(self.model)
        self.width = self.widths(thickness)
        self.dynamic = [i for i, b in enumerate(scene["bodies"]) if b.get("kind", "dynamic") == "dynamic"]
        for i in self.dynamic:
            if scene["bodies"][i].get("present", True):
                self.set_velocity(i, scene["bodies"][i].get("velocity", [0, 0, 0]))

    def widths(self, thickness):
        """Smallest width of the body of each geom; infinite where there is none."""
        import numpy
        width = numpy.full(self.model.nbody, numpy.inf)
        for index, value in enumerate(thickness):
            if value > 0:
                width[self.model.body(f"body{index}").id] = value
        return width[self.model.geom_bodyid]

    def overlap(self):
        """Deepest overlap of the contacts of the last step, as a share of the thinner body's width."""
        found = self.data.contact
        if not len(found.dist):
            return 0.0
        return float(max(0.0, (-found.dist / self.width[found.geom].min(axis=1)).max()))

    def dropped(self):
        """Whether memory ran out, so that contacts or constraints were left out."""
        kinds = self.mujoco.mjtWarning
        return any(self.data.warning[int(kind)].number > 0 for kind in (kinds.mjWARN_CONTACTFULL, kinds.mjWARN_CNSTRFULL))

    def joint(self, index):
        return self.model.body_jntadr[self.model.body(f"body{index}").id]

    def set_velocity(self, index, velocity):
        v = self.model.jnt_dofadr[self.joint(index)]
        self.data.qvel[v:v + 3] = velocity

    def appear(self, index):
        body = self.scene["bodies"][index]
        q = self.model.jnt_qposadr[self.joint(index)]
        self.data.qpos[q:q + 3] = body["position"]
        self.model.body_gravcomp[self.model.body(f"body{index}").id] = 0
        self.set_velocity(index, body.get("velocity", [0, 0, 0]))

    def step(self):
        begin = time.thread_time_ns()
        self.mujoco.mj_step(self.model, self.data)
        return 1e-6 * (time.thread_time_ns() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene")
    parser.add_argument("--settle", type=int, default=120, help="steps before the clock counts")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--kick", type=float, default=0, help="random velocity added to every body before each step, m/s")
    parser.add_argument("--impact", action="store_true", help="let every waiting body appear when the clock starts")
    parser.add_argument("--impratio", type=float, default=100)
    parser.add_argument("--cone", choices=("elliptic", "pyramidal"), default="elliptic")
    parser.add_argument("--limit", type=float, default=0, help="CPU seconds of mj_step after which the run ends (0: none)")
    parser.add_argument("--thickness", help="JSON file with the smallest width of every body, m")
    options = parser.parse_args()
    try:
        import mujoco
        import numpy
    except ImportError as error:
        sys.exit(f"steps.py: {error}")
    thickness = json.loads(Path(options.thickness).read_text()) if options.thickness else ()
    with open(options.scene) as file:
        run = Run(json.load(file), options.impratio, options.cone, thickness)
    random = numpy.random.default_rng(1)
    times, contacts, overlaps = [], [], []
    for k in range(options.settle + options.steps):
        if k == options.settle and options.impact:
            for index, body in enumerate(run.scene["bodies"]):
                if not body.get("present", True):
                    run.appear(index)
        if options.kick:
            for index in run.dynamic:
                v = run.model.jnt_dofadr[run.joint(index)]
                run.data.qvel[v:v + 3] += options.kick * random.uniform(-1, 1, 3)
        ms = run.step()
        if k >= options.settle:
            times.append(ms)
            contacts.append(int(run.data.ncon))
            overlaps.append(run.overlap())
        if options.limit and 1e-3 * sum(times) > options.limit:
            break
    in_order = list(times)
    times.sort()
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    print(json.dumps({"mujoco": mujoco.__version__, "steps": len(times), "ms_median": at(0.5), "ms_p95": at(0.95),
                      "ms_max": times[-1], "contacts": max(contacts), "ms": in_order,
                      "overlap": max(overlaps) if options.thickness else None, "dropped": run.dropped(), "finite": bool(numpy.isfinite(run.data.qpos).all())}))


if __name__ == "__main__":
    main()
