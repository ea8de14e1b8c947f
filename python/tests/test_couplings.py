# SPDX-License-Identifier: Apache-2.0
"""Couplings over more than two bodies: fingers that mimic each other on a hand that moves.

From MJCF and URDF, accelerations against MuJoCo, a grasp, and recordings under both checkers.
"""

import numpy as np
import pytest

import repose

FINGER = """
<body name="{name}" pos="0 0 0.0584" quat="{quat}">
  <inertial mass="0.015" pos="0 0 0" diaginertia="2.375e-6 2.375e-6 7.5e-7"/>
  <joint name="{name}" axis="0 1 0" type="slide" range="-0.02 0.04" armature="0.1" damping="1"/>
  <geom type="box" size="0.0085 0.004 0.0085" pos="0 0.0295 0.0445"/>
</body>"""
# A hand on an arm of two links. The tendon pulls both fingers, and the equality keeps them in the middle; another one bends.
HAND = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <worldbody>
    {floor}
    <body name="upper" pos="0 0 0.6">
      <inertial mass="2" pos="0 0 -0.1" diaginertia="0.02 0.02 0.005"/>
      <joint name="shoulder" axis="0 1 0" damping="0.1" armature="0.1"/>
      <body name="hand" pos="0 0 -0.2" quat="0 1 0 0">
        <inertial mass="0.73" pos="-0.01 0 0.03" diaginertia="0.001 0.0025 0.0017"/>
        <joint name="wrist" axis="0 0.2 1" damping="0.1" armature="0.01"/>
        <geom type="box" size="0.03 0.1 0.02" pos="0 0 0.02"/>
        {left}{right}
        <body name="thumb" pos="0.05 0 0.02">
          <inertial mass="0.2" pos="0 0 0.03" diaginertia="1e-3 1e-3 1e-3"/>
          <joint name="thumb" axis="0 1 0" type="hinge"/>
        </body>
      </body>
    </body>
    {cube}
  </worldbody>
  <contact><exclude body1="hand" body2="left"/><exclude body1="hand" body2="right"/></contact>
  <tendon>
    <fixed name="split"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed>
    <fixed name="long" stiffness="2" damping="0.03">
      <joint joint="shoulder" coef="0.4"/><joint joint="thumb" coef="0.5"/><joint joint="left" coef="2"/>
    </fixed>
  </tendon>
  <equality>
    <joint joint1="left" joint2="right"/>
    {bend}
  </equality>
  <actuator>
    <general name="grip" tendon="split" gaintype="fixed" biastype="affine" ctrlrange="-255 255" forcerange="-100 100"
      gainprm="0.01568627451 0 0" biasprm="0 -100 -10"/>
    <position name="shoulder" joint="shoulder" kp="200" kv="20"/>
    <position name="wrist" joint="wrist" kp="50" kv="5"/>
  </actuator>
</mujoco>"""


def hand(folder, floor="", cube="", bend='<joint joint1="thumb" joint2="wrist" polycoef="0 0.4 0.2 0 0"/>'):
    path = folder / "hand.xml"
    left, right = FINGER.format(name="left", quat="1 0 0 0"), FINGER.format(name="right", quat="0 0 0 1")
    path.write_text(HAND.format(left=left, right=right, floor=floor, cube=cube, bend=bend))
    return path


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_mujoco(tmp_path, seed):
    pytest.importorskip("mujoco")
    from mujoco_robot import Robot

    robot = Robot(hand(tmp_path), seed)
    robot.move()
    wanted, found = robot.compare()
    assert np.abs(found - wanted).max() <= 1e-7 * np.abs(wanted).max()


CUBE = """<body name="cube" pos="0 0 0.2976"><freejoint/><geom name="cube" type="box" size="0.02 0.02 0.02" mass="0.05"/></body>"""


def grasp(folder):
    """A cube between the fingers of an arm that swings: model, data, and the cube in the hand's frame at every step."""
    model = repose.load(hand(folder, cube=CUBE, bend=""))
    data = repose.Data(model)
    return model, data


def test_a_hand_that_swings_holds_a_cube(tmp_path):
    model, data = grasp(tmp_path)
    left, right = model.joint("left"), model.joint("right")
    hold, cube = model.body("hand"), model.body("cube")
    places = []
    for k in range(1000):
        data.ctrl = [-255, 0.1 * np.sin(2 * np.pi * max(0, k - 200) / 400), 0.2]
        repose.step(model, data)
        assert data.report.solved, k
        assert abs(data.joint_position[left] - data.joint_position[right]) < 1e-10, k
        if k >= 200:
            places.append(np.append(np.linalg.norm(data.position[cube] - data.position[hold]), data.joint_position[left]))
    places = np.array(places)
    assert np.ptp(places[:, 0]) < 1e-4  # m: the cube goes with the hand
    assert data.position[cube][2] > 0.25


def test_recordings_follow_under_both_checkers(tmp_path):
    h5py = pytest.importorskip("h5py")
    from numpy_checker import check_recording
    path = tmp_path / "run.h5"
    repose.run(repose.load(hand(tmp_path, cube=CUBE)), time=0.1, record=path)
    worst, follows = repose.Recording(path).check()
    assert follows and worst <= 1e-8
    with h5py.File(path, "r+") as f:
        results = np.array([check_recording.check_step(f, k) for k in range(len(f["/steps/status"]))])
        stored = f["/steps/certificate"][:]
        assert np.allclose(results[:, 0], stored[:, :3].max(axis=1), rtol=0.05, atol=1e-13)
        assert np.allclose(results[:, 1], stored[:, 3], rtol=0.05, atol=1e-13)
        assert results[:, 2].max() < 1e-12
        rows = f["/blocks/other_rows"]
        rows[:] = rows[:] * (1 + 1e-3)
        changed = np.array([check_recording.check_step(f, k) for k in range(len(f["/steps/status"]))])
    assert changed[:, 2].max() > 1e-9  # what the further bodies take shows


def test_a_problem_of_a_step_has_every_body(tmp_path):
    model, data = grasp(tmp_path)
    for _ in range(20):
        repose.step(model, data)
    problem = data.contact_problem()
    assert problem.form == "body" and problem.certify(problem.solution).worst <= 1e-8
    problem.save(tmp_path / "step.hdf5")
    back = repose.Problem.from_file(tmp_path / "step.hdf5")
    assert back.form == "body" and abs(back.W - problem.W).max() == 0


URDF = """<robot name="r"><link name="base"/>
<link name="palm"><inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l"><inertial><mass value=".1"/><inertia ixx=".001" iyy=".001" izz=".001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="r"><inertial><mass value=".1"/><inertia ixx=".001" iyy=".001" izz=".001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="palm"/><axis xyz="0 1 0"/></joint>
<joint name="left" type="prismatic"><parent link="palm"/><child link="l"/><origin xyz=".1 0 -.2"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
<joint name="right" type="prismatic"><parent link="palm"/><child link="r"/><origin xyz="-.1 0 -.2"/><axis xyz="-1 0 0"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/><mimic joint="left" multiplier="0.5" offset="0.01"/></joint></robot>"""


def test_urdf_fingers_mimic_on_a_palm_that_moves(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    model = repose.load(tmp_path / "r.urdf")
    data = repose.Data(model)
    left, right = model.joint("left"), model.joint("right")
    for _ in range(300):
        repose.step(model, data)
        assert data.report.solved
        assert abs(data.joint_position[right] - 0.5 * data.joint_position[left] - 0.01) < 1e-11
    assert abs(data.joint_position[left]) > 0.01


def test_batches_refuse_them_in_one_line(tmp_path):
    with pytest.raises(repose.InputError, match="coupling over two bodies at most, got one over 3"):
        repose.BatchData(repose.load(hand(tmp_path, bend="")), 2)


TENDONS = """<mujoco><compiler angle="radian"/><worldbody>
<body name="base" pos="0 0 1"><freejoint/><geom size="0.1" contype="0" conaffinity="0"/>
  {links}
</body></worldbody>
<tendon><fixed name="one"><joint joint="j0" coef="1"/><joint joint="j1" coef="-2"/></fixed>
<fixed name="two"><joint joint="j2" coef="3"/></fixed></tendon>
<equality><tendon tendon1="one" tendon2="two" polycoef="0.02 0.5 0 0 0"/></equality>
<actuator><motor name="m" joint="j0"/></actuator></mujoco>"""
LINK = """<body name="l{k}" pos="{x} 0 0"><joint name="j{k}" axis="0 {y} 1" ref="0.1"/>
  <geom size="0.05" pos="0 0.2 0" contype="0" conaffinity="0"/></body>"""


def test_two_tendons_keep_a_straight_line(tmp_path):
    path = tmp_path / "tendons.xml"
    path.write_text(TENDONS.format(links="".join(LINK.format(k=k, x=0.3 * k, y=k) for k in range(3))))
    model = repose.load(path)
    data = repose.Data(model)
    q = [model.joint(f"j{k}") for k in range(3)]
    data.ctrl = [0.1]
    for _ in range(200):
        repose.step(model, data)
        x = data.joint_position[q]
        # Lengths count from where the file draws the bodies: 0.1 - 0.2 and 0.3.
        assert data.report.solved
        assert abs((x[0] - 2 * x[1] + 0.1) - 0.02 - 0.5 * (3 * x[2] - 0.3)) < 1e-11
    assert np.ptp(data.joint_position[q]) > 0.01


ROTORS = {"slide": '<joint name="s" type="slide" axis="1 0 .3" armature=".1"/>',
          "cylindrical": '<joint name="s" type="slide" axis="1 0 .3" armature=".1"/><joint name="t" axis="1 0 .3" armature=".02"/>',
          "universal": '<joint name="s" axis="1 0 0" armature=".1"/><joint name="t" axis="0 0 1" armature=".02"/>',
          "planar": '<joint name="s" type="slide" axis="1 0 0" armature=".1"/><joint name="t" type="slide" axis="0 1 0" armature=".2"/>'
                    '<joint name="u" axis="0 0 1" armature=".02"/>'}
SPINNING = """<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="0 0 .5"><joint name="h" axis="0 1 .2"/>
<inertial mass="1" pos="0 0 -.1" diaginertia=".01 .01 .01"/>
<body name="b" pos="0 0 -.3">{}<inertial mass=".1" pos=".1 0 0" diaginertia=".001 .002 .001"/></body></body></worldbody>
{}</mujoco>"""


@pytest.mark.parametrize("tendon", ["", '<tendon><fixed armature=".05"><joint joint="h" coef=".7"/><joint joint="s" coef="2"/></fixed></tendon>'])
@pytest.mark.parametrize("kind", ROTORS)
def test_rotors_turn_with_their_axes(tmp_path, kind, tendon):
    pytest.importorskip("mujoco")
    from mujoco_robot import Robot

    path = tmp_path / "spinning.xml"
    path.write_text(SPINNING.format(ROTORS[kind], tendon))
    robot = Robot(path, 1)
    robot.move()
    wanted, found = robot.compare()
    assert np.abs(found - wanted).max() <= 1e-7 * np.abs(wanted).max()
