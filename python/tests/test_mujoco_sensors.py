# SPDX-License-Identifier: Apache-2.0
"""Sensors read what MuJoCo's read: in motion over vanishing steps, and at rest with contacts."""
import importlib

import numpy as np
import pytest

import repose

mujoco = pytest.importorskip("mujoco")

# A moving base, an arm that turns on it, a hand without a joint, a finger that slides out of it.
ARM = """<mujoco><worldbody>
  <body name="base"><freejoint/><geom type="box" size="0.2 0.1 0.15" pos="0.05 0 0"/><site name="imu" pos="0.1 0.2 0.3" euler="20 30 40"/>
    <body name="arm" pos="0.3 0 0" euler="10 0 20"><joint name="elbow" axis="0 1 0" pos="0 0 0.1" damping="0.3" armature="0.01"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.5 0 0"/><site name="upper" pos="0.1 0.05 0" euler="0 50 0"/>
      <body name="hand" pos="0.5 0 0" euler="0 40 0"><geom type="box" size="0.05 0.06 0.02"/><site name="wrist" pos="0.01 0.02 0.03" euler="5 6 7"/>
        <body name="finger" pos="0.1 0 0"><joint name="reach" type="slide" axis="1 0 0.2"/><geom size="0.03" pos="0 0.02 0"/></body>
      </body></body></body></worldbody>
  <contact><exclude body1="base" body2="finger"/><exclude body1="base" body2="hand"/><exclude body1="arm" body2="finger"/></contact>
  <tendon><fixed name="cable"><joint joint="reach" coef="3"/></fixed></tendon>
  <actuator><motor name="muscle" joint="elbow" gear="2"/><position name="grip" joint="reach" kp="5" kv="0.2"/>
    <motor name="winch" tendon="cable"/></actuator>
  <sensor><jointpos joint="elbow" name="q"/><jointvel joint="elbow" name="v"/><jointactuatorfrc joint="elbow" name="f"/>
    <tendonpos tendon="cable" name="length"/><tendonvel tendon="cable" name="rate"/>
    <actuatorpos actuator="muscle" name="ap"/><actuatorvel actuator="muscle" name="av"/><actuatorfrc actuator="muscle" name="af"/>
    <actuatorfrc actuator="grip" name="gf"/><actuatorfrc actuator="winch" name="wf"/>
    <force site="upper" name="force"/><torque site="upper" name="torque"/><force site="wrist" name="hand force"/>
    <torque site="wrist" name="hand torque"/><force site="imu" name="free force"/>
    <gyro site="imu" name="gyro"/><accelerometer site="imu" name="acc"/><accelerometer site="wrist" name="hand acc"/>
    <velocimeter site="wrist" name="speed"/><gyro site="wrist" name="clipped" cutoff="0.5"/>
    <framepos objtype="site" objname="wrist" name="p"/><framequat objtype="site" objname="wrist" name="o"/>
    <framexaxis objtype="xbody" objname="hand" name="x"/><frameyaxis objtype="site" objname="imu" name="y"/>
    <framezaxis objtype="site" objname="imu" name="z"/><framelinvel objtype="site" objname="wrist" name="lv"/>
    <frameangvel objtype="site" objname="wrist" name="w"/><framepos objtype="body" objname="hand" name="centre"/>
    <framelinvel objtype="body" objname="base" name="centre v"/>
    <framepos objtype="site" objname="wrist" reftype="site" refname="imu" name="rp"/>
    <framequat objtype="site" objname="wrist" reftype="xbody" refname="base" name="ro"/>
    <framezaxis objtype="site" objname="wrist" reftype="site" refname="imu" name="rz"/>
    <framelinvel objtype="site" objname="wrist" reftype="site" refname="imu" name="rlv"/>
    <frameangvel objtype="site" objname="wrist" reftype="site" refname="imu" name="rw"/></sensor>
  <keyframe><key qpos="0.1 0.2 1 0.9 0.1 -0.3 0.2 0.7 0.02" qvel="0.3 -0.2 0.4 1.5 -2 1 3 -0.5" ctrl="1.5 0.04 0.6"/></keyframe>
</mujoco>"""

# A table whose foot has no joint and a touch sensor under each half.
TABLE = """<mujoco><worldbody><geom type="plane" size="5 5 1"/>
  <body name="top" pos="0 0 0.5"><freejoint/><geom type="box" size="0.3 0.3 0.05"/><geom size="0.1" pos="0.1 0 0.15"/>
    <body name="leg" pos="0 0 -0.25"><geom type="box" size="0.03 0.03 0.2"/>
      <body name="foot" pos="0 0 -0.225"><geom type="box" size="0.2 0.2 0.025"/><site name="ankle" pos="0.05 0 0.025" euler="30 0 0"/>
        <site name="left" type="box" size="0.21 0.105 0.03" pos="0 0.105 0"/><site name="right" type="box" size="0.21 0.105 0.03" pos="0 -0.105 0"/>
      </body></body></body></worldbody>
  <sensor><force site="ankle" name="force"/><torque site="ankle" name="torque"/><touch site="left" name="left"/>
    <touch site="right" name="right"/><accelerometer site="ankle" name="acc"/></sensor></mujoco>"""


def readings(peer, state, name):
    sensor = peer.sensor(name)
    return state.sensordata[sensor.adr[0]:sensor.adr[0] + sensor.dim[0]]


def extrapolated(read, h=2e-5):
    """read(h) is of first order in h: three of them give third order.

    Three steps each: the velocities of a step are those of the chord, and the first one goes from tangential ones to them.
    Steps are long enough for the curvature of their paths to be resolved: joints hold within 1e-11 of their size.
    """
    return (8 * read(h) - 6 * read(2 * h) + read(4 * h)) / 3


def compare(model, found, peer, state):
    places = np.concatenate([[0], np.cumsum(model.sensor_sizes)])
    for k, name in enumerate(model.sensor_names):
        wanted = readings(peer, state, name)
        close = 1e-5 * max(1, np.abs(wanted).max())
        np.testing.assert_allclose(found[places[k]:places[k + 1]], wanted, rtol=0, atol=close, err_msg=name)


def test_every_kind_in_motion(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(ARM)
    peer = mujoco.MjModel.from_xml_string(ARM)
    state = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, state, 0)
    mujoco.mj_forward(peer, state)
    model = repose.Model.from_file(file)
    assert model.sensor_names == [peer.sensor(k).name for k in range(peer.nsensor)]
    assert model.sensor_sizes == list(peer.sensor_dim)

    def read(h):
        own = model.replace(dt=h)
        data = repose.Data(own, tol=1e-12)
        assert repose.step(own, data, 3).solved
        np.testing.assert_array_equal(data.sensor_data, np.concatenate([data.sensor(name) for name in own.sensor_names]))
        return data.sensor_data

    compare(model, extrapolated(read), peer, state)


# An arm that two motors of a tendon push against its limit.
LIMIT = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" range="-10 20" damping="1"/><geom size=".1" pos="0.3 0 0"/></body>
  </worldbody><tendon><fixed name="t"><joint joint="j" coef="3"/></fixed></tendon>
  <actuator><motor name="a" tendon="t" gear="2"/><motor name="b" tendon="t"/></actuator>
  <sensor><jointactuatorfrc name="push" joint="j"/><jointlimitfrc name="stop" joint="j"/></sensor></mujoco>"""


def test_forces_at_a_limit(tmp_path):
    file = tmp_path / "limit.xml"
    file.write_text(LIMIT)
    peer = mujoco.MjModel.from_xml_string(LIMIT)
    state = mujoco.MjData(peer)
    state.ctrl[:] = 0.5, 0.25
    for _ in range(2000):
        mujoco.mj_step(peer, state)
    model = repose.Model.from_file(file)
    data = repose.Data(model)
    data.ctrl = [0.5, 0.25]
    repose.step(model, data, 2000)
    assert data.sensor("push") == pytest.approx(readings(peer, state, "push"), rel=1e-9)
    # MuJoCo's limit yields by a thousandth, where the weight has another arm.
    assert data.sensor("stop") == pytest.approx(readings(peer, state, "stop"), rel=1e-3)


def test_contacts_at_rest(tmp_path):
    file = tmp_path / "table.xml"
    file.write_text(TABLE)
    peer = mujoco.MjModel.from_xml_string(TABLE)
    state = mujoco.MjData(peer)
    for _ in range(3000):
        mujoco.mj_step(peer, state)
    model = repose.Model.from_file(file)
    data = repose.Data(model)
    repose.step(model, data, 1000)
    weight = 9.81 * peer.body_mass.sum()
    for name in ("force", "torque", "acc"):  # in static equilibrium all of them are determined
        np.testing.assert_allclose(data.sensor(name), readings(peer, state, name), atol=1e-3 * weight, err_msg=name)
    assert data.sensor("left") + data.sensor("right") == pytest.approx(weight, rel=1e-8)
    # The halves bear the same by symmetry, as MuJoCo's do to its contacts' softness.
    for name in ("left", "right"):
        np.testing.assert_allclose(data.sensor(name), readings(peer, state, name), atol=0.02 * weight)


def test_a_public_robot_in_motion():
    robots = importlib.import_module("test_mujoco")  # skips without the robots
    robot = robots.Robot(robots.DATA / "google_barkour_vb" / "barkour_vb.xml", 1)
    for joint in robot.scene["joints"]:
        for coordinate in joint.get("coordinates", []):
            coordinate.pop("friction", None)
    robot.peer.dof_frictionloss[:] = 0
    robot.move()
    state, peer = robot.forward, robot.peer
    qvel = robot.random.normal(size=peer.nv)
    state.qvel[:], state.ctrl[:] = qvel, robot.ctrl
    mujoco.mj_forward(peer, state)

    def read(h):
        data = robot.data(h)
        robot.place(data)
        state.qvel[:] = qvel
        mujoco.mj_forward(peer, state)
        robot.set_velocities(data, qvel)
        data.ctrl = robot.ctrl
        assert repose.step(robot.model, data, 3).solved
        return data.sensor_data

    found = extrapolated(read, 1e-5)  # its servos are fast
    assert len(robot.model.sensor_names) == peer.nsensor == 30
    compare(robot.model, found, peer, state)
