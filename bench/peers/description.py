# SPDX-License-Identifier: Apache-2.0
"""One description of a scene, for every engine: a native scene file (docs/scenes/native.md) with every mass spelled out.

    description.py [--list] [NAME...] [--out DIR]

Engines disagree about the mass of a hull in the last digits and about the inertia of everything when asked to guess, so
each moving body carries mass, centre and inertia. `repose run FILE` reads the same file.
"""
import argparse
import json
import sys
from pathlib import Path

import numpy as np

# name: (built-in scene, its parameters, seconds to simulate)
SCENES = {
    "incline-0.4": ("incline", {"mu": 0.4}, 2.0),
    "incline-0.5": ("incline", {"mu": 0.5}, 2.0),
    "incline-0.55": ("incline", {"mu": 0.55}, 2.0),
    "incline-0.8": ("incline", {"mu": 0.8}, 2.0),
    "launched-cube": ("launched-cube", {}, 3.0),
    "backspin": ("backspin", {}, 5.0),
    "stack-10": ("stack", {"count": 10}, 10.0),
    "cards-4": ("cards", {"levels": 4}, 10.0),
    "cards-5": ("cards", {"levels": 5}, 10.0),
    "cards-10": ("cards", {"levels": 10}, 10.0),
    "arch-25": ("arch", {"stones": 25}, 10.0),
    "arch-101": ("arch", {"stones": 101}, 10.0),
    "wall-10": ("wall", {"rows": 10, "columns": 10, "joint": 0.002}, 10.0),
}
# Bodies that fall, roll and strike: no closed form and no place to stay in.
MOVING = {
    "poured-300": ("pile", {"count": 300}, 3.0),
    "poured-1000": ("pile", {"count": 1000}, 3.0),
    "bin-128": ("bin", {"grains": "mixed", "count": 128}, 3.0),
    "cards-4-struck": ("cards", {"levels": 4, "projectiles": True, "projectile_time": 0}, 2.0),
    "dominoes": ("dominoes", {}, 4.0),
}
SCENES |= MOVING


def box_mass(half, density):
    x, y, z = (2 * float(h) for h in half)
    mass = density * x * y * z
    return mass, np.zeros(3), mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])


def sphere_mass(radius, density):
    mass = density * 4 / 3 * np.pi * radius**3
    return mass, np.zeros(3), 0.4 * mass * radius**2 * np.eye(3)


def cylinder_mass(radius, half_length, density):
    mass = density * 2 * np.pi * radius**2 * half_length
    across = mass * (radius**2 / 4 + half_length**2 / 3)
    return mass, np.zeros(3), np.diag([across, across, mass * radius**2 / 2])


def capsule_mass(radius, half_length, density):
    """A cylinder and two halves of a ball, each with its mass centre 3/8 of the radius beyond the cylinder's end."""
    middle, _, inertia = cylinder_mass(radius, half_length, density)
    caps, _, ball = sphere_mass(radius, density)
    across = ball[0, 0] + caps * (half_length**2 + 3 / 4 * half_length * radius)
    return middle + caps, np.zeros(3), inertia + np.diag([across, across, ball[2, 2]])


def hull_mass(vertices, density):
    """Sums tetrahedra from an inner point to the facets; second moments of a tetrahedron are exact polynomials."""
    from scipy.spatial import ConvexHull

    points = np.asarray(vertices, dtype=float)
    inner = points.mean(axis=0)
    a, b, c = (points[ConvexHull(points).simplices][:, k] - inner for k in range(3))
    volumes = np.abs(np.einsum("ij,ij->i", a, np.cross(b, c))) / 6
    volume, total = volumes.sum(), a + b + c
    centre = (volumes[:, None] * total / 4).sum(axis=0) / volume
    second = sum(np.einsum("i,ij,ik->jk", volumes, u, w) for u, w in ((a, a), (b, b), (c, c), (total, total))) / 20
    second -= volume * np.outer(centre, centre)
    return density * volume, inner + centre, density * (np.trace(second) * np.eye(3) - second)


def shape_mass(shape):
    density = float(shape.get("density", 1000))
    if "position" in shape or "rotation" in shape or "rotation_degrees" in shape:
        raise ValueError(f"shape of type {shape['type']}: pose: expected none inside its body in peer scenes, got one")
    if shape["type"] == "box":
        return box_mass(shape["half"], density)
    if shape["type"] == "sphere":
        return sphere_mass(shape["radius"], density)
    if shape["type"] == "cylinder":
        return cylinder_mass(shape["radius"], shape["half_length"], density)
    if shape["type"] == "capsule":
        return capsule_mass(shape["radius"], shape["half_length"], density)
    if shape["type"] == "hull":
        return hull_mass(shape["vertices"], density)
    raise ValueError(f"shape: type: expected box, sphere, cylinder, capsule, hull on moving bodies of peer scenes, got {shape['type']}")


def with_masses(scene):
    for body in scene["bodies"]:
        if body.get("kind", "dynamic") != "dynamic" or "mass" in body:
            continue
        if len(body["shapes"]) != 1:
            raise ValueError(f"body {body['name']}: shapes: expected 1 in peer scenes, got {len(body['shapes'])}")
        mass, centre, inertia = shape_mass(body["shapes"][0])
        body["mass"] = {"mass": mass, "centre": centre.tolist(), "inertia": inertia.tolist()}
    return scene


def from_the_start(scene):
    """Projectiles that would appear at t = 0 are simply there."""
    for event in scene.pop("events", []):
        if event["type"] != "appear" or event["time"] != 0:
            raise ValueError(f"event: expected a body that appears at 0 in peer scenes, got {event}")
        next(b for b in scene["bodies"] if b["name"] == event["body"]).pop("present")
    return scene


def describe(name):
    """The scene called `name` as a dictionary that any engine's translator can read."""
    import repose

    if name not in SCENES:
        raise ValueError(f"scene: expected {', '.join(SCENES)}, got '{name}'")
    builtin, parameters, seconds = SCENES[name]
    scene = with_masses(from_the_start(json.loads(repose.scenes.make(builtin, **parameters).to_json())))
    if len(scene["materials"]) != 1:
        raise ValueError(f"scene {name}: materials: expected 1 in peer scenes, got {len(scene['materials'])}")
    scene["name"], scene["duration"] = name, seconds
    return scene


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenes (all)")
    parser.add_argument("--out", type=Path, default=Path("out/peers"), help="folder, created when missing")
    parser.add_argument("--list", action="store_true", help="names only")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SCENES))
        return
    for name in options.names:
        if name not in SCENES:
            sys.exit(f"description.py: scene: expected {', '.join(SCENES)}, got '{name}'")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or SCENES:
        (options.out / f"{name}.json").write_text(json.dumps(describe(name), indent=1) + "\n", encoding="utf-8")
        print(options.out / f"{name}.json")


if __name__ == "__main__":
    main()
