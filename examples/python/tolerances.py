# SPDX-License-Identifier: Apache-2.0
"""Prints what a tolerance of 1e-3 to 1e-8 means in newtons and millimetres: the table of docs/certificate.md.

The scheme is nsgs, which stops as soon as its answer is within the tolerance; auto goes on to a five-hundredth of it.
"""
import sys
import warnings
import numpy as np
import repose

TOLERANCES = (1e-3, 1e-4, 1e-6, 1e-8)


def scales(data):
    """What r_c refers to: all contact forces of the step together, N, and all velocities without them, mm/s."""
    force = np.linalg.norm(data.contacts["impulse"]) / data.model.dt
    return force, 1e3 * np.linalg.norm(data.contact_problem().v_free)


def stand(model, tolerance, seconds, state):
    """Steps bodies that ought to stand still. Returns the scales and the largest displacement, mm."""
    data = repose.Data(model, outer="nsgs", tol=tolerance, accept=0)
    data.state[:] = state
    start = data.position.copy()
    repose.step(model, data, n=round(seconds / model.dt))
    return scales(data), 1e3 * np.linalg.norm(data.position - start, axis=1).max()


def slide(model, tolerance):
    """Steps the launched cube to rest. Returns the scales of its first step, its way, m, and its largest lift, mm."""
    data = repose.Data(model, outer="nsgs", tol=tolerance, accept=0)
    repose.step(model, data)
    at_start, heights = scales(data), [data.position[-1, 2]]
    for _ in range(180):
        repose.step(model, data)
        heights.append(data.position[-1, 2])
    return at_start, data.position[-1, 0], 1e3 * (max(heights) - heights[0])


def main(seconds=10.0):
    warnings.filterwarnings("ignore", message="step .* not solved")  # nsgs leaves some steps of the heap above 1e-6
    print("| scene | tolerance | forces, N | velocities, mm/s | consequence |\n|---|---|---|---|---|")
    for name, model in (("card house", repose.scenes.cards(levels=4)), ("heap of 60 cubes", repose.scenes.pile(count=60))):
        settled = repose.Data(model)
        repose.step(model, settled, n=round(seconds / model.dt))
        for tol in TOLERANCES:
            (force, speed), moved = stand(model, tol, seconds, settled.state)
            print(f"| {name} | {tol:g} | {tol * force:.1g} | {tol * speed:.1g} | moves {moved:.1g} mm in {seconds:g} s |")
    cube = repose.scenes.launched_cube()
    exact = slide(cube, 1e-12)[1]
    for tol in TOLERANCES:
        (force, speed), way, lift = slide(cube, tol)
        print(f"| cube sliding at 6 m/s | {tol:g} | {tol * force:.1g} | {tol * speed:.1g} "
              f"| stops {1e3 * abs(way - exact):.1g} mm off, lifts {lift:.1g} mm |")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
