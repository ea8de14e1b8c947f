# SPDX-License-Identifier: Apache-2.0
"""Runs the program `repose` and keeps what it wrote, so that no run is made twice."""
from __future__ import annotations

import concurrent.futures as futures
import functools
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class ProgramError(RuntimeError):
    """The program refused; the message is its own line."""


@dataclass(frozen=True)
class Run:
    """`repose run` with these settings. What is asked for besides the summary costs disk space, so it is asked for."""

    scene: str
    parameters: tuple[tuple[str, Any], ...] = ()
    options: tuple[str, ...] = ()
    record: bool = False
    dump_every: int = 0

    @staticmethod
    def of(scene: str, options: str = "", *, record: bool = False, dump_every: int = 0, **parameters: Any) -> Run:
        return Run(scene, tuple(sorted(parameters.items())), tuple(options.split()), record, dump_every)

    def arguments(self) -> list[str]:
        sets = [part for key, value in self.parameters for part in ("--set", f"{key}={_text(value)}")]
        return ["run", self.scene, *sets, *self.options]

    def command(self) -> str:
        return "repose " + " ".join(self.arguments())


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass
class Finished:
    """What a run left behind."""

    folder: Path
    _steps: list[dict[str, Any]] = field(default_factory=list)

    @property
    def summary(self) -> dict[str, Any]:
        return json.loads((self.folder / "run.json").read_text())

    @property
    def steps(self) -> list[dict[str, Any]]:
        """One record per step, from --log."""
        if not self._steps:
            self._steps = [json.loads(line) for line in (self.folder / "steps.jsonl").read_text().splitlines()]
        return self._steps

    @property
    def recording(self) -> Path:
        return self.folder / "run.h5"

    @property
    def problems(self) -> list[Path]:
        return sorted((self.folder / "problems").glob("*.hdf5"))


class Program:
    def __init__(self, path: Path, cache: Path, jobs: int = 2, fresh: bool = False) -> None:
        self.path, self.cache, self.jobs, self.fresh = path, cache, jobs, fresh
        self._made: set[str] = set()

    @functools.cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]

    # ---- whole runs ----

    def run(self, wanted: Run) -> Finished:
        return self.runs([wanted])[0]

    def runs(self, wanted: Iterable[Run]) -> list[Finished]:
        """Several at a time; their order is kept. Times in the summaries are CPU times and bear company."""
        wanted = list(wanted)
        unique = list(dict.fromkeys(wanted))
        with futures.ThreadPoolExecutor(self.jobs) as pool:
            try:
                done = dict(zip(unique, pool.map(self._finished, unique)))
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return [done[one] for one in wanted]

    def _finished(self, wanted: Run) -> Finished:
        return Finished(self._kept(repr(wanted), lambda folder: self._make(wanted, folder)))

    def _make(self, wanted: Run, folder: Path) -> None:
        extra = ["--json", folder / "run.json", "--log", folder / "steps.jsonl", "--quiet"]
        if wanted.record:
            extra += ["--record", folder / "run.h5"]
        if wanted.dump_every:
            extra += ["--dump-problems", folder / "problems", "--dump-every", str(wanted.dump_every)]
        self._call([*wanted.arguments(), *extra], allowed=(0, 4))  # 4: the numbers broke down, which is a result

    # ---- stored problems ----

    def generate(self, kind: str, steps: int, **parameters: Any) -> list[Path]:
        """Problems of a built-in sequence, each with the impulses of the step before as its guess."""
        sets = [part for key, value in parameters.items() for part in ("--set", f"{key}={_text(value)}")]
        arguments = ["generate", kind, *sets, "--steps", str(steps), "--quiet"]
        folder = self._kept(repr(arguments), lambda to: self._call([*arguments, "--out", to]))
        return sorted(folder.glob("*.hdf5"))

    def solve(self, files: Sequence[Path], options: str) -> list[dict[str, Any]]:
        """Records of `repose solve`."""
        key = repr(([str(f.relative_to(self.cache)) for f in files], options))

        def make(folder: Path) -> None:
            self._call(["solve", *files, *options.split(), "--json", folder / "solved.json", "--quiet"], allowed=(0, 4))

        return json.loads((self._kept(key, make) / "solved.json").read_text())

    def solves(self, jobs: Sequence[tuple[Sequence[Path], str]]) -> list[list[dict[str, Any]]]:
        with futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(lambda job: self.solve(*job), jobs))

    def render(self, recordings: Sequence[Path], out: Path, options: str) -> None:
        self._call(["render", *recordings, "--out", out, *options.split(), "--quiet"])

    def record_start(self, scene: Path, recording: Path) -> None:
        """The first state of a scene file."""
        self._call(["run", scene, "--steps", "0", "--record", recording, "--quiet"])

    # ---- machinery ----

    def _kept(self, key: str, make: Any) -> Path:
        """A folder that `make` has filled completely, now or in an earlier call of this program."""
        name = hashlib.sha256(f"{self.digest} {key}".encode()).hexdigest()[:24]
        folder = self.cache / name
        if folder.exists() and (not self.fresh or name in self._made):
            return folder
        waiting = self.cache / f"{name}.{os.getpid()}"
        shutil.rmtree(waiting, ignore_errors=True)
        waiting.mkdir(parents=True)
        try:
            make(waiting)
            shutil.rmtree(folder, ignore_errors=True)
            waiting.rename(folder)
        finally:
            shutil.rmtree(waiting, ignore_errors=True)
        self._made.add(name)
        return folder

    def _call(self, arguments: Sequence[Any], allowed: tuple[int, ...] = (0,)) -> None:
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode == 130:
            raise KeyboardInterrupt
        if done.returncode not in allowed:
            raise ProgramError((done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1])
