# SPDX-License-Identifier: Apache-2.0
"""Sensors from Python: building, reading, recording."""
import pickle

import numpy as np
import pytest

import repose


def lamp():
    """A cube of 8 kg that a hinge holds."""
    b = repose.ModelBuilder("lamp")
    cube = b.add_body((0, 0, 1), name="cube")
    b.add_shape_box(cube, 0.1, 0.1, 0.1)
    hinge = b.add_joint("hinge", -1, cube, (0, 0, 2), (0, 1, 0), name="top")
    motor = b.add_motor(hinge)
    assert b.add_sensor("joint_position", hinge, name="angle") == 0
    b.add_sensor("actuator_force", motor, name="pull", cutoff=0.5)
    b.add_sensor("force", cube, name="weight", position=(0, 0, 0.1))
    b.add_sensor("frame_quaternion", cube, quaternion=(0, 1, 0, 0))
    return b.finalize()


def test_names_sizes_and_readings():
    model = lamp()
    assert model.sensor_names == ["angle", "pull", "weight", "sensor-3"]
    assert model.sensor_sizes == [1, 1, 3, 4] and model.sensor("weight") == 2
    data = repose.Data(model)
    assert (data.sensor("weight") == 0).all() and data.sensor("sensor-3") == pytest.approx([0, 1, 0, 0])
    repose.step(model, data, 10)
    assert data.sensor("weight") == pytest.approx([0, 0, 8 * 9.81], rel=1e-8)
    assert data.sensor_data == pytest.approx([0, 0, 0, 0, 8 * 9.81, 0, 1, 0, 0], abs=1e-6)
    data.ctrl = [2]
    repose.step(model, data)
    assert data.sensor("pull") == pytest.approx([0.5]) and data.actuator_force == pytest.approx([2])
    assert data.sensor("angle") == data.joint_position
    other = pickle.loads(pickle.dumps(model))
    assert other.sensor_names == model.sensor_names and other.to_json() == model.to_json()
    data.reset()
    assert (data.sensor("weight") == 0).all()
    with pytest.raises(repose.InputError, match="sensor: expected one of the 4 in sensor_names, got 'smell'"):
        data.sensor("smell")
    with pytest.raises(repose.InputError, match="kind: expected one of joint_position"):
        repose.ModelBuilder("x").add_sensor("smell", 0)


def test_recordings_keep_what_sensors_read(tmp_path):
    model = lamp()
    run = repose.run(model, time=0.5, record=tmp_path / "lamp.h5")
    recording = repose.Recording(tmp_path / "lamp.h5")
    assert recording.sensor_names == model.sensor_names and len(recording) == 30
    assert recording.sensor("weight").shape == (30, 3) and recording.sensor("sensor-3").shape == (30, 4)
    assert recording.sensor("weight")[-1] == pytest.approx(run.data.sensor("weight"), abs=0)
    assert recording.check()[1]
    with pytest.raises(repose.InputError, match="sensor: expected one of the 4 in sensor_names"):
        recording.sensor("smell")
    repose.run("stack", count=2, time=0.1, record=tmp_path / "stack.h5")
    assert repose.Recording(tmp_path / "stack.h5").sensor_names == []


def test_poses_of_another_program_have_no_readings(tmp_path):
    model = lamp()
    data = repose.Data(model)
    position, quaternion = (np.repeat(x[None], 3, axis=0) for x in (data.frame_position, data.quaternion.copy()))
    repose.write_recording(tmp_path / "peer.h5", model, [0, 0.1, 0.2], position, quaternion)
    assert np.isnan(repose.Recording(tmp_path / "peer.h5").sensor("weight")).all()
