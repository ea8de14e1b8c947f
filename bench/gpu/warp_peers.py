# SPDX-License-Identifier: Apache-2.0
"""MuJoCo-Warp and Kamino on a CUDA device, on the worlds that gpu-check times.

    warp_peers.py SCENES [--robots FOLDER] [--engine NAME] [--scene NAME] [--kick V] [--worlds N] [--seconds S] [--device cpu]
    warp_peers.py SCENES [--robots FOLDER] --sources 90      where there is no device: CUDA sources into WARP_CACHE_PATH
    warp_peers.py SCENES --compile WORKERS                   on the device machine: binaries of them

SCENES is what `gpu-check scenes - SCENES` wrote, FOLDER the MuJoCo Menagerie; docs/gpu.md says how both and the packages of
bench/peers/newton/requirements.txt come to a machine without a network. Every body of every world gets a random velocity of up to
`kick` m/s along each axis in every step, inside of the captured graph. Robots start in their first keyframe; their second rate has
every control moved in every step by a sine of a twentieth of its range. One JSON object a line: world-steps per second after 20
steps, the largest displacement of a mass centre, and what the engine says of its own convergence. Single precision; settings and
reasons are those of docs/peers/settings.md.
"""
import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import warp as wp

PEERS = Path(__file__).resolve().parents[1] / "peers"
sys.path[:0] = [str(PEERS), str(PEERS / "newton"), str(Path(__file__).resolve().parent)]
import mjcf  # noqa: E402
import simulation  # noqa: E402
import warp_ahead  # noqa: E402

WARM = 20  # steps before the measured ones
OVERLAP = {"cards": 2e-5, "arch": 5e-4, "stack": 5e-4, "cube": 5e-4}  # the scenes; m, as in bench/peers/mujoco_warp
ROBOTS = {"gripper": "robotiq_2f85/2f85.xml", "quadruped": "google_barkour_vb/scene.xml"}  # as in gpu_robots() of gpu_runs.cpp
CASES = [("MuJoCo-Warp", {"impratio": 1}), ("MuJoCo-Warp", {"impratio": 100}), ("Kamino", {"linear_solver": "LLTB", "rho": 0.1})]


@wp.kernel
def kick_worlds(speed: float, step: wp.array(dtype=wp.int32), bodies: int, velocity: wp.array2d(dtype=wp.float32)):
    world, body = wp.tid()
    random = wp.rand_init(world, step[0] * bodies + body)
    for axis in range(3):
        velocity[world, 6 * body + axis] = velocity[world, 6 * body + axis] + speed * (2.0 * wp.randf(random) - 1.0)


@wp.kernel
def count_step(step: wp.array(dtype=wp.int32)):
    step[0] = step[0] + 1


@wp.kernel
def move_controls(amplitude: wp.array(dtype=wp.float32), start: wp.array(dtype=wp.float32), rate: float,
                  step: wp.array(dtype=wp.int32), ctrl: wp.array2d(dtype=wp.float32)):
    world, k = wp.tid()
    ctrl[world, k] = start[k] + amplitude[k] * wp.sin(rate * float(step[0]))


class Robots:
    """Worlds of one robot in MuJoCo-Warp."""

    def __init__(self, file, setting, worlds, moving):
        import mujoco
        import mujoco_warp

        host = mujoco.MjModel.from_xml_path(str(file))
        host.opt.cone, host.opt.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, setting["impratio"]
        data = mujoco.MjData(host)
        if host.nkey:
            mujoco.mj_resetDataKeyframe(host, data, 0)
        mujoco.mj_forward(host, data)
        self.mjw, self.rate = mujoco_warp, 2 * np.pi * host.opt.timestep
        low, high = host.actuator_ctrlrange.T
        width = np.where(host.actuator_ctrllimited, high - low, 0)
        self.amplitude, self.start = (wp.array(x.astype(np.float32)) for x in (0.05 * moving * width, data.ctrl))
        self.model = mujoco_warp.put_model(host)
        self.data = mujoco_warp.put_data(host, data, nworld=worlds, nconmax=128, njmax=512)

    def advance(self, counter):
        wp.launch(move_controls, dim=self.data.ctrl.shape, inputs=[self.amplitude, self.start, self.rate, counter, self.data.ctrl])
        wp.launch(count_step, dim=1, inputs=[counter])
        self.mjw.step(self.model, self.data)

    def facts(self):
        return {"iterations": float(np.mean(self.data.solver_niter.numpy())),
                "contacts": float(self.data.nacon.numpy()[0]) / self.data.nworld,
                "finite": bool(np.isfinite(self.data.qpos.numpy()).all())}


class MuJoCoWarp:
    def __init__(self, scene, setting, worlds):
        import mujoco
        import mujoco_warp

        option = {"cone": "elliptic", "solver": "Newton", "impratio": repr(float(setting["impratio"])), "iterations": "100",
                  "tolerance": "1e-6", "integrator": "implicitfast"}
        host = mujoco.MjModel.from_xml_string(mjcf.translate(scene, option, {"multiccd": "enable"}, OVERLAP))
        data = mujoco.MjData(host)
        mujoco.mj_forward(host, data)
        self.mjw, self.bodies = mujoco_warp, sum(simulation.is_dynamic(b) for b in scene["bodies"])
        contacts = max(2 * data.ncon, 16) if data.ncon else 16 * self.bodies  # a layout with gaps starts with none
        self.model = mujoco_warp.put_model(host)
        self.data = mujoco_warp.put_data(host, data, nworld=worlds, nconmax=contacts, njmax=3 * contacts)

    @property
    def velocities(self):
        return [self.data.qvel]

    def step(self):
        self.mjw.step(self.model, self.data)

    def positions(self):
        return self.data.qpos.numpy().reshape(self.data.nworld, self.bodies, 7)[:, :, :3].astype(float)

    def facts(self):
        return {"iterations": float(np.mean(self.data.solver_niter.numpy())),
                "contacts": float(self.data.nacon.numpy()[0]) / self.data.nworld}


class Kamino:
    def __init__(self, scene, setting, worlds):
        import newton
        from simulate import Kamino as OneWorld

        maker = OneWorld.__new__(OneWorld)
        maker.warp, maker.newton = wp, newton
        one = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=tuple(scene["gravity"]))
        gap = 2e-3
        config = newton.ModelBuilder.ShapeConfig(mu=simulation.friction_of(scene), restitution=0.0, density=0.0, gap=gap,
                                                 mu_torsional=0.0, mu_rolling=0.0)
        newton.solvers.SolverKamino.register_custom_attributes(one)
        self.bodies, self.worlds = 0, worlds
        for body in scene["bodies"]:
            if simulation.is_dynamic(body):
                mass = body["mass"]
                index = one.add_body(xform=maker.transform(body), mass=mass["mass"], com=mass["centre"],
                                     inertia=wp.mat33(np.array(mass["inertia"], dtype=np.float32)), lock_inertia=True)
                maker.add_shape(one, index, body["shapes"][0], None, config)
                self.bodies += 1
            else:
                maker.add_shape(one, -1, body["shapes"][0], maker.transform(body), config)
        builder = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=tuple(scene["gravity"]))
        newton.solvers.SolverKamino.register_custom_attributes(builder)
        builder.rigid_gap = gap
        builder.replicate(one, worlds)
        self.model = builder.finalize()
        self.model.rigid_contact_max = worlds * max(16, 10 * self.bodies)
        options = newton.solvers.SolverKamino.Config.from_model(self.model)
        options.dynamics.linear_solver_type = setting["linear_solver"]
        options.dynamics.cull_speculative_contacts = False
        options.padmm.rho_0 = setting["rho"]
        self.solver = newton.solvers.SolverKamino(self.model, config=options)
        self.pipeline = newton.CollisionPipeline(self.model, rigid_contact_max=self.model.rigid_contact_max)
        self.contacts, self.control = self.pipeline.contacts(), self.model.control()
        self.states, self.dt = [self.model.state(), self.model.state()], float(scene["dt"])

    @property
    def velocities(self):
        shape = (self.worlds, 6 * self.bodies)
        state = self.states[0]
        return [wp.array(ptr=a.ptr, dtype=wp.float32, shape=shape, device=a.device) for a in (state.body_qd, state.joint_qd)]

    def step(self):
        a, b = self.states
        self.pipeline.collide(a, self.contacts)
        self.solver.step(a, b, self.control, self.contacts, self.dt)
        wp.copy(a.body_q, b.body_q), wp.copy(a.body_qd, b.body_qd)
        wp.copy(a.joint_q, b.joint_q), wp.copy(a.joint_qd, b.joint_qd)

    def positions(self):
        return self.states[0].body_q.numpy().reshape(self.worlds, self.bodies, 7)[:, :, :3].astype(float)

    def facts(self):
        status = self.solver.status.numpy()
        return {"own_tolerance_share": float(np.mean(status["converged"] != 0)), "iterations": float(np.mean(status["iterations"]))}


ENGINES = {"MuJoCo-Warp": MuJoCoWarp, "Kamino": Kamino}


def advance(engine, kick, counter):
    for velocity in engine.velocities:
        wp.launch(kick_worlds, dim=(velocity.shape[0], engine.bodies), inputs=[kick, counter, engine.bodies, velocity])
    wp.launch(count_step, dim=1, inputs=[counter])
    engine.step()


def rate_of(one_step, worlds, seconds):
    """`one_step` is captured as a graph where there is a device that can."""
    one_step()
    launch = one_step
    if wp.get_device().is_cuda:
        with wp.ScopedCapture() as capture:
            one_step()

        def launch():
            wp.capture_launch(capture.graph)
    for _ in range(WARM):
        launch()
    wp.synchronize()
    steps, start = 0, time.perf_counter()
    while steps < 200 and time.perf_counter() - start < seconds:
        for _ in range(10):
            launch()
        wp.synchronize()
        steps += 10
    spent = time.perf_counter() - start
    return {"worlds": worlds, "steps": steps, "world_steps_per_second": worlds * steps / spent, "ms_per_step": 1e3 * spent / steps}


def measure_worlds(name, setting, scene, kick, worlds, seconds):
    engine, counter = ENGINES[name](scene, setting, worlds), wp.zeros(1, dtype=wp.int32)
    first = engine.positions()
    row = rate_of(lambda: advance(engine, kick, counter), worlds, seconds)
    moved = np.linalg.norm(engine.positions() - first, axis=2).max()
    return {"kick": kick} | row | {"moved": float(moved)} | engine.facts()


def measure_robots(file, setting, moving, worlds, seconds):
    engine, counter = Robots(file, setting, worlds, moving), wp.zeros(1, dtype=wp.int32)
    return {"controls": "moving" if moving else "holding"} | rate_of(lambda: engine.advance(counter), worlds, seconds) | engine.facts()


def scene_of(title, file):
    """What a file describes; the program leaves out what has its default, which the peers' readers want written."""
    scene = json.loads(file.read_text(encoding="utf-8")) | {"name": title}
    for body in filter(simulation.is_dynamic, scene["bodies"]):
        body["mass"].setdefault("centre", [0, 0, 0])
    return scene


def rows_of(title, file, given):
    """(what it is, a function that measures it, one step of four worlds) of every row of a file."""
    robot = title in ROBOTS
    scene = None if robot else scene_of(title, file)
    for name, setting in CASES:
        if given.engine not in (None, name) or (robot and name != "MuJoCo-Warp"):
            continue
        what = {"engine": name, "setting": setting, "scene": title}
        for value in (False, True) if robot else given.kick or [0.0, 1e-3, 0.01, 0.05]:
            def once(name=name, setting=setting, value=value):
                counter = wp.zeros(1, dtype=wp.int32)
                if robot:
                    Robots(file, setting, 4, value).advance(counter)
                else:
                    advance(ENGINES[name](scene, setting, 4), value, counter)

            def row(name=name, setting=setting, value=value):
                if robot:
                    return measure_robots(file, setting, value, given.worlds, given.seconds)
                return measure_worlds(name, setting, scene, value, given.worlds, given.seconds)

            yield what, row, once


def files_of(given):
    """(title, file) of the scenes and robots that are asked for."""
    files = [(title, given.scenes / f"{title}.json") for title in OVERLAP]
    if given.robots:
        files += [(title, given.robots / path) for title, path in ROBOTS.items()]
    return [(title, file) for title, file in files if file.exists() and (not given.scene or title in given.scene)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path)
    parser.add_argument("--robots", type=Path, help="the MuJoCo Menagerie")
    parser.add_argument("--engine", choices=list(ENGINES))
    parser.add_argument("--scene", action="append", default=[], help=f"one of {', '.join([*OVERLAP, *ROBOTS])} (all)")
    parser.add_argument("--kick", action="append", type=float, default=[])
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=5.0, help="at most, per row")
    parser.add_argument("--sources", type=int, metavar="ARCH", help="write CUDA sources for this architecture only")
    parser.add_argument("--compile", type=int, metavar="WORKERS", help="compile such sources only, so many modules at a time")
    parser.add_argument("--device", default="cuda:0")
    given = parser.parse_args()
    wp.config.quiet = True
    wp.config.cuda_output = "cubin"  # Warp's own toolkit may be newer than the driver
    wp.init()
    if given.compile:
        seconds, failed = warp_ahead.compile_all(given.compile)
        print(json.dumps({"note": f"{len(seconds)} modules, the longest {max(seconds, default=0):.0f} s", "failed": failed}))
        return
    if given.sources:
        given.device = "cpu"
    with wp.ScopedDevice(given.device):
        for title, file in files_of(given):
            for what, row, once in rows_of(title, file, given):
                if given.sources:
                    written, failed = warp_ahead.sources_of(once, given.sources)
                    print(json.dumps({"note": f"{title}: sources of {written} modules", "failed": failed}), flush=True)
                    continue
                try:
                    print(json.dumps(what | row()), flush=True)
                except Exception as error:
                    print(json.dumps(what | {"failed": repr(error)[:300]}), flush=True)


if __name__ == "__main__":
    main()
