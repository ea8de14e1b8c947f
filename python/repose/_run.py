# SPDX-License-Identifier: Apache-2.0
"""run(): a whole simulation and its summary."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Iterator

from repose import _core, scenes
from repose._load import load


class Run:
    """The summary that ``repose run --json`` prints, with keys as attributes: ``run.residual.r_c.max``.

    `data` is the state at the end, `to_dict()` the plain summary.
    """

    def __init__(self, values: dict[str, Any], data: _core.Data | None = None) -> None:
        self._values = values
        self.data = data

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__") or "_values" not in self.__dict__:
            raise AttributeError(key)
        try:
            value = self._values[key]
        except KeyError:
            raise AttributeError(f"expected {', '.join(self._values)}, got '{key}'") from None
        return Run(value) if isinstance(value, dict) else value

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain dictionaries, lists and numbers."""
        return self._values

    def __repr__(self) -> str:
        if "state_hash" not in self._values:
            return f"{self._values}"
        residual = self.residual
        accepted = f"{100 * residual.accepted_share:g} % accepted, " if residual.accepted_share > 0 else ""
        return (f"<repose.Run '{self.scene}': {self.steps} steps, {100 * residual.solved_share:g} % solved, {accepted}"
                f"r_c max {self.residual.r_c.max:.1e}>")


def model_of(what: _core.Model | str | os.PathLike[str], parameters: dict[str, Any]) -> _core.Model:
    """A model as it is, a file, or a built-in scene with parameters."""
    if not isinstance(what, _core.Model) and os.fspath(what).endswith(".urdf"):
        return load(what, **parameters)
    if isinstance(what, _core.Model) or os.fspath(what).endswith((".xml", ".json")):
        if parameters:
            raise TypeError(f"expected parameters with built-in scenes only, got {', '.join(parameters)} with a "
                            f"{'model' if isinstance(what, _core.Model) else 'file'}")
        return what if isinstance(what, _core.Model) else _core.Model.from_file(what)
    return scenes.make(os.fspath(what), **parameters)


def run(what: _core.Model | str | os.PathLike[str], *, time: float | None = None, steps: int | None = None,
        dt: float | None = None, gravity: tuple[float, float, float] | None = None, baumgarte: float | None = None,
        outer: str = "auto", inner: str = "auto", tol: float = 1e-8, accept: float | None = None, budget: float | None = None,
        max_outer: int | None = None, inner_iterations: int | None = None, gamma: float | None = None,
        safety: float | None = None, acceleration: int | None = None, stop: str | None = None,
        step_rule: str | None = None, power_products: int | None = None, test_every: int | None = None,
        answer: str | None = None, storage: str | None = None,
        threads: int = 1, warm_start: bool = True, record: str | os.PathLike[str] | None = None, compact: bool = False,
        **parameters: Any) -> Run:
    """Simulates and sums up, as ``repose run`` does.

    `what` is a built-in scene (with its parameters as keywords), a file (MJCF .xml, URDF .urdf
    with the keywords of load(), native or Rigid-IPC .json) or a Model.
    `time` in s or `steps`; neither takes the scene's own duration. `record` writes an HDF5 recording,
    `compact` a smaller one that takes longer to write. `dt`, `gravity` and `baumgarte` replace those of the
    scene. Options of the scheme (`outer` to `stop`): scheme_options().
    """
    if time is not None and steps is not None:
        raise TypeError("expected time or steps, got both")
    model = model_of(what, parameters)
    if dt is not None or gravity is not None or baumgarte is not None:
        model = model.replace(dt=dt, gravity=gravity, baumgarte=baumgarte)
    if steps is None:
        length = model.duration if time is None else time
        if not (math.isfinite(length) and 0 <= length <= 2e9 * model.dt):
            raise ValueError(f"time: expected 0 to 2e9 steps of {model.dt} s, got {length} s")
        steps = max(0, math.ceil(length / model.dt - 1e-6))
    data = _core.Data(model, outer=outer, inner=inner, tol=tol, accept=accept, budget=budget, max_outer=max_outer,
                      inner_iterations=inner_iterations, gamma=gamma, safety=safety, acceleration=acceleration, stop=stop,
                      step_rule=step_rule, power_products=power_products, test_every=test_every, answer=answer, storage=storage,
                      warm_start=warm_start, threads=threads)
    return Run(json.loads(_core.run_data(data, steps, os.fspath(record) if record is not None else "", compact)), data)
