# SPDX-License-Identifier: Apache-2.0
"""sweep(): one run per combination of parameters, on processes or a cluster, kept on disk."""
from __future__ import annotations

import concurrent.futures as futures
import hashlib
import itertools
import json
import multiprocessing
import os
import sys
import time as clock
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from repose import _core
from repose._run import Run, model_of, run

Scene = str | Callable[..., _core.Model]
Measure = Callable[[Run], Any]


class Sweep:
    """Results in the order of the combinations: the last parameter varies fastest."""

    def __init__(self, shape: tuple[int, ...], parameters: list[dict[str, Any]], results: list[Any]) -> None:
        self.shape = shape  #: values per parameter
        self.parameters = parameters  #: one dictionary per run
        self.results = results  #: the summary of each run, or what `measure` made of it

    def __len__(self) -> int:
        return len(self.results)

    def array(self, pick: str | Callable[[Any], float]) -> npt.NDArray[np.float64]:
        """One number per run, in the shape of the sweep: ``array("residual.r_c.max")`` or a function of the result."""
        return np.array([self._value(r, pick) for r in self.results], dtype=np.float64).reshape(self.shape)

    @staticmethod
    def _value(result: Any, pick: str | Callable[[Any], float]) -> Any:
        if callable(pick):
            return pick(result)
        for key in pick.split("."):
            result = result[int(key) if isinstance(result, list) else key]
        return result


def _plain(value: Any) -> Any:
    """NumPy's scalars as Python's own, so that JSON and a hash can be made of them."""
    return value.item() if isinstance(value, np.generic) else value


def _job(scene: Scene, parameters: dict[str, Any], settings: dict[str, Any], measure: Measure | None) -> Any:
    """One run, in a worker."""
    model = model_of(scene, parameters) if isinstance(scene, str) else scene(**parameters)
    result = run(model, **settings)
    return result.to_dict() if measure is None else measure(result)


def _file(folder: Path, scene: Scene, parameters: dict[str, Any], settings: dict[str, Any], measure: Measure | None) -> Path:
    """Where a result is kept: a name from everything that it depends on."""
    names = [f if isinstance(f, str) else f"{f.__module__}.{f.__qualname__}" if f else None for f in (scene, measure)]
    text = json.dumps([_core.version, names, parameters, settings], sort_keys=True)
    return folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"


def _keep(file: Path, parameters: dict[str, Any], result: Any) -> None:
    """Complete or not at all: a sweep that is killed leaves no half of a result."""
    waiting = file.with_suffix(f".{os.getpid()}")
    waiting.write_text(json.dumps({"parameters": parameters, "result": result}))
    waiting.replace(file)


class _Progress:
    def __init__(self, total: int, wanted: bool) -> None:
        self.total, self.wanted, self.start = total, wanted and sys.stderr.isatty(), clock.monotonic()

    def show(self, done: int) -> None:
        if not self.wanted:
            return
        left = (clock.monotonic() - self.start) / max(done, 1) * (self.total - done)
        bar = "#" * (30 * done // max(self.total, 1))
        end = "\n" if done == self.total else ""
        sys.stderr.write(f"\r[{bar:<30}] {done}/{self.total} runs, {left:.0f} s left \x1b[K{end}")
        sys.stderr.flush()


def _processes() -> futures.Executor:
    # A fresh interpreter per worker: threads of this one must not be copied half way through something.
    return futures.ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))


def sweep(scene: Scene, values: Mapping[str, Iterable[Any]], *, executor: futures.Executor | None = None,
          folder: str | os.PathLike[str] | None = None, measure: Measure | None = None, retries: int = 3,
          progress: bool = True, time: float | None = None, steps: int | None = None, dt: float | None = None,
          outer: str = "auto", tol: float = 1e-8, **fixed: Any) -> Sweep:
    """Runs every combination of `values` and collects the summaries.

    Parameters
    ----------
    scene : a built-in scene's name, or a function (found by workers under its name) that takes the parameters and returns
        a Model.
    values : the values of each parameter.
    executor : any concurrent.futures executor, repose.ray.RayExecutor() for a Ray cluster; None starts local processes.
        A script that relies on None needs the usual ``if __name__ == "__main__":``.
    folder : keeps each finished result in a file; a sweep that is started again continues from them.
    measure : makes of a Run what is kept (JSON values); None keeps the whole summary.
    retries : how often the work of workers that died is started again without any result in between.
    time, steps, dt, outer, tol : as for run(); `fixed` are further parameters of the scene.
    """
    settings = {"time": time, "steps": steps, "dt": dt, "outer": outer, "tol": tol}
    lists = {key: [_plain(v) for v in column] for key, column in values.items()}
    combinations = [{**fixed, **dict(zip(lists, row))} for row in itertools.product(*lists.values())]
    results: list[Any] = [None] * len(combinations)
    files: list[Path | None] = [None] * len(combinations)
    waiting = set(range(len(combinations)))
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for k, parameters in enumerate(combinations):
            files[k] = file = _file(Path(folder), scene, parameters, settings, measure)
            if file.exists():
                results[k] = json.loads(file.read_text())["result"]
                waiting.discard(k)
    bar = _Progress(len(combinations), progress)

    def work(pool: futures.Executor) -> None:
        """Everything that waits; returns early when workers die."""
        try:
            jobs = {pool.submit(_job, scene, combinations[k], settings, measure): k for k in sorted(waiting)}
        except futures.BrokenExecutor:
            return
        for job in futures.as_completed(jobs):
            k = jobs[job]
            try:
                results[k] = job.result()
            except futures.BrokenExecutor:
                continue  # dead workers; the others' results still count
            except Exception as error:
                for other in jobs:
                    other.cancel()
                error.add_note(f"in the run with {combinations[k]}") if hasattr(error, "add_note") else None
                raise
            if (file := files[k]) is not None:
                _keep(file, combinations[k], results[k])
            waiting.discard(k)
            bar.show(len(combinations) - len(waiting))

    lost = 0
    bar.show(len(combinations) - len(waiting))
    while waiting:
        before = len(waiting)
        if executor is not None:
            work(executor)
        else:
            with _processes() as own:
                work(own)
        lost = 0 if len(waiting) < before else lost + 1
        if waiting and (lost > retries or executor is not None and lost > 0):
            raise RuntimeError(f"sweep: expected results of {len(waiting)} more runs, got workers that died {lost} times "
                               f"without one (the first run left: {combinations[min(waiting)]})")
    return Sweep(tuple(map(len, lists.values())), combinations, results)
