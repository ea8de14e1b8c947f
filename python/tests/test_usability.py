# SPDX-License-Identifier: Apache-2.0
"""What a user types first: assignments, both documented names, lists, warnings, messages."""
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import repose


def cube_model(**body):
    b = repose.ModelBuilder("cube")
    b.add_ground_plane()
    b.add_shape_box(b.add_body((0, 0, 0.5), name="cube", **body), 0.5, 0.5, 0.5)
    return b.finalize()


def test_views_can_be_assigned():
    model = cube_model()
    data = repose.Data(model)
    view = data.position
    data.position = [[0, 0, 0], [1, 2, 3]]
    assert view[1].tolist() == [1, 2, 3]
    data.velocity[1] = (0, 0, 1)
    data.velocity *= 2
    data.force = np.zeros((2, 3))
    assert data.qvel[1, 2] == 2
    with pytest.raises(ValueError):
        data.position = np.zeros((3, 3))


def test_both_documented_names_are_taken():
    b = repose.ModelBuilder()
    body = b.add_body((0, 0, 1), fixed=["x", "rz"])
    for add in (b.add_shape_capsule, b.add_shape_cylinder):
        add(body, 0.1, half_height=0.2)
        add(body, 0.1, half_length=0.2)
        add(body, 0.1, 0.2)
    flags = b.add_body((0, 0, 3), fixed_dof=(True, False, False, False, False, True))
    b.add_shape_sphere(flags, 0.1)
    with pytest.raises(ValueError, match="fixed: expected x, y, z, rx, ry, rz, got 'roll'"):
        b.add_body(fixed=["roll"])
    model = b.finalize()
    data = repose.Data(model)
    data.velocity = np.ones((2, 3))
    repose.step(model, data)
    assert data.velocity[:, 0].tolist() == [0, 0] and data.velocity[0, 1] != 0


def test_hulls_take_lists_and_meshes_one_scale(tmp_path):
    corners = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    (tmp_path / "cube.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 4 3\nf 5 6 8 7\n")
    b = repose.ModelBuilder()
    b.add_shape_convex_hull(b.add_body(), corners, density=1000)
    b.add_shape_mesh(b.add_body((3, 0, 0)), tmp_path / "cube.obj", scale=0.5, density=1000)
    b.add_shape_mesh(b.add_body((6, 0, 0)), tmp_path / "cube.obj", scale=(0.5, 0.5, 1), density=1000)
    with pytest.raises(ValueError, match=r"points: expected \(n, 3\), got shape \(2, 2\)"):
        b.add_shape_convex_hull(0, [[0, 1], [2, 3]])
    assert np.allclose(b.finalize().mass, [1000, 125, 250])


def test_friction_of_another_length_is_refused_in_our_words():
    with pytest.raises(ValueError, match=r"mu: expected one number or \(1,\), got shape \(2,\)"):
        repose.solve(W=np.eye(3), v_free=[0, 0, -1], mu=[0.5, 0.5])
    assert repose.solve(W=np.eye(3), v_free=[0, 0, -1], mu=[0.5]).certificate.r_c < 1e-8


def test_a_recording_says_what_it_is(tmp_path):
    repose.run("incline", steps=3, record=tmp_path / "r.h5")
    text = repr(repose.Recording(tmp_path / "r.h5"))
    assert text.startswith("<repose.Recording of 'incline': 3 steps of ") and text.endswith(" bodies>")


def stack():
    b = repose.ModelBuilder("stack")
    b.add_ground_plane()
    for k in range(3):
        b.add_shape_box(b.add_body((0, 0, 0.5 + k), velocity=(1, 0, 0)), 0.5, 0.5, 0.5)
    return b.finalize()


def test_unsolved_steps_warn_once():
    model = stack()
    data = repose.Data(model, outer="nsgs", max_outer=1, accept=0, warm_start=False)
    with pytest.warns(RuntimeWarning, match="step 1 at .* not solved, r_c .*; data.unsolved_steps counts further ones"):
        repose.step(model, data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        repose.step(model, data, n=3)
    assert data.unsolved_steps == 4
    data.reset()
    with pytest.warns(RuntimeWarning):
        repose.step(model, data, n=2)
    with pytest.warns(RuntimeWarning):
        repose.run(model, steps=2, outer="nsgs", max_outer=1, accept=0, warm_start=False)


def test_a_squeeze_is_said(tmp_path):
    b = repose.ModelBuilder("press")
    b.add_ground_plane()
    b.add_shape_box(b.add_body((0, 0, 0.05), name="cube"), 0.05, 0.05, 0.05, density=1000)
    for side, name in ((-1, "plate A"), (1, "plate B")):
        plate = b.add_body((side * 0.07, 0, 0.12), name=name)
        b.add_shape_box(plate, 0.01, 0.1, 0.1)
        poses = np.array([[side * 0.07, 0, 0.12, 1, 0, 0, 0], [side * 0.0575, 0, 0.12, 1, 0, 0, 0]])
        b.add_motion_table(plate, [0, 0.1], poses)
    model = b.finalize()
    data = repose.Data(model)
    with pytest.warns(RuntimeWarning, match="leave cube .* mm too little room; the overlap is kept"):
        repose.step(model, data, n=30)
    assert data.energy < 1


def test_a_script_in_the_main_module_leaks_nothing():
    """The function sees the globals of the script, the model among them."""
    code = """
        import numpy as np
        import repose
        b = repose.ModelBuilder("shaker")
        plate = b.add_body((0, 0, 0.1), name="plate")
        b.add_shape_box(plate, 1, 1, 0.1)
        b.add_motion_script(plate, lambda t: (0.1 * np.sin(5 * t), 0, 0.1, 1, 0, 0, 0))
        model = b.finalize()
        data = repose.Data(model)
        repose.step(model, data, n=3)
        keep = lambda: (b, model, data)
        """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""


def test_rounding_is_named_as_the_reason():
    """A cube of 8 kg carries 8e9 kg: the last digit of the impulses between them moves it by more than the tolerance."""
    b = repose.ModelBuilder("heavy")
    b.add_ground_plane()
    for z, density in ((0.1, 1e3), (0.3, 1e12)):
        b.add_shape_box(b.add_body((0, 0, z)), 0.1, 0.1, 0.1, density=density)
    model = b.finalize()
    data = repose.Data(model)
    for _ in range(60):
        report = repose.step(model, data)
        assert report.status in ("solved", "accepted")
        assert report.why.startswith("rounding: ") == (report.status == "accepted")
    run = repose.run(model, steps=60)
    assert run.residual.rounding_steps == run.residual.accepted_steps != []
