# SPDX-License-Identifier: Apache-2.0
"""Actuators with a state: integrators, filters, keys, checkpoints, recordings; and drag of a medium."""
import copy
import json
import pickle

import numpy as np
import pytest

import repose

BODY = '<body name="{0}" pos="{1} 0 0"><joint name="{0}" axis="0 1 0" {2}/><inertial mass="1" pos=".1 0 0" diaginertia=".02 .02 .02"/></body>'
DRIVES = """<mujoco><compiler angle="radian"/><option timestep="0.002" gravity="0 0 0"/><worldbody>{}</worldbody><actuator>
<motor name="plain" joint="a" ctrlrange="-1 1"/>
<general name="integrator" joint="b" dyntype="integrator" gainprm="3" biastype="affine" biasprm="0 -3 -.2" actlimited="true" actrange="-.4 .5"/>
<general name="filter" joint="c" dyntype="filter" dynprm=".05" gainprm="2" ctrlrange="-2 2"/>
<general name="exact" joint="d" dyntype="filterexact" dynprm=".01" gainprm="2" biastype="affine" biasprm=".1 -1 -.1"/>
<general name="early" joint="e" dyntype="filterexact" dynprm=".02" gainprm="2" actearly="true"/>
<position name="servo" joint="f" kp="5" kv=".3" timeconst=".03"/>
<intvelocity name="velocity" joint="g" kp="4" kv=".1" actrange="-1 1"/>
<cylinder name="cylinder" joint="h" timeconst=".04" area="2" bias=".1 -.5 -.2"/>
</actuator><keyframe><key name="start" act=".1 .2 .3 .4 .5 -.5 .6" ctrl="1 1 1 1 1 1 1 1"/><key name="other" act="0 0 0 0 0 0 1"/></keyframe></mujoco>"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "drives.xml"
    path.write_text(DRIVES.format("".join(BODY.format(name, k, "") for k, name in enumerate("abcdefgh"))))
    return path


def test_activations_and_forces_are_those_of_mujoco(file):
    mujoco = pytest.importorskip("mujoco")
    model, peer = repose.load(file), mujoco.MjModel.from_xml_path(str(file))
    data, other = repose.Data(model), mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, other, 0)
    assert model.na == peer.na == 7
    assert data.act == pytest.approx(other.act, abs=0) and data.ctrl == pytest.approx(other.ctrl)
    plain = [model.actuator(name) for name in ("plain", "filter", "early")]
    random = np.random.default_rng(0)
    for k in range(500):
        if k % 20 == 0:
            data.ctrl = other.ctrl[:] = random.uniform(-3, 3, model.nu)
        other.qpos[:], other.qvel[:] = data.joint_position, data.joint_velocity
        repose.step(model, data)
        mujoco.mj_step(peer, other)
        assert data.report.solved
        assert data.act == pytest.approx(other.act, abs=1e-13)
        assert data.actuator_force[plain] == pytest.approx(other.actuator_force[plain], abs=1e-12)


def test_keys_copies_and_checkpoints_have_activations(file):
    model = repose.load(file)
    data = repose.Data(model)
    assert data.act == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, -0.5, 0.6])
    repose.step(model, data, 50)
    kept = data.act.copy()
    for again in (copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert (again.act == kept).all()
        repose.step(model, again, 50)
    repose.step(model, data, 50)
    assert (again.act == data.act).all() and data.state_hash == again.state_hash
    data.reset("other")
    assert data.act == pytest.approx([0, 0, 0, 0, 0, 0, 1])
    data.act[2] = 0.25
    repose.step(model, data)
    data.reset()
    assert data.act == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, -0.5, 0.6])
    data.act[0] = np.nan
    with pytest.raises(repose.InputError, match="actuator 'integrator': act: expected a finite number"):
        repose.step(model, data)
    again = repose.Model.from_json(model.to_json())
    assert json.loads(again.to_json())["actuators"] == json.loads(model.to_json())["actuators"]


def test_a_filter_reaches_its_control():
    b = repose.ModelBuilder("wheel", dt=0.01, gravity=(0, 0, 0))
    wheel = b.add_body((0, 0, 0), mass=1.0, inertia=(1, 1, 1))
    hinge = b.add_joint("hinge", -1, wheel, (0, 0, 0))
    b.add_actuator(hinge, dynamics="filter_exact", time=0.1, control=2.0)
    model = b.finalize()
    data = repose.Data(model)
    repose.step(model, data, 100)
    assert data.act == pytest.approx([2 * (1 - np.exp(-10))], rel=1e-13)
    # The torque of step k is 2 (1 - exp(-k/10)) N m.
    assert data.joint_velocity == pytest.approx([0.01 * sum(2 * (1 - np.exp(-k / 10)) for k in range(100))], rel=1e-12)
    with pytest.raises(repose.InputError, match="dynamics: expected none, integrator, filter, filter_exact, got 'muscle'"):
        b.add_actuator(hinge, dynamics="muscle")


def test_a_box_falls_at_its_final_speed(tmp_path):
    text = '<mujoco><option timestep="0.002" density="1.2" viscosity="{}"/><worldbody><body><freejoint/><geom type="box" size=".1 .1 .1" mass=".05"/></body></worldbody></mujoco>'

    def speed(viscosity):
        path = tmp_path / "box.xml"
        path.write_text(text.format(viscosity))
        model = repose.load(path)
        data = repose.Data(model)
        repose.step(model, data, 5000)
        return data.velocity[0]

    assert speed(0) == pytest.approx([0, 0, -np.sqrt(2 * 0.05 * 9.81 / (1.2 * 0.04))], abs=1e-9)
    slow = speed(2)
    assert 0.6 * np.pi * 2 * abs(slow[2]) + 0.5 * 1.2 * 0.04 * slow[2] ** 2 == pytest.approx(0.05 * 9.81, rel=1e-9)
