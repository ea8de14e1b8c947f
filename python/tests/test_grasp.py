# SPDX-License-Identifier: Apache-2.0
"""Holding still: a gripper of two plates, a quadruped, a hand; bench/python/grasp.py compares them with MuJoCo."""
import os
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import repose

pytest.importorskip("scipy"), pytest.importorskip("mujoco")
FOLDER = Path(__file__).resolve().parents[2] / "bench" / "python"
DATA = Path(os.environ.get("REPOSE_DATA") or FOLDER.parents[2] / "shared" / "data")
if not (DATA / "menagerie").is_dir() or not FOLDER.is_dir():
    pytest.skip(f"needs {DATA}/menagerie and the repository's bench/python; set REPOSE_DATA to its folder", allow_module_level=True)
sys.path.append(str(FOLDER))
import grasp  # noqa: E402


@pytest.fixture(autouse=True)
def data_folder(monkeypatch):
    monkeypatch.setattr(grasp, "DATA", DATA / "menagerie")


def test_two_plates_hold_a_cube_for_a_minute(tmp_path):
    file = tmp_path / "gripper.xml"
    file.write_text(grasp.GRIPPER)
    engine = grasp.Repose(file)
    engine.run([15, 15], 100)
    start = engine.pose("cube")[0]
    engine.run([15, 15], 30000)
    assert np.linalg.norm(engine.pose("cube")[0] - start) < 1e-9 and engine.not_solved() == 0


def test_barkour_stands_without_drift():
    engine = grasp.Repose(grasp.DATA / "google_barkour_vb/scene.xml", "home")
    ctrl = np.array(engine.data.ctrl)
    engine.run(ctrl, 2000)
    start = engine.pose("torso")[0]
    engine.run(ctrl, 1500)
    assert np.linalg.norm(engine.pose("torso")[0] - start) < 1e-10 and engine.not_solved() == 0


def test_the_shadow_hand_lifts_a_hull_and_holds_it(tmp_path):
    kind, file = grasp.hand_file(4, tmp_path)
    engine = grasp.Repose(file)
    height = engine.pose("object")[0][2]
    moved, slip, late = grasp.hand_run(engine)
    assert kind == "hull" and engine.not_solved() == 0
    assert moved < 0.02 and slip < 1e-6 and late < 1e-9
    assert engine.pose("object")[0][2] - height == pytest.approx(grasp.LIFT, abs=0.02)


def robotiq(folder, friction):
    """The Robotiq gripper with a cube of 0.3 kg between its pads, which nothing carries but friction."""
    tree = ET.parse(grasp.DATA / "robotiq_2f85/2f85.xml")
    root = tree.getroot()
    root.find("compiler").set("meshdir", str((grasp.DATA / "robotiq_2f85/assets").resolve()))
    body = ET.SubElement(root.find("worldbody"), "body", name="cube", pos="0 0 0.155")
    ET.SubElement(body, "freejoint")
    ET.SubElement(body, "geom", type="box", size="0.02 0.02 0.02", mass="0.3", priority="2", friction=f"{friction:.12f}")
    tree.write(folder / "robotiq.xml")
    model = repose.load(folder / "robotiq.xml")
    data, cube = repose.Data(model), model.body("cube")
    data.ctrl[:] = 255
    data.force[cube] = (0, 0, WEIGHT)  # until the fingers have closed
    repose.step(model, data, 750)
    data.force[cube] = 0
    return model, data, cube


WEIGHT = 0.3 * 9.81  # N


def test_a_gripper_holds_a_cube_with_five_percent_more_than_the_least_friction(tmp_path):
    model, data, cube = robotiq(tmp_path, 1.0)
    repose.step(model, data, 100)
    held = data.contacts[(data.contacts["body"] == cube).any(axis=1)]
    pressed = sum(abs(c["impulse"] @ c["normal"]) for c in held) / model.dt  # N, both pads
    least = WEIGHT / pressed
    model, data, cube = robotiq(tmp_path, 1.05 * least)
    start = np.array(data.position[cube])
    repose.step(model, data, round(60 / model.dt))
    assert np.linalg.norm(data.position[cube] - start) <= 1e-9
    assert data.unsolved_steps == data.accepted_steps == 0

    model, data, cube = robotiq(tmp_path, 0.95 * least)
    height = data.position[cube][2]
    repose.step(model, data, round(0.1 / model.dt))
    assert height - data.position[cube][2] == pytest.approx(0.5 * 0.05 * 9.81 * 0.1**2, rel=0.1)
