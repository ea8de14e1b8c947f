# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that docs/architecture.md does not allow.

The page holds a table after the line `<!-- include arrows -->`: a folder, and the folders it may include. Three rules:
  1. a quoted include is written from the repository root and follows an arrow of that table;
  2. a public header (repose/*/*.h, but not *_internal.h) shows no outside library to its users;
  3. a public header includes no *_internal.h.
Output is file:line, so that editors jump to it.   check_includes.py [ROOT]
"""
import re
import sys
from pathlib import Path

from sources import ROOT, is_code, walk

MARK = "<!-- include arrows -->"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
OUTSIDE = re.compile(r"^(Eigen|unsupported/Eigen|hdf5|H5\w*\.h|tbb|oneapi|fmt|boost|libqhull_r|libqhull|assimp|pugixml|png\.h|nlohmann|CLI|gtest|rapidcheck|benchmark)\b")


def read_arrows(page):
    """{folder: set of folders it may include} from the marked table of the page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    if MARK not in lines:
        raise SystemExit(f"{page}: no line {MARK!r}")
    arrows = {}
    for line in lines[lines.index(MARK) + 1:]:
        if not line.startswith("|"):
            if arrows:
                break
            continue
        cells = [re.findall(r"`([\w/]+)`", cell) for cell in line.strip().strip("|").split("|")]
        if len(cells) >= 2 and len(cells[0]) == 1:
            arrows[cells[0][0]] = set(cells[1])
    if not arrows:
        raise SystemExit(f"{page}: the table after {MARK!r} is empty")
    unknown = {to for allowed in arrows.values() for to in allowed} - arrows.keys()
    if unknown:
        raise SystemExit(f"{page}: arrows to folders without a row: {', '.join(sorted(unknown))}")
    return arrows


def folder_of(path, arrows):
    """repose/set/x.h -> repose/cone, problems/arch.h -> problems; of other folders, a subfolder with a row of its own."""
    parts = Path(path).parts
    two = "/".join(parts[:2])
    return two if parts[0] == "repose" or two in arrows else parts[0]


def is_public(path):
    return path.startswith("repose/") and path.endswith(".h") and not path.endswith("_internal.h")


def fault(path, bracket, target, arrows):
    """Why `path` may not include `target`, or None."""
    if is_public(path) and OUTSIDE.match(target):
        return f"public header shows {target} to its users (move the use to a .cpp or an *_internal.h)"
    if bracket == "<":
        return "our own headers are included with quotes" if target.startswith("repose/") else None
    if is_public(path) and target.endswith("_internal.h"):
        return f"public header includes {target}"
    here, there = folder_of(path, arrows), folder_of(target, arrows)
    if "/" not in target or target.startswith("."):
        return f'"{target}" is not written from the repository root'
    if there not in arrows:
        return f'"{target}": no folder {there} in the table (outside headers go in <>)'
    if here not in arrows:
        return f"no row for folder {here} in the table"
    if there != here and there not in arrows[here]:
        return f"arrow {here} -> {there} is not in the table"
    return None


def check(root):
    """List of 'file:line: fault' over the whole tree."""
    arrows = read_arrows(root / "docs" / "architecture.md")
    faults = []
    for file in walk(root):
        if not is_code(file):
            continue
        path = file.relative_to(root).as_posix()
        if path.startswith("tests/consumer/"):  # a foreign project, with its own rules
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            why = found and fault(path, found[1], found[2], arrows)
            if why:
                faults.append(f"{path}:{number}: {why}")
    return faults


if __name__ == "__main__":
    problems = check(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    print("\n".join(problems) or "all includes follow the arrows")
    sys.exit(bool(problems))
