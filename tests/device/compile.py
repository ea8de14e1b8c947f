# SPDX-License-Identifier: Apache-2.0
"""Compiles a CUDA source for one architecture: compile.py SOURCE ARCHITECTURE HOST_COMPILER OBJECT

nvcc is looked for on PATH, in CUDA_HOME and in the repository's virtual environments (scripts/setup device). Without it
the test is skipped: exit status 77.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


def find_nvcc():
    candidates = [shutil.which("nvcc")]
    if os.environ.get("CUDA_HOME"):
        candidates.append(Path(os.environ["CUDA_HOME"]) / "bin" / "nvcc")
    candidates += sorted(ROOT.glob(".venv*/lib/python*/site-packages/nvidia/*/bin/nvcc"))
    return next((str(c) for c in candidates if c and os.access(c, os.X_OK)), None)


def main():
    source, architecture, host_compiler, target = sys.argv[1:]
    nvcc = find_nvcc()
    if nvcc is None:
        print(f"{Path(source).name} for {architecture}: no nvcc on PATH, in CUDA_HOME or in .venv*: see scripts/setup device")
        return SKIPPED
    # Without optimisation of the machine code: whether it compiles does not depend on it, the time taken does.
    command = [nvcc, "-std=c++20", f"-arch={architecture}", "-Xptxas", "-O0", "-Werror", "all-warnings",
               "-ccbin", host_compiler, f"-I{ROOT}", "-c", source, "-o", target]
    return 1 if subprocess.run(command).returncode else 0


if __name__ == "__main__":
    sys.exit(main())
