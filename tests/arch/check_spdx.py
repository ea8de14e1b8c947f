# SPDX-License-Identifier: Apache-2.0
"""Every source file and script names its licence within its first three lines."""
import sys

from sources import ROOT, is_code, is_script, walk

LINE = "SPDX-License-Identifier: Apache-2.0"


def lacks_line(path):
    with open(path, encoding="utf-8") as file:
        return not any(LINE in file.readline() for _ in range(3))


own = [ROOT / "CMakeLists.txt", ROOT / "Makefile", *walk()]
bad = [path for path in own if (is_code(path) or is_script(path)) and lacks_line(path)]
for path in bad:
    print(f"{path.relative_to(ROOT)}:1: lacks the line '{LINE}'")
sys.exit(bool(bad))
