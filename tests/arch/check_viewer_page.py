# SPDX-License-Identifier: Apache-2.0
"""Is the viewer's page that is checked in the one of its sources?   check_viewer_page.py [--write]

apps/viewer_page/page.sha256 holds the checksums of the page and of everything it was built from, one line each.
"""
import hashlib
import sys

from sources import ROOT

FOLDER = ROOT / "apps/viewer_page"
SUMS = FOLDER / "page.sha256"


def inputs():
    named = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "page.html.gz")
    return sorted([FOLDER / name for name in named] + [path for path in (FOLDER / "src").rglob("*") if path.is_file()])


def sums():
    return {path.relative_to(FOLDER).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in inputs()}


def stored():
    lines = (line.split("  ", 1) for line in SUMS.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in lines}


found = sums()
if "--write" in sys.argv:
    SUMS.write_text("".join(f"{digest}  {name}\n" for name, digest in found.items()), encoding="utf-8")
    sys.exit(0)
noted = stored()
changed = sorted(name for name in found.keys() | noted.keys() if found.get(name) != noted.get(name))
for name in changed:
    print(f"apps/viewer_page/{name}: changed since page.html.gz was built")
if changed:
    print("run `make viewer` and commit page.html.gz and page.sha256")
sys.exit(bool(changed))
