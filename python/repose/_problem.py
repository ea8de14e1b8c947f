# SPDX-License-Identifier: Apache-2.0
"""Contact problems from matrices, and solve()."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from repose import _core


def _rows(values: npt.ArrayLike, field: str) -> npt.NDArray[np.float64]:
    """(3n,) or (n, 3) as (n, 3)."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim == 1 and array.size % 3 == 0:
        array = array.reshape(-1, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{field}: found shape {np.shape(values)}, allowed (n, 3) or (3 n,)")
    return array


def _blocks(W: Any, n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """W, dense or any SciPy sparse format, as block rows of 3x3."""
    if W.shape != (3 * n, 3 * n):
        raise ValueError(f"W: found shape {W.shape}, allowed ({3 * n}, {3 * n})")
    if hasattr(W, "tobsr"):
        B = W.tobsr(blocksize=(3, 3))
        return B.indptr.astype(np.int64), B.indices.astype(np.int64), np.ascontiguousarray(B.data, dtype=np.float64)
    full = np.asarray(W, dtype=np.float64).reshape(n, 3, n, 3).transpose(0, 2, 1, 3)
    rows, columns = np.nonzero((full != 0).any(axis=(2, 3)))  # NaN counts as a value: it is refused later
    return (np.searchsorted(rows, np.arange(n + 1)).astype(np.int64), columns.astype(np.int64),
            np.ascontiguousarray(full[rows, columns]))


def problem(*, W: Any = None, J: Any = None, inverse_mass: Any = None, v_free: npt.ArrayLike,
            mu: npt.ArrayLike) -> _core.Problem:
    """A contact problem from matrices: either W, or J and the inverse mass matrix (W = J M⁻¹ Jᵀ is formed).

    Parameters
    ----------
    W : (3n, 3n) NumPy array or SciPy sparse matrix, 1/kg. Rows of each contact are ordered (t1, t2, n).
    J : (3n, d) and inverse_mass : (d, d), the same kinds; d is the number of velocity components.
    v_free : (n, 3) or (3n,), m/s: contact velocity without impulses.
    mu : (n,) or one number.
    """
    free = _rows(v_free, "v_free")
    if (W is None) == (J is None) or (J is None) != (inverse_mass is None):
        raise TypeError("problem: allowed either W, or J and inverse_mass")
    if W is None:
        if J.shape[1:] != inverse_mass.shape[:1] or inverse_mass.shape[0] != inverse_mass.shape[1]:
            raise ValueError(f"J, inverse_mass: found shapes {J.shape} and {inverse_mass.shape}, allowed (3n, d), (d, d)")
        W = J @ inverse_mass @ J.T
    n = len(free)
    friction = np.ascontiguousarray(np.broadcast_to(np.asarray(mu, dtype=np.float64), (n,)))
    if not np.isfinite(friction).all() or (friction < 0).any():
        raise ValueError("mu: found a value below 0 or not finite, allowed >= 0")
    indptr, indices, values = _blocks(W if hasattr(W, "tobsr") else np.asarray(W), n)
    if not np.isfinite(values).all():
        raise ValueError("W: found a value that is not finite, allowed finite numbers")
    return _core.Problem._from_blocks(indptr, indices, values, free, friction)


def delassus(problem: _core.Problem) -> Any:
    """W of a problem as a SciPy sparse array where SciPy is there, else as a NumPy array."""
    values, rows, columns = problem._matrix_blocks()
    n = len(problem)
    try:
        from scipy.sparse import coo_array
    except ImportError:
        full = np.zeros((n, 3, n, 3))
        full[rows, :, columns, :] = values
        return full.reshape(3 * n, 3 * n)
    inner = np.arange(3)
    r = np.broadcast_to(3 * rows[:, None, None] + inner[:, None], values.shape).ravel()
    c = np.broadcast_to(3 * columns[:, None, None] + inner, values.shape).ravel()
    return coo_array((values.ravel(), (r, c)), shape=(3 * n, 3 * n)).tocsr()


def solve(problem: _core.Problem | str | os.PathLike[str], outer: str = "auto", inner: str = "auto", tol: float = 1e-8,
          *, max_outer: int | None = None, inner_iterations: int | None = None, gamma: float | None = None,
          start: npt.ArrayLike | None = None, history: bool = True, time_limit: float = 0) -> _core.Solution:
    """Solves one contact problem under the exact law.

    `problem` is a Problem (repose.problem(), data.contact_problem(), Problem.from_file()) or a file (FCLIB .hdf5, Siconos
    .dat). `start` (n, 3) N s is where it starts, zero otherwise. Not converged is an ordinary result: read the status and
    the certificate. `history` keeps one row per outer iteration; `time_limit` in s, 0 for none.
    """
    stored = problem if isinstance(problem, _core.Problem) else _core.Problem.from_file(problem)
    return _core.solve_problem(stored, outer=outer, inner=inner, tol=tol, max_outer=max_outer,
                               inner_iterations=inner_iterations, gamma=gamma,
                               start=None if start is None else _rows(start, "start"), history=history,
                               time_limit=time_limit)
