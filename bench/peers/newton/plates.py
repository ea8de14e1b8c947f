# SPDX-License-Identifier: Apache-2.0
"""The cube between two plates of bench/python/grasp.py in Kamino, on the CPU.   plates.py [--force N] [--seconds S]

Needs a Python with bench/peers/newton/requirements.txt. The same masses, forces, friction and step of 2 ms; Kamino as in
simulate.py. Prints by how far the cube has moved since 0.2 s, and in how many steps Kamino met its own tolerance.
"""
import argparse
import time

import newton
import numpy as np
import warp

DT, GAP, SETTLE = 0.002, 2e-3, 0.2
CUBE, PLATE = (0.05, 0.05, 0.05), (0.01, 0.04, 0.04)  # half edges, m


def inertia(mass, half):
    squares = np.square(half)
    return warp.mat33(np.diag(mass / 3 * (squares.sum() - squares)).astype(np.float32))


def model_of():
    builder = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=(0, 0, -9.81))
    builder.rigid_gap = GAP
    config = newton.ModelBuilder.ShapeConfig(mu=0.5, restitution=0.0, density=0.0, gap=GAP, mu_torsional=0.0, mu_rolling=0.0)
    newton.solvers.SolverKamino.register_custom_attributes(builder)
    cube = builder.add_body(xform=warp.transform((0, 0, 1), (0, 0, 0, 1)), mass=1.0, inertia=inertia(1, CUBE), lock_inertia=True)
    builder.add_shape_box(cube, hx=CUBE[0], hy=CUBE[1], hz=CUBE[2], cfg=config)
    for side in (-1, 1):
        place = warp.transform((side * 0.0601, 0, 1), (0, 0, 0, 1))
        plate = builder.add_link(xform=place, mass=0.5, inertia=inertia(0.5, PLATE), lock_inertia=True)
        builder.add_shape_box(plate, hx=PLATE[0], hy=PLATE[1], hz=PLATE[2], cfg=config)
        slide = builder.add_joint_prismatic(-1, plate, parent_xform=place, axis=(-side, 0, 0), target_ke=0, target_kd=0, armature=0.0)
        builder.add_articulation([slide])
    return builder.finalize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--force", type=float, default=15, help="of each plate, N")
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    warp.config.quiet = True
    warp.init()
    with warp.ScopedDevice("cpu"):
        model = model_of()
        model.rigid_contact_max = 64
        options = newton.solvers.SolverKamino.Config.from_model(model)
        options.dynamics.cull_speculative_contacts, options.padmm.rho_0 = False, 0.1
        solver = newton.solvers.SolverKamino(model, config=options)
        pipeline = newton.CollisionPipeline(model, rigid_contact_max=model.rigid_contact_max)
        contacts, states, control = pipeline.contacts(), [model.state(), model.state()], model.control()
        force = np.zeros(model.joint_dof_count, dtype=np.float32)
        force[-2:] = given.force
        control.joint_f.assign(force)
        met, begin, steps = 0, None, round((SETTLE + given.seconds) / DT)
        for k in range(steps):
            pipeline.collide(states[0], contacts)
            solver.step(states[0], states[1], control, contacts, DT)
            states.reverse()
            if k == round(SETTLE / DT):
                start, begin = states[0].body_q.numpy()[0, :3].copy(), time.process_time()
            met += int(bool(solver.status.numpy()["converged"][0]))
        spent = time.process_time() - begin
        moved = np.linalg.norm(states[0].body_q.numpy()[0, :3] - start)
    print(f"newton {newton.__version__}: moved by {1e3 * moved:.1e} mm in {given.seconds:g} s, {met} of {steps} steps within its "
          f"tolerance, {1e3 * spent / (given.seconds / DT):.2g} ms a step")


if __name__ == "__main__":
    main()
