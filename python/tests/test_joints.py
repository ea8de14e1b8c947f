# SPDX-License-Identifier: Apache-2.0
"""Joints and actuators from Python: building, controls, coordinates and forces."""
import copy
import pickle

import numpy as np
import pytest

import repose


def arm(**joint):
    b = repose.ModelBuilder("arm", gravity=(0, 0, 0))
    body = b.add_body((0, 0, 0), name="wheel", mass=8.0, inertia=(0.1, 0.1, 0.1))
    hinge = b.add_joint("hinge", -1, body, (0, 0, 0), (0, 0, 1), name="axle", **joint)
    return b, hinge


def test_a_motor_turns_a_wheel():
    b, hinge = arm()
    assert b.add_motor(hinge, 3.0) == 0
    model = b.finalize()
    assert model.joint_names == ["axle"] and model.actuator_names == ["actuator-0"] and model.nu == 1
    assert model.joint("axle") == 0 and model.actuator("actuator-0") == 0
    data = repose.Data(model)
    data.ctrl[0] = 2.0
    repose.step(model, data, 60)
    assert data.joint_velocity == pytest.approx([2.0 / 0.1], rel=1e-9)
    assert data.joint_force == pytest.approx([2.0]) and data.actuator_force == pytest.approx([2.0])
    data.ctrl = [5.0]
    repose.step(model, data)
    assert data.actuator_force == pytest.approx([3.0])  # its largest


def test_a_servo_holds_a_position_and_a_limit_a_load():
    b, hinge = arm(range=(-0.5, 0.5))
    b.add_position_servo(hinge, 50, 5, 4.0)
    model = b.finalize()
    data = repose.Data(model)
    data.ctrl = [0.2]
    repose.step(model, data, 600)
    assert data.joint_position == pytest.approx([0.2], abs=1e-6)
    data.ctrl = [1.0]
    repose.step(model, data, 600)
    assert data.joint_position == pytest.approx([0.5], abs=1e-9)
    assert data.actuator_force == pytest.approx([4.0])  # clamped: 50 · 0.5 N m are asked for
    assert data.joint_force == pytest.approx([0], abs=1e-6)  # the limit bears it


def test_controls_are_a_view_and_travel():
    b, hinge = arm()
    b.add_velocity_servo(hinge, 1.0)
    model = b.finalize()
    data = repose.Data(model)
    view = data.ctrl
    view[0] = 3.0
    repose.step(model, data, 1000)
    assert data.joint_velocity == pytest.approx([3.0], rel=1e-6)
    for other in (pickle.loads(pickle.dumps(data)), copy.deepcopy(data)):
        assert other.ctrl == pytest.approx([3.0])
        assert other.state_hash == data.state_hash
    data.reset()
    assert view[0] == 0 and data.joint_position == pytest.approx([0])
    view[0] = np.nan
    with pytest.raises(repose.InputError, match="actuator 'actuator-0': ctrl"):
        repose.step(model, data)


def test_couplings_and_names_of_coordinates():
    b = repose.ModelBuilder("gears", gravity=(0, 0, 0))
    hinges = []
    for x in (0, 1):
        body = b.add_body((x, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
        hinges.append(b.add_joint("hinge", -1, body, (x, 0, 0), name=f"h{x}"))
    b.add_coupling({hinges[0]: 1.0, hinges[1]: -2.0}, 0.0, name="gear")
    slider = b.add_body((0, 2, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.add_joint("cylindrical", -1, slider, (0, 2, 0), name="rod")
    b.add_motor(hinges[0])
    model = b.finalize()
    assert model.joint_names == ["h0", "h1", "gear", "rod.0", "rod.1"]
    data = repose.Data(model)
    data.ctrl = [1.0]
    repose.step(model, data, 30)
    assert data.joint_position[0] == pytest.approx(2 * data.joint_position[1])
    with pytest.raises(repose.InputError, match="joint: expected one of the 5 in joint_names, got 'knee'"):
        model.joint("knee")
    with pytest.raises(repose.InputError, match="kind: expected ball, hinge"):
        b.add_joint("knee", -1, slider, (0, 0, 0))


def test_robots_are_read_from_mjcf(tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text("""<mujoco><worldbody><body name="a"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/>
        <geom size="0.1"/></body></worldbody><actuator><position name="servo" joint="y" kp="3"/></actuator>
        <keyframe><key name="home" qpos="0.1 0.2" ctrl="0.3"/><key name="bent" qpos="-0.4 0.5" qvel="1 2" ctrl="-1"/>
        </keyframe></mujoco>""")
    model = repose.Model.from_file(file)
    assert model.joint_names == ["x", "y"] and model.actuator_names == ["servo"]
    data = repose.Data(model)
    assert data.joint_position == pytest.approx([0.1, 0.2]) and data.ctrl == pytest.approx([0.3])
    for key, other in (("bent", model), (1, pickle.loads(pickle.dumps(model)))):
        assert other.key_names == ["home", "bent"]
        data = repose.Data(other)
        view = data.ctrl
        repose.step(other, data, 10)
        data.reset(key)
        assert data.joint_position == pytest.approx([-0.4, 0.5]) and data.joint_velocity == pytest.approx([1, 2])
        assert view == pytest.approx([-1])
    data.reset()
    assert data.joint_position == pytest.approx([0.1, 0.2]) and view[0] == 0.3
    with pytest.raises(repose.InputError, match="key: expected one of the 2 in key_names, got 'stand'"):
        data.reset("stand")
