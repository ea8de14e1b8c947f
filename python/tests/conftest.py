# SPDX-License-Identifier: Apache-2.0
"""Where things lie: the tests run against the package of a build folder and against an installed wheel."""
from pathlib import Path

import pytest

import repose

PACKAGE = Path(repose.__path__[0])


@pytest.fixture
def program() -> Path:
    """The program `repose`: inside an installed package, beside that of a build folder."""
    inside = PACKAGE / "bin" / "repose"
    return inside if inside.exists() else PACKAGE.parents[1] / "bin" / "repose"
