# SPDX-License-Identifier: Apache-2.0
"""load(): models from files."""
from __future__ import annotations

import os
from typing import Any, Callable, Sequence

import numpy as np

from repose import _core
from repose._decompose import decompose as _convex_parts


def load(path: str | os.PathLike[str], *, base: str | None = None, self_collision: bool | None = None,
         package_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
         decompose: bool | Callable[[str], Sequence[Any]] = False) -> _core.Model:
    """Reads a scene file: MJCF (.xml), URDF (.urdf), native or Rigid-IPC (.json).

    Of URDF files alone: `base`, ``"fixed"`` to the world (the default) or ``"free"``; `self_collision`, whether links of
    the robot that are not neighbours collide (they do); `package_path`, one folder or several that are searched first for
    ``package://``.

    `decompose` takes convex parts of the meshes of MJCF and URDF files instead of one hull each: True calls
    ``repose.decompose``, a function gets the name of a mesh file and returns the corners of the parts, (n, 3) each.
    """
    options: dict[str, Any] = {"base": base, "self_collision": self_collision}
    if package_path is not None:
        folders = [package_path] if isinstance(package_path, (str, os.PathLike)) else package_path
        options["package_path"] = ":".join(os.fspath(folder) for folder in folders)
    if decompose:
        parts_of = decompose if callable(decompose) else _convex_parts
        options["decompose"] = lambda file: [np.asarray(part, dtype=float).tolist() for part in parts_of(file)]
    return _core.Model.from_file(path, **options)
