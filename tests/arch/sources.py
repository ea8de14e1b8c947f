# SPDX-License-Identifier: Apache-2.0
"""Which files of the repository are ours to check."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = (".h", ".cpp", ".cu", ".cuh")
SCRIPT = (".py", ".cmake")
SCRIPT_NAMES = ("CMakeLists.txt", "Makefile")
FOLDERS = ("repose", "scenes", "problems", "apps", "tests", "bench", "python", "cmake", "scripts", ".ci")
SKIPPED = ("third_party", "target", "results", "node_modules", "__pycache__", ".venvs")


def walk(root=ROOT, folders=FOLDERS):
    """All files below the given folders of `root`, sorted, generated and foreign folders left out."""
    for folder in folders:
        for at, below, names in os.walk(Path(root) / folder):
            below[:] = sorted(d for d in below if d not in SKIPPED and not d.startswith("build"))
            yield from (Path(at) / name for name in sorted(names))


def is_code(path):
    return path.suffix in CODE


def is_script(path):
    if path.suffix in SCRIPT or path.name in SCRIPT_NAMES:
        return True
    if path.suffix:
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"#!"
