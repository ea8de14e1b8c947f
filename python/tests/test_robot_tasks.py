# SPDX-License-Identifier: Apache-2.0
"""The Gymnasium tasks of robots: gymnasium's check, seeds, and scripts that show that each can be done."""
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import repose

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import repose.gym  # noqa: E402

NAMES = {"Repose/GripperLift-v0": (3, 14), "Repose/HandReorient-v0": (8, 25), "Repose/QuadrupedWalk-v0": (12, 35)}
DATA = Path(os.environ.get("REPOSE_DATA") or Path(__file__).resolve().parents[2] / ".." / "shared" / "data") / "menagerie"


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_own_check_passes(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # remarks on unbounded observations and the missing render mode
        check_env(gymnasium.make(name).unwrapped)
    env = gymnasium.make(name)
    assert (*env.action_space.shape, *env.observation_space.shape) == NAMES[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_repeats_every_bit_also_after_other_episodes(name):
    def episode(env, seed):
        rows = [env.reset(seed=seed)[0]]
        for k in range(12):
            row, reward, *_, info = env.step(0.4 * np.sin(k + np.arange(env.action_space.shape[0])))
            assert info["residual"] <= 1e-8
            rows.append(np.append(row, reward)[:-1])
        return np.stack(rows)

    used = gymnasium.make(name)
    other = episode(used, 6)
    assert np.array_equal(episode(used, 5), episode(gymnasium.make(name), 5))
    assert not np.array_equal(other[0], episode(used, 5)[0])


@pytest.mark.parametrize("seed", [1, 3])
def test_the_gripper_lifts_the_cube_to_its_height(seed):
    env = gymnasium.make("Repose/GripperLift-v0")
    env.reset(seed=seed)
    goal = env.unwrapped.goal
    for k in range(300):
        phase = ([-1, -1, -1], [-1, 1, 1], [(goal - 0.025) / 0.15 - 1, 1, 1])[(k > 6) + (k > 36)]  # down, close, lift
        _, reward, done, late, _ = env.step(np.array(phase))
        if done or late:
            break
    assert done and reward > 9 and env.unwrapped.data.unsolved_steps == 0


def fingers(inward, aside):
    """Goals of the hinges that bring the tips of all fingers there, m from their bases."""
    length = min(np.hypot(inward, aside), 0.0999)
    bend = np.arccos((length**2 - 2 * repose.gym.FINGER**2) / (2 * repose.gym.FINGER**2))
    return np.array([(np.arctan2(aside, inward) - bend / 2) / 1.5, bend / 2.5] * 4)


@pytest.mark.parametrize("seed", [0, 2])
def test_the_hand_turns_the_cube_by_pushing_beside_the_middle_of_its_sides(seed):
    env = gymnasium.make("Repose/HandReorient-v0")
    env.reset(seed=seed)
    task, depth = env.unwrapped, 0.066
    for k in range(300):
        if k > 15:
            depth = np.clip(depth + 0.0003 * np.clip(10 * task.missing() * np.sign(task.goal), -1, 1), 0.06, 0.097)
        _, reward, done, late, info = env.step(fingers(depth, -0.02 * np.sign(task.goal)))
        if done or late:
            break
    assert done and reward > 9 and info["distance"] < 0.05 and task.data.unsolved_steps == 0


def test_the_quadruped_stands_still_without_an_action():
    env = gymnasium.make("Repose/QuadrupedWalk-v0")
    env.reset(seed=3)
    task = env.unwrapped
    for _ in range(300):
        assert not env.step(np.zeros(12))[2]
    repose.step(task.model, task.data, 5 * 240)  # its servos come to rest with a time constant of a third of a second
    start = np.array(task.data.position)
    repose.step(task.model, task.data, 2 * 240)
    assert np.abs(task.data.position - start).max() < 1e-10


def test_the_quadruped_trots_forward():
    env = gymnasium.make("Repose/QuadrupedWalk-v0")
    env.reset(seed=3)
    task, total = env.unwrapped, 0.0
    for k in range(300):
        action = np.zeros(12)
        for leg in range(4):
            phase = 2 * np.pi * 1.5 * k / 60 + (np.pi if leg in (1, 2) else 0)
            lift = max(0.0, np.cos(phase))
            action[3 * leg + 1: 3 * leg + 3] = 0.3 * np.sin(phase) - 0.3 * lift, 0.6 * lift
        _, reward, done, _, _ = env.step(action)
        total += reward / 60
        assert not done
    assert task.data.position[task.torso, 0] > 0.5 and total > 0.4 and task.data.unsolved_steps == 0


def test_a_robot_of_a_file_walks_too():
    if not DATA.is_dir():
        pytest.skip(f"needs {DATA}; set REPOSE_DATA to its folder")
    env = gymnasium.make("Repose/QuadrupedWalk-v0", file=DATA / "google_barkour_vb/scene.xml", key="home")
    assert env.action_space.shape == (12,)
    env.reset(seed=1)
    for _ in range(30):
        _, _, done, _, info = env.step(np.zeros(12))
        assert not done and info["residual"] <= 1e-8
