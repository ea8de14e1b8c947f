# SPDX-License-Identifier: Apache-2.0
"""URDF robots: masses, inertias, frames and accelerations are those of MuJoCo's own reader."""
import json

import numpy as np
import pytest

import repose

mujoco = pytest.importorskip("mujoco")
from mujoco_robot import Robot

MUJOCO = '<mujoco><compiler strippath="false" fusestatic="{fuse}" discardvisual="true" balanceinertia="false"/></mujoco>'


def inertial(mass, xyz=(0, 0, 0), rpy=(0, 0, 0), moments=(0.02, 0.03, 0.04), products=(0.002, -0.003, 0.001)):
    xx, yy, zz = moments
    xy, xz, yz = products
    return (f'<inertial><origin xyz="{xyz[0]} {xyz[1]} {xyz[2]}" rpy="{rpy[0]} {rpy[1]} {rpy[2]}"/><mass value="{mass}"/>'
            f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial>')


def link(name, content):
    return f'<link name="{name}">{content}</link>'


def joint(name, kind, parent, child, xyz, rpy, axis, rest=""):
    limit = '<limit lower="-2" upper="2.5" effort="40" velocity="3"/>' if kind in ("revolute", "prismatic") else ""
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limit}{rest}</joint>')


BOX = '<collision><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><geometry><box size="0.06 0.08 0.2"/></geometry></collision>'


def arm():
    """Six joints of three kinds, inertias in rotated frames, fixed links with a mass of their own in between."""
    return "".join([
        link("base", BOX),
        link("one", inertial(3, (0.01, 0.02, 0.1), (0.3, -0.4, 0.5)) + BOX),
        link("two", inertial(2, (0, 0, 0.15), (1, 0.5, -2))),
        link("flange", inertial(0.5, (0.05, 0, 0), (0.2, 0, 0))),
        link("three", inertial(1.5, (0, 0.05, 0.1))),
        link("four", inertial(1, (0.02, 0, 0.1), (0, 0.7, 0))),
        link("five", inertial(0.7, (0, 0, 0.05), (0.5, 0.5, 0.5))),
        link("six", inertial(0.4, (0, 0, 0.03))),
        link("tool", inertial(0.3, (0, 0.1, 0), (0, 0, 1))),
        joint("j1", "revolute", "base", "one", "0.1 0 0.2", "0.1 0.2 0.3", "0 0 1", '<dynamics damping="0.6" friction="0.2"/>'),
        joint("j2", "continuous", "one", "two", "0 0 0.3", "1.2 0 0.4", "0 2 0", '<dynamics damping="0.4"/>'),
        joint("plate", "fixed", "two", "flange", "0.1 0.05 0.2", "0.5 -0.3 0.2", "1 0 0"),
        joint("j3", "prismatic", "flange", "three", "0.05 0 0.1", "0 0.4 0", "1 1 0"),
        joint("j4", "revolute", "three", "four", "0 0.1 0.2", "0.3 0 0", "0.6 0 0.8", '<dynamics damping="0.1" friction="0.1"/>'),
        joint("j5", "revolute", "four", "five", "0 0 0.2", "0 1.5 0", "1 0 0"),
        joint("j6", "continuous", "five", "six", "0.02 0 0.1", "0 0 0", "0 0 -1"),
        joint("hold", "fixed", "six", "tool", "0 0 0.1", "0 0.2 0", "1 0 0"),
    ])


def gripper():
    """Two fingers that slide on a palm, the second one a mimic of the first, and a knuckle that a hinge follows."""
    mimic = '<mimic joint="left" multiplier="-1.5" offset="0.01"/>'
    turn = '<mimic joint="knuckle" multiplier="2" offset="-0.1"/>'
    return "".join([
        link("palm", BOX),
        link("left_finger", inertial(0.2, (0, 0.01, 0.02), (0.1, 0.2, 0.3))),
        link("right_finger", inertial(0.3, (0, -0.01, 0.02))),
        link("driver", inertial(0.25, (0.05, 0, 0), (0.4, 0, 0))),
        link("follower", inertial(0.15, (0.02, 0.03, 0))),
        joint("left", "prismatic", "palm", "left_finger", "0 0.1 0.2", "0 0 0.3", "0 1 0", '<dynamics damping="2"/>'),
        joint("right", "prismatic", "palm", "right_finger", "0 -0.1 0.2", "0 0 0", "0 1 0.2", mimic),
        joint("knuckle", "revolute", "palm", "driver", "0.1 0 0.2", "0.2 0 0", "0 1 0", '<dynamics friction="0.05"/>'),
        joint("tip", "continuous", "palm", "follower", "0.2 0 0.2", "0.2 0.1 0", "0 0 1", turn),
    ])


WEDGE = "v 0 0 0\nv 0.25 0 0\nv 0 0.125 0\nv 0 0 0.1875\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"  # exact in single precision


def meshes():
    """Links whose mass is that of their collision shapes: a scaled and turned mesh, a cylinder, a sphere."""
    place = '<origin xyz="0.02 0.03 0.01" rpy="0.3 0.4 0.5"/>'
    mesh = f'<collision>{place}<geometry><mesh filename="package://parts/wedge.obj" scale="1.5 1 2"/></geometry></collision>'
    rod = f'<collision>{place}<geometry><cylinder radius="0.03" length="0.2"/></geometry></collision>'
    ball = '<collision><origin xyz="0 0 0.2"/><geometry><sphere radius="0.05"/></geometry></collision>'
    return "".join([
        link("base", ""), link("wedge", mesh), link("rod", rod + ball),
        joint("a", "continuous", "base", "wedge", "0 0 0.5", "0.4 0 0", "1 0.5 0"),
        joint("b", "revolute", "wedge", "rod", "0.1 0 0.1", "0 0.3 0.2", "0 1 0"),
    ])


ROBOTS = {"arm": arm, "gripper": gripper, "meshes": meshes}


def written(folder, name, fuse="true"):
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "wedge.obj").write_text(WEDGE)
    path = folder / f"{name}.urdf"
    path.write_text(f'<robot name="{name}">{MUJOCO.format(fuse=fuse)}{ROBOTS[name]()}</robot>')
    return path


def peer_of(path):
    """MuJoCo knows no folders of packages."""
    text = path.read_text().replace("package://", f"{path.parent}/")
    plain = path.with_name(f"plain_{path.name}")
    plain.write_text(text)
    return mujoco.MjModel.from_xml_path(str(plain))


def with_free_base(path):
    text = path.read_text().replace("package://", f"{path.parent}/")
    spec = mujoco.MjSpec.from_string(text)
    spec.bodies[1].add_freejoint()
    return spec.compile()


@pytest.mark.parametrize("name", ROBOTS)
def test_masses_and_frames(tmp_path, name):
    path = written(tmp_path, name)
    model, peer = repose.load(path), peer_of(path)
    data, forward = repose.Data(model), mujoco.MjData(peer)
    q = dict(zip(model.joint_names, data.joint_position))
    for j in range(peer.njnt):
        forward.qpos[peer.jnt_qposadr[j]] = q[peer.joint(j).name]
    mujoco.mj_forward(peer, forward)
    bodies = {b["name"]: b for b in json.loads(model.to_json())["bodies"]}
    moving = [k for k in range(model.nbody) if bodies[model.body_names[k]].get("kind", "dynamic") == "dynamic"]
    assert len(moving) == peer.nbody - 1
    for k in moving:
        b = peer.body(model.body_names[k]).id
        assert model.mass[k] == pytest.approx(peer.body_mass[b], rel=1e-12)
        assert np.abs(data.frame_position[k] - forward.xpos[b]).max() < 1e-14
        assert abs(abs(data.quaternion[k] @ forward.xquat[b]) - 1) < 1e-14
        assert np.abs(data.position[k] - forward.xipos[b]).max() < 1e-9 * max(1, np.abs(forward.xipos[b]).max())
        moments = model.principal_inertia[k]
        assert np.sort(moments) == pytest.approx(np.sort(peer.body_inertia[b]), rel=1e-8)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ROBOTS)
def test_accelerations(tmp_path, name, seed):
    path = written(tmp_path, name)
    robot = Robot(path, seed, peer=peer_of(path))
    robot.move()
    wanted, found = robot.compare()
    assert np.abs(found - wanted).max() <= 1e-7 * np.abs(wanted).max()


@pytest.mark.parametrize("seed", range(2))
def test_accelerations_of_a_free_base(tmp_path, seed):
    path = written(tmp_path, "arm", fuse="false")
    path.write_text(path.read_text().replace('<link name="base">', '<link name="base">' + inertial(4, (0.1, 0, 0), (0.2, 0.3, 0.1))))
    robot = Robot(path, seed, peer=with_free_base(path), base="free")
    robot.move()
    wanted, found = robot.compare()
    assert np.abs(found - wanted).max() <= 1e-7 * np.abs(wanted).max()


def test_motors_have_the_effort_as_their_limit(tmp_path):
    model = repose.load(written(tmp_path, "arm"))
    assert model.actuator_names == ["j1", "j2", "j3", "j4", "j5", "j6"]
    data = repose.Data(model)
    data.ctrl = 1e3
    repose.step(model, data)
    limited = dict(zip(model.actuator_names, data.actuator_force))
    assert limited["j1"] == 40 and limited["j2"] == 1000


def test_mimic_holds(tmp_path):
    model = repose.load(written(tmp_path, "gripper"))
    data = repose.Data(model)
    data.ctrl = 0.5
    repose.step(model, data, n=200)
    q = dict(zip(model.joint_names, data.joint_position))
    assert abs(q["left"]) > 1e-3
    assert q["right"] == pytest.approx(0.01 - 1.5 * q["left"], abs=1e-10)
    assert q["tip"] == pytest.approx(2 * q["knuckle"] - 0.1, abs=1e-10)


def test_run_takes_the_options(tmp_path):
    path = written(tmp_path, "meshes")
    assert repose.run(path, steps=3, base="fixed", package_path=[tmp_path]).steps == 3
    with pytest.raises(repose.InputError, match="base: expected fixed or free, got 'loose'"):
        repose.load(path, base="loose")
