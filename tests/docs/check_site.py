# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation's site and fails for a link that leads nowhere:  check_site.py PYTHON BUILD_FOLDER"""
import html.parser
import json
import os
import pathlib
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places |= {values[key] for key in ("id", "name") if values.get(key)}
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def dead_links(site):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # shown at any address
        by_doxygen = path.is_relative_to(site / "reference" / "cpp")  # whose scripts make places of their own
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link == "cpp/index.html":
                continue  # the last one is the C++ reference, which needs Doxygen
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            place = urllib.parse.unquote(parts.fragment)
            if not target.exists() or (place and target in pages and place not in pages[target].places
                                       and place != "__skip" and not by_doxygen):
                yield f"{path.relative_to(site)}: {link}"


def main(python, build):
    probe = subprocess.run([python, "-c", "import mkdocs, material, mkdocstrings"], capture_output=True, text=True)
    if probe.returncode:
        print("skipped: no mkdocs, mkdocs-material or mkdocstrings for", python)
        return 77
    site = pathlib.Path(build).resolve() / "site"
    settings = {"REPOSE_PYTHON_PATH": f"{build}/python", "NO_MKDOCS_2_WARNING": "1"}
    made = subprocess.run([python, "-m", "mkdocs", "build", "--clean", "--site-dir", site], cwd=ROOT, text=True,
                          capture_output=True, env={**os.environ, **settings})
    if made.returncode:
        print(made.stdout + made.stderr)
        return 1
    index = (ROOT / "docs/decisions/index.md").read_text(encoding="utf-8")
    decisions = sorted(path.name for path in (ROOT / "docs/decisions").glob("0*.md"))
    dead = [f"decisions/index.md: expected a row for {name}" for name in decisions if name not in index]
    dead += dead_links(site)
    found = {entry["location"] for entry in json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]}
    for place in ("limits/#what-is-not-unique", "python/#forces-one-can-quote"):
        if place not in found and place.replace("/#", ".html#") not in found:
            dead.append(f"search: expected to find {place}")
    print(*dead, f"{len(dead)} dead links", sep="\n")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
