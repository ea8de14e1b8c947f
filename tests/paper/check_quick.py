# SPDX-License-Identifier: Apache-2.0
"""scripts/paper with tiny sizes: every item comes to an end, stays, and is written about.   check_quick.py PROGRAM PYTHON_FOLDER"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv/bin/python"
SKIPPED = 77


def command(*arguments):
    return [str(PYTHON), "-m", "paper", "--program", sys.argv[1], *map(str, arguments)]


def environment():
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'bench'}:{sys.argv[2]}", "PYTHONDONTWRITEBYTECODE": "1"}


def run(*arguments):
    return subprocess.run(command(*arguments), capture_output=True, text=True, env=environment())


def check(holds, *about):
    if not holds:
        print("paper:", *about)
        sys.exit(1)


def check_all_items(out):
    done = run("--quick", "--out", out)
    check(done.returncode == 0, done.stdout, done.stderr)
    check("FAILED" not in done.stdout, done.stdout)
    check(done.stderr == "", "warnings:", done.stderr)
    pages = {page.name: page.read_text() for page in out.glob("*.md")}
    check({"index.md", "scenes.md", "performance.md", "convergence.md", "best.md", "controls.md", "implicit.md", "stability.md",
           "differences.md"} == set(pages), sorted(pages))
    for name, text in pages.items():
        check("/tmp" not in text and str(ROOT) not in text, name, "names a local path")
        for picture in (part.split(")")[0] for part in text.split("](")[1:]):
            if picture.endswith(".png"):
                check((out / picture).stat().st_size > 1000, name, "shows", picture, "which is not there")


def check_resume(out):
    again = run("--quick", "--out", out)
    lines = [line for line in again.stdout.splitlines() if line.startswith("[")]
    check(len(lines) > 20 and all(line.endswith("kept") for line in lines), again.stdout)
    fresh = run("--quick", "--out", out, "--only", "fig-incline", "--fresh")
    check("kept" not in fresh.stdout and fresh.returncode == 0, fresh.stdout)
    before = (out / "scenes.md").read_text()
    (out / "scenes.md").unlink()
    check(run("--quick", "--out", out, "--pages").returncode == 0 and (out / "scenes.md").read_text() == before, "--pages")
    listed = run("--quick", "--out", out, "--list")
    check(all("finished" in line for line in listed.stdout.splitlines()), listed.stdout)


def check_mistakes(out):
    for arguments, named in ((("--only", "fig-nothing"), ", got 'fig-nothing'"), (("--quick",), "--quick: expected --out"),
                             (("--jobs", "0"), "--jobs: expected 1 or more, got 0")):
        refused = run(*arguments, *(["--out", out] if "--quick" not in arguments else []))
        check(refused.returncode == 2 and named in refused.stderr.splitlines()[-1], refused.stderr)


def check_interrupt(out):
    """What is finished stays; the rest is made by the next call."""
    process = subprocess.Popen(command("--quick", "--out", out), stdout=subprocess.PIPE, text=True, env=environment())
    process.stdout.readline()  # the first item is there
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    check(process.returncode == 130 and "goes on from here" in rest, process.returncode, rest)
    kept = list((out / "results").glob("*.json"))
    check(kept and all(json.loads(file.read_text())["data"] is not None for file in kept), kept)
    check(not list((out / "results").glob("*.waiting")), "a half of a result")
    check(not [f for f in (out / "cache").iterdir() if "." in f.name], "a half of a run")


JUDGEMENTS = """
import numpy as np
from paper import heap
from paper.differences import Claim, Part
yes, no = Part('yes', True), Part('no', False)
assert Claim('', '', (yes, yes)).verdict() == '**holds**' and Claim('', '', (no,)).verdict() == '**does not hold**'
assert Claim('', '', (yes, no)).verdict() == '**holds in part** (1 of 2), not: no'

def study(slope, scatter):
    cells = {f'{mu:g}': [{'degrees': slope * mu + scatter * s} for s in (-1, 1, 0)] for mu in (0, 0.25, 0.5, 1)}
    return heap.findings({'heaps': cells})
assert study(30, 1)['conclusive'] and abs(study(30, 1)['scatter'] - 1) < 1e-12
assert not study(30, 10)['conclusive'] and 'inconclusive' in heap.words(study(2, 1), 3)

cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
assert np.allclose(heap.upper_side(cube, np.array([0.5, 1.5]), np.array([0.5, 0.5])), [1, -np.inf])
line = np.arange(-heap.PLATE, heap.PLATE, 0.002)
radius = np.hypot(*np.meshgrid(line, line))
rings, mean = heap.profile(radius, 0.5 * (heap.PLATE - radius))
assert abs(np.polyfit(rings, mean, 1)[0] + 0.5) < 5e-3
"""


def check_judgements():
    """Verdicts and trends on numbers whose answer is known."""
    done = subprocess.run([str(PYTHON), "-c", JUDGEMENTS], capture_output=True, text=True, env=environment())
    check(done.returncode == 0, done.stderr)


def main():
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", "import matplotlib, numpy, scipy"], capture_output=True).returncode:
        print("skipped: .venv with matplotlib, numpy and scipy is not there (make setup)")
        return SKIPPED
    start = time.monotonic()
    check_judgements()
    with tempfile.TemporaryDirectory() as folder:
        check_all_items(Path(folder) / "all")
        check_resume(Path(folder) / "all")
        check_mistakes(Path(folder) / "bad")
        check_interrupt(Path(folder) / "stopped")
    print(f"paper: all items in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
