# SPDX-License-Identifier: Apache-2.0
"""Where do the numbers come from?   check_stamps.py [ROOT]

  1. Every file of numbers in bench/results says with which version, commit, compiler and flags it was measured, on which machine.
  2. Every commit that a file or a stamp in docs/ names is an ancestor of HEAD; "-dirty" and "unknown" are not.
  3. Every generated table has a stamp below it.
Exit status 77 means that the second rule was skipped: there is no Git history here (an archive, a shallow clone).
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
sys.dont_write_bytecode = True
from provenance import COMMIT, FIELDS  # noqa: E402

SKIPPED = 77
#: Parts of a page that a generator fills: from a mark to its end.
GENERATED = re.compile(r"<!-- (table: \w+ \d+|results|peers) -->\n(.*?)<!-- end of (?:table|results|peers) -->", re.DOTALL)


def git(root, *arguments):
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)


def has_history(root):
    inside = git(root, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository")
    return inside.stdout.split() == ["true", "false"] and git(root, "rev-parse", "--verify", "HEAD").returncode == 0


def pages(root):
    return sorted([*root.glob("docs/**/*.md"), *root.glob("README.md")])


def stated_commits(root):
    """(where, commit) of every file of numbers and every stamp."""
    for file in sorted(root.glob("bench/results/**/*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        yield file.relative_to(root), (document.get("provenance") or {}).get("commit", "unknown")
    for page in pages(root):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("<sub>"):
                yield from ((f"{page.relative_to(root)}:{number}", commit) for commit in COMMIT.findall(line))


def incomplete(root):
    """Files of numbers that lack a part of their provenance."""
    for file in sorted(root.glob("bench/results/**/*.json")):
        origin = json.loads(file.read_text(encoding="utf-8")).get("provenance") or {}
        lacking = [field for field in FIELDS if origin.get(field) in (None, "")]
        if lacking:
            yield f"{file.relative_to(root)}: provenance: expected {', '.join(FIELDS)}, got none of {', '.join(lacking)}"


def unstamped(root):
    """Generated tables without a stamp."""
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        for found in GENERATED.finditer(text):
            if not COMMIT.search(found[2]):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{page.relative_to(root)}:{line}: {found[1]}: expected a stamp with a commit, got none"


def foreign(root):
    """Commits that are not in the history of HEAD."""
    known = {}
    for where, commit in stated_commits(root):
        if commit not in known:
            named = re.fullmatch(r"[0-9a-f]+", commit)
            known[commit] = bool(named) and git(root, "merge-base", "--is-ancestor", commit, "HEAD").returncode == 0
        if not known[commit]:
            yield f"{where}: commit: expected one of the history, got {commit}"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    history = has_history(root)
    faults = [*incomplete(root), *unstamped(root), *(foreign(root) if history else ())]
    print("\n".join(faults) or f"{len({str(where) for where, _ in stated_commits(root)})} places name their commit")
    if faults:
        return 1
    if not history:
        print("skipped: no Git history here, so that commits cannot be looked up")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
