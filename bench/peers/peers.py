# SPDX-License-Identifier: Apache-2.0
"""Repose beside other engines on the same scenes: what `repose bench peers` runs.

Each cell (scene, engine, setting) is a process of its own in the engine's own environment; it reads the description and
leaves a trajectory, which is measured and scored here, the same way for all. The document is written after every cell, and
a run that is started again keeps the finished ones.
"""
import argparse
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(HERE), str(HERE.parent)]
import provenance  # noqa: E402
from catalogue import BUDGET, MOVING_BUDGET, PEERS, budget as usual_budget, cells  # noqa: E402
from description import SCENES, describe  # noqa: E402

QUICK_SCENES = ("incline-0.4", "launched-cube", "cards-4")
FORMAT = 1
WAIT = 20  # wall clock for a CPU second before an engine is said to hang: machines may be busy
SICONOS = "siconos"  # takes contact problems instead of scenes


def environments():
    return Path(os.environ.get("REPOSE_PEERS") or HERE / ".venvs")


class Missing(Exception):
    """The engine is not here; the text says why."""


def project_python():
    own = ROOT / ".venv/bin/python"
    return str(own) if own.exists() else sys.executable


def has_pinned(python, requirements):
    """Are the versions that requirements.txt names installed there? None or the first that is not."""
    wanted = [line.split("==") for line in requirements.read_text().split() if "==" in line]
    code = ("import importlib.metadata as m, sys\n"
            "for name, version in zip(sys.argv[1::2], sys.argv[2::2]):\n"
            "    try: found = m.version(name)\n"
            "    except m.PackageNotFoundError: found = 'none'\n"
            "    if found != version: sys.exit(f'{name} {version} wanted, {found} found')\n")
    done = subprocess.run([python, "-c", code, *(x for pair in wanted for x in pair)], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip()


def command_of(peer):
    """How to start a peer's adapter. Throws Missing."""
    if peer.program or peer.script:
        return [sys.executable, str(HERE / peer.adapter), *(x for part in native_command(peer) for x in ("--program", part))]
    if not peer.environment:
        return [sys.executable, str(HERE / peer.adapter)]
    requirements, reason = HERE / peer.environment / "requirements.txt", None
    for python in (environments() / peer.environment / "bin/python", Path(project_python())):
        if python.exists():
            reason = has_pinned(str(python), requirements)
            if reason is None:
                return [str(python), str(HERE / peer.adapter)]
    raise Missing(f"not installed ({reason or 'no environment'}): repose bench peers --install --peer {peer.name}")


def native_command(peer):
    """Of an engine that is not called from Python. Throws Missing."""
    folder = environments() / peer.name
    if peer.program:
        found = folder / "release" / peer.program
        if not found.exists():
            raise Missing(f"not built: repose bench peers --install --peer {peer.name}")
        return [str(found)]
    wanted = json.loads((HERE / peer.name / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for package, version in wanted.items():
        file = folder / "node_modules" / package / "package.json"
        if not file.exists() or json.loads(file.read_text(encoding="utf-8"))["version"] != version:
            raise Missing(f"not installed ({package} {version} wanted): repose bench peers --install --peer {peer.name}")
    return [needed("node"), str(HERE / peer.name / peer.script), str(folder)]


def needed(tool):
    found = shutil.which(tool)
    if not found:
        raise Missing(f"{tool} is not installed")
    return found


def install(peer, say):
    """Makes the peer's environment; its own words on failure are kept short."""
    folder = environments() / (peer.environment or peer.name)
    say(f"installing {peer.title} into {folder}")
    make = build_program if peer.program else install_packages_of_node if peer.script else install_packages_of_python
    done = make(peer, folder)
    if done.returncode:
        raise Missing(f"could not be installed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")


def build_program(peer, folder):
    return subprocess.run([needed("cargo"), "build", "--release", "--quiet", "--manifest-path",
                           str(HERE / peer.name / "Cargo.toml"), "--target-dir", str(folder)], capture_output=True, text=True)


def install_packages_of_node(peer, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / peer.name / name, folder)
    return subprocess.run([needed("npm"), "ci", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True)


def install_packages_of_python(peer, folder):
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return subprocess.run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *["--no-deps"] * peer.bare, "-r",
                           str(HERE / peer.environment / "requirements.txt")], capture_output=True, text=True)


def machine():
    return {"python": platform.python_version(),
            "note": "virtual machine shared with other work; times are CPU time of the whole process, one thread asked for"}


class Document:
    """bench/results/peers.json: written whole after every cell."""

    def __init__(self, path, options):
        self.path, self.values = path, None
        if path.exists() and not options.fresh:
            try:
                self.values = json.loads(path.read_text(encoding="utf-8"))
                assert self.values["repose_peers"] == FORMAT and isinstance(self.values["cells"], list)
            except (ValueError, KeyError, AssertionError, TypeError):
                raise SystemExit(f"repose: {path}: expected results of repose bench peers (or --fresh), got something else")
            if self.values["quick"] != options.quick:
                raise SystemExit(f"repose: {path}: expected the same kind of run, another --json file, or --fresh, "
                                 f"got a {'quick' if self.values['quick'] else 'full'} run")
        self.values = self.values or {"repose_peers": FORMAT, "quick": options.quick, "cells": []}
        self.values |= {"machine": machine(), "provenance": provenance.ask()}

    def find(self, key):
        return next((c for c in self.values["cells"] if [c["scene"], c["peer"], c["setting"]] == list(key)), None)

    def put(self, cell):
        cell |= {key: self.values["provenance"][key] for key in ("commit", "date")}
        old = self.find((cell["scene"], cell["peer"], cell["setting"]))
        if old is None:
            self.values["cells"].append(cell)
        else:
            self.values["cells"][self.values["cells"].index(old)] = cell
        self.save()

    def save(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.values, indent=1) + "\n", encoding="utf-8")
        part.replace(self.path)


def last_json_line(text):
    for line in reversed(text.strip().splitlines()):
        try:
            return json.loads(line)
        except ValueError:
            continue
    return None


def budget(peer, scene_name, options):
    """CPU seconds of a cell: what was asked for, or what the catalogue has."""
    return options.seconds or (10.0 if options.quick else usual_budget(peer, scene_name))


def simulate(command, peer, setting, scene, scene_file, options, trajectory):
    """One process; its facts, or {"ended": "failed" | "missing" | "budget", "why"}."""
    seconds = budget(peer, scene["name"], options)
    steps = round(min(scene["duration"], options.time or scene["duration"]) / scene["dt"])
    every = 1 if options.record or sum(b.get("kind", "dynamic") == "dynamic" for b in scene["bodies"]) == 1 else 10
    arguments = [*command, str(scene_file), "--setting", json.dumps(setting), "--steps", str(steps),
                 "--seconds", str(seconds), "--every", str(every), "--out", str(trajectory)]
    limit = WAIT * (60 + seconds + peer.compile_seconds)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return {"ended": "failed", "why": f"no answer within {limit:.0f} s of wall clock"}
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    facts = last_json_line(out)
    if isinstance(facts, dict) and "ended" in facts:
        if facts["ended"] == "failed" and options.verbose:
            print(err, file=sys.stderr)
        return facts
    tail = (err.strip().splitlines() or ["no reason given"])[-1]
    return {"ended": "failed", "why": f"ended with status {process.returncode}: {tail}"}


def digest(scene):
    return hashlib.sha256(json.dumps(scene).encode()).hexdigest()[:16]


def still_good(cell, scene, options):
    """May a cell of an earlier run stand for this one?"""
    return (not options.again and cell is not None and cell["ended"] not in ("missing", "failed") and not options.record
            and cell["seconds"] >= budget(PEERS[cell["peer"]], cell["scene"], options) and cell["description"] == digest(scene))


def run_cell(key, scene, command, options, folder):
    import numpy
    from measure import measure, slides_until
    from score import score_run

    name, peer, label = key
    setting = PEERS[peer].all_settings()[label]
    scene_file, trajectory = folder / f"{name}.json", folder / f"{name}-{peer}.npz"
    scene_file.write_text(json.dumps(scene), encoding="utf-8")
    trajectory.unlink(missing_ok=True)
    facts = simulate(command, PEERS[peer], setting, scene, scene_file, options, trajectory)
    cell = {"scene": name, "peer": peer, "setting": label, "options": setting,
            "description": digest(scene), "seconds": budget(PEERS[peer], name, options), "load": os.getloadavg()[0]}
    if trajectory.exists():
        with numpy.load(trajectory) as file:
            arrays = dict(file)
        cell |= measure(scene, arrays, facts.get("substeps", 1))
        cell["law"] = score_run(scene, arrays, slides_until(scene), facts)
        if options.record:
            keep(options.record, key, scene, arrays)
    return cell | facts


def keep(folder, key, scene, arrays):
    """A recording of the cell, called after it. Our own is made by our own recorder."""
    import recording
    import repose

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / ("-".join(key).replace(" ", "_").replace(",", "") + ".h5")
    if key[1] == "repose":
        model = repose.Model.from_json(json.dumps(scene))
        repose.run(model, steps=len(arrays["position"]) - 1, record=file, **PEERS["repose"].all_settings()[key[2]])
    else:
        recording.write(file, scene, arrays, {"engine": key[1], "setting": key[2]})


def outcome(cell):
    if "overlap" in cell:
        return f"overlap {100 * cell['overlap']:.1f} %, energy rise {cell['rise']:.1e}"
    if "closed_form" in cell:
        return f"error {cell['closed_form']['error']:.2e} {cell['closed_form']['unit']}"
    return "stands" if cell["gives_way"] is None else f"gives way at {cell['gives_way']:.2f} s"


def line(cell):
    """What came out of a cell, for people who watch."""
    if cell["ended"] in ("missing", "failed"):
        return f"{cell['ended']}: {cell['why']}"
    law = (cell.get("law") or {}).get("r_c")
    parts = [outcome(cell), f"moved {cell['moved']:.2e} m", f"creep {cell['creep']:.1e} m/s", f"lift {cell['lift']:.1e} m",
             f"{cell['ms']['median']:.3g} ms (p95 {cell['ms']['p95']:.3g})"] + ([f"r_c {law['median']:.1e}"] if law else [])
    short = "" if cell["ended"] == "done" else f" [{cell['ended']} after {cell['steps']} of {cell['steps_wanted']} steps]"
    return ", ".join(parts) + short


def starts(chosen, options, say):
    """How to start each peer, or why it cannot be."""
    found = {}
    for peer in chosen:
        try:
            try:
                found[peer.name] = command_of(peer)
            except Missing:
                if not options.install:
                    raise
                install(peer, say)
                found[peer.name] = command_of(peer)
        except Missing as reason:
            found[peer.name] = str(reason)
    return found


def run_siconos(document, options, folder, say):
    import stored_problems

    old = None if options.again else document.values.get("siconos")
    if old and "why" not in old:
        say("siconos: kept")
        return
    origin = {key: document.values["provenance"][key] for key in ("commit", "date")}
    document.values["siconos"] = stored_problems.run(folder, 0.5, options.install, say) | origin
    document.save()
    say("siconos: " + (document.values["siconos"].get("why") or "done"))


def run(options, say):
    chosen, scenes = [PEERS[name] for name in options.peer if name != SICONOS], options.scene
    document = Document(options.json, options)
    start = starts(chosen, options, say)
    plan = list(cells(chosen, scenes, options.asked, options.setting))
    described = {name: describe(name) for name in scenes}
    with tempfile.TemporaryDirectory(prefix="repose-peers-") as folder:
        for number, key in enumerate(plan, 1):
            head = f"[{number}/{len(plan)}] {key[0]} · {PEERS[key[1]].title} · {key[2]}: "
            if still_good(document.find(key), described[key[0]], options):
                say(head + "kept")
                continue
            if isinstance(start[key[1]], str):
                cell = {"scene": key[0], "peer": key[1], "setting": key[2], "ended": "missing", "why": start[key[1]]}
            else:
                cell = run_cell(key, described[key[0]], start[key[1]], options, Path(folder))
            document.put(cell)
            say(head + line(cell))
        if SICONOS in options.peer and not options.quick:
            run_siconos(document, options, Path(folder), say)
    say(f"wrote {options.json}")


def choices(parser, flag, allowed, values):
    for value in values:
        if value not in allowed:
            parser.error(f"{flag}: expected {', '.join(allowed)}, got '{value}'")
    return values


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"repose: {message} (repose bench peers --help)", file=sys.stderr)
        sys.exit(2)


def parse(arguments):
    parser = Parser(prog="repose bench peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", action="append", metavar="NAME", help=f"engine, repeatable (all): {', '.join([*PEERS, SICONOS])}")
    parser.add_argument("--scene", action="append", metavar="NAME", help=f"scene, repeatable (all): {', '.join(SCENES)}")
    parser.add_argument("--setting", action="append", metavar="LABEL", default=[], help="only settings of this label, repeatable (all)")
    parser.add_argument("--quick", action="store_true", help="few scenes, half a second of each")
    parser.add_argument("--seconds", type=float, metavar="S", help=f"budget of every cell in CPU seconds, > 0 ({BUDGET:g}, "
                        f"moving scenes {MOVING_BUDGET:g}, more for some; --quick: 10)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="results (bench/results/peers.json; --quick: out/peers-quick.json)")
    parser.add_argument("--record", type=Path, metavar="DIR", help="also a recording of every cell, for repose view")
    parser.add_argument("--install", action="store_true", help="first make the environments that are missing (network)")
    parser.add_argument("--again", action="store_true", help="run the chosen cells again, finished or not, and keep the others")
    parser.add_argument("--fresh", action="store_true", help="forget the finished cells of an earlier run")
    parser.add_argument("--verbose", action="store_true", help="show what an engine prints when it fails")
    options = parser.parse_args(arguments)
    options.asked = bool(options.scene)
    options.peer = choices(parser, "--peer", [*PEERS, SICONOS], options.peer or [*PEERS, SICONOS])
    options.scene = choices(parser, "--scene", list(SCENES), options.scene or list(QUICK_SCENES if options.quick else SCENES))
    for label in options.setting:
        if not any(label in p.all_settings() for p in PEERS.values()):
            parser.error(f"--setting: expected a label of docs/peers/settings.md, got '{label}'")
    if options.seconds is not None and not 0 < options.seconds < 1e6:
        parser.error(f"--seconds: expected > 0, got {options.seconds}")
    options.time = 0.5 if options.quick else None
    options.json = options.json or Path("out/peers-quick.json" if options.quick else ROOT / "bench/results/peers.json")
    return options


def main():
    options = parse(sys.argv[1:])
    try:
        run(options, lambda text: print(text, flush=True))
    except KeyboardInterrupt:
        print(f"repose: interrupted; finished cells are in {options.json}", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
