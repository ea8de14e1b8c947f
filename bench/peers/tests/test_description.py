# SPDX-License-Identifier: Apache-2.0
"""One description for all: it is a scene that Repose reads, with the masses that Repose finds itself."""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import repose
from catalogue import PEERS, cells
from description import SCENES, describe, from_the_start, hull_mass
from simulation import grown, is_dynamic, rotate

SCRIPT = Path(__file__).resolve().parent.parent / "description.py"


@pytest.mark.parametrize("name", ["incline-0.4", "launched-cube", "backspin", "cards-4", "arch-25", "stack-10", "wall-10", "bin-128",
                                  "cards-4-struck", "dominoes"])
def test_masses_are_those_of_the_model(name):
    scene = describe(name)
    model = repose.Model.from_json(json.dumps(scene))
    builtin, parameters, seconds = SCENES[name]
    plain = repose.scenes.make(builtin, **parameters)
    assert scene["duration"] == seconds == model.duration
    assert model.mass == pytest.approx(plain.mass, rel=1e-12)
    for k, body in enumerate(scene["bodies"]):
        if is_dynamic(body):
            moments = np.sort(np.linalg.eigvalsh(np.array(body["mass"]["inertia"])))
            assert moments == pytest.approx(np.sort(plain.principal_inertia[k]), rel=1e-9)
            assert body["mass"]["centre"] == pytest.approx(plain.centre[k], abs=1e-9)


def test_a_cube_as_a_hull():
    corners = [[x, y, z] for x in (1, 3) for y in (0, 1) for z in (0, 0.5)]
    mass, centre, inertia = hull_mass(corners, 10.0)
    assert mass == pytest.approx(10.0) and centre == pytest.approx([2, 0.5, 0.25])
    assert inertia == pytest.approx(10 / 12 * np.diag([1 + 0.25, 4 + 0.25, 4 + 1]), abs=1e-12)


def test_projectiles_are_there_from_the_start():
    scene = describe("cards-4-struck")
    assert "events" not in scene and all(b.get("present", True) for b in scene["bodies"])
    assert sum(b.get("velocity", [0])[0] > 0 for b in scene["bodies"]) == 4
    with pytest.raises(ValueError, match="event: expected a body that appears at 0 in peer scenes, got"):
        from_the_start({"bodies": [], "events": [{"time": 1, "type": "appear", "body": "late"}]})


def test_growing_moves_the_surface_out():
    assert grown({"type": "box", "half": [1, 2, 3]}, 0.1)["half"] == pytest.approx([1.1, 2.1, 3.1])
    hull = grown({"type": "hull", "vertices": [[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)]}, 0.1)
    assert max(v[0] for v in hull["vertices"]) == pytest.approx(1.1)
    assert grown({"type": "plane"}, 0.1) == {"type": "plane"}


def test_rotation():
    quarter = np.array([np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    assert rotate(quarter, np.array([1.0, 0, 0])) == pytest.approx([0, 1, 0], abs=1e-15)


def test_engines_take_turns_within_a_scene():
    order = list(cells([PEERS["repose"], PEERS["mujoco"]], ["cards-4", "arch-25"]))
    assert [c[0] for c in order] == sorted([c[0] for c in order], key=["cards-4", "arch-25"].index)
    assert [c[1] for c in order[:3]] == ["repose", "mujoco", "repose"]
    assert len(set(order)) == len(order)


def test_moving_scenes_have_settings_of_their_own():
    assert [c[2] for c in cells([PEERS["mujoco"]], ["dominoes"])] == ["elliptic, impratio 100", "pyramidal", "pyramidal, 4 substeps"]
    assert not list(cells([PEERS["kamino"]], ["dominoes"], asked=True))  # it has none
    assert [c[2] for c in cells([PEERS["mujoco"]], ["arch-25"], labels=["impratio 10"])] == ["impratio 10"]


def test_the_sweep_has_every_combination():
    found = PEERS["mujoco"].settings.values()
    grid = {(s["impratio"], "solimp" in s, s["substeps"]) for s in found if "noslip" not in s}
    assert len(grid) == 4 * 2 * 2 == len(found) - 2
    assert set(PEERS["mujoco"].always) < set(PEERS["mujoco"].settings)


def test_a_scene_beyond_an_engine_is_not_run():
    assert not list(cells([PEERS["lmgc90"]], ["incline-0.4"], asked=True))


def test_a_scene_that_is_skipped_can_be_asked_for():
    assert not list(cells([PEERS["kamino"]], ["wall-10"])) and len(list(cells([PEERS["kamino"]], ["wall-10"], asked=True))) == 2


def test_unknown_names_are_refused_in_one_line(tmp_path):
    done = subprocess.run([sys.executable, str(SCRIPT), "nosuch", "--out", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "scene: expected incline-0.4" in done.stderr and "got 'nosuch'" in done.stderr
    assert not list(tmp_path.iterdir())


def test_written_files_run(tmp_path):
    subprocess.run([sys.executable, str(SCRIPT), "incline-0.4", "--out", str(tmp_path)], check=True, capture_output=True)
    run = repose.run(tmp_path / "incline-0.4.json", steps=2)
    assert run.residual.solved_share == 1
