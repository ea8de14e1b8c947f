# SPDX-License-Identifier: Apache-2.0
"""Mocap bodies: kinematic bodies that go where data.mocap_pos and data.mocap_quat say, and pull what is welded to them."""
import copy

import numpy as np
import pytest

import repose

HAND = """<mujoco><option timestep="0.002"/><worldbody>
<body name="target" mocap="true" pos="0 0 1"><geom type="box" size=".02 .02 .02" contype="0" conaffinity="0"/><site name="tip" pos="0 0 .1"/></body>
<body name="hand" pos="0 0 1"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body>
<body name="paddle" mocap="true" pos="1 0 .1"><geom type="box" size=".05 .2 .1"/></body>
<body name="cube" pos="1.3 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass=".2"/></body>
<geom type="plane" size="5 5 .1"/></worldbody>
<equality><weld body1="target" body2="hand"/></equality>
<keyframe><key name="start"/><key name="away" qpos="0 0 2 1 0 0 0 1.3 0 .05 1 0 0 0" mpos="0 0 2 .5 0 .1" mquat="1 0 0 0 1 0 0 0"/></keyframe></mujoco>"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "hand.xml"
    path.write_text(HAND)
    return repose.load(path)


def test_a_weld_follows_its_mocap_body(model):
    data = repose.Data(model)
    assert data.mocap_pos == pytest.approx(np.array([[0, 0, 1], [1, 0, 0.1]]))
    assert data.mocap_quat == pytest.approx(np.array([[1, 0, 0, 0], [1, 0, 0, 0]]))
    hand = model.body("hand")
    for k in range(1, 501):
        angle = 0.001 * k
        data.mocap_pos[0] = 0.3 * np.sin(angle), 0, 1 + angle
        data.mocap_quat[0] = np.cos(angle), 0, 0, np.sin(angle)
        repose.step(model, data)
        assert data.report.solved
        assert data.frame_position[hand] == pytest.approx(data.mocap_pos[0], abs=1e-10)
        assert abs(data.quaternion[hand] @ data.mocap_quat[0]) == pytest.approx(1, abs=1e-12)
    again = copy.deepcopy(data)
    assert (again.mocap_pos == data.mocap_pos).all()
    for d in (data, again):
        repose.step(model, d, 5)
    assert again.state_hash == data.state_hash
    assert np.abs(data.velocity[hand]).max() <= 1e-9  # it stays where it was told to go


def test_a_paddle_pushes_a_cube(model):
    data = repose.Data(model)
    cube = model.body("cube")
    for k in range(500):
        data.mocap_pos[1, 0] += 0.001
        repose.step(model, data)
        assert data.report.solved
    assert data.frame_position[cube][0] >= 1.5 + 0.1 - 1e-6
    assert data.velocity[cube][0] == pytest.approx(0.5, abs=1e-3)


def test_a_guided_body_is_built_in_python():
    b = repose.ModelBuilder("pusher")
    plate = b.add_body((0, 0, 1))
    b.add_shape_box(plate, 0.1, 0.1, 0.1)
    b.add_motion_guided(plate)
    model = b.finalize()
    data = repose.Data(model)
    data.mocap_pos[0] = 0.1, 0, 1
    repose.step(model, data)
    assert data.position[plate] == pytest.approx([0.1, 0, 1], abs=0)
    assert data.velocity[plate] == pytest.approx([0.1 / model.dt, 0, 0])


def test_keys_and_bad_numbers(model):
    data = repose.Data(model)
    data.reset("away")
    assert data.mocap_pos == pytest.approx(np.array([[0, 0, 2], [0.5, 0, 0.1]]))
    repose.step(model, data)
    assert data.report.solved and data.frame_position[model.body("hand")] == pytest.approx([0, 0, 2], abs=1e-10)
    data.mocap_quat[1] = 0
    with pytest.raises(repose.InputError, match="body 'paddle': mocap_pos, mocap_quat: expected finite numbers"):
        repose.step(model, data)


def test_recordings_follow_guided_bodies(model, tmp_path):
    path = tmp_path / "run.h5"
    repose.run(model, time=0.1, record=path)
    worst, follows = repose.Recording(path).check()
    assert follows and worst <= 1e-8
