# SPDX-License-Identifier: Apache-2.0
"""Models: built call by call, from files, from the built-in scenes."""
import inspect
import json

import numpy as np
import pytest

import repose


def one_of_each():
    b = repose.ModelBuilder("zoo", dt=0.005, gravity=(0, 0, -10))
    stone = b.add_material("stone", friction=0.7)
    ice = b.add_material("ice", friction=0.05, restitution=0.1)
    b.override_pair(stone, ice, friction=0.2)
    b.add_ground_plane(stone)
    b.add_shape_sphere(b.add_body((0, 0, 1)), 0.5, material=ice)
    b.add_shape_box(b.add_body((2, 0, 1)), 0.5, 0.4, 0.3, density=500)
    b.add_shape_capsule(b.add_body((4, 0, 1)), 0.2, 0.3)
    b.add_shape_cylinder(b.add_body((6, 0, 1)), 0.2, 0.3)
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    b.add_shape_convex_hull(b.add_body((8, 0, 1)), corners)
    b.add_shape_box(b.add_body((10, 0, 1), name="heavy", mass=3, inertia=(1, 2, 3), centre=(0, 0, 0.1)), 0.5, 0.5, 0.5)
    belt = b.add_body((12, 0, 0.1), name="belt", kind="kinematic")
    b.add_shape_box(belt, 1, 1, 0.1)
    b.add_motion_ramp(belt, velocity=(1, 0, 0), duration=0.5)
    late = b.add_body((12, 0, 3), name="late", present=False, velocity=(0, 0, -1))
    b.add_shape_sphere(late, 0.1)
    b.add_event_appear(0.1, late)
    b.add_event_push(0.2, late, force=(1, 0, 0), duration=0.1)
    return b


def test_every_shape_has_its_mass():
    model = one_of_each().finalize()
    assert model.name == "zoo" and model.nbody == 9 and model.dt == 0.005 and model.gravity == (0, 0, -10)
    assert model.body_kinds[0] == "static" and model.body_kinds[7] == "kinematic"
    expected = [0, 1000 * np.pi / 6, 500 * 0.48, 1000 * np.pi * 0.04 * (0.6 + 4 / 3 * 0.2), 1000 * np.pi * 0.04 * 0.6, 1000,
                3, 0, 1000 * 4 / 3 * np.pi * 1e-3]
    assert model.mass == pytest.approx(np.array(expected), rel=1e-12)
    assert model.principal_inertia[6].tolist() == [1, 2, 3] and model.centre[6].tolist() == [0, 0, 0.1]
    assert model.centre[5] == pytest.approx(np.array([0.5, 0.5, 0.5]))


def test_a_built_model_moves_and_its_events_happen():
    model = one_of_each().finalize()
    data = repose.Data(model)
    late = model.body("late")
    assert not data.present[late]
    repose.step(model, data, n=100)
    assert data.present[late] and data.velocity[late, 0] > 0
    assert data.position[model.body("belt"), 0] == pytest.approx(12 + 0.5 * 0.5, rel=1e-2)
    assert data.frame_position[5] == pytest.approx(data.position[5] - 0.5, abs=0.2)


def test_json_reads_back_bit_for_bit(tmp_path):
    model = one_of_each().finalize()
    (tmp_path / "zoo.json").write_text(model.to_json())
    for again in (repose.Model.from_json(model.to_json()), repose.Model.from_file(tmp_path / "zoo.json")):
        assert again.to_json() == model.to_json()
    assert json.loads(model.to_json())["name"] == "zoo"


def test_mjcf_files_are_read(tmp_path):
    (tmp_path / "ball.xml").write_text(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball' pos='0 0 1'><freejoint/>"
        "<geom type='sphere' size='0.1'/></body></worldbody></mujoco>")
    model = repose.Model.from_file(tmp_path / "ball.xml")
    assert model.format == "mjcf" and "ball" in model.body_names
    with pytest.raises(repose.InputError, match="nothing.xml"):
        repose.Model.from_file(tmp_path / "nothing.xml")


@pytest.mark.parametrize("mistake, error, message", [
    (lambda b: b.add_body((0, 0)), TypeError, "incompatible function arguments"),
    (lambda b: b.add_body((0, 0, "high")), TypeError, "incompatible function arguments"),
    (lambda b: b.add_body(kind="ghost"), ValueError, "kind: expected dynamic, kinematic, static.*got 'ghost'"),
    (lambda b: b.add_body(mass=1), ValueError, "mass: expected .*got a mass alone"),
    (lambda b: b.add_shape_box(7, 1, 1, 1), ValueError, "body: expected .*got index 7"),
    (lambda b: b.add_shape_convex_hull(b.add_body(), np.zeros((4, 2))), ValueError, r"points: expected .*got shape \(4, 2\)"),
    (lambda b: b.add_motion_table(b.add_body(), [0, 1], np.zeros((2, 6))), ValueError, r"expected \(2, 7\)"),
    (lambda b: repose.ModelBuilder(combine="mix"), ValueError, "combine: expected .*got 'mix'"),
    (lambda b: repose.ModelBuilder(edge_normal="up"), ValueError, "edge_normal: expected bisecting, face.*got 'up'"),
])
def test_mistakes_in_building_are_named(mistake, error, message):
    with pytest.raises(error, match=message):
        mistake(repose.ModelBuilder())


@pytest.mark.parametrize("body, shape", [
    ({"position": (0, 0, float("nan"))}, (1, 1, 1)), ({}, (1, -1, 1)), ({"mass": -1, "inertia": (1, 1, 1)}, (1, 1, 1)),
    ({"velocity": (float("inf"), 0, 0)}, (1, 1, 1))])
def test_scenes_that_make_no_sense_are_refused(body, shape):
    builder = repose.ModelBuilder()
    builder.add_shape_box(builder.add_body(**body), *shape)
    with pytest.raises(repose.InputError):
        builder.finalize()


def test_replace_changes_copies_only():
    model = repose.scenes.incline(mu=0.6, slope=0.5)
    cube = [b for b, kind in enumerate(model.body_kinds) if kind == "dynamic"][0]
    other = model.replace(friction=0.1, mass={cube: 2.5}, dt=0.001, gravity=(0, 0, -1))
    assert other.mass[cube] == pytest.approx(2.5) and other.dt == 0.001 and other.gravity == (0, 0, -1)
    assert other.principal_inertia[cube] / model.principal_inertia[cube] == pytest.approx(2.5 / model.mass[cube])
    assert model.dt != 0.001
    for m, sticks in ((model, True), (model.replace(friction=0.4), False)):
        data = repose.Data(m)
        repose.step(m, data, n=60)
        assert (np.linalg.norm(data.velocity[cube]) < 1e-6) == sticks
    with pytest.raises(repose.InputError, match="expected dynamic ones"):
        model.replace(mass={1 - cube: 1.0})
    with pytest.raises(repose.InputError):
        model.replace(dt=-1)
    with pytest.raises(repose.InputError, match="baumgarte: expected"):
        model.replace(baumgarte=2)


def test_every_built_in_scene_is_a_documented_function():
    listed = [kind["name"].replace("-", "_") for kind in repose._core.scene_list()]
    assert len(listed) >= 12 and set(listed) <= set(repose.scenes.__all__)
    for name in listed:
        function = getattr(repose.scenes, name)
        assert "Parameters" in function.__doc__
        parameters = inspect.signature(function).parameters
        assert all(p in function.__doc__ for p in parameters)
        model = function(**{p.name: p.default for p in parameters.values()})
        assert model.to_json() == function().to_json()


def test_scene_parameters_are_checked_as_on_the_command_line():
    with pytest.raises(repose.InputError, match="arch: stones: expected .*got '-3'"):
        repose.scenes.arch(stones=-3)
    with pytest.raises(repose.InputError, match="arch: expected .*got parameter 'rocks'"):
        repose.scenes.arch(rocks=3)
    with pytest.raises(repose.InputError, match="scene: expected .*got 'atlantis'"):
        repose.scenes.make("atlantis")
    with pytest.raises(TypeError, match="expected a number"):
        repose.scenes.arch(stones=[1])
    assert repose.scenes.make("tipping-box").name == repose.scenes.tipping_box().name


def test_height_field(tmp_path):
    x = np.linspace(-1, 1, 21)
    b = repose.ModelBuilder("hills", dt=0.01)
    ground = b.add_body(kind="static", name="ground")
    b.add_shape_height_field(ground, np.tile(0.2 * np.abs(x), (11, 1)), half=(1, 0.5), base=0.5)
    ball = b.add_body((0.3, 0.02, 0.4), name="ball")
    b.add_shape_sphere(ball, 0.1)
    model = b.finalize()
    assert model.to_json().count('"heightfield"') == 1
    assert repose.Model.from_json(model.to_json()).to_json() == model.to_json()
    data = repose.Data(model)
    repose.step(model, data, n=600)
    x, _, z = data.position[ball]  # it rolls from side to side
    assert abs(x) < 0.31
    assert z == pytest.approx(0.2 * abs(x) + 0.1 * np.sqrt(1.04), abs=1e-3)
    with pytest.raises(repose.InputError, match="height field: base: expected a depth below all heights"):
        b.add_shape_height_field(ground, np.zeros((3, 3)), half=(1, 1), base=0)
    with pytest.raises(repose.InputError, match="height field: heights: expected finite numbers"):
        b.add_shape_height_field(ground, np.full((3, 3), np.nan), half=(1, 1), base=1)
    with pytest.raises(repose.InputError, match=r"heights: expected \(rows, columns\)"):
        b.add_shape_height_field(ground, [1, 2, 3], half=(1, 1), base=1)
