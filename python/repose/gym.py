# SPDX-License-Identifier: Apache-2.0
"""Gymnasium environments: importing this module registers Repose/PushBox-v0, Repose/Stack-v0 and the robots' tasks
Repose/GripperLift-v0, Repose/HandReorient-v0 and Repose/QuadrupedWalk-v0. Needs gymnasium.

All are exact: a box that sticks does not creep, and every step carries its certificate in ``info["residual"]``.
"""
from __future__ import annotations

import concurrent.futures as futures
import os
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from repose import _core
from repose._robot_tasks import FINGER, TASKS, GripperLift, HandReorient, QuadrupedWalk, RobotBatchEnv

__all__ = ["BoxBatchEnv", "BoxVectorEnv", "FINGER", "GripperLift", "HandReorient", "PushBox", "QuadrupedWalk", "RobotBatchEnv",
           "Stack"]

Array = npt.NDArray[np.float64]
EDGE = 0.2  #: of the boxes, m
SUBSTEPS = 4  #: steps of 1/120 s per action


def _boxes(count: int, friction: float) -> _core.Model:
    builder = _core.ModelBuilder("boxes", dt=1 / 120)
    stone = builder.add_material("stone", friction=friction)
    builder.add_ground_plane(stone)
    for k in range(count):
        body = builder.add_body((k, 0, EDGE / 2), name=f"box-{k}")
        builder.add_shape_box(body, EDGE / 2, EDGE / 2, EDGE / 2, material=stone, density=500)
    return builder.finalize()


class _BoxEnv(gymnasium.Env[Array, Array]):
    """What the tasks share: one box that the action pushes, a goal, an observation of both."""

    metadata: dict[str, Any] = {"render_modes": []}
    count = 1
    action_size = 2
    reach = 0.02  #: distance from the goal that counts as there, m

    def __init__(self, friction: float = 0.5) -> None:
        self.model = _boxes(self.count, friction)
        self.data = _core.Data(self.model)
        self.box = self.count  # the last one; 0 is the ground
        self.goal = np.zeros(3)
        self.largest_force = 2 * 9.81 * float(self.model.mass[self.box])  #: N, of an action of 1
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.action_size,), np.float64)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (12,), np.float64)

    def _place(self) -> None:
        raise NotImplementedError

    def observation(self) -> Array:
        """Position (3), velocity (3), angular velocity (3) of the box, goal − position (3)."""
        d, b = self.data, self.box
        return np.concatenate([d.position[b], d.velocity[b], d.angular_velocity[b], self.goal - d.position[b]])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new start and goal, drawn from the seed."""
        super().reset(seed=seed)
        self.data.reset()
        self._place()
        return self.observation(), {}

    def push(self, action: Array) -> None:
        """Sets the force of the coming steps."""
        force = np.zeros(3)
        force[: self.action_size] = np.clip(action, -1, 1) * self.largest_force
        self.data.force[self.box] = force

    def outcome(self) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """What step() returns, from the state as it is."""
        away = float(np.linalg.norm(self.goal - self.data.position[self.box]))
        there = away < self.reach and float(np.linalg.norm(self.data.velocity[self.box])) < 0.05
        info = {"residual": self.data.certificate.worst, "distance": away}
        return self.observation(), -away + 10.0 * there, there, False, info

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Pushes for SUBSTEPS steps."""
        self.push(action)
        _core.step(self.model, self.data, SUBSTEPS)
        return self.outcome()


class PushBox(_BoxEnv):
    """Push a box over the floor to a target and leave it there at rest. Action: horizontal force, 2 numbers in −1 … 1
    (times twice the box's weight). Reward: −distance (m), +10 on arrival."""

    def _place(self) -> None:
        self.goal = np.array([*self.np_random.uniform(-1, 1, 2), EDGE / 2])
        self.data.position[self.box, :2] = self.np_random.uniform(-1, 1, 2)


class Stack(_BoxEnv):
    """Put a box on top of another one. Action: force in x, y, z, 3 numbers in −1 … 1 (times twice the box's weight).
    Reward: −distance (m) from the place on top, +10 when it lies there at rest."""

    count = 2
    action_size = 3

    def _place(self) -> None:
        base = self.np_random.uniform(-0.3, 0.3, 2)
        turn = self.np_random.uniform(0, 2 * np.pi)
        self.data.position[1, :2] = base
        self.data.position[2, :2] = base + (0.3 + self.np_random.uniform(0, 0.5)) * np.array([np.cos(turn), np.sin(turn)])
        self.goal = np.array([*base, 1.5 * EDGE])


class BoxVectorEnv(gymnasium.vector.VectorEnv[Array, Array, npt.NDArray[Any]]):
    """Many environments of one task, stepped on several threads; each has the bits of one stepped alone.

    Finished ones start anew with the next step (gymnasium's NEXT_STEP mode).
    """

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, task: type[_BoxEnv], num_envs: int = 1, max_episode_steps: int = 200, threads: int | None = None) -> None:
        self.envs = [task() for _ in range(num_envs)]
        self.num_envs = num_envs
        self.limit = max_episode_steps
        self.single_action_space = self.envs[0].action_space
        self.single_observation_space = self.envs[0].observation_space
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self._age = np.zeros(num_envs, dtype=int)
        self._over = np.zeros(num_envs, dtype=bool)
        self._pool = futures.ThreadPoolExecutor(min(num_envs, threads or os.cpu_count() or 1))

    def reset(self, *, seed: int | list[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """New starts; one seed gives seed, seed + 1, …"""
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + k for k in range(self.num_envs)]
        self._age[:] = 0
        self._over[:] = False
        return np.stack([env.reset(seed=s)[0] for env, s in zip(self.envs, seeds)]), {}

    def _advance(self, k: int, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        if self._over[k]:
            self._age[k] = 0
            return self.envs[k].reset()[0], 0.0, False, False, {"residual": 0.0, "distance": np.nan}
        self._age[k] += 1
        seen, reward, there, _, info = self.envs[k].step(action)
        return seen, reward, there, bool(self._age[k] >= self.limit), info

    def step(self, actions: Array) -> tuple[Array, Array, npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """One action for each."""
        rows = list(self._pool.map(self._advance, range(self.num_envs), actions))
        there, late = np.array([r[2] for r in rows]), np.array([r[3] for r in rows])
        self._over = there | late
        info = {key: np.array([r[4][key] for r in rows]) for key in ("residual", "distance")}
        return np.stack([r[0] for r in rows]), np.array([r[1] for r in rows]), there, late, info

    def close_extras(self, **options: Any) -> None:
        """Ends the threads."""
        self._pool.shutdown()


class BoxBatchEnv(gymnasium.vector.VectorEnv[Array, Array, npt.NDArray[Any]]):
    """Many environments of one task as one repose.BatchData, on "cpu" or "cuda". Finished ones start anew with the next
    step (gymnasium's NEXT_STEP mode)."""

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, task: type[_BoxEnv], num_envs: int = 1, max_episode_steps: int = 200, device: str = "cpu",
                 threads: int | None = None) -> None:
        self.env = task()
        self.batch = _core.BatchData(self.env.model, num_envs, device, threads=threads or os.cpu_count() or 1)
        self.num_envs = num_envs
        self.limit = max_episode_steps
        self.single_action_space = self.env.action_space
        self.single_observation_space = self.env.observation_space
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.goal = np.zeros((num_envs, 3))
        self._random = [np.random.default_rng() for _ in range(num_envs)]
        self._age = np.zeros(num_envs, dtype=int)
        self._over = np.zeros(num_envs, dtype=bool)

    def _start(self, chosen: npt.NDArray[Any]) -> None:
        self.batch.reset(chosen)
        position = self.batch.copy("position")
        for k in np.flatnonzero(chosen):
            self.env.np_random = self._random[k]
            self.env.data.reset()
            self.env._place()
            position[k], self.goal[k] = self.env.data.position[self.batch.bodies], self.env.goal
        self.batch.position = position
        self._age[chosen] = 0

    def _observation(self) -> Array:
        x, v, w = (self.batch.copy(name)[:, -1] for name in ("position", "velocity", "angular_velocity"))
        return np.concatenate([x, v, w, self.goal - x], axis=1)

    def reset(self, *, seed: int | list[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """New starts; one seed gives seed, seed + 1, …"""
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + k for k in range(self.num_envs)]
        self._random = [old if s is None else gymnasium.utils.seeding.np_random(s)[0] for old, s in zip(self._random, seeds)]
        self._start(np.ones(self.num_envs, dtype=bool))
        self._over[:] = False
        return self._observation(), {}

    def step(self, actions: Array) -> tuple[Array, Array, npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """One action for each."""
        fresh = self._over
        force = np.zeros((self.num_envs, len(self.batch.bodies), 3))
        force[:, -1, : self.env.action_size] = np.clip(actions, -1, 1) * self.env.largest_force
        self.batch.force = force
        self.batch.step(SUBSTEPS)
        if fresh.any():
            self._start(fresh)
        self._age[~fresh] += 1
        seen = self._observation()
        away = np.where(fresh, np.nan, np.linalg.norm(seen[:, 9:], axis=1))
        there = (away < self.env.reach) & (np.linalg.norm(seen[:, 3:6], axis=1) < 0.05)
        late = ~fresh & (self._age >= self.limit)
        self._over = there | late
        residual = np.where(fresh, 0.0, self.batch.copy("residual").max(axis=1))
        return seen, np.where(fresh, 0.0, -away + 10.0 * there), there, late, {"residual": residual, "distance": away}


def _vector(task: type[_BoxEnv], device: str | None = None, **options: Any) -> BoxVectorEnv | BoxBatchEnv:
    return BoxVectorEnv(task, **options) if device is None else BoxBatchEnv(task, device=device, **options)


def _register() -> None:
    for name, task in (("PushBox", PushBox), ("Stack", Stack)):
        if f"Repose/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"Repose/{name}-v0", entry_point=f"repose.gym:{name}", max_episode_steps=200,
                               vector_entry_point=lambda task=task, **options: _vector(task, **options))
    for name in TASKS:
        if f"Repose/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"Repose/{name}-v0", entry_point=f"repose.gym:{name}", max_episode_steps=300,
                               vector_entry_point=lambda task=TASKS[name], **options: RobotBatchEnv(task, **options))


_register()
