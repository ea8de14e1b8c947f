# SPDX-License-Identifier: Apache-2.0
"""Are all C++ sources as clang-format leaves them?   check_format.py [--fix]

Version 14 only: others break lines elsewhere. Exit status 77 means skipped, because it is not installed.
"""
import re
import shutil
import subprocess
import sys

from sources import ROOT, is_code, walk

WANTED = 14


def find_tool():
    for name in (f"clang-format-{WANTED}", "clang-format"):
        tool = shutil.which(name)
        if tool:
            version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
            if re.search(rf"version {WANTED}\.", version):
                return tool
    return None


tool = find_tool()
if not tool:
    print(f"skipped: clang-format {WANTED} is not installed (Debian: clang-format-{WANTED})")
    sys.exit(77)
files = [str(path.relative_to(ROOT)) for path in walk() if is_code(path)]
if not files:
    sys.exit(0)
command = [tool, "--style=file"]
if "--fix" in sys.argv:
    sys.exit(subprocess.run([*command, "-i", *files], cwd=ROOT, check=False).returncode)
run = subprocess.run([*command, "--dry-run", "--Werror", *files], cwd=ROOT, capture_output=True, text=True, check=False)
if run.returncode:
    print("\n".join(re.findall(r"^\S+:\d+:\d+: error: .*", run.stderr, re.M)))
    print("run `make format`")
sys.exit(run.returncode)
