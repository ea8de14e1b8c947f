# SPDX-License-Identifier: Apache-2.0
"""Python that the pages show runs as it stands."""
import re
from pathlib import Path

import numpy as np
import pytest

import repose

ROOT = Path(__file__).resolve().parents[2]


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)


def given(tmp_path):
    """What the pages take for granted."""
    model = repose.scenes.incline()
    data = repose.Data(model)
    repose.step(model, data)
    problem = data.contact_problem()
    problem.save(tmp_path / "problem.hdf5")
    start = np.tile(data.state, (3, 1))
    return {"repose": repose, "np": np, "model": model, "data": data, "W": problem.W, "v": problem.v_free,
            "initial_states": start, "forces": np.zeros((3, 100, model.nbody, 6)), "mu": np.array([0.1, 0.2, 0.3]),
            "masses": np.full((3, model.nbody), np.nan)}


@pytest.mark.parametrize("page, number", [(page, k) for page in ("README.md", "docs/python.md", "docs/certificate.md")
                                          for k in range(len(blocks(page)))])
def test_blocks_run(page, number, tmp_path, monkeypatch):
    names = given(tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(page)[number], f"{page} block {number}", "exec"), names)
    names.clear()  # a motion's function holds them, and they hold the model


def test_there_are_blocks():
    assert len(blocks("README.md")) >= 1 and len(blocks("docs/python.md")) >= 4


def test_the_tutorial_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks("docs/tutorial.md")):
        exec(compile(block, f"docs/tutorial.md block {number}", "exec"), names)
    out = capsys.readouterr().out
    assert out.startswith("solved ") and "True False" in out
    assert names["data"].contact_force[names["lintel"]][2] == pytest.approx(names["weight"], rel=1e-9)
    assert (tmp_path / "doorway.html").stat().st_size > 100_000
