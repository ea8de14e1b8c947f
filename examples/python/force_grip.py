# SPDX-License-Identifier: Apache-2.0
"""Two jaws on rails close on a cube with a force, not to a distance, and lift it.   force_grip.py

A jaw that moves as a function of time would have to know where the cube is to a hair: 1 mm short and it does not touch, 1 mm
too far and there is no room for the cube. A jaw with a mass and a force finds the place by itself.
"""
import numpy as np

import repose

CUBE, LEFT, RIGHT = 1, 2, 3


def gripper(mu: float = 0.5) -> repose.Model:
    b = repose.ModelBuilder("gripper", dt=1 / 240)
    b.add_material("rubber", friction=mu)
    b.add_ground_plane()
    b.add_shape_box(b.add_body((0, 0, 0.05), name="cube"), 0.05, 0.05, 0.05)  # 1 kg
    for x, name in ((-0.09, "left jaw"), (0.09, "right jaw")):
        jaw = b.add_body((x, 0, 0.06), name=name, gravity_scale=0, fixed=["y", "rx", "ry", "rz"])
        b.add_shape_box(jaw, 0.01, 0.05, 0.04)
    return b.finalize()


def lift(grip: float, height: float = 0.2, mu: float = 0.5) -> float:
    """Closes with `grip` N, lifts the jaws by `height` m and returns by how much the cube went up."""
    model = gripper(mu)
    data = repose.Data(model)
    start = data.position.copy()
    for _ in range(3 * 240):
        goal = np.clip((data.time - 0.5) * 0.2, 0, height)
        rise = data.position[:, 2] - start[:, 2]
        # A spring and a damper hold each jaw at its goal; half the cube's weight is known.
        data.force[[LEFT, RIGHT], 2] = (400 * (goal - rise) - 20 * data.velocity[:, 2])[[LEFT, RIGHT]] + 0.5 * 9.81
        data.force[LEFT, 0], data.force[RIGHT, 0] = grip, -grip
        if data.time < 0.5:
            data.force[[LEFT, RIGHT], 2] = 0
        repose.step(model, data)
    assert data.unsolved_steps == 0
    return float(data.position[CUBE, 2] - start[CUBE, 2])


if __name__ == "__main__":
    print("grip, N   lifted, m")  # μ = 0.5: two sides hold up to 2 μ grip, the cube weighs 9.81 N
    for force in (5, 9, 11, 40):
        print(f"{force:7.0f}  {lift(force):10.3f}")
