# SPDX-License-Identifier: Apache-2.0
"""Plots show the numbers that they are made of."""
import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import repose  # noqa: E402
import repose.plot  # noqa: E402


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


@pytest.fixture(scope="module")
def slide(tmp_path_factory):
    file = tmp_path_factory.mktemp("plot") / "slide.h5"
    repose.run("incline", mu=0.1, time=0.5, record=file)
    return repose.Recording(file)


def test_residual_history(ax):
    model = repose.scenes.arch(stones=9)
    data = repose.Data(model)
    repose.step(model, data)
    solved = {outer: repose.solve(data.contact_problem(), outer) for outer in ("newton", "nsgs")}
    repose.plot.residual_history(solved, ax=ax)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["newton", "nsgs"]
    rows = solved["newton"].history
    assert np.array_equal(ax.lines[0].get_ydata(), np.maximum(rows["r_c"], rows["nat"]))


def test_energy_and_phases(ax, slide):
    repose.plot.energy(slide, ax=ax)
    assert np.array_equal(ax.lines[0].get_ydata(), slide.to_numpy()["energy"])
    repose.plot.phases(slide, ax=ax)
    assert ax.get_legend() is not None and ax.get_ylim()[1] >= 4


def test_forces(ax):
    model = repose.scenes.arch(stones=9)
    data = repose.Data(model)
    repose.step(model, data, n=3)
    repose.plot.forces(data, ax=ax)
    arrows = ax.collections[0]
    assert len(arrows.U) == len(data.contacts)
    assert np.asarray(arrows.U) == pytest.approx(data.contacts["impulse"][:, 0] / model.dt)
