# SPDX-License-Identifier: Apache-2.0
"""Looks for fused products and sums that the compiler made by itself: uncontracted.py OBJECT...

The host's copy of the batch kernels (host.cpp) has the bits of a device, which fuses nothing on its own. The kernels call
fma() where they want it; instructions that multiply and alternately add and subtract come from the vectoriser only.
Without objdump or on other processors the test is skipped: exit status 77.
"""
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def main():
    objects = [o for o in sys.argv[1:] if Path(o).name.startswith("host.cpp")]
    if len(objects) != 1:
        print(f"expected one object of host.cpp, got {len(objects)}")
        return 1
    objdump = shutil.which("objdump")
    if objdump is None or platform.machine() != "x86_64":
        print("no objdump, or not x86-64")
        return SKIPPED
    code = subprocess.run([objdump, "-d", "--no-show-raw-insn", objects[0]], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"\bv?fm(?:addsub|subadd)\w+", code)
    print(f"{len(found)} fused instructions of the vectoriser in {code.count(chr(10))} lines")
    return 1 if found or "ret" not in code else 0


if __name__ == "__main__":
    sys.exit(main())
