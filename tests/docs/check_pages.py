# SPDX-License-Identifier: Apache-2.0
"""Are the generated pages what their generators make of the stored numbers?   check_pages.py benchmarks|peers|paper

The generator is bench/pages.py. The pages of the peers and of the paper need numpy and matplotlib, those of .venv: without it exit
status 77 says that they were skipped. Pictures are not compared.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
NEEDED = {"benchmarks": "", "peers": "import numpy", "paper": "import matplotlib, numpy, scipy"}


def interpreter(group):
    """A Python that has what the group needs, or None."""
    for python in (sys.executable, str(ROOT / ".venv/bin/python")):
        if Path(python).exists() and subprocess.run([python, "-c", NEEDED[group]], capture_output=True).returncode == 0:
            return python
    return None


def main():
    group = sys.argv[1]
    python = interpreter(group)
    if not python:
        print(f"skipped: '{NEEDED[group]}' does not work here (make setup)")
        return SKIPPED
    return subprocess.run([python, "-B", str(ROOT / "bench/pages.py"), "--check", group], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
