# SPDX-License-Identifier: Apache-2.0
"""Python and commands that the pages show run as they stand."""
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import repose

ROOT = Path(__file__).resolve().parents[2]


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)


MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ARM = f"""<robot name="arm"><link name="base">{MASS}</link><link name="rod">{MASS}</link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


PYTHON_PAGES = ("README.md", "docs/python.md", "docs/certificate.md", "docs/joints.md")
COMMAND_PAGES = ("README.md", "docs/certificate.md", "docs/cli.md", "docs/gpu.md", "docs/viewer.md", "docs/scenes/urdf.md")


def commands():
    """Every call of the program, without the viewer, which serves until it is closed."""
    for page in COMMAND_PAGES:
        for block in re.findall(r"```sh\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S):
            for line in block.splitlines():
                words = shlex.split(line, comments=True)
                if words and words[0].endswith("repose") and words[1] != "view" and "robot.xml" not in words:
                    yield words[1:]


def given(tmp_path):
    """What the pages take for granted."""
    model = repose.scenes.incline()
    data = repose.Data(model)
    repose.step(model, data)
    problem = data.contact_problem()
    for name in ("problem.hdf5", "heap.hdf5"):
        problem.save(tmp_path / name)
    start = np.tile(data.state, (3, 1))
    return {"repose": repose, "np": np, "model": model, "data": data, "W": problem.W, "v": problem.v_free,
            "initial_states": start, "forces": np.zeros((3, 100, model.nbody, 6)), "mu": np.array([0.1, 0.2, 0.3]),
            "masses": np.full((3, model.nbody), np.nan)}


@pytest.mark.parametrize("page, number", [(page, k) for page in PYTHON_PAGES
                                          for k in range(len(blocks(page)))])
def test_blocks_run(page, number, tmp_path, monkeypatch):
    names = given(tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(page)[number], f"{page} block {number}", "exec"), names)
    names.clear()  # a motion's function holds them, and they hold the model


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_commands_run(words, program, tmp_path, monkeypatch):
    if words[0] == "render" and not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        pytest.skip("no browser")
    monkeypatch.chdir(tmp_path)
    given(tmp_path)
    Path("arm.urdf").write_text(ARM, encoding="utf-8")
    if words[0] in ("check", "export", "render"):
        repose.run("arch", time=5.5 if "310" in words else 0.2, record="arch.h5")
    if words[0] == "score":
        subprocess.run([program, "solve", "problem.hdf5", "--solution", words[1], "--quiet"], check=True)
    done = subprocess.run([program, *words], capture_output=True, timeout=300, text=True)
    if "cuda" in words and done.returncode == 1:  # no device here
        assert done.stderr.splitlines()[-1].startswith("repose: device: expected "), done.stderr
        return
    assert done.returncode == 0, done.stderr


def words_of(line):
    """What a line says, without its numbers."""
    return re.sub(r"state \w+|[-+]?\d[\d.]*(e[-+]?\d+)?", "", line).split()


def test_the_program_says_what_the_page_shows(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *shown = part.splitlines()
            done = subprocess.run(f"{program} {command.removeprefix('repose')}", shell=True, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
            said = [words_of(line) for line in done.stdout.splitlines() + done.stderr.splitlines()]
            for line in shown:
                assert not line.strip() or line == "..." or words_of(line) in said, f"{command}: {line}"


def test_a_package_path_may_be_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(ARM, encoding="utf-8")
    for block in blocks("docs/scenes/urdf.md"):
        exec(compile(block, "docs/scenes/urdf.md", "exec"), {"repose": repose})


# What runs the blocks of the pages. Decisions are records of what was done once, with the commands of then.
RUN_BY = {"python": {*PYTHON_PAGES, "docs/tutorial.md", "docs/scenes/urdf.md"},
          "sh": {*COMMAND_PAGES},
          "cpp": {page for page in (str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))},  # cpp_blocks.py
          "json": {"docs/scenes/native.md"},  # tests/scene/docs_test.cpp
          "cmake": {"docs/cpp.md"},  # tests/consumer
          "console": {"docs/cli.md"},  # below
          "": None}  # text, no code


def test_every_block_is_run_by_a_test():
    pages = [ROOT / "README.md", *(path for path in (ROOT / "docs").rglob("*.md") if "decisions" not in path.parts)]
    for path in pages:
        page = str(path.relative_to(ROOT))
        fences = re.findall(r"^```(.*)$", path.read_text(encoding="utf-8"), re.M)
        for language in fences[::2]:
            assert language in RUN_BY, f"{page}: {language}"
            assert RUN_BY[language] is None or page in RUN_BY[language], f"{page}: {language}"
    assert len(blocks("README.md")) >= 1 and len(blocks("docs/python.md")) >= 4


def test_the_tutorial_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks("docs/tutorial.md")):
        exec(compile(block, f"docs/tutorial.md block {number}", "exec"), names)
    out = capsys.readouterr().out
    assert out.startswith("solved ") and "True False" in out
    assert names["data"].contact_force(names["lintel"])[2] == pytest.approx(names["weight"], rel=1e-9)
    assert (tmp_path / "doorway.html").stat().st_size > 100_000
