# SPDX-License-Identifier: Apache-2.0
"""rollout(): many worlds in one call."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from repose import _core


class Rollout(NamedTuple):
    """What rollout() returns."""

    states: npt.NDArray[np.float64]  #: (nbatch, nstep, nstate): after each step; NaN from where a world broke down
    residual: npt.NDArray[np.float64]  #: (nbatch, nstep): max(r_c, nat) of each step
    broken: list[str]  #: (nbatch): why a world broke down; empty: it did not


def _per_world(models: list[_core.Model], parameters: Mapping[str, npt.ArrayLike], nbatch: int) -> list[_core.Model]:
    """One model per world, with its own dt, gravity, friction, restitution or masses."""
    made = models * nbatch if len(models) == 1 else models
    for key, values in parameters.items():
        array = np.asarray(values, dtype=np.float64)
        if key not in ("friction", "restitution", "mass", "gravity"):
            raise ValueError(f"parameters: expected friction, restitution, mass, gravity, got '{key}'")
        if array.shape[:1] != (nbatch,):
            raise ValueError(f"parameters: {key}: expected ({nbatch}, ...), got shape {array.shape}")
        made = [_changed(model, key, value) for model, value in zip(made, array)]
    return made


def _changed(model: _core.Model, key: str, value: Any) -> _core.Model:
    if key == "mass":
        if np.shape(value) != (model.nbody,):
            raise ValueError(f"parameters: mass: expected ({model.nbody},) with NaN for 'keep', got {np.shape(value)} per world")
        return model.replace(mass={b: float(m) for b, m in enumerate(value) if not np.isnan(m)})
    if key == "gravity":
        if np.shape(value) != (3,):
            raise ValueError(f"parameters: gravity: expected (3,), got {np.shape(value)} per world")
        return model.replace(gravity=tuple(map(float, value)))
    if np.ndim(value) != 0:
        raise ValueError(f"parameters: {key}: expected one number, got {np.shape(value)} per world")
    return model.replace(friction=float(value)) if key == "friction" else model.replace(restitution=float(value))


def _inputs(values: npt.ArrayLike | None, name: str, allowed: str) -> npt.NDArray[np.float64] | None:
    if values is None:
        return None
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 4:
        raise ValueError(f"{name}: expected {allowed}, got shape {array.shape}")
    return array


def _on_device(model: _core.Model, start: npt.NDArray[np.float64], nstep: int, forces: npt.NDArray[np.float64] | None,
               gravity: npt.ArrayLike | None, device: str, tol: float, nthread: int) -> Rollout:
    """rollout() by a BatchData."""
    count = len(start)
    batch = _core.BatchData(model, count, device, tol=tol, threads=nthread)
    rows = start.reshape(count, model.nbody, 13)
    moving = rows[:, batch.bodies]
    batch.position, batch.quaternion, batch.velocity, batch.angular_velocity = np.split(moving, (3, 7, 10), axis=2)
    if gravity is not None:
        batch.gravity = np.asarray(gravity, dtype=np.float64)
    states = np.empty((count, nstep, model.nbody, 13))
    residual = np.empty((count, nstep))
    for k in range(nstep):
        if forces is not None:
            now = forces[:, min(k, forces.shape[1] - 1)][:, batch.bodies]
            batch.force, batch.torque = now[..., :3], now[..., 3:]
        batch.step()
        states[:, k] = rows
        states[:, k, batch.bodies] = np.concatenate(
            [batch.copy(name) for name in ("position", "quaternion", "velocity", "angular_velocity")], axis=2)
        residual[:, k] = batch.copy("residual").max(axis=1)
        stopped = batch.running == 0
        states[stopped, k], residual[stopped, k] = np.nan, np.nan
    broken = ["" if ok else "the world has stopped" for ok in batch.running]
    return Rollout(states.reshape(count, nstep, -1), residual, broken)


def _refuse_for_device(device: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}: expected none with device='{device}', got one")


def rollout(model: _core.Model | Sequence[_core.Model], initial_states: npt.ArrayLike | None = None, *, nstep: int,
            forces: npt.ArrayLike | None = None, controls: npt.ArrayLike | None = None, parameters: Mapping[str, npt.ArrayLike] | None = None,
            nbatch: int | None = None, nthread: int | None = None, outer: str = "auto", inner: str = "auto",
            tol: float = 1e-8, accept: float | None = None, budget: float | None = None, max_outer: int | None = None,
            inner_iterations: int | None = None, gamma: float | None = None, safety: float | None = None,
            acceleration: int | None = None, stop: str | None = None,
            step_rule: str | None = None, power_products: int | None = None, test_every: int | None = None,
            answer: str | None = None, storage: str | None = None, device: str | None = None) -> Rollout:
    """Steps many worlds, each from its own state at t = 0, and returns all states.

    The bits are those of worlds stepped one by one, for any number of threads.

    Parameters
    ----------
    model : one for all worlds, or one per world (the same number of bodies).
    initial_states : (nbatch, nstate) or (nstate,), rows like data.state; None takes the models' own start.
    nstep : steps per world.
    forces : (nbatch or 1, nstep or 1, nbody, 6): force (N) and torque (N m) during each step, on dynamic bodies.
    controls : the same shape: velocity (m/s) and angular velocity (rad/s), world axes, of kinematic bodies during each
        step. They then start where initial_states says and follow these instead of the model's motions.
    parameters : per world: friction (nbatch,), restitution (nbatch,), mass (nbatch, nbody) kg with NaN for "keep",
        gravity (nbatch, 3) m/s².
    nbatch : number of worlds where nothing else tells it.
    nthread : worlds at the same time; None takes every core.
    outer, inner, tol, ... stop : options of the scheme; scheme_options() lists them.
    device : "cpu" or "cuda": all worlds as one BatchData with one model, forces, tol and, of the parameters, gravity.
    """
    models = [model] if isinstance(model, _core.Model) else list(model)
    if not models:
        raise ValueError("model: expected one, or one per world, got none")
    given = None if initial_states is None else np.atleast_2d(np.ascontiguousarray(initial_states, dtype=np.float64))
    drives = [np.shape(v)[0] for v in (forces, controls) if v is not None and np.ndim(v) == 4]
    sizes = {len(models), *(len(np.asarray(v)) for v in (parameters or {}).values()), nbatch or 1, *drives,
             1 if given is None else len(given)} - {1}
    if len(sizes) > 1:
        raise ValueError(f"nbatch: expected one number everywhere, got {' and '.join(map(str, sorted(sizes)))} worlds")
    count = sizes.pop() if sizes else 1
    if nstep < 0:
        raise ValueError(f"nstep: expected >= 0, got {nstep}")
    if device is None:
        models = _per_world(models, parameters or {}, count) if parameters else models
    if given is None:
        given = np.stack([_core.Data(m).state.copy() for m in models])
    if given.ndim != 2:
        raise ValueError(f"initial_states: expected (nbatch, nstate), got shape {given.shape}")
    start = np.ascontiguousarray(np.broadcast_to(given, (count, given.shape[1])))
    push, drive = (_inputs(values, name, f"({count} or 1, {nstep} or 1, {models[0].nbody}, 6)")
                   for values, name in ((forces, "forces"), (controls, "controls")))
    if device is not None:
        _refuse_for_device(device, controls=controls, accept=accept, budget=budget, max_outer=max_outer, gamma=gamma,
                           inner_iterations=inner_iterations, safety=safety, acceleration=acceleration, stop=stop,
                           step_rule=step_rule, power_products=power_products, test_every=test_every, answer=answer, storage=storage,
                           models=models[1:] or None, **{k: v for k, v in (parameters or {}).items() if k != "gravity"})
        return _on_device(models[0], start, nstep, push, (parameters or {}).get("gravity"), device, tol,
                          nthread or os.cpu_count() or 1)
    states = np.empty((count, nstep, start.shape[1]))
    residual = np.empty((count, nstep))
    broken = _core.rollout_into(models, start, push, drive, states, residual, nthread or os.cpu_count() or 1,
                                outer=outer, inner=inner, tol=tol, accept=accept, budget=budget,
                                max_outer=max_outer, inner_iterations=inner_iterations, gamma=gamma, safety=safety, acceleration=acceleration, stop=stop,
                                step_rule=step_rule, power_products=power_products, test_every=test_every, answer=answer, storage=storage)
    return Rollout(states, residual, broken)
