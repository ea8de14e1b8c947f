#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenes of the corpus that are not built in, as native scene files.

    scene.py mixed --count 120 --seed 3 > mixed.json     boxes, balls, capsules and cylinders poured into a bin
    scene.py balls --count 200 --seed 1 > balls.json     balls of three sizes poured into a bin
    scene.py kapla --count 20 --seed 1 > kapla.json      a tower of 20 storeys of planks, struck at half its height

All numbers are rounded to 1e-6 (SI units, degrees), so that every machine writes the same file.
"""
import argparse
import json
import random
import sys


def rounded(values):
    return [round(x, 6) for x in values]


def bin_walls(half):
    """Four planes around a square of edge 2 half; the ground is another body."""
    turns = {(half, 0): [0, -90, 0], (-half, 0): [0, 90, 0], (0, half): [90, 0, 0], (0, -half): [-90, 0, 0]}
    shapes = [{"type": "plane", "position": rounded([x, y, 0]), "rotation_degrees": turn}
              for (x, y), turn in turns.items()]
    return {"name": "bin", "kind": "static", "shapes": shapes}


def ground():
    return {"name": "ground", "kind": "static", "shapes": [{"type": "plane"}]}


def mixed_shape(k, draw):
    """Shapes that fit into a ball of radius 0.12 m."""
    size = draw.uniform(0.8, 1.0)
    return [{"type": "box", "half": rounded([0.07 * size, 0.06 * size, 0.05 * size])},
            {"type": "sphere", "radius": round(0.08 * size, 6)},
            {"type": "capsule", "radius": round(0.05 * size, 6), "half_length": round(0.06 * size, 6)},
            {"type": "cylinder", "radius": round(0.06 * size, 6), "half_length": round(0.07 * size, 6)}][k % 4]


def ball_shape(k, draw):
    return {"type": "sphere", "radius": round(0.1 * draw.choice([0.9, 1.0, 1.1]), 6)}


def poured(shape, count, draw):
    """Bodies in random attitudes on a loose grid of cells of 0.25 m, twice as high as wide."""
    side = max(2, round((count / 2) ** (1 / 3)))
    cell = 0.25
    bodies = [ground(), bin_walls(side * cell / 2)]
    for k in range(count):
        i, j, layer = k % side, k // side % side, k // side ** 2
        centre = [(i - (side - 1) / 2) * cell, (j - (side - 1) / 2) * cell, (layer + 0.5) * cell]
        bodies.append({"position": rounded(c + draw.uniform(-0.004, 0.004) for c in centre),
                       "rotation_degrees": rounded(draw.uniform(0, 360) for _ in range(3)),
                       "shapes": [shape(k, draw)]})
    return bodies, []


def kapla(storeys, draw):
    """Two planks on their edges along x, two along y on top of them, and so on; a cube strikes at half height."""
    length, width, height = 0.117, 0.0078, 0.0235
    bodies = [ground()]
    for storey in range(storeys):
        for side in (-1, 1):
            offset = side * (0.04 + draw.uniform(-0.003, 0.003))
            along_x = storey % 2 == 0
            half = [length / 2, width / 2, height / 2] if along_x else [width / 2, length / 2, height / 2]
            place = [0, offset] if along_x else [offset, 0]
            bodies.append({"position": rounded(place + [(storey + 0.5) * height]),
                           "shapes": [{"type": "box", "half": rounded(half), "density": 600}]})
    cube = {"name": "cube", "present": False, "velocity": rounded([4, draw.uniform(-0.5, 0.5), 0]),
            "position": rounded([-0.2, draw.uniform(-0.03, 0.03), storeys * height / 2]),
            "shapes": [{"type": "box", "half": [0.015, 0.015, 0.015], "density": 2000}]}
    bodies.append(cube)
    return bodies, [{"time": 0.05, "type": "appear", "body": "cube"}]


def scene(kind, count, mu, seed):
    draw = random.Random(seed)
    if kind == "kapla":
        bodies, events = kapla(count, draw)
        scale = {"margin": 0.002, "slop": 1e-5}
    else:
        bodies, events = poured({"mixed": mixed_shape, "balls": ball_shape}[kind], count, draw)
        scale = {"margin": 0.004, "slop": 2e-5}
    return {"repose_scene": 1, "name": kind, **scale, "materials": [{"name": "stone", "friction": mu}],
            "bodies": bodies, "events": events}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("mixed", "balls", "kapla"))
    parser.add_argument("--count", type=int, default=100, help="bodies, or storeys of the tower (100)")
    parser.add_argument("--mu", type=float, default=0.5, help="friction coefficient (0.5)")
    parser.add_argument("--seed", type=int, default=1, help="of everything random (1)")
    given = parser.parse_args()
    json.dump(scene(given.kind, given.count, given.mu, given.seed), sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
