# SPDX-License-Identifier: Apache-2.0
"""The outer iteration of the paper in NumPy, in single or double precision, to show what rounding alone leaves."""
from __future__ import annotations

from typing import Any

import numpy as np

ACCEPT, SHRINK, SAFETY = 0.9, 0.7, 50.0


def project(x: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Nearest point of the friction cones; rows are (t1, t2, n). [paper eq:correction-proj]"""
    slip = np.sqrt(x[:, 0] ** 2 + x[:, 1] ** 2)
    inside, polar = slip <= mu * x[:, 2], mu * slip <= -x[:, 2]
    n = (x[:, 2] + mu * slip) / (1 + mu * mu)
    scale = np.where(slip > 0, mu * n / np.where(slip > 0, slip, 1), 0)
    foot = np.stack([scale * x[:, 0], scale * x[:, 1], n], axis=1)
    return np.where(inside[:, None], x, np.where(polar[:, None], 0, foot)).astype(x.dtype)


class Problem:
    """W, v_f and μ in one precision."""

    def __init__(self, W: np.ndarray, v_free: np.ndarray, mu: np.ndarray, dtype: type) -> None:
        self.W, self.v_free, self.mu = W.astype(dtype), v_free.astype(dtype), mu.astype(dtype)
        self.lambda_max = dtype(np.linalg.eigvalsh(W)[-1])

    def velocity(self, x: np.ndarray) -> np.ndarray:
        return (self.W @ x.reshape(-1)).reshape(-1, 3) + self.v_free

    def coupling(self, x: np.ndarray) -> np.ndarray:
        v = self.velocity(x)
        return (self.mu * np.sqrt(v[:, 0] ** 2 + v[:, 1] ** 2)).astype(x.dtype)

    def cone_qp(self, c: np.ndarray, shift: float, x: np.ndarray, iterations: int = 30) -> np.ndarray:
        """Accelerated projected gradients on ½ xᵀ(W + shift) x + cᵀx, restarted when they point back."""
        step = x.dtype.type(1 / (self.lambda_max + shift))
        y, t = x, 1.0
        for _ in range(iterations):
            gradient = (self.W @ y.reshape(-1)).reshape(-1, 3) + x.dtype.type(shift) * y + c
            new = project(y - step * gradient, self.mu)
            if np.sum((y - new) * (new - x)) > 0:
                t = 1.0
            after = (1 + np.sqrt(1 + 4 * t * t)) / 2
            y, x, t = (new + x.dtype.type((t - 1) / after) * (new - x)).astype(x.dtype), new, after
        return x


def r_c(exact: Problem, x: np.ndarray, scales: tuple[float, float]) -> float:
    """In double precision, whatever made x. [paper eq:split-residual]"""
    x = x.astype(np.float64)
    v = exact.velocity(x)
    v[:, 2] += exact.mu * np.hypot(v[:, 0], v[:, 1])
    dual = np.where(exact.mu > 0, 1 / np.maximum(exact.mu, 1e-300), 1e300)
    s_r, s_u = scales
    parts = (np.linalg.norm(x - project(x, exact.mu)) / s_r, np.linalg.norm(v - project(v, dual)) / s_u,
             abs(np.sum(v * x)) / (s_r * s_u))
    return float(max(parts))


def scales_of(exact: Problem, start: np.ndarray) -> tuple[float, float]:
    """[paper eq:scales]"""
    v = exact.velocity(start)
    v[:, 2] += exact.mu * np.hypot(v[:, 0], v[:, 1])
    free = np.linalg.norm(exact.v_free)
    return max(np.linalg.norm(start), free / exact.lambda_max, 1e-12), max(np.linalg.norm(v), free, 1e-12)


def iterate(problem: Problem, start: np.ndarray, outers: int) -> Any:
    """λ after every outer iteration. [paper alg:fbf, eq:rho]"""
    dtype = problem.W.dtype.type
    x = start.astype(dtype)
    gamma = dtype(SAFETY / (problem.mu.max() * problem.lambda_max))
    for _ in range(outers):
        g = problem.coupling(x)
        while True:
            c = (problem.v_free - x / gamma).astype(dtype)
            c[:, 2] += g
            bar = problem.cone_qp(c, 1 / gamma, x)
            change, moved = np.linalg.norm(problem.coupling(bar) - g), np.linalg.norm(bar - x)
            if not moved > 0 or gamma * change <= ACCEPT * moved or gamma * problem.lambda_max < 1e-3:
                break
            gamma *= dtype(SHRINK)
        corrected = bar.copy()
        corrected[:, 2] -= gamma * (problem.coupling(bar) - g)
        x = project(corrected, problem.mu)
        yield x


def floors(file: str, outers: int) -> dict[str, Any]:
    """Residuals along the iteration in both precisions, and that of the exact answer rounded to single precision."""
    import repose

    stored = repose.Problem.from_file(file)
    W = stored.W.toarray() if hasattr(stored.W, "toarray") else np.asarray(stored.W)
    exact = Problem(W, np.asarray(stored.v_free), np.asarray(stored.mu), np.float64)
    start = np.asarray(stored.guess) if stored.guess is not None else np.zeros_like(exact.v_free)
    if not np.any(start):
        start = np.zeros_like(exact.v_free)
    scales = scales_of(exact, start)
    answer = np.asarray(repose.solve(stored, tol=1e-12, start=start, history=False).impulse)
    marks = sorted({int(round(m)) for m in np.geomspace(1, outers, 60)})
    found: dict[str, Any] = {"contacts": len(exact.mu), "at": marks, "rounded": r_c(exact, answer.astype(np.float32), scales),
                             "estimate": float(np.finfo(np.float32).eps * np.sqrt(3 * len(exact.mu)))}
    for name, dtype in (("float32", np.float32), ("float64", np.float64)):
        problem = Problem(W, exact.v_free, exact.mu, dtype)
        wanted = set(marks)
        found[name] = [r_c(exact, x, scales) for k, x in enumerate(iterate(problem, start, outers), 1) if k in wanted]
    return found
