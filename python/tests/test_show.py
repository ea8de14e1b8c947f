# SPDX-License-Identifier: Apache-2.0
"""Recordings in a notebook and in the files of other programs."""
import html
import json
import re

import numpy as np
import pytest

import repose
import repose._record


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Every shape, a body that appears late, a kinematic one."""
    b = repose.ModelBuilder("show", dt=1 / 60)
    b.add_material("stone", friction=0.5)
    b.add_ground_plane()
    points = np.array([[0, 0, 0.3], [0.2, 0, -0.1], [-0.1, 0.17, -0.1], [-0.1, -0.17, -0.1]])
    for k, (name, sizes) in enumerate({"box": (0.1, 0.2, 0.1), "sphere": (0.15,), "capsule": (0.1, 0.1),
                                       "cylinder": (0.1, 0.1), "convex_hull": (points,)}.items()):
        body = b.add_body((k, 0, 0.4), name=name, present=name != "sphere")
        getattr(b, f"add_shape_{name}")(body, *sizes)
    b.add_event_appear(0.1, b.add_body((9, 0, 1), name="late", present=False))
    b.add_shape_sphere(6, 0.1)
    b.add_event_appear(0.2, 2)
    turning = b.add_body((0, 3, 0.2), name="turning")
    b.add_shape_box(turning, 0.5, 0.5, 0.1)
    b.add_motion_constant(turning, angular_velocity=(0, 0, 1))
    file = tmp_path_factory.mktemp("show") / "run.h5"
    repose.run(b.finalize(), steps=45, record=file)
    return repose.Recording(file)


def exported(recording, tmp_path, ending):
    recording.export(tmp_path / f"run{ending}")
    return tmp_path / f"run{ending}"


def test_a_page_in_a_frame(recording, tmp_path):
    exported(recording, tmp_path, ".html")
    page = recording.show(frame=7, theme="light", height=300)
    frame = page._repr_html_()
    text = html.unescape(re.fullmatch(r'<iframe title="[^"]+" srcdoc="([^"]*)" style="([^"]*)"></iframe>', frame)[1])
    assert text == page.text and "height: 300px" in frame and len(text) < 2e6
    start = re.search(r'id="repose-start">([^<]*)<', text)[1]
    assert json.loads(start) == {"frame": 7, "theme": "light"}
    header = json.loads(re.search(r'id="repose-header-0">([^<]*)<', text)[1])
    assert header["steps"] == 45 and [b["name"] for b in header["bodies"]] == recording.body_names
    both = recording.show(recording)
    assert "repose-header-1" in both.text and "repose-header-1" not in page.text


@pytest.mark.parametrize("change, message", [({"theme": "pink"}, "theme: expected .*got 'pink'"), ({"frame": 99}, "frame: expected .*got 99"),
                                             ({"frame": -1}, "frame: expected .*got -1"), ({"height": 0}, "height: expected .*got 0")])
def test_bad_wishes_are_named(recording, change, message):
    with pytest.raises(ValueError, match=message):
        recording.show(**change)


def test_pages_too_large_for_a_notebook_are_refused(recording, tmp_path, monkeypatch):
    exported(recording, tmp_path, ".html")
    monkeypatch.setattr(repose._record, "LARGEST_PAGE", 1000)
    with pytest.raises(ValueError, match="expected a page of up to 0 MB in a notebook"):
        recording.show()


def test_endings_are_checked(recording, tmp_path):
    with pytest.raises(repose.InputError, match="pdf"):
        recording.export(tmp_path / "run.pdf")
    with pytest.raises(repose.InputError, match="html"):
        recording.export(tmp_path / "run.csv", compare=recording)


def test_numpy_reads_npz(recording, tmp_path):
    arrays, ours = np.load(exported(recording, tmp_path, ".npz")), recording.to_numpy()
    assert np.array_equal(arrays["time"], ours["time"])
    assert any(np.array_equal(arrays[key], ours["frame_position"]) for key in arrays.files)


def faults_of(stage):
    """What usd-core's own validators say, all of them (physics, geometry, materials, composition)."""
    from pxr import UsdValidation

    registry = UsdValidation.ValidationRegistry()
    names = [about.name for about in registry.GetAllValidatorMetadata()]
    assert len(names) >= 25 and "usdPhysicsValidators:RigidBodyChecker" in names
    errors = UsdValidation.ValidationContext([registry.GetOrLoadValidatorByName(name) for name in names]).Validate(stage)
    return [f"{error.GetName()}: {error.GetMessage()}" for error in errors]


def test_the_usd_validators_find_faults():
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.CreateInMemory()
    UsdGeom.Cube.Define(stage, "/solid")
    UsdGeom.Cube.Define(stage, "/solid/inside")
    UsdPhysics.RigidBodyAPI.Apply(stage.DefinePrim("/folder", "Scope"))
    faults = " ".join(faults_of(stage))
    assert "InvalidNestedGprims" in faults and "RigidBodyNonXformable" in faults and "MissingUpAxisMetadata" in faults


def test_usd_opens_and_passes_its_checker(recording, tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom, UsdPhysics

    file = str(exported(recording, tmp_path, ".usda"))
    stage = Usd.Stage.Open(file)
    assert stage and UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert (stage.GetStartTimeCode(), stage.GetTimeCodesPerSecond()) == (0, 1)
    assert stage.GetEndTimeCode() == pytest.approx(45 / 60)
    assert not stage.GetCompositionErrors()
    assert faults_of(stage) == []
    moving = [p for p in stage.Traverse() if p.HasAPI(UsdPhysics.RigidBodyAPI)]
    names = {p.GetName(): p for p in moving}
    assert {"box", "sphere", "capsule", "cylinder", "convex_hull", "late", "turning"} <= set(names)
    assert UsdPhysics.RigidBodyAPI(names["turning"]).GetKinematicEnabledAttr().Get()
    ours = recording.to_numpy()
    for body in ("box", "turning"):
        k = recording.body_names.index(body)
        for row in (0, 20, 45):
            matrix = UsdGeom.Xformable(names[body]).ComputeLocalToWorldTransform(ours["time"][row])
            assert list(matrix.ExtractTranslation()) == pytest.approx(ours["frame_position"][row, k], abs=1e-9)
    late = UsdGeom.Imageable(names["late"])
    assert late.ComputeVisibility(0.0) == "invisible" and late.ComputeVisibility(0.5) == "inherited"
    mass = UsdPhysics.MassAPI(names["box"]).GetMassAttr().Get()
    assert mass == pytest.approx(1000 * 0.2 * 0.4 * 0.2, rel=1e-6)


ROBOT = """<mujoco><worldbody><body name="base" pos="0 0 1"><joint name="lift" type="slide" axis="0 0 1" range="-0.5 0.25"/>
  <geom type="box" size="0.1 0.1 0.1"/>
  <body name="arm" pos="0.2 0 0" euler="0 0 90"><joint name="elbow" axis="1 0 0" range="-90 45" pos="0 0 0.1"/><geom size="0.05"/>
    <body name="hand" pos="0 0.3 0"><joint name="pan"/><joint name="tilt" axis="1 0 0" range="-30 30"/><geom size="0.05"/></body></body>
  <body name="bob" pos="0 0 -0.5"><joint type="ball" name="neck" pos="0 0 0.2"/><geom size="0.05"/></body></body>
  <body name="kite" pos="1 0 1"><freejoint/><geom size="0.1"/><site name="tail"/></body>
  <body name="sled" pos="2 0 0"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0" range="-1 2"/>
    <joint name="turn"/><geom size="0.1"/></body>
  <site name="post" pos="1 0 2.5"/></worldbody>
  <equality><weld name="glue" body1="kite" body2="bob"/><joint name="gear" joint1="lift" joint2="elbow"/></equality>
  <tendon><spatial name="string" range="0 2"><site site="post"/><site site="tail"/></spatial></tendon></mujoco>"""


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "robot.xml").write_text(ROBOT)
    model = repose.Model.from_file(tmp_path / "robot.xml")
    repose.run(model, time=0.02, record=tmp_path / "robot.h5")
    return repose.Recording(tmp_path / "robot.h5"), json.loads(model.to_json())


def test_usd_joints_have_frames_and_limits(robot, tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom, UsdPhysics

    recording, scene = robot
    stage = Usd.Stage.Open(str(exported(recording, tmp_path, ".usda")))
    assert faults_of(stage) == []
    joints = {p.GetDisplayName(): p for p in stage.Traverse() if p.IsA(UsdPhysics.Joint)}
    assert set(joints) == {"lift", "elbow", "pan+tilt", "neck", "x+y+turn", "glue", "string"}  # not the gear
    slide, hinge = UsdPhysics.PrismaticJoint(joints["lift"]), UsdPhysics.RevoluteJoint(joints["elbow"])
    assert (slide.GetLowerLimitAttr().Get(), slide.GetUpperLimitAttr().Get()) == (-0.5, 0.25) and slide.GetAxisAttr().Get() == "Z"
    assert (hinge.GetLowerLimitAttr().Get(), hinge.GetUpperLimitAttr().Get()) == pytest.approx((-90, 45), rel=1e-6)
    assert UsdPhysics.SphericalJoint(joints["neck"]) and UsdPhysics.FixedJoint(joints["glue"])
    assert UsdPhysics.DistanceJoint(joints["string"]).GetMaxDistanceAttr().Get() == 2
    assert not UsdPhysics.DistanceJoint(joints["string"]).GetMinDistanceAttr().HasAuthoredValue()

    def held(joint, motion):
        limit = UsdPhysics.LimitAPI.Get(joint, motion)
        return limit and limit.GetLowAttr().Get() > limit.GetHighAttr().Get()

    hand, sled = joints["pan+tilt"], joints["x+y+turn"]
    assert [m for m in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ") if held(hand, m)] == ["transX", "transY", "transZ", "rotY"]
    tilt = UsdPhysics.LimitAPI.Get(hand, "rotX")
    assert (tilt.GetLowAttr().Get(), tilt.GetHighAttr().Get()) == pytest.approx((-30, 30), rel=1e-6)
    assert [m for m in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ") if held(sled, m)] == ["transZ", "rotX", "rotY"]
    # The frames of both ends are where the bodies are: origins of hinges, slides and balls meet at the start.
    for name in ("elbow", "neck", "pan+tilt"):
        joint, ends = UsdPhysics.Joint(joints[name]), []
        for body, place in ((joint.GetBody0Rel(), joint.GetLocalPos0Attr()), (joint.GetBody1Rel(), joint.GetLocalPos1Attr())):
            prim = stage.GetPrimAtPath(body.GetTargets()[0])
            ends.append(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0).Transform(place.Get()))
        assert list(ends[0]) == pytest.approx(list(ends[1]), abs=1e-6), name
    assert joint.GetBody1Rel().GetTargets() == ["/World/hand"] and not UsdPhysics.Joint(slide).GetBody0Rel().GetTargets()


def test_gltf_has_a_node_per_joint(robot, tmp_path):
    recording, scene = robot
    data = exported(recording, tmp_path, ".glb").read_bytes()
    document = json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])
    nodes = {node["name"]: (k, node) for k, node in enumerate(document["nodes"]) if "name" in node}
    for joint in scene["joints"]:
        if joint["type"] == "coupling":
            assert joint["name"] not in nodes
            continue
        number, node = nodes[joint["name"]]
        assert number in nodes[joint["body_b"]][1]["children"]
        assert node["extras"]["joint"] == joint["type"] and node["extras"].get("body_a") == joint.get("body_a")
        assert node["translation"] == joint["frame_b"]["position"]
    assert nodes["elbow"][1]["extras"]["coordinates"] == [{"lower": pytest.approx(-np.pi / 2), "upper": pytest.approx(np.pi / 4)}]


def test_vtk_reads_the_surfaces_back(recording, tmp_path):
    pytest.importorskip("vtkmodules")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(str(exported(recording, tmp_path, ".vtkhdf")))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == 46
    ours = recording.to_numpy()
    box = recording.body_names.index("box")
    for row in (0, 10, 45):
        reader.SetStep(row)
        reader.Update()
        surface = reader.GetOutputDataObject(0)
        assert reader.GetErrorCode() == 0 and surface.GetNumberOfCells() > 30
        data = surface.GetCellData()
        body = vtk_to_numpy(data.GetArray("body"))
        points, used = vtk_to_numpy(surface.GetPoints().GetData()), set()
        for cell in np.flatnonzero(body == box):
            ids = surface.GetCell(int(cell)).GetPointIds()
            used |= {ids.GetId(i) for i in range(ids.GetNumberOfIds())}
        assert len(used) >= 8 and points[sorted(used)].mean(axis=0) == pytest.approx(ours["frame_position"][row, box], abs=1e-5)
        hidden = vtk_to_numpy(data.GetArray("vtkGhostType"))
        late = body == recording.body_names.index("late")
        assert (hidden[late] != 0).all() == (ours["present"][row, recording.body_names.index("late")] == 0)


@pytest.fixture
def poses():
    """A turning, rising stack of two as another program might have found it."""
    model = repose.scenes.stack(count=2)
    data = repose.Data(model)
    time = np.linspace(0, 1, 21)
    position = np.repeat(data.frame_position[None], 21, axis=0)
    position[:, -1, 2] += 0.5 * time
    quaternion = np.repeat(data.quaternion[None].copy(), 21, axis=0)
    quaternion[:, -1] = np.stack([np.cos(time), 0 * time, 0 * time, np.sin(time)], axis=1)  # 2 rad/s about z
    return model, time, position, quaternion


def test_poses_of_another_program_become_a_recording(poses, tmp_path):
    model, time, position, quaternion = poses
    repose.write_recording(tmp_path / "peer.h5", model, time, position, quaternion, program="Peer")
    recording = repose.Recording(tmp_path / "peer.h5")
    arrays = recording.to_numpy()
    assert len(recording) == 20 and np.array_equal(arrays["time"], time)
    assert arrays["frame_position"] == pytest.approx(position, abs=1e-14)
    assert arrays["quaternion"] == pytest.approx(quaternion, abs=1e-14)
    assert arrays["velocity"][:, -1] == pytest.approx(np.tile([0, 0, 0.5], (21, 1)), abs=1e-12)
    assert arrays["angular_velocity"][:, -1] == pytest.approx(np.tile([0, 0, 2.0], (21, 1)), abs=1e-12)
    assert np.isnan(arrays["r_c"]).all() and (arrays["contacts"] == 0).all() and np.isfinite(arrays["energy"]).all()
    assert json.loads(recording.settings_json) == {"program": "Peer"}
    for ending in (".csv", ".npz", ".glb", ".usda", ".vtkhdf"):
        exported(recording, tmp_path, ending)
    with pytest.raises(repose.InputError, match="poses of another program, without certificates"):
        recording.check()


@pytest.mark.parametrize("field, change, message", [
    ("time", lambda t: t[::-1], "time: expected .*got values that are not finite or do not ascend"),
    ("time", lambda t: t[:0], "time: expected .*got shape"),
    ("position", lambda p: p[:, :2], r"position: expected \(21, 3, 3\).*got shape \(21, 2, 3\)"),
    ("position", lambda p: p * np.nan, "state 0, body .*: expected .*got a value that is not finite"),
    ("quaternion", lambda q: 0 * q, "quaternion: state 0, body 'ground': expected .*got one that is not finite or has no direction"),
])
def test_bad_poses_are_named_and_nothing_is_written(poses, tmp_path, field, change, message):
    values = dict(zip(("model", "time", "position", "quaternion"), poses))
    values[field] = change(values[field])
    with pytest.raises(ValueError, match=message):
        repose.write_recording(tmp_path / "peer.h5", **values)
    assert list(tmp_path.iterdir()) == []
