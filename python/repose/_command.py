# SPDX-License-Identifier: Apache-2.0
"""The command `repose` of an installed package: the program that lies in it."""
import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program, with the same arguments."""
    program = Path(__file__).parent / "bin" / "repose"
    if not program.exists():
        sys.exit("repose: program: expected it in this installation, got a package without it")
    os.execv(program, ["repose", *sys.argv[1:]])
