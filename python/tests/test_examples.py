# SPDX-License-Identifier: Apache-2.0
"""The examples and the notebook run, and say what they claim."""
import importlib.util
import math
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / "python" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # sweeps find functions under their module's name
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def figure(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")
    yield tmp_path / "figure.png"
    assert (tmp_path / "figure.png").stat().st_size > 5000
    plt.close("all")


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_examples_are_short(file):
    assert len(file.read_text().splitlines()) < 60


def test_incline_threshold():
    assert load("incline_threshold").threshold(math.tan(0.4)) == pytest.approx(math.tan(0.4), abs=2e-6)


def test_arch_under_fire(figure, capsys):
    load("arch_under_fire").main(str(figure), time=0.5)
    assert "100 % solved" in capsys.readouterr().out


def test_angle_of_repose(figure, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "examples" / "python"), *sys.path])
    degrees = load("angle_of_repose").main(str(figure), count=8, time=0.5, seeds=1, folder=None)
    assert degrees.shape == (4, 1) and (degrees >= 0).all()


def test_convergence(figure, tmp_path):
    example = load("convergence")
    solutions = example.main(example.arch_problem(str(tmp_path)), str(figure))
    assert solutions["auto"].converged and solutions["newton"].converged and not solutions["nsgs"].converged


@pytest.mark.filterwarnings("ignore:step .* not solved:RuntimeWarning")
def test_exact_and_relaxed(figure):
    lift = load("exact_and_relaxed").main(str(figure))
    assert lift["exact"] < 1e-9 and lift["relaxed"] > 0.01


def test_tolerances(capsys):
    load("tolerances").main(seconds=0.2)
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()[2:]]
    assert len(rows) == 12 and all(float(row[2]) > 0 and float(row[3]) > 0 for row in rows)
    stops = [float(row[4].split()[1]) for row in rows[8:]]
    assert stops == sorted(stops, reverse=True) and stops[-1] < 1e-5  # mm


def test_the_notebook_runs_from_top_to_bottom(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(ROOT / "examples" / "python" / "tour.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 3
    frames = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert len(frames) == 1 and frames[0].startswith('<iframe title="Repose viewer" srcdoc=') and "repose-blocks-0" in frames[0]


def test_force_grip():
    grip = load("force_grip")
    assert grip.lift(40) == pytest.approx(0.2, abs=5e-3) and abs(grip.lift(5)) < 1e-3
