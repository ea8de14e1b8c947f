# SPDX-License-Identifier: Apache-2.0
"""Tasks of repose.gym with joints and servos: GripperLift, HandReorient, QuadrupedWalk. Their robots are built here."""
from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from repose import _core

Array = npt.NDArray[np.float64]
Outcome = tuple[Array, float, bool, bool, dict[str, Any]]
ROBOT: dict[str, Any] = {"group": 2, "mask": 1}  #: parts of a robot touch what is not of the robot


def _towards(direction: Array) -> tuple[float, float, float, float]:
    """The quaternion that turns z to a direction."""
    x, y, z = direction / np.linalg.norm(direction)
    if z < -1 + 1e-12:
        return 0.0, 1.0, 0.0, 0.0
    w = np.sqrt((1 + z) / 2)
    return float(w), float(-y / (2 * w)), float(x / (2 * w)), 0.0


def _add_rod(builder: _core.ModelBuilder, name: str, start: Array, end: Array, radius: float, **options: Any) -> int:
    """A capsule between two points, a body of its own."""
    middle = 0.5 * (start + end)
    body = builder.add_body((float(middle[0]), float(middle[1]), float(middle[2])), _towards(end - start), name=name)
    builder.add_shape_capsule(body, radius, 0.5 * float(np.linalg.norm(end - start)), **options)
    return body


class _RobotEnv(gymnasium.Env[Array, Array]):
    """What the tasks share: servos that follow the action from `centre` by `reach`, `substeps` steps for each action."""

    metadata: dict[str, Any] = {"render_modes": []}
    substeps = 4

    def __init__(self, model: _core.Model, centre: Array, reach: Array) -> None:
        self.model = model
        self.data = _core.Data(model)
        self.centre, self.reach = centre, reach  #: of the controls: rad, m
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (model.nu,), np.float64)
        self.place()
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, self.observation().shape, np.float64)

    def place(self) -> None:
        """Puts the task at a new start, drawn from self.np_random."""
        raise NotImplementedError

    def observation(self) -> Array:
        """What the policy sees."""
        raise NotImplementedError

    def outcome(self, action: Array) -> Outcome:
        """What step() returns, from the state as it is."""
        raise NotImplementedError

    def joints(self) -> list[Array]:
        """Positions and velocities of all coordinates."""
        return [self.data.joint_position, self.data.joint_velocity]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new start, drawn from the seed."""
        super().reset(seed=seed)
        self.data.reset()
        self.data.ctrl[:] = self.centre
        self.place()
        return self.observation(), {}

    def step(self, action: Array) -> Outcome:
        """Gives the servos their goals and goes on for `substeps` steps."""
        self.data.ctrl[:] = self.centre + self.reach * np.clip(action, -1, 1)
        _core.step(self.model, self.data, self.substeps)
        return self.outcome(action)

    def info(self) -> dict[str, Any]:
        """The residual of the last step."""
        return {"residual": self.data.certificate.worst}


def _gripper() -> _core.Model:
    b = _core.ModelBuilder("gripper", dt=1 / 240)
    rubber = b.add_material("rubber", friction=0.8)
    b.add_ground_plane(rubber)
    cube = b.add_body((0, 0, 0.025), name="cube")
    b.add_shape_box(cube, 0.025, 0.025, 0.025, material=rubber)
    hand = b.add_body((0, 0, 0.12), name="hand")
    b.add_shape_box(hand, 0.1, 0.03, 0.02, material=rubber, **ROBOT)
    lift = b.add_joint("slide", -1, hand, (0, 0, 0.12), (0, 0, 1), name="lift", range=(-0.005, 0.35))
    b.add_position_servo(lift, 2000, 200, 80)
    for side, name in ((-1, "left"), (1, "right")):
        jaw = b.add_body((side * 0.06, 0, 0.06), name=f"{name} jaw")
        b.add_shape_box(jaw, 0.01, 0.02, 0.04, material=rubber, **ROBOT)
        slide = b.add_joint("slide", hand, jaw, (side * 0.06, 0, 0.06), (-side, 0, 0), name=name, range=(0, 0.05))
        b.add_position_servo(slide, 500, 20, 15)
    return b.finalize()


class GripperLift(_RobotEnv):
    """Grasp a cube of 125 g between two jaws, lift it to a height and hold it there. Action, 3 numbers: goals of the lift
    (0 … 0.3 m) and of both jaws (open … closed, at most 15 N each). Observation, 14: coordinates (3) and their velocities (3),
    position (3) and velocity (3) of the cube, height it shall have, height missing. Reward: −|height missing| (m), +10 on
    arrival, which ends the episode: within 1 cm and below 5 cm/s."""

    CUBE = 1

    def __init__(self) -> None:
        self.goal = 0.0
        super().__init__(_gripper(), np.array([0.15, 0.025, 0.025]), np.array([0.15, 0.025, 0.025]))

    def place(self) -> None:
        self.data.ctrl[:] = 0
        self.goal = float(self.np_random.uniform(0.1, 0.25))
        self.data.position[self.CUBE, :2] = self.np_random.uniform(-0.008, 0.008, 2)

    def observation(self) -> Array:
        at = self.data.position[self.CUBE]
        return np.concatenate([*self.joints(), at, self.data.velocity[self.CUBE], [self.goal, self.goal - at[2]]])

    def outcome(self, action: Array) -> Outcome:
        away = abs(self.goal - float(self.data.position[self.CUBE, 2]))
        there = away < 0.01 and float(np.linalg.norm(self.data.velocity[self.CUBE])) < 0.05
        return self.observation(), -away + 10.0 * there, there, False, self.info() | {"distance": away}


FINGER = 0.05  #: length of both links of a finger, m
BASE = 0.11  #: distance of a finger's base from the middle of the palm, m


def _hand() -> _core.Model:
    b = _core.ModelBuilder("hand", dt=1 / 240)
    palm = b.add_material("palm", friction=0.2)
    tip = b.add_material("tip", friction=1.0)
    b.override_pair(palm, tip, friction=0.3)
    b.add_ground_plane(palm)
    cube = b.add_body((0, 0, 0.025), name="cube")
    b.add_shape_box(cube, 0.025, 0.025, 0.025, material=tip)
    for k in range(4):
        turn = k * np.pi / 2
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        base = BASE * out + (0, 0, 0.025)
        last = -1
        for part, name in enumerate(("near", "far")):
            start, end = base - part * FINGER * out, base - (part + 1) * FINGER * out
            link = _add_rod(b, f"{name} {k}", start, end, 0.006, material=tip, **ROBOT)
            low, high = (-1.5, 1.5) if part == 0 else (-2.5, 2.5)
            hinge = b.add_joint("hinge", last, link, (float(start[0]), float(start[1]), float(start[2])), (0, 0, 1),
                                name=f"{name} {k}", range=(low, high), damping=0.002)
            b.add_position_servo(hinge, 1.5, 0.05, 0.25)
            last = link
    return b.finalize()


class HandReorient(_RobotEnv):
    """Turn a cube on the palm about the vertical with four fingers of two hinges each, which lie in a plane around it. Action, 8:
    goals of the hinges, near and far by turns, 0 … ±1.5 and ±2.5 rad; straight fingers (0) would reach the middle of the palm, so
    an episode begins with bent ones. Observation, 25: angles (8), their velocities (8), the cube's position from the middle (2), its
    velocity (2), cosine and sine of its angle, its spin, cosine and sine of the angle missing. Reward: −|angle missing| (rad), +10 on
    arrival (within 0.05 rad, slower than 0.5 rad/s), −10 when the cube has left the palm (8 cm); both end the episode."""

    CUBE = 1

    def __init__(self) -> None:
        self.goal = 0.0
        super().__init__(_hand(), np.zeros(8), np.array([1.5, 2.5] * 4))

    def place(self) -> None:
        self.goal = float(self.np_random.uniform(0.2, 0.6) * self.np_random.choice([-1.0, 1.0]))
        self._bend(0.5 * np.pi)

    def _bend(self, angle: float) -> None:
        """Turns every finger's near link by −angle/2 and its far link by `angle` against it, about their hinges."""
        for k in range(4):
            turn = k * np.pi / 2
            out = np.array([np.cos(turn), np.sin(turn), 0.0])
            point, heading = BASE * out + (0, 0, 0.025), turn + np.pi - angle / 2
            for part in range(2):
                along = np.array([np.cos(heading), np.sin(heading), 0.0])
                self.data.position[2 + 2 * k + part] = point + 0.5 * FINGER * along
                self.data.quaternion[2 + 2 * k + part] = _about_z(heading - turn - np.pi, _towards(-out))
                point, heading = point + FINGER * along, heading + angle
        self.data.ctrl[:] = [-angle / 2, angle] * 4

    def angle(self) -> float:
        """Of the cube about the vertical, rad."""
        w, _, _, z = self.data.quaternion[self.CUBE]
        return float(2 * np.arctan2(z, w))

    def missing(self) -> float:
        """The angle that is left, in −π … π."""
        return float((self.goal - self.angle() + np.pi) % (2 * np.pi) - np.pi)

    def observation(self) -> Array:
        turn, left = self.angle(), self.missing()
        return np.concatenate([*self.joints(), self.data.position[self.CUBE, :2], self.data.velocity[self.CUBE, :2],
                               [np.cos(turn), np.sin(turn), self.data.angular_velocity[self.CUBE, 2], np.cos(left), np.sin(left)]])

    def outcome(self, action: Array) -> Outcome:
        left = abs(self.missing())
        there = left < 0.05 and abs(float(self.data.angular_velocity[self.CUBE, 2])) < 0.5
        lost = float(np.linalg.norm(self.data.position[self.CUBE, :2])) > 0.08
        reward = -left + 10.0 * there - 10.0 * lost
        return self.observation(), reward, there or lost, False, self.info() | {"distance": left}


def _about_z(angle: float, q: tuple[float, float, float, float]) -> Array:
    """Rotation q, then one about the vertical."""
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    w, x, y, z = q
    return np.array([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w])


def _quadruped() -> _core.Model:
    b = _core.ModelBuilder("quadruped", dt=1 / 240)
    rubber = b.add_material("rubber", friction=0.8)
    b.add_ground_plane(rubber)
    height = 2 * 0.2 * np.cos(0.6) + 0.02  # feet on the ground with the legs bent by 0.6 and −1.2 rad
    torso = b.add_body((0, 0, height), name="torso")
    b.add_shape_box(torso, 0.25, 0.1, 0.05, material=rubber, density=1000, **ROBOT)
    for side in (1, -1):
        for end in (1, -1):
            name = f"{'front' if end > 0 else 'hind'} {'left' if side > 0 else 'right'}"
            hip = np.array([end * 0.2, side * 0.14, height])
            knee = hip + 0.2 * np.array([-np.sin(0.6), 0, -np.cos(0.6)])
            foot = knee + 0.2 * np.array([np.sin(0.6), 0, -np.cos(0.6)])
            link = b.add_body((float(hip[0]), float(hip[1]), height), name=f"{name} hip")
            b.add_shape_sphere(link, 0.03, material=rubber, density=4000, **ROBOT)
            upper = _add_rod(b, f"{name} thigh", hip, knee, 0.02, material=rubber, density=2000, **ROBOT)
            lower = _add_rod(b, f"{name} shank", knee, foot, 0.02, material=rubber, density=1000, **ROBOT)
            for parent, child, at, axis, what, span in ((torso, link, hip, (1, 0, 0), "abduction", 0.5),
                                                        (link, upper, hip, (0, 1, 0), "hip", 1.2),
                                                        (upper, lower, knee, (0, 1, 0), "knee", 1.1)):
                hinge = b.add_joint("hinge", parent, child, (float(at[0]), float(at[1]), float(at[2])), axis,
                                    name=f"{name} {what}", range=(-span, span), armature=0.005)
                b.add_position_servo(hinge, 120, 3, 40)
    return b.finalize()


class QuadrupedWalk(_RobotEnv):
    """Walk along x. Action, 12: goals of the servos, ±0.5 rad from where the robot stands; by legs (left front, left hind, right front,
    right hind) abduction, hip, knee. Observation, 35: height, quaternion (4), velocity (3), angular velocity (3) of the torso, angles (12),
    their velocities (12). Reward: velocity along x (m/s) − 0.01 · mean square of the action, −10 for a fall (torso below 60 % of its
    height or tilted by more than 60°), which ends the episode.

    `file` is a robot of yours (MJCF, native) with position servos instead: `torso` its base, `key` the keyframe it starts from;
    action and observation have its numbers of actuators and coordinates."""

    def __init__(self, file: str | os.PathLike[str] | None = None, torso: str = "torso", key: str | None = None) -> None:
        model = _quadruped() if file is None else _core.Model.from_file(os.fspath(file))
        start = _core.Data(model)
        if key is not None:
            start.reset(key)
        self.key = key
        self.torso = list(model.body_names).index(torso)
        self.height = float(start.position[self.torso, 2])
        self.substeps = max(1, round(1 / (60 * model.dt)))
        super().__init__(model, np.array(start.ctrl), np.full(model.nu, 0.5))

    def place(self) -> None:
        if self.key is not None:
            self.data.reset(self.key)
        self.data.velocity[self.torso, :2] += self.np_random.uniform(-0.1, 0.1, 2)

    def observation(self) -> Array:
        d, t = self.data, self.torso
        return np.concatenate([[d.position[t, 2]], d.quaternion[t], d.velocity[t], d.angular_velocity[t], *self.joints()])

    def outcome(self, action: Array) -> Outcome:
        _, x, y, _ = self.data.quaternion[self.torso]
        upright = 1 - 2 * (x * x + y * y)  # cosine of the tilt
        fallen = bool(upright < 0.5 or self.data.position[self.torso, 2] < 0.6 * self.height)
        speed = float(self.data.velocity[self.torso, 0])
        reward = speed - 0.01 * float(np.mean(np.square(action))) - 10.0 * fallen
        return self.observation(), reward, fallen, False, self.info() | {"speed": speed}


class _Seen:
    """One world of a batch as a task reads it: arrays by body of the model, as repose.Data has them."""

    def __init__(self, arrays: dict[str, Array], world: int) -> None:
        self.__dict__.update({name: numbers[world] for name, numbers in arrays.items()})


class RobotBatchEnv(gymnasium.vector.VectorEnv[Array, Array, npt.NDArray[Any]]):
    """Many environments of one of these tasks as one repose.BatchData, on "cpu" or "cuda". Finished ones start anew with the next
    step (gymnasium's NEXT_STEP mode). Observations and rewards are computed one world after the other."""

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, task: type[_RobotEnv], num_envs: int = 1, max_episode_steps: int = 300, device: str = "cpu",
                 threads: int | None = None, contacts: int = 64, **options: Any) -> None:
        self.env = task(**options)
        self.batch = _core.BatchData(self.env.model, num_envs, device, threads=threads or os.cpu_count() or 1, contacts=contacts)
        self.num_envs = num_envs
        self.limit = max_episode_steps
        self.single_action_space = self.env.action_space
        self.single_observation_space = self.env.observation_space
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self._data, self._goals = self.env.data, [0.0] * num_envs
        self._random = [np.random.default_rng() for _ in range(num_envs)]
        self._age = np.zeros(num_envs, dtype=int)
        self._over = np.zeros(num_envs, dtype=bool)

    def _start(self, chosen: npt.NDArray[Any], seen: Array) -> None:
        """Puts the chosen worlds at new starts; their observations go to `seen`."""
        self.batch.reset(chosen)
        names = ("position", "quaternion", "velocity", "angular_velocity")
        states, ctrl = {name: self.batch.copy(name) for name in names}, self.batch.copy("ctrl")
        self.env.data = self._data
        for k in np.flatnonzero(chosen):
            self.env.np_random = self._random[k]
            seen[k], _ = self.env.reset()
            for name in names:
                states[name][k] = getattr(self._data, name)[self.batch.bodies]
            ctrl[k] = self._data.ctrl
            self._goals[k] = getattr(self.env, "goal", 0.0)
        for name in names:
            setattr(self.batch, name, states[name])
        self.batch.ctrl = ctrl
        self._age[chosen] = 0

    def reset(self, *, seed: int | list[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """New starts; one seed gives seed, seed + 1, …"""
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + k for k in range(self.num_envs)]
        self._random = [old if s is None else gymnasium.utils.seeding.np_random(s)[0] for old, s in zip(self._random, seeds)]
        seen = np.zeros((self.num_envs, *self.single_observation_space.shape))
        self._start(np.ones(self.num_envs, dtype=bool), seen)
        self._over[:] = False
        return seen, {}

    def _arrays(self) -> dict[str, Array]:
        """What tasks read, with a row for every body of the model."""
        arrays = {name: self.batch.copy(name) for name in ("joint_position", "joint_velocity")}
        for name in ("position", "quaternion", "velocity", "angular_velocity"):
            moving = self.batch.copy(name)
            arrays[name] = np.zeros((self.num_envs, len(self.env.model.body_names), moving.shape[2]))
            arrays[name][:, self.batch.bodies] = moving
        return arrays

    def step(self, actions: Array) -> tuple[Array, Array, npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """One action for each."""
        fresh = self._over.copy()
        self.batch.ctrl = self.env.centre + self.env.reach * np.clip(actions, -1, 1)
        self.batch.step(self.env.substeps)
        arrays, residual = self._arrays(), np.where(fresh, 0.0, self.batch.copy("residual").max(axis=1))
        seen, reward = np.zeros((self.num_envs, *self.single_observation_space.shape)), np.zeros(self.num_envs)
        done, words = np.zeros(self.num_envs, dtype=bool), np.full(self.num_envs, np.nan)
        self.env.info = lambda: {}  # type: ignore[method-assign]
        word = "distance"
        for k in np.flatnonzero(~fresh):
            self.env.data = _Seen(arrays, k)  # type: ignore[assignment]
            self.env.goal = self._goals[k]
            seen[k], reward[k], done[k], _, info = self.env.outcome(actions[k])
            word, words[k] = next(iter(info.items()))
        del self.env.info
        self.env.data = self._data
        if fresh.any():
            self._start(fresh, seen)
        self._age[~fresh] += 1
        late = ~fresh & (self._age >= self.limit)
        self._over = done | late
        return seen, reward, done, late, {"residual": residual, word: words}


TASKS = {"GripperLift": GripperLift, "HandReorient": HandReorient, "QuadrupedWalk": QuadrupedWalk}
