# SPDX-License-Identifier: Apache-2.0
"""load(): models from files."""
from __future__ import annotations

import os
from typing import Any

from repose import _core


def load(path: str | os.PathLike[str], *, base: str | None = None, self_collision: bool | None = None,
         package_path: str | os.PathLike[str] | list[str | os.PathLike[str]] | None = None) -> _core.Model:
    """Reads a scene file: MJCF (.xml), URDF (.urdf), native or Rigid-IPC (.json).

    Of URDF files alone: `base`, ``"fixed"`` to the world (the default) or ``"free"``; `self_collision`, whether links of
    the robot that are not neighbours collide (they do); `package_path`, one folder or several that are searched first for
    ``package://``.
    """
    options: dict[str, Any] = {"base": base, "self_collision": self_collision}
    if package_path is not None:
        folders = [package_path] if isinstance(package_path, (str, os.PathLike)) else package_path
        options["package_path"] = ":".join(os.fspath(folder) for folder in folders)
    return _core.Model.from_file(path, **options)
