# SPDX-License-Identifier: Apache-2.0
"""Where numbers come from. The program tells (`repose bench --provenance`), every file of numbers keeps it, every table in docs/
is stamped with it.

A stamp is one line below a table:
  <sub>Numbers: [NAME.json](...). Repose VERSION, commit HASH, DATE, COMPILER, PROCESSOR (CORES cores).</sub>
"""
import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench/results"
PROGRAM = ROOT / "build/bin/repose"
#: What a file of numbers says about its origin. "note" may follow.
FIELDS = ("version", "commit", "compiler", "flags", "processor", "cores", "system", "date")
#: The commit in a stamp: at least twelve digits, perhaps "-dirty".
COMMIT = re.compile(r"\bcommit ([0-9a-f]{12,40}(?:-dirty)?|unknown)\b")
SHOWN_DIGITS, SHOWN_FILES = 12, 8


def ask(program=PROGRAM):
    """What this build and this machine are. Without the program of the benchmarks all of it is unknown, and the tests refuse that."""
    try:
        done = subprocess.run([str(program), "bench", "--provenance"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return dict.fromkeys(FIELDS, "unknown")
    return json.loads(done.stdout)


def short_commit(commit):
    """0123456789ab, 0123456789ab-dirty, unknown."""
    return re.sub(r"^([0-9a-f]{%d})[0-9a-f]*" % SHOWN_DIGITS, r"\1", commit)


def words(origin):
    """Version, commit, date, compiler and machine, in one line."""
    text = (f"Repose {origin['version']}, commit {short_commit(origin['commit'])}, {origin['date']}, {origin['compiler']}, "
            f"{origin['processor']} ({origin['cores']} cores)")
    return text + (f"; {origin['note']}" if origin.get("note") else "")


def link(file, page):
    """A Markdown link from a page to a file of the repository."""
    return f"[{Path(file).name}]({os.path.relpath(file, Path(page).parent)})"


def stamp(origin, file, page):
    """The line below a table whose numbers are in `file`."""
    return f"<sub>Numbers: {link(file, page)}. {words(origin)}.</sub>\n"


def joint_stamp(origins, page):
    """The line below text that is made from several files: {file: provenance}."""
    made = {}
    for file, origin in origins.items():
        made.setdefault(short_commit(origin["commit"]), []).append(link(file, page))
    parts = [f"commit {commit} ({', '.join(files) if len(files) <= SHOWN_FILES else f'{len(files)} files'})" for commit, files in made.items()]
    return f"<sub>Computed from the numbers of {'; '.join(parts)}.</sub>\n"


def origin_of(document, name="a file of numbers"):
    """The provenance of a document, complete."""
    origin = document.get("provenance") or {}
    lacking = [field for field in FIELDS if origin.get(field) in (None, "")]
    if lacking:
        raise SystemExit(f"{name}: provenance: expected {', '.join(FIELDS)}, got none of {', '.join(lacking)}")
    return origin
