# SPDX-License-Identifier: Apache-2.0
"""Concave meshes as convex parts, by CoACD (the extra `decompose`)."""
from __future__ import annotations

import hashlib
import os
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose import _core

_HINT = "decompose needs the package coacd: pip install 'repose-sim[decompose]'"


def cache_folder() -> Path:
    """Where decompositions are kept: `repose/decompose` in $XDG_CACHE_HOME or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "repose" / "decompose"


def _stored(file: Path) -> list[NDArray[np.float64]] | None:
    try:
        with np.load(file) as parts:
            return [parts[name] for name in sorted(parts.files)]
    except (OSError, ValueError, EOFError, KeyError):  # absent, or damaged: made again
        return None


def _store(file: Path, parts: list[NDArray[np.float64]]) -> None:
    """Appears whole or not at all; a folder that cannot be written costs only time."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as out:
            np.savez(out, **{f"part_{k:05}": part for k, part in enumerate(parts)})
        os.replace(out.name, file)
    except OSError:
        pass


def decompose(mesh: str | os.PathLike[str] | tuple[Any, Any], *, threshold: float = 0.05, max_parts: int = -1, seed: int = 0,
              cache: bool = True) -> list[NDArray[np.float64]]:
    """Returns the corners, (n, 3) each, of convex parts that together stand for a mesh.

    `mesh` is a file, or its vertices (n, 3) and triangles (m, 3). `threshold`, 0.01 to 1, is how concave a part may be, as
    CoACD measures it; `max_parts` limits their number (-1: no limit). Results are kept on disk, by content and parameters,
    in ``$XDG_CACHE_HOME/repose/decompose`` or ``~/.cache/repose/decompose`` (`cache=False`: they are not).
    """
    vertices, triangles = _core.mesh_arrays(os.fspath(mesh)) if isinstance(mesh, (str, os.PathLike)) else mesh
    vertices = np.ascontiguousarray(vertices, dtype=np.float64)
    triangles = np.ascontiguousarray(triangles, dtype=np.int32)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3 or len(triangles) == 0:
        raise ValueError(f"mesh: expected vertices (n, 3) and triangles (m, 3), got {vertices.shape} and {triangles.shape}")
    if not 0.01 <= threshold <= 1:
        raise ValueError(f"threshold: expected 0.01 to 1, got {threshold}")
    try:
        import coacd
    except ImportError as error:
        raise ImportError(_HINT) from error
    version = metadata.version("coacd")
    digest = hashlib.sha256(repr((version, threshold, max_parts, seed, vertices.shape, triangles.shape)).encode())
    digest.update(vertices.tobytes())
    digest.update(triangles.tobytes())
    file = cache_folder() / f"{digest.hexdigest()}.npz"
    if cache and (stored := _stored(file)) is not None:
        return stored
    coacd.set_log_level("error")
    found = coacd.run_coacd(coacd.Mesh(vertices, triangles), threshold=threshold, max_convex_hull=max_parts, seed=seed)
    parts = [np.asarray(corners, dtype=np.float64) for corners, _ in found]
    if cache:
        _store(file, parts)
    return parts
