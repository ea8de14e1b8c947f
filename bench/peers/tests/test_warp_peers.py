# SPDX-License-Identifier: Apache-2.0
"""bench/gpu/warp_peers.py needs a CUDA device and packages that tests do not have: does it parse, and are its scenes and robots
those of gpu-check?"""
import ast
import re
from pathlib import Path

GPU = Path(__file__).resolve().parents[2] / "gpu"


def constant(name):
    """A literal that the module binds to this name."""
    for node in ast.parse((GPU / "warp_peers.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == name:
            return ast.literal_eval(node.value)
    raise AssertionError(f"warp_peers.py has no {name}")


def source(function):
    """The body of a function of gpu_runs.cpp."""
    text = (GPU / "gpu_runs.cpp").read_text(encoding="utf-8")
    return re.search(rf"{function}\([^)]*\) {{\n(.*?)\n}}\n", text, re.DOTALL).group(1)


def test_scenes_are_those_of_gpu_check():
    names = re.findall(r'\{"([^"]+)", ', source("gpu_scenes"))
    assert "cube" in names and set(constant("OVERLAP")) <= set(names)
    assert not any(" " in name for name in constant("OVERLAP")), "gpu-check writes scenes of one word"


def test_robots_are_those_of_gpu_check():
    assert dict(re.findall(r'add\("([^"]+)", "([^"]+)"', source("gpu_robots"))) == constant("ROBOTS")


def test_engines_have_settings():
    tree = ast.parse((GPU / "warp_peers.py").read_text(encoding="utf-8"))
    engines = next(n.value for n in tree.body if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", None) == "ENGINES")
    assert {name for name, _ in constant("CASES")} == {key.value for key in engines.keys}
