# SPDX-License-Identifier: Apache-2.0
"""The robots of the PyPI package gymnasium, as it installs them: accelerations are MuJoCo's, random controls are solved."""
import json
import re
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


def started(name, tmp_path):
    """The robot at the init_qpos that its file has for its task, if there is one: the ant is drawn half a radian beyond its limits."""
    file = ASSETS / f"{name}.xml"
    start = re.search('data="([^"]*)" name="init_qpos"', file.read_text())
    if not start:
        return repose.load(file)
    own = tmp_path / file.name
    own.write_text(file.read_text().replace("</mujoco>", f'<keyframe><key qpos="{start[1]}"/></keyframe></mujoco>'))
    return repose.load(own)


# Steps of the pusher are accepted, not solved: 11 to 33 of 200, with r_c up to 3e-7 (docs/decisions/052-compounds.md).
NOT_ALL = [pytest.param(name, marks=pytest.mark.xfail(reason="11 to 33 of 200 steps accepted, not solved", strict=True))
           if name.startswith("pusher") else name for name in ROBOTS]


@pytest.mark.parametrize("name", NOT_ALL)
def test_two_seconds_of_random_controls_are_solved(name, tmp_path):
    model = started(name, tmp_path)
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
