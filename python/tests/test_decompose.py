# SPDX-License-Identifier: Apache-2.0
"""Concave meshes: one hull with a notice, or convex parts."""
import sys

import numpy as np
import pytest

import repose

# A channel with a U section: outer box 3 x 2 x 1, without the middle third above height 1.
SECTION = [(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)]
CAPS = [(0, 1, 4), (0, 4, 5), (0, 5, 6), (0, 6, 7), (1, 2, 3), (1, 3, 4)]


def channel():
    vertices = np.array([(x, 0, z) for x, z in SECTION] + [(x, 1, z) for x, z in SECTION], dtype=float)
    n = len(SECTION)
    triangles = [(a, b, c) for a, b, c in CAPS] + [(a + n, c + n, b + n) for a, b, c in CAPS]
    for k in range(n):
        m = (k + 1) % n
        triangles += [(k, k + n, m + n), (k, m + n, m)]
    return vertices, np.array(triangles)


def written(folder):
    vertices, triangles = channel()
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles)
    (folder / "channel.obj").write_text(text)
    (folder / "scene.urdf").write_text('<robot name="r"><link name="base"><collision><geometry><mesh filename="channel.obj"/>'
                                       "</geometry></collision></link></robot>")
    (folder / "scene.xml").write_text('<mujoco><asset><mesh file="channel.obj"/></asset><worldbody><geom type="mesh" mesh="channel"/>'
                                      '<body pos="1.5 0.5 2.6"><freejoint/><geom size="0.3"/></body></worldbody></mujoco>')


@pytest.mark.parametrize("file", ["scene.urdf", "scene.xml"])
def test_a_hull_says_how_much_it_adds(tmp_path, file):
    written(tmp_path)
    notes = [note for note in repose.load(tmp_path / file).ignored if note.startswith("mesh 'channel.obj'")]
    assert notes == ["mesh 'channel.obj': its convex hull adds 20 % to its volume (repose.load(…, decompose=True) takes convex parts)"]


def given_parts(file):
    """The floor and two walls of the channel."""
    assert file.endswith("channel.obj")
    boxes = [((0, 3), (0, 1)), ((0, 1), (1, 2)), ((2, 3), (1, 2))]
    return [[(x, y, z) for x in xs for y in (0, 1) for z in zs] for xs, zs in boxes]


def resting_height(model):
    data = repose.Data(model)
    repose.step(model, data, n=1500)
    return data.position[-1][2]


def test_a_ball_falls_into_parts_and_not_into_a_hull(tmp_path):
    written(tmp_path)
    assert resting_height(repose.load(tmp_path / "scene.xml")) == pytest.approx(2.3, abs=1e-3)
    parts = repose.load(tmp_path / "scene.xml", decompose=given_parts)
    assert resting_height(parts) == pytest.approx(1.3, abs=1e-3)
    assert not any("convex hull" in note for note in parts.ignored)


def test_parts_of_a_urdf(tmp_path):
    written(tmp_path)
    model = repose.load(tmp_path / "scene.urdf", decompose=given_parts)
    assert model.to_json().count('"hull"') == 3
    with pytest.raises(repose.InputError, match=r"scene.urdf:1: <mesh> filename: .*got none"):
        repose.load(tmp_path / "scene.urdf", decompose=lambda file: [])


def test_parts_of_a_mesh_cannot_be_in_a_pair(tmp_path):
    written(tmp_path)
    path = tmp_path / "scene.xml"
    path.write_text(path.read_text().replace('<geom type="mesh"', '<geom name="u" type="mesh"').replace(
        '<geom size="0.3"/>', '<geom name="ball" size="0.3"/>').replace(
        "</mujoco>", '<contact><pair geom1="u" geom2="ball"/></contact></mujoco>'))
    assert repose.load(path).nbody == 2
    with pytest.raises(repose.InputError, match=r"scene.xml:1: <geom> mesh: expected one part, or no <pair>, got a mesh of 3 parts"):
        repose.load(path, decompose=given_parts)


def test_without_coacd_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(ImportError, match=r"pip install 'repose-sim\[decompose\]'"):
        repose.decompose(channel())


def test_bad_arguments():
    vertices, triangles = channel()
    with pytest.raises(ValueError, match="threshold: expected 0.01 to 1, got 0"):
        repose.decompose((vertices, triangles), threshold=0)
    with pytest.raises(ValueError, match="mesh: expected vertices"):
        repose.decompose((vertices, []))


def volume(corners):
    from scipy.spatial import ConvexHull
    return ConvexHull(corners).volume


def test_parts_fill_the_mesh_and_are_kept(tmp_path, monkeypatch):
    coacd = pytest.importorskip("coacd")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    parts = repose.decompose(channel())
    assert len(parts) >= 3
    assert sum(volume(part) for part in parts) == pytest.approx(5, rel=0.02)
    assert len(list((tmp_path / "cache").rglob("*.npz"))) == 1

    def unused(*_args, **_options):
        raise AssertionError("the stored parts are not taken")

    monkeypatch.setattr(coacd, "run_coacd", unused)
    again = repose.decompose(channel())
    assert all(np.array_equal(a, b) for a, b in zip(parts, again, strict=True))
    with pytest.raises(AssertionError, match="not taken"):
        repose.decompose(channel(), threshold=0.1)
    next((tmp_path / "cache").rglob("*.npz")).write_text("damaged")
    with pytest.raises(AssertionError, match="not taken"):
        repose.decompose(channel())


def test_load_with_coacd(tmp_path, monkeypatch):
    pytest.importorskip("coacd")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    written(tmp_path)
    assert resting_height(repose.load(tmp_path / "scene.xml", decompose=True)) == pytest.approx(1.3, abs=0.02)
