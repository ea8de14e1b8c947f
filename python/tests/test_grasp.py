# SPDX-License-Identifier: Apache-2.0
"""Holding still: a gripper of two plates, a quadruped, a hand; bench/python/grasp.py compares them with MuJoCo."""
import os
import sys
from pathlib import Path

import numpy as np
import pytest

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
