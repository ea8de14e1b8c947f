# SPDX-License-Identifier: Apache-2.0
"""The robots of the PyPI package gymnasium, as it installs them: accelerations are MuJoCo's, random controls are solved."""
import json
from pathlib import Path

import numpy as np
import pytest

import repose

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("mujoco")
from mujoco_robot import Robot

ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
ROBOTS = sorted(file.stem for file in ASSETS.glob("*.xml"))
if not ROBOTS:
    pytest.skip(f"needs the robots of gymnasium in {ASSETS}", allow_module_level=True)


def test_the_robots_are_there():
    assert {"ant", "half_cheetah", "hopper", "walker2d", "humanoid", "humanoidstandup", "swimmer", "reacher", "pusher",
            "inverted_pendulum", "inverted_double_pendulum"} <= set(ROBOTS)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("seed", range(2))
def test_accelerations_are_those_of_mujoco(name, seed):
    robot = Robot(ASSETS / f"{name}.xml", seed)
    robot.move()
    wanted, found = robot.compare()
    assert np.abs(found - wanted).max() <= 1e-7 * np.abs(wanted).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_two_seconds_of_random_controls_are_solved(name):
    model = repose.load(ASSETS / f"{name}.xml")
    data = repose.Data(model)
    random = np.random.default_rng(1)
    drives = json.loads(model.to_json())["actuators"]
    lower, upper = [a["control_lower"] for a in drives], [a["control_upper"] for a in drives]
    every = max(1, round(0.02 / model.dt))
    for k in range(round(2 / model.dt)):
        if k % every == 0:
            data.ctrl = random.uniform(lower, upper)
        repose.step(model, data)
        assert data.report.solved, k
        assert data.report.joint_error <= 1e-10, k
