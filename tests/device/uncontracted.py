# SPDX-License-Identifier: Apache-2.0
"""Looks for fused products and sums that the compiler made by itself: uncontracted.py OBJECT...

Sources call fma() where they want it, and the compiler is told to fuse nothing on its own. Instructions that multiply and
alternately add and subtract come from GCC's vectoriser only, which makes them all the same.
Without objdump or on other processors the test is skipped: exit status 77.
"""
import platform
import re
import shutil
import subprocess
import sys

SKIPPED = 77
FUSED = re.compile(r"\bv?fm(?:addsub|subadd)\w+")


def main():
    objdump = shutil.which("objdump")
    if objdump is None or platform.machine() != "x86_64":
        print("no objdump, or not x86-64")
        return SKIPPED
    bad = lines = 0
    for path in sys.argv[1:]:
        code = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
        found = FUSED.findall(code)
        lines += code.count("\n")
        bad += len(found)
        if found:
            print(f"{path}: {len(found)} fused instructions of the vectoriser")
    print(f"{bad} in {lines} lines of {len(sys.argv) - 1} objects")
    return 1 if bad or lines == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
