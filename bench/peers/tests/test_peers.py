# SPDX-License-Identifier: Apache-2.0
"""The run itself with what is always there, Repose and MuJoCo; pages from results; trouble in one line."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import page
import repose
from catalogue import BUDGET, PEERS
from peers import budget, parse

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent


def peers(*arguments, folder):
    """peers.py without any engine's own environment."""
    environment = os.environ | {"REPOSE_PEERS": str(folder / "none")}
    return subprocess.run([sys.executable, str(HERE / "peers.py"), *map(str, arguments)], capture_output=True, text=True,
                          cwd=folder, env=environment)


QUICK_SETTINGS = [x for label in ("auto", "impratio 100", "impratio 100, 4 substeps", "SAP", "default") for x in ("--setting", label)]


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    pytest.importorskip("mujoco")
    folder = tmp_path_factory.mktemp("peers")
    done = peers("--quick", "--scene", "incline-0.4", "--peer", "repose", "--peer", "mujoco", "--peer", "drake", "--peer", "jolt",
                 *QUICK_SETTINGS,
                 "--json", "found.json", "--record", "recordings", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder, json.loads((folder / "found.json").read_text()), done.stdout


def cell(document, peer, setting):
    return next(c for c in document["cells"] if c["peer"] == peer and c["setting"] == setting)


def test_a_cell_has_everything(quick):
    _, document, output = quick
    assert document["quick"] and document["provenance"]["processor"] and document["provenance"]["commit"]
    ours, theirs = cell(document, "repose", "auto"), cell(document, "mujoco", "impratio 100")
    assert abs(ours["closed_form"]["error"]) < 1e-9 and ours["law"]["r_c"]["max"] < 1e-8
    assert theirs["version"] == "4.0.0" and theirs["ended"] == "done" and theirs["steps"] == 30
    assert theirs["law"]["scored"] >= 2 and theirs["law"]["mismatch"]["max"] < 1e-9
    assert theirs["law"]["r_c"]["median"] > 1e-3  # it slides, and the law that MuJoCo solves is another one
    assert set(theirs["ms"]) == {"median", "mean", "p95", "first", "steps"}
    assert output.count("incline-0.4 ·") == len(document["cells"])


def test_an_engine_that_is_not_there_is_missing(quick):
    _, document, output = quick
    absent = cell(document, "drake", "SAP")
    assert absent["ended"] == "missing" and "not installed" in absent["why"]
    assert "moved" not in absent and "missing: not installed" in output
    assert cell(document, "jolt", "default")["why"].startswith(("not installed (jolt-physics 1.1.0 wanted)", "node is not installed"))


def test_impulses_of_the_last_of_four_steps_are_scored(quick):
    _, document, _ = quick
    law = cell(document, "mujoco", "impratio 100, 4 substeps")["law"]
    assert law["scored"] == law["steps"] > 0 and law["mismatch"]["max"] < 1e-9
    assert set(law["solved"]) == {"0.0001", "1e-06", "1e-08"}


def test_finished_cells_are_kept(quick):
    folder, document, _ = quick
    arguments = ["--quick", "--scene", "incline-0.4", "--peer", "mujoco", *QUICK_SETTINGS, "--json", "found.json"]
    again = peers(*arguments, folder=folder)
    assert again.stdout.count("kept") == 2
    assert json.loads((folder / "found.json").read_text())["cells"] == document["cells"]


def test_finished_cells_can_be_run_again(quick):
    folder, document, _ = quick
    arguments = ["--quick", "--scene", "incline-0.4", "--peer", "mujoco", "--setting", "impratio 100", "--again", "--json", "again.json"]
    (folder / "again.json").write_text(json.dumps(document))
    assert "kept" not in peers(*arguments, folder=folder).stdout
    assert len(json.loads((folder / "again.json").read_text())["cells"]) == len(document["cells"])


def test_a_trajectory_becomes_a_recording(quick):
    folder, document, _ = quick
    theirs = repose.Recording(folder / "recordings/incline-0.4-mujoco-impratio_100.h5")
    assert len(theirs) == 30 and json.loads(theirs.settings_json)["engine"] == "mujoco"
    numbers = theirs.to_numpy()
    touched = numbers["contacts"] > 0
    assert touched.any()
    largest = cell(document, "mujoco", "impratio 100")["law"]["r_c"]["max"]
    assert np.isclose(numbers["r_c"][touched], largest, rtol=1e-9, atol=0).any()  # two ways to the same residual
    ours = repose.Recording(folder / "recordings/incline-0.4-repose-auto.h5")
    assert ours.check()[1] and ours.to_numpy()["r_c"].max() < 1e-8
    ours.export(folder / "both.html", compare=theirs)
    assert (folder / "both.html").stat().st_size > 10_000


@pytest.mark.parametrize("arguments, said", [
    (["--peer", "nosuch"], "--peer: expected repose, mujoco"),
    (["--scene", "nosuch"], "--scene: expected incline-0.4"),
    (["--setting", "nosuch"], "--setting: expected a label of docs/peers/settings.md, got 'nosuch'"),
    (["--seconds", "0"], "--seconds: expected > 0, got 0.0"),
    (["--nosuch"], "--nosuch"),
])
def test_wrong_usage_is_one_line(arguments, said, tmp_path):
    done = peers(*arguments, folder=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and said in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_file_of_something_else_is_refused(tmp_path):
    file = tmp_path / "other.json"
    file.write_text('{"a": 1}')
    done = peers("--quick", "--peer", "repose", "--json", file, folder=tmp_path)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "got something else" in done.stderr
    assert file.read_text() == '{"a": 1}'


FIXTURE = {
    "repose_peers": 1, "quick": False, "machine": {"python": "3.11", "note": "a note"},
    "provenance": {"version": "0.1.0", "commit": "0123456789abcdef", "compiler": "g++", "flags": "-O3", "processor": "a processor",
                   "cores": 2, "system": "Linux", "date": "2026-01-01"},
    "cells": [
        {"scene": "cards-4", "peer": "mujoco", "setting": "impratio 1", "ended": "done", "moved": 9.5, "sink": 0.02, "creep": 0.09,
         "lift": 0.1, "gives_way": 4.3, "ms": {"median": 0.5, "p95": 0.6, "mean": 0.5, "first": None, "steps": 599}, "time": 10.0,
         "steps": 600, "steps_wanted": 600, "version": "4.0.0", "law": None, "commit": "f" * 40, "date": "2025-12-31"},
        {"scene": "cards-4", "peer": "mujoco", "setting": "impratio 10", "ended": "done", "moved": 0.02, "sink": 0.01, "creep": 4e-3,
         "lift": 0.0, "gives_way": None, "ms": {"median": 0.2, "p95": 0.3, "mean": 0.2, "first": None, "steps": 599}, "time": 10.0,
         "steps": 600, "steps_wanted": 600, "version": "4.0.0", "law": None},
        {"scene": "cards-4", "peer": "mujoco", "setting": "impratio 1000, stiff, 4 substeps", "ended": "done", "moved": 5e-4,
         "sink": 4e-4, "creep": 7e-7, "lift": 3e-4, "gives_way": None, "time": 10.0, "steps": 600, "steps_wanted": 600,
         "ms": {"median": 0.42, "p95": 0.5, "mean": 0.43, "first": None, "steps": 599}, "version": "4.0.0",
         "law": {"steps": 60, "scored": 60, "r_c": {"median": 1e-6, "max": 2e-6}, "nat": {"median": 4e-7, "max": 5e-7},
                 "solved": {"0.0001": 1.0, "1e-06": 0.25, "1e-08": 0.0}}},
        {"scene": "dominoes", "peer": "jolt", "setting": "default", "ended": "budget", "moved": 0.3, "sink": 0.1, "creep": 0.2, "lift": 0.1,
         "gives_way": None, "ms": {"median": 0.05, "p95": 0.07, "mean": 0.06, "first": None, "steps": 119}, "time": 2.0, "steps": 120,
         "steps_wanted": 240, "version": "1.1.0", "law": None, "overlap": 0.153, "rise": 3e-4, "lost": 134.0, "toppled": 12},
        {"scene": "cards-4", "peer": "mujoco", "setting": "impratio 100", "ended": "done", "moved": 0.0117, "creep": 3e-4, "lift": 0.0,
         "gives_way": None, "ms": {"median": 0.1853, "p95": 0.25, "first": None, "steps": 599}, "time": 10.0, "steps": 600,
         "steps_wanted": 600, "version": "4.0.0", "law": {"steps": 60, "scored": 59, "r_c": {"median": 2.7e-4, "max": 1e-3}}},
        {"scene": "cards-4", "peer": "repose", "setting": "auto", "ended": "done", "moved": 5e-13, "creep": 6e-13, "lift": 0.0,
         "gives_way": None, "ms": {"median": 0.03, "p95": 0.06, "first": None, "steps": 599}, "time": 10.0, "steps": 600,
         "steps_wanted": 600, "version": "0.1.0", "law": {"steps": 600, "scored": 600, "r_c": {"median": 7e-13, "max": 1e-11}}},
        {"scene": "cards-4", "peer": "kamino", "setting": "LLTB", "ended": "budget", "moved": 3e-5, "creep": 4e-6, "lift": 0.0,
         "gives_way": None, "ms": {"median": 77.0, "p95": 80.0, "first": None, "steps": 194}, "time": 3.25, "steps": 195,
         "steps_wanted": 600, "version": "1.7.0", "law": None},
        {"scene": "cards-4", "peer": "rapier", "setting": "default", "ended": "done", "moved": 6.2, "creep": 0.1, "lift": 0.1,
         "gives_way": 2.8, "ms": {"median": 0.05, "p95": 0.07, "first": None, "steps": 599}, "time": 10.0, "steps": 600,
         "steps_wanted": 600, "version": "0.36.1", "law": None},
        {"scene": "cards-4", "peer": "genesis", "setting": "signorini", "ended": "missing", "why": "not installed"},
        {"scene": "launched-cube", "peer": "repose", "setting": "relaxed", "ended": "done", "moved": 3.6, "creep": 0.0, "lift": 0.3,
         "gives_way": None, "ms": {"median": 0.006, "p95": 0.01, "first": None, "steps": 179}, "time": 3.0, "steps": 180,
         "steps_wanted": 180, "version": "0.1.0", "law": {"steps": 0, "scored": 0},
         "closed_form": {"reference": 3.62, "value": 3.6198, "unit": "m", "tilt": 1.0, "error": -2.2e-4}},
    ],
}


def test_tables_say_what_was_measured(tmp_path):
    file = tmp_path / "results.json"
    file.write_text(json.dumps(FIXTURE))
    done = subprocess.run([sys.executable, str(HERE / "page.py"), str(file), "--out", str(tmp_path / "page")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "page/index.md").read_text()
    assert "| MuJoCo | impratio 100 | stands | 11.7 mm | – | 300 µm/s | 0 | 3e-4 (59 of 60) | 1e-3 | – | – | 0.185 | 0.25 |" in text
    assert "| MuJoCo | best: impratio 1000, stiff, 4 substeps | stands | 500 µm | 400 µm |" in text
    assert "| 1e-6 | 2e-6 | 4e-7 | 25 % | 0.42 | 0.5 |" in text
    assert "| MuJoCo † | default: impratio 1 | gives way, 4.3 s | 9.5 m |" in text and "impratio 10 |" not in text
    assert "(†; the columns that are new since, sink and solved, show –): MuJoCo: commit ffffffffffff, 2025-12-31." in text
    assert "| Repose | auto | stands | 5e-13 m |" in text
    assert "| Kamino (Newton) | LLTB | stands (3.2 of 10 s) | 30 µm |" in text and "| not shown | – |" in text
    assert "| Rapier | default | gives way, 2.8 s | 6.2 m |" in text
    assert "| Genesis | signorini | missing: not installed |" in text
    assert "| Repose | relaxed | lifts | -220 µm |" in text
    assert "| Jolt | default | 12 fell (2 of 4 s) | 0.06 | 0.05 | 0.07 | 15.3 % | 0.03 % | not shown |" in text
    assert text.index("| Repose | auto") < text.index("| MuJoCo | impratio 100")  # the order of the catalogue
    for picture in re.findall(r"\]\((\w+\.png)\)", (tmp_path / "page/charts.md").read_text()):
        assert (tmp_path / "page" / picture).stat().st_size > 1000


def test_the_sweep_has_all_settings_and_the_best_in_bold():
    text = page.sweep(FIXTURE, "peers.json", "mujoco.md")
    assert "| **impratio 1000, stiff, 4 substeps** | stands | 500 µm |" in text and text.count("**") == 2
    assert "| impratio 10 | stands | 20 mm |" in text and "Jolt" not in text


def test_budgets_and_times_come_from_the_cells():
    cells = [c | {"seconds": 60 if c["peer"] == "kamino" or c["scene"] == "dominoes" else 15} for c in FIXTURE["cells"]]
    assert page.budget_words({"cells": cells}) == (
        "15 s of CPU time a cell (Kamino (Newton) on cards-4 60 s), 60 s of CPU time one of a moving scene")
    assert page.time_words(FIXTURE, ["cards-4"]) == "MuJoCo 6.2 to 14; Kamino (Newton) 2600 to 2600; Rapier 1.7 to 1.7"
    assert page.time_words(FIXTURE, ["dominoes"]) == "not known"


def test_where_we_lose_is_counted():
    moving = next(c for c in FIXTURE["cells"] if c["scene"] == "dominoes")
    ours = moving | {"peer": "repose", "setting": "auto", "overlap": 0.01, "ms": moving["ms"] | {"mean": 0.36}}
    slow = moving | {"setting": "4 substeps", "overlap": 0.001, "ms": moving["ms"] | {"mean": 0.5}}
    text = page.losses({"cells": [ours, slow, moving]})
    assert "as long as that of Jolt, each with its fastest setting: dominoes (2 of 4 s) 6." in text
    assert "Repose 1 %, Jolt 15 %" in text and page.losses(FIXTURE) == ""
    through = slow | {"ended": "done"}
    assert page.fastest([through, moving]) is through and page.fastest([slow, moving]) is moving


def test_a_longer_budget_where_it_is_needed():
    kamino = PEERS["kamino"]
    assert budget(kamino, "cards-10", parse([])) == BUDGET < budget(kamino, "cards-4", parse([]))
    assert budget(kamino, "cards-4", parse(["--seconds", "5"])) == 5 and budget(kamino, "cards-4", parse(["--quick"])) == 10


def test_the_front_page_says_what_is_missing():
    text = page.fill("a\n<!-- peers -->\nold\n<!-- end of peers -->\nz\n", FIXTURE, "peers.json", "README.md")
    assert text.startswith("a\n<!-- peers -->\n|") and text.endswith("<!-- end of peers -->\nz\n") and "old" not in text
    assert "not run" in text
    with pytest.raises(SystemExit):
        page.fill("no marks", FIXTURE, "peers.json", "README.md")


def test_quick_results_make_no_page(tmp_path):
    file = tmp_path / "results.json"
    file.write_text(json.dumps(FIXTURE | {"quick": True}))
    done = subprocess.run([sys.executable, str(HERE / "page.py"), str(file), "--out", str(tmp_path / "page")], capture_output=True, text=True)
    assert done.returncode == 1 and "quick" in done.stderr and not (tmp_path / "page").exists()


def test_every_setting_has_its_reason():
    text = (ROOT / "docs/peers/settings.md").read_text(encoding="utf-8")
    for peer in PEERS.values():
        assert f"## {peer.title}" in text, peer.title
        section = text.split(f"## {peer.title}\n")[1].split("\n## ")[0]
        for label in peer.all_settings():
            assert f"| {label} |" in section, (peer.title, label)


def test_kept_cells_of_an_earlier_run_are_named():
    assert page.origins(FIXTURE)["note"] == "some cells of commit ffffffffffff"
    new = FIXTURE | {"cells": [c for c in FIXTURE["cells"] if "commit" not in c]}
    assert page.origins(new) == FIXTURE["provenance"] and page.kept_words(new) == ""
