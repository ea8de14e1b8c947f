# SPDX-License-Identifier: Apache-2.0
"""A description as MJCF, for MuJoCo."""
import xml.etree.ElementTree as ET

from simulation import grown

# m, by which surfaces are moved out. In exact touch rounding decides which contacts exist and bodies fall for a step: the
# arch then sinks 46 mm instead of 3, the card house 68 instead of 12, the cube on the slope slips 113 instead of 1.5. Of 0,
# 1e-4 and 1e-3 each family has what serves it best. Stiff contacts rest with less, and push more than that out.
OVERLAP = {"arch": 1e-3, "stack": 1e-3, "cards": 1e-4, "wall": 1e-4, "incline": 1e-4}
OVERLAP_STIFF = {"arch": 1e-5, "stack": 1e-5, "cards": 1e-4, "wall": 1e-5, "incline": 1e-5}


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def add_geom(node, shape, assets, friction):
    geom = {"friction": numbers([friction, 0, 0]), "condim": "3"}
    if shape["type"] == "plane":
        geom |= {"type": "plane", "size": "0 0 1"}
    elif shape["type"] == "sphere":
        geom |= {"type": "sphere", "size": numbers([shape["radius"]])}
    elif shape["type"] in ("capsule", "cylinder"):
        geom |= {"type": shape["type"], "size": numbers([shape["radius"], shape["half_length"]])}
    elif shape["type"] == "box":
        geom |= {"type": "box", "size": numbers(shape["half"])}
    elif shape["type"] == "hull":
        geom |= {"type": "mesh", "mesh": f"mesh{len(assets)}"}
        ET.SubElement(assets, "mesh", name=geom["mesh"], vertex=numbers(x for v in shape["vertices"] for x in v))
    else:
        raise ValueError(f"shape: type: expected plane, sphere, box, capsule, cylinder, hull, got {shape['type']}")
    placed = {"pos": numbers(shape.get("position", [0, 0, 0])), "quat": numbers(shape.get("rotation", [1, 0, 0, 0]))}
    ET.SubElement(node, "geom", **geom, **placed)


def add_inertia(node, mass):
    i = mass["inertia"]
    ET.SubElement(node, "inertial", pos=numbers(mass["centre"]), mass=repr(float(mass["mass"])),
                  fullinertia=numbers([i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]]))


def translate(scene, option, flags, overlap=None, geom=None):
    """`option`, `flags` and `geom` are attributes of MJCF's <option>, <flag> and of every geom. One friction coefficient a
    scene. Masses stay as described, whatever the overlap, m."""
    overlap = (OVERLAP if overlap is None else overlap).get(scene["name"].split("-")[0], 0.0)
    root = ET.Element("mujoco")
    settings = ET.SubElement(root, "option", timestep=repr(scene["dt"]), gravity=numbers(scene["gravity"]), **option)
    ET.SubElement(settings, "flag", **flags)
    ET.SubElement(ET.SubElement(root, "default"), "geom", **(geom or {}))
    ET.SubElement(root, "size", memory="1G" if len(scene["bodies"]) > 200 else "256M")
    assets, world = ET.SubElement(root, "asset"), ET.SubElement(root, "worldbody")
    friction = scene["materials"][0]["friction"]
    for index, body in enumerate(scene["bodies"]):
        node = ET.SubElement(world, "body", name=f"body{index}", pos=numbers(body.get("position", [0, 0, 0])),
                             quat=numbers(body.get("rotation", [1, 0, 0, 0])))
        if body.get("kind", "dynamic") == "dynamic":
            add_inertia(node, body["mass"])
            ET.SubElement(node, "freejoint")
        for shape in body["shapes"]:
            add_geom(node, grown(shape, overlap), assets, friction)
    return ET.tostring(root, encoding="unicode")
