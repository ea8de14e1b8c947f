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
        raise ValueError(f"{field}: expected (n, 3) or (3 n,), got shape {np.shape(values)}")
    return array


def _blocks(W: Any, n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """W, dense or any SciPy sparse format, as block rows of 3x3."""
    if W.shape != (3 * n, 3 * n):
        raise ValueError(f"W: expected ({3 * n}, {3 * n}), got shape {W.shape}")
    if hasattr(W, "tobsr"):
        B = W.tobsr(blocksize=(3, 3))
        return B.indptr.astype(np.int64), B.indices.astype(np.int64), np.ascontiguousarray(B.data, dtype=np.float64)
    full = np.asarray(W, dtype=np.float64).reshape(n, 3, n, 3).transpose(0, 2, 1, 3)
    rows, columns = np.nonzero((full != 0).any(axis=(2, 3)))  # NaN counts as a value: it is refused later
    return (np.searchsorted(rows, np.arange(n + 1)).astype(np.int64), columns.astype(np.int64),
            np.ascontiguousarray(full[rows, columns]))


def _jacobian_blocks(J: Any, n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Contact, body and values (3, 6) of the blocks of J that hold something."""
    if hasattr(J, "tobsr"):
        B = J.tobsr(blocksize=(3, 6))
        B.sum_duplicates()
        rows, columns, values = np.repeat(np.arange(n), np.diff(B.indptr)), B.indices, np.asarray(B.data, dtype=np.float64)
        kept = (values != 0).any(axis=(1, 2))
        return rows[kept], columns[kept].astype(np.int64), values[kept]
    full = J.reshape(n, 3, J.shape[1] // 6, 6).transpose(0, 2, 1, 3)
    rows, columns = np.nonzero((full != 0).any(axis=(2, 3)))
    return rows, columns, full[rows, columns]


def _mass_blocks(inverse_mass: Any, bodies: int) -> npt.NDArray[np.float64] | None:
    """(bodies, 6, 6), or None when the matrix couples bodies."""
    if inverse_mass.ndim == 3:
        return np.asarray(inverse_mass, dtype=np.float64)
    blocks = np.zeros((bodies, 6, 6))
    if hasattr(inverse_mass, "tobsr"):
        B = inverse_mass.tobsr(blocksize=(6, 6))
        rows = np.repeat(np.arange(bodies), np.diff(B.indptr))
        if (B.data[rows != B.indices] != 0).any():
            return None
        np.add.at(blocks, rows[rows == B.indices], B.data[rows == B.indices])
        return blocks
    full = inverse_mass.reshape(bodies, 6, bodies, 6).transpose(0, 2, 1, 3)
    blocks[:] = full[np.arange(bodies), np.arange(bodies)]
    return blocks if np.count_nonzero(full) == np.count_nonzero(blocks) else None


def _roots(blocks: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """L with M⁻¹ = L Lᵀ, body by body. Zero rows stand for motions that a body does not have."""
    values, vectors = np.linalg.eigh((blocks + blocks.transpose(0, 2, 1)) / 2)
    size = np.abs(blocks).max(axis=(1, 2), initial=0)
    if (np.abs(blocks - blocks.transpose(0, 2, 1)).max(axis=(1, 2), initial=0) > 1e-12 * size).any():
        raise ValueError("inverse_mass: expected symmetric blocks, got one that is not symmetric")
    if (values.min(axis=1, initial=0) < -1e-12 * size).any():
        raise ValueError("inverse_mass: expected positive semidefinite matrices, got a negative direction")
    roots: npt.NDArray[np.float64] = vectors * np.sqrt(np.maximum(values, 0))[:, None, :]
    return roots


_MOST_BODIES = 8  # of a contact: with more W is cheaper than the graph of bodies


def _body_form(J: Any, inverse_mass: Any, free: npt.NDArray[np.float64],
               mu: npt.NDArray[np.float64]) -> _core.Problem | None:
    """The problem with W = J M⁻¹ Jᵀ applied and never formed; None when it is not one of bodies."""
    n, width = len(free), J.shape[1]
    blocks = _mass_blocks(inverse_mass, width // 6) if width % 6 == 0 else None
    if blocks is None:
        return None
    rows, bodies, values = _jacobian_blocks(J, n)
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)  # which of the contact's bodies
    if (place >= _MOST_BODIES).any():
        return None
    values, two = values @ _roots(blocks)[bodies], place < 2
    ends = np.full((n, 2), -1, dtype=np.int64)
    ends[rows[two], place[two]] = bodies[two]
    scaled = np.zeros((n, 2, 3, 6))
    scaled[rows[two], place[two]] = values[two]
    further = np.ascontiguousarray(np.stack([rows[~two], bodies[~two]], axis=1), dtype=np.int64)
    return _core.Problem._from_bodies(width // 6, ends, scaled.reshape(n, 36), free, mu, further,
                                      np.ascontiguousarray(values[~two].reshape(-1, 18)))


def _matrix(value: Any, field: str) -> Any:
    """Dense input as an array, SciPy's as it is; finite."""
    kept = value if hasattr(value, "tobsr") else np.asarray(value, dtype=np.float64)
    numbers: npt.NDArray[np.float64] = np.asarray(value.tocoo().data if hasattr(value, "tobsr") else value, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{field}: expected finite numbers, got a value that is not finite")
    return kept


def _from_jacobian(J: Any, inverse_mass: Any, free: npt.NDArray[np.float64],
                   mu: npt.NDArray[np.float64]) -> _core.Problem:
    J, inverse_mass = _matrix(J, "J"), _matrix(inverse_mass, "inverse_mass")
    d = J.shape[-1]
    if not hasattr(inverse_mass, "tobsr") and inverse_mass.shape == (d,):
        inverse_mass = np.diag(inverse_mass)
    shapes = [(d, d)] + [(d // 6, 6, 6)] * (d % 6 == 0)
    if J.shape != (3 * len(free), d) or inverse_mass.shape not in shapes:
        raise ValueError(f"J, inverse_mass: expected ({3 * len(free)}, d) and (d,), (d, d) or, with d = 6 bodies, (bodies, 6, 6), "
                         f"got shapes {J.shape} and {inverse_mass.shape}")
    made = _body_form(J, inverse_mass, free, mu)
    if made is not None:
        return made
    if inverse_mass.ndim == 3:  # a contact of many bodies
        spread = np.zeros((d // 6, 6, d // 6, 6))
        spread[np.arange(d // 6), :, np.arange(d // 6), :] = inverse_mass
        inverse_mass = spread.reshape(d, d)
    return _core.Problem._from_blocks(*_blocks(J @ inverse_mass @ J.T, len(free)), free, mu)


def problem(*, W: Any = None, J: Any = None, inverse_mass: Any = None, v_free: npt.ArrayLike,
            mu: npt.ArrayLike) -> _core.Problem:
    """A contact problem from matrices: either W, or J and the inverse mass matrix, W = J M⁻¹ Jᵀ.

    Where J and M⁻¹ are those of bodies with six velocity components each, W is never formed
    (`form` is 'body'); otherwise it is ('matrix').

    Parameters
    ----------
    W : (3n, 3n) NumPy array or SciPy sparse matrix, 1/kg. Rows of each contact are ordered (t1, t2, n).
    J : (3n, d), NumPy or SciPy; d is the number of velocity components, six per body (linear, angular) as a rule.
    inverse_mass : (d, d), NumPy or SciPy; or its diagonal (d,); or one block per body, (d/6, 6, 6). Symmetric.
    v_free : (n, 3) or (3n,), m/s: contact velocity without impulses.
    mu : (n,) or one number.
    """
    free = _rows(v_free, "v_free")
    if (W is None) == (J is None) or (J is None) != (inverse_mass is None):
        raise TypeError("problem: expected either W, or J and inverse_mass")
    n = len(free)
    given = np.asarray(mu, dtype=np.float64)
    if given.shape not in ((), (n,)) and given.size != 1:
        raise ValueError(f"mu: expected one number or ({n},), got shape {given.shape}")
    friction = np.ascontiguousarray(np.broadcast_to(given.reshape(-1) if given.size == 1 else given, (n,)))
    if not np.isfinite(friction).all() or (friction < 0).any():
        raise ValueError("mu: expected >= 0, got a value below 0 or not finite")
    if W is None:
        return _from_jacobian(J, inverse_mass, free, friction)
    return _core.Problem._from_blocks(*_blocks(_matrix(W, "W"), n), free, friction)


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


_problem = problem  # solve() calls its first argument so


def solve(problem: _core.Problem | str | os.PathLike[str] | None = None, outer: str = "auto", inner: str = "auto",
          tol: float = 1e-8, *, W: Any = None, J: Any = None, inverse_mass: Any = None, v_free: npt.ArrayLike | None = None,
          mu: npt.ArrayLike | None = None, accept: float | None = None, budget: float | None = None,
          max_outer: int | None = None, inner_iterations: int | None = None, gamma: float | None = None,
          safety: float | None = None, acceleration: int | None = None, stop: str | None = None,
          step_rule: str | None = None, power_products: int | None = None, test_every: int | None = None,
          answer: str | None = None, storage: str | None = None,
          start: npt.ArrayLike | None = None, history: bool = True, time_limit: float = 0,
          forces: str = "solver") -> _core.Solution:
    """Solves one contact problem under the exact law.

    `problem` is a Problem (repose.problem(), data.contact_problem(), Problem.from_file()) or a file (FCLIB .hdf5, Siconos
    .dat); without it, W or J and inverse_mass, v_free and mu say what repose.problem() would be given. `start` (n, 3) N s
    is where it starts, zero otherwise. Not converged is an ordinary result: read the status and the certificate. `history`
    keeps one row per outer iteration; `time_limit` in s, 0 for none. `forces="canonical"` takes, of all impulses with the
    same motion, those of least norm; the solution says in `forces` which it has. The other keywords are options of the scheme:
    scheme_options() lists them.
    """
    matrices = any(value is not None for value in (W, J, inverse_mass, v_free, mu))
    if (problem is None) != matrices:
        raise TypeError("solve: expected either a problem or file, or matrices (W or J and inverse_mass, v_free, mu)")
    if problem is None:
        if v_free is None or mu is None:
            raise TypeError("solve: expected v_free and mu with the matrices, got none")
        problem = _problem(W=W, J=J, inverse_mass=inverse_mass, v_free=v_free, mu=mu)
    stored = problem if isinstance(problem, _core.Problem) else _core.Problem.from_file(problem)
    return _core.solve_problem(stored, outer=outer, inner=inner, tol=tol, accept=accept, budget=budget, max_outer=max_outer,
                               inner_iterations=inner_iterations, gamma=gamma, safety=safety, acceleration=acceleration, stop=stop,
                               step_rule=step_rule, power_products=power_products, test_every=test_every, answer=answer, storage=storage,
                               start=None if start is None else _rows(start, "start"), history=history,
                               time_limit=time_limit, forces=forces)
