# SPDX-License-Identifier: Apache-2.0
"""The Gymnasium environments."""
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import repose.gym  # noqa: E402

NAMES = ["Repose/PushBox-v0", "Repose/Stack-v0"]


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_own_check_passes(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # remarks on unbounded observations and the missing render mode
        check_env(gymnasium.make(name).unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_repeats_every_bit(name):
    runs = []
    for _ in range(2):
        env = gymnasium.make(name)
        seen = [env.reset(seed=5)[0]]
        for k in range(10):
            seen.append(env.step(0.5 * np.sin(k + np.arange(env.action_space.shape[0])))[0])
        runs.append(np.stack(seen))
    assert np.array_equal(*runs)
    assert not np.array_equal(runs[0][0], gymnasium.make(name).reset(seed=6)[0])


def pull(env):
    """Towards the goal, slowing down; lifted and carried over for the stack."""
    seen = env.observation()
    away, speed = seen[9:12], seen[3:6]
    aim = away.copy()
    if env.action_size == 3 and np.linalg.norm(away[:2]) > 0.03 * repose.gym.EDGE / 0.2:
        aim[2] += 0.25 * repose.gym.EDGE / 0.2 if np.linalg.norm(away[:2]) > 0.05 else 0.05
    force = 6 * aim - 2.5 * speed
    if env.action_size == 3:
        return np.clip(force + (0, 0, 0.5), -1, 1)
    return np.clip(force[:2] + 0.24 * np.sign(force[:2]), -1, 1) if np.linalg.norm(away) > 0.015 else -0.5 * speed[:2]


@pytest.mark.parametrize("name", NAMES)
def test_the_task_can_be_done(name):
    env = gymnasium.make(name)
    env.reset(seed=1)
    for _ in range(200):
        _, reward, done, late, info = env.step(pull(env.unwrapped))
        assert info["residual"] <= 1e-8
        if done or late:
            break
    assert done and reward > 9


def test_a_box_below_the_threshold_does_not_creep():
    env = gymnasium.make("Repose/PushBox-v0")
    start, _ = env.reset(seed=3)
    for _ in range(100):
        seen, *_ = env.step(np.array([0.2, 0.0]))  # 0.4 of its weight, μ = 0.5
    assert np.abs(seen[:2] - start[:2]).max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_the_vector_environment_is_its_members_one_by_one(name):
    many = gymnasium.make_vec(name, num_envs=3, max_episode_steps=12)
    alone = [gymnasium.make(name) for _ in range(3)]
    seen, _ = many.reset(seed=11)
    assert np.array_equal(seen, np.stack([env.reset(seed=11 + k)[0] for k, env in enumerate(alone)]))
    for step in range(12):
        actions = many.action_space.sample()
        seen, reward, done, late, info = many.step(actions)
        rows = [env.step(a) for env, a in zip(alone, actions)]
        assert np.array_equal(seen, np.stack([r[0] for r in rows])) and reward.tolist() == [r[1] for r in rows]
        assert late.tolist() == [step == 11] * 3
    fresh, reward, done, late, _ = many.step(many.action_space.sample())
    assert np.array_equal(fresh, np.stack([env.reset()[0] for env in alone])) and not late.any() and not reward.any()
    many.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_the_vector_environment_of_worlds(name):
    batch = gymnasium.make_vec(name, num_envs=3, max_episode_steps=6, device="cpu")
    worlds = gymnasium.make_vec(name, num_envs=3, max_episode_steps=6)
    assert np.array_equal(batch.reset(seed=5)[0], worlds.reset(seed=5)[0])
    for _ in range(10):  # the seventh starts anew
        actions = worlds.action_space.sample()
        ours, theirs = batch.step(actions), worlds.step(actions)
        for a, b in zip(ours[:4], theirs[:4]):
            assert np.allclose(a, b, rtol=0, atol=1e-6)
        assert np.allclose(ours[4]["distance"], theirs[4]["distance"], rtol=0, atol=1e-6, equal_nan=True)
        assert (ours[4]["residual"] <= 1e-8).all()
    worlds.close()


@pytest.mark.parametrize("name", ["GripperLift", "HandReorient", "QuadrupedWalk"])
def test_a_batch_of_robots_is_its_members_one_by_one(name):
    many = gymnasium.make_vec(f"Repose/{name}-v0", num_envs=2, max_episode_steps=5, device="cpu")
    alone = [gymnasium.make(f"Repose/{name}-v0") for _ in range(2)]
    seen, _ = many.reset(seed=3)
    assert np.array_equal(seen, np.stack([env.reset(seed=3 + k)[0] for k, env in enumerate(alone)]))
    rng = np.random.default_rng(0)
    for step in range(5):
        actions = rng.uniform(-0.3, 0.3, many.action_space.shape)
        seen, reward, done, late, info = many.step(actions)
        rows = [env.step(a) for env, a in zip(alone, actions)]
        assert np.allclose(seen, np.stack([r[0] for r in rows]), rtol=0, atol=1e-4)
        assert np.allclose(reward, [r[1] for r in rows], rtol=0, atol=1e-4)
        assert (info["residual"] <= 1e-8).all() and late.tolist() == [step == 4] * 2
    fresh, reward, done, late, info = many.step(many.action_space.sample())
    assert np.array_equal(fresh, np.stack([env.reset()[0] for env in alone])) and not reward.any() and not late.any()
