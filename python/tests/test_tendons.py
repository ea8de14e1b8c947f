# SPDX-License-Identifier: Apache-2.0
"""Tendons through sites of several bodies, and forces at sites, from MJCF, beside MuJoCo, and in recordings."""

import numpy as np
import pytest

import repose

# An arm of three links on a base that floats, with a tendon through a site on each and one in the world.
ARM = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.002" gravity="0 0 -9.81"/>
  <worldbody>
    <site name="hook" pos="0.3 0.2 1.8"/>
    <body name="base" pos="0 0 1"><freejoint/>
      <inertial mass="2" pos="0 0.01 0" diaginertia="0.02 0.03 0.01"/>
      <site name="s0" pos="0.1 0 0.1" euler="0.3 0.2 0.1"/>
      <body name="upper" pos="0 0 -0.1">
        <joint name="shoulder" axis="0 1 0.2" armature="0.02" damping="0.05"/>
        <inertial mass="1" pos="0 0 -0.15" diaginertia="0.01 0.01 0.002"/>
        <site name="s1" pos="0.05 0.02 -0.2"/>
        <body name="lower" pos="0 0 -0.3">
          <joint name="elbow" axis="0.1 1 0" frictionloss="0.1"/>
          <inertial mass="0.7" pos="0.01 0 -0.12" diaginertia="0.006 0.005 0.001"/>
          <site name="s2" pos="0.06 0 -0.2" quat="0.9 0.1 0.3 0.2"/>
          <body name="hand" pos="0 0 -0.25">
            <joint name="wrist" axis="1 0 0"/>
            <inertial mass="0.3" pos="0 0 -0.05" diaginertia="0.001 0.001 0.0005"/>
            <site name="s3" pos="0 0.03 -0.06"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="cord" {cord}><site site="s0"/><site site="s1"/><site site="s2"/><site site="s3"/></spatial>
    <spatial name="tackle" {tackle}><site site="hook"/><site site="s0"/><pulley divisor="2"/><site site="s1"/><site site="hook"/>
      <site site="s3"/></spatial>
    {more}
  </tendon>
  <actuator>
    <motor name="pull" tendon="cord" gear="1.5"/>
    <position name="winch" tendon="tackle" kp="30" kv="2"/>
    <general name="jet" site="s2" gear="1 0.5 -2 0.01 0.02 0.3" gainprm="2"/>
    <general name="spin" site="s0" gear="0 0 0 0 0.1 0.3" gaintype="fixed" biastype="affine" gainprm="1" biasprm="0.2 0 -0.4"/>
    {drives}
  </actuator>
  <sensor><tendonpos tendon="cord"/><tendonvel tendon="cord"/><tendonpos tendon="tackle"/><actuatorfrc actuator="winch"/></sensor>
</mujoco>"""

CASES = {
    "bare": {},
    "spring": {"cord": 'stiffness="40" damping="0.6"', "tackle": 'stiffness="25" springlength="0.4"'},
    "rotor": {"cord": 'armature="0.3"', "tackle": 'armature="0.1" damping="0.2"'},
    "friction": {"cord": 'frictionloss="0.5"', "tackle": 'frictionloss="0.8"'},
    "slack": {"cord": 'stiffness="60" springlength="0 0.2"', "tackle": 'stiffness="60" springlength="0.1 5"'},
    "pushes": {"cord": 'stiffness="60" springlength="3 4"'},
    "two sites": {"more": '<spatial name="band" stiffness="80" damping="0.2" armature="0.05"><site site="hook"/><site site="s3"/></spatial>',
                  "drives": '<velocity name="band" tendon="band" kv="3"/>'},
}


def arm(folder, cord="", tackle="", more="", drives=""):
    path = folder / "arm.xml"
    path.write_text(ARM.format(cord=cord, tackle=tackle, more=more, drives=drives))
    return path


@pytest.mark.parametrize("case", CASES)
def test_accelerations_are_those_of_mujoco(tmp_path, case):
    pytest.importorskip("mujoco")
    from mujoco_robot import Robot

    robot = Robot(arm(tmp_path, **CASES[case]), 3)
    robot.move()
    wanted, found = robot.compare()
    assert np.abs(found - wanted).max() <= 1e-7 * np.abs(wanted).max()


def test_lengths_and_sensors_are_those_of_mujoco(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    from mujoco_robot import Robot

    robot = Robot(arm(tmp_path), 1)
    robot.move()
    data = robot.data(1e-6)
    robot.place(data)
    mujoco.mj_forward(robot.peer, robot.forward)
    for k, name in enumerate(("cord", "tackle")):
        assert abs(data.joint_position[robot.model.joint(name)] - robot.forward.ten_length[k]) < 1e-13
    assert np.allclose(data.sensor_data[[0, 2]], robot.forward.ten_length, atol=1e-13)


def test_a_tendon_with_a_limit_stops_at_it(tmp_path):
    model = repose.load(arm(tmp_path, tackle='range="0.2 2.15"'))
    data = repose.Data(model)
    k = model.joint("tackle")
    data.ctrl = [0, 3, 0, 0]  # the winch pays out, the arm falls into the tackle
    taut = 0
    for _ in range(1000):
        repose.step(model, data)
        assert data.report.solved
        assert data.joint_position[k] < 2.15 + 1e-10
        taut += data.joint_position[k] > 2.15 - 1e-10
    assert taut > 300


def test_equal_tendons_keep_their_lengths_together(tmp_path):
    path = arm(tmp_path)
    first = repose.Data(repose.load(path)).joint_position[-4:]  # where the file draws the bodies
    path.write_text(path.read_text().replace(
        "<actuator>", '<equality><tendon tendon1="cord" tendon2="tackle" polycoef="0 -0.5"/></equality><actuator>'))
    model = repose.load(path)
    data = repose.Data(model)
    lengths = [model.joint(name) for name in ("cord", "tackle")]
    first = first[:2]
    for _ in range(300):
        repose.step(model, data)
        assert data.report.solved
        change = data.joint_position[lengths] - first
        assert abs(change[0] + 0.5 * change[1]) < 1e-10
    assert np.abs(change).max() > 0.01


def test_recordings_follow_under_both_checkers(tmp_path):
    h5py = pytest.importorskip("h5py")
    from numpy_checker import check_recording
    path = tmp_path / "run.h5"
    model = repose.load(arm(tmp_path, cord='stiffness="60" springlength="0 0.2" frictionloss="0.2"', tackle='range="0.2 2.15"'))
    repose.run(model, time=0.4, record=path)
    worst, follows = repose.Recording(path).check()
    assert follows and worst <= 1e-8
    with h5py.File(path, "r+") as f:
        results = np.array([check_recording.check_step(f, k) for k in range(len(f["/steps/status"]))])
        assert results[:, :2].max() <= 1e-8 and results[:, 2].max() < 1e-12


def test_batches_refuse_them_in_one_line(tmp_path):
    with pytest.raises(repose.InputError, match="joint 'cord': expected a coupling of joints, got a path through points"):
        repose.BatchData(repose.load(arm(tmp_path)), 2)


def test_builder_has_tendons_and_thrusts():
    builder = repose.ModelBuilder("tackle", dt=1 / 120)
    balls = [builder.add_body((x, 0, 1), name=f"ball {x}") for x in (0, 1)]
    for ball in balls:
        builder.add_shape_sphere(ball, 0.05)
        builder.add_joint("slide", -1, ball, builder_point(ball), (0, 0, 1))
    tendon = builder.add_tendon([(balls[0], (0, 0, 1)), (-1, (0, 0, 2), 0), (-1, (1, 0, 2), 2), (balls[1], (1, 0, 1))],
                                hold=3, name="tackle")
    jet = builder.add_thrust(balls[0], along=(0, 0, 2), name="jet")
    motor = builder.add_motor(jet)
    model = builder.finalize()
    data = repose.Data(model)
    assert model.joint_names[tendon] == "tackle" and motor == 0
    mass = model.mass[0]
    data.ctrl = [mass * 9.81 / 2]  # carries the first ball: the tendon is pulled by the other one alone
    repose.step(model, data, 24)
    # m a = T, m (-a/2) = 2 T - m g, a = 2 g/5 upwards... with the weight of the first ball carried.
    assert abs(data.joint_velocity[0] - 9.81 / 2.5 * 24 / 120 * 1.0) < 1e-9
    assert abs(data.joint_position[2] - 3) < 1e-12


def builder_point(ball):
    return (float(ball), 0.0, 1.0)
